/* What all starters in C share: SHAPE COUNT FOLDER. */
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

/* Sets PATH to the directories of the folder, /bin the 197th among them. */
static void set_path(const char *shape, const char *folder)
{
    char *names[1024];
    size_t count = 0;
    if (strcmp(shape, "near") == 0) {
        setenv("PATH", "/bin", 1);
        return;
    }
    DIR *dir = opendir(folder);
    for (struct dirent *entry; dir && (entry = readdir(dir)) && count < 1024;)
        if (entry->d_type == DT_DIR && entry->d_name[0] != '.')
            names[count++] = strdup(entry->d_name);
    qsort(names, count, sizeof *names, by_name);
    size_t room = count * (strlen(folder) + 260) + 16, length = 0;
    char *path = malloc(room);
    path[0] = 0;
    for (size_t index = 0; index <= count; index++) {
        if (index == 196 && strcmp(shape, "nowhere") != 0)
            length += snprintf(path + length, room - length, "%s/bin", length ? ":" : "");
        if (index < count)
            length += snprintf(path + length, room - length, "%s%s/%s", length ? ":" : "", folder, names[index]);
    }
    setenv("PATH", path, 1);
}

static const char *prepare(char **argv, long *count)
{
    const char *shape = argv[1];
    *count = atol(argv[2]);
    set_path(shape, argv[3]);
    if (strcmp(shape, "large") == 0) {
        size_t size = (size_t)1 << 30;
        memset(malloc(size), 1, size);
    }
    if (strcmp(shape, "path") == 0 || strcmp(shape, "large") == 0)
        return "/bin/true";
    return strcmp(shape, "nowhere") == 0 ? "curt-no-such-program" : "true";
}
