#!/usr/bin/env bash
# Links libcurt.so as a linker of rustc, and gives its functions the version CURT_0.1. rustc writes
# an anonymous version script, which GNU ld refuses to combine with another, so name its node.
set -euo pipefail
for option; do
    script=${option#*--version-script=}
    if [[ $script != "$option" ]] && grep -q curt_abi "$script"; then
        sed -i '1s/^{/CURT_0.1 {/' "$script"
        grep -q '^CURT_0.1 {' "$script"
    fi
done
exec cc "$@"
