#!/bin/sh
# Builds OUT/rival-zig with the compiler in the Python package ziglang. Its virtual environment is
# then deleted, because it takes hundreds of megabytes.
set -eu
: "${OUT:?set OUT to the directory the program should go to}"
wanted="ziglang 0.17.0 $(cksum <main.zig)"
[ "$(cat "$OUT/built-from" 2>/dev/null || true)" != "$wanted" ] || exit 0
python3 -m venv --clear "$OUT/venv"
"$OUT/venv/bin/pip" install --quiet --disable-pip-version-check ziglang==0.17.0
mkdir -p "$OUT/work"
source=$PWD/main.zig
# Zig leaves caches and an object file in its working directory.
cd "$OUT/work"
ZIG_GLOBAL_CACHE_DIR="$OUT/work/global" ZIG_LOCAL_CACHE_DIR="$OUT/work/local" \
    "$OUT/venv/bin/python" -m ziglang build-exe -O ReleaseFast --name rival-zig "$source"
cp rival-zig "$OUT/rival-zig"
printf '%s\n' "$wanted" >"$OUT/built-from"
rm -rf "${OUT:?}/venv" "${OUT:?}/work"
