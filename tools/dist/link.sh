#!/usr/bin/env bash
# Links a static binary. Its startup functions are spread over 3 MB, and every 64 kB in use cost a
# page fault. So this links twice, the second time with those functions together. It traces them in
# $CURT_TRACED, a binary for this processor with symbols, or by default in the result of the first
# link, which is copied to `named` next to the directory of the final binary.
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
