#!/bin/sh
# Builds OUT/rival-go with the Go that is installed; no other is downloaded.
set -eu
GOTOOLCHAIN=local go build -trimpath -o "${OUT:?}/rival-go" .
