/* Starts by posix_spawnp of the C library. */
#include "starts.h"
#include <spawn.h>

int main(int argc, char **argv)
{
    long count, well = 0;
    if (argc != 4)
        return 2;
    const char *program = prepare(argv, &count);
    int nowhere = strcmp(argv[1], "nowhere") == 0;
    char *words[] = {(char *)program, NULL};
    for (long start = 0; start < count; start++) {
        pid_t pid;
        int status = 1;
        int failed = posix_spawnp(&pid, program, NULL, NULL, words, environ);
        if (!failed)
            waitpid(pid, &status, 0);
        well += nowhere ? failed != 0 : !failed && status == 0;
    }
    printf("%ld\n", well);
    return 0;
}
