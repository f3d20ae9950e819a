# Shared by the zig-* folders: build_zig VERSION SOURCE PROGRAM.
# The compiler comes as the Python package ziglang into a virtual environment below OUT, and is
# deleted again once the program is there: a compiler is 200 to 400 MB, the program is not.
# ZIG_TARGET, if set, is what the program is for; one for Windows ends in .exe.
build_zig() {
    version=$1 source=$2 program=$3
    : "${OUT:?set OUT to the directory the program should go to}"
    mkdir -p "$OUT"
    stamp="$OUT/built-from"
    wanted="ziglang $version ${ZIG_TARGET:+$ZIG_TARGET }$(cksum <"$source")"
    case ${ZIG_TARGET:-} in
    *windows*) built=$program.exe ;;
    *) built=$program ;;
    esac
    if [ -x "$OUT/$built" ] && [ "$(cat "$stamp" 2>/dev/null || true)" = "$wanted" ]; then
        return 0
    fi
    python3 -m venv --clear "$OUT/venv"
    "$OUT/venv/bin/pip" install --quiet --disable-pip-version-check "ziglang==$version"
    # In a folder of its own: Zig leaves caches and an object file where it is started.
    mkdir -p "$OUT/work"
    (
        cd "$OUT/work"
        ZIG_GLOBAL_CACHE_DIR="$OUT/work/global" ZIG_LOCAL_CACHE_DIR="$OUT/work/local" \
            "$OUT/venv/bin/python" -m ziglang build-exe -O ReleaseFast \
            ${ZIG_TARGET:+-target "$ZIG_TARGET"} --name "$program" "$source"
    )
    cp "$OUT/work/$built" "$OUT/$built"
    printf '%s\n' "$wanted" >"$stamp"
    rm -rf "${OUT:?}/venv" "${OUT:?}/work"
}
