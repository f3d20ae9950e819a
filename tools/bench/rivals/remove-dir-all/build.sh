#!/bin/sh
# Builds OUT/rm-remove-dir-all and OUT/rm-remove-dir-all-parallel.
set -eu
: "${OUT:?set OUT to the directory the programs should go to}"
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$OUT"
cargo build --release --locked --quiet --manifest-path "$here/Cargo.toml" --target-dir "$OUT/build"
for name in rm-remove-dir-all rm-remove-dir-all-parallel; do
    cp "$OUT/build/release/$name" "$OUT/$name"
done
