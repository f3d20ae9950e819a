/* Loads and unloads the shared library at run time. Its path is the second argument. Only the
 * checks in test.h use the copy of the library that is linked into this program. */
#include "test.h"

#ifdef _WIN32
typedef HMODULE library;
#else
#include <dlfcn.h>
typedef void *library;
#endif

struct functions {
    uint32_t (*abi)(void);
    int (*remove)(curt_fd, curt_str, const curt_remove_options *, const curt_control *,
                  curt_remove_report *, curt_error **);
    int (*error_get)(const curt_error *, curt_error_info *);
    void (*error_free)(curt_error *);
};

static library load(struct functions *functions)
{
#ifdef _WIN32
    library loaded = LoadLibraryA(test_argument);
#define FIND(name) do { \
        FARPROC found = GetProcAddress(loaded, "curt_" #name); \
        if (CHECK(found != NULL)) \
            memcpy(&functions->name, &found, sizeof found); \
    } while (0)
#else
    library loaded = dlopen(test_argument, RTLD_NOW | RTLD_LOCAL);
#define FIND(name) do { \
        void *found = dlsym(loaded, "curt_" #name); \
        if (CHECK(found != NULL)) \
            memcpy(&functions->name, &found, sizeof found); \
    } while (0)
#endif
    if (!CHECK(loaded != NULL))
        return loaded;
    FIND(abi);
    FIND(remove);
    FIND(error_get);
    FIND(error_free);
    return loaded;
}

static void unload(library loaded)
{
#ifdef _WIN32
    CHECK(FreeLibrary(loaded));
#else
    CHECK_INT(dlclose(loaded), 0);
#endif
}

static void make_tree(void)
{
    text_char path[] = T("tree/A/A");
    make_dir(T("tree"));
    for (path[5] = 'A'; path[5] <= 'T'; path[5]++) {
        path[6] = 0;
        CHECK_INT(make_dir(path), 0);
        path[6] = '/';
        for (path[7] = 'A'; path[7] <= 'Z'; path[7]++)
            CHECK_INT(make_file(path, 0), 0);
    }
}

static void work(const struct functions *functions)
{
    curt_error *error = NULL;
    SIZED(curt_control, control);
    SIZED(curt_remove_report, report);
    SIZED(curt_error_info, info);
    CHECK_INT(functions->abi(), CURT_ABI);
    make_tree();
    control.threads = 4;
    CHECK_INT(functions->remove(CURT_CWD, Z("tree"), NULL, &control, &report, &error), 0);
    CHECK_INT(report.files, 20 * 26);
    CHECK_INT(functions->remove(CURT_CWD, Z("tree"), NULL, &control, &report, &error), CURT_E_OS);
    CHECK_INT(functions->error_get(error, &info), 0);
    CHECK_INT(info.os_error, NO_SUCH_FILE);
    functions->error_free(error);
}

static void is_loaded_and_unloaded_twenty_times(void)
{
    int round;
    if (test_argument == NULL) {
        SKIP("the path of the shared library was not given");
        return;
    }
    for (round = 0; round < 20; round++) {
        struct functions functions;
        library loaded = load(&functions);
        if (test_state.failures > 0)
            return;
        work(&functions);
        unload(loaded);
    }
}

#ifndef _WIN32

static int stage;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

static void reach(int next)
{
    pthread_mutex_lock(&lock);
    stage = next;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
}

static void await(int wanted)
{
    pthread_mutex_lock(&lock);
    while (stage < wanted)
        pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
}

static void *work_and_outlive(void *functions)
{
    work((const struct functions *)functions);
    reach(1);
    await(2);
    return NULL;
}

/* The library's per-thread data is freed when the thread ends, even if the library was unloaded. */
static void a_thread_may_outlive_it(void)
{
    struct functions functions;
    pthread_t thread;
    library loaded;
    if (test_argument == NULL) {
        SKIP("the path of the shared library was not given");
        return;
    }
    loaded = load(&functions);
    if (test_state.failures > 0)
        return;
    stage = 0;
    CHECK_INT(pthread_create(&thread, NULL, work_and_outlive, &functions), 0);
    await(1);
    unload(loaded);
    reach(2);
    CHECK_INT(pthread_join(thread, NULL), 0);
}

#endif

BEGIN_TESTS
    test(is_loaded_and_unloaded_twenty_times),
#ifndef _WIN32
    test(a_thread_may_outlive_it),
#endif
END_TESTS
