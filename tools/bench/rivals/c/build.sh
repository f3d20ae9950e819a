#!/bin/sh
# Builds OUT/c-libcurt and the shared libcurt that it uses, as in a package.
set -eu
: "${OUT:?set OUT to the directory the program should go to}"
top=$(cd ../../../.. && pwd)
CARGO_TARGET_DIR="$OUT/build" cargo build --release --locked --package curt-capi \
    --manifest-path "$top/Cargo.toml"
cp "$OUT/build/release/libcurt.so" "$OUT/"
cc -std=gnu99 -O2 -Wall -Wextra -Werror -I"$top/bindings/c/include" main.c -o "$OUT/c-libcurt" \
    -L"$OUT" -lcurt -Wl,-rpath,"$OUT"
