#!/bin/sh
# Installs published programs from crates.io as their users get them, in OUT. Each takes a path as
# an argument, so no wrapper stands between it and the clock.
set -eu
: "${OUT:?set OUT to the directory the programs should go to}"
mkdir -p "$OUT"
# From OUT, so that no configuration of this repository applies.
cd "$OUT"
# PACKAGE VERSION PROGRAM FILE
while read -r package version program file; do
    case "$("$OUT/root/bin/$program" --version 2>/dev/null || true)" in
        *"$version"*) ;;
        *) cargo install --quiet --locked --force --root "$OUT/root" --target-dir "$OUT/build" \
            --version "=$version" "$package" ;;
    esac
    cp "$OUT/root/bin/$program" "$OUT/$file"
done <<LIST
rmz 3.2.1 rmz rm-rmz
diskus 0.9.0 diskus du-diskus
dua-cli 2.32.2 dua du-dua
LIST
