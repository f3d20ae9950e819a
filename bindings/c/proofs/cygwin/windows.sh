#!/usr/bin/env bash
# The Windows part of the proof. Builds the programs, runs each in a folder of FILES files and in an
# empty one, and prints the lines
#    calls PROGRAM FILES NAME COUNT    for each function of ntdll that it called
#    lists PROGRAM LINES BYTES         its output for the full folder
# Argument: FILES.
set -euo pipefail
files=$1
here=$(cd "$(dirname "$0")" && pwd)
built=$CARGO_TARGET_DIR/proofs/cygwin
folder=$WINEPREFIX/drive_c/cygwin-proof
rm -rf "$folder"
mkdir -p "$built" "$folder/$files" "$folder/0"
for ((i = 0; i < files; i++)); do
    printf '%*s' $((i % 10)) '' >"$folder/$files/$(printf 'file-%04d.txt' "$i")"
done

compile() {
    x86_64-w64-mingw32-gcc -std=c99 -O2 -Wall -Wextra -Werror -municode -D__USE_MINGW_ANSI_STDIO=1 \
        -I "$here/../../include" -o "$built/$1.exe" "$2" \
        "$CURT_LIBRARY/libcurt.a" -lntdll -luserenv -lws2_32 -ldbghelp
}
compile ls "$here/../../examples/ls.c"
compile naive "$here/naive.c"

# Arguments: the program's name in the table, and its command without the folder.
count() {
    local program=$1 size
    shift
    for size in 0 "$files"; do
        sh "$CURT_NATIVE_CALLS" "$built/counts" "$@" "C:\\cygwin-proof\\$size" >"$built/output"
        sed "s/\([0-9]*\) \(.*\)/calls $program $size \2 \1/" "$built/counts"
    done
    # Add up the sizes, if shown: the column before the name, or for `ls` before the time.
    tr -d '\r' <"$built/output" | awk -v program="$program" '
        /file-/ { lines++; bytes += $(program ~ /^ls-l/ ? NF - 3 : NF - 1) }
        END { print "lists", program, lines + 0, bytes + 0 }'
}
for how in listing name handle owner today then cpython libuv curt curt-all; do
    count "$how" "$built/naive.exe" "$how"
done
count ls "$built/ls.exe"
count ls-l "$built/ls.exe" -l
count ls-li "$built/ls.exe" -li
count ls-ln "$built/ls.exe" -ln
count ls-lu "$built/ls.exe" -lu
count ls-lnu "$built/ls.exe" -lnu
rm -rf "$folder"
