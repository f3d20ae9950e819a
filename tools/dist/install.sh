#!/usr/bin/env bash
# Builds libcurt for this machine, and installs its header, libraries and curt.pc where cargo-c
# would.
# usage: install.sh --prefix FOLDER
set -euo pipefail
[[ $# == 2 && $1 == --prefix ]] || { echo 'usage: cargo xtask c-install --prefix FOLDER' >&2; exit 2; }
[[ $(uname) == Linux ]] || { echo 'c-install is for Linux; elsewhere use cargo-c' >&2; exit 3; }
prefix=$(realpath -m "$2")
cd "$(dirname "$0")/../.."
version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -n 1)
built=$(realpath -m "${CARGO_TARGET_DIR:-target}")/release

# Print the libraries that a static link needs.
said=$(cargo rustc --locked --release --package curt-capi -- \
    -Clinker="$PWD/tools/dist/link-libcurt.sh" -Clink-arg=-Wl,-soname,libcurt.so.0 \
    --print native-static-libs 2>&1 | tee >(cat >&2))
private=$(sed -n 's/.*native-static-libs: //p' <<<"$said")

mkdir -p "$prefix/include" "$prefix/lib/pkgconfig"
install -m 644 bindings/c/include/curt.h "$prefix/include"
install -m 755 "$built/libcurt.so" "$prefix/lib/libcurt.so.$version"
ln -sf "libcurt.so.$version" "$prefix/lib/libcurt.so.0"
ln -sf "libcurt.so.$version" "$prefix/lib/libcurt.so"
tools/dist/one-object.sh "$built/libcurt.a" "$prefix/lib/libcurt.a"
cat >"$prefix/lib/pkgconfig/curt.pc" <<END
prefix=$prefix
libdir=\${prefix}/lib
Name: curt
Description: Filesystem operations with few system calls
Version: $version
Libs: -L\${libdir} -lcurt
Libs.private: $private
Cflags: -I\${prefix}/include
END
echo "installed in $prefix: include/curt.h, lib/libcurt.so, lib/libcurt.a, lib/pkgconfig/curt.pc"
