#!/bin/sh
# Builds OUT/rm-go.
set -eu
. "$(dirname "$0")/../go.sh"
build_go rm-go
