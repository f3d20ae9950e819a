/* Copies: what is copied, skipped and reported, how to stop them, and swapped symlinks. hostile.c
 * has the refusals. */
#include "test.h"

static curt_copy_options options;
static curt_control control;
static curt_copy_report report;
static int excluded, errors, elsewhere, stop_at_progress;
static uint64_t progress[3];
static thread_id caller;

/* Creates files of 3, 5 and 0 bytes. */
static void begin(void)
{
    curt_remove(CURT_CWD, Z("tree"), NULL, NULL, NULL, NULL);
    curt_remove(CURT_CWD, Z("new"), NULL, NULL, NULL, NULL);
    CHECK_INT(make_dir(T("tree")) | make_dir(T("tree/sub")) | make_file(T("tree/file"), 3)
              | make_file(T("tree/sub/file"), 5) | make_file(T("tree/sub/skip"), 0), 0);
    memset(&options, 0, sizeof options);
    memset(&control, 0, sizeof control);
    memset(&report, 0x5a, sizeof report);
    options.size = sizeof options;
    control.size = sizeof control;
    report.size = sizeof report;
    options.context = control.context = &report;
    excluded = errors = elsewhere = stop_at_progress = 0;
    caller = this_thread();
}

static int copy(curt_str source, curt_str destination)
{
    return curt_copy(&source, 1, destination, &options, &control, &report, test_state.why);
}

#define CHECK_REPORT(files_, directories_, bytes_, skipped_, errors_) do { \
        CHECK_INT(report.files, files_); \
        CHECK_INT(report.directories, directories_); \
        CHECK_INT(report.bytes, bytes_); \
        CHECK_INT(report.skipped, skipped_); \
        CHECK_INT(report.errors, errors_); \
    } while (0)

static void copies_files_and_trees(void)
{
    const curt_str sources[] = {Z("tree/sub/."), Z("missing"), Z("tree/file")};
    begin();
    CHECK_INT(WORKS(copy(Z("tree"), Z("new"))), 0);
    CHECK_REPORT(3, 2, 8, 0, 0);
    CHECK_INT(report.threads, 1);
    CHECK_INT(report.stopped + report.hard_links + report.reflinks, 0);
    CHECK(report.calls > 0);
    options.existing = CURT_EXISTING_KEEP;
    CHECK_INT(WORKS(copy(Z("tree"), Z("new"))), 0);
    CHECK_REPORT(0, 0, 0, 3, 0);
    begin();
    options.flags = CURT_COPY_DRY_RUN;
    CHECK_INT(WORKS(copy(Z("tree"), Z("new"))), 0);
    CHECK_REPORT(3, 2, 8, 0, 0);
    CHECK(!exists(T("new")));
    options.flags = CURT_COPY_BY_HARD_LINK;
    CHECK_INT(WORKS(copy(Z("tree"), Z("new"))), 0);
    CHECK_REPORT(3, 2, 0, 0, 0);
    CHECK_INT(report.hard_links, 3);
    options.flags = CURT_COPY_NO_DIRECTORIES;
    FAILS(CURT_E_COPY_DIRECTORY, copy(Z("tree"), Z("new/other")));
    CHECK_TEXT(LAST.path, T("tree"));
    CHECK_TEXT(LAST.destination, T("new/other"));
    begin();
    make_dir(T("new"));
    FAILS(CURT_E_ARGUMENT, curt_copy(sources, 3, Z("new"), NULL, NULL, NULL, WHY));
    options.flags = CURT_COPY_INTO;
    options.existing = CURT_EXISTING_REPLACE;
    FAILS_ONCE(CURT_E_OS, curt_copy(sources, 3, Z("new"), &options, NULL, &report, WHY));
    CHECK_INT(LAST.os_error, NO_SUCH_FILE);
    CHECK_TEXT(LAST.path, T("missing"));
    CHECK_REPORT(3, 0, 8, 0, 1);
    CHECK(exists(T("new/skip")) && exists(T("new/file")));
}

/* ---- callbacks ---- */

static int exclude(void *context, curt_str path, uint32_t kind)
{
    int is_it = same(path, T("tree" SEPARATOR "sub" SEPARATOR "skip"));
    elsewhere += !is_thread(caller) || context != &report || path.ptr[path.len] != 0;
    excluded += is_it && kind == CURT_KIND_FILE;
    return is_it;
}

static int on_progress(void *context, uint64_t files, uint64_t directories, uint64_t bytes)
{
    elsewhere += !is_thread(caller) || context != &report;
    progress[0] = files, progress[1] = directories, progress[2] = bytes;
    return stop_at_progress;
}

static int on_error(void *context, const curt_error *error)
{
    elsewhere += !is_thread(caller) || context != &report || error == NULL;
    errors++;
    return 0;
}

static void callbacks_run_on_this_thread_and_stop(void)
{
    static volatile int cancel;
    uint32_t threads;
    for (threads = 1; threads <= 4; threads += 3) {
        begin();
        control.threads = threads;
        control.on_error = on_error;
        options.on_progress = on_progress;
        options.exclude = exclude;
        CHECK_INT(WORKS(copy(Z("tree"), Z("new"))), 0);
        CHECK_REPORT(2, 2, 8, 1, 0);
        CHECK(!exists(T("new/sub/skip")) && excluded == 1);
        CHECK(progress[0] == 2 && progress[1] == 2 && progress[2] == 8);
        FAILS_ONCE(CURT_E_OS, copy(Z("missing"), Z("other")));
        CHECK_INT(errors, 1);
        stop_at_progress = 1;
        FAILS_ONCE(CURT_E_STOPPED, copy(Z("tree"), Z("other")));
        CHECK_INT(report.stopped, 1);
        CHECK_INT(curt_remove(CURT_CWD, Z("other"), NULL, NULL, NULL, NULL), 0);
        stop_at_progress = 0;
        control.cancel = &cancel;
        cancel = 1;
        FAILS_ONCE(CURT_E_STOPPED, copy(Z("tree"), Z("other")));
        CHECK(!exists(T("other")));
        cancel = 0;
        CHECK_INT(elsewhere, 0);
    }
}

#ifndef _WIN32

/* Swaps the directory given as `context` for a symlink when a directory is listed. */
static int swap(void *context, curt_str path, uint32_t kind)
{
    const char *directory = (const char *)context;
    if (same(path, directory[0] == 't' ? "tree/sub" : "tree/sub/file"))
        CHECK_INT(rename(directory, "moved") | symlink("../outside", directory), 0);
    return kind == CURT_KIND_UNKNOWN;
}

static void a_swapped_symlink_leads_nowhere(void)
{
    char source[] = "tree/sub", destination[] = "new/sub";
    make_dir("outside");
    make_file("outside/secret", 9);
    begin();
    options.exclude = swap;
    options.context = source;
    FAILS_ONCE(CURT_E_OS, copy(Z("tree"), Z("new")));
    CHECK_INT(LAST.os_error, ENOTDIR);
    CHECK_TEXT(LAST.path, "tree/sub");
    CHECK_REPORT(1, 1, 3, 0, 1);
    CHECK(!exists("new/sub"));
    curt_remove(CURT_CWD, Z("moved"), NULL, NULL, NULL, NULL);
    begin();
    options.exclude = swap;
    options.context = destination;
    CHECK_INT(WORKS(copy(Z("tree"), Z("new"))), 0);
    CHECK(exists("moved/file") && !exists("outside/file") && exists("new/sub/secret"));
}

#endif

BEGIN_TESTS
    test(copies_files_and_trees),
    test(callbacks_run_on_this_thread_and_stop),
#ifndef _WIN32
    test(a_swapped_symlink_leads_nowhere),
#endif
END_TESTS
