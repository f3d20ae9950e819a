#!/bin/sh
# Builds the rivals: all of them, or those named, NAME with NAME-curt. Each folder here has a
# build.sh, which is run in it with `OUT` set to `target/rivals/NAME`; what it printed is in
# `NAME.log` beside that. A rival that cannot be built here is named with its reason and skipped.
set -eu
cd "$(dirname "$0")"
all=$(cd ../../.. && pwd)/target/rivals
# The toolchain of the surroundings is not the rival's choice.
unset CARGO CARGO_TARGET_DIR RUSTUP_TOOLCHAIN

if [ $# -eq 0 ]; then
    set -- $(ls -d */ | tr -d /)
else
    for name; do
        [ -d "$name" ] || { echo "no folder '$name'" >&2; exit 2; }
        shift
        set -- "$@" "$name"
        [ ! -d "$name-curt" ] || set -- "$@" "$name-curt"
    done
fi
for name; do
    mkdir -p "$all/$name"
    log=$all/$name.log verdict=built
    (cd "$name" && OUT=$all/$name sh ./build.sh) >"$log" 2>&1 </dev/null ||
        verdict=$(grep '^skipped' "$log" ||
            { printf 'skipped: '; grep -m 1 '^error' "$log" || tail -n 1 "$log"; })
    echo "$verdict" | while read -r line; do printf '  %-20s %s\n' "$name" "$line"; done
done
