/* Starts curt under the name of the program that GNU's tests start, such as `rm`.
 *
 * Some tests pass an option that simulates a terminal. It has three dashes in GNU's programs, and
 * two in curt. */
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
