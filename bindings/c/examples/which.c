/* which -a NAME...
 *
 * Lists every program of this name, starting with the one that the system would run. */

#include "system.h"

static int print_one(void *context, curt_str path, const curt_found *found)
{
    (void)context;
    (void)found; /* holds the entry of PATH and the kind of program */
    print(stdout, path);
    putchar('\n');
    return 0; /* any other value ends the search */
}

int MAIN(int argc, os_char **argv)
{
    curt_search_options options = CURT_SEARCH_OPTIONS_INIT;
    curt_search *search;
    curt_error *error;
    int at, status = 0;

    if (argc < 3 || argv[1][0] != '-' || argv[1][1] != 'a' || argv[1][2] != 0) {
        fputs("usage: which -a NAME...\n", stderr);
        return 2;
    }
    /* Read PATH, and on Windows PATHEXT; without this flag no environment variable is read. */
    options.flags = CURT_SEARCH_ENVIRONMENT;
    if (curt_search_open(&options, &search, &error) != 0) {
        complain("which", error);
        return 2;
    }
    for (at = 2; at < argc; at++) {
        int result = curt_search_all(search, curt_z(argv[at]), print_one, NULL, &error);
        if (result < 0) {
            complain("which", error);
            status = 1;
        }
    }
    curt_search_close(search);
    return status;
}
