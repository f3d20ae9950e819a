/* What the parts of the extension share. */
#ifndef CURT_EXT_H
#define CURT_EXT_H

#include <curt.h>
#include <ruby.h>
#include <ruby/encoding.h>

/* The module `Curt`. */
extern VALUE rb_mCurt;

void Init_lookup(void);
void Init_remove(void);
void Init_root(void);
void Init_expand(void);
void Init_install(void);
void Init_usage(void);
void Init_which(void);
void Init_dir(void);
void Init_find(void);
void Init_realpath(void);

/* expand.c: methods that can also be defined elsewhere, with -1 arguments. */
VALUE curt_s_expand_path(int argc, VALUE *argv, VALUE module);
VALUE curt_s_absolute_path(int argc, VALUE *argv, VALUE module);

/* dir.c: the same. */
VALUE curt_s_children(int argc, VALUE *argv, VALUE module);

/* text.c: paths and names. */

/* Converts an argument to a path as Ruby does: a String, or what has `to_path`, without NUL and in
 * an encoding that contains ASCII. `*path` becomes the String, which must be kept alive with
 * RB_GC_GUARD as long as the text is used. Raises Ruby's own errors. */
curt_str path_argument(VALUE *path);

/* Room for the copy of a path. Few are longer than what needs no object of Ruby's. */
typedef struct {
  char most[256];
  volatile VALUE longer;
} path_room;

/* The same, as a copy that is used without Ruby's lock: a short String lies in Ruby's heap, which is
 * closed to all others while it is compacted. It lives as long as `*room`, whose `longer` must be
 * kept alive with RB_GC_GUARD. */
curt_str path_copy(VALUE *path, path_room *room);

/* The same for each element of an Array. */
curt_str *path_arguments(VALUE paths, size_t *count, volatile VALUE *keep);

/* Makes a String of a name in a directory as rb_external_str_new_with_enc does. In UTF-8 it is
 * quicker: Ruby spends a third of the time on giving a new String its encoding. */
VALUE external_string(curt_str text, rb_encoding *encoding);

/* Makes a String of a text of the system, in the encoding of the file system. */
VALUE path_string(curt_str text);

/* error.c: failures. */

/* Raises the exception of a failure: of its error object, which is freed, or where that is NULL of
 * its result. `SystemCallError` for what the system refuses, `ArgumentError` for arguments. */
NORETURN(void raise_failure(int32_t result, curt_error *error));

/* work.c: long work, without Ruby's lock. */

/* One call of libcurt that may take long. Interrupts of Ruby are seen within a few milliseconds; a
 * handler that raises stops the work, another one does not. */
typedef struct {
  /* To be given to libcurt. */
  curt_control control;
  /* Whether `body` may be called again after a signal has stopped it and its handler has returned.
   * Other work runs on a new thread from the beginning. */
  int repeatable;
  /* What libcurt returned, and its error object. */
  int32_t result;
  curt_error *error;
} work;

/* Calls `body(argument)` without Ruby's lock, with `work->control` filled in for `threads`. Where a
 * handler raises, the work is stopped, its error freed, and the exception raised; `body` may then
 * not have been called at all. */
void run_work(work *work, uint32_t threads, void *(*body)(void *), void *argument);

/* How many threads an argument `threads` stands for. Raises Ruby's own errors. */
uint32_t threads_argument(VALUE threads);

/* Calls `body(argument)` without Ruby's lock, for a single short call of libcurt. Returns 0, and has
 * called nothing, if an interrupt is pending: then comes rb_thread_check_ints. Raises nothing. */
int try_call(void *(*body)(void *), void *argument);

/* Calls it. What an interrupt raises, it raises before the call. */
void run_call(void *(*body)(void *), void *argument);

#endif
