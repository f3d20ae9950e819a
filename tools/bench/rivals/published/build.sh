#!/bin/sh
# Installs published programs from crates.io in OUT, as their users do. They take a path as an
# argument, so the timing includes no wrapper.
set -eu
: "${OUT:?set OUT to the directory the programs should go to}"
. ../script.sh
mkdir -p "$OUT"
cd "$OUT"
# PACKAGE VERSION PROGRAM OPTIONS. uutils is built with the compared utilities only, and dua without
# its terminal interface.
while read -r package version program options; do
    rm -f "$OUT/$program"
    case "$("$OUT/root/bin/$program" --version 2>/dev/null || true)" in
        *"$version"*) ;;
        *) # shellcheck disable=SC2086 # The options are words.
            attempt "$program" cargo install --quiet --locked --force --root "$OUT/root" \
                --target-dir "$OUT/build" --version "=$version" $options "$package" || continue ;;
    esac
    cp "$OUT/root/bin/$program" "$OUT/$program"
done <<LIST
rmz 3.2.1 rmz
fd-find 10.5.0 fd
ripgrep 15.2.0 rg
coreutils 0.12.0 coreutils --no-default-features --features=rm,cp,ls,du,stat
diskus 0.9.0 diskus
dua-cli 3.0.0 dua --no-default-features
du-dust 1.2.7 dust
parallel-disk-usage 0.24.0 pdu
LIST
exit "$failed"
