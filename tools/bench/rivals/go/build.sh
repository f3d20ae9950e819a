#!/bin/sh
# Builds OUT/rival-go with the installed Go, without downloads.
set -eu
GOTOOLCHAIN=local go build -trimpath -o "${OUT:?}/rival-go" .
