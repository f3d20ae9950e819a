/* Starts by uv_spawn, each awaited by the loop. */
#include "starts.h"
#include <uv.h>

static int64_t last;

static void ended(uv_process_t *process, int64_t status, int signal)
{
    last = signal ? 1 : status;
    uv_close((uv_handle_t *)process, NULL);
}

static int start(const char *program, char **words)
{
    uv_stdio_container_t streams[3];
    for (int fd = 0; fd < 3; fd++) {
        streams[fd].flags = UV_INHERIT_FD;
        streams[fd].data.fd = fd;
    }
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
    return failed ? NOT_STARTED : (int)last;
}
