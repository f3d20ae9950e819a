#!/bin/sh
# Writes OUT/expand-ruby, a script for the ruby that is installed.
set -eu
: "${OUT:?set OUT to the directory the program should go to}"
here=$(cd "$(dirname "$0")" && pwd)
ruby=$(ruby -e 'print RbConfig.ruby')
mkdir -p "$OUT"
{
    printf '#!%s --disable=gems\n' "$ruby"
    cat "$here/main.rb"
} >"$OUT/expand-ruby"
chmod 755 "$OUT/expand-ruby"
