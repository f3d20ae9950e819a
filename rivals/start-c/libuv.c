/* Starts by uv_spawn, each awaited by the loop. */
#include "starts.h"
#include <uv.h>

static int64_t last;

static void ended(uv_process_t *process, int64_t status, int signal)
{
    last = signal ? 1 : status;
    uv_close((uv_handle_t *)process, NULL);
}

int main(int argc, char **argv)
{
    long count, well = 0;
    if (argc != 4)
        return 2;
    const char *program = prepare(argv, &count);
    int nowhere = strcmp(argv[1], "nowhere") == 0;
    char *words[] = {(char *)program, NULL};
    uv_stdio_container_t streams[3];
    for (int fd = 0; fd < 3; fd++) {
        streams[fd].flags = UV_INHERIT_FD;
        streams[fd].data.fd = fd;
    }
    for (long start = 0; start < count; start++) {
        uv_process_t process;
        uv_process_options_t options = {0};
        options.file = program;
        options.args = words;
        options.exit_cb = ended;
        options.stdio = streams;
        options.stdio_count = 3;
        last = 1;
        int failed = uv_spawn(uv_default_loop(), &process, &options);
        if (failed)
            uv_close((uv_handle_t *)&process, NULL);
        uv_run(uv_default_loop(), UV_RUN_DEFAULT);
        well += nowhere ? failed != 0 : !failed && last == 0;
    }
    printf("%ld\n", well);
    return 0;
}
