/* Tests walks and sums of trees; nftw is the reference. */
#include "test.h"

#ifndef _WIN32
#include <ftw.h>
#endif

/* tree/{a,b}/{0..9}, tree/a/deep/deeper/file */
static void make_tree(void)
{
    text_char name[] = T("tree/a/0");
    make_dir(T("tree"));
    make_dir(T("tree/a"));
    make_dir(T("tree/b"));
    for (name[5] = 'a'; name[5] <= 'b'; name[5]++)
        for (name[7] = '0'; name[7] <= '9'; name[7]++)
            CHECK_INT(make_file(name, (size_t)(name[7] - '0') * 1000), 0);
    make_dir(T("tree/a/deep"));
    make_dir(T("tree/a/deep/deeper"));
    CHECK_INT(make_file(T("tree/a/deep/deeper/file"), 5), 0);
}
#define ENTRIES 25

static void goes_through_a_tree_by_names(void)
{
    curt_tree *tree = NULL;
    int entries = 0;
    char before[64] = "";
    SIZED(curt_tree_entry, entry);
    make_tree();
    CHECK_INT(WORKS(curt_tree_open(Z("tree"), 0, &tree, WHY)), 0);
    while (WORKS(curt_tree_next(tree, &entry, WHY)) == 1) {
        char path[64];
        size_t at, slashes = 0;
        for (at = 0; at < entry.path.len && at < sizeof path - 1; at++) {
            path[at] = entry.path.ptr[at] == '\\' ? '/' : (char)entry.path.ptr[at];
            slashes += path[at] == '/';
        }
        path[at] = 0;
        CHECK_INT(entry.path.ptr[at], 0);
        CHECK_INT(entry.depth, slashes);
        /* Names are digits or `file`. */
        CHECK_INT(entry.kind, path[at - 1] <= '9' || path[at - 4] == 'f' ? CURT_KIND_FILE
                  : CURT_KIND_DIRECTORY);
        /* No name has a character that sorts before the separator, so whole paths are sorted,
         * too. */
        CHECK(strcmp(before, path) < 0);
        strcpy(before, path);
        entries++;
        if (strcmp(path, "tree/b") == 0)
            CHECK_INT(curt_tree_prune(tree), 0);
#ifndef _WIN32
        if (strcmp(path, "tree/a/deep/deeper") == 0) {
            CHECK_INT(WORKS(curt_remove(CURT_CWD, Z("tree/a/deep/deeper"), NULL, NULL, NULL, WHY)),
                      0);
            FAILS_ONCE(CURT_E_OS, curt_tree_next(tree, &entry, WHY));
            CHECK_TEXT(LAST.path, "tree/a/deep/deeper");
            entries++;
        }
#endif
    }
    CHECK_INT(entries, ENTRIES + 1 - 10);
    CHECK_INT(WORKS(curt_tree_next(tree, &entry, WHY)), 0);
    CHECK_INT(curt_tree_prune(tree), 0);
    curt_tree_close(tree);
    CHECK_INT(WORKS(curt_tree_open(Z("missing"), 0, &tree, WHY)), 0);
    FAILS_ONCE(CURT_E_OS, curt_tree_next(tree, &entry, WHY));
    CHECK_INT(WORKS(curt_tree_next(tree, &entry, WHY)), 0);
    curt_tree_close(tree);
    curt_tree_close(NULL);
}

static void sums_up_a_tree(void)
{
    const curt_str path = Z("tree"), some_missing[] = {Z("missing"), Z("tree/b"), Z("gone")};
    SIZED(curt_totals, totals);
    make_tree();
    CHECK_INT(WORKS(curt_usage(&path, 1, 0, NULL, &totals, WHY)), 0);
    CHECK_INT(totals.entries, ENTRIES + 1);
    CHECK(totals.apparent >= 90005);
    CHECK(totals.allocated > 0 || totals.unknown > 0);
    CHECK_INT(totals.errors, 0);
    FAILS(CURT_E_OS, curt_usage(some_missing, 3, 0, NULL, &totals, WHY));
    CHECK_INT(LAST.os_error, NO_SUCH_FILE);
    CHECK_INT(totals.entries, 11);
    CHECK_INT(totals.errors, 2);
    CHECK_INT(WORKS(curt_usage(NULL, 0, 0, NULL, &totals, WHY)), 0);
    CHECK_INT(totals.entries, 0);
}

#ifndef _WIN32

static char expected[4096][64];
static int expected_count, other_names;
static unsigned char expected_kinds[4096];
static unsigned long long apparent, allocated;

static int note(const char *path, const struct stat *metadata, int type, struct FTW *at)
{
    int again = metadata->st_nlink > 1 && S_ISREG(metadata->st_mode) && other_names++ > 0;
    if (!again)
        allocated += (unsigned long long)metadata->st_blocks * 512;
    if (!again && (S_ISREG(metadata->st_mode) || S_ISLNK(metadata->st_mode)))
        apparent += (unsigned long long)metadata->st_size;
    (void)type;
    if (at->level > 0) {
        expected_kinds[expected_count] = S_ISDIR(metadata->st_mode) ? CURT_KIND_DIRECTORY
            : S_ISLNK(metadata->st_mode) ? CURT_KIND_SYMLINK
            : S_ISFIFO(metadata->st_mode) ? CURT_KIND_FIFO : CURT_KIND_FILE;
        snprintf(expected[expected_count++], 64, "%s", path + strlen("tree/"));
    }
    return 0;
}

static void read_by_nftw(void)
{
    expected_count = other_names = 0;
    apparent = allocated = 0;
    CHECK_INT(nftw("tree", note, 20, FTW_PHYS), 0);
}

static int find_expected(const char *name)
{
    int at;
    for (at = 0; at < expected_count; at++)
        if (strcmp(expected[at], name) == 0)
            return at;
    return -1;
}

static void make_odd_tree(void)
{
    char name[64];
    int number;
    make_tree();
    CHECK_INT(symlink("a", "tree/link"), 0);
    CHECK_INT(symlink("nowhere", "tree/broken"), 0);
    CHECK_INT(symlink("..", "tree/b/up"), 0);
    CHECK_INT(mkfifo("tree/fifo", 0600), 0);
    CHECK_INT(link("tree/a/9", "tree/b/same as 9"), 0);
    CHECK_INT(make_file("tree/\xfe\n", 3), 0);
    for (number = 0; number < 1000; number++) {
        snprintf(name, sizeof name, "tree/b/%d-%d", number, number);
        CHECK_INT(make_file(name, 0), 0);
    }
}

static void finds_what_nftw_finds(void)
{
    curt_tree *tree = NULL;
    curt_str path = Z("tree");
    int found = 0;
    SIZED(curt_tree_entry, entry);
    SIZED(curt_totals, totals);
    make_odd_tree();
    read_by_nftw();
    CHECK_INT(WORKS(curt_tree_open(path, 0, &tree, WHY)), 0);
    CHECK_INT(WORKS(curt_tree_next(tree, &entry, WHY)), 1);
    while (WORKS(curt_tree_next(tree, &entry, WHY)) == 1) {
        int same_one = find_expected(entry.path.ptr + strlen("tree/"));
        if (CHECK(same_one >= 0)) {
            CHECK_INT(entry.kind, expected_kinds[same_one]);
            expected[same_one][0] = 0;
            found++;
        }
    }
    CHECK_INT(found, expected_count);
    curt_tree_close(tree);

    CHECK_INT(WORKS(curt_usage(&path, 1, 0, NULL, &totals, WHY)), 0);
    CHECK_INT(totals.allocated, allocated);
    CHECK_INT(totals.unknown, 0);
    CHECK_INT(totals.errors, 0);
    CHECK_INT(totals.apparent, apparent);
    CHECK_INT(totals.entries, expected_count);
    CHECK_INT(WORKS(curt_usage(&path, 1, CURT_TREE_COUNT_LINKS, NULL, &totals, WHY)), 0);
    CHECK_INT(totals.apparent, apparent + 9000);
    CHECK_INT(totals.entries, expected_count + 1);

    CHECK_INT(WORKS(curt_tree_open(path, CURT_TREE_FOLLOW, &tree, WHY)), 0);
    while (WORKS(curt_tree_next(tree, &entry, WHY)) == 1)
        if (same(entry.path, "tree/b/up"))
            break;
    FAILS_ONCE(CURT_E_LOOP, curt_tree_next(tree, &entry, WHY));
    CHECK_TEXT(LAST.path, "tree/b/up");
    curt_tree_close(tree);
}

static thread_id caller;

struct calls {
    int polls, errors, stop_at_poll, stop_at_error;
    char first[64];
};

static int on_poll(void *context)
{
    struct calls *calls = (struct calls *)context;
    CHECK(is_thread(caller));
    return ++calls->polls == calls->stop_at_poll;
}

static int on_error(void *context, const curt_error *error)
{
    struct calls *calls = (struct calls *)context;
    SIZED(curt_error_info, info);
    CHECK(is_thread(caller));
    CHECK_INT(curt_error_get(error, &info), 0);
    if (calls->errors++ == 0 && info.path.len < sizeof calls->first)
        memcpy(calls->first, info.path.ptr, info.path.len);
    return calls->errors == calls->stop_at_error;
}

enum { POLL = 1, ERROR = 2, CANCEL = 4, FORMS = 8 };

/* Enough directories to start several threads. Each unreadable directory is a failure. */
enum { PARENTS = 16, CLOSED = 40, FAILURES = PARENTS * CLOSED };

/* Measures the tree with these callbacks. `stop` is the callback that stops the work, or 0. Without
 * callbacks, also measures it with a NULL control. */
static void fail_in(int callbacks, uint32_t threads, int stop)
{
    const curt_str path = Z("tree");
    int without = callbacks == 0 && threads == 1;
    for (; without >= 0; without--) {
        struct calls calls;
        volatile int cancel = stop == CANCEL;
        int before = test_state.failures, expected = stop & (POLL | CANCEL) ? CURT_E_STOPPED : -1;
        SIZED(curt_control, control);
        SIZED(curt_totals, totals);
        memset(&calls, 0, sizeof calls);
        calls.stop_at_poll = stop == POLL;
        calls.stop_at_error = stop == ERROR;
        control.context = &calls;
        control.threads = threads;
        control.poll = callbacks & POLL ? on_poll : NULL;
        control.on_error = callbacks & ERROR ? on_error : NULL;
        control.cancel = callbacks & CANCEL ? &cancel : NULL;
        FAILS_ONCE(expected, curt_usage(&path, 1, 0, without ? NULL : &control, &totals, WHY));
        CHECK_INT(calls.polls > 0, (callbacks & POLL) != 0 && stop != CANCEL);
        if (stop == 0) {
            CHECK_INT(totals.errors, FAILURES);
            CHECK_INT(totals.entries, 1 + PARENTS + FAILURES);
            CHECK_INT(calls.errors, callbacks & ERROR ? FAILURES : 0);
        } else {
            CHECK(stop == ERROR ? calls.errors == 1 : totals.errors == 0);
            CHECK(stop != POLL || calls.polls == 1);
        }
        if (calls.errors > 0)
            CHECK_TEXT(LAST.path, calls.first);
        if (test_state.failures != before)
            fprintf(test_state.report, "  callbacks %d, threads %d, stopped by %d\n", callbacks,
                    (int)threads, stop);
    }
}

static void fail_in_every_form(void)
{
    int number, callbacks, stop, round;
    char name[64];
    CHECK_INT(mkdir("tree", 0777), 0);
    for (number = 0; number < FAILURES; number++) {
        snprintf(name, sizeof name, "tree/%d", number % PARENTS);
        CHECK(number >= PARENTS || mkdir(name, 0777) == 0);
        snprintf(name, sizeof name, "tree/%d/%d", number % PARENTS, number / PARENTS);
        CHECK_INT(mkdir(name, 0), 0);
    }
    caller = this_thread();
    for (round = 0; round < 5; round++)
        for (callbacks = 0; callbacks < FORMS; callbacks++)
            for (stop = 0; stop < FORMS; stop = stop == 0 ? 1 : 2 * stop)
                if ((stop & ~callbacks) == 0) {
                    fail_in(callbacks, 1, stop);
                    fail_in(callbacks, 4, stop);
                }
}

static void tells_each_failure_in_every_form(void)
{
    as_nobody(fail_in_every_form);
}

#ifdef __linux__

static long count_in_tree(uint32_t flags)
{
    curt_tree *tree = NULL;
    long count = -1;
    SIZED(curt_tree_entry, entry);
    WORKS(curt_tree_open(Z("tree"), flags, &tree, WHY));
    while (WORKS(curt_tree_next(tree, &entry, WHY)) > 0)
        count++;
    curt_tree_close(tree);
    return count;
}

static long count_in_usage(uint32_t flags)
{
    const curt_str path = Z("tree");
    SIZED(curt_totals, totals);
    WORKS(curt_usage(&path, 1, flags, NULL, &totals, WHY));
    return (long)totals.entries - 1;
}

static void count_with_mounts(void)
{
    static long (*const functions[])(uint32_t) = {count_in_tree, count_in_usage};
    size_t at;
    CHECK_INT(mkdir("tree", 0777) | mkdir("tree/mount", 0777) | mkdir("other", 0777), 0);
    CHECK_INT(mount("none", "tree/mount", "tmpfs", 0, NULL), 0);
    CHECK_INT(mount("none", "other", "tmpfs", 0, NULL), 0);
    CHECK_INT(make_file("tree/mount/file", 0) | make_file("other/file", 0), 0);
    CHECK_INT(symlink("../other", "tree/link"), 0);
    for (at = 0; at < sizeof functions / sizeof *functions; at++) {
        int du = functions[at] == count_in_usage; /* like `du -x`, it skips the mount point */
        int before = test_state.failures;
        CHECK_INT(functions[at](0), 3);
        CHECK_INT(functions[at](CURT_TREE_FOLLOW), 4);
        CHECK_INT(functions[at](CURT_TREE_SAME_FILE_SYSTEM), du ? 1 : 2);
        CHECK_INT(functions[at](CURT_TREE_SAME_FILE_SYSTEM | CURT_TREE_FOLLOW), du ? 0 : 2);
        if (test_state.failures != before)
            fprintf(test_state.report, "  of function %d\n", (int)at);
    }
}

static void enters_other_file_systems_as_it_is_told(void)
{
    with_own_mounts(count_with_mounts);
}

#endif

#endif

BEGIN_TESTS
    test(goes_through_a_tree_by_names),
    test(sums_up_a_tree),
#ifndef _WIN32
    test(finds_what_nftw_finds),
    test(tells_each_failure_in_every_form),
#ifdef __linux__
    test(enters_other_file_systems_as_it_is_told),
#endif
#endif
END_TESTS
