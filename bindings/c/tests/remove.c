/* Removal: what goes, what stays, what is reported, and how it is stopped. */
#include "test.h"

#ifndef _WIN32
#include <sys/resource.h>
#include <sys/syscall.h>
#endif

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

/* Makes `width` directories with `width` files each. */
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
    /* One call for a file and 5 for a directory (Valgrind knows no `openat2`: then 7); for the path
     * itself some more. */
    CHECK(report.calls >= 49 + 5 * 8 && report.calls <= 49 + 7 * 8 + 8);
#endif
    CHECK(!exists(T("file")) && !exists(T("tree")));
    /* Without anything that may be NULL. */
    make_tree(T("tree"), 2);
    CHECK_INT(curt_remove(CURT_CWD, Z("tree"), NULL, NULL, NULL, NULL), 0);
    CHECK(!exists(T("tree")));
}

static void reports_what_is_missing(void)
{
    FAILS(CURT_E_OS, curt_remove(CURT_CWD, Z("missing"), NULL, NULL, fresh_report(), WHY));
    CHECK_REPORT(0, 0, 1);
    CHECK_INT(LAST.os_error, NO_SUCH_FILE);
    CHECK_TEXT(LAST.path, T("missing"));
    CHECK(strncmp(LAST.operation, "remove", 6) == 0);
}

static void treats_directories_as_it_is_told(void)
{
    SIZED(curt_remove_options, options);
    make_tree(T("tree"), 2);
    make_dir(T("empty"));
    make_file(T("file"), 0);
    options.directories = CURT_DIRECTORIES_ONLY_EMPTY;
    CHECK_INT(WORKS(curt_remove(CURT_CWD, Z("empty"), &options, NULL, fresh_report(), WHY)), 0);
    CHECK_REPORT(0, 1, 0);
    options.directories = CURT_DIRECTORIES_CONTENTS;
    CHECK_INT(WORKS(curt_remove(CURT_CWD, Z("tree"), &options, NULL, fresh_report(), WHY)), 0);
    CHECK_REPORT(4, 2, 0);
    CHECK(exists(T("tree")));
    make_file(T("tree/again"), 0);
    options.directories = CURT_DIRECTORIES_REQUIRED;
    CHECK_INT(WORKS(curt_remove(CURT_CWD, Z("tree"), &options, NULL, NULL, WHY)), 0);
    CHECK(!exists(T("tree")));
    options.directories = CURT_DIRECTORIES_REFUSE;
    CHECK_INT(WORKS(curt_remove(CURT_CWD, Z("file"), &options, NULL, NULL, WHY)), 0);
}

static void goes_on_after_a_failure(void)
{
    const curt_str paths[] = {Z("a"), Z("missing"), Z("b"), Z("dir/."), Z("c")};
    make_file(T("a"), 0);
    make_tree(T("b"), 3);
    make_dir(T("dir"));
    make_file(T("c"), 0);
    FAILS_ONCE(CURT_E_OS, curt_remove_many(paths, 5, NULL, NULL, fresh_report(), WHY));
    CHECK_TEXT(LAST.path, T("missing"));
    CHECK_REPORT(11, 4, 2);
    CHECK(!exists(T("a")) && !exists(T("b")) && !exists(T("c")) && exists(T("dir")));
    CHECK_INT(WORKS(curt_remove_many(NULL, 0, NULL, NULL, fresh_report(), WHY)), 0);
    CHECK_REPORT(0, 0, 0);
}

/* ---- callbacks ---- */

struct calls {
    int polls, errors, progress;      /* how often each was called */
    int stop_at_poll, stop_at_error, stop_at_progress; /* at which call it stops; 0: never */
    int elsewhere;                    /* how often on another thread */
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

/* The callbacks of a call, and what else stops it. */
enum { ON_POLL = 1, ON_ERROR = 2, ON_PROGRESS = 4, ON_CANCEL = 8 };

/* Which structs are NULL, if nothing in them is asked for. */
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

/* What is refused, with these options, and what is there after that. */
struct refusal {
    const text_char *path;
    uint32_t directories;
    int result, result_if_missing_is_ok;
    const text_char *remains;
};

/* A call that is refused in one form is refused in all. */
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

/* Any callbacks together, on the caller's thread, each of which can stop the work. */
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

/* ---- what changes meanwhile ---- */

/* Adds more than was removed, each time. */
static int add_files(void *round, uint64_t files, uint64_t directories)
{
    text_char name[] = T("tree/AAAAAA");
    int number, at, rest;
    (void)files, (void)directories;
    ++*(int *)round;
    for (number = 0; number < 600; number++) {
        for (at = 5, rest = *(int *)round; at < 8; at++, rest /= 26)
            name[at] = (text_char)('A' + rest % 26);
        for (rest = number; at < 11; at++, rest /= 26)
            name[at] = (text_char)('A' + rest % 26);
        make_file(name, 0);
    }
    return 0;
}

static void gives_up_a_directory_that_is_written_to(void)
{
    int round = 0;
    SIZED(curt_remove_options, options);
    make_tree(T("tree"), 30);
    options.on_progress = add_files;
    options.context = &round;
    FAILS_ONCE(CURT_E_KEPT_BEING_WRITTEN_TO,
               curt_remove(CURT_CWD, Z("tree"), &options, NULL, fresh_report(), WHY));
    CHECK_TEXT(LAST.path, T("tree"));
    CHECK_INT(report.errors, 1);
    CHECK_INT(WORKS(curt_remove(CURT_CWD, Z("tree"), NULL, NULL, NULL, WHY)), 0);
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

/* Puts another directory in the place of the tree, in the middle of the removal. */
static int replace_tree(void *done, uint64_t files, uint64_t directories)
{
    (void)directories;
    if (files > 0 && ++*(int *)done == 1) {
        CHECK_INT(rename("tree", "moved"), 0);
        CHECK_INT(make_dir("tree"), 0);
        CHECK_INT(make_file("tree/keep", 0), 0);
    }
    return 0;
}

static void what_takes_the_place_of_the_tree_stays(void)
{
    int done = 0;
    SIZED(curt_remove_options, options);
    make_tree("tree", 40);
    options.on_progress = replace_tree;
    options.context = &done;
    FAILS_ONCE(CURT_E_REPLACED, curt_remove(CURT_CWD, Z("tree"), &options, NULL, fresh_report(),
                                            WHY));
    CHECK_TEXT(LAST.path, "tree");
    CHECK(done > 0 && exists("tree/keep"));
    CHECK_INT(report.errors, 1);
}

/* ---- links, descriptors, depth ---- */

static void removes_below_a_descriptor(void)
{
    static const text_char *const refused[] = {"a/b", "a/", "AA/AA/", ".", "..", "AA/..", ""};
    struct stat before, after;
    int dir, path_only, file;
    size_t at;
    make_tree(T("dir"), 3);
    make_file(T("file"), 0);
    CHECK_INT(mkdir("elsewhere", 0777), 0);
    dir = open("dir", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    path_only = open("dir", O_PATH | O_DIRECTORY | O_CLOEXEC);
    CHECK_INT(fstat(dir, &before), 0);
    /* Not by its name, which another directory has by now. */
    CHECK_INT(rename("dir", "moved"), 0);
    CHECK_INT(rename("elsewhere", "dir"), 0);
    for (at = 0; at < sizeof refused / sizeof *refused; at++)
        CHECK(curt_remove(dir, curt_z(refused[at]), NULL, NULL, NULL, NULL) < 0);
    FAILS(CURT_E_ARGUMENT, curt_remove(-1, Z("AA"), NULL, NULL, NULL, WHY));
    CHECK(exists("moved/AA/AA"));
    CHECK_INT(WORKS(curt_remove(dir, Z("AA"), NULL, NULL, fresh_report(), WHY)), 0);
    CHECK_REPORT(3, 1, 0);
    CHECK_INT(WORKS(curt_remove(path_only, Z("AB"), NULL, NULL, NULL, WHY)), 0);
    CHECK(!exists("moved/AA") && !exists("moved/AB") && exists("moved/AC"));
    CHECK_INT(WORKS(curt_remove(dir, Z("AC//AA"), NULL, NULL, NULL, WHY)), 0);
    CHECK(!exists("moved/AC/AA") && exists("moved/AC/AB"));
    FAILS(CURT_E_OS, curt_remove(dir, Z("AA"), NULL, NULL, NULL, WHY));
    CHECK_INT(LAST.os_error, ENOENT);
    /* It is the caller's, and still open. */
    CHECK(fstat(dir, &after) == 0 && after.st_ino == before.st_ino);
    file = open("file", O_RDONLY | O_CLOEXEC);
    FAILS(CURT_E_OS, curt_remove(file, Z("AC"), NULL, NULL, NULL, WHY));
    CHECK_INT(LAST.os_error, ENOTDIR);
    CHECK_INT(close(file) | close(path_only) | close(dir), 0);
    FAILS(CURT_E_OS, curt_remove(dir, Z("AC"), NULL, NULL, NULL, WHY));
    CHECK_INT(LAST.os_error, EBADF);
    CHECK(exists("moved/AC"));
}

static void deep_and_wide_trees_need_few_descriptors(void)
{
    enum { DEPTH = 1000, WIDTH = 5000 };
    struct rlimit limit, few;
    int dir, depth;
    char name[16];
    CHECK_INT(mkdir("tree", 0777), 0);
    dir = open("tree", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    for (depth = 0; depth < DEPTH; depth++) {
        int below;
        CHECK_INT(mkdirat(dir, "below", 0777), 0);
        below = openat(dir, "below", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        close(dir);
        dir = below;
    }
    for (depth = 0; depth < WIDTH; depth++) {
        snprintf(name, sizeof name, "%d", depth);
        close(openat(dir, name, O_WRONLY | O_CREAT | O_CLOEXEC, 0666));
    }
    close(dir);
    CHECK_INT(getrlimit(RLIMIT_NOFILE, &limit), 0);
    few = limit;
    few.rlim_cur = 40;
    CHECK_INT(setrlimit(RLIMIT_NOFILE, &few), 0);
    CHECK_INT(WORKS(curt_remove(CURT_CWD, Z("tree"), NULL, NULL, fresh_report(), WHY)), 0);
    CHECK_INT(setrlimit(RLIMIT_NOFILE, &limit), 0);
    CHECK_REPORT(WIDTH, DEPTH + 1, 0);
    CHECK(!exists("tree"));
}

/* ---- failures of the system ---- */

static void without_rights(void)
{
    struct calls calls;
    SIZED(curt_control, control);
    make_dir("tree");
    make_dir("tree/locked");
    make_file("tree/locked/file", 0);
    make_dir("tree/open");
    make_file("tree/open/file", 0);
    CHECK_INT(chmod("tree/locked", 0555), 0);
    memset(&calls, 0, sizeof calls);
    calls.caller = this_thread();
    control.on_error = on_error;
    control.context = &calls;
    FAILS_ONCE(CURT_E_OS, curt_remove(CURT_CWD, Z("tree"), NULL, &control, fresh_report(), WHY));
    CHECK_INT(LAST.os_error, EACCES);
    CHECK(strcmp(LAST.operation, "remove_file") == 0);
    CHECK_TEXT(LAST.path, "tree/locked/file");
    CHECK_TEXT(curt_z(calls.first), "tree/locked/file");
    CHECK_INT(calls.errors, 1);
    CHECK_REPORT(1, 1, 1);
    CHECK_INT(chmod("tree/locked", 0), 0);
    FAILS(CURT_E_OS, curt_remove(CURT_CWD, Z("tree"), NULL, NULL, NULL, WHY));
    CHECK(strcmp(LAST.operation, "open_directory") == 0);
    CHECK_TEXT(LAST.path, "tree/locked");
    CHECK_INT(chmod("tree/locked", 0777), 0);
    CHECK_INT(WORKS(curt_remove(CURT_CWD, Z("tree"), NULL, NULL, NULL, WHY)), 0);
}

static void reports_what_it_may_not_remove(void)
{
    as_nobody(without_rights);
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
    /* In a root of its own: a removal that is not refused does no harm. */
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

static volatile int enough;

/* Swaps a directory below the tree for a link to one outside, again and again. */
static void *keep_swapping(void *unused)
{
    while (!enough) {
        rename("tree/AA", "parked");
        if (symlink("../outside", "tree/AA") == 0)
            usleep(50);
        unlink("tree/AA");
        rename("parked", "tree/AA");
    }
    return unused;
}

static void a_swapped_link_leads_nowhere(void)
{
    int round;
    pthread_t swapper;
    make_tree("outside", 4);
    for (round = 0; round < 40; round++) {
        make_tree("tree", 8);
        enough = 0;
        CHECK_INT(pthread_create(&swapper, NULL, keep_swapping, NULL), 0);
        curt_remove(CURT_CWD, Z("tree"), NULL, NULL, NULL, NULL);
        enough = 1;
        pthread_join(swapper, NULL);
        CHECK(exists("outside/AA/AA") && exists("outside/DD") == 0 && exists("outside/AD/AD"));
        curt_remove(CURT_CWD, Z("tree"), NULL, NULL, NULL, NULL);
        curt_remove(CURT_CWD, Z("parked"), NULL, NULL, NULL, NULL);
    }
}

/* ---- a signal ---- */

static void set_the_int(int signal)
{
    (void)signal;
    stop_now = 1;
}

static int slow_progress(void *context, uint64_t files, uint64_t directories)
{
    (void)context, (void)directories;
    if (files > 0)
        raise(SIGUSR1);
    return 0;
}

static void a_signal_handler_stops_the_work(void)
{
    struct sigaction action, before;
    SIZED(curt_remove_options, options);
    SIZED(curt_control, control);
    memset(&action, 0, sizeof action);
    action.sa_handler = set_the_int;
    CHECK_INT(sigaction(SIGUSR1, &action, &before), 0);
    make_tree("tree", 60);
    stop_now = 0;
    control.cancel = &stop_now;
    options.on_progress = slow_progress;
    FAILS_ONCE(CURT_E_STOPPED,
               curt_remove(CURT_CWD, Z("tree"), &options, &control, fresh_report(), WHY));
    CHECK(report.stopped == 1 && report.files > 0 && exists("tree"));
    CHECK_INT(sigaction(SIGUSR1, &before, NULL), 0);
}

#endif

BEGIN_TESTS
    test(removes_files_and_trees),
    test(reports_what_is_missing),
    test(treats_directories_as_it_is_told),
    test(goes_on_after_a_failure),
    test(refuses_in_every_form),
    test(callbacks_work_and_stop_in_every_form),
    test(gives_up_a_directory_that_is_written_to),
#ifdef _WIN32
    test(removes_below_a_handle),
    test(removes_names_with_lone_surrogates),
#else
    test(what_takes_the_place_of_the_tree_stays),
    test(removes_below_a_descriptor),
    test(deep_and_wide_trees_need_few_descriptors),
    test(reports_what_it_may_not_remove),
#ifdef __linux__
    test(keeps_what_is_mounted),
#endif
    test(a_swapped_link_leads_nowhere),
    test(a_signal_handler_stops_the_work),
#endif
END_TESTS
