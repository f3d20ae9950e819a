#!/bin/sh
# Unpacks programs from Debian's unstable release into OUT, with their libraries and loader, which
# may be newer than this system's. Installs nothing.
set -eu
: "${OUT:?set OUT to the directory the programs should go to}"
. ../script.sh
rm -rf "$OUT"
mkdir -p "$OUT/lists/partial"
cd "$OUT"
apt() {
    apt-get -qq -o Dir::Etc::SourceList="$OUT/sources.list" -o Dir::Etc::SourceParts=- \
        -o Dir::State::Lists="$OUT/lists" -o Dir::State::status=/dev/null \
        -o APT::Sandbox::User=root -o Dir::Cache::pkgcache= -o Dir::Cache::srcpkgcache= "$@"
}
apt-get indextargets --format '$(ORIGIN) $(RELEASE) $(REPO_URI)' 'Created-By: Packages' |
    awk '$1 == "Debian" && $2 !~ /-/ { print "deb", $3, "sid main"; exit }' >sources.list
[ -s sources.list ] || { echo 'error: apt has no list of a mirror of Debian'; exit 1; }
apt update
apt download libacl1 libc6 libcap2 libgcc-s1 libonig5 libstdc++6 liburing2 patchelf
for program in bfs=4.1.4-1 gdu=5.36.1-1; do
    attempt "${program%=*}" apt download "$program" || true
done
for package in *.deb; do dpkg-deb -x "$package" root; done
libraries=$(dirname "$OUT"/root/usr/lib/*/libc.so.6)
set -- "$libraries"/ld-linux*.so.*
for program in bfs gdu; do
    [ -f "root/usr/bin/$program" ] || continue
    "$1" --library-path "$libraries" root/usr/bin/patchelf --set-interpreter "$1" \
        --set-rpath "$libraries" --output "$program" "root/usr/bin/$program"
done
rm -rf lists ./*.deb
exit "$failed"
