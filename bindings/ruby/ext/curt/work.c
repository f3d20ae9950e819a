/* Long work, without Ruby's lock. */

#include "curt_ext.h"
#include <ruby/thread.h>

typedef struct {
  work *of;
  const curt_error *error;
} report;

typedef struct {
  work *work;
  void *(*body)(void *);
  void *argument;
} call;

static VALUE check_interrupts(VALUE nothing)
{
  rb_thread_check_ints();
  return nothing;
}

/* With Ruby's lock: lets handlers of signals and other threads have their say. */
static void *with_lock_check(void *argument)
{
  work *work = argument;
  rb_protect(check_interrupts, Qnil, &work->state);
  return NULL;
}

static VALUE call_on_error(VALUE argument)
{
  report *report = (void *)argument;
  report->of->on_error(report->of, report->error);
  return Qnil;
}

static void *with_lock_report(void *argument)
{
  report *report = argument;
  rb_protect(call_on_error, (VALUE)report, &report->of->state);
  return NULL;
}

static int poll(void *context)
{
  work *work = context;
  if (work->state == 0 && work->interrupted) {
    work->interrupted = 0;
    rb_thread_call_with_gvl(with_lock_check, work);
  }
  return work->state != 0;
}

static int on_error(void *context, const curt_error *error)
{
  work *work = context;
  report report;
  report.of = work;
  report.error = error;
  if (work->state == 0)
    rb_thread_call_with_gvl(with_lock_report, &report);
  return work->state != 0;
}

static void interrupt(void *argument)
{
  work *work = argument;
  work->interrupted = 1;
}

/* Raises what was pending before the work, too, and then does not begin it. */
static VALUE call_without_lock(VALUE argument)
{
  call *call = (void *)argument;
  rb_thread_call_without_gvl(call->body, call->argument, interrupt, call->work);
  return Qnil;
}

void run_work(work *work, uint32_t threads, void *(*body)(void *), void *argument,
              void (*cleanup)(void *))
{
  curt_control control = CURT_CONTROL_INIT;
  call call = { work, body, argument };
  int state = 0;
  control.threads = threads;
  control.poll = poll;
  control.on_error = work->on_error != NULL ? on_error : NULL;
  control.context = work;
  work->control = control;
  work->interrupted = 0;
  work->state = 0;
  rb_protect(call_without_lock, (VALUE)&call, &state);
  if (work->state != 0)
    state = work->state;
  if (state != 0) {
    if (cleanup != NULL)
      cleanup(argument);
    rb_jump_tag(state);
  }
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
