#!/bin/sh
# Installs the published program rmz as its users get it, as OUT/rm-rmz. It takes a path as its
# only argument, so no wrapper stands between it and the clock.
set -eu
: "${OUT:?set OUT to the directory the program should go to}"
version=3.2.1
mkdir -p "$OUT"
if [ "$("$OUT/root/bin/rmz" --version 2>/dev/null || true)" != "rmz $version" ]; then
    # From OUT, so that no configuration of this repository applies.
    cd "$OUT"
    cargo install --quiet --locked --force --root "$OUT/root" --target-dir "$OUT/build" \
        --version "=$version" rmz
fi
cp "$OUT/root/bin/rmz" "$OUT/rm-rmz"
