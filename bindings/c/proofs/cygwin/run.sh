#!/usr/bin/env bash
# The proof for the report about `ls` and `stat` in Cygwin. Counts the calls that libcurt's example
# `ls` and a program that queries each name make for the same 3,580 files. See README.md.
# Takes no arguments; fails if a count is wrong.
set -euo pipefail
export LC_ALL=C
cd "$(dirname "$0")"
here=$PWD checkout=$(cd ../../../.. && pwd)
files=3580
for tool in cargo gcc ls strace; do
    command -v $tool >/dev/null || { echo "cygwin: '$tool' is missing" >&2; exit 3; }
done
cd "$checkout"
target=$(realpath -m "${CARGO_TARGET_DIR:-target}")
built=$target/proofs/cygwin
rm -rf "$built"
mkdir -p "$built/$files" "$built/0"

# Windows first: it takes longest, and is most likely to lack a tool.
code=0
cargo xtask windows-session --library -- bash "$here/windows.sh" $files >"$built/windows" || code=$?
((code == 0)) || exit $code

# Linux.
for ((i = 0; i < files; i++)); do
    printf '%*s' $((i % 10)) '' >"$built/$files/$(printf 'file-%04d.txt' "$i")"
done
cargo build --quiet --release --locked --package curt-capi
gcc -std=c99 -O2 -Wall -Wextra -Werror -o "$built/ls" -I bindings/c/include \
    bindings/c/examples/ls.c "$target/release/libcurt.a" -lpthread -ldl -lm
count() {
    local program=$1 size
    shift
    for size in 0 $files; do
        strace -f -o "$built/trace" "$@" "$built/$size" >"$built/output"
        # Ignore calls for output and memory.
        awk -v program="$program" -v size="$size" '
            match($2, /^[a-z_0-9]+\(/) { counts[substr($2, 1, RLENGTH - 1)]++ }
            END { for (name in counts) print "calls", program, size, name, counts[name] }
        ' "$built/trace" | grep -vE ' (write|brk|mmap|munmap|mremap|madvise) '
    done
    awk -v program="$program" '
        /file-/ { lines++; bytes += NF > 3 ? $(NF - 3) : 0 }
        END { print "lists", program, lines + 0, bytes + 0 }' "$built/output"
}
{
    count gnu-ls ls -1U
    count gnu-ls-l ls -lU --time-style=long-iso
    count curt-ls "$built/ls"
    count curt-ls-l "$built/ls" -lnu
} >"$built/linux"

awk -v files=$files -f "$here/table.awk" "$built/windows" "$built/linux"
