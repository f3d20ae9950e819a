# Runs in the Debian root: fetches Node's own tests of `fs` to the folder in $1, unless it exists.
# Exits with 77 if the source is not available.
set -eu
folder=$1
[ ! -d "$folder" ] || exit 0
made=$folder.partial
rm -rf --one-file-system "$made"
mkdir -p "$made/lists/partial"
cd "$made"

# The sources are on the same mirror as the packages.
sed 's/^deb /deb-src /' /etc/apt/sources.list >sources.list
apt() {
    apt-get -qq -o Dir::Etc::SourceList="$made/sources.list" -o Dir::Etc::SourceParts=- \
        -o Dir::State::Lists="$made/lists" -o APT::Sandbox::User=root \
        -o Dir::Cache::pkgcache= -o Dir::Cache::srcpkgcache= "$@"
}
{ apt update && apt --download-only --tar-only source nodejs; } || exit 77
rm -rf lists

tar -xf nodejs_*.orig.tar.xz --strip-components=1 --wildcards --no-wildcards-match-slash \
    '*/test/common' '*/test/fixtures/*.*' '*/test/fixtures/copy' \
    '*/test/fixtures/cycles' '*/test/fixtures/keys' \
    '*/test/parallel/test-fs-*' '*/test/sequential/test-fs-*'
ls nodejs_*.orig.tar.xz | sed 's/nodejs_//; s/[+].*//' >version
rm nodejs_* sources.list
mv "$made" "$folder"
