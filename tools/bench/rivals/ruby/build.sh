#!/bin/sh
# Writes OUT/ruby-curt: a script for the installed Ruby, with curt's gem, built here.
set -eu
: "${OUT:?set OUT to the directory the program should go to}"
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../script.sh"
gem=$(cd "$here/../../../../bindings/ruby" && pwd)
rm -rf "$OUT/lib" "$OUT/extension"
mkdir -p "$OUT/extension"
cp -R "$gem/lib" "$OUT/"
cd "$OUT/extension"
CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-$OUT/build}" ruby "$gem/ext/curt/extconf.rb"
make
cp curt.so "$OUT/lib/curt/"
script_ruby "$here/main.rb" ruby-curt
