# Shared by `.ci/run` and `.ci/full`.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
exec </dev/null
export CARGO_TERM_COLOR=never
# Incremental data costs gigabytes, and a build that runs once does not use it.
export CARGO_INCREMENTAL=0
# Skips must be listed in tools/xtask/src/skips.txt.
export CURT_SKIPS=listed
times=() counts=()
log=$(mktemp)
trap 'rm -f "$log"' EXIT

step() { # NAME COMMAND…: prints a heading and the duration
    local name=$1 start=$SECONDS
    shift
    printf '\n=== %s\n' "$name"
    "$@"
    times+=("$(printf '%5d s  %s' $((SECONDS - start)) "$name")")
    printf '=== %s: %d s\n' "$name" $((SECONDS - start))
}

counted() { # COMMAND…: a task whose last line is the test count
    "$@" | tee "$log"
    counts+=("$(tail -n 1 "$log")")
}

conclude() { # prints all durations, and the total count as the last line
    printf '\n%s\n' "${times[@]}"
    printf '%5d s  all\n' "$SECONDS"
    printf '%s\n' "${counts[@]}" | awk '{ passed += $1; failed += $3; skipped += $5 }
        END { printf "%d passed, %d failed, %d skipped\n", passed, failed, skipped }'
}

lacks() { # PROGRAM: not on the path, nor in the administrator's directories
    ! PATH=$PATH:/usr/sbin:/sbin command -v "$1" >/dev/null
}

# program:package, required (!) or optional, with skips (?).
tools=(
    '!cc:gcc' '!c++:g++' '!git:git' '!strace:strace' '!debootstrap:debootstrap'
    '!flock:util-linux' '?musl-gcc:musl-tools' '?script:bsdutils' '?valgrind:valgrind'
    '?mkfs.ext4:e2fsprogs' '?mkfs.btrfs:btrfs-progs' '?mkfs.xfs:xfsprogs' '?bindfs:bindfs'
    '?python3:python3' '?jq:jq' '?ruby:ruby' '?node:nodejs' '?go:golang-go' '?fdfind:fd-find'
    '?pkg-config:pkg-config' '?cmake:cmake' '?make:make' '?meson:meson'
)

install_tools() {
    local tool package packages=() needed=()
    for tool in "${tools[@]}"; do
        package=${tool#*:}
        tool=${tool%:*}
        if lacks "${tool:1}"; then
            packages+=("$package")
            if [[ $tool == '!'* ]]; then needed+=("${tool:1}"); fi
        fi
    done
    # Headers have no program to look for, and debootstrap needs Debian's keys to verify downloads.
    if [[ ! -e /usr/include/stdio.h ]]; then packages+=(libc6-dev) needed+=(libc6-dev); fi
    if [[ ! -e /usr/share/keyrings/debian-archive-keyring.gpg ]]; then
        packages+=(debian-archive-keyring) needed+=(debian-archive-keyring)
    fi
    # Debian packages these separately from Python and Ruby.
    if ! python3 -c 'import ensurepip' 2>/dev/null; then packages+=(python3-venv); fi
    if ! ruby -rmkmf -e '' 2>/dev/null; then packages+=(ruby-dev); fi
    if ((${#packages[@]} == 0)); then
        echo 'all there'
        return
    fi
    echo "missing: ${packages[*]}"
    if (($(id -u) == 0)); then
        export DEBIAN_FRONTEND=noninteractive
        apt-get -qq update
        apt-get -qq install -y --no-install-recommends "${packages[@]}"
    elif ((${#needed[@]} > 0)); then
        echo "cannot do without: ${needed[*]} (run as root, or install the packages above)" >&2
        exit 3
    else
        echo 'not root: the tests that want these are skipped'
    fi
}

require_rust() {
    local tool
    if lacks cargo && [[ -x ${HOME:-}/.cargo/bin/cargo ]]; then PATH=$HOME/.cargo/bin:$PATH; fi
    for tool in cargo cargo-clippy cargo-fmt; do
        if lacks "$tool"; then
            cat >&2 <<MESSAGE
no $tool: Rust 1.85 or newer with clippy and rustfmt is needed. With rustup (https://rustup.rs):
    rustup toolchain install stable --component clippy,rustfmt
Debian 13 and later: apt-get install cargo rust-clippy rustfmt
MESSAGE
            exit 3
        fi
    done
    cargo --version
}

check_python() { # [--all]: the Python package
    if python3 -c 'import ensurepip, sys; sys.exit(sys.version_info < (3, 10))'; then
        python3 bindings/python/check.py "$@"
    else
        echo 'skipped: Python 3.10 or newer with virtual environments is not installed'
    fi
}

check_ruby() { # [--all]: the Ruby gem
    if ruby -rmkmf -e 'gem "test-unit"; exit RUBY_VERSION >= "3.1"' 2>/dev/null; then
        ruby bindings/ruby/check.rb "$@"
    else
        echo 'skipped: Ruby 3.1 or newer with headers and test-unit is not installed'
    fi
}

check_node() { # [--all]: the Node package, whose binding needs a newer Rust
    if ! node -e 'process.exit(process.versions.node.split(".")[0] < 18 ? 1 : 0)' 2>/dev/null; then
        echo 'skipped: Node 18 or newer is not installed'
    elif ! cargo --version | awk '{ split($2, v, "."); exit v[1] == 1 && v[2] < 88 }'; then
        echo 'skipped: napi-rs needs Rust 1.88 or newer'
    else
        node bindings/node/check.mjs "$@"
    fi
}
