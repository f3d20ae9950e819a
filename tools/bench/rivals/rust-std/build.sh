#!/bin/sh
# Builds OUT/rm-rust-std.
set -eu
: "${OUT:?set OUT to the directory the program should go to}"
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$OUT"
cargo build --release --locked --quiet --manifest-path "$here/Cargo.toml" --target-dir "$OUT/build"
cp "$OUT/build/release/rm-rust-std" "$OUT/rm-rust-std"
