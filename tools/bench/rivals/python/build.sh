#!/bin/sh
# Writes OUT/rival-python, a script for the installed Python.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../script.sh"
script_python "$here/main.py" rival-python
