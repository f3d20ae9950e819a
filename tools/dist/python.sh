#!/usr/bin/env bash
# Copies the Python package into a folder, with the repository's URL in its metadata.
# usage: python.sh FOLDER
set -euo pipefail
cd "$(dirname "$0")/../.."
from=bindings/python
url=$(sed -n 's/^repository = "\(.*\)"/\1/p' Cargo.toml)
rm -rf "$1"
mkdir -p "$1"
cp -R $from/{Cargo.lock,README.md,LICENSE-*,python,src} "$1"
sed "s,\.\./\.\./crates,$PWD/crates," $from/Cargo.toml >"$1/Cargo.toml"
sed "s,https://example\.org/curt,$url," $from/pyproject.toml >"$1/pyproject.toml"
