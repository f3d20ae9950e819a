# Shared by the folders of scripts: script_FOR SOURCE PROGRAM, for node, python and ruby.
# Writes OUT/PROGRAM: the script, with the real interpreter's path in its first line. A name on PATH
# may be a version manager's shim, whose start-up is not the interpreter's.
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
