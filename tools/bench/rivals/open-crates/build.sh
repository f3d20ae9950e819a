#!/bin/sh
# Builds OUT/open-cap-std and OUT/open-pathrs.
set -eu
: "${OUT:?set OUT to the directory the program should go to}"
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$OUT"
cd "$here"
cargo build --quiet --release --locked --target-dir "$OUT/build"
for name in cap-std pathrs; do
    cp "$OUT/build/release/open-$name" "$OUT/open-$name"
done
