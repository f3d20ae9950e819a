#!/bin/sh
# Writes OUT/start-python: the script, with the real interpreter's path in its first line. A name on
# PATH may be a version manager's shim, whose start-up is not Python's.
set -eu
: "${OUT:?set OUT to the directory the program should go to}"
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$OUT"
python=$(python3 -c 'import sys; print(sys.executable)')
{
    printf '#!%s -I\n' "$python"
    cat "$here/main.py"
} >"$OUT/start-python"
chmod +x "$OUT/start-python"
