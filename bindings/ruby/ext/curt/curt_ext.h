#ifndef CURT_EXT_H
#define CURT_EXT_H

#include <curt.h>
#include <ruby.h>
#include <ruby/encoding.h>

extern VALUE rb_mCurt;

void Init_lookup(void);
void Init_remove(void);
void Init_copy(void);
void Init_root(void);
void Init_expand(void);
void Init_install(void);
void Init_usage(void);
void Init_find(void);
void Init_realpath(void);

VALUE curt_s_expand_path(int argc, VALUE *argv, VALUE module);
VALUE curt_s_absolute_path(int argc, VALUE *argv, VALUE module);
VALUE curt_s_refresh(VALUE module);
VALUE curt_s_children(int argc, VALUE *argv, VALUE module);
VALUE curt_s_realpath(int argc, VALUE *argv, VALUE module);
VALUE curt_s_which(int argc, VALUE *argv, VALUE module);


/* Converts an argument to a path as Ruby does, or raises Ruby's errors. `*path` becomes a String,
 * which needs RB_GC_GUARD while the result is used. */
curt_str path_argument(VALUE *path);

typedef struct {
  char most[256];
  volatile VALUE longer;
} path_buffer;

/* Copies a path for use without the GVL: a short String is in Ruby's heap, which other threads
 * cannot read while Ruby compacts it. The copy lives as long as `*buffer`; `buffer->longer` needs
 * RB_GC_GUARD. */
curt_str path_copy(VALUE *path, path_buffer *buffer);

curt_str *path_arguments(VALUE paths, size_t *count, volatile VALUE *keep);

/* Like rb_external_str_new_with_enc, which spends a third of its time on setting the encoding, but
 * faster for UTF-8. */
VALUE external_string(curt_str text, rb_encoding *encoding);

VALUE path_string(curt_str text);


/* Raises `SystemCallError` if the system refuses, `ArgumentError` for wrong arguments. Frees
 * `error`, which may be NULL. */
NORETURN(void raise_failure(int32_t result, curt_error *error));

/* Returns the exception for a failure with an operation. */
VALUE exception_of(const curt_error_info *info);


/* A long call of libcurt, which stops within a few milliseconds if an interrupt handler raises. */
typedef struct {
  curt_control control;
  /* Whether `body` may run again after a signal stopped it. If not, it runs on a new thread. */
  int repeatable;
  /* NULL, or called with the GVL and the argument of `body` every 10 milliseconds while `body` runs
   * on a new thread. May raise. */
  void (*show)(void *argument);
  int32_t result;
  curt_error *error;
} work;

/* Calls `body(argument)` without the GVL, with `work->control` set up. If an interrupt handler
 * raises, even before the call, stops the work, frees its error, and raises the exception. */
void run_work(work *work, uint32_t threads, void *(*body)(void *), void *argument);

uint32_t threads_argument(VALUE threads);

/* Makes one short call of libcurt without the GVL, and never raises. If an interrupt is pending,
 * returns 0 instead, and the caller must call rb_thread_check_ints. */
int try_call(void *(*body)(void *), void *argument);

/* Like `try_call`, but first handles pending interrupts, which may raise. */
void run_call(void *(*body)(void *), void *argument);

#endif
