/* Shared by the tests in C: a list of tests, checks that print values, and a scratch folder.
 *
 *     static void removes_a_file(void)
 *     {
 *         make_file(T("file"), 3);
 *         CHECK_INT(WORKS(curt_remove(CURT_CWD, Z("file"), NULL, NULL, NULL, WHY)), 0);
 *         FAILS(CURT_E_OS, curt_remove(CURT_CWD, Z("file"), NULL, NULL, NULL, WHY));
 *     }
 *     BEGIN_TESTS test(removes_a_file), test(...) END_TESTS
 *
 * A program gets a scratch folder as its argument, prints a line for each test, and exits with 0
 * only if all passed. Each test runs in its own subfolder, with invalid PATH and HOME.
 * Every test also checks the rules for all functions: no output, and no changed signal handlers,
 * masks or variables, no leaked descriptors or threads.
 *
 * The tests use the common subset of C99 and C++11. */
#ifndef TEST_H
#define TEST_H

#ifdef _WIN32
#define __USE_MINGW_ANSI_STDIO 1
#elif !defined(_GNU_SOURCE)
#define _GNU_SOURCE
#endif

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#ifdef _WIN32
#include <windows.h>

#include <fcntl.h>
#include <io.h>
#else
#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>
#endif
#ifdef __linux__
#include <sched.h>
#include <sys/mount.h>
#endif

#include <curt.h>

/* ---- texts of this system ---- */

#ifdef _WIN32
typedef wchar_t text_char;
#define T(literal) L##literal
#define count_units wcslen
#define NO_SUCH_FILE 2 /* ERROR_FILE_NOT_FOUND */
#define ODD_UNIT 0xd800
#define SEPARATOR "\\"
#else
typedef char text_char;
#define T(literal) literal
#define count_units strlen
#define NO_SUCH_FILE ENOENT
#define SEPARATOR "/"
#define ODD_UNIT 0xff /* Like 0xd800, not valid Unicode alone. */
#endif
#define Z(literal) curt_z(T(literal))

static inline curt_str text_of(const void *units, size_t len)
{
    curt_str text;
    text.ptr = (const curt_char *)units;
    text.len = len;
    return text;
}

static inline int same(curt_str text, const text_char *expected)
{
    size_t len = count_units(expected);
    return text.len == len && (len == 0 || memcmp(text.ptr, expected, len * sizeof *expected) == 0);
}

/* ---- checks ---- */

struct test {
    const char *name;
    void (*run)(void);
};
#define test(name) { #name, name }

struct test_state {
    FILE *report;  /* the standard output, read by the runner */
    int failures;  /* of this test */
    int skipped;
    curt_error *error;
    curt_error **why; /* NULL, or receives the error */
    curt_error_info info;
    char operation[32];
    char text[1024];
    text_char path[1024], destination[1024];
};
static struct test_state test_state;

static inline int failure(const char *file, int line, const char *format, ...)
{
    va_list arguments;
    test_state.failures++;
    fprintf(test_state.report, "%s:%d: ", file, line);
    va_start(arguments, format);
    vfprintf(test_state.report, format, arguments);
    va_end(arguments);
    fputc('\n', test_state.report);
    fflush(test_state.report);
    return 0;
}

static inline int check_int(const char *file, int line, const char *what, long long is,
                            long long expected)
{
    if (is == expected)
        return 1;
    return failure(file, line, "%s is %lld (%s), not %lld", what, is,
                   is < 0 ? curt_text((int)is) : "", expected);
}

static inline void print_text(curt_str text)
{
    size_t at;
    for (at = 0; at < text.len && at < 400; at++) {
        unsigned unit = text.ptr[at] & (sizeof *text.ptr == 1 ? 0xffu : 0xffffu);
        fprintf(test_state.report, unit >= ' ' && unit < 127 ? "%c" : "\\x{%x}", unit);
    }
    fputc('\n', test_state.report);
}

static inline int check_text(const char *file, int line, const char *what, curt_str is,
                             const text_char *expected)
{
    if (same(is, expected))
        return 1;
    failure(file, line, "%s differs: is, and should be:", what);
    print_text(is);
    print_text(curt_z(expected));
    return 0;
}

/* Each check returns whether it holds; a failed check does not end the test. */
#define CHECK(condition) \
    ((condition) ? 1 : failure(__FILE__, __LINE__, "%s", #condition))
#define CHECK_INT(is, expected) \
    check_int(__FILE__, __LINE__, #is, (long long)(is), (long long)(expected))
#define CHECK_TEXT(is, expected) check_text(__FILE__, __LINE__, #is, is, expected)

/* The last argument of a call, which receives the error. Before, the error points at garbage. */
#define WHY (test_state.why)

static inline void expect_error(int wanted)
{
    test_state.error = (curt_error *)&test_state;
    test_state.why = wanted ? &test_state.error : NULL;
}

static inline long long expect_success(const char *file, int line, const char *call,
                                       long long result)
{
    if (result < 0) {
        curt_error_info info;
        info.size = sizeof info;
        if (curt_error_get(test_state.error, &info) != 0)
            info.text = "";
        failure(file, line, "%s is %lld: %s (%s)", call, result, curt_text((int)result), info.text);
        curt_error_free(test_state.error);
    } else if (test_state.error != NULL) {
        failure(file, line, "%s succeeds, and the error is not NULL", call);
    }
    test_state.error = NULL;
    return result;
}

static inline int expect_failure(const char *file, int line, const char *call, long long result,
                                 int expected)
{
    curt_error_info info;
    int good = check_int(file, line, call, result, expected);
    memset(&info, 0, sizeof info);
    info.size = sizeof info;
    if (result >= 0 || test_state.error == NULL || test_state.error == (curt_error *)&test_state) {
        test_state.error = NULL;
        return failure(file, line, "%s leaves no error object", call);
    }
    good &= check_int(file, line, "curt_error_get", curt_error_get(test_state.error, &info), 0);
    good &= check_int(file, line, "result of the error", info.result, result);
    good &= check_int(file, line, "length of its text", (long long)info.text_len,
                      (long long)strlen(info.text));
    /* An error of an operation has an error number, even if curt refused the operation. */
    if (info.text_len == 0 || (info.operation != NULL) != (info.os_error != 0))
        good = failure(file, line, "text '%s', number %d", info.text, (int)info.os_error);
    test_state.info = info;
    if (info.operation != NULL)
        test_state.info.operation = strncpy(test_state.operation, info.operation,
                                            sizeof test_state.operation - 1);
    memset(test_state.text, 0, sizeof test_state.text);
    strncpy(test_state.text, info.text, sizeof test_state.text - 1);
    memset(test_state.path, 0, sizeof test_state.path);
    if (info.path.len < sizeof test_state.path / sizeof *test_state.path)
        memcpy(test_state.path, info.path.ptr, info.path.len * sizeof *test_state.path);
    memset(test_state.destination, 0, sizeof test_state.destination);
    if (info.destination.len < sizeof test_state.destination / sizeof *test_state.destination)
        memcpy(test_state.destination, info.destination.ptr,
               info.destination.len * sizeof *test_state.destination);
    test_state.info.destination.ptr = (const curt_char *)test_state.destination;
    test_state.info.text = test_state.text;
    test_state.info.path.ptr = (const curt_char *)test_state.path;
    curt_error_free(test_state.error);
    test_state.error = NULL;
    return good;
}

/* Checks that a call with `WHY` as its last argument succeeds, or fails with this result. `FAILS`
 * makes the call twice, first without an error object; use `FAILS_ONCE` if the first call would
 * affect the second. */
#define WORKS(call) (expect_error(1), expect_success(__FILE__, __LINE__, #call, (long long)(call)))
#define FAILS_ONCE(expected, call) \
    (expect_error(1), expect_failure(__FILE__, __LINE__, #call, (long long)(call), expected))
#define FAILS(expected, call) \
    (expect_error(0), (void)CHECK_INT(call, expected), FAILS_ONCE(expected, call))
#define LAST (test_state.info)

#define SKIP(reason) (test_state.skipped = 1, skip_test(reason))
static inline void skip_test(const char *reason)
{
    fprintf(test_state.report, "(%s) ", reason);
}

#define SIZED(type, name) \
    type name; \
    memset(&name, 0, sizeof name); \
    name.size = sizeof name

/* ---- files ---- */

#ifdef _WIN32

static inline int make_dir(const text_char *path)
{
    return CreateDirectoryW(path, NULL) ? 0 : -1;
}

static inline int make_file(const text_char *path, size_t size)
{
    HANDLE file = CreateFileW(path, GENERIC_WRITE, 0, NULL, CREATE_ALWAYS, 0, NULL);
    DWORD written = 1;
    while (size > 0 && written == 1) {
        WriteFile(file, "x", 1, &written, NULL);
        size--;
    }
    return file == INVALID_HANDLE_VALUE || !CloseHandle(file) ? -1 : 0;
}

static inline int exists(const text_char *path)
{
    return GetFileAttributesW(path) != INVALID_FILE_ATTRIBUTES;
}

#else

static inline int make_dir(const text_char *path)
{
    return mkdir(path, 0777);
}

static inline int make_file(const text_char *path, size_t size)
{
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    char block[4096];
    memset(block, 'x', sizeof block);
    while (file >= 0 && size > 0) {
        ssize_t written = write(file, block, size < sizeof block ? size : sizeof block);
        if (written <= 0)
            return -1;
        size -= (size_t)written;
    }
    return file < 0 ? -1 : close(file);
}

static inline int exists(const text_char *path)
{
    struct stat metadata;
    return lstat(path, &metadata) == 0;
}

/* Runs a part of a test in a child without root's rights, which would hide failures. */
static inline void as_nobody(void (*part)(void))
{
    int status = 1;
    pid_t child;
    CHECK_INT(chmod(".", 0777), 0);
    fflush(NULL);
    child = fork();
    if (child == 0) {
        if (geteuid() == 0 && (setgid(65534) != 0 || setuid(65534) != 0))
            _exit(2);
        test_state.failures = 0;
        part();
        fflush(test_state.report);
        _exit(test_state.failures != 0);
    }
    CHECK_INT(waitpid(child, &status, 0), child);
    CHECK_INT(status, 0);
}

#endif

/* ---- side effects ---- */

#ifdef _WIN32
#define this_thread GetCurrentThreadId
typedef DWORD thread_id;
#else
#define this_thread pthread_self
typedef pthread_t thread_id;
#endif

static inline int is_thread(thread_id thread)
{
#ifdef _WIN32
    return thread == GetCurrentThreadId();
#else
    return pthread_equal(thread, pthread_self());
#endif
}

#ifdef __linux__

static inline void map_ids(const char *map, unsigned outside)
{
    FILE *file = fopen(map, "w");
    CHECK(file != NULL && fprintf(file, "0 %u 1", outside) > 0 && fclose(file) == 0);
}

/* Runs a part of a test in a child with a private mount namespace. */
static inline void with_own_mounts(void (*part)(void))
{
    enum { NO_NAMESPACE = 77 };
    int status = 1;
    pid_t child;
    fflush(NULL);
    child = fork();
    if (child == 0) {
        unsigned user = geteuid(), group = getegid();
        test_state.failures = 0;
        if (unshare(CLONE_NEWNS) != 0) {
            FILE *groups;
            if (unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0)
                _exit(NO_NAMESPACE);
            groups = fopen("/proc/self/setgroups", "w");
            CHECK(groups != NULL && fputs("deny", groups) >= 0 && fclose(groups) == 0);
            map_ids("/proc/self/uid_map", user);
            map_ids("/proc/self/gid_map", group);
        }
        /* After a chroot, `/` might not be a mount point; then the namespace is already private. */
        if (mount("none", "/", "none", MS_REC | MS_PRIVATE, NULL) != 0 && errno != EINVAL) {
            /* AppArmor may grant a user namespace without any rights. */
            CHECK(errno == EPERM || errno == EACCES);
            _exit(NO_NAMESPACE);
        }
        part();
        fflush(test_state.report);
        _exit(test_state.failures != 0);
    }
    CHECK_INT(waitpid(child, &status, 0), child);
    if (WIFEXITED(status) && WEXITSTATUS(status) == NO_NAMESPACE)
        SKIP("mount namespaces need root and unshare");
    else
        CHECK_INT(status, 0);
}

static inline int count_in(const char *folder)
{
    DIR *dir = opendir(folder);
    int count = 0;
    while (dir != NULL && readdir(dir) != NULL)
        count++;
    if (dir != NULL)
        closedir(dir);
    return count - 2;
}

/* Returns the number of threads. Retries, because the system lists a joined thread for a moment. */
static inline int threads_left(void)
{
    int tries, count = count_in("/proc/self/task");
    for (tries = 0; count > 1 && tries < 1000; tries++) {
        usleep(1000);
        count = count_in("/proc/self/task");
    }
    return count;
}

struct surroundings {
    int descriptors;
    sigset_t mask;
    struct sigaction handlers[65];
    char environment[65536];
    char folder[4096];
};

extern char **environ;

static inline void look_around(struct surroundings *now)
{
    size_t length = 0;
    int signal;
    char **variable;
    memset(now, 0, sizeof *now);
    now->descriptors = count_in("/proc/self/fd");
    sigprocmask(SIG_BLOCK, NULL, &now->mask);
    for (signal = 1; signal <= 64; signal++) {
        /* The C library reserves two signals, and fails for them. */
        if (sigaction(signal, NULL, &now->handlers[signal]) != 0)
            memset(&now->handlers[signal], 0, sizeof now->handlers[signal]);
    }
    for (variable = environ; *variable != NULL; variable++) {
        size_t rest = sizeof now->environment - length;
        length += (size_t)snprintf(now->environment + length, rest, "%s\n", *variable);
        if (length >= sizeof now->environment)
            break;
    }
    if (getcwd(now->folder, sizeof now->folder) == NULL)
        now->folder[0] = 0;
}

static inline void check_surroundings(const struct surroundings *before)
{
    static struct surroundings now;
    int signal;
    CHECK_INT(threads_left(), 1);
    look_around(&now);
    CHECK_INT(now.descriptors, before->descriptors);
    for (signal = 1; signal <= 64; signal++) {
        const struct sigaction *was = &before->handlers[signal], *is = &now.handlers[signal];
        CHECK_INT(sigismember(&now.mask, signal), sigismember(&before->mask, signal));
        /* The C library sets SA_RESTORER (0x04000000) when it restores a handler. */
        int flags = (is->sa_flags ^ was->sa_flags) & ~0x04000000;
        if (is->sa_handler != was->sa_handler || flags != 0)
            failure(__FILE__, __LINE__, "the handler of signal %d has changed", signal);
    }
    CHECK(strcmp(now.environment, before->environment) == 0);
    CHECK(strcmp(now.folder, before->folder) == 0);
}

#endif

#if defined(__SANITIZE_ADDRESS__)
#ifdef __cplusplus
extern "C"
#endif
void __sanitizer_set_report_fd(void *descriptor);
#endif

/* ---- the program ---- */

/* The second argument, used by the `dlopen` test. */
static const char *test_argument;

static inline int run_tests(int argc, char **argv, const struct test *tests, size_t count)
{
    size_t at;
    int failed = 0, descriptor;
    if (argc < 2) {
        fprintf(stderr, "usage: %s SCRATCH-FOLDER\n", argv[0]);
        return 2;
    }
    test_argument = argc > 2 ? argv[2] : NULL;
#ifdef _WIN32
    if (!SetCurrentDirectoryA(argv[1]))
        return 2;
    descriptor = _dup(1);
    test_state.report = _fdopen(descriptor, "w");
    SetEnvironmentVariableW(L"PATH", L"Z:\\nowhere");
    SetEnvironmentVariableW(L"PATHEXT", L".NONE");
    SetEnvironmentVariableW(L"USERPROFILE", L"nowhere");
#else
    if (chdir(argv[1]) != 0) {
        perror(argv[1]);
        return 2;
    }
    descriptor = fcntl(1, F_DUPFD_CLOEXEC, 3);
    test_state.report = fdopen(descriptor, "w");
    setenv("PATH", "/nowhere/poison", 1);
    setenv("PATHEXT", ".POISON", 1);
    setenv("HOME", "poison", 1);
    umask(022);
#endif
    if (test_state.report == NULL || freopen("printed", "w", stdout) == NULL)
        return 2;
#ifdef _WIN32
    _dup2(1, 2);
#else
    if (dup2(1, 2) < 0)
        return 2;
#endif
#if defined(__SANITIZE_ADDRESS__)
    __sanitizer_set_report_fd((void *)(size_t)descriptor);
#endif
    for (at = 0; at < count; at++) {
        const text_char *back = T("..");
        text_char folder[128];
        size_t length;
#ifdef __linux__
        static struct surroundings before;
#endif
        for (length = 0; length < 127 && tests[at].name[length] != 0; length++)
            folder[length] = (text_char)tests[at].name[length];
        folder[length] = 0;
        fprintf(test_state.report, "test %s ... ", tests[at].name);
        fflush(test_state.report);
        test_state.failures = test_state.skipped = 0;
#ifdef _WIN32
        if (make_dir(folder) != 0 || !SetCurrentDirectoryW(folder))
            return 2;
        tests[at].run();
        SetCurrentDirectoryW(back);
        CHECK_INT(_filelengthi64(1), 0);
#else
        if (make_dir(folder) != 0 || chdir(folder) != 0)
            return 2;
#ifdef __linux__
        look_around(&before);
#endif
        alarm(300); /* Ends a hanging test, with its name in the last line. */
        tests[at].run();
        alarm(0);
#ifdef __linux__
        check_surroundings(&before);
#endif
        CHECK_INT(chdir(back), 0);
        CHECK_INT(lseek(1, 0, SEEK_END), 0);
#endif
        failed += test_state.failures != 0;
        fprintf(test_state.report, "%s\n", test_state.failures != 0 ? "FAILED"
                : test_state.skipped != 0 ? "skipped" : "ok");
        fflush(test_state.report);
    }
    fclose(test_state.report);
    return failed != 0;
}

#define BEGIN_TESTS \
    int main(int argc, char **argv) \
    { \
        static const struct test tests[] = {
#define END_TESTS \
        }; \
        return run_tests(argc, argv, tests, sizeof tests / sizeof *tests); \
    }

#endif
