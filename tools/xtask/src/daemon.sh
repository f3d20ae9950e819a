# Runs a test program as `daemon`, because root does not see some failures that users see. If daemon
# cannot reach the checkout, the target directory or the compiler, for example in /root, a mount
# namespace hides their parents and shows these three at their usual paths. Arguments: the three
# directories, then the program and its arguments.
daemon='setpriv --reuid=1 --regid=1 --clear-groups'
checkout=$1 target=$2 compiler=$3

show() {
    mount -t tmpfs tmp /mnt
    mkdir /mnt/1 /mnt/2 /mnt/3
    mount --rbind "$checkout" /mnt/1
    mount --rbind "$target" /mnt/2
    mount --rbind "$compiler" /mnt/3
    for place in "$checkout" "$target" "$compiler"; do
        closed=$place
        while ! $daemon test -x "${closed%/*}/"; do closed=${closed%/*}; done
        # Skip a directory whose closed parent was already replaced: it is accessible now.
        if [ "$closed" != "$place" ] && [ -d "$closed" ]; then mount -t tmpfs -o mode=755 tmp "$closed"; fi
    done
    mkdir -p "$checkout" "$target" "$compiler"
    mount --move /mnt/1 "$checkout"
    mount --move /mnt/2 "$target"
    mount --move /mnt/3 "$compiler"
    umount /mnt
}

if [ "${CURT_SHOWN:-}" ]; then
    here=$PWD
    show
    cd "$here"
elif ! $daemon test -x "$checkout" -a -x "$target" -a -x "$compiler"; then
    # Without mount namespaces, the program may still work.
    if unshare --mount true; then CURT_SHOWN=1 exec unshare --mount sh -eu "$0" "$@"; fi
fi
shift 3
exec $daemon env -u CURT_SHOWN HOME="${TMPDIR:-/tmp}" RUSTC="$compiler/bin/rustc" "$@"
