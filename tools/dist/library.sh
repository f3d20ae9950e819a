#!/usr/bin/env bash
# Runs in the Debian root. Builds libcurt with cargo-c, and packs it as an archive and two Debian
# packages for this processor, and as an archive for Windows. The static library for Linux consists
# of a single object file.
# usage: library.sh FOLDER VERSION PROCESSOR DEBIAN'S-NAME WHO SOURCE_DATE_EPOCH [windows]
set -euo pipefail
folder=$1 version=$2 processor=$3 debian=$4 who=$5
export SOURCE_DATE_EPOCH=$6
windows=${7:-}
here=tools/dist
libraries=usr/lib/$processor-linux-gnu

build() { # DESTINATION ARGUMENT…
    local destination=$1
    shift
    rm -rf "$destination"
    cargo cinstall --locked --release --package curt-capi --destdir "$destination" \
        --prefix /usr --library-type cdylib --library-type staticlib "$@"
}

pack() { # NAME FOLDER: a reproducible archive, independent of time and user
    tar --create --format=ustar --sort=name --owner=0 --group=0 --numeric-owner \
        --mode=a+rX,u+w,go-w --mtime="@$SOURCE_DATE_EPOCH" --transform="s,^\.,$1," \
        --use-compress-program='gzip -9n' --file "$folder/$1.tar.gz" -C "$2" .
}

# Makes the paths in curt.pc relative to the archive.
complete() { # FOLDER
    mkdir -p "$1/share/doc/libcurt"
    cp CHANGELOG.md LICENSE-APACHE LICENSE-MIT "$1/share/doc/libcurt"
    sed -i -e 's,^prefix=.*,prefix=${pcfiledir}/../..,' -e 's,^libdir=.*,libdir=${prefix}/lib,' \
        "$1/lib/pkgconfig/curt.pc"
}

package() { # NAME FOLDER SECTION FIELDS…: a Debian package with the contents of the folder
    local name=$1 from=$2 section=$3 doc=$2/usr/share/doc/$1
    shift 3
    mkdir -p "$doc" "$from/DEBIAN"
    cp crates/curt-cli/debian/copyright "$doc"
    printf 'curt (%s) unstable; urgency=medium\n\n  * Release %s.\n\n -- %s  %s\n' "$version" \
        "$version" "$who" "$(date -u -R -d "@$SOURCE_DATE_EPOCH")" | gzip -9n >"$doc/changelog.gz"
    {
        printf '%s\n' "Package: $name" 'Source: curt' "Version: $version" "Architecture: $debian" \
            "Maintainer: $who" "Section: $section" 'Priority: optional' 'Multi-Arch: same' \
            "Installed-Size: $(du -k -s "$from" | cut -f 1)" "$@"
        cat <<'DESCRIPTION'
 Removes, lists and measures trees, reads metadata, finds programs, expands
 paths by the rules of several systems, and opens untrusted paths beneath a
 root directory. Few system calls, no thread unless asked for, nothing printed.
DESCRIPTION
    } >"$from/DEBIAN/control"
    chmod -R a+rX,u+w,go-w "$from"
    (cd "$from" && find usr -type f -print0 | sort -z | xargs -0 md5sum >DEBIAN/md5sums)
    find "$from" -exec touch --no-dereference --date="@$SOURCE_DATE_EPOCH" {} +
    dpkg-deb --root-owner-group --build "$from" "$folder/${name}_${version}_$debian.deb" >/dev/null
}

mkdir -p "$folder"
root=$folder/root
linker=CARGO_TARGET_${processor^^}_UNKNOWN_LINUX_GNU_LINKER
export "$linker=$PWD/$here/link-libcurt.sh"
build "$root" --libdir "/$libraries"
"$here/one-object.sh" "$root/$libraries/libcurt.a" "$folder/libcurt.a"
mv "$folder/libcurt.a" "$root/$libraries/libcurt.a"

stem=libcurt-$version-$processor-unknown-linux-gnu
rm -rf "$folder/archive"
mkdir -p "$folder/archive/lib"
cp -a "$root/usr/include" "$folder/archive"
cp -a "$root/$libraries"/* "$folder/archive/lib"
complete "$folder/archive"
pack "$stem" "$folder/archive"

runtime=$folder/libcurt0 development=$folder/libcurt-dev
rm -rf "$runtime" "$development"
mkdir -p "$runtime/$libraries" "$runtime/DEBIAN" "$development/usr"
cp -a "$root/$libraries"/libcurt.so.* "$runtime/$libraries"
chmod 644 "$runtime/$libraries/libcurt.so.$version"
echo "libcurt 0 libcurt0 (>= $version)" >"$runtime/DEBIAN/shlibs"
echo 'activate-noawait ldconfig' >"$runtime/DEBIAN/triggers"
oldest=$(objdump -T "$runtime/$libraries"/libcurt.so.0 | grep -o 'GLIBC_[0-9.]*' | sort -uV | tail -n 1)
package libcurt0 "$runtime" libs "Depends: libc6 (>= ${oldest#GLIBC_}), libgcc-s1 (>= 4.2)" \
    'Description: filesystem operations with few system calls: library'
cp -a "$root/usr/include" "$root/usr/lib" "$development/usr"
rm "$development/$libraries"/libcurt.so.*
package libcurt-dev "$development" libdevel "Depends: libcurt0 (= $version), libc6-dev" \
    'Description: filesystem operations with few system calls: development files'

[[ $windows ]] || exit 0
target=x86_64-pc-windows-gnu stem=libcurt-$version-x86_64-pc-windows-gnu
export RUSTC_BOOTSTRAP=1 CARGO_UNSTABLE_BUILD_STD='std panic_unwind'
objects=$folder/runtime
mkdir -p "$objects"
for name in rsbegin rsend; do
    rustc --target "$target" --crate-type lib --emit obj -o "$objects/$name.o" \
        "$(rustc --print sysroot)/lib/rustlib/src/rust/library/rtstartup/$name.rs"
done
export CARGO_TARGET_X86_64_PC_WINDOWS_GNU_LINKER=x86_64-w64-mingw32-gcc
export CARGO_TARGET_X86_64_PC_WINDOWS_GNU_RUSTFLAGS="-Lnative=$objects"
build "$folder/windows" --libdir /usr/lib --bindir /usr/bin --target "$target"
complete "$folder/windows/usr"
pack "$stem" "$folder/windows/usr"
