#!/bin/sh
# Installs a large set of packages with npm: OUT/node_modules. No script of a package runs.
set -eu
: "${OUT:?set OUT to the directory that node_modules should go to}"
mkdir -p "$OUT"
cp package.json "$OUT"
cd "$OUT"
npm install --ignore-scripts --no-audit --no-fund --no-package-lock --loglevel=error
test -d node_modules/lodash
