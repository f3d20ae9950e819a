#!/usr/bin/env bash
# The linker of the static binaries, as build.sh tells Cargo. Functions that run at a start lie all
# over 3 MB, and each 64 kB of them cost a page fault. So it links twice, the second time with those
# functions together. They are traced in $CURT_TRACED, a binary for this processor with its symbols;
# unset, in that of the first link, which `named` beside the final binary is a copy of.
set -euo pipefail
for ((at = 1; at < $#; at++)); do
    [[ ${!at} != -o ]] || next=$((at + 1)) out=${!next}
done
options=()
for option; do
    [[ $option == --strip-all || $option == -s ]] || options+=("$option")
done
rust-lld "${options[@]}" -o "$out.named"
python3 "$(dirname "$0")/start.py" order "${CURT_TRACED:-$out.named}" "$out.named" >"$out.order"
cp "$out.named" "$(dirname "$out")/../named"
rust-lld "$@" --symbol-ordering-file "$out.order" --no-warn-symbol-ordering
