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
