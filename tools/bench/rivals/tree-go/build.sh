#!/bin/sh
# Builds OUT/tree-go.
set -eu
. "$(dirname "$0")/../go.sh"
build_go tree-go
