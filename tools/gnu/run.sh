# Runs GNU's own tests of rm, cp, ls, du, stat, readlink and realpath in the Debian root, first with
# GNU's programs and then with curt. Argument: a part of the names of the tests to run (optional).
#
# The suite comes from Debian's coreutils, and is built once. Tests that pass with GNU's programs
# must pass with curt, except those in `failures.txt`, which must fail. Each test runs as root and
# as nobody, in a mount namespace in which only a new tmpfs is writable, so that a test of `rm` as
# root cannot remove anything else. Exits with 77 if the source is unavailable.
set -euo pipefail
filter=${1:-}
here=tools/gnu suite=/build/gnu kept=$CARGO_TARGET_DIR/gnu

# The programs, each with the minimum number of cases that must pass with GNU's version. If fewer
# pass, the suite does not work here. In a complete Debian 13, 74, 109, 98, 48, 14, 14 and 2 pass.
programs=(rm:70 cp:100 ls:93 du:45 stat:13 readlink:13 realpath:2)

# Raise the number when a change of `build.sh` affects its results.
flock "$suite.lock" sh -eu $here/build.sh "$suite" 1 "${programs[@]%:*}" >&2

cargo build --quiet --locked --package curt-cli
mkdir -p "$kept"
gcc -O1 -Wall -static -o "$kept/front" $here/front.c -DCURT="\"$CARGO_TARGET_DIR/debug/curt\""

cases=$kept/cases
for program in "${programs[@]%:*}"; do
    if [[ -d $suite/source/tests/$program ]]; then
        (cd "$suite/source/tests" && find "$program" -name '*.sh' -o -name '*.pl' -o -name '*.xpl')
    else
        echo "misc/$program.sh"
    fi
done | sort >"$kept/tests"
grep -F -- "$filter" "$kept/tests" | sed 's/.*/& root\n& nobody/' >"$cases"

sed -n 's/^\([a-z].*\) both .*/\1 root\n\1 nobody/p; s/^\([a-z][^ ]* [rn][a-z]*\) .*/\1/p' \
    $here/failures.txt | sort >"$kept/listed"
sed 's/ .*//' "$kept/listed" | sort -u | comm -23 - "$kept/tests" >"$kept/unknown"
[[ ! -s $kept/unknown ]] || { echo 'failures.txt: GNU has no test'; cat "$kept/unknown"; exit 1; }

passing() { # FILE [REPLACEMENT of the program of GNU]
    local logs=$kept/logs-${2:+curt}
    mkdir -p "$logs"
    # shellcheck disable=SC2016
    xargs -r -a "$1" -P 2 -L 1 bash -c '
        suite=$1 logs=$2 front=$3 here=$4 test=$5 user=$6 name=${5%%/*}
        [[ $name != misc ]] || { name=${test##*/}; name=${name%%.*}; }
        # The mount propagation of a chroot cannot be changed, and here all mounts are private
        # already.
        if unshare --mount --propagation unchanged sh -eu "$here/test.sh" \
            "$suite/source" "$front" "$test" "$user" "$name" \
            >"$logs/$user-${test//\//-}" 2>&1 </dev/null; then echo "$test $user"; fi
        ' bash "$suite" "$logs" "${2:-}" $here | sort
}

passing "$cases" >"$kept/gnu"
passing "$kept/gnu" "$kept/front" >"$kept/curt"
# Retry failures once, because tests with time limits can fail on a busy machine.
comm -23 "$kept/gnu" "$kept/curt" | comm -23 - "$kept/listed" >"$kept/again"
passing "$kept/again" "$kept/front" | sort -o "$kept/curt" - "$kept/curt"

echo 'gnu-tests: cases that pass with GNU’s program, and with curt'
wrong=0
for program in "${programs[@]}"; do
    name=${program%:*}
    count() { grep -c -e "^$name/" -e "^misc/$name\." "$1" || :; }
    printf '  %-8s %4d %4d\n' "$name" "$(count "$kept/gnu")" "$(count "$kept/curt")"
    if [[ -z $filter ]] && (($(count "$kept/gnu") < ${program#*:})); then
        echo "too few cases of $name pass with GNU's program"
        wrong=1
    fi
done
comm -23 "$kept/gnu" "$kept/curt" | comm -23 - "$kept/listed" | sed 's/$/: fails, and is not listed/' >"$kept/wrong"
comm -12 "$kept/curt" "$kept/listed" | sed 's/$/: passes, and is listed/' >>"$kept/wrong"
if [[ -s $kept/wrong ]]; then
    cat "$kept/wrong"
    echo "what they printed is in $kept"
    wrong=1
fi
exit $wrong
