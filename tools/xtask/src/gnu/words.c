/* Loaded into curt by `front.c`: writes `curt rm` as `rm` on standard error, as GNU's tests expect,
 * and the same for `ls`, `du`, `stat`, `readlink` and `realpath`. Everything else is written as it
 * is. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static const char *const NAMES[] = {"rm", "ls", "du", "stat", "readlink", "realpath"};

/* Whether what begins here is `curt ` and one of the names. */
static int is_program(const char *text, size_t length)
{
    if (length < 5 || memcmp(text, "curt ", 5))
        return 0;
    for (size_t at = 0; at < sizeof NAMES / sizeof *NAMES; at++) {
        size_t size = strlen(NAMES[at]);
        if (length - 5 >= size && !memcmp(text + 5, NAMES[at], size))
            return 1;
    }
    return 0;
}

ssize_t write(int descriptor, const void *data, size_t length)
{
    const char *text = data;
    char *copy = descriptor == STDERR_FILENO ? malloc(length + 1) : NULL;
    size_t kept = 0;
    ssize_t written;

    if (!copy)
        return syscall(SYS_write, descriptor, data, length);
    for (size_t at = 0; at < length; at++) {
        if (is_program(text + at, length - at))
            at += 5;
        copy[kept++] = text[at];
    }
    written = syscall(SYS_write, descriptor, copy, kept);
    free(copy);
    /* Part of a message is never left to the caller, who could not tell which. */
    return written < 0 ? written : (ssize_t)length;
}
