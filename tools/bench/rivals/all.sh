#!/bin/sh
# Builds the rivals: all of them, or those named. Each folder here is one program with its own
# toolchain and lock file, never a part of the workspace. What comes out lies in
# `target/rivals/NAME`, what the build printed in `NAME.log` beside it. A folder has
#   build.sh, run in it with `OUT` set to the folder for the result, or
#   Cargo.toml, whose target folder that is, or
#   go.mod: the program is `NAME` in that folder.
# A rival that cannot be built here is named with its reason and skipped.
set -eu
cd "$(dirname "$0")"
all=$(cd ../../.. && pwd)/target/rivals
mkdir -p "$all"
# The toolchain of `cargo xtask` is not the rival's choice.
unset CARGO CARGO_TARGET_DIR RUSTUP_TOOLCHAIN

build() { # NAME OUT
    cd "$1"
    if [ -f build.sh ]; then OUT=$2 sh ./build.sh
    elif [ -f Cargo.toml ]; then cargo build --release --locked --target-dir "$2"
    elif [ -f go.mod ]; then go build -o "$2/$1" .
    else echo 'the folder has neither build.sh nor Cargo.toml nor go.mod'; exit 1
    fi
}

[ $# -gt 0 ] || set -- $(ls -d */ | tr -d /)
for name; do
    [ -d "$name" ] || { echo "no folder '$name'" >&2; exit 2; }
    mkdir -p "$all/$name"
    start=$(date +%s) log=$all/$name.log verdict=built
    (build "$name" "$all/$name") >"$log" 2>&1 </dev/null ||
        verdict="skipped  $(grep -m 1 '^error' "$log" || tail -n 1 "$log")"
    printf '  %-20s %4d s  %s\n' "$name" $(($(date +%s) - start)) "$verdict"
done
