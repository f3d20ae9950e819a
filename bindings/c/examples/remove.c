/* remove PATH...
 *
 * Removes trees, shows progress, reports entries that remain, and stops at Ctrl-C. */

#include "system.h"
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>

/* Set by the signal handler, read by curt. */
static volatile int cancel = 0;

static void on_interrupt(int number)
{
    (void)number;
    cancel = 1;
}

static int on_progress(void *context, uint64_t files, uint64_t directories)
{
    (void)context;
    fprintf(stderr, "\r%" PRIu64 " files, %" PRIu64 " directories", files, directories);
    return 0; /* any other value stops the removal */
}

/* Called for each failure; the removal continues. */
static int on_error(void *context, const curt_error *error)
{
    curt_error_info info = CURT_ERROR_INFO_INIT;
    (void)context;
    curt_error_get(error, &info);
    fprintf(stderr, "\rremove: %s\n", info.text);
    return 0;
}

int MAIN(int argc, os_char **argv)
{
    size_t i, count = argc > 1 ? (size_t)argc - 1 : 0;
    curt_str *paths = (curt_str *)calloc(count + 1, sizeof *paths); /* C++ needs the cast */
    curt_remove_options options = CURT_REMOVE_OPTIONS_INIT;
    curt_control control = CURT_CONTROL_INIT;
    curt_remove_report report = CURT_REMOVE_REPORT_INIT;
    int result;

    if (paths == NULL || count == 0) {
        fputs("usage: remove PATH...\n", stderr);
        free(paths);
        return 2;
    }
    for (i = 0; i < count; i++)
        paths[i] = curt_z(argv[i + 1]);
    options.on_progress = on_progress;
    control.threads = CURT_THREADS_AUTOMATIC;
    control.cancel = &cancel;
    control.on_error = on_error;
    signal(SIGINT, on_interrupt);

    result = curt_remove_many(paths, count, &options, &control, &report, NULL);

    free(paths);
    if (result == CURT_E_ARGUMENT || result == CURT_E_INTERNAL) {
        fprintf(stderr, "remove: %s\n", curt_text(result)); /* a bug in this program or in curt */
        return 1;
    }
    fprintf(stderr, "\r%" PRIu64 " files and %" PRIu64 " directories removed, ", report.files,
            report.directories);
    fprintf(stderr, "%" PRIu64 " failures\n", report.errors);
    if (report.stopped) {
        signal(SIGINT, SIG_DFL); /* end by the signal, so that the parent sees it */
        raise(SIGINT);
    }
    return result == 0 ? 0 : 1;
}
