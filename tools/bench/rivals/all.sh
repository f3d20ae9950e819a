#!/bin/sh
# Builds the rivals: all of them, or those named. Each folder here has a build.sh, which is run in it
# with `OUT` set to `target/rivals/NAME`; what it printed is in `NAME.log` beside that. A rival that
# cannot be built here is named with its reason and skipped.
set -eu
cd "$(dirname "$0")"
all=$(cd ../../.. && pwd)/target/rivals
# The toolchain of the surroundings is not the rival's choice.
unset CARGO CARGO_TARGET_DIR RUSTUP_TOOLCHAIN

[ $# -gt 0 ] || set -- $(ls -d */ | tr -d /)
for name; do
    [ -d "$name" ] || { echo "no folder '$name'" >&2; exit 2; }
    mkdir -p "$all/$name"
    log=$all/$name.log verdict=built
    (cd "$name" && OUT=$all/$name sh ./build.sh) >"$log" 2>&1 </dev/null ||
        verdict="skipped  $(grep -m 1 '^error' "$log" || tail -n 1 "$log")"
    printf '  %-20s %s\n' "$name" "$verdict"
done
