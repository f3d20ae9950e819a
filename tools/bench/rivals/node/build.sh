#!/bin/sh
# Writes OUT/rival-node, a script for the installed Node.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../script.sh"
script_node "$here/main.js" rival-node
