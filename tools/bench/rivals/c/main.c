/* Times libcurt and the C functions that it replaces, like node-curt/main.js, all on one thread
 * except `rm TREE`, which curt-bench times. */
#define _GNU_SOURCE
#include "curt.h"
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#define LEAST 50000000

static const char *tree;
/* Later runs add to `sum`, so that the compiler cannot remove their work. */
static int is_first = 1;
static volatile uint64_t sum;

static void fail(const char *what) {
    fprintf(stderr, "%s\n", what);
    exit(1);
}

static void check(int64_t result) {
    if (result < 0) {
        fail(curt_text((int32_t)result));
    }
}

static void entry(const char *name, size_t len, const uint64_t *size) {
    if (!is_first) {
        sum += len + (size ? *size : 0);
        return;
    }
    if (size) {
        printf("%llu ", (unsigned long long)*size);
    }
    fwrite(name, 1, len, stdout);
    putchar('\n');
}

static void list_by_curt(uint32_t fields) {
    static curt_entry entries[256];
    curt_dir *dir;
    int32_t count;

    check(curt_dir_open(curt_z(tree), fields, 0, &dir, NULL));
    while ((count = curt_dir_next(dir, entries, sizeof *entries, 256, NULL)) > 0) {
        for (int32_t at = 0; at < count; at++) {
            const curt_entry *one = &entries[at];
            const uint64_t *size = fields ? &one->metadata.length : NULL;

            entry(one->name.ptr, one->name.len, size);
        }
    }
    check(count);
    curt_dir_close(dir);
}

static void list(void) { list_by_curt(0); }

static void stat_each(void) {
    list_by_curt(CURT_FIELD_KIND | CURT_FIELD_SIZE | CURT_FIELD_ALLOCATED | CURT_FIELD_MODIFIED |
                 CURT_FIELD_ACCESSED | CURT_FIELD_CHANGED | CURT_FIELD_MODE | CURT_FIELD_LINKS |
                 CURT_FIELD_ID | CURT_FIELD_DEVICE | CURT_FIELD_USER_ID | CURT_FIELD_GROUP_ID |
                 CURT_FIELD_DEVICE_NUMBER | CURT_FIELD_BLOCK_SIZE);
}

static void list_by_readdir(int wants_stat) {
    DIR *dir = opendir(tree);
    struct dirent *one;

    if (!dir) {
        fail("opendir");
    }
    while ((one = readdir(dir))) {
        struct stat found;
        uint64_t size;

        if (!strcmp(one->d_name, ".") || !strcmp(one->d_name, "..")) {
            continue;
        }
        if (wants_stat && fstatat(dirfd(dir), one->d_name, &found, AT_SYMLINK_NOFOLLOW)) {
            fail("fstatat");
        }
        size = wants_stat ? (uint64_t)found.st_size : 0;
        entry(one->d_name, strlen(one->d_name), wants_stat ? &size : NULL);
    }
    closedir(dir);
}

static void readdir_alone(void) { list_by_readdir(0); }

static void readdir_fstatat(void) { list_by_readdir(1); }

/* These tasks print the same answers as `roles/call.rs`. */
static char buffer[4096];
static curt_expander *expander;
static curt_search *search;

static void answer(const char *text) {
    if (is_first) {
        puts(text);
    }
}

static void expand(const char *path) {
    check(curt_expand_bytes(expander, path, strlen(path), buffer, sizeof buffer));
    answer(buffer);
}

static void expand_clean(void) { expand("/usr/share/doc/ruby/examples/main.rb"); }

static void expand_dots(void) { expand("/usr/./lib/../share/doc/ruby/./examples/main.rb"); }

static ptrdiff_t find(const char *name) {
    return curt_search_find(search, curt_z(name), buffer, sizeof buffer, NULL, NULL);
}

static void which(void) {
    check(find("hello"));
    answer(buffer);
}

static void which_missing(void) {
    if (find("nothing") != CURT_E_FIND_NOT_FOUND) {
        fail("found");
    }
    answer("missing");
}

static void remove_missing(void) {
    if (curt_remove(CURT_CWD, curt_z(buffer), NULL, NULL, NULL, NULL) != CURT_E_OS) {
        fail("removed");
    }
    answer("missing");
}

static void prepare_expander(void) {
    curt_expand_options options = CURT_EXPAND_OPTIONS_INIT;

    options.dot_dot = CURT_DOT_DOT_CLAMP;
    check(curt_expander_open(&options, &expander, NULL));
}

static void prepare_search(void) {
    curt_search_options options = CURT_SEARCH_OPTIONS_INIT;
    static char path[32768];
    size_t len = 0;

    for (int at = 0; at < 6; at++) {
        len += (size_t)snprintf(path + len, sizeof path - len, "%s%s/package-%05d", at ? ":" : "",
                                tree, at);
    }
    options.path = curt_z(path);
    check(curt_search_open(&options, &search, NULL));
}

static void prepare_missing(void) { snprintf(buffer, sizeof buffer, "%s/nothing", tree); }

static void nothing(void) {}

static const struct {
    const char *name;
    void (*prepare)(void);
    void (*task)(void);
    int block;
} TASKS[] = {
    {"list", nothing, list, 1},
    {"stat", nothing, stat_each, 1},
    {"readdir", nothing, readdir_alone, 1},
    {"fstatat", nothing, readdir_fstatat, 1},
    {"expand-clean", prepare_expander, expand_clean, 1000},
    {"expand-dots", prepare_expander, expand_dots, 1000},
    {"which", prepare_search, which, 100},
    {"which-missing", prepare_search, which_missing, 100},
    {"remove-missing", prepare_missing, remove_missing, 100},
};

static double now(void) {
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static void repeat(void (*task)(void), int block) {
    double begin, taken;
    uint64_t count = 0;

    task();
    is_first = 0;
    begin = now();
    do {
        for (int at = 0; at < block; at++) {
            task();
        }
        count += (uint64_t)block;
        taken = now() - begin;
    } while (taken < LEAST);
    fprintf(stderr, "took %f\n", taken / (double)count);
}

static void remove_tree(void) {
    curt_control control = CURT_CONTROL_INIT;

    control.threads = CURT_THREADS_AUTOMATIC;
    check(curt_remove(CURT_CWD, curt_z(tree), NULL, &control, NULL, NULL));
}

int main(int argc, char **argv) {
    if (argc != 3) {
        fail("c-libcurt TASK TREE");
    }
    tree = argv[2];
    if (!strcmp(argv[1], "rm")) {
        remove_tree();
        return 0;
    }
    for (size_t at = 0; at < sizeof TASKS / sizeof *TASKS; at++) {
        if (!strcmp(argv[1], TASKS[at].name)) {
            TASKS[at].prepare();
            repeat(TASKS[at].task, TASKS[at].block);
            return 0;
        }
    }
    fail("no such task");
}
