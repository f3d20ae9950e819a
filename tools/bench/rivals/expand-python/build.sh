#!/bin/sh
# Writes OUT/expand-python, a script for the Python that is installed.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../script.sh"
script_python "$here/main.py" expand-python
