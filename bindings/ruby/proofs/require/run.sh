#!/usr/bin/env bash
# Reproduces report 4, the cost of `require` and `expand_path`; see README.md.
set -euo pipefail
cd "$(dirname "$0")/../../../.."
for program in cargo make ruby strace; do
    command -v "$program" >/dev/null || { echo "missing: the program '$program'" >&2; exit 3; }
done
CARGO_TARGET_DIR=$(realpath -m "${CARGO_TARGET_DIR:-target}")
export CARGO_TARGET_DIR OUT=$CARGO_TARGET_DIR/ruby-proof
(cd tools/bench/rivals/ruby && sh build.sh) >&2
exec ruby bindings/ruby/proofs/require/measure.rb "$OUT/lib"
