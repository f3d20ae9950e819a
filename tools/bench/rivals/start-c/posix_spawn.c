/* Starts by posix_spawnp of the C library. */
#include "starts.h"
#include <spawn.h>

static int start(const char *program, char **words)
{
    pid_t pid;
    int status = 1;
    if (posix_spawnp(&pid, program, NULL, NULL, words, environ) != 0)
        return NOT_STARTED;
    waitpid(pid, &status, 0);
    return status;
}
