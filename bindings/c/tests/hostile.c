/* The cases of tests/hostile.json, in which all languages agree. */
#include <fnmatch.h>

#include "test.h"

#include "hostile.h" /* the table, by run.sh */

#define COUNT(array) (sizeof array / sizeof *array)

/* What a call returns, followed by what has changed; and whether that is nothing. */
static char found[4096];
static int is_fresh;

/* An operation, how it is opened or what happens to directories, and other flags of a removal. */
static const struct operation {
    const char *name;
    uint32_t option, flags;
} operations[] = {
    {"root.open", CURT_OPEN_READ | CURT_OPEN_NONBLOCKING_OPEN, 0},
    {"root.create", CURT_OPEN_WRITE | CURT_OPEN_CREATE | CURT_OPEN_NONBLOCKING, 0},
    {"root.create_new", CURT_OPEN_WRITE | CURT_OPEN_CREATE_NEW, 0},
    {"remove", CURT_DIRECTORIES_RECURSIVE, 0},
    {"remove_directory", CURT_DIRECTORIES_REQUIRED, 0},
    {"remove_file", CURT_DIRECTORIES_REFUSE, 0},
    {"remove_empty", CURT_DIRECTORIES_ONLY_EMPTY, 0},
    {"remove_force", CURT_DIRECTORIES_RECURSIVE, CURT_REMOVE_MISSING_OK},
    {"remove_directory_force", CURT_DIRECTORIES_REQUIRED, CURT_REMOVE_MISSING_OK},
    {"remove_file_force", CURT_DIRECTORIES_REFUSE, CURT_REMOVE_MISSING_OK},
    {"remove_empty_force", CURT_DIRECTORIES_ONLY_EMPTY, CURT_REMOVE_MISSING_OK},
    {"usage", 0, 0},
};

static int opened(curt_str path, uint32_t flags, uint32_t scope)
{
    curt_root *root;
    int file, result;
    SIZED(curt_open_options, options);
    options.flags = flags;
    CHECK_INT(curt_root_open(Z("in"), scope, &root, NULL), 0);
    result = curt_root_open_file(root, path, &options, &file, WHY);
    if (result == 0) {
        CHECK(!(flags & CURT_OPEN_READ) || read(file, found, sizeof found - 1) >= 0);
        CHECK_INT(close(file), 0);
    }
    curt_root_close(root);
    return result;
}

static int run(const struct operation *operation, curt_str path, uint32_t scope)
{
    SIZED(curt_remove_options, options);
    SIZED(curt_totals, totals);
    if (strncmp(operation->name, "root.", 5) == 0)
        return opened(path, operation->option, scope);
    if (strcmp(operation->name, "usage") == 0)
        return curt_usage(&path, 1, 0, NULL, &totals, WHY);
    options.directories = operation->option;
    options.flags = operation->flags;
    return curt_remove(CURT_CWD, path, &options, NULL, NULL, WHY);
}

/* Runs a script of the table, and adds what it prints, lines as words. */
static void shell(const char *const lines[][4], size_t count)
{
    char script[4096] = "", *end;
    FILE *output;
    size_t at, length = strlen(found);
    for (at = 0; at < count; at++)
        strcat(strcat(script, lines[at][0]), "\n");
    output = popen(script, "r");
    if (CHECK(output != NULL))
        length += fread(found + length, 1, sizeof found - length - 1, output);
    found[length > 0 && found[length - 1] == '\n' ? length - 1 : length] = 0;
    while ((end = strchr(found, '\n')) != NULL)
        *end = ' ';
    CHECK_INT(pclose(output), 0);
}

static void has_its_verdict(const struct operation *operation, const char *const *row,
                            uint32_t scope)
{
    const char *const *verdict = NULL;
    curt_str path = curt_z(row[1]);
    size_t at;
    for (at = 0; at < COUNT(verdicts); at++)
        if (strcmp(verdicts[at][0], row[2]) == 0)
            verdict = verdicts[at];
    memset(found, 0, sizeof found);
    if (verdict == NULL) {
        WORKS(run(operation, path, scope));
    } else {
        FAILS_ONCE(atoi(verdict[1]), run(operation, path, scope));
        CHECK_INT(LAST.os_error, atoi(verdict[2]));
        CHECK(strstr(LAST.text, verdict[3]) != NULL);
        CHECK_TEXT(LAST.path, row[1]);
    }
    at = strlen(found);
    shell(look, COUNT(look));
    is_fresh = found[at] == 0;
    CHECK(strcmp(found, row[3] == NULL ? "" : row[3]) == 0);
}

static void hostile_cases_have_their_verdicts(void)
{
    size_t at, of;
    for (at = 0; at < COUNT(cases); at++) {
        const char *wanted = cases[at][0];
        uint32_t scope = strncmp(wanted, "inroot", 6) == 0 ? CURT_ROOT_IN_ROOT
            : strncmp(wanted, "strict", 6) == 0 ? CURT_ROOT_STRICT : 0;
        char pattern[64];
        snprintf(pattern, sizeof pattern, "%s%s", scope ? "root" : "", wanted + (scope ? 6 : 0));
        for (of = 0; of < COUNT(operations); of++) {
            int before = test_state.failures;
            if (fnmatch(pattern, operations[of].name, 0) != 0)
                continue;
            if (!is_fresh)
                shell(setup, COUNT(setup));
            CHECK_INT(chdir("t"), 0);
            has_its_verdict(&operations[of], cases[at], scope);
            CHECK_INT(chdir(".."), 0);
            if (test_state.failures > before)
                fprintf(test_state.report, "  %s, %s '%s': %s\n", wanted, operations[of].name,
                        cases[at][1], found);
        }
    }
}

BEGIN_TESTS
    test(hostile_cases_have_their_verdicts),
END_TESTS
