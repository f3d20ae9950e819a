#!/bin/sh
# Writes OUT/start-node: the script, with the real interpreter's path in its first line. A name on
# PATH may be a version manager's shim, whose start-up is not Node's.
set -eu
: "${OUT:?set OUT to the directory the program should go to}"
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$OUT"
node=$(node -p process.execPath)
{
    printf '#!%s\n' "$node"
    cat "$here/main.js"
} >"$OUT/start-node"
chmod +x "$OUT/start-node"
