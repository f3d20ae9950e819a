/* serve ROOT PATH...
 *
 * Opens files by untrusted paths, as a file server does, and shows the HTTP status that the server
 * would answer with. No path leads out of ROOT: not through `..`, an absolute path, a symlink, or a
 * file or symlink swapped meanwhile. The status distinguishes refused paths, missing files and
 * failures of the system. */

#include "system.h"
#include <errno.h>
#include <sys/stat.h>

#ifdef _WIN32
#include <fcntl.h>
#include <io.h>
#define close _close
#define fstat _fstat64
#define ERROR_IS_A_DIRECTORY 336
#define MISSING(code)                                                                              \
    ((code) == ERROR_FILE_NOT_FOUND || (code) == ERROR_PATH_NOT_FOUND ||                           \
     (code) == ERROR_IS_A_DIRECTORY)
#define DENIED(code) ((code) == ERROR_ACCESS_DENIED)
typedef struct _stat64 file_status;
#else
#include <unistd.h>
#define MISSING(code) ((code) == ENOENT || (code) == ENOTDIR)
#define DENIED(code) ((code) == EACCES || (code) == EPERM)
typedef struct stat file_status;
#endif

/* Refusals are numbered -60 to -79, including those that a newer library adds. */
static int is_refusal(int result)
{
    return result <= CURT_E_REFUSED_EMPTY && result > CURT_E_EXPAND_EMPTY;
}

/* The status for a path that could not be opened. */
static int status_of_error(int result, const curt_error *error)
{
    curt_error_info info = CURT_ERROR_INFO_INIT;
    curt_error_get(error, &info);
    if (is_refusal(result))
        return 400; /* an attack, or a name that systems disagree about */
    if (result == CURT_E_OS && MISSING(info.os_error))
        return 404;
    if (result == CURT_E_OS && DENIED(info.os_error))
        return 403;
    return 500;
}

/* Opens the file as a descriptor of the C library. Returns 200, or the status of the failure. */
static int open_file(const curt_root *root, curt_str path, int *file, file_status *about)
{
    curt_open_options options = CURT_OPEN_OPTIONS_INIT;
    curt_error *error;
    curt_fd opened;
    int result;

    /* Without NONBLOCKING, a FIFO would make the server wait for a writer. */
    options.flags = CURT_OPEN_READ | CURT_OPEN_NONBLOCKING;
    result = curt_root_open_file(root, path, &options, &opened, &error);
    if (result != 0) {
        int status = status_of_error(result, error);
        complain("serve", error);
        return status;
    }
#ifdef _WIN32
    *file = _open_osfhandle((intptr_t)opened, _O_RDONLY | _O_BINARY);
    if (*file < 0) {
        CloseHandle(opened);
        return 500;
    }
#else
    *file = opened;
#endif
    if (fstat(*file, about) != 0) {
        perror("serve: fstat");
        close(*file);
        return 500;
    }
    if (!S_ISREG(about->st_mode)) {
        close(*file); /* a directory, a FIFO, a device */
        return 404;
    }
    return 200;
}

int MAIN(int argc, os_char **argv)
{
    curt_root *root;
    curt_error *error;
    int at;

    if (argc < 3) {
        fputs("usage: serve ROOT PATH...\n", stderr);
        return 2;
    }
    /* CURT_ROOT_STRICT also refuses names that mean a different file on some system. */
    if (curt_root_open(curt_z(argv[1]), CURT_ROOT_STRICT, &root, &error) != 0) {
        complain("serve", error);
        return 2;
    }
    for (at = 2; at < argc; at++) {
        file_status about;
        int file, status = open_file(root, curt_z(argv[at]), &file, &about);
        printf("%d ", status);
        print(stdout, curt_z(argv[at]));
        if (status == 200) {
            printf(", %ld bytes", (long)about.st_size);
            close(file);
        }
        putchar('\n');
    }
    curt_root_close(root);
    return 0;
}
