/* Listing one directory in batches, with metadata, compared with readdir and stat. */
#include "test.h"

#ifndef _WIN32
#include <sys/socket.h>
#include <sys/sysmacros.h>
#include <sys/un.h>
#endif

#define OF_STAT (CURT_FIELD_KIND | CURT_FIELD_SIZE | CURT_FIELD_ALLOCATED | CURT_FIELD_MODIFIED \
                 | CURT_FIELD_ACCESSED | CURT_FIELD_CHANGED | CURT_FIELD_MODE | CURT_FIELD_LINKS \
                 | CURT_FIELD_ID | CURT_FIELD_DEVICE | CURT_FIELD_USER_ID | CURT_FIELD_GROUP_ID \
                 | CURT_FIELD_DEVICE_NUMBER | CURT_FIELD_BLOCK_SIZE)
#define ALL_FIELDS ((1u << 19) - 1)

static void make_files(int count)
{
    text_char name[] = T("dir/file-0000");
    int number;
    make_dir(T("dir"));
    for (number = 0; number < count; number++) {
        int rest = number, at;
        for (at = 12; at > 8; at--, rest /= 10)
            name[at] = (text_char)('0' + rest % 10);
        CHECK_INT(make_file(name, (size_t)(number % 100)), 0);
    }
}

static curt_dir *open_dir(curt_str path, uint32_t fields, uint32_t flags)
{
    curt_dir *dir = NULL;
    CHECK_INT(WORKS(curt_dir_open(path, fields, flags, &dir, WHY)), 0);
    return dir;
}

static int number_of(curt_str name)
{
    int number = 0;
    size_t at;
    for (at = name.len - 4; at < name.len; at++)
        number = number * 10 + (name.ptr[at] - '0');
    return number;
}

static void lists_in_batches_of_any_size(void)
{
    enum { COUNT = 2500 };
    static const size_t capacities[] = {1, 7, 256, 3000};
    static curt_entry entries[3000];
    size_t at;
    make_files(COUNT);
    for (at = 0; at < sizeof capacities / sizeof *capacities; at++) {
        curt_dir *dir = open_dir(Z("dir"), CURT_FIELD_KIND | CURT_FIELD_SIZE, 0);
        static char seen[COUNT];
        int count, entry, sum = 0;
        memset(seen, 0, sizeof seen);
        while ((count = (int)WORKS(curt_dir_next(dir, entries, sizeof *entries, capacities[at],
                                                 WHY))) > 0) {
            CHECK((size_t)count <= capacities[at]);
            for (entry = 0; entry < count; entry++) {
                const curt_entry *one = &entries[entry];
                int number = number_of(one->name);
                CHECK(number >= 0 && number < COUNT && seen[number]++ == 0);
                CHECK_INT(one->name.len, 9);
                CHECK_INT(one->name.ptr[9], 0);
                CHECK_INT(one->metadata.known, CURT_FIELD_KIND | CURT_FIELD_SIZE);
                CHECK_INT(one->metadata.failed | (unsigned)one->metadata.result, 0);
                CHECK_INT(one->metadata.kind, CURT_KIND_FILE);
                CHECK_INT(one->metadata.length, number % 100);
            }
            sum += count;
        }
        CHECK_INT(sum, COUNT);
        CHECK_INT(WORKS(curt_dir_next(dir, entries, sizeof *entries, 9, WHY)), 0);
        curt_dir_close(dir);
    }
}

static void elements_have_the_callers_size(void)
{
    struct newer {
        curt_entry entry;
        uint64_t more[3];
    } entries[20];
    curt_entry before;
    curt_dir *dir;
    size_t at;
    make_files(10);
    dir = open_dir(Z("dir"), CURT_FIELD_SIZE, 0);
    memset(entries, 0x5a, sizeof entries);
    memset(&before, 0x5a, sizeof before);
    CHECK_INT(WORKS(curt_dir_next(dir, &entries[0].entry, sizeof *entries, 20, WHY)), 10);
    for (at = 0; at < 10; at++) {
        CHECK_INT(entries[at].entry.metadata.length, number_of(entries[at].entry.name));
        /* Fields that were not requested are unchanged. */
        CHECK_INT(entries[at].entry.metadata.links, before.metadata.links);
    }
    CHECK(memcmp(&entries[10], &entries[11], sizeof *entries) == 0);
    CHECK(memcmp(entries[0].more, entries[10].more, sizeof entries[0].more) == 0);
    curt_dir_close(dir);
    make_file(T("file"), 0);
    CHECK(curt_dir_open(Z("file"), 0, 0, &dir, NULL) == CURT_E_OS && dir == NULL);
}

#ifdef _WIN32

static void times_are_those_of_the_system(void)
{
    WIN32_FILE_ATTRIBUTE_DATA expected;
    curt_metadata metadata;
    unsigned long long ticks;
    make_file(L"file", 4);
    CHECK(GetFileAttributesExW(L"file", GetFileExInfoStandard, &expected));
    ticks = (unsigned long long)expected.ftLastWriteTime.dwHighDateTime << 32
        | expected.ftLastWriteTime.dwLowDateTime;
    CHECK_INT(WORKS(curt_stat(Z("file"), CURT_FIELD_MODIFIED, 0, &metadata, sizeof metadata, WHY)),
              0);
    CHECK_INT(metadata.modified.seconds, (long long)(ticks / 10000000) - 11644473600LL);
    CHECK_INT(metadata.modified.nanoseconds, ticks % 10000000 * 100);
}

static void names_may_have_lone_surrogates(void)
{
    static const wchar_t name[] = {'d', 'i', 'r', '/', 0xdc00, 'x', 0};
    curt_entry entries[4];
    curt_metadata metadata;
    curt_dir *dir;
    make_dir(L"dir");
    if (make_file(name, 3) != 0) {
        SKIP("files cannot have such names here");
        return;
    }
    dir = open_dir(Z("dir"), CURT_FIELD_SIZE, 0);
    CHECK_INT(WORKS(curt_dir_next(dir, entries, sizeof *entries, 4, WHY)), 1);
    CHECK_TEXT(entries[0].name, name + 4);
    CHECK_INT(entries[0].metadata.length, 3);
    CHECK_INT(WORKS(curt_stat(curt_z(name), CURT_FIELD_SIZE, 0, &metadata, sizeof metadata, WHY)),
              0);
    CHECK_INT(metadata.length, 3);
    curt_dir_close(dir);
}

#else

static uint32_t kind_of(mode_t mode)
{
    return S_ISREG(mode) ? CURT_KIND_FILE : S_ISDIR(mode) ? CURT_KIND_DIRECTORY
        : S_ISLNK(mode) ? CURT_KIND_SYMLINK : S_ISFIFO(mode) ? CURT_KIND_FIFO
        : S_ISSOCK(mode) ? CURT_KIND_SOCKET : S_ISCHR(mode) ? CURT_KIND_CHARACTER_DEVICE
        : S_ISBLK(mode) ? CURT_KIND_BLOCK_DEVICE : CURT_KIND_UNKNOWN;
}

static void check_time(const char *what, const curt_time *is, const struct timespec *expected)
{
    if (is->seconds != expected->tv_sec || is->nanoseconds != (uint32_t)expected->tv_nsec)
        failure(__FILE__, __LINE__, "%s differs", what);
    CHECK_INT(is->reserved, 0);
}

static void check_metadata(const char *path, const curt_metadata *is, const struct stat *expected)
{
    int before = test_state.failures;
    uint32_t wanted = OF_STAT;
    if (kind_of(expected->st_mode) != CURT_KIND_CHARACTER_DEVICE
        && kind_of(expected->st_mode) != CURT_KIND_BLOCK_DEVICE)
        wanted &= ~(uint32_t)CURT_FIELD_DEVICE_NUMBER;
    CHECK_INT(is->known & ~(uint32_t)CURT_FIELD_DEVICE_NUMBER,
              wanted & ~(uint32_t)CURT_FIELD_DEVICE_NUMBER);
    CHECK_INT(is->failed, 0);
    CHECK_INT(is->kind, kind_of(expected->st_mode));
    CHECK_INT(is->mode, expected->st_mode);
    CHECK_INT(is->length, expected->st_size);
    CHECK_INT(is->allocated, (long long)expected->st_blocks * 512);
    CHECK_INT(is->links, expected->st_nlink);
    CHECK_INT(is->user_id, expected->st_uid);
    CHECK_INT(is->group_id, expected->st_gid);
    CHECK_INT(is->device, expected->st_dev);
    CHECK_INT(is->id[0], expected->st_ino);
    CHECK_INT(is->id[1], 0);
    CHECK_INT(is->block_size, expected->st_blksize);
    if (wanted & CURT_FIELD_DEVICE_NUMBER)
        CHECK_INT(is->device_number, expected->st_rdev);
    check_time("the time of modification", &is->modified, &expected->st_mtim);
    /* Resolving a path through a symlink updates the symlink's access time. */
    if (!S_ISLNK(expected->st_mode))
        check_time("the time of access", &is->accessed, &expected->st_atim);
    check_time("the time of change", &is->changed, &expected->st_ctim);
    if (test_state.failures > before)
        fprintf(test_state.report, "  of %s\n", path);
}

static void make_one_of_each_kind(void)
{
    struct sockaddr_un address;
    int socket_ = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    memset(&address, 0, sizeof address);
    address.sun_family = AF_UNIX;
    strcpy(address.sun_path, "dir/socket");
    make_dir("dir");
    make_file("dir/file", 12345);
    make_file("dir/\xff\n", 1);
    CHECK_INT(chmod("dir/file", 06751), 0);
    CHECK_INT(link("dir/file", "dir/another name"), 0);
    make_dir("dir/folder");
    CHECK_INT(symlink("file", "dir/link"), 0);
    CHECK_INT(symlink("folder", "dir/link to folder"), 0);
    CHECK_INT(symlink("nowhere", "dir/broken"), 0);
    CHECK_INT(mkfifo("dir/fifo", 0600), 0);
    CHECK_INT(bind(socket_, (const struct sockaddr *)&address, sizeof address), 0);
    close(socket_);
    if (geteuid() == 0)
        mknod("dir/null", S_IFCHR | 0666, makedev(1, 3)); /* May be refused in a container. */
}

static void agrees_with_readdir_and_fstatat(void)
{
    static const uint32_t flags[] = {0, CURT_EXACT, CURT_FOLLOW, CURT_FOLLOW | CURT_EXACT};
    size_t at;
    make_one_of_each_kind();
    for (at = 0; at < 4; at++) {
        curt_dir *dir = open_dir(Z("dir"), OF_STAT, flags[at]);
        DIR *stream = opendir("dir");
        struct dirent *expected;
        static curt_entry entries[64];
        int count = (int)WORKS(curt_dir_next(dir, entries, sizeof *entries, 64, WHY));
        int names = 0, entry;
        while ((expected = readdir(stream)) != NULL) {
            struct stat metadata;
            int follow = (flags[at] & CURT_FOLLOW) != 0;
            if (strcmp(expected->d_name, ".") == 0 || strcmp(expected->d_name, "..") == 0)
                continue;
            names++;
            for (entry = 0; entry < count; entry++)
                if (same(entries[entry].name, expected->d_name))
                    break;
            if (!CHECK(entry < count))
                continue;
            /* For a broken symlink, curt returns the symlink's own metadata. */
            if (fstatat(dirfd(stream), expected->d_name, &metadata,
                        follow ? 0 : AT_SYMLINK_NOFOLLOW) != 0)
                CHECK_INT(fstatat(dirfd(stream), expected->d_name, &metadata, AT_SYMLINK_NOFOLLOW),
                          0);
            check_metadata(expected->d_name, &entries[entry].metadata, &metadata);
        }
        CHECK_INT(count, names);
        closedir(stream);
        curt_dir_close(dir);
    }
}

static void agrees_with_stat_and_lstat(void)
{
    static const char *const paths[] = {
        ".", "/", "dir", "dir/file", "dir/file/", "dir/link", "dir/broken", "dir/link to folder",
        "dir/link to folder/", "dir/missing", "dir/file/x", "/dev/null", "", "dir/fifo",
        "dir/socket", "dir/../dir//./file",
    };
    enum { COUNT = sizeof paths / sizeof *paths };
    size_t at;
    int follow;
    make_one_of_each_kind();
    for (follow = 0; follow < 2; follow++) {
        uint32_t flags = follow ? CURT_FOLLOW : 0;
        for (at = 0; at < COUNT; at++) {
            struct stat expected;
            curt_metadata metadata;
            curt_error *error = NULL;
            int failed = (follow ? stat : lstat)(paths[at], &expected) != 0, number = errno;
            int result = curt_stat(curt_z(paths[at]), OF_STAT, flags, &metadata, sizeof metadata,
                                   &error);
            if (follow && strcmp(paths[at], "dir/broken") == 0)
                failed = lstat(paths[at], &expected);
            if (failed) {
                SIZED(curt_error_info, info);
                CHECK_INT(result, CURT_E_OS);
                CHECK_INT(curt_error_get(error, &info), 0);
                CHECK_INT(info.os_error, number);
            } else if (CHECK_INT(result, 0)) {
                check_metadata(paths[at], &metadata, &expected);
            }
            curt_error_free(error);
        }
    }
}

static void links_and_owners_have_texts(void)
{
    enum { COUNT = 300 };
    static curt_entry entries[COUNT];
    curt_dir *dir;
    char name[40], target[400];
    int number, count;
    make_dir("dir");
    for (number = 0; number < COUNT; number++) {
        snprintf(name, sizeof name, "dir/%d", number);
        memset(target, 'x', sizeof target);
        snprintf(target + number, sizeof target - (size_t)number, "-%d", number);
        CHECK_INT(symlink(target, name), 0);
    }
    dir = open_dir(Z("dir"), ALL_FIELDS, 0);
    count = (int)WORKS(curt_dir_next(dir, entries, sizeof *entries, COUNT, WHY));
    CHECK_INT(count, COUNT);
    for (number = 0; number < count; number++) {
        const curt_entry *entry = &entries[number];
        ssize_t length = readlinkat(AT_FDCWD, (snprintf(name, sizeof name, "dir/%s",
                                    entry->name.ptr), name), target, sizeof target);
        CHECK_INT(entry->metadata.target.len, length);
        CHECK(length > 0 && memcmp(entry->metadata.target.ptr, target, (size_t)length) == 0);
        CHECK_INT(entry->metadata.target.ptr[length], 0);
        CHECK(entry->metadata.known & CURT_FIELD_USER && entry->metadata.known & CURT_FIELD_GROUP);
        CHECK_INT(entry->metadata.user.ptr[entry->metadata.user.len], 0);
        CHECK_INT(entry->metadata.group.ptr[entry->metadata.group.len], 0);
        CHECK_INT(entry->metadata.known & CURT_FIELD_SIZE, CURT_FIELD_SIZE);
    }
    curt_dir_close(dir);
}

static void without_rights(void)
{
    curt_dir *dir = NULL;
    curt_metadata metadata;
    curt_entry entries[4];
    make_dir("locked");
    make_file("locked/file", 3);
    CHECK_INT(chmod("locked", 0444), 0);
    dir = open_dir(Z("locked"), CURT_FIELD_KIND | CURT_FIELD_SIZE, 0);
    CHECK_INT(WORKS(curt_dir_next(dir, entries, sizeof *entries, 4, WHY)), 1);
    CHECK_TEXT(entries[0].name, "file");
    CHECK_INT(entries[0].metadata.known, CURT_FIELD_KIND);
    CHECK_INT(entries[0].metadata.failed, CURT_FIELD_SIZE);
    CHECK_INT(entries[0].metadata.result, CURT_E_OS);
    CHECK_INT(entries[0].metadata.os_error, EACCES);
    curt_dir_close(dir);
    FAILS(CURT_E_OS, curt_stat(Z("locked/file"), CURT_FIELD_SIZE, 0, &metadata, sizeof metadata,
                               WHY));
    CHECK_INT(LAST.os_error, EACCES);
    CHECK_INT(chmod("locked", 0), 0);
    FAILS(CURT_E_OS, curt_dir_open(Z("locked"), 0, 0, &dir, WHY));
    CHECK_INT(LAST.os_error, EACCES);
    CHECK_INT(chmod("locked", 0777), 0);
}

/* Another file takes over the descriptor's number while the directory is listed. */
static void a_listing_that_fails_in_the_middle_says_so(void)
{
    static curt_entry entries[2500];
    const int next = dup(0), file = next + 1;
    int count;
    curt_dir *dir;
    make_files(2500);
    CHECK_INT(close(next), 0);
    dir = open_dir(Z("dir"), 0, 0);
    CHECK_INT(open("dir/file-0000", O_RDONLY | O_CLOEXEC), file);
    count = (int)WORKS(curt_dir_next(dir, entries, sizeof *entries, 2500, WHY));
    CHECK(count > 0 && count < 2500);
    CHECK_INT(dup2(file, next), next);
    FAILS_ONCE(CURT_E_OS, curt_dir_next(dir, entries, sizeof *entries, 2500, WHY));
    CHECK(LAST.os_error == ENOTDIR && strcmp(LAST.operation, "read_directory") == 0);
    CHECK_TEXT(LAST.path, "dir");
    CHECK_INT(WORKS(curt_dir_next(dir, entries, sizeof *entries, 2500, WHY)), 0);
    curt_dir_close(dir);
    CHECK_INT(close(file), 0);
}

static void tells_which_fields_failed(void)
{
    as_nobody(without_rights);
}

#endif

BEGIN_TESTS
    test(lists_in_batches_of_any_size),
    test(elements_have_the_callers_size),
#ifdef _WIN32
    test(times_are_those_of_the_system),
    test(names_may_have_lone_surrogates),
#else
    test(agrees_with_readdir_and_fstatat),
    test(agrees_with_stat_and_lstat),
    test(links_and_owners_have_texts),
    test(a_listing_that_fails_in_the_middle_says_so),
    test(tells_which_fields_failed),
#endif
END_TESTS
