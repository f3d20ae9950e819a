#!/bin/sh
# Builds OUT/rm-zig-new with Zig 0.17.0.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../zig.sh"
build_zig 0.17.0 "$here/main.zig" rm-zig-new
