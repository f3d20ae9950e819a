#!/bin/sh
# Builds OUT/look-zig-0.11 with Zig 0.11.0.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../zig.sh"
build_zig 0.11.0 "$here/main.zig" look-zig-0.11
