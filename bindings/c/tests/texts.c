/* Full paths. No function here makes a call. */
#include "test.h"

/* ---- the same text in bytes and in 16-bit units ---- */

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

/* Compares one expansion, in bytes and in units. `result` is a failure, or 0 for a text. */
static void expect_length(const char *file, int line, curt_expander *by, const char *text,
                          size_t len, const char *expected, int result)
{
    uint8_t bytes[256];
    uint16_t units[256];
    size_t length = expected == NULL ? 0 : strlen(expected), at;
    ptrdiff_t wanted = expected == NULL ? result : (ptrdiff_t)length;
    if (len > 200) {
        check_int(file, line, text, curt_expand_units(by, widen(text, len), len, NULL, 0), result);
        check_int(file, line, text, curt_expand_bytes(by, (const uint8_t *)text, len, NULL, 0),
                  result);
        return;
    }
    memset(bytes, 0xa5, sizeof bytes);
    memset(units, 0xa5, sizeof units);
    if (!check_int(file, line, text,
                   curt_expand_bytes(by, (const uint8_t *)text, len, bytes, sizeof bytes), wanted)
        || !check_int(file, line, text, curt_expand_units(by, widen(text, len), len, units, 256),
                      wanted)
        || expected == NULL)
        return;
    if (memcmp(bytes, expected, length + 1) != 0)
        failure(file, line, "'%s' becomes '%.*s', not '%s'", text, (int)length, (char *)bytes,
                expected);
    for (at = 0; at <= length; at++)
        check_int(file, line, "a unit", units[at], (unsigned char)expected[at]);
    check_int(file, line, "behind the NUL", bytes[length + 1], 0xa5);
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

static void expands_by_the_rules_of_posix(void)
{
    begin(CURT_FLAVOR_POSIX);
    IS_REFUSED("x", CURT_E_EXPAND_NO_START);
    IS_REFUSED("", CURT_E_EXPAND_EMPTY);
    BECOMES("/x/./y", "/x/y");
    start_from("/home/me");
    BECOMES("x", "/home/me/x");
    BECOMES("a/../b", "/home/me/a/../b");
    options.dot_dot = CURT_DOT_DOT_KEEP;
    BECOMES("a/../b", "/home/me/a/../b");
    options.dot_dot = CURT_DOT_DOT_CLAMP;
    BECOMES("a/../b", "/home/me/b");
    BECOMES("../../../../x", "/x");
    options.dot_dot = CURT_DOT_DOT_REFUSE;
    BECOMES("../x", "/home/x");
    IS_REFUSED("../../../../x", CURT_E_EXPAND_ESCAPE);
    options.base = "sub";
    options.base_len = 3;
    BECOMES("x", "/home/me/sub/x");
    options.base = "/elsewhere";
    options.base_len = 10;
    BECOMES("x", "/elsewhere/x");
}

static void expands_by_the_rules_of_windows(void)
{
    static char long_path[40001];
    curt_expander *by;
    begin(CURT_FLAVOR_WINDOWS);
    IS_REFUSED("x", CURT_E_EXPAND_NO_START);
    IS_REFUSED("", CURT_E_EXPAND_EMPTY);
    start_from("C:\\work");
    BECOMES("..\\a.\\b. ", "C:\\a\\b");
    BECOMES("D:x", "D:\\x");
    BECOMES("/x", "C:\\x");
    BECOMES("\\\\server\\share\\..\\x", "\\\\server\\share\\x");
    BECOMES("\\\\?\\C:\\a\\..\\b", "\\\\?\\C:\\a\\..\\b");
    options.flags = CURT_EXPAND_VERBATIM;
    BECOMES("\\\\?\\C:\\a\\..\\b", "\\\\?\\C:\\b");
    options.flags = 0;
    options.dot_dot = CURT_DOT_DOT_REFUSE;
    IS_REFUSED("..\\..\\x", CURT_E_EXPAND_ESCAPE);
    options.dot_dot = CURT_DOT_DOT_DEFAULT;
    memset(long_path, 'x', 40000);
    by = expander();
    expect_length(__FILE__, __LINE__, by, long_path, 40000, NULL, CURT_E_EXPAND_TOO_LONG);
    curt_expander_close(by);
}

static void expands_home_directories(void)
{
    begin(CURT_FLAVOR_POSIX);
    start_from("/work");
    BECOMES("~/x", "/work/~/x");
    options.flags = CURT_EXPAND_TILDE;
    IS_REFUSED("~/x", CURT_E_EXPAND_NO_HOME);
    options.home = "/home/me";
    options.home_len = 8;
    BECOMES("~/x", "/home/me/x");
    BECOMES("~", "/home/me");
    IS_REFUSED("~no-such-user/x", CURT_E_EXPAND_NO_USER);
    options.home = "relative";
    IS_REFUSED("~/x", CURT_E_EXPAND_HOME_RELATIVE);
}

static void expands_as_ruby_does(void)
{
    begin(CURT_FLAVOR_POSIX);
    options.style = CURT_STYLE_RUBY;
    start_from("/work");
    options.home = "/home/me";
    options.home_len = 8;
    BECOMES("", "/work");
    BECOMES("a/../b/", "/work/b");
    BECOMES("/../x", "/x");
    BECOMES("~/x/", "/work/~/x");
    options.flags = CURT_EXPAND_TILDE;
    BECOMES("~/", "/home/me");
    options.dot_dot = CURT_DOT_DOT_KEEP;
    BECOMES("..", "/work/..");
    begin(CURT_FLAVOR_WINDOWS);
    options.style = CURT_STYLE_RUBY;
    start_from("C:/work");
    BECOMES("a\\..\\b", "C:/work/b");
}

static void joins_texts_of_both_widths_if_it_can(void)
{
    static const uint16_t unit = 'x';
    static const uint16_t lone = 0xd800;
    static const uint16_t base[] = {'/', 0xd800, 'b'};
    uint16_t units[8];
    uint8_t byte = 'x', bytes[8];
    curt_expander *by;
    begin(CURT_FLAVOR_POSIX);
    start_from("/\xff");
    by = expander();
    CHECK_INT(curt_expand_bytes(by, &byte, 1, NULL, 0), 4);
    CHECK_INT(curt_expand_units(by, &unit, 1, NULL, 0), CURT_E_EXPAND_ENCODING);
    CHECK_INT(curt_expand_bytes(by, (const uint8_t *)"a\0b", 3, NULL, 0), CURT_E_EXPAND_NUL);
    curt_expander_close(by);
    /* Windows' own texts need not be Unicode. */
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

static void writes_only_what_the_buffer_holds(void)
{
    uint8_t bytes[8];
    uint16_t units[8];
    const uint8_t *text = (const uint8_t *)"/abc";
    curt_expander *by;
    begin(CURT_FLAVOR_POSIX);
    by = expander();
    memset(bytes, 0xa5, sizeof bytes);
    memset(units, 0xa5, sizeof units);
    CHECK_INT(curt_expand_bytes(by, text, 4, bytes, 4), 4);
    CHECK_INT(curt_expand_units(by, widen("/abc", 4), 4, units, 4), 4);
    CHECK(bytes[0] == 0xa5 && units[0] == 0xa5a5);
    CHECK_INT(curt_expand_bytes(by, text, 4, NULL, 0), 4);
    CHECK_INT(curt_expand_bytes(by, text, 4, bytes, 0), 4);
    CHECK(bytes[0] == 0xa5);
    CHECK_INT(curt_expand_bytes(by, text, 4, bytes, 5), 4);
    CHECK(memcmp(bytes, "/abc", 5) == 0 && bytes[5] == 0xa5);
    CHECK_INT(curt_expand_units(by, wide, 4, units, 5), 4);
    CHECK(units[0] == '/' && units[3] == 'c' && units[4] == 0 && units[5] == 0xa5a5);
    /* Wrong arguments. */
    CHECK_INT(curt_expand_bytes(by, text, 4, NULL, 1), CURT_E_ARGUMENT);
    CHECK_INT(curt_expand_units(by, wide, 4, NULL, 1), CURT_E_ARGUMENT);
    CHECK_INT(curt_expand_units(by, wide, 4, (uint16_t *)(void *)((char *)units + 1), 1),
              CURT_E_ARGUMENT);
    CHECK_INT(curt_expand_bytes(by, NULL, 4, bytes, 8), CURT_E_ARGUMENT);
    CHECK_INT(curt_expand_units(by, NULL, 4, units, 8), CURT_E_ARGUMENT);
    CHECK_INT(curt_expand_bytes(by, NULL, 0, bytes, 8), CURT_E_EXPAND_EMPTY);
    CHECK_INT(curt_expand_bytes(by, text, SIZE_MAX, bytes, 8), CURT_E_ARGUMENT);
    CHECK_INT(curt_expand_units(by, wide, SIZE_MAX / 4 + 1, units, 8), CURT_E_ARGUMENT);
    CHECK_INT(curt_expand_bytes(NULL, text, 4, bytes, 8), CURT_E_ARGUMENT);
    CHECK_INT(curt_expand_units(NULL, wide, 4, units, 8), CURT_E_ARGUMENT);
    curt_expander_close(by);
    curt_expander_close(NULL);
}

static void refuses_wrong_texts_in_its_options(void)
{
    curt_expander *made = (curt_expander *)&options;
    begin(CURT_FLAVOR_POSIX);
    start_from("/");
#define REFUSED_WITH(field, value) do { \
        curt_expand_options kept = options; \
        options.field = value; \
        made = (curt_expander *)&options; \
        FAILS(CURT_E_ARGUMENT, curt_expander_open(&options, &made, WHY)); \
        CHECK(made == NULL); \
        options = kept; \
    } while (0)
    REFUSED_WITH(width, 0);
    REFUSED_WITH(cwd_len, SIZE_MAX);
    REFUSED_WITH(base_len, 1);
    REFUSED_WITH(home_len, 1);
    options.width = 2;
    REFUSED_WITH(cwd, (const char *)&options + 1);
    options.width = 1;
    made = NULL;
    CHECK_INT(WORKS(curt_expander_open(NULL, &made, WHY)), 0);
    curt_expander_close(made);
    start_from("/a");
    options.cwd = "/\0b";
    options.cwd_len = 3;
    FAILS(CURT_E_ARGUMENT, curt_expander_open(&options, &made, WHY));
}

/* ---- beside the system's own functions ---- */

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
        ptrdiff_t result = curt_expand_bytes(by, (const uint8_t *)texts[at], strlen(texts[at]),
                                             (uint8_t *)own, sizeof own);
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
    test(expands_by_the_rules_of_posix),
    test(expands_by_the_rules_of_windows),
    test(expands_home_directories),
    test(expands_as_ruby_does),
    test(joins_texts_of_both_widths_if_it_can),
    test(keeps_a_copy_of_its_texts),
    test(writes_only_what_the_buffer_holds),
    test(refuses_wrong_texts_in_its_options),
    test(agrees_with_the_system),
    test(reads_the_environment_only_when_asked),
END_TESTS
