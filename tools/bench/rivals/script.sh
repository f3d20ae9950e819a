# attempt NAME COMMAND...: runs an optional step, and writes its output to OUT/NAME.log. If the step
# fails, prints the reason and sets `failed`.
failed=0
attempt() {
    name=$1 log=${OUT:?}/$1.log
    shift
    if ! "$@" </dev/null >"$log" 2>&1; then
        echo "skipped $name: $(grep -m 1 '^error\|^E:' "$log" || tail -n 1 "$log")"
        failed=1
        return 1
    fi
}

# script_LANGUAGE SOURCE PROGRAM: writes the script to OUT/PROGRAM, with the path of the real
# interpreter in its first line. The interpreter on PATH could be the shim of a version manager, and
# its startup would be timed, too.
script_node() {
    interpreter=$(node -p process.execPath)
    write_script "$interpreter" "$1" "$2"
}

script_python() {
    interpreter=$(python3 -c 'import sys; print(sys.executable)')
    write_script "$interpreter -I" "$1" "$2"
}

script_ruby() {
    interpreter=$(ruby -e 'print RbConfig.ruby')
    write_script "$interpreter --disable=gems" "$1" "$2"
}

write_script() {
    first=$1 source=$2 program=$3
    : "${OUT:?set OUT to the directory the program should go to}"
    mkdir -p "$OUT"
    {
        printf '#!%s\n' "$first"
        cat "$source"
    } >"$OUT/$program"
    chmod +x "$OUT/$program"
}
