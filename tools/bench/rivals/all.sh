#!/bin/sh
# Builds all rivals, or those named (with NAME also NAME-curt). Each build.sh runs in its folder,
# with `OUT` set to `target/rivals/NAME`. Its output goes to `target/rivals/NAME.log`. A rival that
# cannot be built is skipped with a reason.
set -eu
cd "$(dirname "$0")"
all=$(cd ../../.. && pwd)/target/rivals
# Build the rivals with the default toolchain, not the caller's.
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
