/* Effects on the process: threads, fork, signals, and shared objects. */
#include "test.h"

#ifdef _WIN32

static void use_everything(void)
{
    curt_str path = Z("tree");
    curt_dir *dir = NULL;
    curt_tree *walk = NULL;
    curt_root *root = NULL;
    curt_entry entries[8];
    curt_metadata metadata;
    curt_fd file = NULL;
    SIZED(curt_tree_entry, walked);
    SIZED(curt_totals, totals);
    SIZED(curt_control, control);
    control.threads = CURT_THREADS_AUTOMATIC;
    make_dir(L"tree");
    make_dir(L"tree/below");
    make_file(L"tree/file", 3);
    CHECK_INT(WORKS(curt_dir_open(path, CURT_FIELD_ID, 0, &dir, WHY)), 0);
    CHECK_INT(WORKS(curt_dir_next(dir, entries, sizeof *entries, 8, WHY)), 2);
    curt_dir_close(dir);
    CHECK_INT(WORKS(curt_tree_open(path, 0, &walk, WHY)), 0);
    CHECK_INT(WORKS(curt_tree_next(walk, &walked, WHY)), 1);
    CHECK_INT(WORKS(curt_tree_next(walk, &walked, WHY)), 1);
    curt_tree_close(walk);
    CHECK_INT(WORKS(curt_usage(&path, 1, 0, &control, &totals, WHY)), 0);
    CHECK_INT(WORKS(curt_stat(path, CURT_FIELD_LINKS, 0, &metadata, sizeof metadata, WHY)), 0);
    CHECK(WORKS(curt_canonical(path, 0, NULL, 0, WHY)) > 0);
    CHECK_INT(WORKS(curt_root_open(path, 0, &root, WHY)), 0);
    CHECK_INT(WORKS(curt_root_open_file(root, Z("file"), NULL, &file, WHY)), 0);
    CHECK(CloseHandle(file));
    FAILS(CURT_E_REFUSED_ESCAPE, curt_root_open_file(root, Z("../x"), NULL, &file, WHY));
    curt_root_close(root);
    FAILS(CURT_E_OS, curt_dir_open(Z("missing"), 0, 0, &dir, WHY));
    CHECK_INT(WORKS(curt_remove(CURT_CWD, path, NULL, &control, NULL, WHY)), 0);
}

static void no_handle_is_left(void)
{
    DWORD before = 0, after = 0;
    use_everything(); /* The system keeps some handles open after the first use. */
    CHECK(GetProcessHandleCount(GetCurrentProcess(), &before));
    use_everything();
    CHECK(GetProcessHandleCount(GetCurrentProcess(), &after));
    CHECK_INT(after, before);
}

BEGIN_TESTS
    test(no_handle_is_left),
END_TESTS

#else

#include <sys/mman.h>
#include <sys/resource.h>

static void make_tree(const char *at, int directories, int files)
{
    char path[100];
    int directory, file;
    CHECK_INT(mkdir(at, 0777), 0);
    for (directory = 0; directory < directories; directory++) {
        snprintf(path, sizeof path, "%s/%d", at, directory);
        CHECK_INT(mkdir(path, 0777), 0);
        for (file = 0; file < files; file++) {
            snprintf(path, sizeof path, "%s/%d/%d", at, directory, file);
            CHECK_INT(make_file(path, 1), 0);
        }
    }
}

static curt_search *make_search(void)
{
    static char folder[4096];
    curt_search *search = NULL;
    SIZED(curt_search_options, options);
    CHECK(getcwd(folder, sizeof folder) != NULL);
    options.base = curt_z(folder);
    options.path = Z("missing:bin:other");
    CHECK_INT(WORKS(curt_search_open(&options, &search, WHY)), 0);
    if (!exists("bin")) {
        CHECK_INT(mkdir("bin", 0777), 0);
        CHECK_INT(make_file("bin/tool", 0), 0);
        CHECK_INT(chmod("bin/tool", 0755), 0);
    }
    return search;
}

static curt_expander *make_expander(void)
{
    curt_expander *expander = NULL;
    SIZED(curt_expand_options, options);
    options.flavor = CURT_FLAVOR_POSIX;
    options.width = 1;
    options.cwd = "/work";
    options.cwd_len = 5;
    CHECK_INT(WORKS(curt_expander_open(&options, &expander, WHY)), 0);
    return expander;
}

/* In a child forked while other threads run, AddressSanitizer's locks might be held forever, so the
 * child cannot allocate. */
#ifdef __SANITIZE_ADDRESS__
enum { HAS_CHILD = 0 };
#else
enum { HAS_CHILD = 1 };
#endif

enum { ROUNDS = 200, ERRORS = 30 };

struct shared {
    const curt_search *search;
    const curt_expander *expander;
    curt_error *errors[ROUNDS][ERRORS];
    int wrong;
};

static void *use_shared(void *with)
{
    struct shared *shared = (struct shared *)with;
    int round, at, wrong = 0;
    for (round = 0; round < ROUNDS; round++) {
        char buffer[4096];
        SIZED(curt_found, found);
        SIZED(curt_error_info, info);
        ptrdiff_t length = curt_search_find(shared->search, Z("tool"), buffer, sizeof buffer, &found,
                                            NULL);
        wrong += length < 8 || strcmp(buffer + length - 8, "bin/tool") != 0 || found.entry != 1;
        wrong += curt_search_find(shared->search, Z("none"), NULL, 0, NULL, NULL)
            != CURT_E_FIND_NOT_FOUND;
        length = curt_expand_bytes(shared->expander, "a/./b", 5, buffer, sizeof buffer);
        wrong += length != 9 || strcmp(buffer, "/work/a/b") != 0;
        for (at = 0; at < ERRORS; at++)
            wrong += curt_error_get(shared->errors[round][at], &info) != 0
                || info.result != CURT_E_OS || !same(info.path, "missing");
    }
    __sync_fetch_and_add(&shared->wrong, wrong);
    return NULL;
}

/* Uses the objects in threads and in a child forked meanwhile, often during the first use of an
 * error. The child must not wait for a thread that it does not have. */
static int share_with_a_child(void)
{
    enum { THREADS = 4 };
    pthread_t threads[THREADS];
    curt_search *search = make_search();
    curt_expander *expander = make_expander();
    static struct shared shared;
    int round, at, status = SIGKILL;
    pid_t child;
    for (round = 0; round < ROUNDS; round++)
        for (at = 0; at < ERRORS; at++)
            CHECK_INT(curt_remove(CURT_CWD, Z("missing"), NULL, NULL, NULL,
                                  &shared.errors[round][at]), CURT_E_OS);
    shared.search = search;
    shared.expander = expander;
    shared.wrong = 0;
    for (at = 0; at < THREADS; at++)
        CHECK_INT(pthread_create(&threads[at], NULL, use_shared, &shared), 0);
    child = HAS_CHILD ? fork() : -1;
    if (child == 0) {
        alarm(20);
        shared.wrong = 0;
        use_shared(&shared);
        /* A normal exit would make Valgrind report the memory of the missing threads. */
        if (shared.wrong == 0)
            kill(getpid(), SIGKILL);
        _exit(1);
    }
    for (at = 0; at < THREADS; at++)
        CHECK_INT(pthread_join(threads[at], NULL), 0);
    if (HAS_CHILD)
        CHECK_INT(waitpid(child, &status, 0), child);
    CHECK_INT(shared.wrong, 0);
    for (round = 0; round < ROUNDS; round++)
        for (at = 0; at < ERRORS; at++)
            curt_error_free(shared.errors[round][at]);
    curt_expander_close(expander);
    curt_search_close(search);
    return CHECK_INT(status, SIGKILL);
}

static void threads_and_children_share_a_search_an_expander_and_an_error(void)
{
    int round;
    for (round = 0; round < 6 && share_with_a_child(); round++)
        ;
}

struct handles {
    curt_dir *dir;
    curt_tree *tree;
    curt_search *search;
    curt_expander *expander;
    curt_root *root;
    curt_error *error;
    int wrong;
};

static void *open_handles(void *with)
{
    struct handles *handles = (struct handles *)with;
    curt_str path = Z("tree");
    SIZED(curt_expand_options, expand);
    SIZED(curt_search_options, search);
    expand.width = 1;
    search.path = path;
    handles->wrong = curt_dir_open(path, 0, 0, &handles->dir, NULL) != 0;
    handles->wrong += curt_tree_open(path, 0, &handles->tree, NULL) != 0;
    handles->wrong += curt_search_open(&search, &handles->search, NULL) != 0;
    handles->wrong += curt_expander_open(&expand, &handles->expander, NULL) != 0;
    handles->wrong += curt_root_open(path, 0, &handles->root, NULL) != 0;
    handles->wrong += curt_remove(CURT_CWD, Z("missing"), NULL, NULL, NULL, &handles->error)
        != CURT_E_OS;
    return NULL;
}

static void *use_handles(void *with)
{
    struct handles *handles = (struct handles *)with;
    curt_entry entries[8];
    curt_fd file = -1;
    SIZED(curt_tree_entry, entry);
    SIZED(curt_error_info, error);
    handles->wrong += curt_dir_next(handles->dir, entries, sizeof *entries, 8, NULL) != 2;
    handles->wrong += curt_tree_next(handles->tree, &entry, NULL) != 1;
    handles->wrong += curt_tree_next(handles->tree, &entry, NULL) != 1;
    handles->wrong += curt_search_find(handles->search, Z("none"), NULL, 0, NULL, NULL)
        != CURT_E_FIND_NOT_FOUND;
    handles->wrong += curt_expand_bytes(handles->expander, "/x/.", 4, NULL, 0) < 2;
    handles->wrong += curt_root_open_file(handles->root, Z("1/2"), NULL, &file, NULL) != 0;
    handles->wrong += close(file) != 0;
    handles->wrong += curt_error_get(handles->error, &error) != 0 || error.os_error != ENOENT;
    return NULL;
}

static void *close_handles(void *with)
{
    struct handles *handles = (struct handles *)with;
    curt_dir_close(handles->dir);
    curt_tree_close(handles->tree);
    curt_search_close(handles->search);
    curt_expander_close(handles->expander);
    curt_root_close(handles->root);
    curt_error_free(handles->error);
    return NULL;
}

static void handles_move_between_threads(void)
{
    static void *(*const steps[])(void *) = {open_handles, use_handles, close_handles};
    struct handles handles;
    size_t at;
    memset(&handles, 0, sizeof handles);
    make_tree("tree", 2, 3);
    for (at = 0; at < 3; at++) {
        pthread_t thread;
        CHECK_INT(pthread_create(&thread, NULL, steps[at], &handles), 0);
        CHECK_INT(pthread_join(thread, NULL), 0);
        CHECK_INT(handles.wrong, 0);
    }
}

static void *remove_one(void *path)
{
    SIZED(curt_control, control);
    control.threads = 2;
    return (void *)(size_t)curt_remove(CURT_CWD, curt_z((const char *)path), NULL, &control, NULL,
                                       NULL);
}

static void removals_run_side_by_side(void)
{
    static char paths[4][2] = {"a", "b", "c", "d"};
    pthread_attr_t attributes;
    pthread_t threads[4];
    int at;
    CHECK_INT(pthread_attr_init(&attributes), 0);
    CHECK_INT(pthread_attr_setstacksize(&attributes, 512 * 1024), 0);
    for (at = 0; at < 4; at++)
        make_tree(paths[at], 10, 30);
    for (at = 0; at < 4; at++)
        CHECK_INT(pthread_create(&threads[at], &attributes, remove_one, paths[at]), 0);
    for (at = 0; at < 4; at++) {
        void *result = NULL;
        CHECK_INT(pthread_join(threads[at], &result), 0);
        CHECK_INT((size_t)result, 0);
        CHECK(!exists(paths[at]));
    }
    pthread_attr_destroy(&attributes);
}

static void works_after_fork(void)
{
    curt_str path = Z("tree");
    int status = 1;
    pid_t child;
    make_tree("tree", 20, 20);
    CHECK_INT((size_t)remove_one((void *)"tree/0"), 0);
    fflush(NULL);
    child = fork();
    if (child == 0) {
        SIZED(curt_totals, totals);
        CHECK_INT(curt_usage(&path, 1, 0, NULL, &totals, NULL), 0);
        CHECK_INT(totals.entries, 19 * 21 + 1);
        CHECK_INT((size_t)remove_one((void *)"tree"), 0);
        fflush(test_state.report);
        _exit(test_state.failures != 0 || exists("tree"));
    }
    CHECK_INT(waitpid(child, &status, 0), child);
    CHECK_INT(status, 0);
}

/* Not for Valgrind and AddressSanitizer, which replace the allocator themselves. */
#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__cplusplus)
#define FAILING_ALLOCATOR

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *memory, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

static int until_failure;   /* 0: never, 1: the next allocation fails */
static int all_fail_then;   /* whether all later allocations fail, too */
static volatile int failing;

static int fails(void)
{
    int left = __sync_fetch_and_sub(&until_failure, until_failure > 0);
    if (left == 1 && all_fail_then)
        failing = 1;
    if (left != 1 && !failing)
        return 0;
    errno = ENOMEM;
    return 1;
}

#define UNLESS_IT_FAILS(memory) (fails() ? NULL : (memory))

void *malloc(size_t size)
{
    return UNLESS_IT_FAILS(__libc_malloc(size));
}

void *calloc(size_t count, size_t size)
{
    return UNLESS_IT_FAILS(__libc_calloc(count, size));
}

void *realloc(void *memory, size_t size)
{
    return UNLESS_IT_FAILS(__libc_realloc(memory, size));
}

int posix_memalign(void **memory, size_t alignment, size_t size)
{
    *memory = UNLESS_IT_FAILS(__libc_memalign(alignment, size));
    return *memory == NULL ? ENOMEM : 0;
}

/* No flag requests the environment here, so a call of `getenv` prints a name and fails the test. */
char *getenv(const char *name)
{
    CHECK(write(2, name, strlen(name)) > 0);
    return NULL;
}

static void use_handles_with_memory(void)
{
    struct handles handles;
    memset(&handles, 0, sizeof handles);
    open_handles(&handles);
    use_handles(&handles);
    close_handles(&handles);
}

static void use_paths_with_memory(void)
{
    curt_str path = Z("tree");
    curt_lookup *lookup = NULL;
    curt_tree *tree = NULL;
    char buffer[4096];
    SIZED(curt_tree_entry, entry);
    if (curt_lookup_open(&path, 1, 0, &lookup, NULL) == 0)
        curt_lookup_find(lookup, Z("1/2"), &path, 1, buffer, sizeof buffer, NULL);
    curt_lookup_close(lookup);
    curt_canonical(Z("tree/1/../1/2"), 0, buffer, sizeof buffer, NULL);
    if (curt_tree_open(path, 0, &tree, NULL) == 0)
        while (curt_tree_next(tree, &entry, NULL) == 1)
            ;
    curt_tree_close(tree);
}

static void use_threads_with_memory(void)
{
    curt_str path = Z("tree");
    SIZED(curt_totals, totals);
    SIZED(curt_control, control);
    control.threads = 3;
    curt_usage(&path, 1, 0, &control, &totals, NULL);
    remove_one((void *)"tree");
}

static void aborts_in_silence_without_memory(void)
{
    static void (*const works[])(void) = {use_handles_with_memory, use_paths_with_memory,
                                          use_threads_with_memory};
    const struct rlimit no_core = {0, 0};
    size_t work;
    int number, aborted = 0;
    for (all_fail_then = 0; all_fail_then < 2; all_fail_then++)
        for (work = 0; work < sizeof works / sizeof *works; work++) {
            int status = 0;
            for (number = 1; number < 1000 && status != 1 << 8; number++) {
                pid_t child;
                if (!exists("tree"))
                    make_tree("tree", 2, 3);
                fflush(NULL);
                child = fork();
                if (child == 0) {
                    setrlimit(RLIMIT_CORE, &no_core);
                    until_failure = number;
                    works[work]();
                    _exit(until_failure > 0);
                }
                CHECK_INT(waitpid(child, &status, 0), child);
                if (WIFSIGNALED(status))
                    aborted += CHECK_INT(WTERMSIG(status), SIGABRT);
                else
                    CHECK(status == 0 || status == 1 << 8);
            }
            CHECK_INT(status, 1 << 8);
        }
    if (number == 2)
        SKIP("the allocator is not this program's");
    else
        CHECK(aborted > 200);
    curt_remove(CURT_CWD, Z("tree"), NULL, NULL, NULL, NULL);
}

#endif

static volatile int stop_now;

static void set_the_int(int signal)
{
    (void)signal;
    stop_now = 1;
}

static int raise_it(void *context)
{
    (void)context;
    return raise(SIGUSR1);
}

static void a_signal_handler_stops_each_function(void)
{
    struct sigaction action, before;
    curt_str path = Z("tree");
    SIZED(curt_control, control);
    SIZED(curt_totals, totals);
    SIZED(curt_remove_report, report);
    memset(&action, 0, sizeof action);
    action.sa_handler = set_the_int;
    CHECK_INT(sigaction(SIGUSR1, &action, &before), 0);
    control.cancel = &stop_now;
    control.poll = raise_it;
    make_tree("tree", 60, 60);
    FAILS_ONCE(CURT_E_STOPPED, curt_usage(&path, 1, 0, &control, &totals, WHY));
    stop_now = 0;
    FAILS_ONCE(CURT_E_STOPPED, curt_remove(CURT_CWD, path, NULL, &control, &report, WHY));
    CHECK(report.stopped == 1 && exists("tree"));
    CHECK_INT(sigaction(SIGUSR1, &before, NULL), 0);
}

static void works_with_every_signal_blocked(void)
{
    sigset_t all, before;
    curt_str path = Z("tree");
    SIZED(curt_control, control);
    SIZED(curt_totals, totals);
    control.threads = CURT_THREADS_AUTOMATIC;
    make_tree("tree", 40, 60);
    sigfillset(&all);
    CHECK_INT(pthread_sigmask(SIG_SETMASK, &all, &before), 0);
    CHECK_INT(pthread_sigmask(SIG_SETMASK, NULL, &all), 0); /* all signals that can be blocked */
    CHECK_INT(WORKS(curt_usage(&path, 1, 0, &control, &totals, WHY)), 0);
    CHECK_INT(totals.entries, 40 * 61 + 1);
    CHECK_INT(WORKS(curt_remove(CURT_CWD, path, NULL, &control, NULL, WHY)), 0);
    {
        sigset_t now;
        int signal;
        CHECK_INT(pthread_sigmask(SIG_SETMASK, &before, &now), 0);
        for (signal = 1; signal <= 64; signal++)
            CHECK_INT(sigismember(&now, signal), sigismember(&all, signal));
    }
}

static void nothing_is_read_behind_a_text(void)
{
    long page = sysconf(_SC_PAGESIZE);
    char *pages = (char *)mmap(NULL, (size_t)page * 2, PROT_READ | PROT_WRITE,
                               MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    char *text = pages + page - 4;
    curt_expander *expander = make_expander();
    curt_metadata metadata;
    curt_str path;
    CHECK(pages != (char *)MAP_FAILED);
    CHECK_INT(mprotect(pages + page, (size_t)page, PROT_NONE), 0);
    memcpy(text, "tree", 4);
    path = text_of(text, 4);
    make_tree("tree", 1, 1);
    CHECK_INT(curt_stat(path, CURT_FIELD_KIND, 0, &metadata, sizeof metadata, NULL), 0);
    CHECK_INT(metadata.kind, CURT_KIND_DIRECTORY);
    CHECK_INT(curt_expand_bytes(expander, text, 4, NULL, 0), 10);
    CHECK_INT(curt_remove(CURT_CWD, path, NULL, NULL, NULL, NULL), 0);
    CHECK(!exists("tree"));
    curt_expander_close(expander);
    CHECK_INT(munmap(pages, (size_t)page * 2), 0);
}

BEGIN_TESTS
    test(threads_and_children_share_a_search_an_expander_and_an_error),
    test(handles_move_between_threads),
    test(removals_run_side_by_side),
    test(works_after_fork),
#ifdef FAILING_ALLOCATOR
    test(aborts_in_silence_without_memory),
#endif
    test(a_signal_handler_stops_each_function),
    test(works_with_every_signal_blocked),
    test(nothing_is_read_behind_a_text),
END_TESTS

#endif
