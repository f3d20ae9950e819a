/* Tests the expansion of paths, which makes no system call without a flag. */
#include "test.h"

static uint16_t wide[70000];

static const uint16_t *widen(const char *text, size_t len)
{
    size_t at;
    for (at = 0; at < len; at++)
        wide[at] = (unsigned char)text[at];
    wide[len] = 0;
    return wide;
}

static curt_expand_options options;

static void begin(uint32_t flavor)
{
    memset(&options, 0, sizeof options);
    options.size = sizeof options;
    options.flavor = flavor;
    options.width = 1;
}

static void start_from(const char *cwd)
{
    options.cwd = cwd;
    options.cwd_len = strlen(cwd);
}

static curt_expander *expander(void)
{
    curt_expander *made = NULL;
    CHECK_INT(WORKS(curt_expander_open(&options, &made, WHY)), 0);
    CHECK(made != NULL);
    return made;
}

/* Checks one expansion in bytes and in UTF-16. `result` is the expected error, or 0 for a text. */
static void expect_length(const char *file, int line, curt_expander *by, const char *text,
                          size_t len, const char *expected, int result)
{
    char bytes[256];
    uint16_t units[256];
    size_t length = expected == NULL ? 0 : strlen(expected), at;
    ptrdiff_t wanted = expected == NULL ? result : (ptrdiff_t)length;
    if (len > 200) {
        check_int(file, line, text, curt_expand_units(by, widen(text, len), len, NULL, 0), result);
        check_int(file, line, text, curt_expand_bytes(by, text, len, NULL, 0), result);
        return;
    }
    memset(bytes, 0xa5, sizeof bytes);
    memset(units, 0xa5, sizeof units);
    if (!check_int(file, line, text, curt_expand_bytes(by, text, len, bytes, sizeof bytes), wanted)
        || !check_int(file, line, text, curt_expand_units(by, widen(text, len), len, units, 256),
                      wanted)
        || expected == NULL)
        return;
    if (memcmp(bytes, expected, length + 1) != 0)
        failure(file, line, "'%s' becomes '%.*s', not '%s'", text, (int)length, bytes,
                expected);
    for (at = 0; at <= length; at++)
        check_int(file, line, "a unit", units[at], (unsigned char)expected[at]);
    check_int(file, line, "behind the NUL", (unsigned char)bytes[length + 1], 0xa5);
    check_int(file, line, "behind the NUL", units[length + 1], 0xa5a5);
}

static void expect_at(const char *file, int line, const char *text, const char *expected,
                      int result)
{
    curt_expander *by = expander();
    expect_length(file, line, by, text, strlen(text), expected, result);
    curt_expander_close(by);
}
#define BECOMES(text, expected) expect_at(__FILE__, __LINE__, text, expected, 0)
#define IS_REFUSED(text, result) expect_at(__FILE__, __LINE__, text, NULL, result)

static void expands_as_the_options_say(void)
{
    enum { P = CURT_FLAVOR_POSIX, W = CURT_FLAVOR_WINDOWS, RUBY = CURT_STYLE_RUBY };
    enum { KEEP = CURT_DOT_DOT_KEEP, CLAMP = CURT_DOT_DOT_CLAMP, REFUSE = CURT_DOT_DOT_REFUSE };
    enum { TILDE = CURT_EXPAND_TILDE, VERBATIM = CURT_EXPAND_VERBATIM };
    static const struct row {
        uint32_t flavor, style, dot_dot, flags;
        const char *cwd, *base, *home, *text, *expected;
        int result;
    } rows[] = {
        {P, 0, 0, 0, NULL, NULL, NULL, "", NULL, CURT_E_EXPAND_EMPTY},
        {P, 0, 0, 0, NULL, NULL, NULL, "x", NULL, CURT_E_EXPAND_NO_START},
        {P, 0, 0, 0, NULL, NULL, NULL, "/x/./y", "/x/y", 0},
        {P, 0, 0, 0, "/w", NULL, NULL, "a/../b", "/w/a/../b", 0},
        {P, 0, CLAMP, 0, "/w", NULL, NULL, "../../b", "/b", 0},
        {P, 0, REFUSE, 0, "/w", NULL, NULL, "../b", "/b", 0},
        {P, 0, REFUSE, 0, "/w", NULL, NULL, "../../b", NULL, CURT_E_EXPAND_ESCAPE},
        {P, 0, 0, 0, "/w", "sub", NULL, "x", "/w/sub/x", 0},
        {P, 0, 0, 0, "/w", "/sub", "/home/me", "~/x", "/sub/~/x", 0},
        {P, 0, 0, TILDE, "/w", NULL, "/home/me", "~/x", "/home/me/x", 0},
        {P, 0, 0, TILDE, "/w", NULL, "/home/me", "~no-such-user", NULL, CURT_E_EXPAND_NO_USER},
        {P, 0, 0, TILDE, "/w", NULL, "home", "~/x", NULL, CURT_E_EXPAND_HOME_RELATIVE},
        {P, 0, 0, TILDE, "/w", NULL, NULL, "~/x", NULL, CURT_E_EXPAND_NO_HOME},
        {P, RUBY, 0, 0, "/w", NULL, NULL, "a/../b/", "/w/b", 0},
        {P, RUBY, KEEP, 0, "/w", NULL, NULL, "..", "/w/..", 0},
        {W, 0, 0, 0, NULL, NULL, NULL, "x", NULL, CURT_E_EXPAND_NO_START},
        {W, 0, 0, 0, "C:\\w", NULL, NULL, "..\\a.\\b. ", "C:\\a\\b", 0},
        {W, 0, 0, 0, "C:\\w", NULL, NULL, "\\\\?\\C:\\a\\..\\b", "\\\\?\\C:\\a\\..\\b", 0},
        {W, 0, 0, VERBATIM, "C:\\w", NULL, NULL, "\\\\?\\C:\\a\\..\\b", "\\\\?\\C:\\b", 0},
        {W, RUBY, 0, 0, "C:/w", NULL, NULL, "a\\..\\b", "C:/w/b", 0},
    };
    static char long_path[40001];
    const struct row *row;
    curt_expander *by;
    for (row = rows; row < rows + sizeof rows / sizeof *rows; row++) {
        begin(row->flavor);
        options.style = row->style;
        options.dot_dot = row->dot_dot;
        options.flags = row->flags;
        options.cwd = row->cwd;
        options.cwd_len = row->cwd == NULL ? 0 : strlen(row->cwd);
        options.base = row->base;
        options.base_len = row->base == NULL ? 0 : strlen(row->base);
        options.home = row->home;
        options.home_len = row->home == NULL ? 0 : strlen(row->home);
        expect_at(__FILE__, __LINE__, row->text, row->expected, row->result);
    }
    begin(CURT_FLAVOR_WINDOWS);
    start_from("C:\\w");
    memset(long_path, 'x', 40000);
    by = expander();
    expect_length(__FILE__, __LINE__, by, long_path, 40000, NULL, CURT_E_EXPAND_TOO_LONG);
    curt_expander_close(by);
    options.width = 0;
    FAILS(CURT_E_ARGUMENT, curt_expander_open(&options, &by, WHY));
}

static void joins_texts_of_both_widths_if_it_can(void)
{
    static const uint16_t unit = 'x';
    static const uint16_t lone = 0xd800;
    static const uint16_t base[] = {'/', 0xd800, 'b'};
    uint16_t units[8];
    char byte = 'x', bytes[8];
    curt_expander *by;
    begin(CURT_FLAVOR_POSIX);
    start_from("/\xff");
    by = expander();
    CHECK_INT(curt_expand_bytes(by, &byte, 1, NULL, 0), 4);
    CHECK_INT(curt_expand_units(by, &unit, 1, NULL, 0), CURT_E_EXPAND_ENCODING);
    CHECK_INT(curt_expand_bytes(by, "a\0b", 3, NULL, 0), CURT_E_EXPAND_NUL);
    curt_expander_close(by);
    /* Windows texts need not be valid Unicode. */
    begin(CURT_FLAVOR_WINDOWS);
    options.width = 2;
    options.cwd = widen("C:\\w", 4);
    options.cwd_len = 4;
    by = expander();
    CHECK_INT(curt_expand_units(by, &lone, 1, NULL, 0), 6);
    CHECK_INT(curt_expand_bytes(by, &byte, 1, NULL, 0), 6);
    CHECK_INT(curt_expand_units(by, widen("a\0b", 3), 3, NULL, 0), CURT_E_EXPAND_NUL);
    curt_expander_close(by);
    begin(CURT_FLAVOR_POSIX);
    options.width = 2;
    options.base = base;
    options.base_len = 3;
    by = expander();
    CHECK_INT(curt_expand_units(by, &lone, 1, units, 8), 5);
    CHECK(memcmp(units, base, sizeof base) == 0 && units[3] == '/' && units[4] == lone);
    CHECK_INT(curt_expand_bytes(by, &byte, 1, bytes, 8), 7);
    CHECK(memcmp(bytes, "/\xed\xa0\x80" "b/x", 8) == 0);
    curt_expander_close(by);
}

static void keeps_a_copy_of_its_texts(void)
{
    char cwd[] = "/work";
    curt_expander *by;
    begin(CURT_FLAVOR_POSIX);
    start_from(cwd);
    by = expander();
    memset(cwd, '#', sizeof cwd);
    expect_length(__FILE__, __LINE__, by, "x", 1, "/work/x", 0);
    curt_expander_close(by);
}

static void agrees_with_the_system(void)
{
#ifdef _WIN32
    static const wchar_t *const texts[] = {
        L"x", L"..\\x", L".", L"a.\\b. ", L"/x/../y", L"\\x", L"C:x", L"nul", L"a\\nul.txt",
        L"\\\\server\\share\\..\\..\\x", L"\\\\?\\C:\\a\\..\\b", L"x\\.\\..\\y\\\\z", L"...", L"a ",
        L"\xd800x",
    };
    curt_expander *by;
    size_t at;
    begin(CURT_FLAVOR_NATIVE);
    options.flags = CURT_EXPAND_ENVIRONMENT | CURT_EXPAND_VERBATIM;
    by = expander();
    for (at = 0; at < sizeof texts / sizeof *texts; at++) {
        wchar_t authority[600], own[600];
        DWORD length = GetFullPathNameW(texts[at], 600, authority, NULL);
        ptrdiff_t result = curt_expand_units(by, (const uint16_t *)texts[at], wcslen(texts[at]),
                                             (uint16_t *)own, 600);
        if (CHECK_INT(result, length))
            CHECK_TEXT(text_of(own, length), authority);
    }
    curt_expander_close(by);
#else
    static const char *const texts[] = {
        ".", "./", "a", "a/b/..", "a//b/./", "a/../a/b", "../agrees_with_the_system/a", "/",
        "/.//..",
    };
    curt_expander *by;
    size_t at;
    make_dir("a");
    make_dir("a/b");
    begin(CURT_FLAVOR_NATIVE);
    options.flags = CURT_EXPAND_ENVIRONMENT;
    options.dot_dot = CURT_DOT_DOT_CLAMP;
    by = expander();
    for (at = 0; at < sizeof texts / sizeof *texts; at++) {
        char *authority = realpath(texts[at], NULL), own[4096];
        ptrdiff_t result = curt_expand_bytes(by, texts[at], strlen(texts[at]), own, sizeof own);
        if (CHECK(authority != NULL) && CHECK(result > 0)
            && !CHECK(strcmp(own, authority) == 0))
            fprintf(test_state.report, "  '%s' and '%s'\n", own, authority);
        free(authority);
    }
    curt_expander_close(by);
#endif
}

static void reads_the_environment_only_when_asked(void)
{
#ifdef _WIN32
    begin(CURT_FLAVOR_WINDOWS);
    IS_REFUSED("x", CURT_E_EXPAND_NO_START);
#else
    begin(CURT_FLAVOR_POSIX);
    options.flags = CURT_EXPAND_TILDE;
    setenv("HOME", "/home/of/the/process", 1);
    IS_REFUSED("~/x", CURT_E_EXPAND_NO_HOME);
    IS_REFUSED("x", CURT_E_EXPAND_NO_START);
    options.flags |= CURT_EXPAND_ENVIRONMENT;
    BECOMES("~/x", "/home/of/the/process/x");
    options.home = "/home/of/the/caller";
    options.home_len = 19;
    BECOMES("~/x", "/home/of/the/caller/x");
    start_from("/cwd/of/the/caller");
    BECOMES("x", "/cwd/of/the/caller/x");
    setenv("HOME", "poison", 1);
#endif
}

BEGIN_TESTS
    test(expands_as_the_options_say),
    test(joins_texts_of_both_widths_if_it_can),
    test(keeps_a_copy_of_its_texts),
    test(agrees_with_the_system),
    test(reads_the_environment_only_when_asked),
END_TESTS
