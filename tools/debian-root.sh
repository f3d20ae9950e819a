#!/bin/bash
# Runs a command in the Debian 13 root: a directory with Debian and its Rust, the oldest version
# that curt supports, and the library source for building the standard library of other targets.
# usage: debian-root.sh [--debian 12] [--with SET,…] [--show PATH AT]… [-- COMMAND…]
# Package sets are installed on first use. Without a command, the script only installs them and
# prints the path of the root. `--show` makes a path of this machine visible at AT, read-only.
#
# `--debian 12` uses a second root with that release, whose Rust is too old for curt.
#
# The root is made once and reused. It is $CURT_DEBIAN_ROOT, or `curt/debian-13` in the user's cache
# directory. Next to it are `.lock`, `.partial` during creation, and `.build`, which appears in the
# root as `/build`, holds Cargo's home, and survives when the root is made again. Builds of a
# checkout go to `debian-root` in the checkout's target directory, which appears as `/build/target`.
#
# All mounts are made in a private mount namespace, which ends with the command, so deleting the
# root never reaches the checkout or `/dev`. Exits with 3 if the machine lacks something.
set -euo pipefail
checkout=$(realpath "$(dirname "$0")/..")

# Raise this when older roots become unusable because of a change; they are then made again.
version=1

declare -A sets=(
    [linux]='ca-certificates cargo gcc libc6-dev rust-src rustc strace'
    # For checks for x86-64 Windows. Even without linking, rustc runs `dlltool` to make import
    # libraries for functions that the source links by name.
    [imports]='binutils-mingw-w64-x86-64'
    [windows]='gcc-mingw-w64-x86-64-win32 wine wine64'
    [packages]='lintian man-db'
    [clang]='clang libc6-dev'
    [library]='cargo-c g++ libc6-dev pkgconf'
    [python]='python3-venv'
    [ruby]='gcc libc6-dev make pkgconf ruby ruby-dev xz-utils'
    # Libraries required by the builds of Node from nodejs.org.
    [node]='libatomic1 libstdc++6'
    [node-source]='xz-utils'
    [emulator]='qemu-user'
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

# Runs in its mount namespace: makes the root if it is missing or too old, and installs one set.
# Arguments: root, version, codename of Debian, name of the set, packages.
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
        # Copy the settings with which the host reaches its packages (proxies, checks), but not its
        # hooks.
        for file in /etc/apt/apt.conf /etc/apt/apt.conf.d/*; do
            if [ -f "$file" ] && grep -q Acquire "$file"; then
                cp -L "$file" "$root/etc/apt/apt.conf.d/"
            fi
        done
        mount --rbind /dev "$root/dev"
        mount -t proc proc "$root/proc"
        export DEBIAN_FRONTEND=noninteractive
        chroot "$root" apt-get -qq update
        # Some of the copied settings are conffiles of packages. Keep the copies.
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

# Runs a command in its mount namespace. Arguments: root, build directory, target directory,
# checkout, Cargo's home, pairs of host path and root path, `--`, command.
enter='
    root=$1 build=$2 target=$3 checkout=$4 home=$5
    shift 5
    onto() { # binds a file or directory of the host, if it exists, to a path in the root
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
    # Show the checkout read-only at its own path, so that paths in messages are valid.
    onto "$checkout" "$root$checkout"
    mount -o remount,bind,ro "$root$checkout"
    onto "$build" "$root/build"
    onto "$target" "$root/build/target"
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

# Checkouts must not share a target directory, because Cargo compares timestamps.
target=$(cd "$checkout" && realpath -m "${CARGO_TARGET_DIR:-target}/debian-root")

# The command gets only these variables, and the caller's values of those below.
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
