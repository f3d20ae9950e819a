#!/usr/bin/env bash
# Builds, runs and checks the examples, including those in the header. Then follows the instructions
# in docs/c.md with the files shown there. For each test, prints `test NAME ... ` and `ok`, `FAILED`
# or `(REASON) skipped`. Exits with 0 if none failed. Argument: the folder with libcurt.a and
# libcurt.so. $CC is the compiler, $ZIG the command `zig`.
set -euo pipefail
libraries=$(cd "$1" && pwd)
examples=$(cd "$(dirname "$0")" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failed=0

# Runs a function as a test, in a separate shell and folder, so that it may exit anywhere.
run_test() {
    printf 'test %s ... ' "$1"
    mkdir -p "$scratch/$1"
    # In a condition, the shell would ignore `set -e`.
    set +e
    (set -e; cd "$scratch/$1"; "${@:2}")
    local status=$?
    set -e
    if ((status == 0)); then
        echo ok
    else
        echo FAILED
        failed=1
    fi
}

# Lays the libraries and headers out like an installation.
prefix=$scratch/prefix
mkdir -p "$prefix/lib/pkgconfig"
ln -s "$libraries/libcurt.a" "$libraries/libcurt.so" "$prefix/lib"
ln -s "$examples/../include" "$prefix/include"
cat >"$prefix/lib/pkgconfig/curt.pc" <<END
libdir=$prefix/lib
Name: curt
Description: libcurt
Version: 0
Libs: -L$prefix/lib -lcurt
Libs.private: -lgcc_s -lutil -lrt -lpthread -lm -ldl -lc
Cflags: -I$prefix/include
END
export PKG_CONFIG_PATH=$prefix/lib/pkgconfig LD_LIBRARY_PATH=$prefix/lib

# Runs an example. Its output goes to `out`, its messages to `messages`, its status to $status.
run() {
    status=0
    timeout 60 "$scratch/$1.program" "${@:2}" >out 2>messages || status=$?
}

# Checks the last run. Arguments: the expected status, and texts expected in `out` or `messages`.
expect() {
    local text
    if [[ $status == "$1" ]]; then
        shift
        for text; do
            tr '\r' '\n' <messages | cat out - | grep -F -- "$text" >matched || break
            shift
        done
        (($# > 0)) || return 0
        echo "not in the output: $1"
    else
        echo "status $status instead of $1"
    fi
    cat out messages
    exit 1
}

tree() {
    mkdir -p tree/sub
    seq -f 'tree/sub/%.0f' "$1" | xargs touch
}

remove() {
    tree 3
    run remove tree missing
    expect 1 '3 files and 2 directories removed, 1 failures' 'missing'
    [[ ! -e tree ]]
    mkfifo progress
    # A fast machine removes a small tree before Ctrl-C arrives, so try larger ones.
    for files in 20000 100000 500000; do
        tree $files
        "$scratch/remove.program" tree 2>progress &
        exec 3<progress
        read -rn 1 -u 3 || :
        kill -INT $! || :
        cat <&3 >messages
        exec 3<&-
        status=0
        wait $! || status=$?
        ((status == 0)) || break
    done
    : >out
    expect 130 'directories removed, 0 failures'
    [[ -d tree ]]
}

ls_() {
    mkdir folder
    echo four >folder/file
    ln -s file folder/link
    run ls folder
    expect 0
    [[ $(sort out | tr '\n' ' ') == 'file link ' ]]
    run ls -lniu folder
    expect 0 'link -> file'
    tr -s ' ' <out | sed 's/^ //' >columns
    mv columns out
    expect 0 "$(stat -c '%i %A %h %U %G %s' folder/file) "
    run ls missing
    expect 2 missing
}

which_() {
    for folder in first second; do
        mkdir $folder
        echo '#!/bin/sh' >$folder/tool
        chmod +x $folder/tool
    done
    PATH=$PWD/first:$PWD/second:$PATH run which -a tool
    expect 0
    [[ $(cat out) == "$PWD/first/tool"$'\n'"$PWD/second/tool" ]]
    PATH=$PWD/first:$PATH run which -a tool no-such-tool
    expect 1 no-such-tool "$PWD/first/tool"
}

serve() {
    mkdir -p root/sub
    echo four >root/page
    echo secret >secret
    ln -s ../secret root/link
    mkfifo root/fifo
    run serve root page ../secret /etc/passwd link sub/../page fifo missing sub page/page
    expect 0 '200 page, 5 bytes' '400 ../secret' '400 /etc/passwd' '400 link' '200 sub/../page' \
        '404 fifo' '404 missing' '404 sub' '404 page/page'
}

build() {
    "${CC:-cc}" -std=c99 -O1 -Wall -Wextra -Werror -pedantic -I "$prefix/include" \
        "$examples/$1.c" "$prefix/lib/libcurt.a" -lpthread -ldl -lm -o "$scratch/$1.program"
}
for source in "$examples"/*.c; do
    name=$(basename "$source" .c)
    run_test "build_$name" build "$name"
done
run_test remove remove
run_test ls ls_
run_test which which_
run_test serve serve

# The examples in the comments of the header, as C and C++. Each section has one. All but the first
# are wrapped in a function here.
mkdir "$scratch/header"
awk -v to="$scratch/header/%02d.c" '
    /^\/\*( |$)/ { file = sprintf(to, ++count) }
    /^ \*     / { print substr($0, 8) >file }
' "$examples/../include/curt.h"

header() { # EXAMPLE
    if ! grep -q 'int main' "$1"; then
        sed -i -e '1i #include <curt.h>\n#include <stdio.h>\nint main(void)\n{' \
            -e '$a return 0;\n}' "$1"
    fi
    mkdir -p tree/sub
    echo four | tee tree/file tree/note.txt >tree/sub/other
    "${CC:-cc}" -std=c99 -Wall -Wextra -Werror -pedantic -I "$prefix/include" "$1" \
        "$prefix/lib/libcurt.a" -lpthread -ldl -lm -o "$scratch/header.program"
    ! type c++ >/dev/null 2>&1 ||
        c++ -xc++ -std=c++11 -Wall -Werror -I "$prefix/include" -fsyntax-only "$1"
    "$scratch/header.program" >out 2>messages
    # All but the first example print something.
    [[ ! -s messages && (-s out || ! -e tree) ]]
}
for example in "$scratch"/header/*; do
    run_test "header_$(basename "$example" .c)" header "$example"
done

# docs/c.md. A block is a file if the line before it ends in "`NAME`:". Shell blocks are run in
# order. Other C blocks must be parts of an example.
pages=$scratch/pages
mkdir "$pages" "$scratch/parts"
awk -v files="$pages" -v parts="$scratch/parts" '
    /^```/ && !inside {
        language = substr($0, 4)
        inside = 1
        to = sprintf("%s/%02d.%s", parts, ++count, language)
        if (match(before, /`[^`]+`:$/))
            to = files "/" substr(before, RSTART + 1, RLENGTH - 3)
        next
    }
    /^```/ { inside = 0; before = ""; next }
    inside { print > to }
    !inside && NF { before = $0 }
' "$examples/../../../docs/c.md"

if [[ -n ${ZIG:-} ]]; then
    zig() {
        $ZIG "$@"
    }
    export -f zig
fi

# Succeeds if a block occurs literally in an example.
part() {
    [[ $(cat "$examples"/*.c) == *"$(cat "$1")"* ]]
}

# Runs commands. The last one must print the total size of the files here.
commands() {
    cd "$pages"
    bash -e "$1" >"$scratch/said" 2>&1 || {
        cat "$scratch/said"
        exit 1
    }
    local sum
    sum=$(find . -maxdepth 1 -type f -printf '%s\n' | awk '{ sum += $1 } END { print sum }')
    [[ $(tail -n 1 "$scratch/said") == "$sum bytes" ]]
}
for block in "$scratch"/parts/*; do
    name=docs_$(basename "${block%.*}")
    case $block in
    *.c) run_test "$name" part "$block" ;;
    *.sh)
        read -r tool _ <"$block"
        missing=
        for needed in $tool pkg-config $([[ $tool != cmake ]] || echo make); do
            type "$needed" >"$scratch/type" 2>&1 || missing=$needed
        done
        if [[ -z $missing ]]; then
            run_test "${name}_$tool" commands "$block"
        else
            echo "test ${name}_$tool ... ($missing is not installed) skipped"
        fi
        ;;
    *) run_test "$name" false ;; # neither a file nor a command
    esac
done
exit $failed
