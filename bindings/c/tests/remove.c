/* Removal: what is removed, skipped and reported, and how to stop it. */
#include "test.h"

static curt_remove_report report;

static curt_remove_report *fresh_report(void)
{
    memset(&report, 0x5a, sizeof report);
    report.size = sizeof report;
    return &report;
}

#define CHECK_REPORT(files_, directories_, errors_) do { \
        CHECK_INT(report.files, files_); \
        CHECK_INT(report.directories, directories_); \
        CHECK_INT(report.errors, errors_); \
    } while (0)

static void make_tree(const text_char *at, int width)
{
    text_char path[300];
    size_t length = count_units(at);
    int directory, file;
    make_dir(at);
    memcpy(path, at, length * sizeof *at);
    for (directory = 0; directory < width; directory++) {
        path[length] = '/';
        path[length + 1] = (text_char)('A' + directory / 26);
        path[length + 2] = (text_char)('A' + directory % 26);
        path[length + 3] = 0;
        CHECK_INT(make_dir(path), 0);
        path[length + 3] = '/';
        path[length + 6] = 0;
        for (file = 0; file < width; file++) {
            path[length + 4] = (text_char)('A' + file / 26);
            path[length + 5] = (text_char)('A' + file % 26);
            CHECK_INT(make_file(path, 0), 0);
        }
    }
}

static void removes_files_and_trees(void)
{
    SIZED(curt_remove_options, options);
    make_file(T("file"), 3);
    make_tree(T("tree"), 7);
    CHECK_INT(WORKS(curt_remove(CURT_CWD, Z("file"), NULL, NULL, fresh_report(), WHY)), 0);
    CHECK_REPORT(1, 0, 0);
    CHECK_INT(WORKS(curt_remove(CURT_CWD, Z("tree"), NULL, NULL, fresh_report(), WHY)), 0);
    CHECK_REPORT(49, 8, 0);
    CHECK_INT(report.vanished, 0);
    CHECK_INT(report.threads, 1);
    CHECK_INT(report.stopped, 0);
#ifdef __linux__
    /* One call for each file, 5 for each directory (7 under Valgrind, which lacks `openat2`),
     * and a few for the path itself. */
    CHECK(report.calls >= 49 + 5 * 8 && report.calls <= 49 + 7 * 8 + 8);
#endif
    CHECK(!exists(T("file")) && !exists(T("tree")));
    CHECK_INT(WORKS(curt_remove_many(NULL, 0, NULL, NULL, fresh_report(), WHY)), 0);
    CHECK_REPORT(0, 0, 0);
    make_tree(T("tree"), 2);
    options.directories = CURT_DIRECTORIES_CONTENTS;
    CHECK_INT(WORKS(curt_remove(CURT_CWD, Z("tree"), &options, NULL, fresh_report(), WHY)), 0);
    CHECK_REPORT(4, 2, 0);
    CHECK(exists(T("tree")));
    CHECK_INT(curt_remove(CURT_CWD, Z("tree"), NULL, NULL, NULL, NULL), 0);
    CHECK(!exists(T("tree")));
}

static void keeps_what_globs_match(void)
{
    const curt_str tops[] = {Z("tree"), Z("more")}, globs[] = {Z("AB/AA"), Z("AC/"), Z("*C")};
    curt_str invalid = Z("[a");
    SIZED(curt_remove_options, options);
    make_tree(T("tree"), 3);
    make_tree(T("more"), 2);
    options.directories = CURT_DIRECTORIES_CONTENTS;
    options.flags = CURT_REMOVE_MAKE_WRITABLE | CURT_REMOVE_RETRIES | CURT_REMOVE_MISSING_OK;
    options.exclude_globs = globs;
    options.exclude_globs_count = 3;
    CHECK_INT(WORKS(curt_remove_many(tops, 2, &options, NULL, fresh_report(), WHY)), 0);
    /* Of `tree`: AB/AA, AC with all contents, and AA/AC and AB/AC remain; of `more`: AB/AA. */
    CHECK_REPORT(3 + 3, 1, 0);
    CHECK_INT(report.skipped, 5);
    CHECK_INT(report.made_writable, 0);
    CHECK(exists(T("tree/AB/AA")) && exists(T("tree/AC/AA")) && exists(T("more/AB/AA")));
    CHECK(exists(T("tree/AA/AC")) && !exists(T("tree/AA/AA")) && !exists(T("more/AA")));
    options.exclude_globs = &invalid;
    options.exclude_globs_count = 1;
    FAILS(CURT_E_ARGUMENT, curt_remove(CURT_CWD, Z("tree"), &options, NULL, NULL, WHY));
    CHECK(exists(T("tree/AB/AA")));
    curt_remove_many(tops, 2, NULL, NULL, NULL, NULL);
}

/* ---- callbacks ---- */

struct calls {
    int polls, errors, progress;      /* calls of each */
    int stop_at_poll, stop_at_error, stop_at_progress; /* the call that stops; 0: none */
    int elsewhere;                    /* calls on another thread */
    int most_threads;
    uint64_t files, directories;
    thread_id caller;
    text_char first[64];
};

static void called(struct calls *calls)
{
    if (!is_thread(calls->caller))
        calls->elsewhere++;
#ifdef __linux__
    {
        int threads = count_in("/proc/self/task");
        if (threads > calls->most_threads)
            calls->most_threads = threads;
    }
#endif
}

static int on_poll(void *context)
{
    struct calls *calls = (struct calls *)context;
    called(calls);
    return ++calls->polls == calls->stop_at_poll;
}

static int on_error(void *context, const curt_error *error)
{
    struct calls *calls = (struct calls *)context;
    curt_error_info info;
    called(calls);
    info.size = sizeof info;
    CHECK_INT(curt_error_get(error, &info), 0);
    CHECK(info.result < 0 && info.text_len > 0);
    if (calls->errors++ == 0 && info.path.len < 64)
        memcpy(calls->first, info.path.ptr, info.path.len * sizeof *calls->first);
    return calls->errors == calls->stop_at_error;
}

static int on_progress(void *context, uint64_t files, uint64_t directories)
{
    struct calls *calls = (struct calls *)context;
    called(calls);
    calls->files = files;
    calls->directories = directories;
    return ++calls->progress == calls->stop_at_progress;
}

/* ---- forms ---- */

static volatile int stop_now;

enum { ON_POLL = 1, ON_ERROR = 2, ON_PROGRESS = 4, ON_CANCEL = 8 };

/* Structs that a call passes as NULL, if their fields are not used. */
enum { NO_OPTIONS = 1, NO_CONTROL = 2 };

enum { BY_PATH, BY_DESCRIPTOR, MANY };

struct form {
    uint32_t flags, directories, threads;
    int callbacks, nulls, function;
};

static int is_a_form(const struct form *form)
{
    const int no_options = form->flags == 0 && form->directories == 0
        && !(form->callbacks & ON_PROGRESS);
    const int no_control = form->threads == 0 && !(form->callbacks & ~ON_PROGRESS);
    return (no_options || !(form->nulls & NO_OPTIONS))
        && (no_control || !(form->nulls & NO_CONTROL));
}

static int remove_in(const struct form *form, const curt_str *paths, size_t count,
                     struct calls *calls)
{
    const curt_remove_options *with = NULL;
    const curt_control *by = NULL;
    SIZED(curt_remove_options, options);
    SIZED(curt_control, control);
    calls->caller = this_thread();
    options.context = control.context = calls;
    options.flags = form->flags;
    options.directories = form->directories;
    options.on_progress = form->callbacks & ON_PROGRESS ? on_progress : NULL;
    control.threads = form->threads;
    control.poll = form->callbacks & ON_POLL ? on_poll : NULL;
    control.on_error = form->callbacks & ON_ERROR ? on_error : NULL;
    control.cancel = form->callbacks & ON_CANCEL ? &stop_now : NULL;
    with = form->nulls & NO_OPTIONS ? NULL : &options;
    by = form->nulls & NO_CONTROL ? NULL : &control;
    if (form->function == MANY)
        return curt_remove_many(paths, count, with, by, fresh_report(), test_state.why);
#ifndef _WIN32
    if (form->function == BY_DESCRIPTOR) {
        int dir = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        int result = curt_remove(dir, *paths, with, by, fresh_report(), test_state.why);
        CHECK_INT(close(dir), 0);
        return result;
    }
#endif
    return curt_remove(CURT_CWD, *paths, with, by, fresh_report(), test_state.why);
}

struct refusal {
    const text_char *path;
    uint32_t directories;
    int result, result_if_missing_is_ok;
    const text_char *remains;
};

static void refused_in_every_form(const struct refusal *refusal)
{
    static const uint32_t threads[] = {0, 4};
    const curt_str path = curt_z(refusal->path);
    struct form form;
    size_t at;
    form.directories = refusal->directories;
    for (at = 0; at < 2; at++)
    for (form.flags = 0; form.flags <= CURT_REMOVE_MISSING_OK; form.flags++)
    for (form.callbacks = 0; form.callbacks <= (ON_POLL | ON_ERROR | ON_PROGRESS); form.callbacks++)
    for (form.nulls = 0; form.nulls <= (NO_OPTIONS | NO_CONTROL); form.nulls++)
    for (form.function = BY_PATH; form.function <= MANY; form.function++) {
        struct calls calls;
        int before = test_state.failures;
        int expected = form.flags == 0 ? refusal->result : refusal->result_if_missing_is_ok;
        form.threads = threads[at];
        if (!is_a_form(&form))
            continue;
        memset(&calls, 0, sizeof calls);
        if (expected == 0)
            CHECK_INT(WORKS(remove_in(&form, &path, 1, &calls)), 0);
        else
            FAILS_ONCE(expected, remove_in(&form, &path, 1, &calls));
        CHECK_INT(report.errors, expected != 0);
        CHECK_INT(report.stopped, 0);
        CHECK_INT(calls.errors, expected != 0 && form.callbacks & ON_ERROR);
        CHECK_INT(calls.polls > 0, (form.callbacks & ON_POLL) != 0);
        CHECK_INT(calls.progress > 0, (form.callbacks & ON_PROGRESS) != 0);
        CHECK_INT(calls.elsewhere, 0);
        CHECK(refusal->remains == NULL || exists(refusal->remains));
        if (test_state.failures != before) {
            print_text(path);
            fprintf(test_state.report,
                    "  flags %d, callbacks %d, NULL %d, threads %d, function %d\n",
                    (int)form.flags, form.callbacks, form.nulls, (int)form.threads, form.function);
        }
    }
}

static void refuses_in_every_form(void)
{
    static const struct refusal refusals[] = {
        {T("missing"), CURT_DIRECTORIES_RECURSIVE, CURT_E_OS, 0, NULL},
        {T(""), CURT_DIRECTORIES_RECURSIVE, CURT_E_OS, 0, NULL},
        {T("dir/."), CURT_DIRECTORIES_RECURSIVE, CURT_E_KEPT_DOT, CURT_E_KEPT_DOT, T("dir/file")},
        {T("dir/./"), CURT_DIRECTORIES_REQUIRED, CURT_E_KEPT_DOT, CURT_E_KEPT_DOT, T("dir/file")},
        {T("dir"), CURT_DIRECTORIES_REFUSE, CURT_E_KEPT_DIRECTORY, CURT_E_KEPT_DIRECTORY,
         T("dir/file")},
#ifndef _WIN32
        {"file", CURT_DIRECTORIES_CONTENTS, CURT_E_OS, CURT_E_OS, "file"},
        {"link", CURT_DIRECTORIES_REQUIRED, CURT_E_KEPT_LINK, CURT_E_KEPT_LINK, "link"},
        {"link", CURT_DIRECTORIES_CONTENTS, CURT_E_OS, CURT_E_OS, "link"},
#endif
    };
    size_t at;
    make_dir(T("dir"));
    make_file(T("dir/file"), 0);
    make_file(T("file"), 0);
#ifndef _WIN32
    CHECK_INT(symlink("dir", "link"), 0);
#endif
    for (at = 0; at < sizeof refusals / sizeof *refusals; at++)
        refused_in_every_form(&refusals[at]);
}

static void callbacks_work_and_stop_in_every_form(void)
{
    enum { WIDTH = 24, FILES = WIDTH * WIDTH };
    const curt_str paths[] = {Z("missing"), Z("tree"), Z("dir/."), Z("gone")};
    static const uint32_t threads[] = {1, 4};
    struct form form;
    size_t at;
    int stop;
    memset(&form, 0, sizeof form);
    form.function = MANY;
    make_dir(T("dir"));
    fresh_report();
    for (at = 0; at < 2; at++)
    for (form.callbacks = 0; form.callbacks < 2 * ON_CANCEL; form.callbacks++)
    for (stop = 0; stop <= ON_CANCEL; stop = stop == 0 ? 1 : 2 * stop) {
        struct calls calls;
        int before = test_state.failures;
        int result;
        form.threads = threads[at];
        form.nulls = form.threads == 1 && !(form.callbacks & ~ON_PROGRESS) ? NO_CONTROL : 0;
        if (stop & ~form.callbacks)
            continue;
        memset(&calls, 0, sizeof calls);
        calls.stop_at_poll = stop == ON_POLL;
        calls.stop_at_error = stop == ON_ERROR;
        calls.stop_at_progress = stop == ON_PROGRESS;
        stop_now = stop == ON_CANCEL ? -1 : 0;
        if (report.files > 0) {
            curt_remove(CURT_CWD, Z("tree"), NULL, NULL, NULL, NULL);
            make_tree(T("tree"), WIDTH);
        }
        expect_error(1);
        result = remove_in(&form, paths, 4, &calls);
        expect_failure(__FILE__, __LINE__, "the removal", result, result);
        CHECK_INT(calls.elsewhere, 0);
        CHECK_INT(report.stopped, stop != 0);
        CHECK_INT(calls.polls > 0, (form.callbacks & ON_POLL) != 0 && stop != ON_CANCEL);
        if (stop == 0) {
            CHECK(result == CURT_E_OS || (form.threads > 1 && result == CURT_E_KEPT_DOT));
            CHECK_REPORT(FILES, WIDTH + 1, 3);
            CHECK_INT(calls.errors, form.callbacks & ON_ERROR ? 3 : 0);
            CHECK_INT(calls.progress > 0, (form.callbacks & ON_PROGRESS) != 0);
        } else {
            CHECK(exists(T("tree")));
            CHECK_INT(result, report.errors == 0 ? CURT_E_STOPPED : CURT_E_OS);
            CHECK(stop == ON_CANCEL ? report.files == 0
                  : stop == ON_POLL ? calls.polls == 1
                  : stop == ON_ERROR ? calls.errors == 1
                  : calls.progress == 1);
        }
        if (calls.errors > 0)
            CHECK_TEXT(LAST.path, calls.first);
        if (form.threads <= 1) {
            CHECK_INT(report.threads, 1);
            CHECK(stop != 0 || calls.progress == 0
                  || (calls.files == FILES && calls.directories == WIDTH + 1));
        }
#ifdef __linux__
        if (form.threads <= 1)
            CHECK(calls.most_threads <= 1);
        CHECK_INT(threads_left(), 1);
#endif
        if (test_state.failures != before)
            fprintf(test_state.report, "  callbacks %d, threads %d, stopped by %d\n",
                    form.callbacks, (int)form.threads, stop);
    }
}

#ifdef _WIN32

static void removes_below_a_handle(void)
{
    HANDLE dir;
    make_tree(L"dir", 3);
    dir = CreateFileW(L"dir", FILE_TRAVERSE | FILE_READ_ATTRIBUTES | SYNCHRONIZE,
                      FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, NULL, OPEN_EXISTING,
                      FILE_FLAG_BACKUP_SEMANTICS, NULL);
    CHECK(dir != INVALID_HANDLE_VALUE);
    FAILS(CURT_E_ARGUMENT, curt_remove(dir, Z("AA\\AA"), NULL, NULL, NULL, WHY));
    FAILS(CURT_E_ARGUMENT, curt_remove(dir, Z("AA/AA"), NULL, NULL, NULL, WHY));
    CHECK(exists(L"dir/AA/AA"));
    CHECK_INT(WORKS(curt_remove(dir, Z("AA"), NULL, NULL, fresh_report(), WHY)), 0);
    CHECK_REPORT(3, 1, 0);
    FAILS(CURT_E_OS, curt_remove(dir, Z("AA"), NULL, NULL, NULL, WHY));
    CHECK_INT(LAST.os_error, NO_SUCH_FILE);
    CHECK(!exists(L"dir/AA") && exists(L"dir/AB"));
    CHECK(CloseHandle(dir));
}

static void removes_names_with_lone_surrogates(void)
{
    static const wchar_t name[] = {'d', 'i', 'r', '/', 0xdc01, 0};
    make_dir(L"dir");
    if (make_file(name, 0) != 0) {
        SKIP("files cannot have such names here");
        return;
    }
    CHECK_INT(WORKS(curt_remove(CURT_CWD, curt_z(name), NULL, NULL, NULL, WHY)), 0);
    CHECK(!exists(name));
}

#else

static void removes_below_a_descriptor(void)
{
    int dir;
    make_tree("dir", 3);
    CHECK_INT(mkdir("elsewhere", 0777), 0);
    dir = open("dir", O_PATH | O_DIRECTORY | O_CLOEXEC);
    /* curt uses the descriptor, although another directory now has the name. */
    CHECK_INT(rename("dir", "moved") | rename("elsewhere", "dir"), 0);
    FAILS(CURT_E_ARGUMENT, curt_remove(-1, Z("AA"), NULL, NULL, NULL, WHY));
    CHECK_INT(WORKS(curt_remove(dir, Z("AA"), NULL, NULL, fresh_report(), WHY)), 0);
    CHECK_REPORT(3, 1, 0);
    CHECK(!exists("moved/AA") && exists("moved/AB"));
    FAILS(CURT_E_OS, curt_remove(dir, Z("AA"), NULL, NULL, NULL, WHY));
    CHECK_INT(LAST.os_error, ENOENT);
    CHECK_INT(close(dir), 0);
}

/* ---- concurrent changes ---- */

/* Adds more entries at each call than were removed. If `*at` is -1, instead replaces the tree once
 * with a different directory. */
static int change_tree(void *at, uint64_t files, uint64_t directories)
{
    int *next = (int *)at, until = *next + 600;
    char name[32];
    (void)directories;
    for (; *next >= 0 && *next < until; ++*next) {
        snprintf(name, sizeof name, "tree/%d", *next);
        make_file(name, 0);
    }
    if (files > 0 && *next == -1) {
        *next = -2;
        CHECK_INT(rename("tree", "moved") | make_dir("tree"), 0);
        CHECK_INT(make_file("tree/keep", 0), 0);
    }
    return 0;
}

static void says_what_others_do_to_the_tree(void)
{
    static const int results[] = {CURT_E_REPLACED, CURT_E_KEPT_BEING_WRITTEN_TO};
    int next, at;
    SIZED(curt_remove_options, options);
    options.on_progress = change_tree;
    options.context = &next;
    for (at = 0; at < 2; at++) {
        make_tree("tree", 40);
        next = at - 1;
        FAILS_ONCE(results[at],
                   curt_remove(CURT_CWD, Z("tree"), &options, NULL, fresh_report(), WHY));
        CHECK_TEXT(LAST.path, "tree");
        CHECK_INT(report.errors, 1);
        CHECK(at == 1 || exists("tree/keep"));
        CHECK_INT(WORKS(curt_remove(CURT_CWD, Z("tree"), NULL, NULL, NULL, WHY)), 0);
    }
}

#ifdef __linux__

static void with_mounts(void)
{
    static const struct refusal mount_point = {"tree", CURT_DIRECTORIES_RECURSIVE,
        CURT_E_KEPT_MOUNT_POINT, CURT_E_KEPT_MOUNT_POINT, "tree/mount/file"};
    static const struct refusal root = {"/", CURT_DIRECTORIES_RECURSIVE, CURT_E_KEPT_ROOT,
        CURT_E_KEPT_ROOT, "/tree/mount/file"};
    SIZED(curt_remove_options, options);
    make_dir("tree");
    make_dir("tree/mount");
    make_file("tree/file", 0);
    CHECK_INT(mount("none", "tree/mount", "tmpfs", 0, NULL), 0);
    make_file("tree/mount/file", 0);
    refused_in_every_form(&mount_point);
    CHECK_TEXT(LAST.path, "tree/mount");
    CHECK(!exists("tree/file"));
    /* Test `/` in a chroot: if curt does not refuse it, only files of this test are removed. */
    if (CHECK_INT(chroot("."), 0))
        refused_in_every_form(&root);
    options.flags = CURT_REMOVE_CROSS_MOUNTS;
    FAILS_ONCE(CURT_E_OS, curt_remove(CURT_CWD, Z("tree"), &options, NULL, fresh_report(), WHY));
    CHECK_INT(LAST.os_error, EBUSY);
    CHECK(!exists("tree/mount/file") && exists("tree/mount"));
    CHECK_INT(umount("tree/mount"), 0);
    CHECK_INT(WORKS(curt_remove(CURT_CWD, Z("tree"), NULL, NULL, NULL, WHY)), 0);
}

static void keeps_what_is_mounted(void)
{
    with_own_mounts(with_mounts);
}

#endif

#endif

BEGIN_TESTS
    test(removes_files_and_trees),
    test(keeps_what_globs_match),
    test(refuses_in_every_form),
    test(callbacks_work_and_stop_in_every_form),
#ifdef _WIN32
    test(removes_below_a_handle),
    test(removes_names_with_lone_surrogates),
#else
    test(removes_below_a_descriptor),
    test(says_what_others_do_to_the_tree),
#ifdef __linux__
    test(keeps_what_is_mounted),
#endif
#endif
END_TESTS
