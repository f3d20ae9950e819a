#!/usr/bin/env bash
# Builds the release files. Then installs and runs each kind in a clean Debian root, whose /tmp is
# discarded.
# usage: test.sh [--here] [KIND…], as for build.sh
# The last line is the total. A test that this machine cannot run is skipped with a reason.
source "$(dirname "$0")/common.sh"
passed=0 failed=0 skipped=0 release=

try() { # KIND WHAT COMMAND…: shows output only on failure; status 3 means skipped
    local name="$1: $2" out status=0
    shift 2
    out=$("$@" 2>&1) || status=$?
    case $status in
    0) passed=$((passed + 1)); echo "test $name ... ok" ;;
    3) skipped=$((skipped + 1)); echo "test $name ... skipped: ${out##*$'\n'}" ;;
    *) failed=$((failed + 1)); printf 'test %s ... FAILED\n%s\n' "$name" "$out" ;;
    esac
    return "$status"
}

in_root() { # PACKAGES SCRIPT ARGUMENT…: runs a script in the root for Debian $release, or 13
    local sets=$1 script=$2
    shift 2
    cargo xtask in-root ${release:+--debian "$release"} --with "$sets" -- sh -euxc "$script" sh "$@"
}

# Makes a private, writable copy of the Debian root in /tmp/debian.
own_debian='
    cd /tmp
    mkdir changes work debian
    mount -t overlay overlay -o lowerdir=/,upperdir=/tmp/changes,workdir=/tmp/work debian
    mount -t proc proc debian/proc
    mount --rbind /dev debian/dev'

# Uses curt in an empty directory. Arguments: the command that starts curt.
use='
    use() {
        test "$("$@" --version)" = "curt '"$version"'"
        mkdir -p tree/folder
        : >tree/folder/file
        test "$("$@" ls tree)" = folder
        "$@" rm -r tree
        test ! -e tree
    }
    cd /tmp'

# The root is otherwise empty, so the test fails if curt has a dependency.
tar_runs() {
    in_root emulator "$use"'
        mkdir root
        tar -xzf "$1" -C root --strip-components=1
        for file in man/man1/curt.1 man/man1/curt-rm.1 bash-completion/completions/curt \
            zsh/site-functions/_curt fish/vendor_completions.d/curt.fish doc/curt/LICENSE-MIT; do
            test -s "root/share/$file"
        done
        if [ "$2" != "$(uname -m)" ]; then use "qemu-$2" root/bin/curt; exit; fi
        mkdir -p root/tree/folder
        test "$(chroot root /bin/curt ls /tree)" = folder
        chroot root /bin/curt rm -r /tree
        test ! -e root/tree' "$(tar_of "$1")" "$1"
}

deb_pleases_lintian() { # PACKAGE
    in_root packages 'cp "$1" /tmp/package.deb
        cd /tmp
        su nobody -s /bin/sh -c \
            "HOME=/tmp lintian --fail-on error,warning --no-cfg /tmp/package.deb"' "$1"
}

deb_installs() {
    in_root packages "$own_debian"'
        cp "$1" debian/opt/curt.deb
        chroot debian /bin/sh -euxc "$2"' "$(deb_of "$1")" "$use"'
        dpkg --install /opt/curt.deb
        use curt
        test "$(man --where curt)" = /usr/share/man/man1/curt.1.gz
        MANPAGER=cat man --warnings curt-rm >page 2>warnings
        grep -q "Remove files and directories" page
        test ! -s warnings
        for file in bash-completion/completions/curt zsh/vendor-completions/_curt \
            fish/vendor_completions.d/curt.fish; do
            test -s "/usr/share/$file"
        done
        dpkg --purge curt
        test ! -e /usr/bin/curt
        test ! -e /usr/share/doc/curt'
}

exe_runs() {
    local run=(cargo xtask windows-run --exe "$exe" --)
    test "$("${run[@]}" --version | tr -d '\r')" = "curt $version" &&
        "${run[@]}" stat 'C:\windows\system32' >/dev/null
}

# Installs a version of Node from npm, and prints the path of its program. Arguments: version, and
# `linux` or `win`.
node_of() {
    local folder=${XDG_CACHE_HOME:-$HOME/.cache}/curt/tools/node-$2-$1 cpu=x64 file=bin/node name
    [[ $2 == win || $processor == x86_64 ]] || cpu=arm64
    [[ $2 == linux ]] || file=bin/node.exe
    name=node-$2-$cpu
    [[ -e $folder/node_modules/$name/$file ]] ||
        npm install --silent --no-audit --no-fund --force --prefix "$folder" "$name@$1" >&2 ||
        missing "Node $1 cannot be had here"
    echo "$folder/node_modules/$name/$file"
}
nodes=(14.21.3 18.20.8 20.20.2 22.23.3 24.21.0)

# Uses this machine's npm and Node, because Debian's npm would install hundreds of packages. Both
# appear in the directory layout of Node's own builds. Other versions of Node are in /tmp/nodes, by
# major version. The arguments of the script are the packages for glibc, and the version.
npm_runs() { # SCRIPT
    local paths version_of_node node shown=()
    paths=$(npm exec --offline --call 'echo "$npm_node_execpath"; echo "${npm_execpath%/bin/*}"')
    for version_of_node in "${nodes[@]}"; do
        node=$(node_of "$version_of_node" linux) || exit
        shown+=(--show "$node" "/tmp/nodes/${version_of_node%%.*}")
    done
    cargo xtask in-root --with node --show "${paths%$'\n'*}" /tmp/node/bin/node \
        --show "${paths#*$'\n'}" /tmp/node/lib/node_modules/npm "${shown[@]}" -- sh -euxc '
        export HOME=/tmp/home PATH="/tmp/node/bin:$PATH"
        for name in npm npx; do
            ln -s "../lib/node_modules/npm/bin/$name-cli.js" "/tmp/node/bin/$name"
        done
        mkdir /tmp/home /tmp/project
        cd /tmp/project
        npm --version || { echo "this Node does not run in the Debian root"; exit 3; }
        printf "{\"private\": true}" >package.json
        '"$1" sh "$npm" "$(addon_of "${this##* }-gnu")" "$version"
}

npm_installs='
    npm install --offline --no-audit --no-fund "$1" "$2"
    test "$(npx --offline curt-fs --version)" = "curt $3"
    status=0
    npx --offline curt stat missing || status=$?
    test "$status" = 1
    npx --offline curt-fs rm node_modules
    test ! -e node_modules
    mkdir -p node_modules/package
    npx --yes --offline --package "$1" curt-fs rm node_modules
    test ! -e node_modules'

# Loads the library as CommonJS and as an ES module. Runs the command in a Node that is too old for
# the library.
npm_serves_all_nodes='
    npm install --offline --no-audit --no-fund "$1" "$2"
    cat >use.js <<"SCRIPT"
const assert = require("assert");
const fs = require("fs");
const curt = require("curt-fs");
fs.mkdirSync("tree/folder", { recursive: true });
fs.writeFileSync("tree/file", "");
assert.deepEqual(curt.readdirSync("tree", { recursive: true }).sort(), ["file", "folder"]);
curt.promises.rm("tree", { recursive: true }).then(() => assert(!fs.existsSync("tree")));
SCRIPT
    cat >use.mjs <<"SCRIPT"
import assert from "assert";
import { rmSync } from "fs";
import curt, { rmSync as rm } from "curt-fs";
import "curt-fs/install";
assert.equal(rm, curt.rmSync);
assert.equal(rm, rmSync);
SCRIPT
    for node in 18 20 22 24; do
        /tmp/nodes/$node use.js
        /tmp/nodes/$node use.mjs
    done
    if /tmp/nodes/14 use.js 2>said; then exit 1; fi
    grep "curt-fs needs Node 18 or newer as a library, and this is v14" said
    test "$(/tmp/nodes/14 node_modules/curt-fs/bin/curt.js --version)" = "curt $3"
    # Without the addon, the error message must name it, and the commands that install it.
    addon=$(basename "$2" "-$3.tgz")
    rm -r "node_modules/$addon"
    if node use.js 2>said; then exit 1; fi
    grep "curt-fs cannot load its addon for linux" said
    grep -F "npm install ./$addon-$3.tgz" said
    grep -F "npm install $addon@$3" said
    test "$(npx --offline curt-fs --version)" = "curt $3"'

# The addon may need only glibc 2.17, or on musl only libc, so it runs wherever Node 18 does.
npm_needs_little() { # PROCESSOR SYSTEM
    local folder oldest
    folder=$(mktemp -d)
    tar -xzf "$(addon_of "$2-gnu")" -C "$folder"
    oldest=$(objdump -T "$folder/package/curt.node" | grep -o 'GLIBC_[0-9.]*' | sort -uV | tail -n 1)
    [[ $(printf '%s\n' "$oldest" GLIBC_2.17 | sort -V | tail -n 1) == GLIBC_2.17 ]]
    tar -xzf "$(addon_of "$2-musl")" -C "$folder"
    readelf --dynamic "$folder/package/curt.node" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' >"$folder/needed"
    cat "$folder/needed"
    ! grep -v -x -e libc.so -e "libc.musl-$1.so.1" "$folder/needed"
    rm -r "$folder"
}

# The launcher must forward a signal to curt, and then die of the same signal.
npm_passes_signals='
    npm install --offline --no-audit --no-fund "$1" "$2"
    node node_modules/curt-fs/bin/curt.js run --timeout 60s -- sleep 30 &
    launcher=$!
    curt=
    while [ -z "$curt" ]; do read -r curt <"/proc/$launcher/task/$launcher/children" || :; done
    sleep 0.5
    kill -TERM "$launcher"
    status=0
    wait "$launcher" || status=$?
    test "$status" = 143
    for _ in 1 2 3 4 5 6 7 8 9 10; do kill -0 "$curt" 2>/dev/null || exit 0; sleep 0.1; done
    exit 1'

npm_works_on_windows() {
    local version_of_node node
    for version_of_node in 20.20.2 22.23.3; do
        node=$(node_of "$version_of_node" win) || return
        # Copy Node to a directory that the Debian root can read.
        cp "$node" "$packages/npm/node.exe"
        cargo xtask windows-session -- sh bindings/node/test/windows.sh "$packages/npm/node.exe" \
            "$npm" "$(addon_of win32-x64)"
    done
}

wheel_installs() {
    in_root python "$use"'
        python3 -m venv environment
        environment/bin/pip install --quiet --no-index "$1"
        use environment/bin/curt
        environment/bin/pip uninstall --quiet --yes curt-cli
        test ! -e environment/bin/curt' "$(wheel_of "$processor")"
}

use_module='
import curt_fs as curt, os
assert [(top, names) for top, _, names in curt.walk("tree")] == [
    ("tree", []), ("tree/folder", ["file"])]
assert curt.usage("tree").entries == 3
assert curt.which("sh") == "/usr/bin/sh"
curt.install()
import shutil
shutil.rmtree("tree")
assert not os.path.exists("tree")'

python_installs() { # ARGUMENT OF PIP…
    in_root linux,python 'program=$1
        shift
        python3 -m venv /tmp/environment
        /tmp/environment/bin/pip install --quiet "$@"
        cd /tmp
        mkdir -p tree/folder
        : >tree/folder/file
        environment/bin/python -c "$program"
        environment/bin/pip uninstall --quiet --yes curt-fs
        if environment/bin/python -c "import curt_fs"; then exit 1; fi' "$use_module" "$@"
}

# Builds a program that removes the directory `tree` with libcurt. It is compiled in $FOLDER (by
# default /tmp) with the flags of pkg-config, once linked dynamically and once statically.
use_library='
    cd "${FOLDER:-/tmp}"
    cat >program.c <<"PROGRAM"
#include <curt.h>
int main(void)
{
    curt_remove_report report = CURT_REMOVE_REPORT_INIT;
    curt_control control = CURT_CONTROL_INIT;
    control.threads = CURT_THREADS_AUTOMATIC;
    return curt_abi() != CURT_ABI ||
        curt_remove(CURT_CWD, curt_z("tree"), NULL, &control, &report, NULL) != 0 ||
        report.files != 1 || report.directories != 2;
}
PROGRAM
    use() { # FLAG…
        mkdir -p tree/folder
        : >tree/folder/file
        cc -std=c99 $(pkg-config --cflags curt) -o program program.c "$@"
        ./program
        test ! -e tree
    }
    use_both() {
        test "$(pkg-config --modversion curt)" = '"$version"'
        use $(pkg-config --libs curt) "$@"
        libraries=$(pkg-config --static --libs curt | sed "s/-lcurt/-l:libcurt.a/")
        use $libraries
        test "$(ldd program | grep -c libcurt)" = 0
    }
    # The library must be able to unwind, to catch panics, and must remain loaded after dlclose.
    is_right() { # SHARED-LIBRARY
        readelf --dynamic "$1" >said
        grep -q "SONAME.*\[libcurt.so.0\]" said
        grep -q "FLAGS_1.*NODELETE" said
        nm --dynamic --undefined-only "$1" | grep -q _Unwind_RaiseException
        nm --dynamic --defined-only --format=just-symbols "$1" >symbols
        test "$(grep -cv -e "^curt_.*@@CURT_0.1$" -e "^CURT_0.1$" symbols)" = 0
    }'

c_runs_from_archive() {
    in_root library "$use_library"'
        mkdir archive
        tar -xzf "$1" -C archive --strip-components=1
        export PKG_CONFIG_PATH=/tmp/archive/lib/pkgconfig
        is_right archive/lib/libcurt.so
        use_both -Wl,-rpath,/tmp/archive/lib
        for file in CHANGELOG.md LICENSE-APACHE LICENSE-MIT; do
            test -s "archive/share/doc/libcurt/$file"
        done' "${c[0]}"
}

c_installs() {
    in_root library "$own_debian"'
        cp "$1" debian/opt/libcurt0.deb
        cp "$2" debian/opt/libcurt-dev.deb
        chroot debian /bin/sh -euxc "$3"' "${c[1]}" "${c[2]}" "$use_library"'
        dpkg --install /opt/libcurt0.deb /opt/libcurt-dev.deb
        is_right /usr/lib/*/libcurt.so
        use_both
        use $(pkg-config --libs curt)
        dpkg --purge libcurt-dev
        mkdir -p tree/folder
        : >tree/folder/file
        ./program
        dpkg --purge libcurt0
        test -z "$(find /usr -name "*curt*")"'
}

c_installs_natively() {
    command -v pkg-config >/dev/null || missing 'pkg-config is not installed'
    local folder
    folder=$(mktemp -d)
    cargo xtask c-install --prefix "$folder/prefix"
    FOLDER=$folder PKG_CONFIG_PATH=$folder/prefix/lib/pkgconfig sh -euxc "$use_library"'
        is_right prefix/lib/libcurt.so
        use_both -Wl,-rpath,"$FOLDER/prefix/lib"'
    rm -r "$folder"
}

# Links libcurt.a together with a library made by a different Rust.
c_links_beside() { # TOOLCHAIN
    local folder order
    [[ $1 == here ]] || rustc "+$1" --version >/dev/null || missing "there is no Rust $1"
    folder=$(mktemp -d)
    tar -xzf "${c[0]}" -C "$folder" --strip-components=1
    rustc $([[ $1 == here ]] || echo "+$1") --edition 2024 --crate-type staticlib -O \
        -o "$folder/libother.a" bindings/c/tests/beside/other.rs
    for order in 'lib/libcurt.a libother.a' 'libother.a lib/libcurt.a'; do
        # shellcheck disable=SC2086
        (cd "$folder" && cc -std=c99 -D_POSIX_C_SOURCE=200809L -Iinclude -o program \
            "$OLDPWD/bindings/c/tests/beside/main.c" $order -lpthread -ldl -lm)
        mkdir "$folder/tree"
        "$folder/program" "$folder/tree"
    done
    rm -r "$folder"
}

c_runs_on_windows() {
    cargo xtask windows-session -- sh -euxc '
        cd "$(mktemp -d)"
        tar -xzf "$1" --strip-components=1
        x86_64-w64-mingw32-objdump --private-headers bin/curt.dll |
            awk "/Name Pointer] Table/ { on = 1; next } !NF { on = 0 } on && /[[]/ { print \$NF }" |
            sort >exported
        sed -n "/^Functions/,/^$/s/^  //p" "$2" | sort | diff - exported
        printf "%s\n" "#include <curt.h>" "int main(void) { return curt_abi() != CURT_ABI ||" \
            "curt_remove(CURT_CWD, curt_z(L\"tree\"), NULL, NULL, NULL, NULL) != 0; }" >program.c
        for way in "-DCURT_DLL -Llib -lcurt" \
            "lib/libcurt.a -lkernel32 -lntdll -luserenv -lws2_32 -ldbghelp"; do
            x86_64-w64-mingw32-gcc -std=c99 -Iinclude -o program.exe program.c $way
            [ "$way" = "${way#-D}" ] || cp bin/curt.dll .
            mkdir tree
            wine program.exe
            test ! -e tree
            rm -f curt.dll
        done' sh "${c[3]}" "$PWD/bindings/c/abi.txt"
}

use_gem='
    require "curt/install"
    def equal(expected, found)
      expected == found or raise "#{found.inspect}, not #{expected.inspect}"
    end
    Dir.mkdir("tree")
    Dir.mkdir("tree/folder")
    File.write("tree/folder/file", "x")
    here = File.realpath(Dir.pwd)
    equal("#{here}/tree", Curt.expand_path("tree/folder/.."))
    equal("#{here}/~", Curt.absolute_path("~"))
    equal("C:/a", Curt.expand_path("..\\a", "C:/b", flavor: :windows))
    equal("#{here}/tree", Curt.realpath("tree"))
    equal(["folder"], Curt.children("tree"))
    equal(["tree", "tree/folder", "tree/folder/file"], Curt.find("tree").to_a)
    equal(3, Curt.usage("tree").entries)
    equal("/usr/bin/ruby", Curt.which("ruby", path: "/usr/bin"))
    Curt::Root.open("tree") do |root|
      equal("x", root.open("folder/file", &:read))
      begin
        root.open("../tree/folder/file")
        raise "a path left the root"
      rescue Errno::EXDEV
      end
    end
    Curt.rm_r("tree/folder")
    equal([], Dir.children("tree"))
    FileUtils.rm_rf("tree")
    equal(false, File.exist?("tree"))'

# Uses the installed shared libcurt. Without it, the gem must report that it is missing.
gem_installs() {
    in_root ruby "$own_debian"'
        cp "$1" debian/opt/curt.gem
        cp "$2" debian/opt/libcurt0.deb
        cp "$3" debian/opt/libcurt-dev.deb
        chroot debian /bin/sh -euxc "$4" sh "$5"' "$gem" "${c[1]}" "${c[2]}" '
        if gem install --local /opt/curt.gem >said 2>&1; then exit 1; fi
        grep "libcurt is missing" said
        dpkg --install /opt/libcurt0.deb /opt/libcurt-dev.deb
        gem install --local --no-document /opt/curt.gem
        ldd "$(gem contents curt | grep "/lib/curt/curt.so$")" | grep "libcurt.so.0 => /"
        cd "$(mktemp -d)"
        ruby -w -e "$1"
        gem uninstall --all --executables curt
        if ruby -e "require %(curt)"; then exit 1; fi' "$use_gem"
}

gem_installs_with_archive() {
    in_root ruby 'cd /tmp
        mkdir archive
        tar -xzf "$2" -C archive --strip-components=1
        export GEM_HOME=/tmp/gems
        gem install --local --document=rdoc "$1" -- --with-curt-dir=/tmp/archive
        rm -r archive
        grep -q "method-c-which" gems/doc/curt-*/rdoc/Curt.html
        mkdir work
        cd work
        ruby -w -e "$3"' "$gem" "${c[0]}" "$use_gem"
}

gem_builds_from_checkout() {
    in_root linux,ruby 'checkout=$PWD
        mkdir /tmp/build /tmp/work
        cd /tmp/build
        ruby "$checkout/bindings/ruby/ext/curt/extconf.rb"
        make --quiet
        make --quiet install sitearchdir=/tmp/library
        cd /tmp/work
        ruby -w -I /tmp/library -I "$checkout/bindings/ruby/lib" -e "$1"' "$use_gem"
}

sums_are_right() { (cd "$packages" && sha256sum --check --quiet --strict SHA256SUMS); }

for kind in "${kinds[@]}"; do
    try "$kind" 'is built' tools/dist/build.sh ${here:+--here} "$kind" || continue
    try "$kind" 'its checksums are right' sums_are_right || :
    for words in "${processors[@]}"; do
        read -r name debian system <<<"$words"
        case $kind in
        tar)
            try tar "$name: runs from the archive alone" tar_runs "$name" || :
            [[ $name != "$processor" ]] || try tar "$name: starts quickly" python3 \
                tools/dist/start.py check "$target/$name-unknown-linux-musl/dist/curt" || :
            ;;
        npm) try npm "$system: its addons need little" npm_needs_little "$name" "$system" || : ;;
        deb) try deb "$debian: lintian is content" deb_pleases_lintian "$(deb_of "$debian")" || : ;;
        esac
    done
    case $kind in
    deb) try deb 'is installed, runs, and is removed' deb_installs "$(cut -d ' ' -f 2 <<<"$this")" || : ;;
    exe) try exe 'runs under Wine' exe_runs || : ;;
    c)
        try c 'libcurt0: lintian is content' deb_pleases_lintian "${c[1]}" || :
        try c 'libcurt-dev: lintian is content' deb_pleases_lintian "${c[2]}" || :
        try c 'is installed, and a program with it runs' c_installs || :
        try c 'a program with the archive runs' c_runs_from_archive || :
        try c 'c-install: a program with it runs' c_installs_natively || :
        try c 'links beside a Rust library' c_links_beside here || :
        try c 'links beside a Rust library of nightly' c_links_beside nightly || :
        [[ -n $here ]] || try c 'runs under Wine' c_runs_on_windows || :
        ;;
    npm)
        try npm 'is installed, and deletes node_modules' npm_runs "$npm_installs" || :
        try npm 'serves Node 18 to 24' npm_runs "$npm_serves_all_nodes" || :
        try npm 'passes signals on' npm_runs "$npm_passes_signals" || :
        [[ -n $here ]] || try npm 'works in Node for Windows' npm_works_on_windows || :
        ;;
    wheel) try wheel 'pip installs it' wheel_installs || : ;;
    python)
        try python 'pip installs the wheel' python_installs --no-index "$(python_of "$processor" gnu)" || :
        try python 'pip installs the checkout, with Rust 1.85' python_installs ./bindings/python || :
        ;;
    gem)
        [[ " ${kinds[*]} " == *' c '* ]] ||
            try gem 'libcurt is built' tools/dist/build.sh --here c || continue
        for release in '' 12; do
            try gem "Debian ${release:-13}: is installed beside libcurt" gem_installs || :
            try gem "Debian ${release:-13}: is installed with the archive" \
                gem_installs_with_archive || :
        done
        release=
        try gem 'is built from the checkout' gem_builds_from_checkout || :
        ;;
    esac
done
echo "$passed passed, $failed failed, $skipped skipped"
((failed == 0))
