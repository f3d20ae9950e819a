/* curt.h: libcurt, everyday filesystem operations in few system calls, for C and C++.
 *
 *     #include <curt.h>
 *     #include <stdio.h>
 *
 *     int main(void)
 *     {
 *         curt_error *error;
 *         curt_error_info info = CURT_ERROR_INFO_INIT;
 *         if (curt_remove(CURT_CWD, curt_z("tree"), NULL, NULL, NULL, &error) == 0)
 *             return 0;
 *         curt_error_get(error, &info);
 *         fprintf(stderr, "%s\n", info.text);
 *         curt_error_free(error);
 *         return 1;
 *     }
 *
 * To                                    use
 * remove trees                          curt_remove, curt_remove_many
 * walk a tree                           curt_tree_open, curt_tree_next, curt_tree_prune
 * query a path, list a directory        curt_stat; curt_dir_open, curt_dir_next
 * measure trees                         curt_usage
 * find programs                         curt_find_once; curt_search_open, curt_search_all
 * open untrusted paths                  curt_root_open, curt_root_open_file
 * get canonical paths                   curt_canonical
 * find files in many directories        curt_lookup_open, curt_lookup_find
 * get full paths without a call         curt_expander_open, curt_expand_bytes
 *
 * These rules hold for all functions, and are not repeated below.
 *
 * Results. A function returns 0, a count or a length, or a negative CURT_E_… on failure. Success
 * sets `*error` to NULL, failure to an object with the details; `error` may be NULL. Each class of
 * results has a range, also for future ones: -1 to -19 general, -20 to -39 KEPT, -40 to -59 FIND,
 * -60 to -79 REFUSED, -80 to -99 EXPAND. Costs are numbers of system calls.
 *
 * Objects. A function …_open sets its object, to NULL on failure. Free it with …_close, and an
 * error with curt_error_free, once, and when no thread uses it any more; NULL is fine. Free nothing
 * else.
 *
 * Pointers. A pointer must be aligned, must point to as many elements as its length or capacity
 * says, and must not be NULL, except for `error`, options and control, and where documented. NULL as
 * options or control means all zero. Detectable mistakes return CURT_E_ARGUMENT: NULL, wrong sizes,
 * unknown flags, lengths or capacities larger than memory. The library uses the caller's memory only
 * until the function returns, unless documented otherwise.
 *
 * Texts are those of the system: bytes on Unix, UTF-16 on Windows (L"tree" in the examples), not
 * necessarily valid Unicode, with a length and without a NUL inside. A NUL follows each text from
 * the library. A function that writes a text into a buffer adds a NUL, and returns the length
 * without it. If that is not less than the capacity, the buffer is unchanged and needs a capacity of
 * one more. NULL with capacity 0 queries the length.
 *
 * Structs that begin with `size` may gain fields at their end. Initialise them with CURT_…_INIT,
 * which sets the size and zeros the rest, so that programs and libraries of different versions work
 * together. `reserved` must be 0. Other structs are passed with their `sizeof` for that reason.
 * Values of one prefix are joined by `|` where a field or parameter is called `flags` or `fields`.
 *
 * Threads. Any thread may call any function. Threads may use an object one at a time, or together
 * where it is documented as shared. The library starts threads only if curt_control requests them,
 * and joins them before it returns. A calling thread needs 64 KiB of stack.
 *
 * Callbacks get their `context`, run on the caller's thread, and must return: no longjmp, no
 * exception.
 *
 * Side effects. The library prints nothing, changes no signal handler or mask, and reads the
 * environment only if a flag requests it. Its functions are not async-signal-safe; a signal handler
 * can stop work through the `int` of curt_control. A failed allocation ends the process as abort()
 * does, without a message or a result. Use a child process if yours must survive.
 *
 * To link a curt.dll, define CURT_DLL first. The guide is docs/c.md. Generated from bindings/c/src
 * by `cargo xtask c-header`: do not edit.
 */
#ifndef CURT_H
#define CURT_H

#include <stddef.h>
#include <stdint.h>
#if defined(_WIN32)
#include <wchar.h>
#else
#include <string.h>
#endif

#if defined(_WIN32) && defined(CURT_DLL)
#define CURT_API __declspec(dllimport)
#elif defined(__GNUC__) && !defined(_WIN32)
#define CURT_API __attribute__((visibility("default")))
#else
#define CURT_API
#endif

/** The working directory, instead of an open directory. */
#if defined(_WIN32)
#define CURT_CWD ((curt_fd)0)
#else
#define CURT_CWD (-100)
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Texts and buffers ----
 *
 *     curt_str name = curt_z("tree");
 *     printf("%.*s\n", (int)name.len, name.ptr);
 */

#if !defined(_WIN32)
/** A unit of a path: a byte. */
typedef char curt_char;
#endif

#if defined(_WIN32)
/** A unit of a path: a UTF-16 unit. */
typedef uint16_t curt_char;
#endif

/** A path or a name, exactly as the system has it. */
typedef struct {
  /** May be NULL if `len` is 0. */
  const curt_char *ptr;
  /** In units. A NUL may follow. */
  size_t len;
} curt_str;

/** The text up to its NUL, or an empty one for NULL. */
#if defined(_WIN32)
static inline curt_str curt_z(const wchar_t *text)
#else
static inline curt_str curt_z(const char *text)
#endif
{
  curt_str units;
  units.ptr = (const curt_char *)text;
#if defined(_WIN32)
  units.len = text ? wcslen(text) : 0;
#else
  units.len = text ? strlen(text) : 0;
#endif
  return units;
}

/* ---- Errors ----
 *
 *     curt_error *error;
 *     if (curt_remove(CURT_CWD, curt_z("missing"), NULL, NULL, NULL, &error) < 0) {
 *         curt_error_info info = CURT_ERROR_INFO_INIT;
 *         curt_error_get(error, &info);
 *         puts(info.text);
 *         curt_error_free(error);
 *     }
 */

/** A failure. Immutable, so threads may share it. */
typedef struct curt_error curt_error;

/** The contents of an error. The texts live as long as the error. */
typedef struct {
  /** Its size. */
  size_t size;
  /** `CURT_E_…`. */
  int32_t result;
  /**
   * `errno`, or `GetLastError` on Windows. If curt itself refused, the number that the system
   * would use, such as `EXDEV` for a path that leaves the root. 0 if no operation had begun.
   */
  int32_t os_error;
  /**
   * The failed operation in one word, as in the JSON of the command: `"remove_file"`,
   * `"open_directory"`, … NULL if none had begun.
   */
  const char *operation;
  /** The operand as given and the names below it, or empty. */
  curt_str path;
  /** Operation, path and cause for people, in UTF-8. */
  const char *text;
  /** In bytes. */
  size_t text_len;
  /**
   * The cause in curt's words, or NULL if the system's text for `os_error` explains it. For
   * languages that use the system's text.
   */
  const char *reason;
} curt_error_info;
#define CURT_ERROR_INFO_INIT \
  { sizeof(curt_error_info), 0, 0, NULL, { NULL, 0 }, NULL, 0, NULL }

/** Fills in `info`. No call. */
CURT_API int32_t curt_error_get(const curt_error *error, curt_error_info *info);

/** Frees an error. NULL is fine. */
CURT_API void curt_error_free(curt_error *error);

/* ---- Control of long work ----
 *
 *     static volatile int cancel;
 *     curt_control control = CURT_CONTROL_INIT;
 *     control.threads = CURT_THREADS_AUTOMATIC;
 *     control.cancel = &cancel;
 *     if (curt_remove(CURT_CWD, curt_z("tree"), NULL, &control, NULL, NULL) != CURT_E_STOPPED)
 *         puts("not cancelled");
 */

/** The largest number of threads. */
#define CURT_THREADS_MOST 1024
/** As many threads as make the work faster. */
#define CURT_THREADS_AUTOMATIC UINT32_MAX

/**
 * By default one thread and no callback. A callback that does not return 0 stops the work. Work
 * already in progress on other threads then ends first, and the result is `CURT_E_STOPPED` or that
 * of an earlier failure.
 */
typedef struct {
  /** Its size. */
  size_t size;
  /** Threads, including the caller's, up to `CURT_THREADS_MOST`. 0 and 1 start none. */
  uint32_t threads;
  /** 0. */
  uint32_t reserved;
  /**
   * NULL, or an `int` for a signal handler or another thread to set. Any value but 0 stops the
   * work within milliseconds, but does not interrupt a blocking system call. Up to half a second
   * can pass for a million paths in an array, or entries of a sorted directory (`curt_usage`
   * with `CURT_TREE_FOLLOW`).
   */
  const volatile int *cancel;
  /** NULL, or called at the start and then every few milliseconds. */
  int (*poll)(void *context);
  /** NULL, or called for each failure. The error lives until the callback returns. */
  int (*on_error)(void *context, const curt_error *error);
  /** For the callbacks. */
  void *context;
} curt_control;
#define CURT_CONTROL_INIT \
  { sizeof(curt_control), 0, 0, NULL, NULL, NULL, NULL }

/* ---- Removing trees ----
 *
 *     curt_remove_options options = CURT_REMOVE_OPTIONS_INIT;
 *     curt_remove_report report = CURT_REMOVE_REPORT_INIT;
 *     options.flags = CURT_REMOVE_MISSING_OK;
 *     if (curt_remove(CURT_CWD, curt_z("tree"), &options, NULL, &report, NULL) == 0)
 *         printf("%lu files removed\n", (unsigned long)report.files);
 */

#if !defined(_WIN32)
/** A file descriptor. */
typedef int curt_fd;
#endif

#if defined(_WIN32)
/** A `HANDLE`. */
typedef void *curt_fd;
#endif

/**
 * Accepts a missing path, as `rm -f` does. On Unix also a path through a file (`file/`, `file/x`);
 * the file remains.
 */
#define CURT_REMOVE_MISSING_OK 1
/** Empties mounts too. The mount points remain, and are failures. */
#define CURT_REMOVE_CROSS_MOUNTS 2

/** Removes directories with everything below them. */
#define CURT_DIRECTORIES_RECURSIVE 0
/** The same, and refuses everything else, such as a link to a directory. */
#define CURT_DIRECTORIES_REQUIRED 1
/** Empties directories without removing them, and refuses everything else. */
#define CURT_DIRECTORIES_CONTENTS 2
/** Removes only empty directories, as `rmdir` does. */
#define CURT_DIRECTORIES_ONLY_EMPTY 3
/** Refuses directories, as `unlink` does. */
#define CURT_DIRECTORIES_REFUSE 4

/**
 * By default a missing path is a failure, mounts are not crossed, and directories are removed
 * recursively.
 */
typedef struct {
  /** Its size. */
  size_t size;
  /** `CURT_REMOVE_…`. */
  uint32_t flags;
  /** For paths to directories: one of `CURT_DIRECTORIES_…`. */
  uint32_t directories;
  /**
   * NULL, or called with the totals every few hundred entries, and at the end unless the removal
   * was stopped. Any result but 0 stops the removal. With several threads, totals may repeat or
   * decrease.
   */
  int (*on_progress)(void *context, uint64_t files, uint64_t directories);
  /** For `on_progress`. */
  void *context;
} curt_remove_options;
#define CURT_REMOVE_OPTIONS_INIT \
  { sizeof(curt_remove_options), 0, 0, NULL, NULL }

/** What was done, also by a removal that failed or was stopped. */
typedef struct {
  /** Its size. */
  size_t size;
  /** Entries removed, except directories. */
  uint64_t files;
  /** Directories removed. */
  uint64_t directories;
  /** Entries that vanished or were moved after they had been listed. */
  uint64_t vanished;
  /** Failures. */
  uint64_t errors;
  /** System calls made. */
  uint64_t calls;
  /** Threads used, including the caller's. */
  uint32_t threads;
  /** 1 if `cancel`, `poll` or a callback stopped the removal, else 0. */
  uint32_t stopped;
} curt_remove_report;
#define CURT_REMOVE_REPORT_INIT \
  { sizeof(curt_remove_report), 0, 0, 0, 0, 0, 0, 0 }

/**
 * Removes `path`: a file, a directory with everything below it, or a link, but never its target.
 * `options`, `control` and `report` may be NULL. The root directory is refused. With a trailing
 * slash, `path` must be a directory and not a link to one.
 *
 * With `CURT_CWD` as `dir`, `path` can be any path. With an open directory, `path` is resolved as
 * by `unlinkat(2)`: symlinks and `..` on the way may lead out of it, and it may not end in `.` or
 * `..`. `O_PATH` is enough; on Windows the directory needs `FILE_TRAVERSE` and
 * `FILE_READ_ATTRIBUTES`, and `path` must be a single name.
 *
 * Not atomic: continues after a failure, and removes as much as it can. Returns 0 if everything is
 * gone, otherwise the result of the first failure, which `error` describes; `on_error` gets all.
 * `CURT_E_STOPPED` if stopped before any failure. Fills in `report`, except after
 * `CURT_E_INTERNAL` and `CURT_E_ARGUMENT` for a wrong argument.
 *
 * Cost on Linux: 1 call per file, 5 per directory, at most 6 for the path itself, and 2 for an
 * open `dir`.
 */
CURT_API
int32_t curt_remove(curt_fd dir,
                    curt_str path,
                    const curt_remove_options *options,
                    const curt_control *control,
                    curt_remove_report *report,
                    curt_error **error);

/**
 * Removes `count` paths, as `curt_remove` does with `CURT_CWD`. One thread removes them in order;
 * several share them, unless one path lies below another. Consecutive paths in one directory share
 * the call that opens it.
 */
CURT_API
int32_t curt_remove_many(const curt_str *paths,
                         size_t count,
                         const curt_remove_options *options,
                         const curt_control *control,
                         curt_remove_report *report,
                         curt_error **error);

/* ---- Walking trees ----
 *
 * The path itself comes first, and each directory directly before its contents, sorted by name,
 * unit by unit.
 *
 *     curt_tree *walk;
 *     curt_tree_entry entry = CURT_TREE_ENTRY_INIT;
 *     if (curt_tree_open(curt_z("tree"), 0, &walk, NULL) == 0) {
 *         while (curt_tree_next(walk, &entry, NULL) > 0)
 *             puts(entry.path.ptr);
 *         curt_tree_close(walk);
 *     }
 */

/**
 * Follows links, also below the path. A link back to an ancestor is `CURT_E_LOOP`; `curt_usage`,
 * which has counted that directory already, skips it, and reports broken links as failures.
 */
#define CURT_TREE_FOLLOW 1
/** Does not enter other file systems than that of the path. */
#define CURT_TREE_SAME_FILE_SYSTEM 2
/** Counts a file once for each of its hard links. Only for `curt_usage`. */
#define CURT_TREE_COUNT_LINKS 4

/** A walk. */
typedef struct curt_tree curt_tree;

/** An entry of a tree. */
typedef struct {
  /** Its size. */
  size_t size;
  /** The path as given and the names below it. */
  curt_str path;
  /** 0 for the path itself. */
  uint32_t depth;
  /** `CURT_KIND_…`. */
  uint32_t kind;
} curt_tree_entry;
#define CURT_TREE_ENTRY_INIT \
  { sizeof(curt_tree_entry), { NULL, 0 }, 0, 0 }

/**
 * Prepares a walk, without opening anything yet. `flags`: `CURT_TREE_FOLLOW`,
 * `CURT_TREE_SAME_FILE_SYSTEM`. Without the former no link is followed, except `path` itself with
 * a trailing separator.
 */
CURT_API
int32_t curt_tree_open(curt_str path,
                       uint32_t flags,
                       curt_tree **walk,
                       curt_error **error);

/**
 * Moves to the next entry, whose path lives until the next call with this handle. The call after
 * the one for a directory opens and reads it, unless it was pruned; other calls mostly return
 * entries read earlier. The entries of all ancestors are held in memory, and at most 64
 * directories are open.
 *
 * Each directory is opened relative to its parent, so a tree may be deeper than the longest path,
 * and a directory replaced by a link cannot lead the walk out of the tree.
 *
 * Cost: 1 call for the path; 4 for a directory of up to about 2,000 entries, and 1 more with a
 * flag; none for an entry where listings include kinds.
 *
 * Returns 1, or 0 at the end. The next call continues after `CURT_E_OS`, `CURT_E_LOOP` (the
 * directory is one of its own ancestors), `CURT_E_REPLACED` and `CURT_E_OTHER`. A loop must end at
 * `CURT_E_ARGUMENT`, which changes nothing, and at `CURT_E_INTERNAL`.
 */
CURT_API int32_t curt_tree_next(curt_tree *walk, curt_tree_entry *entry, curt_error **error);

/** Skips everything below the current entry, which need not be a directory. No call. */
CURT_API int32_t curt_tree_prune(curt_tree *walk);

/** Closes a walk at any time. */
CURT_API void curt_tree_close(curt_tree *walk);

/* ---- Metadata of one path, and its fields ----
 *
 *     curt_metadata about;
 *     if (curt_stat(curt_z("tree/file"), CURT_FIELD_SIZE, 0, &about, sizeof about, NULL) == 0 &&
 *         about.known & CURT_FIELD_SIZE)
 *         printf("%lu bytes\n", (unsigned long)about.length);
 */

/** The kind: `CURT_KIND_…`. */
#define CURT_FIELD_KIND (1 << 0)
/** The length in bytes. */
#define CURT_FIELD_SIZE (1 << 1)
/** The allocated bytes. */
#define CURT_FIELD_ALLOCATED (1 << 2)
/** The time of the last write. */
#define CURT_FIELD_MODIFIED (1 << 3)
/** The time of the last access. */
#define CURT_FIELD_ACCESSED (1 << 4)
/** The time of the last change of content or metadata. */
#define CURT_FIELD_CHANGED (1 << 5)
/** The time of creation. */
#define CURT_FIELD_CREATED (1 << 6)
/** The POSIX file type and permission bits. */
#define CURT_FIELD_MODE (1 << 7)
/** The number of hard links. */
#define CURT_FIELD_LINKS (1 << 8)
/**
 * The inode number, or file id. On Unix a listing has that of the directory below a mount;
 * `CURT_EXACT` gets that of the mounted root.
 */
#define CURT_FIELD_ID (1 << 9)
/** The number of the file system or volume. */
#define CURT_FIELD_DEVICE (1 << 10)
/** The user id of the owner. */
#define CURT_FIELD_USER_ID (1 << 11)
/** The group id. */
#define CURT_FIELD_GROUP_ID (1 << 12)
/** `FILE_ATTRIBUTE_…`, or `STATX_ATTR_…`. */
#define CURT_FIELD_ATTRIBUTES (1 << 13)
/** The number of a device file. */
#define CURT_FIELD_DEVICE_NUMBER (1 << 14)
/** The preferred block size for I/O. */
#define CURT_FIELD_BLOCK_SIZE (1 << 15)
/** The target of a link. 1 more call per link, on Windows 3. */
#define CURT_FIELD_TARGET (1 << 16)
/** The name of the owner, looked up once per owner; on Windows 3 more calls per entry. */
#define CURT_FIELD_USER (1 << 17)
/** The name of the group, looked up once per group; on Windows together with the owner. */
#define CURT_FIELD_GROUP (1 << 18)

/** Gets the metadata of the target of a link, or of the link itself if it is broken. */
#define CURT_FOLLOW 1

/**
 * Queries every entry, even if the listing has the metadata. On Windows a listing may be out of
 * date while a file is open for writing, or after a write through another hard link.
 */
#define CURT_EXACT 2

/** Not known. */
#define CURT_KIND_UNKNOWN 0
/** A regular file. */
#define CURT_KIND_FILE 1
/** A directory. */
#define CURT_KIND_DIRECTORY 2
/** A symlink. */
#define CURT_KIND_SYMLINK 3
/** A named pipe. */
#define CURT_KIND_FIFO 4
/** A socket. */
#define CURT_KIND_SOCKET 5
/** A character device. */
#define CURT_KIND_CHARACTER_DEVICE 6
/** A block device. */
#define CURT_KIND_BLOCK_DEVICE 7
/** Windows: a junction, or without `CURT_FIELD_TARGET` also a mounted volume. */
#define CURT_KIND_JUNCTION 8
/** Windows: a directory on which a volume is mounted. */
#define CURT_KIND_VOLUME_MOUNT 9
/** Windows: an app execution alias from the Store. */
#define CURT_KIND_APP_EXEC_LINK 10
/** Windows: a symlink of its Subsystem for Linux. */
#define CURT_KIND_WSL_SYMLINK 11
/** Windows: another reparse point that stands for a file. */
#define CURT_KIND_REPARSE 12
/** A marker in a union file system that hides an entry of a lower layer. */
#define CURT_KIND_WHITEOUT 13

/** A point in time. */
typedef struct {
  /** Since 1970-01-01 00:00:00 UTC, rounded down; negative for earlier times. */
  int64_t seconds;
  /** Below 1,000,000,000. */
  uint32_t nanoseconds;
  /** 0. */
  uint32_t reserved;
} curt_time;

/**
 * Always has `known`, `failed`, `result`, `os_error` and `kind`. Other members are unchanged
 * unless `known` has their field. A requested field in neither `known` nor `failed` does not
 * exist: the file system does not have it, or it is the target of an entry that is not a link.
 */
typedef struct {
  /** The fields with a value below. */
  uint32_t known;
  /** The fields that could not be queried. */
  uint32_t failed;
  /** Why the first of these failed: `CURT_E_…`, or 0. */
  int32_t result;
  /** The number of that failure, as in `curt_error_info`. */
  int32_t os_error;
  /** `CURT_KIND_…`; `CURT_KIND_UNKNOWN` if not in `known`. */
  uint32_t kind;
  /** `CURT_FIELD_MODE`. */
  uint32_t mode;
  /** `CURT_FIELD_USER_ID`. */
  uint32_t user_id;
  /** `CURT_FIELD_GROUP_ID`. */
  uint32_t group_id;
  /** `CURT_FIELD_SIZE`, in bytes. */
  uint64_t length;
  /** `CURT_FIELD_ALLOCATED`, in bytes. */
  uint64_t allocated;
  /** `CURT_FIELD_LINKS`. */
  uint64_t links;
  /** `CURT_FIELD_DEVICE`. */
  uint64_t device;
  /** `CURT_FIELD_DEVICE_NUMBER`. */
  uint64_t device_number;
  /** `CURT_FIELD_BLOCK_SIZE`, in bytes. */
  uint64_t block_size;
  /** `CURT_FIELD_ATTRIBUTES`. */
  uint64_t attributes;
  /** `CURT_FIELD_ID`: low half, then high half, which is 0 on most file systems. */
  uint64_t id[2];
  /** `CURT_FIELD_MODIFIED`. */
  curt_time modified;
  /** `CURT_FIELD_ACCESSED`. */
  curt_time accessed;
  /** `CURT_FIELD_CHANGED`. */
  curt_time changed;
  /** `CURT_FIELD_CREATED`. */
  curt_time created;
  /**
   * `CURT_FIELD_TARGET`, as stored in the link. This text and the next two live as long as the
   * name of the entry.
   */
  curt_str target;
  /** `CURT_FIELD_USER`. */
  curt_str user;
  /** `CURT_FIELD_GROUP`. */
  curt_str group;
} curt_metadata;

/**
 * Gets `fields` of a path, except `CURT_FIELD_TARGET`, `CURT_FIELD_USER` and `CURT_FIELD_GROUP`,
 * whose texts need a handle. Without fields, checks whether the path exists. `flags`:
 * `CURT_FOLLOW`; `CURT_EXACT` changes nothing here. `metadata_size` is `sizeof(curt_metadata)`.
 * After a failure `metadata` is unchanged.
 *
 * Cost: 1 call. On Windows 3 to follow a link, and on volumes that cannot answer by name.
 */
CURT_API
int32_t curt_stat(curt_str path,
                  uint32_t fields,
                  uint32_t flags,
                  curt_metadata *metadata,
                  size_t metadata_size,
                  curt_error **error);

/* ---- Listing a directory ----
 *
 * Entries come in batches, in the system's order, without `.` and `..`.
 *
 *     curt_dir *dir;
 *     curt_entry entries[64];
 *     int32_t count, i;
 *     if (curt_dir_open(curt_z("tree"), CURT_FIELD_KIND, 0, &dir, NULL) == 0) {
 *         while ((count = curt_dir_next(dir, entries, sizeof *entries, 64, NULL)) > 0)
 *             for (i = 0; i < count; i++)
 *                 puts(entries[i].name.ptr);
 *         curt_dir_close(dir);
 *     }
 */

/** An open directory. */
typedef struct curt_dir curt_dir;

/** An entry of a directory. */
typedef struct {
  /** Its name. */
  curt_str name;
  /** Its metadata. */
  curt_metadata metadata;
} curt_entry;

/**
 * Opens a directory, whose entries get these `fields` (`CURT_FIELD_…`; 0 for names only) by these
 * `flags` (`CURT_FOLLOW`, `CURT_EXACT`). Symlinks in the path are followed. 1 call, on Windows 2.
 */
CURT_API
int32_t curt_dir_open(curt_str path,
                      uint32_t fields,
                      uint32_t flags,
                      curt_dir **dir,
                      curt_error **error);

/**
 * Reads up to `capacity` entries, which must not be 0. `entry_size` is `sizeof(curt_entry)`. Names
 * and texts live until the next call with this handle. An entry that cannot be queried, or has
 * vanished meanwhile, has `failed` fields; the function does not fail for it.
 *
 * Cost: 1 call for each 64 KiB of entries (about 2,000), later 1 MiB, and 1 at the end. Names and
 * kinds are free, as are sizes, times and attributes on Windows. Otherwise 1 call per entry gets
 * everything that `stat(2)` returns; targets and names of owners cost more.
 *
 * Returns the number of entries, usually fewer than `capacity`, and 0 at the end and after a
 * failure.
 */
CURT_API
int32_t curt_dir_next(curt_dir *dir,
                      curt_entry *entries,
                      size_t entry_size,
                      size_t capacity,
                      curt_error **error);

/** Closes a directory. 1 call. */
CURT_API void curt_dir_close(curt_dir *dir);

/* ---- Measuring trees ----
 *
 *     curt_str path = curt_z("tree");
 *     curt_totals totals = CURT_TOTALS_INIT;
 *     if (curt_usage(&path, 1, 0, NULL, &totals, NULL) == 0)
 *         printf("%lu bytes\n", (unsigned long)totals.allocated);
 */

/** Disk usage. */
typedef struct {
  /** Its size. */
  size_t size;
  /** Entries, including directories. */
  uint64_t entries;
  /** Readable bytes: the lengths of files and of link targets. */
  uint64_t apparent;
  /** Allocated bytes, including those of directories. */
  uint64_t allocated;
  /** Entries of unknown size, which the sums do not include. */
  uint64_t unknown;
  /** Failures. */
  uint64_t errors;
} curt_totals;
#define CURT_TOTALS_INIT \
  { sizeof(curt_totals), 0, 0, 0, 0, 0 }

/**
 * Adds up the space of `count` trees. A file with several hard links, or reached through two of
 * the paths, counts once. `flags`: `CURT_TREE_FOLLOW` (otherwise no link is followed),
 * `CURT_TREE_SAME_FILE_SYSTEM` (no extra call), `CURT_TREE_COUNT_LINKS`. The sums do not depend on
 * the number of threads.
 *
 * Continues after a failure. Returns 0, the result of the first failure, which `error` describes,
 * or `CURT_E_STOPPED`; `totals` always has everything counted so far.
 *
 * Cost: 1 call per entry and 4 more per directory; on Windows none per entry with
 * `CURT_TREE_COUNT_LINKS`. `CURT_TREE_FOLLOW` without `CURT_TREE_COUNT_LINKS` always uses one
 * thread.
 */
CURT_API
int32_t curt_usage(const curt_str *paths,
                   size_t count,
                   uint32_t flags,
                   const curt_control *control,
                   curt_totals *totals,
                   curt_error **error);

/* ---- Finding programs ----
 *
 *     char path[4096];
 *     curt_search_options options = CURT_SEARCH_OPTIONS_INIT;
 *     options.flags = CURT_SEARCH_ENVIRONMENT;
 *     if (curt_find_once(&options, curt_z("sh"), path, sizeof path, NULL, NULL) > 0)
 *         puts(path);
 */

/** `cmd.exe` or `execvp`, except that the working directory is searched only if `PATH` names it. */
#define CURT_POLICY_NATIVE 0
/** `execvp` of the C library. */
#define CURT_POLICY_POSIX 1
/** `cmd.exe`: the working directory first, then `PATH`. */
#define CURT_POLICY_CMD 2
/** Python's `shutil.which`. */
#define CURT_POLICY_CPYTHON 3
/** Go's `exec.LookPath`. */
#define CURT_POLICY_GO 4
/** libuv on Windows: `.com`, then `.exe`. */
#define CURT_POLICY_LIBUV 5
/** Node's `child_process`: libuv on Windows, `execvp` elsewhere. */
#define CURT_POLICY_NODE 6
/** Zig's `std.process`. */
#define CURT_POLICY_ZIG 7

/**
 * Takes unset options from this process: `PATH`, `PATHEXT`, the working directory, and on Windows
 * `NoDefaultCurrentDirectoryInExePath`.
 */
#define CURT_SEARCH_ENVIRONMENT 1
/** Applies the POSIX rules of the policy, if it has any. Default: the rules of this system. */
#define CURT_SEARCH_POSIX 2
/** Applies the Windows rules of the policy, if it has any. */
#define CURT_SEARCH_WINDOWS 4

/**
 * By default nothing is read from the process, not even `PATH`. The texts are copied; one with a
 * NULL pointer is unset.
 */
typedef struct {
  /** Its size. */
  size_t size;
  /** `CURT_POLICY_…`. One without rules for the chosen system uses those for the other. */
  uint32_t policy;
  /** `CURT_SEARCH_…`. */
  uint32_t flags;
  /**
   * `PATH`, separated by `:`, or by `;` under Windows rules. Unset, it has no entries; some
   * policies have a default under POSIX rules.
   */
  curt_str path;
  /** `PATHEXT`, for Windows rules. Unset, the policy's default applies. */
  curt_str pathext;
  /**
   * The start of relative names and entries, and the working directory of policies that search
   * it. If relative, it starts at the real one. Unset, relative names and entries are not found.
   */
  curt_str base;
} curt_search_options;
#define CURT_SEARCH_OPTIONS_INIT \
  { sizeof(curt_search_options), 0, 0, { NULL, 0 }, { NULL, 0 }, { NULL, 0 } }

/** An executable file; its contents were not read. */
#define CURT_PROGRAM_EXECUTABLE 0
/** An image that Windows runs directly, judged by its extension. */
#define CURT_PROGRAM_IMAGE 1
/** A batch file, judged by its extension; `cmd.exe` runs it. Quote its arguments with care. */
#define CURT_PROGRAM_BATCH 2
/** A file opened by the program registered for its extension. */
#define CURT_PROGRAM_ASSOCIATION 3

/** An entry of `PATH`. */
#define CURT_ORIGIN_PATH 0
/** The working directory, searched by the policy. */
#define CURT_ORIGIN_CWD 1
/** The directory part of the name. */
#define CURT_ORIGIN_GIVEN 2

/** A program found. */
typedef struct {
  /** Its size. */
  size_t size;
  /** How it starts: `CURT_PROGRAM_…`. */
  uint32_t program;
  /** Where it was found: `CURT_ORIGIN_…`. */
  uint32_t origin;
  /** The index of the `PATH` entry, counting empty entries; 0 for other origins. */
  size_t entry;
  /**
   * 1 if its directory came from a relative path or from the policy, so that the same search may
   * find another program from another directory; else 0.
   */
  uint32_t relative;
  /** 0. */
  uint32_t reserved;
} curt_found;
#define CURT_FOUND_INIT \
  { sizeof(curt_found), 0, 0, 0, 0, 0 }

/** A search for many names. Threads may share it. */
typedef struct curt_search curt_search;

/**
 * Prepares a search. No call. The first look-up splits `PATH`; the entries are kept, and with
 * `CURT_SEARCH_ENVIRONMENT` also the environment and working directory of that moment. Contents of
 * directories are not cached.
 */
CURT_API
int32_t curt_search_open(const curt_search_options *options,
                         curt_search **search,
                         curt_error **error);

/**
 * Finds the first program of this name and writes its path into `buffer`. `found` may be NULL. A
 * name that is a path is not looked up in `PATH`. If the buffer is too small, another call
 * searches again.
 *
 * Cost on Linux: 1 call per `PATH` entry searched, and 2 for the one with the program. On Windows,
 * with k candidates (the name with each extension): at most k for an entry if k is 1 or 2,
 * otherwise 3, and 4 for the one with the program; at most 5 + k if more names share the
 * candidates' prefix than one listing holds.
 *
 * Fails with `CURT_E_FIND_…`; the path in the error is the culprit.
 */
CURT_API
ptrdiff_t curt_search_find(const curt_search *search,
                           curt_str name,
                           curt_char *buffer,
                           size_t capacity,
                           curt_found *found,
                           curt_error **error);

/**
 * Calls `each` for every program of this name, best first. The path and `found` live until `each`
 * returns; any result but 0 ends the search. `each` may use the search for other names, and must
 * not close it.
 *
 * Cost: as for `curt_search_find`, for each `PATH` entry.
 *
 * Returns the number of programs, or the first failure: `CURT_E_FIND_…` if there is no program,
 * `CURT_E_OS` if an entry could not be searched, `CURT_E_STOPPED` if `each` ended the search.
 */
CURT_API
int32_t curt_search_all(const curt_search *search,
                        curt_str name,
                        int (*each)(void *context, curt_str path, const curt_found *found),
                        void *context,
                        curt_error **error);

/** Closes a search. */
CURT_API void curt_search_close(curt_search *search);

/**
 * Does the same as `curt_search_find` with a search of these options, which is closed again. No
 * memory remains allocated.
 */
CURT_API
ptrdiff_t curt_find_once(const curt_search_options *options,
                         curt_str name,
                         curt_char *buffer,
                         size_t capacity,
                         curt_found *found,
                         curt_error **error);

/* ---- Opening untrusted paths beneath a directory ----
 *
 *     curt_root *root;
 *     curt_fd file;
 *     if (curt_root_open(curt_z("tree"), 0, &root, NULL) == 0) {
 *         if (curt_root_open_file(root, curt_z("../x"), NULL, &file, NULL) == CURT_E_REFUSED_ESCAPE)
 *             puts("refused");
 *         curt_root_close(root);
 *     }
 */

/**
 * Resolves paths as after `chroot`: absolute paths and links start at the root, and `..` stops
 * there. Default: they are refused if they leave it.
 */
#define CURT_ROOT_IN_ROOT 1
/** Also refuses links, and every spelling that means another name on some system. */
#define CURT_ROOT_STRICT 2

/** For reading. */
#define CURT_OPEN_READ 1
/** For writing. */
#define CURT_OPEN_WRITE 2
/** For writing, always at the end. */
#define CURT_OPEN_APPEND 4
/** Truncates an existing file. */
#define CURT_OPEN_TRUNCATE 8
/** Creates a missing file. */
#define CURT_OPEN_CREATE 16
/** Creates the file, which must not exist. */
#define CURT_OPEN_CREATE_NEW 32
/** Fails if the last name is a symlink. Default: it is followed within the root. */
#define CURT_OPEN_NO_FOLLOW 64
/** `O_NONBLOCK`: neither opening a FIFO nor reading from it waits. */
#define CURT_OPEN_NONBLOCKING 128
/** Only opening does not wait. 1 more call on Unix. */
#define CURT_OPEN_NONBLOCKING_OPEN 256
/**
 * Opens with `system_flags`, and a `mode` of 0 means 0. Of the other flags only
 * `CURT_OPEN_NONBLOCKING_OPEN` is allowed.
 */
#define CURT_OPEN_SYSTEM 512

/** A directory that confines the paths opened beneath it. Threads may share it. */
typedef struct curt_root curt_root;

/** By default for reading. */
typedef struct {
  /** Its size. */
  size_t size;
  /** `CURT_OPEN_…`, with at least one of READ, WRITE, APPEND and SYSTEM. */
  uint32_t flags;
  /** Permissions of a new file, before the umask. 0 means 0666. */
  uint32_t mode;
  /**
   * 0, or with `CURT_OPEN_SYSTEM` flags of `open(2)`, on Windows of `_open`; the system
   * validates them. `O_PATH`, `O_DIRECTORY` and `O_TMPFILE` are errors, because only files can
   * be opened.
   */
  int32_t system_flags;
  /** 0. */
  uint32_t reserved;
} curt_open_options;
#define CURT_OPEN_OPTIONS_INIT \
  { sizeof(curt_open_options), 0, 0, 0, 0 }

/**
 * Opens a directory as a root, with `CURT_ROOT_…`. Symlinks in `path` are followed. 1 call, on
 * Windows 2.
 */
CURT_API
int32_t curt_root_open(curt_str path,
                       uint32_t flags,
                       curt_root **root,
                       curt_error **error);

/**
 * Opens a file by an untrusted path, safely against concurrent renames and link swaps. The caller
 * closes `opened`, the descriptor or handle, which child programs do not inherit. NULL as
 * `options` opens for reading.
 *
 * The name can be that of a FIFO or a device, and on Unix of a directory: check the type before
 * use. Opening a FIFO waits for its other end. Where others can create files, set
 * `CURT_OPEN_NONBLOCKING` or `CURT_OPEN_NONBLOCKING_OPEN`.
 *
 * Fails with `CURT_E_REFUSED_…` if the path or a link in it leaves the root, and with
 * `CURT_E_ARGUMENT` also for contradictory flags. 1 call on Linux; 2 per name without
 * `openat2(2)`.
 */
CURT_API
int32_t curt_root_open_file(const curt_root *root,
                            curt_str path,
                            const curt_open_options *options,
                            curt_fd *opened,
                            curt_error **error);

/** Closes a root. Files opened beneath it remain open. */
CURT_API void curt_root_close(curt_root *root);

/* ---- Canonical paths ----
 *
 *     char path[4096];
 *     ptrdiff_t length = curt_canonical(curt_z("tree/sub/.."), 0, path, sizeof path, NULL);
 *     if (length >= 0 && (size_t)length < sizeof path)
 *         puts(path);
 */

/** The last name may be missing, as may the target of a final symlink. */
#define CURT_CANONICAL_MISSING_LAST 1
/** Any name may be missing, and names before others need not be directories. */
#define CURT_CANONICAL_MISSING_ANY 2
/** The path must exist, and on Unix go through at most 40 symlinks, as for `realpath(3)`. */
#define CURT_CANONICAL_FEW_LINKS 3

/**
 * Writes the canonical path: absolute, without symlinks, `.` and `..`. `flags` is 0, for an
 * existing path, or one of `CURT_CANONICAL_…`. On Unix the result is that of GNU `realpath`; on
 * Windows names are spelled as on disk, and `\\?\` is left out where the path means the same
 * without it.
 *
 * The path may be outdated as soon as it is returned. It is for display: open untrusted paths with
 * `curt_root_open_file`.
 *
 * Cost on Linux: 5 calls, also for the length alone; 7 if the last name is missing, and 1 per name
 * if others are.
 */
CURT_API
ptrdiff_t curt_canonical(curt_str path,
                         uint32_t flags,
                         curt_char *buffer,
                         size_t capacity,
                         curt_error **error);

/* ---- Finding files in many directories ----
 *
 *     char path[4096];
 *     curt_lookup *lookup;
 *     curt_str roots[] = { curt_z("tree/sub"), curt_z("tree") };
 *     curt_str extension = curt_z(".txt");
 *     if (curt_lookup_open(roots, 2, 0, &lookup, NULL) == 0) {
 *         if (curt_lookup_find(lookup, curt_z("note"), &extension, 1, path, sizeof path, NULL) > 0)
 *             puts(path);
 *         curt_lookup_close(lookup);
 *     }
 */

/**
 * Tries all extensions in the first root, then in the second, as Python and Node do. Default: the
 * first extension in all roots, then the second, as Ruby does.
 */
#define CURT_LOOKUP_ROOT_FIRST 1

/** Root directories, and a cache of their contents. */
typedef struct curt_lookup curt_lookup;

/**
 * Prepares look-ups in these roots, in this order. No call. The texts are copied. A relative root
 * starts at the working directory of each look-up. `flags` is `CURT_LOOKUP_…` or 0.
 */
CURT_API
int32_t curt_lookup_open(const curt_str *roots,
                         size_t count,
                         uint32_t flags,
                         curt_lookup **lookup,
                         curt_error **error);

/** Replaces the roots, and keeps the cache of those that remain. No call. */
CURT_API
int32_t curt_lookup_set_roots(curt_lookup *lookup,
                              const curt_str *roots,
                              size_t count,
                              curt_error **error);

/**
 * Makes later look-ups check each directory for changes again. Otherwise each is queried once, and
 * later changes are missed. No call.
 */
CURT_API int32_t curt_lookup_revalidate(curt_lookup *lookup);

/**
 * Finds the first file with this name and one of the extensions, and writes its path: root, name
 * and extension, each as given. The file may be anything but a directory. An extension may be
 * empty. Returns 0 if no root has the file.
 *
 * Cost after `curt_lookup_revalidate`: 1 call per root up to the one with the file. On Linux 4
 * more for a directory that is new or has changed; 1 more for a link.
 */
CURT_API
ptrdiff_t curt_lookup_find(curt_lookup *lookup,
                           curt_str name,
                           const curt_str *extensions,
                           size_t count,
                           curt_char *buffer,
                           size_t capacity,
                           curt_error **error);

/** Closes the object. */
CURT_API void curt_lookup_close(curt_lookup *lookup);

/* ---- Expanding paths ----
 *
 * Full paths are computed from the text alone. Nothing is checked: open untrusted paths with
 * `curt_root_open_file`.
 *
 *     char path[4096];
 *     curt_expander *expander;
 *     curt_expand_options options = CURT_EXPAND_OPTIONS_INIT;
 *     options.flags = CURT_EXPAND_ENVIRONMENT;
 *     if (curt_expander_open(&options, &expander, NULL) == 0) {
 *         if (curt_expand_bytes(expander, "a/../b", 6, path, sizeof path) > 0)
 *             puts(path);
 *         curt_expander_close(expander);
 *     }
 */

/** Paths of the current system. */
#define CURT_FLAVOR_NATIVE 0
/** POSIX paths. */
#define CURT_FLAVOR_POSIX 1
/** Windows paths. */
#define CURT_FLAVOR_WINDOWS 2

/** `GetFullPathNameW` on Windows; on POSIX, names are joined, and `.` and repeated slashes removed. */
#define CURT_STYLE_NATIVE 0
/**
 * Ruby's `File.absolute_path`, or `File.expand_path` with `CURT_EXPAND_TILDE`: trailing separators
 * are dropped, and Windows paths are written with slashes.
 */
#define CURT_STYLE_RUBY 1

/**
 * Keeps `..` in POSIX paths of the native style, because the name before it may be a symlink;
 * otherwise clamps it.
 */
#define CURT_DOT_DOT_DEFAULT 0
/** Keeps `..`. */
#define CURT_DOT_DOT_KEEP 1
/** Removes `..` and the name before it; at the root, `..` alone. */
#define CURT_DOT_DOT_CLAMP 2
/** The same, but `..` at the root is an error. */
#define CURT_DOT_DOT_REFUSE 3

/**
 * Takes unset options from this process. The working directory, also of other drives, is read
 * once, when first needed: after `chdir(2)`, open another expander. The home directory comes from
 * the system's variables; `~user`, and `~` without `HOME`, query the user database each time.
 * Without this flag the process is not queried, and the rules are those of Windows 11 instead of
 * the running release.
 */
#define CURT_EXPAND_ENVIRONMENT 1
/** Expands a leading `~` to a home directory. */
#define CURT_EXPAND_TILDE 2
/**
 * Expands Windows paths with the prefix `\\?\` like others, as `GetFullPathNameW` does. Default:
 * unchanged, because Windows takes them literally.
 */
#define CURT_EXPAND_VERBATIM 4

/** The texts are copied; NULL means unset. */
typedef struct {
  /** Its size. */
  size_t size;
  /** `CURT_FLAVOR_…`. Each works on every system. */
  uint32_t flavor;
  /** `CURT_STYLE_…`. */
  uint32_t style;
  /** `CURT_DOT_DOT_…`. */
  uint32_t dot_dot;
  /** `CURT_EXPAND_…`. */
  uint32_t flags;
  /** Bytes per unit of the texts below: 1, or 2 for UTF-16. May be 0 if all are NULL. */
  uint32_t width;
  /** 0. */
  uint32_t reserved;
  /** The start of relative paths instead of the working directory. If relative, it starts there. */
  const void *base;
  /** In units. */
  size_t base_len;
  /**
   * The working directory, a full path of this flavor. Unset, relative paths are
   * `CURT_E_EXPAND_NO_START`.
   */
  const void *cwd;
  /** In units. */
  size_t cwd_len;
  /** The home directory, a full path. */
  const void *home;
  /** In units. */
  size_t home_len;
} curt_expand_options;
#define CURT_EXPAND_OPTIONS_INIT \
  { sizeof(curt_expand_options), 0, 0, 0, 0, 0, 0, NULL, 0, NULL, 0, NULL, 0 }

/** Expands paths. Threads may share it. */
typedef struct curt_expander curt_expander;

/** Makes an expander. No call. */
CURT_API
int32_t curt_expander_open(const curt_expand_options *options,
                           curt_expander **expander,
                           curt_error **error);

/**
 * Writes the full path of a text into `buffer`, which must not overlap it. Units that are not
 * valid Unicode are preserved. No call, except for `CURT_EXPAND_ENVIRONMENT`; a path that is
 * already full and clean allocates no memory. Fails with `CURT_E_EXPAND_…`.
 */
CURT_API
ptrdiff_t curt_expand_bytes(const curt_expander *expander,
                            const char *text,
                            size_t len,
                            char *buffer,
                            size_t capacity);

/** The same for UTF-16, on any system. The texts in the options may have another width. */
CURT_API
ptrdiff_t curt_expand_units(const curt_expander *expander,
                            const uint16_t *text,
                            size_t len,
                            uint16_t *buffer,
                            size_t capacity);

/** Closes an expander. */
CURT_API void curt_expander_close(curt_expander *expander);

/* ---- Results, and the version of the library ----
 *
 *     puts(curt_text(CURT_E_FIND_NOT_FOUND));
 */

/** A system call failed. The error has its number. */
#define CURT_E_OS (-1)
/**
 * A wrong argument: NULL, misaligned, a text with a NUL, or a size or flag unknown to this
 * version.
 */
#define CURT_E_ARGUMENT (-2)
/** `cancel`, `poll` or a callback stopped the work. */
#define CURT_E_STOPPED (-3)
/** Another entry has taken this name meanwhile. */
#define CURT_E_REPLACED (-4)
/** A link or a mount leads back to this directory, one of its own ancestors. */
#define CURT_E_LOOP (-5)
/** A bug in curt, which the error names; the files are left as they were at that moment. */
#define CURT_E_INTERNAL (-6)
/**
 * Not supported by the system, a failure without a number, or a refusal unknown to this version.
 * The error has the reason.
 */
#define CURT_E_OTHER (-7)
/** Not removed: a mount point, and crossing mounts was not requested. */
#define CURT_E_KEPT_MOUNT_POINT (-20)
/** Not removed: other processes kept adding entries to the directory. */
#define CURT_E_KEPT_BEING_WRITTEN_TO (-21)
/** Not removed: the path ends in `.` or `..`. */
#define CURT_E_KEPT_DOT (-22)
/** Not removed: the root directory. */
#define CURT_E_KEPT_ROOT (-23)
/** Not removed: on another file system than its parent. */
#define CURT_E_KEPT_OTHER_FILE_SYSTEM (-24)
/** Not removed: a directory, and the options refuse directories. */
#define CURT_E_KEPT_DIRECTORY (-25)
/** Not removed: a link where a directory is required. */
#define CURT_E_KEPT_LINK (-26)
/** No searched directory has the program. */
#define CURT_E_FIND_NOT_FOUND (-40)
/** Only the working directory has the program, and it is not searched. */
#define CURT_E_FIND_ONLY_IN_CWD (-41)
/** Only a directory or a non-executable file has this name. */
#define CURT_E_FIND_NOT_EXECUTABLE (-42)
/** The name cannot be that of a program. */
#define CURT_E_FIND_INVALID_NAME (-43)
/** The name or path is too long for the system. */
#define CURT_E_FIND_NAME_TOO_LONG (-44)
/** The path of the program is a symlink loop. */
#define CURT_E_FIND_LINK_LOOP (-45)
/** The program was found through a relative path, which the policy refuses. */
#define CURT_E_FIND_RELATIVE (-46)
/** The base directory does not exist. */
#define CURT_E_FIND_NO_BASE (-47)
/** Permission to search a directory was denied. */
#define CURT_E_FIND_DENIED (-48)
/** Refused: the path is empty. */
#define CURT_E_REFUSED_EMPTY (-60)
/** Refused: the path contains a NUL. */
#define CURT_E_REFUSED_NUL (-61)
/** Refused: the path is not valid text. */
#define CURT_E_REFUSED_ENCODING (-62)
/** Refused: the path names a device. */
#define CURT_E_REFUSED_DEVICE (-63)
/** Refused: the path is absolute. */
#define CURT_E_REFUSED_ABSOLUTE (-64)
/** Refused: the path names a drive. */
#define CURT_E_REFUSED_DRIVE (-65)
/** Refused: the path names a stream of a file. */
#define CURT_E_REFUSED_STREAM (-66)
/** Refused: the path has a character that is not allowed in names. */
#define CURT_E_REFUSED_CHARACTER (-67)
/** Refused: the path leaves the root. */
#define CURT_E_REFUSED_ESCAPE (-68)
/** Refused: a name ends in dots or spaces. */
#define CURT_E_REFUSED_TRAILING (-69)
/** Refused: a name looks like the short name of another file. */
#define CURT_E_REFUSED_SHORT_NAME (-70)
/** Refused: the path goes through a link. */
#define CURT_E_REFUSED_LINK (-71)
/** Not expanded: the path is empty. */
#define CURT_E_EXPAND_EMPTY (-80)
/** Not expanded: the path contains a NUL. */
#define CURT_E_EXPAND_NUL (-81)
/** Not expanded: the home directory is unknown. */
#define CURT_E_EXPAND_NO_HOME (-82)
/** Not expanded: the home directory is not a full path. */
#define CURT_E_EXPAND_HOME_RELATIVE (-83)
/** Not expanded: there is no such user. */
#define CURT_E_EXPAND_NO_USER (-84)
/** Not expanded: the path is too long. */
#define CURT_E_EXPAND_TOO_LONG (-85)
/** Not expanded: `..` goes beyond the root. */
#define CURT_E_EXPAND_ESCAPE (-86)
/** Not expanded: the starting directory of the path is unknown. */
#define CURT_E_EXPAND_NO_START (-87)
/** Not expanded: UTF-16 cannot be joined to bytes that are not Unicode. */
#define CURT_E_EXPAND_ENCODING (-88)

/** Rises when functions or fields are added; none are ever removed. */
#define CURT_ABI 1

/**
 * Returns an English text for any result, also that of metadata; "done" if it is not negative.
 * Never NULL; lives as long as the library. Prefer the text of an error, which has the path and
 * the system's reason.
 */
CURT_API const char *curt_text(int32_t result);

/**
 * Returns the `CURT_ABI` of the loaded library. Compare it with yours after `dlopen`; a larger
 * number is fine.
 */
CURT_API uint32_t curt_abi(void);

#ifdef __cplusplus
}
#endif

#endif /* CURT_H */
