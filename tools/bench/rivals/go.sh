# Shared by the folders of Go programs: build_go PROGRAM.
# Builds OUT/PROGRAM from the folder of the script that was started, with the Go that is installed (no
# other is downloaded).
build_go() {
    program=$1
    : "${OUT:?set OUT to the directory the program should go to}"
    mkdir -p "$OUT"
    cd "$(dirname "$0")"
    GOTOOLCHAIN=local go build -trimpath -o "$OUT/$program" .
}
