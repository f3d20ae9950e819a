#!/bin/sh
# Builds OUT/tree-walkdir, OUT/tree-ignore and OUT/tree-jwalk.
set -eu
: "${OUT:?set OUT to the directory the program should go to}"
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$OUT"
cd "$here"
cargo build --quiet --release --locked --target-dir "$OUT/build"
for name in walkdir ignore jwalk; do
    cp "$OUT/build/release/tree-$name" "$OUT/tree-$name"
done
