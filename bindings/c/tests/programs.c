/* Tests the search for programs, and the reasons that it gives if none is found. */
#include "test.h"

static curt_search_options options;

static void begin(uint32_t policy, uint32_t flags)
{
    memset(&options, 0, sizeof options);
    options.size = sizeof options;
    options.policy = policy;
    options.flags = flags;
}

static void make_program(const text_char *path)
{
    CHECK_INT(make_file(path, 0), 0);
#ifndef _WIN32
    CHECK_INT(chmod(path, 0755), 0);
#endif
}

static const text_char *full(const text_char *name)
{
    static text_char path[4096];
    size_t length;
#ifdef _WIN32
    length = GetCurrentDirectoryW(2000, path);
    path[length++] = '\\';
#else
    CHECK(getcwd(path, 2000) != NULL);
    length = strlen(path);
    path[length++] = '/';
#endif
    memcpy(path + length, name, (count_units(name) + 1) * sizeof *name);
    return path;
}

static text_char folder[4096];

static void start_here(void)
{
    size_t length;
    memcpy(folder, full(T("")), sizeof folder);
    length = count_units(folder) - 1;
    folder[length] = 0;
    options.base = curt_z(folder);
}

static text_char buffer[4096];
static curt_found found;

/* Finds a program with an open search and with a single look-up, which must agree. */
static long long find(curt_str name)
{
    long long one, other;
    curt_search *search = NULL;
    text_char again[4096];
    memset(&found, 0x5a, sizeof found);
    found.size = sizeof found;
    if (curt_search_open(&options, &search, NULL) != 0)
        return curt_find_once(&options, name, (curt_char *)buffer, 4096, &found, NULL);
    one = curt_search_find(search, name, (curt_char *)again, 4096, &found, NULL);
    curt_search_close(search);
    memset(&found, 0x5a, sizeof found);
    found.size = sizeof found;
    other = curt_find_once(&options, name, (curt_char *)buffer, 4096, &found, NULL);
    CHECK_INT(one, other);
    if (one > 0) {
        CHECK(memcmp(buffer, again, ((size_t)one + 1) * sizeof *buffer) == 0);
        CHECK(buffer[one] == 0);
        CHECK_INT(found.reserved, 0);
    }
    return other;
}

static int finds(const char *file, int line, const text_char *name, const text_char *expected)
{
    long long length = find(curt_z(name));
    if (length < 0)
        return check_int(file, line, "the search", length, (long long)count_units(expected));
    return check_text(file, line, "the path", text_of(buffer, (size_t)length), expected);
}
#define FINDS(name, expected) finds(__FILE__, __LINE__, T(name), full(T(expected)))

#ifdef _WIN32
#define LIST ";"
#else
#define LIST ":"
#endif

static void searches_the_given_path(void)
{
    make_dir(T("one"));
    make_dir(T("two"));
    make_program(T("one/first.exe"));
    make_program(T("two/first.exe"));
    make_program(T("two/second.exe"));
    begin(CURT_POLICY_NATIVE, 0);
    start_here();
    options.path = curt_z(T("missing" LIST "one" LIST LIST "two"));
#ifdef _WIN32
    FINDS("first.exe", "one\\first.exe");
#else
    FINDS("first.exe", "one/first.exe");
#endif
    CHECK_INT(found.origin, CURT_ORIGIN_PATH);
    CHECK_INT(found.entry, 1);
    CHECK_INT(found.relative, 1);
#ifdef _WIN32
    CHECK_INT(found.program, CURT_PROGRAM_IMAGE);
#else
    CHECK_INT(found.program, CURT_PROGRAM_EXECUTABLE);
#endif
    CHECK(find(Z("second.exe")) > 0);
    CHECK_INT(found.entry, 3);
    CHECK(find(Z("two/first.exe")) > 0);
    CHECK_INT(found.origin, CURT_ORIGIN_GIVEN);
    CHECK_INT(found.entry, 0);
    CHECK_INT(find(Z("third.exe")), CURT_E_FIND_NOT_FOUND);
    options.path = curt_z(full(T("two")));
    CHECK(find(Z("first.exe")) > 0);
    CHECK_INT(found.relative, 0);
}

static void windows_rules_work_everywhere(void)
{
    make_dir(T("dir"));
    make_program(T("dir/tool.cmd"));
    make_program(T("dir/tool.exe"));
    make_program(T("dir/script.py"));
    begin(CURT_POLICY_CMD, CURT_SEARCH_WINDOWS);
    start_here();
    options.path = Z("dir");
    options.pathext = Z(".CMD;.EXE;.PY");
    CHECK(find(Z("tool")) > 0);
    CHECK_INT(found.program, CURT_PROGRAM_BATCH);
    options.pathext = Z(".EXE;.CMD");
    CHECK(find(Z("tool")) > 0);
    CHECK_INT(found.program, CURT_PROGRAM_IMAGE);
    CHECK(find(Z("TOOL")) > 0);
    CHECK_INT(find(Z("script")), CURT_E_FIND_NOT_FOUND);
    options.pathext = Z(".PY");
    CHECK(find(Z("script")) > 0);
    CHECK_INT(found.program, CURT_PROGRAM_ASSOCIATION);
    begin(CURT_POLICY_LIBUV, CURT_SEARCH_WINDOWS);
    start_here();
    options.path = Z("dir");
    CHECK(find(Z("tool")) > 0);
    CHECK_INT(found.program, CURT_PROGRAM_IMAGE);
    /* The working directory is the base, and only some policies search it. */
    make_program(T("here.exe"));
    CHECK(find(Z("here")) > 0);
    CHECK_INT(found.origin, CURT_ORIGIN_CWD);
    begin(CURT_POLICY_NATIVE, CURT_SEARCH_WINDOWS);
    start_here();
    options.path = Z("dir");
    options.pathext = Z(".EXE");
    CHECK_INT(find(Z("here")), CURT_E_FIND_ONLY_IN_CWD);
}

static void every_policy_is_known(void)
{
    uint32_t policy;
    make_dir(T("dir"));
    make_program(T("dir/tool.exe"));
    for (policy = CURT_POLICY_NATIVE; policy <= CURT_POLICY_ZIG; policy++) {
#ifdef _WIN32
        if (policy == CURT_POLICY_POSIX)
            continue; /* The POSIX policy has no Windows rules, so `:` ends an entry. */
#endif
        begin(policy, CURT_SEARCH_WINDOWS);
        options.path = curt_z(full(T("dir")));
        options.pathext = Z(".EXE");
        if (!CHECK(find(Z("tool.exe")) > 0))
            fprintf(test_state.report, "  by policy %u\n", policy);
        CHECK_INT(found.entry, 0);
    }
    begin(policy, 0);
    CHECK_INT(find(Z("tool.exe")), CURT_E_ARGUMENT);
}

#define MISSES(expected, name) \
    FAILS(expected, curt_find_once(&options, Z(name), NULL, 0, NULL, WHY))

static void says_why_nothing_was_found(void)
{
    static const text_char odd[] = {'x', (text_char)ODD_UNIT, 'y', 0};
    static text_char long_name[301];
    size_t at;
    make_dir(T("dir"));
    make_dir(T("dir/folder.exe"));
    begin(CURT_POLICY_NATIVE, 0);
    options.path = curt_z(full(T("dir")));
    MISSES(CURT_E_FIND_NOT_FOUND, "none.exe");
    CHECK(strcmp(LAST.operation, "find") == 0);
    CHECK_TEXT(LAST.path, T("none.exe"));
    FAILS(CURT_E_FIND_NOT_FOUND, curt_find_once(&options, curt_z(odd), NULL, 0, NULL, WHY));
    CHECK_TEXT(LAST.path, odd);
#ifdef _WIN32
    MISSES(CURT_E_FIND_NOT_FOUND, "folder.exe");
#else
    MISSES(CURT_E_FIND_NOT_EXECUTABLE, "folder.exe");
#endif
    MISSES(CURT_E_FIND_INVALID_NAME, "");
    for (at = 0; at < 300; at++)
        long_name[at] = 'x';
    FAILS(CURT_E_FIND_NAME_TOO_LONG,
          curt_find_once(&options, curt_z(long_name), NULL, 0, NULL, WHY));
    start_here();
    options.base = curt_z(T("/nowhere/at/all"));
    options.path = Z("dir");
    MISSES(CURT_E_FIND_NO_BASE, "none.exe");
    begin(CURT_POLICY_GO, 0);
    start_here();
    make_program(T("dir/tool.exe"));
    options.path = Z("dir");
    MISSES(CURT_E_FIND_RELATIVE, "tool.exe");
}

static int count_each(void *context, curt_str path, const curt_found *of)
{
    int *count = (int *)context;
    CHECK(path.len > 0 && path.ptr[path.len] == 0);
    CHECK_INT(of->size, sizeof *of);
    CHECK_INT(of->origin, CURT_ORIGIN_PATH);
    CHECK_INT(of->entry, *count);
    ++*count;
    return count[0] == count[1];
}

static void finds_all(void)
{
    curt_search *search = NULL;
    int count[2] = {0, -1};
    make_dir(T("one"));
    make_dir(T("two"));
    make_program(T("one/tool.exe"));
    make_program(T("two/tool.exe"));
    begin(CURT_POLICY_NATIVE, 0);
    start_here();
    options.path = curt_z(T("one" LIST "two" LIST "one" LIST "missing"));
    CHECK_INT(WORKS(curt_search_open(&options, &search, WHY)), 0);
    CHECK_INT(WORKS(curt_search_all(search, Z("tool.exe"), count_each, count, WHY)), 2);
    CHECK_INT(count[0], 2);
    count[0] = 0;
    count[1] = 1;
    FAILS_ONCE(CURT_E_STOPPED, curt_search_all(search, Z("tool.exe"), count_each, count, WHY));
    CHECK_INT(count[0], 1);
    FAILS(CURT_E_FIND_NOT_FOUND, curt_search_all(search, Z("none.exe"), count_each, count, WHY));
    curt_search_close(search);
    curt_search_close(NULL);
}

static void the_texts_are_copied(void)
{
    static text_char path[4096];
    curt_search *search = NULL;
    make_dir(T("dir"));
    make_program(T("dir/tool.exe"));
    begin(CURT_POLICY_NATIVE, 0);
    memcpy(path, full(T("dir")), sizeof path);
    options.path = curt_z(path);
    CHECK_INT(WORKS(curt_search_open(&options, &search, WHY)), 0);
    memset(path, 'x', sizeof path);
    memset(&options, 0xff, sizeof options);
    CHECK(WORKS(curt_search_find(search, Z("tool.exe"), NULL, 0, NULL, WHY)) > 0);
    curt_search_close(search);
}

static void reads_the_environment_only_when_asked(void)
{
    make_dir(T("dir"));
    make_program(T("dir/tool.exe"));
    make_program(T("here.exe"));
#ifdef _WIN32
    SetEnvironmentVariableW(L"PATH", full(L"dir"));
#else
    setenv("PATH", full("dir"), 1);
#endif
    CHECK(curt_find_once(NULL, Z("tool.exe"), NULL, 0, NULL, NULL) == CURT_E_FIND_NOT_FOUND);
    /* Go has no default for PATH. */
    begin(CURT_POLICY_GO, 0);
    CHECK_INT(find(Z("tool.exe")), CURT_E_FIND_NOT_FOUND);
    begin(CURT_POLICY_CMD, CURT_SEARCH_WINDOWS);
    CHECK_INT(find(Z("here.exe")), CURT_E_FIND_NOT_FOUND);
    CHECK_INT(find(Z("./here.exe")), CURT_E_FIND_NOT_FOUND);
    CHECK_INT(find(Z("tool.exe")), CURT_E_FIND_NOT_FOUND);
    options.flags |= CURT_SEARCH_ENVIRONMENT;
    CHECK(find(Z("here.exe")) > 0);
    CHECK_INT(found.origin, CURT_ORIGIN_CWD);
    CHECK(find(Z("./here.exe")) > 0);
    CHECK_INT(found.origin, CURT_ORIGIN_GIVEN);
    CHECK_INT(found.relative, 1);
#ifdef _WIN32
    CHECK(find(Z("tool.exe")) > 0);
    SetEnvironmentVariableW(L"PATH", L"Z:\\nowhere");
#else
    begin(CURT_POLICY_GO, CURT_SEARCH_ENVIRONMENT);
    CHECK(find(Z("tool.exe")) > 0);
    setenv("PATH", "/nowhere/poison", 1);
    CHECK_INT(find(Z("tool.exe")), CURT_E_FIND_NOT_FOUND);
#endif
}

#ifdef _WIN32

static void finds_names_with_lone_surrogates(void)
{
    static const wchar_t name[] = {'d', 'i', 'r', '\\', 0xd800, '.', 'e', 'x', 'e', 0};
    make_dir(L"dir");
    if (make_file(name, 0) != 0) {
        SKIP("files cannot have such names here");
        return;
    }
    begin(CURT_POLICY_NATIVE, 0);
    options.path = curt_z(full(L"dir"));
    if (CHECK(find(curt_z(name + 4)) > 0))
        CHECK_TEXT(curt_z(buffer), full(name));
}

#else

/* Runs a program with execvp of the C library: the script prints its own path. Returns the errno
 * or 0. */
static int run_by_execvp(const char *path, const char *name, char *printed, size_t size)
{
    int ends[2], status = 0;
    ssize_t length;
    pid_t child;
    CHECK_INT(pipe2(ends, O_CLOEXEC), 0);
    child = fork();
    if (child == 0) {
        char *arguments[] = {(char *)name, NULL};
        dup2(ends[1], 1);
        setenv("PATH", path, 1);
        execvp(name, arguments);
        _exit(errno);
    }
    close(ends[1]);
    memset(printed, 0, size);
    length = read(ends[0], printed, size - 1);
    close(ends[0]);
    waitpid(child, &status, 0);
    if (length > 0)
        printed[length - 1] = 0;
    return length > 0 ? 0 : WEXITSTATUS(status);
}

static void make_script(const char *path, mode_t mode)
{
    FILE *script = fopen(path, "we");
    CHECK(script != NULL && fputs("#!/bin/sh\necho \"$0\"\n", script) >= 0 && fclose(script) == 0);
    CHECK_INT(chmod(path, mode), 0);
}

static void compare_with_execvp(void)
{
    static const char *const paths[] = {
        "one:two", "two:one", "missing:one", ":two", "one:", "", "locked:two", "locked",
        "one/tool:two", "loop:two", ".", "plain", "plain:two", "folder:two", "folder",
    };
    static const char *const names[] = {
        "tool", "other", "none", "./tool", "two/tool", "two", "plain/tool", "loop/x", "tool/",
    };
    size_t path, name;
    for (path = 0; path < sizeof paths / sizeof *paths; path++) {
        for (name = 0; name < sizeof names / sizeof *names; name++) {
            char printed[4096];
            int number = run_by_execvp(paths[path], names[name], printed, sizeof printed);
            struct stat theirs, ours;
            long long result;
            int good;
            begin(CURT_POLICY_POSIX, 0);
            start_here();
            options.path = curt_z(paths[path]);
            result = find(curt_z(names[name]));
            if (number == 0) {
                good = CHECK_INT(stat(printed, &theirs), 0);
                good &= CHECK(result > 0 && stat(buffer, &ours) == 0
                              && ours.st_ino == theirs.st_ino);
            } else if (number == EACCES) {
                good = CHECK(result == CURT_E_FIND_NOT_EXECUTABLE || result == CURT_E_FIND_DENIED);
            } else if (number == ELOOP) {
                good = CHECK_INT(result, CURT_E_FIND_LINK_LOOP);
            } else {
                good = CHECK(result <= CURT_E_FIND_NOT_FOUND && result > CURT_E_REFUSED_EMPTY);
            }
            if (!good)
                fprintf(test_state.report, "  PATH=%s %s: execvp %d '%s', curt %lld '%s'\n",
                        paths[path], names[name], number, printed, result,
                        result > 0 ? buffer : curt_text((int)result));
        }
    }
    begin(CURT_POLICY_POSIX, 0);
    start_here();
    options.path = Z("locked");
    MISSES(CURT_E_FIND_DENIED, "tool");
    MISSES(CURT_E_FIND_LINK_LOOP, "loop/x");
    options.path = Z("plain");
    MISSES(CURT_E_FIND_NOT_EXECUTABLE, "tool");
}

static void finds_what_execvp_starts(void)
{
    make_dir("one");
    make_dir("two");
    make_dir("plain");
    make_dir("folder");
    make_dir("folder/tool");
    make_dir("locked");
    make_script("one/tool", 0755);
    make_script("two/tool", 0755);
    make_script("two/other", 0755);
    make_script("tool", 0755);
    make_script("plain/tool", 0644);
    make_script("locked/tool", 0755);
    CHECK_INT(symlink("loop", "loop"), 0);
    CHECK_INT(chmod("locked", 0), 0);
    as_nobody(compare_with_execvp);
}

#endif

BEGIN_TESTS
    test(searches_the_given_path),
    test(windows_rules_work_everywhere),
    test(every_policy_is_known),
    test(says_why_nothing_was_found),
    test(finds_all),
    test(the_texts_are_copied),
    test(reads_the_environment_only_when_asked),
#ifdef _WIN32
    test(finds_names_with_lone_surrogates),
#else
    test(finds_what_execvp_starts),
#endif
END_TESTS
