#!/bin/sh
# Builds OUT/start-go.
set -eu
. "$(dirname "$0")/../go.sh"
build_go start-go
