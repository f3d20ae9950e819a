/* ls [-linu] [FOLDER]
 *
 * Lists a folder in the system's order. Options show more data, at this cost:
 *   (none)  names: the listing alone
 *   -l      kind, permissions, size and time: no further call on Windows, which has no
 *           permissions; elsewhere one call per entry, and one more for the target of each symlink
 *   -n      number of hard links: one call per entry on Windows; elsewhere the same call as -l
 *   -i      file id: no further call
 *   -u      owner and group: three calls per entry on Windows; elsewhere the same call as -l */

#define _POSIX_C_SOURCE 200809L

#include "system.h"
#include <inttypes.h>
#include <time.h>

#define BATCH 256
#define LONG (CURT_FIELD_SIZE | CURT_FIELD_MODIFIED | CURT_FIELD_TARGET | PERMISSIONS)
#ifdef _WIN32
#define to_local(seconds, parts) (localtime_s(parts, seconds) == 0)
#define PERMISSIONS 0 /* only files of WSL have permissions, and each query is one more call */
#else
#define to_local(seconds, parts) (localtime_r(seconds, parts) != NULL)
#define PERMISSIONS CURT_FIELD_MODE
#endif

static void print_number(const curt_metadata *of, uint32_t field, uint64_t number, int width)
{
    if (of->known & field)
        printf("%*" PRIu64 " ", width, number);
    else
        printf("%*s ", width, "?"); /* unknown is not 0 */
}

static void print_text(const curt_metadata *of, uint32_t field, curt_str text)
{
    if (of->known & field)
        print(stdout, text);
    else
        putchar('?');
    putchar(' ');
}

/* Returns the letter for `curt_metadata.kind`. The letters start with CURT_KIND_UNKNOWN. */
static char letter(uint32_t kind)
{
    static const char letters[] = "?-dlpscb";
    return kind < sizeof letters - 1 ? letters[kind] : '?';
}

static void print_kind_and_mode(const curt_metadata *of, uint32_t fields)
{
    int bit;
    putchar(letter(of->kind));
    for (bit = 8; bit >= 0 && fields & CURT_FIELD_MODE; bit--)
        putchar(!(of->known & CURT_FIELD_MODE) ? '?' : of->mode >> bit & 1 ? "xwr"[bit % 3] : '-');
    putchar(' ');
}

static void print_time(const curt_metadata *of)
{
    char text[32] = "?";
    time_t seconds = (time_t)of->modified.seconds;
    struct tm parts;
    /* `localtime` of glibc would check /etc/localtime for changes, with one call per entry. */
    if (of->known & CURT_FIELD_MODIFIED && to_local(&seconds, &parts))
        strftime(text, sizeof text, "%Y-%m-%d %H:%M", &parts);
    printf("%16s ", text);
}

static void print_entry(const curt_entry *entry, uint32_t fields)
{
    const curt_metadata *of = &entry->metadata;
    if (fields & CURT_FIELD_ID)
        print_number(of, CURT_FIELD_ID, of->id[0], 12);
    if (fields & CURT_FIELD_SIZE)
        print_kind_and_mode(of, fields);
    if (fields & CURT_FIELD_LINKS)
        print_number(of, CURT_FIELD_LINKS, of->links, 3);
    if (fields & CURT_FIELD_USER) {
        print_text(of, CURT_FIELD_USER, of->user);
        print_text(of, CURT_FIELD_GROUP, of->group);
    }
    if (fields & CURT_FIELD_SIZE) {
        print_number(of, CURT_FIELD_SIZE, of->length, 10);
        print_time(of);
    }
    print(stdout, entry->name);
    if (of->known & CURT_FIELD_TARGET) {
        fputs(" -> ", stdout);
        print(stdout, of->target);
    }
    putchar('\n');
}

/* Lists an open folder to its end. Returns the number of entries with failed fields. */
static int list(curt_dir *dir, uint32_t fields, int *result, curt_error **error)
{
    static curt_entry entries[BATCH];
    int failed = 0;
    while ((*result = curt_dir_next(dir, entries, sizeof entries[0], BATCH, error)) > 0) {
        int i;
        for (i = 0; i < *result; i++) {
            const curt_metadata *of = &entries[i].metadata;
            print_entry(&entries[i], fields);
            if (of->failed) {
                failed++;
                fputs("ls: ", stderr);
                print(stderr, entries[i].name);
                fprintf(stderr, ": %s, number %d\n", curt_text(of->result), (int)of->os_error);
            }
        }
    }
    return failed;
}

int MAIN(int argc, os_char **argv)
{
    uint32_t fields = CURT_FIELD_KIND;
    curt_str folder;
    curt_error *error;
    curt_dir *dir;
    int result, failed, at = 1;

    for (; at < argc && argv[at][0] == '-'; at++) {
        const os_char *option;
        for (option = argv[at] + 1; *option != 0; option++) {
            switch (*option) {
            case 'l': fields |= LONG; break;
            case 'i': fields |= CURT_FIELD_ID; break;
            case 'n': fields |= CURT_FIELD_LINKS; break;
            case 'u': fields |= CURT_FIELD_USER | CURT_FIELD_GROUP; break;
            default: fputs("usage: ls [-linu] [FOLDER]\n", stderr); return 2;
            }
        }
    }
#ifdef _WIN32
    folder = curt_z(at < argc ? argv[at] : L".");
#else
    folder = curt_z(at < argc ? argv[at] : ".");
#endif
    result = curt_dir_open(folder, fields, 0, &dir, &error);
    if (result != 0) {
        complain("ls", error);
        return 2;
    }
    failed = list(dir, fields, &result, &error);
    if (result < 0)
        complain("ls", error);
    curt_dir_close(dir);
    if (fflush(stdout) != 0 || ferror(stdout)) {
        perror("ls: standard output");
        return 1;
    }
    return result < 0 ? 2 : failed > 0;
}
