# Code shared by `build.sh` and `test.sh`.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
exec </dev/null

here= kinds=() others=()
for argument; do
    case $argument in
    --here) here=1 ;;
    tar | deb | exe | npm | wheel | python | c | gem) kinds+=("$argument") ;;
    *)
        echo "dist takes --here, and kinds of packages: tar, deb, exe, npm, wheel, python, c, gem" >&2
        exit 2
        ;;
    esac
done
if ((${#kinds[@]} == 0)); then
    kinds=(tar deb exe npm wheel python c gem)
    [[ -z $here ]] || kinds=(tar deb npm wheel python c gem)
fi

version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -n 1)
url=$(sed -n 's/^repository = "\(.*\)"/\1/p' Cargo.toml)
target=$(realpath -m "${CARGO_TARGET_DIR:-target}")
packages=$PWD/target/distrib

# The processors for which there are packages, as named by Rust, Debian and npm.
processor=$(uname -m)
processors=('x86_64 amd64 linux-x64' 'aarch64 arm64 linux-arm64')
this=$(printf '%s\n' "${processors[@]}" | grep "^$processor ") ||
    { echo 'there are no packages for this processor' >&2; exit 3; }
for words in "${processors[@]}"; do
    [[ -n $here || $words == "$this" ]] || others+=("$words")
done
processors=("$this" "${others[@]}")

tar_of() { echo "$packages/curt-$version-$1-unknown-linux-musl.tar.gz"; }
deb_of() { echo "$packages/curt_${version}_$1.deb"; }
exe=$packages/curt-$version-x86_64-pc-windows-gnu.exe
npm=$packages/curt-fs-$version.tgz
addon_of() { echo "$packages/curt-fs-$1-$version.tgz"; } # SYSTEM
addons=()
for words in "${processors[@]}"; do
    addons+=("$(addon_of "${words##* }-gnu")" "$(addon_of "${words##* }-musl")")
done
[[ -n $here ]] || addons+=("$(addon_of win32-x64)")
wheel_of() {
    echo "$packages/curt_cli-$version-py3-none-manylinux2014_$1.manylinux_2_17_$1.musllinux_1_1_$1.whl"
}
# Each processor has one wheel for glibc and one for musl, both for every Python from 3.10.
python_of() { # PROCESSOR gnu|musl
    local systems=manylinux2014_$1.manylinux_2_17_$1
    [[ $2 == gnu ]] || systems=musllinux_1_1_$1
    echo "$packages/curt_fs-$version-cp310-abi3-$systems.whl"
}
c=("$packages/libcurt-$version-$processor-unknown-linux-gnu.tar.gz")
for name in libcurt0 libcurt-dev; do
    c+=("$packages/${name}_${version}_$(cut -d ' ' -f 2 <<<"$this").deb")
done
[[ -n $here ]] || c+=("$packages/libcurt-$version-x86_64-pc-windows-gnu.tar.gz")
gem=$packages/curt-$version.gem

missing() { # REASON: this machine lacks a requirement
    echo "$*" >&2
    exit 3
}
