#!/bin/sh
# Builds OUT/look-rust-std.
set -eu
: "${OUT:?set OUT to the directory the program should go to}"
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$OUT"
cargo build --release --locked --quiet --manifest-path "$here/Cargo.toml" --target-dir "$OUT/build"
cp "$OUT/build/release/look-rust-std" "$OUT/look-rust-std"
