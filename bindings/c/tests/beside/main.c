/* libcurt and another Rust library in one program. Argument: an empty folder. */
#include <curt.h>
#include <stdio.h>
#include <unistd.h>

extern int32_t other_catches_panics(void);

int main(int argc, char **argv)
{
    curt_control control = CURT_CONTROL_INIT;
    curt_remove_report report = CURT_REMOVE_REPORT_INIT;
    curt_error *error = NULL;
    int32_t result;
    if (argc != 2 || other_catches_panics() != 2)
        return 1;
    control.threads = 4;
    result = curt_remove(CURT_CWD, curt_z(argv[1]), NULL, &control, &report, &error);
    if (result != 0 || report.directories != 1 || access(argv[1], F_OK) == 0)
        return 2;
    result = curt_remove(CURT_CWD, curt_z(argv[1]), NULL, &control, &report, &error);
    curt_error_free(error);
    if (result != CURT_E_OS || other_catches_panics() != 2)
        return 3;
    return 0;
}
