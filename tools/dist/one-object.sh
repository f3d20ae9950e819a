#!/usr/bin/env bash
# Combines libcurt.a into one object in which only curt_* is global, so that a program can also link
# another Rust library. Otherwise they would conflict: every Rust library contains the standard
# library and defines `rust_eh_personality`, and the linker treats any visible definition of that
# name as shared by all.
#
# The standard library's objects contain bitcode (.llvmbc), which merging makes invalid. An `ar` with
# LLVM's plugin fails on it.
# usage: one-object.sh LIBRARY NEW-LIBRARY
set -euo pipefail
library=$1 new=$2
folder=$(mktemp -d)
trap 'rm -r "$folder"' EXIT
mapfile -t functions < <(nm --defined-only --extern-only --format=just-symbols "$library" 2>/dev/null |
    grep '^curt_' | sort -u)
ld -r --gc-sections "${functions[@]/#/--undefined=}" -o "$folder/all.o" "$library"
# Rename the personality and the reference to it first. The linker identifies the section group of
# the reference by name, so it would still merge a local symbol with the other library's.
objcopy --redefine-sym rust_eh_personality=curt_eh_personality \
    --redefine-sym DW.ref.rust_eh_personality=DW.ref.curt_eh_personality \
    --wildcard --keep-global-symbol='curt_*' --strip-debug --remove-section=.comment \
    --remove-section=.llvmbc --remove-section=.llvmcmd \
    "$folder/all.o" "$folder/curt.o"
rm -f "$new"
ar rcsD "$new" "$folder/curt.o"
