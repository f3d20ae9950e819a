#!/bin/bash
# Runs a command in the Debian 13 root: a folder with Debian's own Rust, the oldest that curt
# supports, and its library source, from which the standard library of other targets can be built.
# usage: debian-root.sh [--debian 12] [--with SET,…] [--show PATH AT]… [-- COMMAND…]
# The sets of packages are installed when they are first needed; without a command that is all, and
# the folder is printed. `--show` puts a path of this machine, read-only, where the command finds it.
#
# With `--debian 12` it is the Debian before, whose Rust is too old for curt, in a folder beside it.
#
# It is made once and reused. Its folder is $CURT_DEBIAN_ROOT, or `curt/debian-13` in the user's
# cache folder; beside it lie `.lock`, `.partial` while it is being made, and `.build` with Cargo's
# home, which survives a new root and is `/build` there. What is built for a checkout lies in its own
# target folder, in `debian-root`, and is `/build/target` there.
#
# Every mount is made in a private mount namespace that ends with the command: nothing stays
# mounted on the host, so deleting the folder can never reach the checkout or `/dev`.
# It exits with 3 where this machine lacks something.
set -euo pipefail
checkout=$(realpath "$(dirname "$0")/..")

# Raise this when a root made by an older script can no longer be used; it is then made again.
version=1

declare -A sets=(
    # What builds and tests Linux, and type-checks almost everything else.
    [linux]='ca-certificates cargo gcc libc6-dev rust-src rustc strace'
    # For checking x86-64 Windows: rustc has `dlltool` make the import libraries of functions that
    # the source links by name, even where nothing is linked.
    [imports]='binutils-mingw-w64-x86-64'
    # What builds for Windows (GNU) and runs what was built.
    [windows]='gcc-mingw-w64-x86-64-win32 wine wine64'
    # What packages are judged by, and their manual pages read with.
    [packages]='lintian man-db'
    # What else compiles the tests in C.
    [clang]='clang libc6-dev'
    # What builds libcurt as a package, and a program with it.
    [library]='cargo-c g++ libc6-dev pkgconf'
    [python]='python3-venv'
    # What builds and runs a gem.
    [ruby]='gcc libc6-dev make pkgconf ruby ruby-dev xz-utils'
    # The libraries that Node's own builds want.
    [node]='libatomic1 libstdc++6'
    # What unpacks the source of Debian's Node.
    [node-source]='xz-utils'
    # What runs programs for other processors.
    [emulator]='qemu-user'
    # What builds GNU's test suite for rm and others, and what its tests use.
    [gnu]='acl attr e2fsprogs libacl1-dev libattr1-dev libcap-dev libcap2-bin make perl python-is-python3 xz-utils'
)

wanted=(linux windows) shown=() suite=trixie
while (($# > 0)) && [[ $1 != -- ]]; do
    case $1 in
    --with) IFS=, read -ra wanted <<<"$2"; shift 2 ;;
    --show) shown+=("$2" "$3"); shift 3 ;;
    --debian)
        [[ ${2:-} == 12 ]] || { echo 'takes --debian 12 only' >&2; exit 2; }
        suite=bookworm
        shift 2
        ;;
    *) echo "usage: debian-root.sh [--debian 12] [--with SET,…] [--show PATH AT]… [-- COMMAND…]" >&2; exit 2 ;;
    esac
done
for set in "${wanted[@]}"; do
    [[ -n ${sets[$set]:-} ]] || { echo "the sets are: ${!sets[*]}" >&2; exit 2; }
done
(($# == 0)) || shift

root=${CURT_DEBIAN_ROOT:-${XDG_CACHE_HOME:-$HOME/.cache}/curt/debian-13}
[[ $suite == trixie ]] || root=${root%-13}-12
[[ $root == /?* ]] || { echo "not an absolute path for the root: '$root'" >&2; exit 2; }

lacking=
(($(id -u) == 0)) || lacking='the rights of root (run it with sudo)'
for tool in chroot debootstrap flock mount unshare; do
    PATH=$PATH:/usr/sbin:/sbin command -v $tool >/dev/null || lacking+="; the program '$tool'"
done
if [[ -n $lacking ]]; then
    echo "the Debian root cannot be used here. Missing: ${lacking#; }" >&2
    exit 3
fi

# In its mount namespace: makes the root if it is not there or too old, and installs one set.
# Arguments: root, version, Debian's name of its release, name of the set, packages.
make='
    root=$1 version=$2 suite=$3 set=$4
    shift 4
    stamps=$root/var/lib/curt
    if [ "$(cat "$stamps/version" 2>/dev/null || :)" != "$version" ]; then
        if [ -n "$(ls -A "$root" 2>/dev/null || :)" ] && [ ! -e "$stamps/version" ]; then
            echo "$root holds something else: it is not deleted; choose another CURT_DEBIAN_ROOT"
            exit 1
        fi
        rm -rf --one-file-system "$root.partial"
        if ! debootstrap --variant=minbase --include=ca-certificates "$suite" "$root.partial"; then
            tail -n 20 "$root.partial/debootstrap/debootstrap.log" || :
            exit 1
        fi
        mkdir -p "$root.partial/var/lib/curt"
        echo "$version" >"$root.partial/var/lib/curt/version"
        rm -rf --one-file-system "$root"
        mv "$root.partial" "$root"
    fi
    if [ "$(cat "$stamps/$set" 2>/dev/null || :)" != "$*" ]; then
        rm -f "$stamps/$set"
        cp -L /etc/resolv.conf "$root/etc/resolv.conf"
        # How the host reaches its packages (proxies, checks): yes. Its hooks: no.
        for file in /etc/apt/apt.conf /etc/apt/apt.conf.d/*; do
            if [ -f "$file" ] && grep -q Acquire "$file"; then
                cp -L "$file" "$root/etc/apt/apt.conf.d/"
            fi
        done
        mount --rbind /dev "$root/dev"
        mount -t proc proc "$root/proc"
        export DEBIAN_FRONTEND=noninteractive
        chroot "$root" apt-get -qq update
        # Some of the settings copied above belong to packages, too: they stay as they are.
        chroot "$root" apt-get -qq -o Dpkg::Options::=--force-confold \
            install -y --no-install-recommends "$@"
        chroot "$root" apt-get clean
        echo "$*" >"$stamps/$set"
    fi'

for set in "${wanted[@]}"; do
    stamps=$root/var/lib/curt
    if [[ $(cat "$stamps/version" 2>/dev/null) != "$version" ||
        $(cat "$stamps/$set" 2>/dev/null) != "${sets[$set]}" ]]; then
        echo "Debian root: preparing '$set' in $root" >&2
        mkdir -p "$(dirname "$root")"
        # shellcheck disable=SC2086
        LC_ALL=C.UTF-8 flock -o "$root.lock" unshare --mount \
            sh -euc "$make" sh "$root" "$version" "$suite" "$set" ${sets[$set]} >&2
    fi
done
if (($# == 0)); then
    echo "$root"
    exit
fi

# In its mount namespace: runs a command. Arguments: root, build folder, target folder, checkout,
# Cargo's home, paths of the host and where the root has them, `--`, command.
enter='
    root=$1 build=$2 target=$3 checkout=$4 home=$5
    shift 5
    onto() { # the file or folder of the host, if there is one, onto a path in the root
        if [ -f "$1" ]; then
            mkdir -p "${2%/*}"
            [ -e "$2" ] || : >"$2"
        elif [ -d "$1" ]; then
            mkdir -p "$2"
        else
            return 0
        fi
        mount --bind "$1" "$2"
    }
    mount --rbind /dev "$root/dev"
    mount --rbind /sys "$root/sys"
    mount -t proc proc "$root/proc"
    mount -t tmpfs -o mode=1777 tmp "$root/tmp"
    # The checkout at its own path, so that messages can be followed; nothing may write there.
    onto "$checkout" "$root$checkout"
    mount -o remount,bind,ro "$root$checkout"
    onto "$build" "$root/build"
    onto "$target" "$root/build/target"
    # What the host has downloaded already, with the locks that guard it.
    onto "$home/registry" "$root/build/cargo/registry"
    onto "$home/.package-cache" "$root/build/cargo/.package-cache"
    onto "$home/.package-cache-mutate" "$root/build/cargo/.package-cache-mutate"
    [ ! -L "$root/etc/resolv.conf" ] || rm "$root/etc/resolv.conf"
    onto /etc/resolv.conf "$root/etc/resolv.conf"
    onto /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/ca-certificates.crt"
    while [ "$1" != -- ]; do
        onto "$1" "$root$2"
        mount -o remount,bind,ro "$root$2"
        shift 2
    done
    shift
    exec chroot "$root" /bin/sh -c "cd \"\$1\" && shift && exec \"\$@\"" sh "$checkout" "$@"'

# Two checkouts must not share a target folder, because Cargo trusts time stamps.
target=$(cd "$checkout" && realpath -m "${CARGO_TARGET_DIR:-target}/debian-root")

# What a command in the root may see of the caller's environment, beside how much tests do.
environment=(
    PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8
    HOME=/build/home CARGO_HOME=/build/cargo CARGO_TARGET_DIR=/build/target
)
for name in CI TERM NO_COLOR CARGO_TERM_COLOR RUST_BACKTRACE CARGO_BUILD_JOBS CARGO_INCREMENTAL \
    CARGO_NET_OFFLINE \
    http_proxy https_proxy no_proxy HTTP_PROXY HTTPS_PROXY NO_PROXY \
    CURT_FILES CURT_FUZZ CURT_PATHS CURT_RACE_SECONDS CURT_ROUNDS CURT_TREES; do
    [[ -z ${!name+x} ]] || environment+=("$name=${!name}")
done
mkdir -p "$root.build"/{cargo,home} "$target"
exec env -i "${environment[@]}" unshare --mount sh -euc "$enter" sh \
    "$root" "$root.build" "$target" "$checkout" "${CARGO_HOME:-$HOME/.cargo}" "${shown[@]}" -- "$@"
