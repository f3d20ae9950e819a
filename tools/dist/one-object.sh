#!/usr/bin/env bash
# Makes one object of libcurt.a, with nothing visible but curt_*, so that a program which contains
# another Rust library can link it: each brings the standard library, and defines
# `rust_eh_personality`, which the linker takes as a shared function wherever it is seen.
# usage: one-object.sh LIBRARY NEW-LIBRARY
set -euo pipefail
library=$1 new=$2
folder=$(mktemp -d)
trap 'rm -r "$folder"' EXIT
mapfile -t functions < <(nm --defined-only --extern-only --format=just-symbols "$library" 2>/dev/null |
    grep '^curt_' | sort -u)
ld -r --gc-sections "${functions[@]/#/--undefined=}" -o "$folder/all.o" "$library"
# A name of our own first: the group of sections that holds the reference to the personality is
# known by its name, and one that is only made local would still be joined with the other's.
objcopy --redefine-sym rust_eh_personality=curt_eh_personality \
    --redefine-sym DW.ref.rust_eh_personality=DW.ref.curt_eh_personality \
    --wildcard --keep-global-symbol='curt_*' --strip-debug --remove-section=.comment \
    "$folder/all.o" "$folder/curt.o"
rm -f "$new"
ar rcsD "$new" "$folder/curt.o"
