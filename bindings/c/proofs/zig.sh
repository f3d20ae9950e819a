# Functions for the proofs with Zig, sourced by bash. Changes to the directory of the checkout.
cd "$(dirname "${BASH_SOURCE[0]}")/../../.."
checkout=$PWD
header=$checkout/bindings/c/include
target=$(realpath -m "${CARGO_TARGET_DIR:-target}")
cache=${XDG_CACHE_HOME:-$HOME/.cache}/curt/proofs
# The folder for building and running programs for Windows. Commands in a `cargo xtask
# windows-session` may see it at a different path: there it is `$WINEPREFIX/..`.
windows=$target/debian-root/windows
newest=0.17.1
export PYTHONPATH=$checkout/bindings/c/proofs PYTHONDONTWRITEBYTECODE=1

# Exits with 3 if this machine lacks one of the given programs.
need() {
    for program in "$@"; do
        command -v "$program" >/dev/null || { echo "missing: the program '$program'" >&2; exit 3; }
    done
}

# Downloads a version of Zig once.
fetch_zig() {
    [ ! -e "$cache/ziglang-$1" ] || return 0
    echo "downloading Zig $1" >&2
    mkdir -p "$cache"
    local partial
    partial=$(mktemp -d "$cache/partial-XXXXXX")
    python3 -m pip install --quiet --disable-pip-version-check --root-user-action=ignore --no-deps \
        --target "$partial" "ziglang==$1"
    mv "$partial" "$cache/ziglang-$1"
}

# Builds a program in the current folder. Arguments: the version of Zig, the program, the source,
# and further options of `zig build-exe`.
build_zig() {
    local version=$1 name=$2 source=$3
    shift 3
    "$cache/ziglang-$version/ziglang/zig" build-exe -O ReleaseFast --name "$name" "$source" \
        --cache-dir "$target/zig/cache" --global-cache-dir "$target/zig/global" "$@"
}

# Writes `curt_h.zig` into the current folder. Zig before 0.17 imports the header in the source;
# newer versions translate it. Arguments: the version of Zig, the target.
import_header() {
    if [ "$1" != "$newest" ]; then
        echo 'pub const c = @cImport(@cInclude("curt.h"));' >curt_h.zig
        return
    fi
    "$cache/ziglang-$1/ziglang/zig" translate-c -lc -target "$2" "$header/curt.h" \
        --cache-dir "$target/zig/cache" --global-cache-dir "$target/zig/global" >curt_c.zig
    echo 'pub const c = @import("curt_c.zig");' >curt_h.zig
}

# Builds libcurt for Windows, into $windows. Exits with 3 if the Debian root cannot be used.
build_library_for_windows() {
    cargo xtask windows-session --library -- \
        sh -euc 'cp "$CURT_LIBRARY/libcurt.a" "$WINEPREFIX/../"'
}

# Builds a program with libcurt for Windows in the current folder. Arguments: the version of Zig,
# the source, the program.
build_curt_for_windows() {
    import_header "$1" x86_64-windows-gnu
    cp "$2" .
    # Leave out Zig's stack probe, because Rust defines one, too.
    build_zig "$1" "$3" "$(basename "$2")" -target x86_64-windows-gnu -I "$header" -lc \
        "$windows/libcurt.a" -fno-compiler-rt -lunwind -lntdll -luserenv -lws2_32 -ldbghelp
}
