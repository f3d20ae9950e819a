#!/usr/bin/env bash
# The proof for report 1: Zig's search for programs compared with libcurt's, under Wine. Takes no
# arguments; prints the report's tables next to today's counts. See README.md.
set -euo pipefail
# shellcheck source=bindings/c/proofs/zig.sh
. "$(dirname "${BASH_SOURCE[0]}")/../zig.sh"
here=$checkout/bindings/c/proofs/zig-spawn
need cargo python3
versions=(0.9.1 0.11.0 "$newest")
for version in "${versions[@]}"; do fetch_zig "$version"; done
build_library_for_windows

programs=$windows/spawn
rm -rf "$programs"
mkdir -p "$programs"
cd "$programs"
for version in "${versions[@]}"; do
    source=spawn.zig
    [ "$version" != "$newest" ] || source=spawn_io.zig
    build_zig "$version" "zig-$version" "$here/$source" -target x86_64-windows-gnu
done
build_zig 0.11.0 hello "$here/hello.zig" -target x86_64-windows-gnu
build_curt_for_windows 0.11.0 "$here/spawn_curt.zig" curt
cd "$checkout"
NEWEST=$newest python3 "$here/count.py" "$programs" "$windows/prefix/drive_c"
