#!/usr/bin/env bash
# The proof for report 2: Zig's deleteTree compared with the same program with libcurt. Takes no
# arguments; prints the report's tables next to today's numbers. See README.md.
set -euo pipefail
here=$(dirname "${BASH_SOURCE[0]}")
# shellcheck source=bindings/c/proofs/zig.sh
. "$here/../zig.sh"
here=$checkout/bindings/c/proofs/zig-delete
need cargo python3 prlimit rm strace
for place in "${TMPDIR:-/tmp}" /dev/shm ''; do
    [ -n "$place" ] || { echo "missing: a tmpfs, as \$TMPDIR or /dev/shm" >&2; exit 3; }
    [ "$(stat -f -c %T "$place" 2>/dev/null || :)" != tmpfs ] || break
done
versions=(0.9.1 0.11.0 "$newest")
# The last version of Zig whose sources can import C headers directly.
last_import=0.16.0
for version in "${versions[@]}" "$last_import"; do fetch_zig "$version"; done
cargo build --quiet --locked --release --package curt-capi

# Builds the report's program in the current folder. Arguments: the version of Zig, the program's
# name, options of Zig.
build_std() {
    local source=delete.zig
    [ "$1" != "$newest" ] || source=delete_io.zig
    build_zig "$1" "$2" "$here/$source" "${@:3}"
}

# Builds the program with libcurt. Arguments: the version of Zig, the target, options of Zig.
build_curt() {
    import_header "$1" "$2"
    cp "$here/delete_curt.zig" .
    build_zig "$1" "curt-$1" delete_curt.zig -I "$header" -lc "${@:3}"
}

# Copies the library of Zig 0.11, and changes the sizes of its entry buffer and stack.
changed_library() {
    cp -rs "$cache/ziglang-0.11.0/ziglang/lib" "$1"
    rm "$1/std/fs.zig"
    sed -e "s/buf: \[1024\]u8/buf: [$2]u8/" \
        -e "s/BoundedArray(StackItem, 16)/BoundedArray(StackItem, $3)/" \
        "$cache/ziglang-0.11.0/ziglang/lib/std/fs.zig" >"$1/std/fs.zig"
}

linux=$target/zig/delete-linux
rm -rf "$linux"
mkdir -p "$linux"
cd "$linux"
for version in "${versions[@]}"; do
    build_std "$version" "zig-$version"
    build_curt "$version" x86_64-linux-gnu "$target/release/libcurt.a" -lunwind
done
for change in '1024 16' '2048 16' '4096 16' '8192 16' '8192 8' '8192 4'; do
    read -r buffer levels <<<"$change"
    changed_library "$PWD/library" "$buffer" "$levels"
    build_std 0.11.0 "zig-$buffer-$levels" --zig-lib-dir "$PWD/library"
    rm -r library
done
# Check that this version can import the header, too; that needs no program.
import_header "$last_import" x86_64-linux-gnu
build_zig "$last_import" check delete_curt.zig -I "$header" -lc -fno-emit-bin
cd "$checkout"

echo "Linux"
NEWEST=$newest PLACE=$place python3 "$here/linux.py" "$linux"

build_library_for_windows
programs=$windows/delete
rm -rf "$programs"
mkdir -p "$programs"
cd "$programs"
for version in "${versions[@]}"; do
    build_std "$version" "zig-$version" -target x86_64-windows-gnu
done
build_curt_for_windows 0.11.0 "$here/delete_curt.zig" curt-0.11.0
cd "$checkout"

echo "Windows, under Wine"
NEWEST=$newest python3 "$here/windows.py" "$programs" "$windows/prefix/drive_c"
