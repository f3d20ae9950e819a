#!/bin/sh
# Writes OUT/node-curt and OUT/node-curt-delay: scripts for $NODE, or else for Node from npm. They
# use rimraf, fdir, and curt's package in the form that users get.
set -eu
: "${OUT:?set OUT to the directory the program should go to}"
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../script.sh"
package=$(cd "$here/../../../../bindings/node" && pwd)
mkdir -p "$OUT"
cd "$OUT"
npm install --silent --no-save --no-package-lock --prefix . node@24.9.0 rimraf@6.1.4 fdir@6.5.0
(cd "$package" && CARGO_TARGET_DIR="$OUT/build" cargo build --release --locked)
rm -rf node_modules/curt-fs
mkdir node_modules/curt-fs
cp -R "$package/package.json" "$package/index.js" "$package/lib" node_modules/curt-fs/
cp build/release/libcurt_node.so node_modules/curt-fs/curt.node
node=$("${NODE:-$OUT/node_modules/node/bin/node}" -p process.execPath)
write_script "$node" "$here/main.js" node-curt
write_script "$node" "$here/delay.js" node-curt-delay
