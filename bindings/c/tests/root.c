/* Canonical paths, compared with realpath, and files opened beneath a root. */
#include "test.h"

static void make_tree(void)
{
    make_dir(T("tree"));
    make_dir(T("tree/dir"));
    make_file(T("tree/file"), 4);
    make_file(T("tree/dir/below"), 7);
    make_file(T("secret"), 9);
}

/* ---- canonical names ---- */

static text_char name[8192];

#define CANONICAL(path, flags) \
    curt_canonical(curt_z(path), flags, (curt_char *)name, sizeof name / sizeof *name, WHY)

static void missing_names_are_kept_as_asked(void)
{
    long long here;
    make_tree();
    here = WORKS(CANONICAL(T("tree"), 0));
    CHECK(here > 4);
    FAILS(CURT_E_OS, CANONICAL(T("tree/missing"), 0));
    CHECK_INT(LAST.os_error, NO_SUCH_FILE);
    CHECK(strcmp(LAST.operation, "canonicalize") == 0);
    CHECK_INT(WORKS(CANONICAL(T("tree/missing"), CURT_CANONICAL_MISSING_LAST)), here + 8);
    CHECK(curt_canonical(Z("tree/missing/too"), CURT_CANONICAL_MISSING_LAST, NULL, 0, NULL)
          == CURT_E_OS);
    CHECK_INT(WORKS(CANONICAL(T("tree/missing/too"), CURT_CANONICAL_MISSING_ANY)), here + 12);
    FAILS(CURT_E_OS, CANONICAL(T(""), 0));
}

/* ---- a root ---- */

static curt_root *open_root(curt_str path, uint32_t flags)
{
    curt_root *root = NULL;
    CHECK_INT(WORKS(curt_root_open(path, flags, &root, WHY)), 0);
    return root;
}

static curt_fd opened;

/* The first bytes of the opened file. `open_beneath` returns the size of the file, or an error. */
static char content[64];

static long long open_beneath(const curt_root *root, curt_str path, uint32_t flags, uint32_t mode)
{
    int result;
    SIZED(curt_open_options, options);
    options.flags = flags;
    options.mode = mode;
    opened = CURT_CWD;
    result = curt_root_open_file(root, path, flags == CURT_OPEN_READ ? NULL : &options, &opened,
                                 test_state.why);
    memset(content, 0, sizeof content);
    if (result != 0) {
        CHECK(opened == CURT_CWD);
        return result;
    }
#ifdef _WIN32
    {
        DWORD length = 0;
        LARGE_INTEGER size;
        size.QuadPart = 0;
        GetFileSizeEx(opened, &size);
        if (flags & CURT_OPEN_READ)
            ReadFile(opened, content, sizeof content - 1, &length, NULL);
        CHECK(CloseHandle(opened));
        return size.QuadPart;
    }
#else
    {
        struct stat metadata;
        CHECK_INT(fcntl(opened, F_GETFD), FD_CLOEXEC);
        CHECK_INT(fstat(opened, &metadata), 0);
        if (flags & CURT_OPEN_READ && !S_ISDIR(metadata.st_mode))
            CHECK(read(opened, content, sizeof content - 1) >= 0);
        CHECK_INT(close(opened), 0);
        return metadata.st_size;
    }
#endif
}

#define OPEN(path, flags) open_beneath(root, Z(path), flags, 0)

static void opens_and_creates_as_asked(void)
{
    curt_root *root;
    make_tree();
    root = open_root(Z("tree"), 0);
    CHECK_INT(WORKS(OPEN("file", CURT_OPEN_READ)), 4);
    CHECK(strcmp(content, "xxxx") == 0);
    CHECK_INT(WORKS(OPEN("dir/below", CURT_OPEN_READ | CURT_OPEN_NONBLOCKING)), 7);
    FAILS(CURT_E_OS, OPEN("new", CURT_OPEN_WRITE));
    CHECK_INT(LAST.os_error, NO_SUCH_FILE);
    CHECK(strcmp(LAST.operation, "open") == 0);
    CHECK_INT(WORKS(OPEN("new", CURT_OPEN_WRITE | CURT_OPEN_CREATE)), 0);
    FAILS(CURT_E_OS, OPEN("new", CURT_OPEN_WRITE | CURT_OPEN_CREATE_NEW));
    CHECK_INT(WORKS(OPEN("newer", CURT_OPEN_WRITE | CURT_OPEN_CREATE_NEW)), 0);
    CHECK_INT(WORKS(OPEN("file", CURT_OPEN_APPEND)), 4);
    CHECK_INT(WORKS(OPEN("file", CURT_OPEN_READ | CURT_OPEN_WRITE)), 4);
    CHECK_INT(WORKS(OPEN("file", CURT_OPEN_WRITE | CURT_OPEN_TRUNCATE)), 0);
    CHECK_INT(WORKS(OPEN("file", CURT_OPEN_READ)), 0);
    FAILS(CURT_E_REFUSED_ESCAPE, OPEN("../new", CURT_OPEN_WRITE | CURT_OPEN_CREATE));
    FAILS(CURT_E_REFUSED_NUL, open_beneath(root, text_of(T("file\0x"), 6), CURT_OPEN_READ, 0));
    CHECK(exists(T("tree/new")) && !exists(T("new")));
    curt_root_close(root);
    curt_root_close(NULL);
}

static void flags_that_contradict_each_other_are_refused(void)
{
    curt_root *root = NULL;
    make_tree();
    FAILS(CURT_E_OS, curt_root_open(Z("missing"), 0, &root, WHY));
    CHECK(root == NULL && LAST.os_error == NO_SUCH_FILE);
    root = open_root(Z("tree"), 0);
    FAILS(CURT_E_ARGUMENT, OPEN("file", 0));
    FAILS(CURT_E_ARGUMENT, OPEN("file", CURT_OPEN_CREATE));
    FAILS(CURT_E_ARGUMENT, OPEN("file", CURT_OPEN_APPEND | CURT_OPEN_TRUNCATE));
    curt_root_close(root);
}

#ifndef _WIN32

static void canonical_agrees_with_realpath(void)
{
    static const char *const paths[] = {
        ".", "..", "/", "//", "tree", "tree/", "tree/.", "tree/dir/..", "tree//dir///below",
        "tree/file", "tree/file/", "tree/file/..", "link", "link/", "link/file", "link/../secret",
        "loop", "loop/x", "broken", "missing", "missing/x", "tree/chain", "tree/absolute", "",
        "tree/dir/below/x", "/dev/null", "/proc/self/cwd", "40", "41", "40/file", "45/..",
        "19/../21/file", "19/../22/file",
    };
    size_t at;
    char from[16] = "tree", to[16];
    make_tree();
    for (at = 1; at < 46; at++) {
        snprintf(to, sizeof to, "%d", (int)at);
        CHECK_INT(symlink(from, to), 0);
        memcpy(from, to, sizeof to);
    }
    CHECK_INT(symlink("tree/dir/..", "link"), 0);
    CHECK_INT(symlink("loop", "loop"), 0);
    CHECK_INT(symlink("nowhere", "broken"), 0);
    CHECK_INT(symlink("../link/dir/below", "tree/chain"), 0);
    CHECK_INT(symlink("/dev/./null", "tree/absolute"), 0);
    for (at = 0; at < sizeof paths / sizeof *paths; at++) {
        char *authority = realpath(paths[at], NULL);
        int number = errno;
        long long result;
        curt_error *error = NULL;
        memset(name, 0, sizeof name);
        result = curt_canonical(curt_z(paths[at]), CURT_CANONICAL_FEW_LINKS, (curt_char *)name,
                                sizeof name, &error);
        if (authority != NULL) {
            if (CHECK(result > 0))
                CHECK_TEXT(text_of(name, (size_t)result), authority);
        } else {
            SIZED(curt_error_info, info);
            CHECK_INT(curt_error_get(error, &info), 0);
            if (!CHECK_INT(info.os_error, number))
                fprintf(test_state.report, "  '%s': realpath %d, curt %lld, %d\n", paths[at],
                        number, result, (int)info.os_error);
        }
        curt_error_free(error);
        free(authority);
    }
}

static void new_files_have_the_mode(void)
{
    struct stat metadata;
    curt_root *root;
    make_tree();
    root = open_root(Z("tree"), 0);
    CHECK_INT(WORKS(OPEN("usual", CURT_OPEN_WRITE | CURT_OPEN_CREATE)), 0);
    CHECK_INT(WORKS(open_beneath(root, Z("own"), CURT_OPEN_WRITE | CURT_OPEN_CREATE_NEW, 0670)), 0);
    CHECK_INT(stat("tree/usual", &metadata), 0);
    CHECK_INT(metadata.st_mode & 07777, 0644);
    CHECK_INT(stat("tree/own", &metadata), 0);
    CHECK_INT(metadata.st_mode & 07777, 0650);
    curt_root_close(root);
}

static long long open_as(const curt_root *root, int flags, uint32_t mode)
{
    struct stat metadata;
    int result;
    SIZED(curt_open_options, options);
    options.flags = CURT_OPEN_SYSTEM;
    options.mode = mode;
    options.system_flags = flags;
    result = curt_root_open_file(root, Z("file"), &options, &opened, test_state.why);
    if (result != 0)
        return result;
    CHECK_INT(fstat(opened, &metadata), 0);
    CHECK_INT(close(opened), 0);
    return metadata.st_size;
}

static void system_flags_are_those_of_open(void)
{
    curt_root *root;
    struct stat metadata;
    make_tree();
    root = open_root(Z("tree"), 0);
    CHECK_INT(WORKS(open_as(root, O_RDONLY, 0)), 4);
    FAILS(CURT_E_OS, open_as(root, O_WRONLY | O_CREAT | O_EXCL, 0));
    CHECK_INT(LAST.os_error, EEXIST);
    CHECK_INT(WORKS(open_as(root, O_WRONLY | O_TRUNC, 0)), 0);
    CHECK_INT(unlink("tree/file"), 0);
    CHECK_INT(WORKS(open_as(root, O_CREAT, 0)), 0);
    CHECK_INT(stat("tree/file", &metadata), 0);
    CHECK_INT(metadata.st_mode & 07777, 0);
    FAILS(CURT_E_ARGUMENT, open_as(root, O_DIRECTORY, 0));
    FAILS(CURT_E_ARGUMENT, OPEN("file", CURT_OPEN_SYSTEM | CURT_OPEN_READ));
    curt_root_close(root);
}

#endif

BEGIN_TESTS
    test(missing_names_are_kept_as_asked),
    test(opens_and_creates_as_asked),
    test(flags_that_contradict_each_other_are_refused),
#ifndef _WIN32
    test(canonical_agrees_with_realpath),
    test(new_files_have_the_mode),
    test(system_flags_are_those_of_open),
#endif
END_TESTS
