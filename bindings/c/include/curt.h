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
 * copy trees                            curt_copy
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
 * Results. A function returns 0, a count or a length, or a negative CURT_E_… on failure. It sets
 * `*error` to NULL on success, and to an object with the details on failure; `error` may be NULL.
 * Each class of results, including future ones, has a range: -1 to -19 general, -20 to -39 KEPT,
 * -40 to -59 FIND, -60 to -79 REFUSED, -80 to -99 EXPAND, -100 to -119 COPY. Costs are numbers of
 * system calls.
 *
 * Objects. A function …_open sets its object, or sets it to NULL on failure. Free an object once
 * with …_close, and an error once with curt_error_free, when no thread uses it any more. NULL is
 * allowed. Free nothing else.
 *
 * Pointers. A pointer must be aligned, must point to as many elements as its length or capacity
 * says, and must not be NULL, except for `error`, options and control, and where documented. NULL
 * as options or control means all zero. Detectable mistakes return CURT_E_ARGUMENT. The library
 * uses the caller's memory only until the function returns, unless documented otherwise.
 *
 * Texts are bytes on Unix and UTF-16 on Windows (L"tree" in the examples), and need not be valid
 * Unicode. A text has a length and contains no NUL, but a NUL follows each text from the library. A
 * function that writes a text into a buffer adds a NUL, and returns the length without it. A result
 * >= capacity means that the buffer was not written: repeat the call with a capacity of the length
 * plus one. NULL with capacity 0 queries the length.
 *
 * Structs that begin with `size` may gain fields at their end. Initialize them with CURT_…_INIT,
 * which sets the size and zeros the rest, so that programs and libraries of different versions work
 * together. Other structs are passed with their `sizeof` for the same reason. `reserved` must be 0.
 * `flags` and `fields`, as parameters and in structs, combine constants of one prefix with `|`.
 *
 * Threads. Any thread may call any function. Threads may use an object one at a time, or at once if
 * it is documented as shared. The library starts threads only if curt_control requests them, and
 * joins them before it returns. A calling thread needs 64 KiB of stack.
 *
 * Callbacks get their `context`, run on the caller's thread, and must return: no longjmp, no
 * exception.
 *
 * Side effects. The library prints nothing, changes no signal handler or mask, and reads the
 * environment only if a flag requests it. Its functions are not async-signal-safe, but a signal
 * handler can stop work through the `int` of curt_control. A failed allocation ends the process as
 * abort() does, without a message or a result. Use a child process if yours must survive.
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
/** A code unit of a path: a byte. */
typedef char curt_char;
#endif

#if defined(_WIN32)
/** A code unit of a path in UTF-16. */
typedef uint16_t curt_char;
#endif

/** A path or a name, exactly as the system stores it. */
typedef struct {
  /** The first code unit. Can be NULL if `len` is 0. */
  const curt_char *ptr;
  /** The length in code units, not counting a NUL after the text. */
  size_t len;
} curt_str;

/** Returns the text up to its NUL, or an empty text for NULL. */
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

/* ---- Why a function failed ----
 *
 *     curt_error *error;
 *     if (curt_remove(CURT_CWD, curt_z("missing"), NULL, NULL, NULL, &error) < 0) {
 *         curt_error_info info = CURT_ERROR_INFO_INIT;
 *         curt_error_get(error, &info);
 *         puts(info.text);
 *         curt_error_free(error);
 *     }
 */

/** A failure. It is immutable, so threads may share it. */
typedef struct curt_error curt_error;

/** The contents of an error. The texts live as long as the error. */
typedef struct {
  /** Size of this struct. */
  size_t size;
  /** `CURT_E_…`. */
  int32_t result;
  /**
   * `errno`, or `GetLastError` on Windows. If curt itself refused, the number that the system
   * would use, such as `EXDEV` for a path that leaves the root. 0 if no operation had begun.
   */
  int32_t os_error;
  /**
   * The failed operation in one word, such as `"remove"`, `"remove_file"`, `"remove_directory"`,
   * `"open_directory"`, `"read_directory"`, `"stat"`, `"read_link"`, `"open"`, `"canonicalize"`
   * or `"find"`. NULL if no operation had begun.
   */
  const char *operation;
  /**
   * The path given to the function, extended to the entry that failed; or empty. For a copy,
   * that of the source or of the destination, whichever failed.
   */
  curt_str path;
  /** A message in UTF-8 for people, with operation, path and cause. */
  const char *text;
  /** Bytes in `text`. */
  size_t text_len;
  /**
   * The cause in curt's words, or NULL if the system's text for `os_error` explains it. Append
   * it to a message that already has the system's text, such as an exception's.
   */
  const char *reason;
  /** The destination, if a copy to it was refused (`CURT_E_COPY_…`); or empty. */
  curt_str destination;
} curt_error_info;
#define CURT_ERROR_INFO_INIT \
  { sizeof(curt_error_info), 0, 0, NULL, { NULL, 0 }, NULL, 0, NULL, { NULL, 0 } }

/** Fills in `info`. Makes no system call. */
CURT_API int32_t curt_error_get(const curt_error *error, curt_error_info *info);

/** Frees an error. */
CURT_API void curt_error_free(curt_error *error);

/* ---- Threads, callbacks and cancellation of long work ----
 *
 *     static volatile int cancel;
 *     curt_control control = CURT_CONTROL_INIT;
 *     control.threads = CURT_THREADS_AUTOMATIC;
 *     control.cancel = &cancel;
 *     if (curt_remove(CURT_CWD, curt_z("tree"), NULL, &control, NULL, NULL) != CURT_E_STOPPED)
 *         puts("not cancelled");
 */

/** The maximum for `threads`. */
#define CURT_THREADS_MOST 1024
/** As many threads as make the work faster. */
#define CURT_THREADS_AUTOMATIC UINT32_MAX

/**
 * How to run long work. The default is one thread without callbacks. A callback stops the work by
 * returning anything but 0. The function then joins its threads, and returns `CURT_E_STOPPED` or
 * the result of an earlier failure.
 */
typedef struct {
  /** Size of this struct. */
  size_t size;
  /** The maximum number of threads, including the caller's; at most `CURT_THREADS_MOST`. */
  uint32_t threads;
  /** Must be 0. */
  uint32_t reserved;
  /**
   * NULL, or an `int` that a signal handler or another thread can set. Any value but 0 stops the
   * work within milliseconds, but does not interrupt a blocking system call. Stopping can take
   * half a second with an array of a million paths, or while `curt_usage` with
   * `CURT_TREE_FOLLOW` sorts a directory of a million entries.
   */
  const volatile int *cancel;
  /** NULL, or a callback that runs at the start and then every few milliseconds. */
  int (*poll)(void *context);
  /** NULL, or a callback for each failure. The error lives until the callback returns. */
  int (*on_error)(void *context, const curt_error *error);
  /** Passed to the callbacks. */
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
 * Accepts a missing path, as `rm -f` does. On Unix also accepts a path through a file (`file/`,
 * `file/x`), and does not remove the file.
 */
#define CURT_REMOVE_MISSING_OK 1
/** Empties mounts, too. The mount points remain and count as failures. */
#define CURT_REMOVE_CROSS_MOUNTS 2
/**
 * Gives the caller's own directories in the tree `u+rwx` where they refuse a step. Those that
 * remain get back their permissions, unless the process is killed.
 */
#define CURT_REMOVE_MAKE_WRITABLE 4
/** Uses `retries` and `retry_ms`. */
#define CURT_REMOVE_RETRIES 8

/** Removes directories with everything below them. */
#define CURT_DIRECTORIES_RECURSIVE 0
/** Like `CURT_DIRECTORIES_RECURSIVE`, but refuses anything else, even a link to a directory. */
#define CURT_DIRECTORIES_REQUIRED 1
/** Empties directories without removing them. Refuses anything else. */
#define CURT_DIRECTORIES_CONTENTS 2
/** Removes only empty directories, as `rmdir` does. */
#define CURT_DIRECTORIES_ONLY_EMPTY 3
/** Refuses directories, as `unlink` does. */
#define CURT_DIRECTORIES_REFUSE 4

/**
 * How to remove. By default a missing path fails, mounts are not crossed, and directories are
 * removed recursively.
 */
typedef struct {
  /** Size of this struct. */
  size_t size;
  /** `CURT_REMOVE_…`. */
  uint32_t flags;
  /** One of `CURT_DIRECTORIES_…`, for paths to directories. */
  uint32_t directories;
  /**
   * NULL, or a callback that gets the totals every few hundred entries, and at the end unless
   * the removal was stopped. Any result but 0 stops the removal. With several threads the totals
   * might repeat or decrease.
   */
  int (*on_progress)(void *context, uint64_t files, uint64_t directories);
  /** Passed to `exclude` and `on_progress`. */
  void *context;
  /**
   * NULL, or a callback that is asked for each entry below `path` and keeps it, with its
   * contents and parents, by any result but 0. `kind` is one of `CURT_KIND_…`.
   */
  int (*exclude)(void *context, curt_str path, uint32_t kind);
  /**
   * With `CURT_REMOVE_RETRIES`, how often a directory to which others add entries is emptied
   * again. By default 100 times.
   */
  uint32_t retries;
  /** With `CURT_REMOVE_RETRIES`, the milliseconds after which that ends. 0 stands for 1000. */
  uint32_t retry_ms;
  /**
   * Globs of entries to keep, in addition to those of `exclude`. A glob without a slash matches
   * names at any depth, one with a slash the path below `path`, and one that ends with a slash
   * only directories. An invalid glob is `CURT_E_ARGUMENT`.
   */
  const curt_str *exclude_globs;
  /** The number of `exclude_globs`. */
  size_t exclude_globs_count;
} curt_remove_options;
#define CURT_REMOVE_OPTIONS_INIT \
  { sizeof(curt_remove_options), 0, 0, NULL, NULL, NULL, 0, 0, NULL, 0 }

/** What a removal has done, even if it failed or was stopped. */
typedef struct {
  /** Size of this struct. */
  size_t size;
  /** Entries removed, except directories. */
  uint64_t files;
  /** Directories removed. */
  uint64_t directories;
  /** Entries that another process removed or moved after they were listed. */
  uint64_t vanished;
  /** Failures. */
  uint64_t errors;
  /** System calls made. */
  uint64_t calls;
  /** Threads used, including the caller's. */
  uint32_t threads;
  /** 1 if `cancel`, `poll` or a callback stopped the removal, else 0. */
  uint32_t stopped;
  /** Entries that `exclude` or `exclude_globs` kept. */
  uint64_t skipped;
  /** How often a directory got permissions. */
  uint64_t made_writable;
} curt_remove_report;
#define CURT_REMOVE_REPORT_INIT \
  { sizeof(curt_remove_report), 0, 0, 0, 0, 0, 0, 0, 0, 0 }

/**
 * Removes `path`: a file, a directory with everything below it, or a link, never its target.
 * `report` can be NULL. The root directory is refused. With a trailing slash, `path` must be a
 * directory, not a link to one.
 *
 * If `dir` is `CURT_CWD`, `path` can be any path. If `dir` is an open directory (`O_PATH`
 * suffices), `path` starts there, as in `unlinkat(2)`: symlinks and `..` can lead out of it, and
 * `path` must not end in `.` or `..`. On Windows `dir` needs `FILE_TRAVERSE` and
 * `FILE_READ_ATTRIBUTES`, and `path` must be a single name.
 *
 * Not atomic: continues after a failure. Returns 0 if everything is gone, `CURT_E_STOPPED` if
 * stopped before any failure, or the result of the first failure, which `error` describes;
 * `on_error` gets every failure. Fills in `report`, except after `CURT_E_ARGUMENT` and
 * `CURT_E_INTERNAL`.
 *
 * Cost on Linux: 1 call per file, 5 per directory, at most 6 for the path itself, and 2 more with
 * an open `dir`.
 */
CURT_API
int32_t curt_remove(curt_fd dir,
                    curt_str path,
                    const curt_remove_options *options,
                    const curt_control *control,
                    curt_remove_report *report,
                    curt_error **error);

/**
 * Removes `count` paths as `curt_remove` does with `CURT_CWD`. One thread removes them in order.
 * Several threads divide them, unless one path lies below another: then one thread removes them
 * all. Consecutive paths in the same directory share the call that opens it.
 */
CURT_API
int32_t curt_remove_many(const curt_str *paths,
                         size_t count,
                         const curt_remove_options *options,
                         const curt_control *control,
                         curt_remove_report *report,
                         curt_error **error);

/* ---- Copying trees ----
 *
 *     curt_str source = curt_z("tree");
 *     curt_copy_options options = CURT_COPY_OPTIONS_INIT;
 *     curt_copy_report report = CURT_COPY_REPORT_INIT;
 *     options.flags = CURT_COPY_PRESERVE_MODE | CURT_COPY_PRESERVE_TIMES;
 *     if (curt_copy(&source, 1, curt_z("copy"), &options, NULL, &report, NULL) == 0)
 *         printf("%lu bytes copied\n", (unsigned long)report.bytes);
 */

/**
 * The destination is an existing directory, in which each source keeps its name. The contents of a
 * source that ends in `.` go into the directory itself.
 */
#define CURT_COPY_INTO 1
/** Refuses directories, and copies the content of devices and named pipes. */
#define CURT_COPY_NO_DIRECTORIES 2
/** Follows symlinks that are themselves sources. */
#define CURT_COPY_FOLLOW_SOURCES 4
/** Follows all symlinks. */
#define CURT_COPY_FOLLOW 8
/** Copies directories on filesystems other than that of their source as empty ones. */
#define CURT_COPY_SAME_FILE_SYSTEM 16
/** Replaces even files that the process may not write. */
#define CURT_COPY_REPLACE_READ_ONLY 32
/** Only reports what a copy would do. */
#define CURT_COPY_DRY_RUN 64
/** The umask alone decides the permissions of new directories, unless they are preserved. */
#define CURT_COPY_DIRECTORIES_BY_UMASK 128
/** Preserves permissions and access rules (ACLs), on Windows attributes. */
#define CURT_COPY_PRESERVE_MODE 256
/** Preserves owner and group, as far as permitted. */
#define CURT_COPY_PRESERVE_OWNER 512
/** Preserves the times of access and modification. */
#define CURT_COPY_PRESERVE_TIMES 1024
/** Preserves extended attributes. */
#define CURT_COPY_PRESERVE_ATTRIBUTES 2048
/** Preserves hard links among the copied files. */
#define CURT_COPY_PRESERVE_LINKS 4096
/**
 * Makes a copy another name for the same file, if possible. Such files share all later changes.
 * Of the methods given, the next one applies to files for which one fails.
 */
#define CURT_COPY_BY_HARD_LINK 8192
/** Lets a copy share its blocks with the source, if possible, until one of the files is written. */
#define CURT_COPY_BY_REFLINK 16384
/** Copies content. Without any method, reflinks are tried first. */
#define CURT_COPY_BY_DATA 32768

/** An existing destination is a failure, even a directory. */
#define CURT_EXISTING_FAIL 0
/** Copies into existing directories, as with all constants below. Other entries are failures. */
#define CURT_EXISTING_MERGE 1
/** Keeps existing files. */
#define CURT_EXISTING_KEEP 2
/** Replaces existing files and symlinks by renaming complete copies over them. */
#define CURT_EXISTING_REPLACE 3
/** Replaces existing files that are older than their source. */
#define CURT_EXISTING_REPLACE_OLDER 4
/** Replaces existing files that differ from their source in size or time of modification. */
#define CURT_EXISTING_REPLACE_CHANGED 5

/**
 * How to copy. By default existing destinations are failures, symlinks are copied as they are, and
 * permissions follow the umask, without set-id bits.
 */
typedef struct {
  /** Size of this struct. */
  size_t size;
  /** `CURT_COPY_…`. */
  uint32_t flags;
  /** One of `CURT_EXISTING_…`. */
  uint32_t existing;
  /**
   * NULL, or a callback for each entry inside a source. Any result but 0 skips the entry. The
   * path lives until the callback returns; `kind` is `CURT_KIND_…`. Only one thread works then.
   */
  int (*exclude)(void *context, curt_str path, uint32_t kind);
  /**
   * NULL, or a callback that gets the totals every few hundred entries and 16 MiB, and at the
   * end unless the copy was stopped; otherwise as `on_progress` of `curt_remove_options`.
   */
  int (*on_progress)(void *context, uint64_t files, uint64_t directories, uint64_t bytes);
  /** Passed to `exclude` and `on_progress`. */
  void *context;
} curt_copy_options;
#define CURT_COPY_OPTIONS_INIT \
  { sizeof(curt_copy_options), 0, 0, NULL, NULL, NULL }

/** What a copy has done, even if it failed or was stopped. */
typedef struct {
  /** Size of this struct. */
  size_t size;
  /** Entries copied, except directories. */
  uint64_t files;
  /** Directories created. */
  uint64_t directories;
  /** Bytes of content copied or shared. */
  uint64_t bytes;
  /** How many of `files` are hard links to their source. */
  uint64_t hard_links;
  /** How many of `files` share blocks with their source. */
  uint64_t reflinks;
  /** Entries excluded or kept. */
  uint64_t skipped;
  /** Failures. */
  uint64_t errors;
  /** System calls made. */
  uint64_t calls;
  /** Threads used, including the caller's. */
  uint32_t threads;
  /** 1 if `cancel`, `poll` or a callback stopped the copy, else 0. */
  uint32_t stopped;
} curt_copy_report;
#define CURT_COPY_REPORT_INIT \
  { sizeof(curt_copy_report), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }

/**
 * Copies a source, which becomes `destination`; with `CURT_COPY_INTO`, copies `count` sources into
 * the directory `destination`. `report` can be NULL.
 *
 * Both trees are walked by open directories, and each file is created new. So a swapped symlink
 * cannot lead the copy out of either tree, and an existing symlink is never written through.
 * Continues after a failure and returns as `curt_remove` does, but removes a file that it could
 * not complete.
 *
 * Cost on Linux: 7 calls per file, 2 per symlink, 9 per directory.
 */
CURT_API
int32_t curt_copy(const curt_str *sources,
                  size_t count,
                  curt_str destination,
                  const curt_copy_options *options,
                  const curt_control *control,
                  curt_copy_report *report,
                  curt_error **error);

/* ---- Walking trees ----
 *
 * A walk returns the path itself first, and each directory directly before its contents. Entries
 * are sorted by the code units of their names.
 *
 *     curt_tree *walk;
 *     curt_error *error;
 *     curt_error_info info = CURT_ERROR_INFO_INIT;
 *     curt_tree_entry entry = CURT_TREE_ENTRY_INIT;
 *     int32_t result;
 *     if (curt_tree_open(curt_z("tree"), 0, &walk, NULL) == 0) {
 *         while ((result = curt_tree_next(walk, &entry, &error)) != 0) {
 *             if (result > 0) {
 *                 puts(entry.path.ptr); // a call of curt_tree_prune(walk) would skip its contents
 *                 continue;
 *             }
 *             curt_error_get(error, &info);
 *             fprintf(stderr, "%s\n", info.text); // for example, an unreadable directory
 *             curt_error_free(error);
 *             if (result == CURT_E_ARGUMENT || result == CURT_E_INTERNAL)
 *                 break;
 *         }
 *         curt_tree_close(walk);
 *     }
 */

/**
 * Follows links, at the path and below it. A walk reports a link back to an ancestor as
 * `CURT_E_LOOP`. `curt_usage` skips such a link, because the ancestor is counted already, and
 * reports broken links as failures.
 */
#define CURT_TREE_FOLLOW 1
/** Does not enter filesystems other than the path's own. */
#define CURT_TREE_SAME_FILE_SYSTEM 2
/** Counts a file once for each of its hard links. Only for `curt_usage`. */
#define CURT_TREE_COUNT_LINKS 4

/** A walk. */
typedef struct curt_tree curt_tree;

/** An entry of a tree. */
typedef struct {
  /** Size of this struct. */
  size_t size;
  /** The path given to `curt_tree_open`, extended to this entry. */
  curt_str path;
  /** The depth; 0 for the path itself. */
  uint32_t depth;
  /** `CURT_KIND_…`. */
  uint32_t kind;
} curt_tree_entry;
#define CURT_TREE_ENTRY_INIT \
  { sizeof(curt_tree_entry), { NULL, 0 }, 0, 0 }

/**
 * Prepares a walk, without opening anything. `flags` can be `CURT_TREE_FOLLOW` and
 * `CURT_TREE_SAME_FILE_SYSTEM`. Without `CURT_TREE_FOLLOW`, the only link followed is `path`
 * itself, if it ends in a separator.
 */
CURT_API
int32_t curt_tree_open(curt_str path,
                       uint32_t flags,
                       curt_tree **walk,
                       curt_error **error);

/**
 * Moves to the next entry, whose path lives until the next call with this `walk`. If the current
 * entry is a directory that was not pruned, this call opens and reads it. The entries of all
 * ancestors are held in memory, and at most 64 directories are open at a time.
 *
 * Each directory is opened relative to its parent, so a tree can be deeper than the longest valid
 * path, and a directory replaced by a link cannot lead the walk out of the tree.
 *
 * Cost: 1 call for the path; 4 for a directory of up to about 2,000 entries, and 1 more with a
 * flag. Other entries cost no call if the filesystem's listings include kinds.
 *
 * Returns 1, or 0 at the end. After a failure, such as `CURT_E_OS` or `CURT_E_LOOP` (a directory
 * is its own ancestor), call again for the remaining entries. But stop at `CURT_E_INTERNAL`, and
 * at `CURT_E_ARGUMENT`, which would recur.
 */
CURT_API int32_t curt_tree_next(curt_tree *walk, curt_tree_entry *entry, curt_error **error);

/** Skips the contents of the current entry, which need not be a directory. Makes no system call. */
CURT_API int32_t curt_tree_prune(curt_tree *walk);

/** Closes a walk. */
CURT_API void curt_tree_close(curt_tree *walk);

/* ---- Getting the metadata of one path ----
 *
 *     curt_metadata about;
 *     if (curt_stat(curt_z("tree/file"), CURT_FIELD_SIZE, 0, &about, sizeof about, NULL) == 0 &&
 *         about.known & CURT_FIELD_SIZE)
 *         printf("%lu bytes\n", (unsigned long)about.length);
 */

/** Kind: `CURT_KIND_…`. */
#define CURT_FIELD_KIND (1 << 0)
/** Length in bytes. */
#define CURT_FIELD_SIZE (1 << 1)
/** Allocated bytes. */
#define CURT_FIELD_ALLOCATED (1 << 2)
/** Time of the last write. */
#define CURT_FIELD_MODIFIED (1 << 3)
/** Time of the last access. */
#define CURT_FIELD_ACCESSED (1 << 4)
/** Time of the last change of content or metadata. */
#define CURT_FIELD_CHANGED (1 << 5)
/** Time of creation. */
#define CURT_FIELD_CREATED (1 << 6)
/** POSIX file type and permission bits. */
#define CURT_FIELD_MODE (1 << 7)
/** Number of hard links. */
#define CURT_FIELD_LINKS (1 << 8)
/**
 * Inode number, or file id. For a mount point, a listing on Unix returns the number of the
 * covered directory; `CURT_EXACT` gets the number of the mounted root.
 */
#define CURT_FIELD_ID (1 << 9)
/** Number of the filesystem or volume. */
#define CURT_FIELD_DEVICE (1 << 10)
/** Owner's user id. */
#define CURT_FIELD_USER_ID (1 << 11)
/** Group id. */
#define CURT_FIELD_GROUP_ID (1 << 12)
/** `FILE_ATTRIBUTE_…`, or `STATX_ATTR_…`. */
#define CURT_FIELD_ATTRIBUTES (1 << 13)
/** The number of a device file. */
#define CURT_FIELD_DEVICE_NUMBER (1 << 14)
/** Preferred block size for I/O. */
#define CURT_FIELD_BLOCK_SIZE (1 << 15)
/** Target of a link. Costs 1 more call per link (3 on Windows). */
#define CURT_FIELD_TARGET (1 << 16)
/** Owner's name, looked up once per owner. Costs 3 more calls per entry on Windows. */
#define CURT_FIELD_USER (1 << 17)
/** Group's name, looked up once per group. On Windows the calls for the owner return it, too. */
#define CURT_FIELD_GROUP (1 << 18)

/** Gets the metadata of a link's target, or of the link itself if it is broken. */
#define CURT_FOLLOW 1

/**
 * Queries every entry, even if the listing has its metadata. On Windows a listing might be out of
 * date while a file is open for writing, or after a write through another hard link.
 */
#define CURT_EXACT 2

/** Unknown. */
#define CURT_KIND_UNKNOWN 0
/** Regular file. */
#define CURT_KIND_FILE 1
/** Directory. */
#define CURT_KIND_DIRECTORY 2
/** Symlink. */
#define CURT_KIND_SYMLINK 3
/** Named pipe. */
#define CURT_KIND_FIFO 4
/** Socket. */
#define CURT_KIND_SOCKET 5
/** Character device. */
#define CURT_KIND_CHARACTER_DEVICE 6
/** Block device. */
#define CURT_KIND_BLOCK_DEVICE 7
/** Windows: a junction. Without `CURT_FIELD_TARGET`, a mounted volume has this kind, too. */
#define CURT_KIND_JUNCTION 8
/** Windows: a directory on which a volume is mounted. */
#define CURT_KIND_VOLUME_MOUNT 9
/** Windows: an app execution alias from the Store. */
#define CURT_KIND_APP_EXEC_LINK 10
/** Windows: a symlink of the Windows Subsystem for Linux. */
#define CURT_KIND_WSL_SYMLINK 11
/** Windows: any other reparse point that represents another file. */
#define CURT_KIND_REPARSE 12
/** Marker in a union filesystem that hides an entry of a lower layer. */
#define CURT_KIND_WHITEOUT 13

/** A point in time. */
typedef struct {
  /** Seconds since 1970-01-01 00:00:00 UTC, rounded down; negative for earlier times. */
  int64_t seconds;
  /** Additional nanoseconds, below 1,000,000,000. */
  uint32_t nanoseconds;
  /** Always 0. */
  uint32_t reserved;
} curt_time;

/**
 * Metadata. `known`, `failed`, `result`, `os_error` and `kind` are always set; other members are
 * unchanged unless `known` has their field. A requested field in neither `known` nor `failed` does
 * not exist: the filesystem does not store it, or, for a target, the entry is not a link.
 */
typedef struct {
  /** The fields whose members are set. */
  uint32_t known;
  /** The fields that could not be queried. */
  uint32_t failed;
  /** Why the first of the `failed` fields could not be queried: `CURT_E_…`; 0 if none failed. */
  int32_t result;
  /** The system's number for that failure, as in `curt_error_info`. */
  int32_t os_error;
  /** `CURT_KIND_…`; `CURT_KIND_UNKNOWN` if `known` lacks `CURT_FIELD_KIND`. */
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
  /** `CURT_FIELD_ID`: the low half, then the high half, which is 0 on most filesystems. */
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
   * `CURT_FIELD_TARGET`, as stored in the link. `target`, `user` and `group` live as long as the
   * name of the entry.
   */
  curt_str target;
  /** `CURT_FIELD_USER`. */
  curt_str user;
  /** `CURT_FIELD_GROUP`. */
  curt_str group;
} curt_metadata;

/**
 * Gets the `fields` of a path. `CURT_FIELD_TARGET`, `CURT_FIELD_USER` and `CURT_FIELD_GROUP` are
 * errors, because no object would own their texts. Without fields, checks whether the path exists.
 * `flags` can be `CURT_FOLLOW`; `CURT_EXACT` has no effect. `metadata_size` is
 * `sizeof(curt_metadata)`. A failure leaves `metadata` unchanged.
 *
 * Cost: 1 call; 3 on Windows to follow a link, and on volumes that cannot query by name.
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
 * Entries are read in batches, in the system's order, without `.` and `..`.
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
  /** The name. */
  curt_str name;
  /** The requested metadata. */
  curt_metadata metadata;
} curt_entry;

/**
 * Opens a directory to list its entries with these `fields` (`CURT_FIELD_…`; 0 for names only).
 * `flags` can be `CURT_FOLLOW` and `CURT_EXACT`. Symlinks in the path are followed. Costs 1 call
 * (2 on Windows).
 */
CURT_API
int32_t curt_dir_open(curt_str path,
                      uint32_t fields,
                      uint32_t flags,
                      curt_dir **dir,
                      curt_error **error);

/**
 * Reads up to `capacity` entries; `capacity` must not be 0. `entry_size` is `sizeof(curt_entry)`.
 * Names and texts live until the next call with this `dir`. An entry that cannot be queried or has
 * just been removed has `failed` fields; the function does not fail.
 *
 * Cost: 1 call per buffer of entries (first 64 KiB, about 2,000 entries; later 1 MiB), and 1 at
 * the end. Names and kinds cost no further call; nor do sizes, times and attributes on Windows.
 * Otherwise 1 call per entry gets everything that `stat(2)` returns; targets and names of owners
 * cost more.
 *
 * Returns the number of entries, often fewer than `capacity`; 0 at the end or after a failed read.
 */
CURT_API
int32_t curt_dir_next(curt_dir *dir,
                      curt_entry *entries,
                      size_t entry_size,
                      size_t capacity,
                      curt_error **error);

/** Closes a directory. Costs 1 call. */
CURT_API void curt_dir_close(curt_dir *dir);

/* ---- Measuring trees ----
 *
 *     curt_str path = curt_z("tree");
 *     curt_totals totals = CURT_TOTALS_INIT;
 *     if (curt_usage(&path, 1, 0, NULL, &totals, NULL) == 0)
 *         printf("%lu bytes\n", (unsigned long)totals.allocated);
 */

/** The sums of `curt_usage`. */
typedef struct {
  /** Size of this struct. */
  size_t size;
  /** Entries, including directories. */
  uint64_t entries;
  /** The apparent size in bytes: the lengths of files and of link targets. */
  uint64_t apparent;
  /** Allocated bytes on disk, including those of directories. */
  uint64_t allocated;
  /** Entries of unknown size, which `apparent` and `allocated` do not include. */
  uint64_t unknown;
  /** Failures. */
  uint64_t errors;
} curt_totals;
#define CURT_TOTALS_INIT \
  { sizeof(curt_totals), 0, 0, 0, 0, 0 }

/**
 * Adds up the disk space of `count` trees. A file with several hard links, or reached through two
 * of the paths, counts once. `flags` can be `CURT_TREE_FOLLOW` (otherwise links are not followed),
 * `CURT_TREE_SAME_FILE_SYSTEM` (costs no call) and `CURT_TREE_COUNT_LINKS`.
 *
 * Continues after a failure. Returns 0, the result of the first failure, which `error` describes,
 * or `CURT_E_STOPPED`; in each case `totals` has everything counted so far.
 *
 * Cost: 1 call per entry and 4 more per directory; on Windows entries cost no call with
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
 *     ptrdiff_t length;
 *     curt_search_options options = CURT_SEARCH_OPTIONS_INIT;
 *     options.flags = CURT_SEARCH_ENVIRONMENT;
 *     length = curt_find_once(&options, curt_z("sh"), path, sizeof path, NULL, NULL);
 *     if (length > 0 && (size_t)length < sizeof path) // otherwise `path` was not written
 *         puts(path);
 */

/**
 * Searches as `cmd.exe` does on Windows and `execvp` elsewhere, but searches the working directory
 * only if `PATH` names it.
 */
#define CURT_POLICY_NATIVE 0
/** `execvp` of the C library. */
#define CURT_POLICY_POSIX 1
/** `cmd.exe`: the working directory first, then `PATH`. */
#define CURT_POLICY_CMD 2
/** Python's `shutil.which`. */
#define CURT_POLICY_CPYTHON 3
/** Go's `exec.LookPath`. */
#define CURT_POLICY_GO 4
/** libuv on Windows: tries the extension `.com`, then `.exe`. */
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
/** Applies the policy's POSIX rules, if it has any. By default the rules of this system apply. */
#define CURT_SEARCH_POSIX 2
/** Applies the policy's Windows rules, if it has any. */
#define CURT_SEARCH_WINDOWS 4

/** How to search. By default the process is not queried, even for `PATH`. NULL means not set. */
typedef struct {
  /** Size of this struct. */
  size_t size;
  /** `CURT_POLICY_…`. A policy with rules for only one system always applies these. */
  uint32_t policy;
  /** `CURT_SEARCH_…`. */
  uint32_t flags;
  /**
   * `PATH`, separated by `:`, or by `;` under Windows rules. If not set, it is empty under
   * Windows rules and with `CURT_POLICY_GO`; otherwise it is the C library's default,
   * `/bin:/usr/bin` on Linux.
   */
  curt_str path;
  /** `PATHEXT`, for Windows rules. If not set, the policy's default applies. */
  curt_str pathext;
  /**
   * The directory where relative names and `PATH` entries start. Policies that search the
   * working directory search this one instead. A relative `base` starts at the real working
   * directory. If not set, relative names and entries are not found.
   */
  curt_str base;
} curt_search_options;
#define CURT_SEARCH_OPTIONS_INIT \
  { sizeof(curt_search_options), 0, 0, { NULL, 0 }, { NULL, 0 }, { NULL, 0 } }

/** An executable file, whose contents were not read. */
#define CURT_PROGRAM_EXECUTABLE 0
/** An image that Windows runs directly, judging by its extension. */
#define CURT_PROGRAM_IMAGE 1
/** A batch file, judging by its extension. `cmd.exe` runs it, so quote its arguments with care. */
#define CURT_PROGRAM_BATCH 2
/** A file opened by the program registered for its extension. */
#define CURT_PROGRAM_ASSOCIATION 3

/** Found in an entry of `PATH`. */
#define CURT_ORIGIN_PATH 0
/** Found in the working directory, which the policy searches. */
#define CURT_ORIGIN_CWD 1
/** Found in the directory that the name contains. */
#define CURT_ORIGIN_GIVEN 2

/** A program found. */
typedef struct {
  /** Size of this struct. */
  size_t size;
  /** How it starts: `CURT_PROGRAM_…`. */
  uint32_t program;
  /** Where it was found: `CURT_ORIGIN_…`. */
  uint32_t origin;
  /** The index of the `PATH` entry, counting empty entries; 0 for other origins. */
  size_t entry;
  /**
   * 1 if the program's directory came from a relative path or from the policy, so that the
   * search might find a different program after `chdir`; otherwise 0.
   */
  uint32_t relative;
  /** Always 0. */
  uint32_t reserved;
} curt_found;
#define CURT_FOUND_INIT \
  { sizeof(curt_found), 0, 0, 0, 0, 0 }

/** A search for many names. Threads may share it. */
typedef struct curt_search curt_search;

/**
 * Prepares a search. Makes no system call. The first look-up splits `PATH`. Later ones reuse its
 * entries and, with `CURT_SEARCH_ENVIRONMENT`, its environment and working directory. Contents of
 * directories are not cached.
 */
CURT_API
int32_t curt_search_open(const curt_search_options *options,
                         curt_search **search,
                         curt_error **error);

/**
 * Finds the first program with this name and writes its path into `buffer`. `found` can be NULL. A
 * name that is a path is not looked up in `PATH`.
 *
 * Cost on Linux: 1 call per `PATH` entry searched, and 2 for the entry with the program. On
 * Windows, with k candidates (the name with each extension), an entry costs at most k calls if k
 * is 1 or 2. Otherwise it costs at most 3, or 4 if it has the program, or 5 + k if more names
 * share the candidates' prefix than one listing holds.
 *
 * Fails with `CURT_E_FIND_…`; the error has the path that caused the failure.
 */
CURT_API
ptrdiff_t curt_search_find(const curt_search *search,
                           curt_str name,
                           curt_char *buffer,
                           size_t capacity,
                           curt_found *found,
                           curt_error **error);

/**
 * Calls `each` for every program with this name, in search order. The path and `found` live until
 * `each` returns; any result but 0 ends the search. `each` can use the same object for other
 * names, but must not close it.
 *
 * Each `PATH` entry costs as much as in `curt_search_find`.
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

/** Finds one program as `curt_search_find` does, without an open search. */
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
 *         int result = curt_root_open_file(root, curt_z("../x"), NULL, &file, NULL);
 *         if (result == CURT_E_REFUSED_ESCAPE)
 *             puts("refused");
 *         curt_root_close(root);
 *     }
 */

/**
 * Resolves paths as after `chroot`: absolute paths and links start at the root, and `..` stops
 * there. By default a path is refused if it leaves the root.
 */
#define CURT_ROOT_IN_ROOT 1
/** Also refuses links, and every spelling that means a different name on some system. */
#define CURT_ROOT_STRICT 2

/** Opens for reading. */
#define CURT_OPEN_READ 1
/** Opens for writing. */
#define CURT_OPEN_WRITE 2
/** Opens for writing, always at the end. */
#define CURT_OPEN_APPEND 4
/** Truncates an existing file. */
#define CURT_OPEN_TRUNCATE 8
/** Creates a missing file. */
#define CURT_OPEN_CREATE 16
/** Creates the file, which must not exist. */
#define CURT_OPEN_CREATE_NEW 32
/** Fails if the last component is a symlink. By default the symlink is followed within the root. */
#define CURT_OPEN_NO_FOLLOW 64
/** Opens with `O_NONBLOCK`, so neither opening a FIFO nor reading from it waits. */
#define CURT_OPEN_NONBLOCKING 128
/** Opens without waiting, but lets reads wait. Costs 1 more call on Unix. */
#define CURT_OPEN_NONBLOCKING_OPEN 256
/**
 * Opens with `system_flags`, and takes a `mode` of 0 literally. The only other flag allowed is
 * `CURT_OPEN_NONBLOCKING_OPEN`.
 */
#define CURT_OPEN_SYSTEM 512

/** A directory that confines the paths opened beneath it. Threads may share it. */
typedef struct curt_root curt_root;

/** How to open a file. */
typedef struct {
  /** Size of this struct. */
  size_t size;
  /**
   * `CURT_OPEN_…`, including at least one of `CURT_OPEN_READ`, `CURT_OPEN_WRITE`,
   * `CURT_OPEN_APPEND` and `CURT_OPEN_SYSTEM`.
   */
  uint32_t flags;
  /** Permissions of a new file, before the umask is applied. 0 means 0666. */
  uint32_t mode;
  /**
   * With `CURT_OPEN_SYSTEM`, flags of `open(2)` (of `_open` on Windows), which the system
   * validates; otherwise 0. `O_PATH`, `O_DIRECTORY` and `O_TMPFILE` are errors, because only
   * files can be opened.
   */
  int32_t system_flags;
  /** Must be 0. */
  uint32_t reserved;
} curt_open_options;
#define CURT_OPEN_OPTIONS_INIT \
  { sizeof(curt_open_options), 0, 0, 0, 0 }

/**
 * Opens a directory as a root. `flags` is 0 or `CURT_ROOT_…`. Symlinks in `path` are followed.
 * Costs 1 call (2 on Windows).
 */
CURT_API
int32_t curt_root_open(curt_str path,
                       uint32_t flags,
                       curt_root **root,
                       curt_error **error);

/**
 * Opens a file by an untrusted path, and writes its descriptor or handle to `opened`. Concurrent
 * renames and link swaps cannot lead the path out of the root. The caller closes the file; child
 * programs do not inherit it. NULL as `options` opens for reading.
 *
 * The path can lead to a FIFO or a device, and on Unix to a directory: check the type before use.
 * Opening a FIFO waits for its other end, so set `CURT_OPEN_NONBLOCKING` or
 * `CURT_OPEN_NONBLOCKING_OPEN` if others can create files there.
 *
 * Fails with `CURT_E_REFUSED_…` if the path or a link in it leaves the root, and with
 * `CURT_E_ARGUMENT` if flags contradict each other. Costs 1 call on Linux, or 2 per component
 * without `openat2(2)`.
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

/** The last component can be missing. If it is a symlink, its target can be missing, too. */
#define CURT_CANONICAL_MISSING_LAST 1
/** Any component can be missing, or be a file although other components follow it. */
#define CURT_CANONICAL_MISSING_ANY 2
/** The path must exist. On Unix it can go through at most 40 symlinks, as for `realpath(3)`. */
#define CURT_CANONICAL_FEW_LINKS 3

/**
 * Writes the canonical path: absolute, without symlinks, `.` and `..`. `flags` is one of
 * `CURT_CANONICAL_…`, or 0 if the path must exist. On Unix the result is that of GNU `realpath`;
 * on Windows names are spelled as on disk, and the prefix `\\?\` is omitted if the path means the
 * same without it.
 *
 * The result is for display, because it might be outdated at once. Open untrusted paths with
 * `curt_root_open_file`.
 *
 * Cost on Linux: 5 calls, even for the length alone; 7 if the last component is missing, and 1 per
 * component if others are missing.
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
 *         ptrdiff_t length =
 *             curt_lookup_find(lookup, curt_z("note"), &extension, 1, path, sizeof path, NULL);
 *         if (length > 0 && (size_t)length < sizeof path) // 0: not found
 *             puts(path);
 *         curt_lookup_close(lookup);
 *     }
 */

/**
 * Tries all extensions in the first root, then in the second, as Python and Node do. The default
 * tries the first extension in all roots, then the second, as Ruby does.
 */
#define CURT_LOOKUP_ROOT_FIRST 1

/** Root directories, and a cache of their contents. */
typedef struct curt_lookup curt_lookup;

/**
 * Prepares look-ups in these roots, in this order. Makes no system call. Each look-up resolves
 * relative roots against its current working directory. `flags` is `CURT_LOOKUP_…` or 0.
 */
CURT_API
int32_t curt_lookup_open(const curt_str *roots,
                         size_t count,
                         uint32_t flags,
                         curt_lookup **lookup,
                         curt_error **error);

/** Replaces the roots. Roots that remain keep their cached contents. Makes no system call. */
CURT_API
int32_t curt_lookup_set_roots(curt_lookup *lookup,
                              const curt_str *roots,
                              size_t count,
                              curt_error **error);

/**
 * Makes later look-ups check directories for changes again. Otherwise each directory is queried
 * once, and later changes are missed. Makes no system call.
 */
CURT_API int32_t curt_lookup_revalidate(curt_lookup *lookup);

/**
 * Finds the first file with this name and one of the extensions, and writes its path: root, name
 * and extension, each as given. The file can be of any kind except a directory. An extension can
 * be empty. Returns 0 if no root has the file.
 *
 * Cost after `curt_lookup_revalidate`: 1 call per root, up to the one with the file. On Linux 4
 * more per directory that is new or has changed, and 1 more for a link.
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
 * Full paths are computed from the text, without access to files. Open untrusted paths with
 * `curt_root_open_file`.
 *
 *     char path[4096];
 *     curt_expander *expander;
 *     curt_expand_options options = CURT_EXPAND_OPTIONS_INIT;
 *     options.flags = CURT_EXPAND_ENVIRONMENT;
 *     if (curt_expander_open(&options, &expander, NULL) == 0) {
 *         ptrdiff_t length = curt_expand_bytes(expander, "a/../b", 6, path, sizeof path);
 *         if (length > 0 && (size_t)length < sizeof path) // otherwise `path` was not written
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

/**
 * Expands Windows paths as `GetFullPathNameW` does. Joins POSIX paths to their starting directory,
 * and removes `.` and repeated slashes.
 */
#define CURT_STYLE_NATIVE 0
/**
 * Expands paths as Ruby's `File.absolute_path` does, or with `CURT_EXPAND_TILDE` as
 * `File.expand_path`. Trailing separators are removed, and Windows paths are written with slashes.
 */
#define CURT_STYLE_RUBY 1

/**
 * Keeps `..` in POSIX paths of the native style, because the name before it might be a symlink.
 * Treats `..` in other paths like `CURT_DOT_DOT_CLAMP`.
 */
#define CURT_DOT_DOT_DEFAULT 0
/** Keeps `..`. */
#define CURT_DOT_DOT_KEEP 1
/** Removes `..` and the name before it; at the root, removes only `..`. */
#define CURT_DOT_DOT_CLAMP 2
/** Like `CURT_DOT_DOT_CLAMP`, but `..` at the root is an error. */
#define CURT_DOT_DOT_REFUSE 3

/**
 * Takes unset options from this process. The working directory (or a drive's) is read once, on
 * first use, so open another expander after `chdir(2)`. The home directory comes from environment
 * variables; `~user`, and `~` without `HOME`, query the user database each time. Without this flag
 * the process is not queried, and Windows paths follow the rules of Windows 11.
 */
#define CURT_EXPAND_ENVIRONMENT 1
/** Expands a leading `~` to a home directory. */
#define CURT_EXPAND_TILDE 2
/**
 * Expands Windows paths with the prefix `\\?\` like other paths, as `GetFullPathNameW` does. By
 * default they are unchanged, because Windows takes them literally.
 */
#define CURT_EXPAND_VERBATIM 4

/** How to expand paths. NULL means not set. */
typedef struct {
  /** Size of this struct. */
  size_t size;
  /** `CURT_FLAVOR_…`. Every flavor works on every system. */
  uint32_t flavor;
  /** `CURT_STYLE_…`. */
  uint32_t style;
  /** `CURT_DOT_DOT_…`. */
  uint32_t dot_dot;
  /** `CURT_EXPAND_…`. */
  uint32_t flags;
  /** Bytes per code unit of the texts below: 1, or 2 for UTF-16. Can be 0 if they are all NULL. */
  uint32_t width;
  /** Must be 0. */
  uint32_t reserved;
  /**
   * The directory where relative paths start, instead of the working directory. A relative
   * `base` itself starts at the working directory.
   */
  const void *base;
  /** Length in code units. */
  size_t base_len;
  /**
   * The working directory, a full path of this flavor. If not set, relative paths fail with
   * `CURT_E_EXPAND_NO_START`.
   */
  const void *cwd;
  /** Length in code units. */
  size_t cwd_len;
  /** The home directory, a full path. */
  const void *home;
  /** Length in code units. */
  size_t home_len;
} curt_expand_options;
#define CURT_EXPAND_OPTIONS_INIT \
  { sizeof(curt_expand_options), 0, 0, 0, 0, 0, 0, NULL, 0, NULL, 0, NULL, 0 }

/** An expander of paths. Threads may share it. */
typedef struct curt_expander curt_expander;

/** Makes an expander. Makes no system call. */
CURT_API
int32_t curt_expander_open(const curt_expand_options *options,
                           curt_expander **expander,
                           curt_error **error);

/**
 * Writes the full path of `text` into `buffer`; the two must not overlap. Bytes that are not valid
 * Unicode are preserved. Makes no system call without `CURT_EXPAND_ENVIRONMENT`, and allocates no
 * memory for a path that is already in its full form. Fails with `CURT_E_EXPAND_…`.
 */
CURT_API
ptrdiff_t curt_expand_bytes(const curt_expander *expander,
                            const char *text,
                            size_t len,
                            char *buffer,
                            size_t capacity);

/**
 * Does the same as `curt_expand_bytes` for UTF-16, on any system. The options' texts can have a
 * different width.
 */
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

/** A system call failed. `os_error` of the error says why. */
#define CURT_E_OS (-1)
/**
 * A wrong argument: NULL, misaligned, a text with a NUL, a length larger than memory, or a size or
 * flag unknown to this version.
 */
#define CURT_E_ARGUMENT (-2)
/** `cancel`, `poll` or a callback stopped the work. */
#define CURT_E_STOPPED (-3)
/** The entry was replaced meanwhile with a different one. */
#define CURT_E_REPLACED (-4)
/** A link or a mount leads back to a directory that contains it. */
#define CURT_E_LOOP (-5)
/** A bug in curt, which the error describes. The work ended where the bug occurred. */
#define CURT_E_INTERNAL (-6)
/** Not supported by the system, or a failure without a code here. The error explains it. */
#define CURT_E_OTHER (-7)
/** Not removed: a mount point, because crossing mounts was not requested. */
#define CURT_E_KEPT_MOUNT_POINT (-20)
/** Not removed: other processes kept adding entries to the directory. */
#define CURT_E_KEPT_BEING_WRITTEN_TO (-21)
/** Not removed: the path ends in `.` or `..`. */
#define CURT_E_KEPT_DOT (-22)
/** Not removed: the root directory. */
#define CURT_E_KEPT_ROOT (-23)
/** Not removed: an entry on a filesystem other than its parent's. */
#define CURT_E_KEPT_OTHER_FILE_SYSTEM (-24)
/** Not removed: a directory, because the options refuse directories. */
#define CURT_E_KEPT_DIRECTORY (-25)
/** Not removed: a link, because the options require a directory. */
#define CURT_E_KEPT_LINK (-26)
/** No searched directory has the program. */
#define CURT_E_FIND_NOT_FOUND (-40)
/** Only the working directory has the program, but that is not searched. */
#define CURT_E_FIND_ONLY_IN_CWD (-41)
/** Only a directory or a non-executable file has this name. */
#define CURT_E_FIND_NOT_EXECUTABLE (-42)
/** The name is not valid for a program. */
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
/** The path is empty. */
#define CURT_E_REFUSED_EMPTY (-60)
/** The path contains a NUL. */
#define CURT_E_REFUSED_NUL (-61)
/** The path is not valid text. */
#define CURT_E_REFUSED_ENCODING (-62)
/** The path names a device. */
#define CURT_E_REFUSED_DEVICE (-63)
/** The path is absolute. */
#define CURT_E_REFUSED_ABSOLUTE (-64)
/** The path names a drive. */
#define CURT_E_REFUSED_DRIVE (-65)
/** The path names a stream of a file. */
#define CURT_E_REFUSED_STREAM (-66)
/** The path has a character that is not allowed in names. */
#define CURT_E_REFUSED_CHARACTER (-67)
/** The path leaves the root. */
#define CURT_E_REFUSED_ESCAPE (-68)
/** A name ends in dots or spaces. */
#define CURT_E_REFUSED_TRAILING (-69)
/** A name looks like the short name of another file. */
#define CURT_E_REFUSED_SHORT_NAME (-70)
/** The path goes through a link. */
#define CURT_E_REFUSED_LINK (-71)
/** The path to expand is empty. */
#define CURT_E_EXPAND_EMPTY (-80)
/** The path to expand contains a NUL. */
#define CURT_E_EXPAND_NUL (-81)
/** The home directory is unknown. */
#define CURT_E_EXPAND_NO_HOME (-82)
/** The home directory is not a full path. */
#define CURT_E_EXPAND_HOME_RELATIVE (-83)
/** There is no such user. */
#define CURT_E_EXPAND_NO_USER (-84)
/** The path is too long. */
#define CURT_E_EXPAND_TOO_LONG (-85)
/** `..` goes beyond the root. */
#define CURT_E_EXPAND_ESCAPE (-86)
/** The path's starting directory is unknown. */
#define CURT_E_EXPAND_NO_START (-87)
/** The path is UTF-16, and its starting directory is not valid Unicode. */
#define CURT_E_EXPAND_ENCODING (-88)
/** Not copied: source and destination are the same entry. */
#define CURT_E_COPY_SAME_ENTRY (-100)
/** Not copied: the destination is inside the source. */
#define CURT_E_COPY_INTO_ITSELF (-101)
/** Not copied: a directory, because the destination is none. */
#define CURT_E_COPY_DIRECTORY_OVER_FILE (-102)
/** Not copied: an entry that is no directory, because the destination is one. */
#define CURT_E_COPY_FILE_OVER_DIRECTORY (-103)
/** Not copied: the destination is a device, a named pipe or a socket. */
#define CURT_E_COPY_SPECIAL (-104)
/** Not copied: the same copy has created the destination, from another source. */
#define CURT_E_COPY_JUST_CREATED (-105)
/** Not copied: a directory, because the options refuse directories. */
#define CURT_E_COPY_DIRECTORY (-106)

/** The ABI version. It rises when functions or fields are added; they are never removed. */
#define CURT_ABI 1

/**
 * Returns a static English text for any result; "done" if it is not negative. Never returns NULL.
 * Prefer an error's text, which has the path and the system's reason.
 */
CURT_API const char *curt_text(int32_t result);

/**
 * Returns the `CURT_ABI` of the loaded library. After `dlopen`, check that your header's
 * `CURT_ABI` is not larger.
 */
CURT_API uint32_t curt_abi(void);

#ifdef __cplusplus
}
#endif

#endif /* CURT_H */
