#!/bin/sh
# Writes OUT/python-curt: a script that runs in a virtual environment of $PYTHON, or else of the
# python3 on PATH. The environment has scandir-rs, and curt's package in the form that users get.
set -eu
: "${OUT:?set OUT to the directory the program should go to}"
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../script.sh"
rm -rf "$OUT/venv"
"${PYTHON:-python3}" -m venv "$OUT/venv"
install() {
    CARGO_TARGET_DIR="$OUT/build" "$OUT/venv/bin/python" -m pip install --quiet \
        --disable-pip-version-check --no-deps "$1"
}
install "$here/../../../../bindings/python"
attempt scandir-rs install scandir-rs==2.10.1 || true
write_script "$OUT/venv/bin/python -I" "$here/main.py" python-curt
exit "$failed"
