#!/usr/bin/env bash
# Builds the release files into `target/distrib`, with checksums in SHA256SUMS.
# usage: build.sh [--here] [KIND…]
# Without KIND, builds all kinds. With `--here`, builds only for this processor and Linux. Exits
# with 3 if the machine lacks something. Builds are reproducible on the same kind of processor:
# timestamps are $SOURCE_DATE_EPOCH, or the time of the commit.
source "$(dirname "$0")/common.sh"
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git -c safe.directory='*' log -1 --format=%ct)}
export SOURCE_DATE_EPOCH

# Flags in addition to the profile `dist`, which make the static binaries smaller and faster to
# start: no unwind tables, identical functions merged, and fixed addresses. A position-independent
# binary would first relocate 48 pages, which takes a fifth of a short start.
flags="-Clinker-flavor=ld.lld -Csymbol-mangling-version=v0 -Crelocation-model=static"
flags+=" -Clink-arg=--no-eh-frame-hdr -Clink-arg=--icf=all"
flags+=" -Clink-arg=-T$PWD/tools/dist/small.ld"

# The maximum size of a binary, in bytes. Most of a binary is the library, regular expressions, and
# output code, all optimized for speed.
limit=4000000

has_library() { # TRIPLE
    rustup target list --installed | grep -qx "$1" || rustup target add "$1"
}

# `link.sh` runs the `rust-lld` shipped with Rust, and orders functions by a trace. A binary for
# another processor cannot run here, so it gets the order of the binary for this processor, which is
# built first. Symbol names without hashes (v0) match in both.
statically() { # PROCESSOR COMMAND…
    local triple=$1-unknown-linux-musl name traced=
    [[ $1 == "$processor" ]] || traced=$target/$processor-unknown-linux-musl/dist/named
    shift
    name=${triple^^} name=CARGO_TARGET_${name//-/_}
    env "CURT_TRACED=$traced" "${name}_LINKER=$PWD/tools/dist/link.sh" \
        "${name}_RUSTFLAGS=$flags" "$@" --target "$triple"
}

binary() { # PROCESSOR: prints the path of its static binary
    echo "$target/$1-unknown-linux-musl/dist/curt"
}

static_binary() { # PROCESSOR
    local triple=$1-unknown-linux-musl size
    has_library "$triple" || missing "no standard library for $triple can be had here"
    command -v valgrind >/dev/null || missing 'valgrind is not installed'
    statically "$1" cargo build --quiet --locked --profile dist --package curt-cli
    size=$(stat -c %s "$(binary "$1")")
    ((size <= limit)) || { echo "curt has $size bytes, more than $limit" >&2; exit 1; }
}

tools=${XDG_CACHE_HOME:-$HOME/.cache}/curt/tools

cargo_deb() {
    local version=3.6.2
    if [[ $("$tools/bin/cargo-deb" --version 2>/dev/null) != *"$version" ]]; then
        # An unoptimized build takes a third of the time, and its speed does not matter.
        cargo install --quiet --locked --debug --no-default-features --version "$version" \
            --root "$tools" cargo-deb || missing "cargo-deb $version cannot be installed here"
    fi
}

pip_tool() { # NAME VERSION: in a separate virtual environment
    local folder=$tools/$1-$2
    [[ ! -e $folder/ready ]] || return 0
    { python3 -m venv --clear "$folder" &&
        "$folder/bin/pip" install --quiet --no-deps --only-binary=:all: "$1==$2" &&
        : >"$folder/ready"; } || missing "$1 $2 cannot be installed here"
}
maturin=1.16.0 zigbuild=0.24.1 zig=0.14.1

# Zig links against its own C library, not this machine's.
export CARGO_ZIGBUILD_PYTHON_PATH=$tools/ziglang-$zig/bin/python

# Makes an archive for any Linux. Users unpack it into /usr/local, without the first path component.
make_tar() { # PROCESSOR
    local stem
    stem=$(basename "$(tar_of "$1")" .tar.gz)
    tar --create --format=ustar --sort=name --owner=0 --group=0 --numeric-owner \
        --mode=a+rX,u+w,go-w --use-compress-program='gzip -9n' --mtime="@$SOURCE_DATE_EPOCH" \
        --transform="s,^curt$,$stem/bin/curt," --transform="s,^share,$stem/share," \
        --file "$(tar_of "$1")" -C "$(dirname "$(binary "$1")")" curt -C "$packages" share
}

# Makes a Debian package with the contents listed in `crates/curt-cli/Cargo.toml`. Its version has
# no Debian revision, and its changelog has Debian's format; the other archives have our changelog.
# $DEBFULLNAME and $DEBEMAIL name the maintainer.
make_deb() { # PROCESSOR DEBIAN'S-NAME
    local who="${DEBFULLNAME:-The curt developers} <${DEBEMAIL:-curt@example.org}>" date
    date=$(date -u -R -d "@$SOURCE_DATE_EPOCH")
    cargo_deb
    mkdir -p "$packages/debian"
    printf 'curt (%s) unstable; urgency=medium\n\n  * Release %s.\n\n -- %s  %s\n' \
        "$version" "$version" "$who" "$date" | gzip -9n >"$packages/debian/changelog.gz"
    statically "$1" "$tools/bin/cargo-deb" --no-build --no-strip --quiet --locked \
        --package curt-cli --profile dist --maintainer "$who" --output "$(deb_of "$2")"
}

# Makes the npm package, with the library for Node, and the command with binaries for all systems.
# The addon of each system is a separate package. See `docs/adr/0042-packages.md`.
make_npm() {
    local folder=$packages/npm/curt-fs words name system library built
    command -v npm >/dev/null || missing 'npm is not installed'
    cargo --version | awk '{ split($2, v, "."); exit v[1] == 1 && v[2] < 88 }' ||
        missing 'napi-rs needs Rust 1.88 or newer'
    pip_tool cargo-zigbuild "$zigbuild"
    pip_tool ziglang "$zig"
    rm -rf "$packages/npm"
    mkdir -p "$folder"
    (cd bindings/node && cp -r README.md index.* install.* lib bin docs examples "$folder")
    sed -e "s/0\.0\.0/$version/" -e "s,https://example\.org/curt,$url," \
        bindings/node/package.json >"$folder/package.json"
    cp LICENSE-APACHE LICENSE-MIT "$folder"
    for words in "${processors[@]}"; do
        read -r name _ system <<<"$words"
        mkdir "$folder/$system"
        cp "$(binary "$name")" "$folder/$system/curt"
        for library in gnu musl; do
            addon "$system-$library" "$name-unknown-linux-$library" libcurt_node.so
        done
    done
    if [[ -z $here ]]; then
        mkdir "$folder/win32-x64"
        built=$(cargo xtask windows-build)
        cp "$built" "$folder/win32-x64/curt.exe"
        addon win32-x64 x86_64-pc-windows-gnu curt_node.dll
    fi
    npm_pack curt-fs
}

addon() { # SYSTEM TRIPLE FILE: makes the package with the addon for Node
    local folder=$packages/npm/curt-fs-$1 triple=$2 os cpu libc
    IFS=- read -r os cpu libc <<<"$1"
    has_library "$triple" || missing "no standard library for $triple can be had here"
    # Provide an empty import library: napi-build requires one for Windows, although the addon finds
    # the functions of Node in the program that loads it.
    mkdir -p "$target/node/libnode"
    : >"$target/node/libnode/libnode.dll"
    printf '!<arch>\n' >"$target/node/libnode/libnode.a"
    CARGO_TARGET_DIR=$target/node LIBNODE_PATH=$target/node/libnode \
        RUSTFLAGS=-Ctarget-feature=-crt-static \
        "$tools/cargo-zigbuild-$zigbuild/bin/cargo-zigbuild" zigbuild --quiet --locked --release \
        --manifest-path bindings/node/Cargo.toml --target "${triple/%-linux-gnu/-linux-gnu.2.17}"
    mkdir "$folder"
    cp "$target/node/$triple/release/$3" "$folder/curt.node"
    cp LICENSE-APACHE LICENSE-MIT "$folder"
    printf '# curt-fs-%s\n\nThe addon of the package curt-fs for %s.\n' "$1" "$1" >"$folder/README.md"
    case $libc in
    gnu) libc=$'\n  "libc": ["glibc"],' ;;
    musl) libc=$'\n  "libc": ["musl"],' ;;
    esac
    cat >"$folder/package.json" <<PACKAGE
{
  "name": "curt-fs-$1",
  "version": "$version",
  "description": "The addon of curt-fs for $1",
  "license": "MIT OR Apache-2.0",
  "homepage": "$url",
  "repository": { "type": "git", "url": "git+$url.git", "directory": "bindings/node" },
  "main": "curt.node",
  "os": ["$os"],
  "cpu": ["$cpu"],$libc
  "preferUnplugged": true
}
PACKAGE
    npm_pack "curt-fs-$1"
}

npm_pack() { # NAME
    (cd "$packages/npm/$1" && npm pack --silent --pack-destination "$packages" >/dev/null)
}

# Makes a wheel of the command. Its contents are listed in `crates/curt-cli/pyproject.toml`.
make_wheel() { # PROCESSOR
    pip_tool maturin "$maturin"
    statically "$1" "$tools/maturin-$maturin/bin/maturin" build --quiet --locked --profile dist \
        --manifest-path crates/curt-cli/Cargo.toml --out "$packages" \
        --compatibility manylinux_2_17 musllinux_1_1
}

make_python() { # PROCESSOR
    local library system
    pip_tool maturin "$maturin"
    pip_tool ziglang "$zig"
    tools/dist/python.sh "$target/python-source"
    for library in gnu musl; do
        system=manylinux_2_17
        [[ $library == gnu ]] || system=musllinux_1_1
        has_library "$1-unknown-linux-$library" ||
            missing "no standard library for $1-unknown-linux-$library can be had here"
        CARGO_TARGET_DIR=$target/python "$tools/maturin-$maturin/bin/maturin" build --quiet --locked --release --zig \
            --manifest-path "$target/python-source/Cargo.toml" --target "$1-unknown-linux-$library" \
            --compatibility "$system" --out "$packages"
    done
}

make_c() {
    local who="${DEBFULLNAME:-The curt developers} <${DEBEMAIL:-curt@example.org}>" name
    local sets=linux,library windows=()
    [[ -n $here ]] || { sets+=,windows windows=(windows); }
    cargo xtask in-root --with "$sets" -- tools/dist/library.sh /build/target/library "$version" \
        "$processor" "$(cut -d ' ' -f 2 <<<"$this")" "$who" "$SOURCE_DATE_EPOCH" "${windows[@]}"
    for name in "${c[@]##*/}"; do cp "$target/debian-root/library/$name" "$packages"; done
}

make_gem() {
    grep -q "VERSION = \"$version\"" bindings/ruby/lib/curt/version.rb ||
        { echo "bindings/ruby/lib/curt/version.rb has another version than Cargo.toml" >&2; exit 1; }
    cargo xtask in-root --with ruby -- sh -euc 'mkdir -p "$1"
        cd bindings/ruby
        SOURCE_DATE_EPOCH=$2 gem build --silent --output "$1/curt.gem" curt.gemspec' \
        sh /build/target/gem "$SOURCE_DATE_EPOCH"
    cp "$target/debian-root/gem/curt.gem" "$gem"
}

mkdir -p "$packages"
made=()
if [[ " ${kinds[*]} " =~ \ (tar|deb|npm|wheel)\  ]]; then
    for words in "${processors[@]}"; do static_binary "${words%% *}"; done
    tools/dist/share.sh "$(binary "$processor")" "$packages/share"
fi
for kind in "${kinds[@]}"; do
    echo "dist: $kind" >&2
    case $kind in
    exe)
        built=$(cargo xtask windows-build)
        cp "$built" "$exe"
        made+=("$exe")
        continue
        ;;
    c)
        make_c
        made+=("${c[@]}")
        continue
        ;;
    npm)
        make_npm
        made+=("$npm" "${addons[@]}")
        continue
        ;;
    gem)
        make_gem
        made+=("$gem")
        continue
        ;;
    esac
    for words in "${processors[@]}"; do
        read -r name debian _ <<<"$words"
        "make_$kind" "$name" "$debian"
        case $kind in
        deb) made+=("$(deb_of "$debian")") ;;
        python) made+=("$(python_of "$name" gnu)" "$(python_of "$name" musl)") ;;
        *) made+=("$("${kind}_of" "$name")") ;;
        esac
    done
done
(cd "$packages" && sha256sum "${made[@]##*/}" >SHA256SUMS)
stat -c '%9s  %n' "${made[@]}"
