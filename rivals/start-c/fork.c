/* Starts by fork and execvp: a copy of the process, however large it is. */
#include "starts.h"

int main(int argc, char **argv)
{
    long count, well = 0;
    if (argc != 4)
        return 2;
    const char *program = prepare(argv, &count);
    int nowhere = strcmp(argv[1], "nowhere") == 0;
    char *words[] = {(char *)program, NULL};
    for (long start = 0; start < count; start++) {
        int status = 1;
        pid_t pid = fork();
        if (pid == 0) {
            execvp(program, words);
            _exit(127);
        }
        waitpid(pid, &status, 0);
        well += nowhere ? status != 0 : status == 0;
    }
    printf("%ld\n", well);
    return 0;
}
