/* Starts curt by the name that GNU's tests start: `rm`. It is that command then.
 *
 * One difference that is no fault of curt would fail some tests: the option by which they claim a
 * terminal has two dashes there, three in GNU's. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int main(int count, char **arguments)
{
    for (int at = 1; at < count; at++)
        if (!strcmp(arguments[at], "---presume-input-tty"))
            arguments[at]++;
    execv(CURT, arguments);
    perror(CURT);
    return 125;
}
