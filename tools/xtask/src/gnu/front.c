/* Runs the command of curt that has this program's name, for GNU's tests: they start `rm`.
 *
 * Two differences that are no fault of curt would fail almost every test: its messages begin with
 * `curt rm:`, which `words.c` rewrites, and the option by which tests claim a terminal has two
 * dashes there, three in GNU's. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int count, char **arguments)
{
    char **given = calloc(count + 2, sizeof *given);
    char *slash = strrchr(arguments[0], '/');
    const char *before = getenv("LD_PRELOAD");
    char loaded[4096];

    if (!given)
        return 125;
    given[0] = CURT;
    given[1] = slash ? slash + 1 : arguments[0];
    for (int at = 1; at < count; at++) {
        int is_hook = !strcmp(arguments[at], "---presume-input-tty");
        given[at + 1] = arguments[at] + is_hook;
    }
    snprintf(loaded, sizeof loaded, "%s%s%s", before ? before : "", before ? ":" : "", WORDS);
    setenv("LD_PRELOAD", loaded, 1);
    execv(CURT, given);
    perror(CURT);
    return 125;
}
