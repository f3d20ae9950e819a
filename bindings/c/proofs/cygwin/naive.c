/* naive HOW FOLDER
 *
 * `ls -l` as runtimes on Windows do it: lists the names, then queries each name. HOW is one of
 *   listing   FindFirstFileW and FindNextFileW, as `dir`: only the listing
 *   name      GetFileAttributesExW of each name
 *   handle    CreateFileW, GetFileInformationByHandle, CloseHandle
 *   owner     the same, and the security descriptor of the handle
 *   today     the calls of `lstat` in Cygwin today: open; query the volume, the file and its
 *             security; close
 *   then      `stat` in Cygwin 1.7.5, according to the report: five opens, each with its close, and
 *             ten further calls, most of them redundant
 *   cpython   os.stat in CPython 3.11: open, type of the handle, GetFileInformationByHandle, close
 *   libuv     uv_fs_stat in libuv without GetFileInformationByName: open; query the device, the
 *             file and the volume; close
 *   curt      curt_stat: kind, size, times
 *   curt-all  curt_stat: the fields of uv_stat_t
 *
 * Prints a line for each file, "LINKS OWNED SIZE NAME", with "?" for data that was not queried. */

#include <windows.h>
#include <winternl.h>
#include <aclapi.h>
#include <stdio.h>

#include <curt.h>

NTSTATUS NTAPI NtQuerySecurityObject(HANDLE, SECURITY_INFORMATION, void *, ULONG, ULONG *);

#define OWNERS_AND_RULES                                                                           \
    (OWNER_SECURITY_INFORMATION | GROUP_SECURITY_INFORMATION | DACL_SECURITY_INFORMATION)

/* The used part of FILE_ALL_INFORMATION, with space for the name. */
typedef struct {
    LARGE_INTEGER times[4];
    ULONG attributes, pad;
    LARGE_INTEGER allocated, size;
    ULONG links;
    BYTE rest[1024];
} all_information;

typedef struct {
    DWORD links;
    int owned;
    ULONGLONG size;
} facts;

static int die(const char *what)
{
    fprintf(stderr, "naive: %s failed: %lu\n", what, GetLastError());
    exit(1);
}

static HANDLE open_file(const WCHAR *path, DWORD access)
{
    DWORD share = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE;
    HANDLE file = CreateFileW(path, access, share, NULL, OPEN_EXISTING,
                              FILE_FLAG_BACKUP_SEMANTICS, NULL);
    if (file == INVALID_HANDLE_VALUE)
        die("CreateFileW");
    return file;
}

static void by_handle(HANDLE file, facts *about)
{
    BY_HANDLE_FILE_INFORMATION info;
    if (!GetFileInformationByHandle(file, &info))
        die("GetFileInformationByHandle");
    about->links = info.nNumberOfLinks;
    about->size = (ULONGLONG)info.nFileSizeHigh << 32 | info.nFileSizeLow;
}

static void owner_by_handle(HANDLE file, facts *about)
{
    BYTE buffer[4096];
    ULONG length;
    if (NtQuerySecurityObject(file, OWNERS_AND_RULES, buffer, sizeof buffer, &length) < 0)
        die("NtQuerySecurityObject");
    about->owned = 1;
}

static void volume_by_handle(HANDLE file, FS_INFORMATION_CLASS what)
{
    IO_STATUS_BLOCK io;
    BYTE volume[256];
    if (NtQueryVolumeInformationFile(file, &io, volume, sizeof volume, what) < 0)
        die("NtQueryVolumeInformationFile");
}

static void all_by_handle(HANDLE file, facts *about)
{
    IO_STATUS_BLOCK io;
    all_information all;
    if (NtQueryInformationFile(file, &io, &all, sizeof all, FileAllInformation) < 0)
        die("NtQueryInformationFile");
    about->links = all.links;
    about->size = (ULONGLONG)all.size.QuadPart;
}

static void ask_name(const WCHAR *path, facts *about)
{
    WIN32_FILE_ATTRIBUTE_DATA data;
    if (!GetFileAttributesExW(path, GetFileExInfoStandard, &data))
        die("GetFileAttributesExW");
    about->size = (ULONGLONG)data.nFileSizeHigh << 32 | data.nFileSizeLow;
}

static void ask_handle(const WCHAR *path, facts *about)
{
    HANDLE file = open_file(path, FILE_READ_ATTRIBUTES);
    by_handle(file, about);
    CloseHandle(file);
}

static void ask_owner(const WCHAR *path, facts *about)
{
    HANDLE file = open_file(path, FILE_READ_ATTRIBUTES | READ_CONTROL);
    by_handle(file, about);
    owner_by_handle(file, about);
    CloseHandle(file);
}

static void ask_as_today(const WCHAR *path, facts *about)
{
    HANDLE file = open_file(path, FILE_READ_EA | FILE_READ_ATTRIBUTES | READ_CONTROL);
    volume_by_handle(file, FileFsVolumeInformation);
    all_by_handle(file, about);
    owner_by_handle(file, about);
    CloseHandle(file);
}

static void ask_as_cpython(const WCHAR *path, facts *about)
{
    HANDLE file = open_file(path, FILE_READ_ATTRIBUTES);
    if (GetFileType(file) != FILE_TYPE_DISK)
        die("GetFileType");
    by_handle(file, about);
    CloseHandle(file);
}

static void ask_as_libuv(const WCHAR *path, facts *about)
{
    HANDLE file = open_file(path, FILE_READ_ATTRIBUTES);
    volume_by_handle(file, FileFsDeviceInformation);
    all_by_handle(file, about);
    volume_by_handle(file, FileFsVolumeInformation);
    CloseHandle(file);
}

#define TIMES                                                                                      \
    (CURT_FIELD_MODIFIED | CURT_FIELD_ACCESSED | CURT_FIELD_CHANGED | CURT_FIELD_CREATED)

static void ask_fields(const WCHAR *path, uint32_t fields, facts *about)
{
    curt_metadata metadata;
    if (curt_stat(curt_z(path), fields, 0, &metadata, sizeof metadata, NULL) != 0
        || metadata.known != fields)
        die("curt_stat");
    about->links = fields & CURT_FIELD_LINKS ? (DWORD)metadata.links : 0;
    about->size = metadata.length;
}

static void ask_curt(const WCHAR *path, facts *about)
{
    ask_fields(path, CURT_FIELD_KIND | CURT_FIELD_SIZE | TIMES, about);
}

static void ask_curt_for_all(const WCHAR *path, facts *about)
{
    ask_fields(path, CURT_FIELD_KIND | CURT_FIELD_SIZE | TIMES | CURT_FIELD_ALLOCATED
               | CURT_FIELD_ATTRIBUTES | CURT_FIELD_LINKS | CURT_FIELD_ID | CURT_FIELD_DEVICE, about);
}

static void read_begin(const WCHAR *path)
{
    BYTE bytes[10];
    DWORD count;
    HANDLE file = open_file(path, GENERIC_READ);
    if (!ReadFile(file, bytes, sizeof bytes, &count, NULL))
        die("ReadFile");
    CloseHandle(file);
}

static void ask_as_then(const WCHAR *path, facts *about)
{
    PSECURITY_DESCRIPTOR descriptor;
    /* Query existence and filesystem. */
    HANDLE file = open_file(path, FILE_READ_ATTRIBUTES);
    volume_by_handle(file, FileFsVolumeInformation);
    by_handle(file, about);
    CloseHandle(file);
    read_begin(path); /* is it a Cygwin symlink? */
    file = open_file(path, FILE_READ_ATTRIBUTES); /* size, times, links, file id */
    volume_by_handle(file, FileFsVolumeInformation);
    by_handle(file, about);
    CloseHandle(file);
    /* Read the access rules with a function that opens the path itself. */
    if (GetNamedSecurityInfoW((WCHAR *)path, SE_FILE_OBJECT, OWNERS_AND_RULES, NULL, NULL, NULL,
                              NULL, &descriptor) != 0)
        die("GetNamedSecurityInfoW");
    about->owned = 1;
    LocalFree(descriptor);
    read_begin(path); /* is it a program? */
}

static const struct {
    const WCHAR *name;
    void (*ask)(const WCHAR *path, facts *about);
} hows[] = {
    {L"listing", NULL}, {L"name", ask_name}, {L"handle", ask_handle},
    {L"owner", ask_owner}, {L"today", ask_as_today}, {L"then", ask_as_then},
    {L"cpython", ask_as_cpython}, {L"libuv", ask_as_libuv}, {L"curt", ask_curt},
    {L"curt-all", ask_curt_for_all},
};

int wmain(int argc, WCHAR **argv)
{
    WCHAR path[MAX_PATH];
    WIN32_FIND_DATAW found;
    HANDLE listing;
    size_t how = 0;

    while (argc == 3 && how < sizeof hows / sizeof hows[0] && wcscmp(argv[1], hows[how].name) != 0)
        how++;
    if (argc != 3 || how == sizeof hows / sizeof hows[0]) {
        fputs("usage: naive HOW FOLDER\n", stderr);
        return 2;
    }
    swprintf(path, MAX_PATH, L"%ls\\*", argv[2]);
    listing = FindFirstFileW(path, &found);
    if (listing == INVALID_HANDLE_VALUE)
        die("FindFirstFileW");
    do {
        facts about = {0, 0, (ULONGLONG)found.nFileSizeHigh << 32 | found.nFileSizeLow};
        if (wcscmp(found.cFileName, L".") == 0 || wcscmp(found.cFileName, L"..") == 0)
            continue;
        swprintf(path, MAX_PATH, L"%ls\\%ls", argv[2], found.cFileName);
        if (hows[how].ask != NULL)
            hows[how].ask(path, &about);
        if (about.links > 0)
            printf("%lu ", about.links);
        else
            printf("? ");
        printf("%s %llu %ls\n", about.owned ? "owned" : "?", about.size, found.cFileName);
    } while (FindNextFileW(listing, &found));
    if (GetLastError() != ERROR_NO_MORE_FILES)
        die("FindNextFileW");
    FindClose(listing);
    return 0;
}
