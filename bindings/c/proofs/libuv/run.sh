#!/usr/bin/env bash
# The proof for report 5: libuv with libcurt inside, built for Windows and run under Wine. Takes no
# arguments; prints the results of libuv's tests, and the tables of the report. See README.md.
set -euo pipefail
cd "$(dirname "$0")/../../../.."
proof=bindings/c/proofs/libuv
name=libuv1_1.50.0.orig.tar.gz
digest=ec9de6ecf2a780fd2afb3b007947d2cd57c3bb17f3b9e721a66774980d35cd4d
target=$(realpath -m "${CARGO_TARGET_DIR:-target}/debian-root")
archive=${XDG_CACHE_HOME:-$HOME/.cache}/curt/proofs/$name

# Downloads the upstream source of Debian's package from the archive that the Debian root uses.
# Argument: the folder.
fetch='
    cd "$1"
    sed "s/^deb /deb-src /" /etc/apt/sources.list >sources.list
    mkdir -p lists/partial
    apt() {
        apt-get -qq -o Dir::Etc::SourceList="$PWD/sources.list" -o Dir::Etc::SourceParts=- \
            -o Dir::State::Lists="$PWD/lists" -o APT::Sandbox::User=root \
            -o Dir::Cache::pkgcache= -o Dir::Cache::srcpkgcache= "$@"
    }
    apt update
    apt --download-only --tar-only source libuv1'

is_right() {
    echo "$digest  $archive" | sha256sum --check --status
}

if ! [ -e "$archive" ] || ! is_right; then
    mkdir -p "$target/libuv-source" "$(dirname "$archive")"
    bash tools/debian-root.sh --with linux -- sh -euc "$fetch" sh /build/target/libuv-source >&2 ||
        { echo 'libuv: its source cannot be fetched into the Debian root' >&2; exit 3; }
    mv "$target/libuv-source/$name" "$archive"
    rm -r "$target/libuv-source"
    is_right || { echo "libuv: $archive is not what was expected" >&2; exit 1; }
fi

# The session finds the archive below CARGO_TARGET_DIR.
mkdir -p "$target/windows/target/libuv"
cp "$archive" "$target/windows/target/libuv/source.tar.gz"
cargo xtask windows-session --library -- bash "$proof/session.sh"
