#!/usr/bin/env bash
# Builds packages for the macOS or Windows on which it runs, into `target/distrib`: the command, as
# an archive or `curt.exe` and as a wheel, and on macOS the Python module. Tries both.
set -euo pipefail
cd "$(dirname "$0")/../.."
version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -n 1)
triple=$(rustc -vV | sed -n 's/^host: //p')
target=${CARGO_TARGET_DIR:-$PWD/target} packages=$PWD/target/distrib
tools=$target/maturin python=python3 programs=bin
if [[ $triple == *-windows-* ]]; then
    # Without the C runtime as a DLL.
    export RUSTFLAGS=-Ctarget-feature=+crt-static
    python=python programs=Scripts
fi
mkdir -p "$packages"
"$python" -m venv "$tools"
"$tools/$programs/python" -m pip install --quiet --only-binary=:all: maturin==1.16.0
maturin() { # MANIFEST ARGUMENT…
    "$tools/$programs/maturin" build --quiet --locked --out "$packages" --manifest-path "$@"
}

cargo build --quiet --locked --profile dist --package curt-cli
if [[ $triple == *-windows-* ]]; then
    # `dist` builds the one for x86-64.
    [[ $triple == x86_64-* ]] || cp "$target/dist/curt.exe" "$packages/curt-$version-$triple.exe"
else
    stem=curt-$version-$triple
    rm -rf "${target:?}/$stem"
    mkdir -p "$target/$stem/bin"
    cp "$target/dist/curt" "$target/$stem/bin"
    tools/dist/share.sh "$target/dist/curt" "$target/$stem/share"
    tar -czf "$packages/$stem.tar.gz" -C "$target" "$stem"
    tools/dist/python.sh "$target/python-source"
    maturin "$target/python-source/Cargo.toml" --release
    "$tools/bin/python" -m pip install --quiet --no-index "$packages"/curt_fs-*.whl
    "$tools/bin/python" -c 'import curt_fs; print(next(curt_fs.walk("docs")))'
fi
maturin crates/curt-cli/Cargo.toml --profile dist
"$tools/$programs/python" -m pip install --quiet --no-index "$packages"/curt_cli-*.whl
"$tools/$programs/curt" ls docs
