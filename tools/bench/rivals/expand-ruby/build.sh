#!/bin/sh
# Writes OUT/expand-ruby, a script for the Ruby that is installed.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../script.sh"
script_ruby "$here/main.rb" expand-ruby
