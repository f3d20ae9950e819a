#!/bin/sh
# Writes OUT/rival-python, a script for the Python that is installed.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../script.sh"
script_python "$here/main.py" rival-python
