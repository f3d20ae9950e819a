#!/bin/sh
# Builds OUT/expand-go.
set -eu
. "$(dirname "$0")/../go.sh"
build_go expand-go
