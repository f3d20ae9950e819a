#!/bin/sh
# Builds OUT/start-posix_spawn, OUT/start-vfork and OUT/start-fork with the C compiler that is installed, and OUT/start-libuv where
# libuv's header is.
set -eu
: "${OUT:?set OUT to the directory the programs should go to}"
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$OUT"
for name in posix_spawn vfork fork; do
    cc -O2 -D_GNU_SOURCE -o "$OUT/start-$name" "$here/$name.c"
done
if echo '#include <uv.h>' | cc -E -x c - >/dev/null 2>&1; then
    cc -O2 -D_GNU_SOURCE -o "$OUT/start-libuv" "$here/libuv.c" -luv
else
    echo "libuv is left out: it has no header here (libuv1-dev)" >&2
fi
