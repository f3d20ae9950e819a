#!/bin/sh
# Writes OUT/python-curt: a script for a Python of its own, $PYTHON or the python3 on PATH, in which
# curt's package is installed, built as its users get it.
set -eu
: "${OUT:?set OUT to the directory the program should go to}"
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../script.sh"
rm -rf "$OUT/venv"
"${PYTHON:-python3}" -m venv "$OUT/venv"
CARGO_TARGET_DIR="$OUT/build" "$OUT/venv/bin/python" -m pip install --quiet \
    --disable-pip-version-check --no-deps "$here/../../../../bindings/python"
write_script "$OUT/venv/bin/python -I" "$here/main.py" python-curt
