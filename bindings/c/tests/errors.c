/* Results, error objects, and the structs that begin with their size. */
#include "test.h"

static void has_the_version_of_its_header(void)
{
    CHECK_INT(curt_abi(), CURT_ABI);
}

static const int RESULTS[] = {
    CURT_E_OS, CURT_E_ARGUMENT, CURT_E_STOPPED, CURT_E_REPLACED, CURT_E_LOOP, CURT_E_INTERNAL,
    CURT_E_OTHER, CURT_E_KEPT_MOUNT_POINT, CURT_E_KEPT_BEING_WRITTEN_TO, CURT_E_KEPT_DOT,
    CURT_E_KEPT_ROOT, CURT_E_KEPT_OTHER_FILE_SYSTEM, CURT_E_KEPT_DIRECTORY, CURT_E_KEPT_LINK,
    CURT_E_FIND_NOT_FOUND, CURT_E_FIND_ONLY_IN_CWD, CURT_E_FIND_NOT_EXECUTABLE,
    CURT_E_FIND_INVALID_NAME, CURT_E_FIND_NAME_TOO_LONG, CURT_E_FIND_LINK_LOOP,
    CURT_E_FIND_RELATIVE, CURT_E_FIND_NO_BASE, CURT_E_FIND_DENIED, CURT_E_REFUSED_EMPTY,
    CURT_E_REFUSED_NUL, CURT_E_REFUSED_ENCODING, CURT_E_REFUSED_DEVICE, CURT_E_REFUSED_ABSOLUTE,
    CURT_E_REFUSED_DRIVE, CURT_E_REFUSED_STREAM, CURT_E_REFUSED_CHARACTER, CURT_E_REFUSED_ESCAPE,
    CURT_E_REFUSED_TRAILING, CURT_E_REFUSED_SHORT_NAME, CURT_E_REFUSED_LINK, CURT_E_EXPAND_EMPTY,
    CURT_E_EXPAND_NUL, CURT_E_EXPAND_NO_HOME, CURT_E_EXPAND_HOME_RELATIVE, CURT_E_EXPAND_NO_USER,
    CURT_E_EXPAND_TOO_LONG, CURT_E_EXPAND_ESCAPE, CURT_E_EXPAND_NO_START, CURT_E_EXPAND_ENCODING,
};

static void gives_every_result_a_text(void)
{
    size_t at, other;
    int number;
    for (at = 0; at < sizeof RESULTS / sizeof *RESULTS; at++) {
        CHECK(RESULTS[at] < 0);
        CHECK(strlen(curt_text(RESULTS[at])) > 5);
        for (other = 0; other < at; other++)
            CHECK(RESULTS[at] != RESULTS[other]);
    }
    for (number = -200; number < 200; number++)
        CHECK(curt_text(number) != NULL && curt_text(number)[0] != 0);
    CHECK(curt_text(INT_MIN)[0] != 0 && curt_text(INT_MAX)[0] != 0);
    /* Unknown results, such as those of a newer library, are not successes. */
    CHECK(strcmp(curt_text(INT_MIN), curt_text(0)) != 0);
    CHECK(strcmp(curt_text(-999), curt_text(0)) != 0);
    CHECK(curt_text(CURT_E_LOOP) == curt_text(CURT_E_LOOP));
}

static curt_error *error_of_a_missing_file(void)
{
    curt_error *error = NULL;
    CHECK_INT(curt_remove(CURT_CWD, Z("missing"), NULL, NULL, NULL, &error), CURT_E_OS);
    return error;
}

static void error_objects_say_what_failed(void)
{
    curt_error *error = error_of_a_missing_file();
    SIZED(curt_error_info, info);
    CHECK_INT(curt_error_get(error, &info), 0);
    CHECK_INT(info.size, sizeof info);
    CHECK_INT(info.result, CURT_E_OS);
    CHECK(strcmp(info.operation, "remove") == 0);
    CHECK_INT(info.os_error, NO_SUCH_FILE);
    CHECK_TEXT(info.path, T("missing"));
    CHECK_INT(info.text_len, strlen(info.text));
    CHECK(strstr(info.text, "missing") != NULL);
    curt_error_free(error);
}

static void an_error_that_is_not_filled_in_stays_as_it_was(void)
{
    curt_error *error = error_of_a_missing_file();
    curt_error_info info, before;
    memset(&info, 0x5a, sizeof info);
    info.size = sizeof info - 1;
    before = info;
    CHECK_INT(curt_error_get(error, &info), CURT_E_ARGUMENT);
    CHECK(memcmp(&info, &before, sizeof info) == 0);
    curt_error_free(error);
}

static void wrong_arguments_name_the_function(void)
{
    SIZED(curt_remove_options, options);
    options.flags = 1u << 31;
    FAILS(CURT_E_ARGUMENT, curt_remove(CURT_CWD, Z("missing"), &options, NULL, NULL, WHY));
    CHECK(strstr(test_state.text, "curt_remove") != NULL);
    CHECK(LAST.operation == NULL);
    CHECK_INT(LAST.os_error, 0);
    CHECK_INT(LAST.path.len, 0);
}

static void errors_keep_long_and_odd_paths(void)
{
    static text_char longest[60001];
    curt_error *error = NULL;
    SIZED(curt_error_info, info);
    size_t at;
    for (at = 0; at < 60000; at++)
        longest[at] = at % 200 == 199 ? '/' : 'x';
    CHECK_INT(curt_remove(CURT_CWD, curt_z(longest), NULL, NULL, NULL, &error), CURT_E_OS);
    CHECK_INT(curt_error_get(error, &info), 0);
    CHECK_TEXT(info.path, longest);
    CHECK(info.text_len > 60000 && strlen(info.text) == info.text_len);
    curt_error_free(error);

    /* The path keeps invalid Unicode; the message is UTF-8. */
    longest[0] = (text_char)ODD_UNIT;
    longest[1] = '\n';
    longest[2] = 0;
    FAILS(CURT_E_OS, curt_remove(CURT_CWD, curt_z(longest), NULL, NULL, NULL, WHY));
    CHECK_TEXT(LAST.path, longest);
    for (at = 0; at < LAST.text_len; at++)
        CHECK((unsigned char)LAST.text[at] >= ' ' && (unsigned char)LAST.text[at] != 0xff);
}

static void initializers_have_the_size_and_zeros(void)
{
    curt_control control = CURT_CONTROL_INIT;
    curt_error_info info = CURT_ERROR_INFO_INIT;
    SIZED(curt_control, zeroed);
    CHECK_INT(control.size, sizeof control);
    CHECK_INT(info.size, sizeof info);
    CHECK(control.threads == zeroed.threads && control.cancel == NULL && control.poll == NULL
          && control.on_error == NULL && control.context == NULL && control.reserved == 0);
    CHECK(info.result == 0 && info.path.ptr == NULL && info.text == NULL);
}

BEGIN_TESTS
    test(initializers_have_the_size_and_zeros),
    test(has_the_version_of_its_header),
    test(gives_every_result_a_text),
    test(error_objects_say_what_failed),
    test(an_error_that_is_not_filled_in_stays_as_it_was),
    test(wrong_arguments_name_the_function),
    test(errors_keep_long_and_odd_paths),
END_TESTS
