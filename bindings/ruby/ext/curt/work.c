/* Runs long calls of libcurt without the GVL.
 *
 * The work starts on the calling thread: a new thread costs more than removing a small tree, and a
 * pooled thread could lack the caller's credentials and working directory. An interrupt stops the
 * work, and usually raises.
 *
 * If a signal handler returns instead, the work continues on a new native thread while Ruby's
 * thread waits. libcurt cannot call the handler, because rb_thread_call_with_gvl may raise on its
 * way back and jump across libcurt's frames. */

#include "curt_ext.h"
#include <pthread.h>
#include <ruby/thread.h>
#include <ruby/thread_native.h>
#include <string.h>

#define INTERRUPT_MS 10

typedef struct {
  void *(*body)(void *);
  void (*show)(void *);
  void *argument;
  /* Set by Ruby, possibly in a signal handler. */
  volatile int interrupted;
  volatile int stopped;

  rb_nativethread_lock_t lock;
  rb_nativethread_cond_t changed;
  int done;
} call;

static int poll(void *context)
{
  call *call = context;
  call->stopped = call->interrupted;
  return call->stopped;
}

static void *run(void *context)
{
  call *call = context;
  call->body(call->argument);
  rb_native_mutex_lock(&call->lock);
  call->done = 1;
  rb_native_cond_broadcast(&call->changed);
  rb_native_mutex_unlock(&call->lock);
  return NULL;
}

static void interrupt(void *context)
{
  call *call = context;
  call->interrupted = 1;
}

/* Waits for the end of the work, but at most INTERRUPT_MS, because `interrupt` cannot wake this
 * thread: taking the lock is not async-signal-safe. (Without RB_NOGVL_UBF_ASYNC_SAFE, Ruby would
 * start a thread for each call.) */
static void *wait_for_end(void *context)
{
  call *call = context;
  rb_native_mutex_lock(&call->lock);
  if (!call->done && !call->interrupted)
    rb_native_cond_timedwait(&call->changed, &call->lock, INTERRUPT_MS);
  rb_native_mutex_unlock(&call->lock);
  return NULL;
}

static VALUE check_interrupts(VALUE nothing)
{
  rb_thread_check_ints();
  return nothing;
}

static VALUE attend(VALUE argument)
{
  call *call = (void *)argument;
  rb_thread_check_ints();
  if (call->show != NULL)
    call->show(call->argument);
  return Qnil;
}

static int is_done(call *call)
{
  int done;
  rb_native_mutex_lock(&call->lock);
  done = call->done;
  rb_native_mutex_unlock(&call->lock);
  return done;
}

/* Returns whether Ruby calls `interrupt` for every interrupt. Ruby 3.1 does not if another thread
 * of this process sends the signal. */
static int has_reliable_interrupts(void)
{
  return rb_thread_alone() || rb_thread_current() != rb_thread_main();
}

static int run_here(call *call)
{
  rb_nogvl(run, call, interrupt, call, RB_NOGVL_INTR_FAIL | RB_NOGVL_UBF_ASYNC_SAFE);
  return call->done && !call->stopped;
}

/* Runs the work on a new thread. Returns the error of pthread_create, or 0. If a handler raises, no
 * Ruby code runs until the caller re-raises the exception: another handler could replace it. */
static int run_thread(call *call, int *state)
{
  pthread_t thread;
  int failed = pthread_create(&thread, NULL, run, call);
  if (failed != 0)
    return failed;
  do {
    /* `rb_nogvl` does not raise, and skips `wait_for_end` if an interrupt is pending. */
    call->interrupted = 0;
    rb_nogvl(wait_for_end, call, interrupt, call, RB_NOGVL_INTR_FAIL | RB_NOGVL_UBF_ASYNC_SAFE);
    rb_protect(attend, (VALUE)call, state);
  } while (*state == 0 && !is_done(call));
  if (*state != 0)
    call->stopped = 1;
  pthread_join(thread, NULL);
  return 0;
}

void run_work(work *work, uint32_t threads, void *(*body)(void *), void *argument)
{
  call call = { .body = body, .show = work->show, .argument = argument };
  int begins_here = work->repeatable && has_reliable_interrupts();
  int state = 0, failed = 0;
  curt_control control = CURT_CONTROL_INIT;
  control.threads = threads;
  control.cancel = &call.stopped;
  control.context = &call;
  control.poll = begins_here ? poll : NULL;
  work->control = control;
  rb_native_mutex_initialize(&call.lock);
  rb_native_cond_initialize(&call.changed);
  /* If a pending interrupt raises, the work never begins. */
  rb_protect(check_interrupts, Qnil, &state);
  if (state == 0 && begins_here && !run_here(&call)) {
    call.stopped = call.done = 0;
    work->control.poll = NULL;
    rb_protect(check_interrupts, Qnil, &state);
  }
  if (state == 0 && !call.done)
    failed = run_thread(&call, &state);
  rb_native_cond_destroy(&call.changed);
  rb_native_mutex_destroy(&call.lock);
  if (state != 0 || failed != 0)
    curt_error_free(work->error);
  if (state != 0)
    rb_jump_tag(state);
  if (failed != 0)
    rb_raise(rb_eThreadError, "can't create Thread: %s", strerror(failed));
}

uint32_t threads_argument(VALUE threads)
{
  if (NIL_P(threads))
    return CURT_THREADS_AUTOMATIC;
  if (!RB_INTEGER_TYPE_P(threads))
    rb_raise(rb_eTypeError, "no implicit conversion of %"PRIsVALUE" into Integer",
             rb_obj_class(threads));
  if (!FIXNUM_P(threads) || FIX2LONG(threads) < 1 || FIX2LONG(threads) > CURT_THREADS_MOST)
    rb_raise(rb_eArgError, "threads must be from 1 to %d", CURT_THREADS_MOST);
  return (uint32_t)FIX2LONG(threads);
}

typedef struct {
  void *(*body)(void *);
  void *argument;
  int is_called;
} single_call;

static void *call_body(void *argument)
{
  single_call *call = argument;
  call->is_called = 1;
  return call->body(call->argument);
}

int try_call(void *(*body)(void *), void *argument)
{
  single_call call = { body, argument, 0 };
  rb_thread_call_without_gvl2(call_body, &call, NULL, NULL);
  return call.is_called;
}

void run_call(void *(*body)(void *), void *argument)
{
  while (!try_call(body, argument))
    rb_thread_check_ints();
}
