/* What all starters in C share: SHAPE COUNT FOLDER. Each says how one start is made: `start`. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static int by_name(const void *one, const void *other)
{
    return strcmp(*(char *const *)one, *(char *const *)other);
}

/* Sets PATH to the directories of the folder, or to the 197th alone, and returns what is to be started. */
static const char *prepare(char **argv, long *count)
{
    const char *shape = argv[1], *folder = argv[3];
    char *names[1024], *path, *hello;
    size_t all = 0, length = 0;
    DIR *dir = opendir(folder);
    for (struct dirent *entry; dir && (entry = readdir(dir)) && all < 1024;)
        if (entry->d_type == DT_DIR && entry->d_name[0] != '.')
            names[all++] = strdup(entry->d_name);
    if (all < 197) {
        puts("0");
        exit(0);
    }
    qsort(names, all, sizeof *names, by_name);
    int near = strcmp(shape, "near") == 0;
    size_t room = all * (strlen(folder) + 260);
    path = malloc(room);
    for (size_t at = near ? 196 : 0; at < (near ? 197 : all); at++)
        length += snprintf(path + length, room - length, "%s%s/%s", length ? ":" : "", folder, names[at]);
    setenv("PATH", path, 1);
    *count = atol(argv[2]);
    if (strcmp(shape, "large") == 0) {
        size_t size = (size_t)1 << 30;
        memset(malloc(size), 1, size);
    }
    if (strcmp(shape, "path") == 0 || strcmp(shape, "large") == 0) {
        hello = malloc(room);
        snprintf(hello, room, "%s/%s/hello", folder, names[196]);
        return hello;
    }
    if (strcmp(shape, "linked") == 0)
        return "/bin/true";
    return strcmp(shape, "nowhere") == 0 ? "curt-no-such-program" : "hello";
}

/* There was no program. */
enum { NOT_STARTED = -1 };

/* Starts a program and waits for it: 0 if it ended well, NOT_STARTED, or how else it ended. */
static int start(const char *program, char **words);

int main(int argc, char **argv)
{
    long count, well = 0;
    if (argc != 4)
        return 2;
    const char *program = prepare(argv, &count);
    int wanted = strcmp(argv[1], "nowhere") == 0 ? NOT_STARTED : 0;
    char *words[] = {(char *)program, NULL};
    for (long made = 0; made < count; made++)
        well += start(program, words) == wanted;
    printf("%ld\n", well);
    return 0;
}

/* How a child ended that was made to execute a program, and ended itself with 127 if it could not. */
static inline int end_of(pid_t pid)
{
    int status = 1;
    waitpid(pid, &status, 0);
    return WIFEXITED(status) && WEXITSTATUS(status) == 127 ? NOT_STARTED : status;
}
