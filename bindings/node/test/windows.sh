#!/bin/sh
# Runs windows.js with the installed package, and compares native calls with `windows-calls.txt`.
# Needs `cargo xtask windows-session`.
#
# usage: windows.sh NODE.EXE PACKAGE ADDON'S-PACKAGE
set -eu
node=$1
tests=$(cd "$(dirname "$0")" && pwd)
folder=$WINEPREFIX/drive_c/curt-node
rm -rf "$folder"
for package in curt-fs curt-fs-win32-x64; do
    shift
    mkdir -p "$folder/node_modules/$package"
    tar -xzf "$1" -C "$folder/node_modules/$package" --strip-components=1
done
cd "$folder"
cp "$tests/helper.js" "$tests/windows.js" .

# Node for Windows can write only to pipes created by Wine.
wine "$node" windows.js >said 2>&1 || { cat said; exit 1; }

cat >one.js <<'SCRIPT'
const [, , way, tree] = process.argv;
require("curt-fs")[way](tree, { recursive: true, threads: 1 });
SCRIPT
plant() { # DIRECTORIES: each with four files
    rm -rf tree
    for at in $(seq 1 "$1"); do
        mkdir -p "tree/$at"
        touch "tree/$at/a" "tree/$at/b" "tree/$at/c" "tree/$at/d"
    done
}
for way in rmSync readdirSync; do
    for directories in 10 20; do
        plant "$directories"
        sh "$CURT_NATIVE_CALLS" "$directories" "$node" one.js "$way" tree ||
            { tail -n 20 "$directories.log" >&2; exit 1; }
    done
    echo "$way, for 10 directories and 40 files more"
    join -1 2 -2 2 -a 1 -a 2 -e 0 -o 0,1.1,2.1 10 20 |
        awk '$3 != $2 { printf "    %-28s %5d\n", $1, $3 - $2 }'
done >calls
diff "$tests/windows-calls.txt" calls
