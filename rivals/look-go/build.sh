#!/bin/sh
# Builds OUT/look-go with the Go that is installed (no other is downloaded).
set -eu
: "${OUT:?set OUT to the directory the program should go to}"
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$OUT"
cd "$here"
GOTOOLCHAIN=local go build -trimpath -o "$OUT/look-go" .
