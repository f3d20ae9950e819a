# Builds the programs and helpers of GNU's test suite in the Debian root, unless it has them
# already. Arguments: directory, version of this script, names of the programs.
folder=$1 version=$2
shift 2
[ "$(cat "$folder/stamp" 2>/dev/null || :)" != "$version $*" ] || exit 0
rm -rf --one-file-system "$folder"
mkdir -p "$folder/lists/partial"
cd "$folder"

sed 's/^deb /deb-src /' /etc/apt/sources.list >sources.list
apt() {
    apt-get -qq -o Dir::Etc::SourceList="$folder/sources.list" -o Dir::Etc::SourceParts=- \
        -o Dir::State::Lists="$folder/lists" -o APT::Sandbox::User=root \
        -o Dir::Cache::pkgcache= -o Dir::Cache::srcpkgcache= "$@"
}
# 77 distinguishes an unavailable source from a failed build.
{ apt update && apt --download-only source coreutils; } || exit 77
rm -rf lists

# Use the original source: Debian's patches change the output of `ls`.
mkdir source
tar -xf coreutils_*.orig.tar.xz -C source --strip-components=1
cd source
FORCE_UNSAFE_CONFIGURE=1 ./configure -q --disable-nls CFLAGS=-O1 >../log 2>&1 ||
    { tail -n 20 ../log; exit 1; }
# Build only these programs. The tests find other programs in the root, in the same version.
printf 'include Makefile\nfew: $(BUILT_SOURCES)\n' >few.mk
{ make -s -f few.mk few && make -s -j2 $(printf ' src/%s' getlimits "$@"); } >>../log 2>&1 ||
    { tail -n 20 ../log; exit 1; }
echo "$version $*" >"$folder/stamp"
