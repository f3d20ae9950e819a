#!/usr/bin/env bash
# Compiles and runs every test in one of several ways. `cargo xtask c-test` runs this on the
# machine, in the Debian root and in a Wine session, always in the checkout.
#
# usage: run.sh WAY LIBRARIES FOLDER SCRATCH
#
# WAY is a compiler, `sanitizers`, `valgrind`, `wine`, or `examples` for everything but the tests.
# LIBRARIES is the folder of libcurt. FOLDER gets the programs, SCRATCH their scratch folders. $ZIG
# is the command `zig`.
#
# Each test program gets an empty folder and the path of the shared library. For each test it prints
# `test NAME ... `, any failures, then `ok`, `FAILED` or `(REASON) skipped`. It exits with 0 if none
# failed. Totals are printed as by libtest.
set -euo pipefail
way=$1 libraries=$2 folder=$3 scratch=$4
strict=(-Wall -Wextra -Werror -pedantic -Ibindings/c/include)
compiler=(cc) cxx= runner=() shared=$libraries/libcurt.so
linked=("$libraries/libcurt.a" -lpthread -ldl -lm)

# Passes lines through, without the CR of Windows programs, and counts the tests. If a program ends
# with a failure, its current test counts as failed. Argument: the suite.
count() {
    awk -v suite="$1" '
        { sub(/\r$/, ""); print }
        function fail(why) { print why; failed++; test = "" }
        /^test [^ ]+ \.\.\. / {
            if (test != "") fail("test " test " ... did not end")
            test = $2
            sub(/^test [^ ]+ \.\.\. /, "")
        }
        /^ended with / && (test != "" || !failed) { fail("FAILED") }
        test == "" { next }
        $0 == "ok" { passed++; test = "" }
        $0 == "FAILED" { failed++; test = "" }
        /^\(.*\) skipped$/ {
            print "skipped: " suite ": " test ": " substr($0, 2, length($0) - 10)
            passed++
            test = ""
        }
        END {
            if (test != "") fail("test " test " ... did not end")
            print "test result: " passed + 0 " passed; " failed + 0 " failed; 0 ignored"
        }'
}

check() { # NAME COMMAND…: runs one command as a test
    printf 'test %s ... ' "$1"
    if "${@:2}"; then echo ok; else echo FAILED; fi
}

compile() { # SOURCE PROGRAM LIBRARY…
    "${compiler[@]}" -std=c99 -g "${strict[@]}" "$1" -o "${@:2}"
}

under_wine() { # PROGRAM PATH…: converts paths to Windows
    local path paths=()
    for path in "${@:2}"; do paths+=("$(winepath -w "$path" | tr -d '\r')"); done
    wine "$1" "${paths[@]}"
}

# Runs the layout program for Windows under Wine; `c-abi` only defines _WIN32 on Linux.
layouts() {
    compile "$folder/layout.c" "$folder/layout.exe"
    wine "$folder/layout.exe" | tr -d '\r' | diff - <(sed '1,/^Windows/d' bindings/c/abi.txt)
}

case $way in
examples)
    { bash bindings/c/examples/check.sh "$libraries" || echo "ended with $?"; } | count c-examples
    exit
    ;;
gcc) cxx=c++ ;;
clang) compiler=(clang) cxx=clang++ ;;
sanitizers)
    compiler+=(-fsanitize=address,undefined -fno-sanitize-recover=all)
    linked[0]=$shared
    ;;
valgrind)
    if ! command -v valgrind >/dev/null; then
        echo 'test c-test-valgrind ... (valgrind is not installed) skipped' | count xtask
        exit
    fi
    runner=(valgrind --quiet --error-exitcode=9 --leak-check=full
        --errors-for-leak-kinds=definite --child-silent-after-fork=yes)
    ;;
zig)
    # shellcheck disable=SC2206
    compiler=($ZIG cc)
    linked[0]=$shared
    linked+=(-lunwind)
    ;;
wine)
    compiler=(x86_64-w64-mingw32-gcc) runner=(under_wine) shared=$libraries/curt.dll
    linked=("$libraries/libcurt.a" -lkernel32 -lntdll -luserenv -lws2_32 -ldbghelp)
    check layouts_on_windows_are_those_of_the_list layouts | count c-wine/layouts
    ;;
esac
mkdir -p "$folder"
# Generates the table of hostile cases as C arrays.
sed -e '1d;$d' -e 's/^  "\(.*\)": \[$/static const char *const \1[][4] = {/' -e 's/^  \],*$/};/' \
    -e 's/^    \[*\(".*"\)\]*/    {\1}/' tests/hostile.json >"$folder/hostile.h"
strict+=("-I$folder")
for source in bindings/c/tests/*.c; do
    name=$(basename "$source" .c)
    if [[ $way == wine && $name == hostile ]]; then continue; fi
    # Wine requires the extension .exe.
    program=$folder/$way-$name.exe own=$scratch/$way-$name
    printf '\nin C, %s: %s\n' "$way" "$name"
    if compile "$source" "$program" "${linked[@]}"; then
        # An earlier run might have left its folder.
        rm -rf "$own"
        mkdir -p "$own"
        "${runner[@]}" "$program" "$own" "$shared" </dev/null || echo "ended with $?"
    else
        echo 'test compile ... FAILED'
    fi | count "c-$way/$name"
    if [[ -n $cxx ]]; then
        check "$cxx" "$cxx" -xc++ -std=c++11 "${strict[@]}" -fsyntax-only "$source" | count "c-$way/$name"
    fi
done
if [[ -n $cxx ]]; then
    # Include the header: as the main file it would cause warnings about unused functions.
    check header "$cxx" -xc++ -std=c++11 "${strict[@]}" -fsyntax-only \
        -include bindings/c/include/curt.h /dev/null | count "c-$way/header"
fi
