#!/bin/sh
# Builds OUT/look-go.
set -eu
. "$(dirname "$0")/../go.sh"
build_go look-go
