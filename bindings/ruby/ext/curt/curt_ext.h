#ifndef CURT_EXT_H
#define CURT_EXT_H

#include <curt.h>
#include <ruby.h>
#include <ruby/encoding.h>

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

/* install.c uses these functions, too. */
VALUE curt_s_expand_path(int argc, VALUE *argv, VALUE module);
VALUE curt_s_absolute_path(int argc, VALUE *argv, VALUE module);

VALUE curt_s_children(int argc, VALUE *argv, VALUE module);


/* Converts an argument to a path as Ruby does, or raises Ruby's errors. `*path` becomes the String.
 * Keep the String alive with RB_GC_GUARD while the result is used. */
curt_str path_argument(VALUE *path);

typedef struct {
  char most[256];
  volatile VALUE longer;
} path_room;

/* Copies a path for use without the GVL. A short String lies in Ruby's heap, which compaction
 * makes inaccessible to other threads for a while. The copy lives as long as `*room`; keep
 * `room->longer` alive with RB_GC_GUARD. */
curt_str path_copy(VALUE *path, path_room *room);

curt_str *path_arguments(VALUE paths, size_t *count, volatile VALUE *keep);

/* Creates a String. For UTF-8 this is faster than rb_external_str_new_with_enc, which spends a
 * third of its time on setting the encoding. */
VALUE external_string(curt_str text, rb_encoding *encoding);

VALUE path_string(curt_str text);


/* Raises `SystemCallError` if the system refuses, `ArgumentError` for wrong arguments. Frees
 * `error`, which may be NULL. */
NORETURN(void raise_failure(int32_t result, curt_error *error));


/* A long call of libcurt. It notices interrupts within a few milliseconds, and stops if their
 * handler raises. */
typedef struct {
  curt_control control;
  /* Whether `body` may be called again after a signal stopped it and the handler returned. If not,
   * all work runs on a new thread. */
  int repeatable;
  int32_t result;
  curt_error *error;
} work;

/* Calls `body(argument)` without the GVL, with `work->control` set up. If an interrupt handler
 * raises, stops the work, frees its error, and raises the exception; `body` may then never have
 * been called. */
void run_work(work *work, uint32_t threads, void *(*body)(void *), void *argument);

uint32_t threads_argument(VALUE threads);

/* Makes one short call of libcurt, without the GVL. If an interrupt is pending, makes no call and
 * returns 0; the caller must then call rb_thread_check_ints. Never raises. */
int try_call(void *(*body)(void *), void *argument);

/* Makes one short call like `try_call`, but first handles pending interrupts, which may raise. */
void run_call(void *(*body)(void *), void *argument);

#endif
