/* Starts by vfork and execvp alone: nothing is set up, nothing is told. */
#include "starts.h"

static int start(const char *program, char **words)
{
    pid_t pid = vfork();
    if (pid == 0) {
        execvp(program, words);
        _exit(127);
    }
    return end_of(pid);
}
