#!/usr/bin/env bash
# Links a static binary twice. After the first link, the startup functions are spread over 3 MB, and
# every 64 kB in use cost a page fault, so the second link puts them together. They are found by
# tracing $CURT_TRACED, a binary for this processor with symbols, or by default the result of the
# first link, which is copied to `named` next to the directory of the final binary.
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
