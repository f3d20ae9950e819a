# Runs one of GNU's tests in the Debian root, in a private mount namespace in which only a new tmpfs
# is writable. Exits with the test's status, 77 if it skipped itself. Arguments: the built tree, a
# link to the program that replaces GNU's (or empty), the test, the user, the name of the program.
tree=$1 program=$2 test=$3 user=$4 name=$5
mount --rbind / /mnt
mount -o remount,bind,ro=recursive /mnt
mount -t tmpfs -o mode=1777 tmp /mnt/tmp
# Some tests need two filesystems.
mount -t tmpfs -o mode=1777,size=16m tmp /mnt/var/tmp
folder=/mnt/tmp/suite
mkdir -p "$folder/src"
ln -s "$tree/lib" "$folder/lib"
for built in rm cp ls du stat readlink realpath getlimits; do
    ln -s "$tree/src/$built" "$folder/src/$built"
done
[ -z "$program" ] || ln -sf "$program" "$folder/src/$name"
chown "$user:" "$folder"

exec unshare --pid --fork --kill-child=KILL chroot /mnt sh -euc '
    tree=$1 test=$2 user=$3
    mount -t proc proc /proc
    cd /tmp/suite
    value() { sed -n "s/^$1 = //p" "$tree/Makefile" | head -n 1; }
    . "$tree/tests/lang-default"
    # Set the variables that `make check` sets, with this directory as the build directory.
    export VERSION="$(value VERSION)" PACKAGE_VERSION="$(value VERSION)" LOCALE_FR=none \
        LOCALE_FR_UTF8=none LOCALE_JA=none LOCALE_TR_UTF8=none LOCALE_ZH_CN=none \
        abs_top_builddir=$PWD abs_top_srcdir=$tree abs_srcdir=$tree srcdir=$tree \
        top_srcdir=$tree built_programs="$(value built_programs)" host_os=linux-gnu \
        host_triplet="$(value host_triplet)" CONFIG_HEADER=$tree/lib/config.h \
        CU_TEST_NAME="suite,$test" CC=gcc AWK=mawk EGREP="grep -E" EXEEXT= MAKE=make PERL=perl \
        RUN_EXPENSIVE_TESTS=yes SHELL=/bin/bash TMPDIR=/tmp PATH="$PWD/src:$PATH"
    perl="perl -w -I$tree/tests -MCuSkip -MCoreutils -MCuTmpdir=${test##*/}"
    case $test in
    *.sh) set -- /bin/bash "$tree/tests/$test" ;;
    *.pl) set -- $perl "$tree/tests/$test" ;;
    *.xpl) set -- ${perl%% *} -T ${perl#* } "$tree/tests/$test" ;;
    esac
    exec setpriv --reuid "$user" --regid "$(id -g "$user")" --clear-groups \
        timeout --kill-after=5 120 "$@" 9>&2
' sh "$tree" "$test" "$user"
