#!/bin/sh
# Builds OUT/expand-path-clean, OUT/expand-path-absolutize, OUT/expand-typed-path and OUT/expand-std.
set -eu
: "${OUT:?set OUT to the directory the program should go to}"
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$OUT"
cd "$here"
cargo build --quiet --release --locked --target-dir "$OUT/build"
for name in path-clean path-absolutize typed-path std; do
    cp "$OUT/build/release/expand-$name" "$OUT/expand-$name"
done
