# Runs in a session with mingw and Wine, for run.sh. Builds libuv's tests and count.c, with libuv's
# search and with the shim, and compares the results. `cargo xtask windows-session` describes the
# environment.
set -euo pipefail
proof=$(dirname "$0")
build=$CARGO_TARGET_DIR/libuv
place=$(mktemp -d "$(echo "$WINEPREFIX"/drive_c/users/*/AppData/Local/Temp)/libuv.XXXXXX")
trap 'rm -rf "$place"' EXIT

flags=(-std=gnu99 -O1 -w -Wno-incompatible-pointer-types -DWIN32_LEAN_AND_MEAN
    -D_WIN32_WINNT=0x0A00 -D_CRT_DECLARE_NONSTDC_NAMES=0
    -I"$build/libuv/include" -I"$build/libuv/src" -I"$build/libuv/src/win")
# Libraries for libuv, then for Rust's standard library.
libraries=(-lpsapi -luser32 -ladvapi32 -liphlpapi -luserenv -lws2_32 -ldbghelp -lole32 -lshell32
    -lntdll)
extensions=(com exe bat cmd vbs vbe js jse wsf wsh msc)
pathext=.COM\;.EXE\;.BAT\;.CMD\;.VBS\;.VBE\;.JS\;.JSE\;.WSF\;.WSH\;.MSC

fail() {
    echo "libuv: $*" >&2
    exit 1
}

compile() { # object, source, flags to put first
    local object=$1 source=$2
    shift 2
    x86_64-w64-mingw32-gcc "$@" "${flags[@]}" -I"$proof" -I"$proof/../../include" -c "$source" \
        -o "$object"
}

# Builds libuv and its tests, once per version of the source and of the flags.
build_libuv() {
    local digest
    digest="$(sha256sum <"$build/source.tar.gz") ${flags[*]}"
    [ "$(cat "$build/stamp" 2>/dev/null)" != "$digest" ] || return 0
    rm -rf "$build"/{stamp,libuv,objects,libuv.a}
    mkdir -p "$build"/{libuv,objects}
    tar -xzf "$build/source.tar.gz" -C "$build/libuv" --strip-components=1
    local source sources=("$build"/libuv/{src,src/win,test}/*.c)
    for source in "${sources[@]}"; do
        case ${source##*/} in
        benchmark-* | run-benchmarks.c | runner-unix.c) continue ;;
        esac
        printf '%s\0' "$source"
    done | xargs -0 -P "$(nproc)" -I{} bash -euc '
        folder=${2%/*}
        x86_64-w64-mingw32-gcc "${@:3}" -c "$2" -o "$1/${folder##*/}-$(basename "$2" .c).o"
        ' bash "$build/objects" {} "${flags[@]}"
    x86_64-w64-mingw32-ar rcs "$build/libuv.a" "$build"/objects/{src,win}-*.o
    echo "$digest" >"$build/stamp"
}

# Writes each variant of process.c to a separate folder, and checks it.
make_variants() {
    rm -rf "$build/variants"
    mkdir -p "$build"/variants/{before-{2,4,11},curt}
    local original=$build/libuv/src/win/process.c count more file
    cp "$original" "$build/variants/before-2/process.c"

    # libuv tries two extensions. To make it try more, repeat its code for the second one.
    for count in 4 11; do
        more=${extensions[*]:2:count-2} file=$build/variants/before-$count/process.c
        awk -v more="$more" '
            { print }
            /^  \/\* Try \.exe extension \*\/$/ { on = 1 }
            on { block = block $0 "\n" }
            on && /^  }$/ {
                on = 0
                split(more, names, " ")
                for (at = 1; at in names; at++) {
                    text = block
                    gsub(/exe/, names[at], text)
                    printf "%s", text
                }
            }' "$original" >"$file"
        if [ "$(grep -cE '^  /\* Try \.[a-z]+ extension \*/$' "$file")" != "$count" ] ||
            [ "$(grep -cE '^ +L"[a-z]+", 3,$' "$file")" != "$count" ]; then
            fail "process.c is not as expected: it does not try $count extensions"
        fi
    done

    # The shim replaces the search functions, which are between two headings.
    file=$build/variants/curt/process.c
    awk '
        /^ \* Path search functions$/ { off = 1; print " * The search is that of libcurt." }
        /^ \* Quotes command line arguments$/ {
            if (off) print " */\n#include \"shim.c\"\n/*"
            off = 0
        }
        !off { print }' "$original" >"$file"
    if [ "$(grep -c search_path "$file")" != 1 ] || grep -q GetFileAttributesW "$file" ||
        [ "$(grep -c '^#include "shim.c"$' "$file")" != 1 ] ||
        [ "$(tail -n 1 "$file")" != "$(tail -n 1 "$original")" ]; then
        fail 'process.c is not as expected: the shim is not in its place'
    fi
}

# Builds uv_run_tests as libuv does, in a folder per variant, with the copy that two tests start.
build_tests() { # way, objects and libraries
    local folder=$build/tests/$1
    shift
    mkdir -p "$folder"
    x86_64-w64-mingw32-gcc -static "$build"/objects/test-*.o "$@" -o "$folder/uv_run_tests.exe"
    cp "$folder/uv_run_tests.exe" "$folder/uv_run_tests_no_ext"
}

# Runs the tests in libuv's folder whose names mention spawning, processes or searches. Writes each
# result (ok, skipped or failed) with the name into a file. Retries failed tests, because a busy
# machine can be too slow under Wine.
run_tests() { # way
    local folder=$build/tests/$1 name status try
    for name in $(wine "$folder/uv_run_tests.exe" --list | tr -d '\r' |
        grep -E '^(spawn|process)|search'); do
        for try in 1 2; do
            status=0
            (cd "$build/libuv" && timeout 60 wine "$folder/uv_run_tests.exe" "$name") \
                </dev/null >"$folder/$name.log" 2>&1 || status=$?
            case $status in
            0) echo "ok $name" && break ;;
            7) echo "skipped $name" && break ;;
            *) [ "$try" = 1 ] || echo "failed $name" ;;
            esac
        done
    done >"$folder/results"
}

# Builds count.c with a variant of process.c.
build_counter() { # way, number of extensions, flags
    local way=$1 count=$2 variant=$1 program=$build/count/$1-$2
    shift 2
    [ "$way" = curt ] || variant=$way-$count
    mkdir -p "$build/count"
    compile "$program.o" "$proof/count.c" -I"$build/variants/$variant" "$@"
    x86_64-w64-mingw32-gcc -static "$program.o" "$build/libuv.a" "$CURT_LIBRARY/libcurt.a" \
        "${libraries[@]}" -o "$program.exe"
}

# Makes the report's directories, in memory if the session has private mounts.
plant() {
    local entry
    mkdir "$place"/{empty,million,alike}
    for entry in {01..24}; do
        mkdir "$place/$entry"
        : >"$place/$entry/other.exe"
    done
    mkdir "$place/25"
    echo 'int main(void) { return 0; }' >"$place/hello.c"
    x86_64-w64-mingw32-gcc "$place/hello.c" -o "$place/25/hello.exe"
    (cd "$place/million" && awk 'BEGIN {
        srand(1)
        for (at = 0; at < 1000000; at++) printf "%06x%06x\n", 16777216 * rand(), at
    }' | xargs touch)
    (cd "$place/alike" && seq -f 'foo%06.0f' 100000 | xargs touch)
}

# Converts a path on C: to its name in Windows.
windows() {
    echo "C:${1#"$WINEPREFIX/drive_c"}" | tr / '\\'
}

# Returns the sum of the counts of a run.
native_calls() { # program and arguments
    local status=0
    (cd "$place/empty" && sh -eu "$CURT_NATIVE_CALLS" "$place/calls" "$@") \
        >"$place/said" </dev/null || status=$?
    tr -d '\r' <"$place/said" >"$place/answer"
    [ "$status" = 0 ] || fail "$*: status $status: $(tail -n 3 "$place/calls.log")"
    awk '{ sum += $1 } END { print sum + 0 }' "$place/calls"
}

# Prints a row: the ntdll calls for one more search or start, originally and with curt. Arguments:
# the title, the report's words, the number of extensions, search or spawn, the repetitions, the
# name, the answer, and the expected calls, originally and with curt.
row() {
    local title=$1 report=$2 count=$3 what=$4 times=$5 name=$6 answer=$7 way less more calls=()
    for way in before curt; do
        less=$(native_calls "$build/count/$way-$count.exe" "$what" "$times" "$name")
        more=$(native_calls "$build/count/$way-$count.exe" "$what" $((2 * times)) "$name")
        [ "$(cat "$place/answer")" = "$answer" ] ||
            fail "$title: $(cat "$place/answer") instead of $answer"
        calls+=($(((more - less) / times)))
    done
    printf '  %-36s %10s %7s %10s   %s\n' "$title" "$count" "${calls[@]}" "$report"
    [ "${calls[*]}" = "$8 $9" ] || fail "$title: ${calls[*]} calls instead of $8 $9"
}

build_libuv
make_variants
objects=$build/objects
compile "$objects/curt-process.o" "$build/variants/curt/process.c"
build_tests before "$build/libuv.a" "${libraries[@]}"
build_tests curt "$objects/curt-process.o" "$build/libuv.a" "$CURT_LIBRARY/libcurt.a" \
    "${libraries[@]}"
build_counter before 2
build_counter before 4
build_counter before 11
build_counter curt 2
build_counter curt 4 -DPOLICY=CURT_POLICY_CMD '-DPATHEXT=L".com;.exe;.bat;.cmd"'
build_counter curt 11 -DPOLICY=CURT_POLICY_CMD "-DPATHEXT=L\"$pathext\""

echo 'The tests of libuv 1.50.0 for spawn, process and search'
for way in before curt; do
    run_tests $way
    results=$build/tests/$way/results
    printf '  %-8s %s pass, %s are skipped, %s fail\n' $way: \
        "$(grep -c ^ok "$results")" "$(grep -c ^skipped "$results")" "$(grep -c ^failed "$results")"
done
diff "$build/tests/before/results" "$build/tests/curt/results" ||
    fail 'the tests differ: above, < is libuv as it is, > is libuv with curt'
sed -n 's/^failed /  fails with both: /p' "$build/tests/before/results"
[ "$(grep -c ^ok "$build/tests/before/results")" -ge 30 ] || fail 'too few tests pass'

plant
echo
echo 'Native calls for one search or start; the empty working directory comes first'
printf '  %-36s %10s %7s %10s   %s\n' '' extensions before 'with curt' "the report's times"
entries=$(for entry in {01..25}; do printf '%s\\%s;' "$(windows "$place")" "$entry"; done)
export SEARCHED=${entries%;}
hello=$(windows "$place/25/hello.exe")
row 'a search, found in the 25th entry' '' 2 search 4 hello "$hello" 52 54
row '' '' 4 search 4 hello "$hello" 102 79
row '' '' 11 search 4 hello "$hello" 277 79
row 'a start, found in the 25th entry' '100: 313 ms before, 312 after' 2 spawn 4 hello started 89 91
row '' '100: 395 ms before, 312 after' 4 spawn 4 hello started 139 116
SEARCHED=$(windows "$place/million")
row 'a million other names' 'five probes 3.6 ms, a wildcard 3.6' 2 search 1 foo 'not found' 4 7
row '' '' 4 search 1 foo 'not found' 8 9
row '' '' 11 search 1 foo 'not found' 22 9
SEARCHED=$(windows "$place/alike")
row '100,000 names that begin like it' 'five probes 3.5 ms, all matches 98' 2 search 1 foo \
    'not found' 4 7
row '' '' 4 search 1 foo 'not found' 8 13
row '' '' 11 search 1 foo 'not found' 22 20
