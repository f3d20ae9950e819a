#!/bin/sh
# Builds OUT/rm-zig-0.9 with Zig 0.9.1.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../zig.sh"
build_zig 0.9.1 "$here/main.zig" rm-zig-0.9
