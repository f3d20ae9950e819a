#!/bin/sh
# Builds OUT/open-go.
set -eu
. "$(dirname "$0")/../go.sh"
build_go open-go
