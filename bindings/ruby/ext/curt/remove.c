#include "curt_ext.h"

typedef struct {
  work work;
  const curt_str *paths;
  size_t count;
  uint64_t removed;
} removal;

/* Removes the paths. A second run, after a signal, ignores missing entries, because the first run
 * removed some. The first run's failure remains the result, unless the second run meets a bug. */
static void *run_removal(void *argument)
{
  removal *removal = argument;
  work *work = &removal->work;
  curt_remove_options options = CURT_REMOVE_OPTIONS_INIT;
  curt_remove_report report = CURT_REMOVE_REPORT_INIT;
  curt_error *error = NULL;
  int32_t result;
  options.flags = removal->removed > 0 ? CURT_REMOVE_MISSING_OK : 0;
  result = curt_remove_many(removal->paths, removal->count, &options, &work->control, &report,
                            &error);
  removal->removed = report.files + report.directories;
  if (work->result == 0 || work->result == CURT_E_STOPPED || result == CURT_E_INTERNAL) {
    curt_error_free(work->error);
    work->result = result;
    work->error = error;
  } else {
    curt_error_free(error);
  }
  return NULL;
}

/* Removes trees. `force` ignores all failures except bugs of libcurt. */
static VALUE s_remove_trees(VALUE module, VALUE paths, VALUE force, VALUE threads)
{
  removal removal = { 0 };
  volatile VALUE keep;
  uint32_t count = threads_argument(threads);
  removal.paths = path_arguments(paths, &removal.count, &keep);
  /* Never repeat a removal of several paths: it is unknown which ones the first run removed. */
  removal.work.repeatable = removal.count == 1;
  run_work(&removal.work, count, run_removal, &removal);
  RB_GC_GUARD(keep);
  if (removal.work.result != 0 && (!RTEST(force) || removal.work.result == CURT_E_INTERNAL))
    raise_failure(removal.work.result, removal.work.error);
  curt_error_free(removal.work.error);
  return Qnil;
}

static uint32_t retries_argument(VALUE retries)
{
  long count = NUM2LONG(retries);
  if (count < 0 || count > UINT32_MAX)
    rb_raise(rb_eArgError, "retries must be from 0 to %u", UINT32_MAX);
  return (uint32_t)count;
}

/* A failure and its texts, which libcurt frees. */
typedef struct failure {
  struct failure *next;
  curt_error_info info;
  char texts[];
} failure;

typedef struct {
  work work;
  const curt_str *paths;
  size_t count;
  curt_remove_options options;
  curt_remove_report report;
  failure *first, **last;
  /* Progress, which the thread of the removal writes. */
  uint64_t files, directories;
} reported_removal;

static char *copy_text(char *to, const char **text, size_t len)
{
  memcpy(to, *text, len);
  *text = to;
  return to + len;
}

static int keep_failure(void *context, const curt_error *error)
{
  reported_removal *all = context;
  curt_error_info info = CURT_ERROR_INFO_INIT;
  failure *kept;
  char *end;
  size_t name;
  curt_error_get(error, &info);
  name = strlen(info.operation) + 1;
  kept = malloc(sizeof *kept + name + info.path.len + info.text_len);
  if (kept == NULL)
    abort();
  end = copy_text(kept->texts, &info.operation, name);
  end = copy_text(end, &info.path.ptr, info.path.len);
  copy_text(end, &info.text, info.text_len);
  kept->info = info;
  kept->next = NULL;
  *all->last = kept;
  all->last = &kept->next;
  return 0;
}

/* With several threads, totals may decrease. */
static int keep_progress(void *context, uint64_t files, uint64_t directories)
{
  reported_removal *all = context;
  if (files > all->files)
    __atomic_store_n(&all->files, files, __ATOMIC_RELAXED);
  if (directories > all->directories)
    __atomic_store_n(&all->directories, directories, __ATOMIC_RELAXED);
  return 0;
}

static void *run_reported(void *argument)
{
  reported_removal *all = argument;
  work *work = &all->work;
  curt_control control = work->control;
  control.on_error = keep_failure;
  control.context = all;
  work->result = curt_remove_many(all->paths, all->count, &all->options, &control, &all->report,
                                  &work->error);
  return NULL;
}

static void show_progress(void *argument)
{
  reported_removal *all = argument;
  rb_yield_values(2, ULL2NUM(__atomic_load_n(&all->files, __ATOMIC_RELAXED)),
                  ULL2NUM(__atomic_load_n(&all->directories, __ATOMIC_RELAXED)));
}

static VALUE remove_and_report(VALUE argument)
{
  reported_removal *all = (void *)argument;
  VALUE errors = rb_ary_new();
  failure *failure;
  run_work(&all->work, all->work.control.threads, run_reported, all);
  if (all->work.result == CURT_E_ARGUMENT || all->work.result == CURT_E_INTERNAL)
    raise_failure(all->work.result, all->work.error);
  curt_error_free(all->work.error);
  for (failure = all->first; failure != NULL; failure = failure->next)
    rb_ary_push(errors, exception_of(&failure->info));
  all->files = all->report.files;
  all->directories = all->report.directories;
  if (all->work.show != NULL)
    all->work.show(all);
  return rb_ary_new_from_args(5, ULL2NUM(all->report.files), ULL2NUM(all->report.directories),
                              ULL2NUM(all->report.skipped), ULL2NUM(all->report.made_writable),
                              errors);
}

static VALUE free_failures(VALUE argument)
{
  reported_removal *all = (void *)argument;
  while (all->first != NULL) {
    failure *next = all->first->next;
    free(all->first);
    all->first = next;
  }
  return Qnil;
}

/* Returns the members of a Removal. A second run could not tell what the first one has removed, so
 * the work is not repeatable. */
static VALUE s_remove_reported(VALUE module, VALUE paths, VALUE contents, VALUE exclude,
                               VALUE make_writable, VALUE force, VALUE retries, VALUE threads)
{
  reported_removal all = { .options = CURT_REMOVE_OPTIONS_INIT,
                           .report = CURT_REMOVE_REPORT_INIT };
  volatile VALUE keep, keep_globs;
  VALUE members;
  all.last = &all.first;
  all.work.control.threads = threads_argument(threads);
  all.work.show = rb_block_given_p() ? show_progress : NULL;
  all.paths = path_arguments(paths, &all.count, &keep);
  all.options.exclude_globs =
      path_arguments(exclude, &all.options.exclude_globs_count, &keep_globs);
  all.options.directories = RTEST(contents) ? CURT_DIRECTORIES_CONTENTS : 0;
  all.options.flags = (RTEST(make_writable) ? CURT_REMOVE_MAKE_WRITABLE : 0) |
                      (RTEST(force) ? CURT_REMOVE_MISSING_OK : 0);
  if (!NIL_P(retries)) {
    all.options.flags |= CURT_REMOVE_RETRIES;
    all.options.retries = retries_argument(retries);
  }
  all.options.on_progress = all.work.show == NULL ? NULL : keep_progress;
  all.options.context = &all;
  members = rb_ensure(remove_and_report, (VALUE)&all, free_failures, (VALUE)&all);
  RB_GC_GUARD(keep);
  RB_GC_GUARD(keep_globs);
  return members;
}

void Init_remove(void)
{
  rb_define_private_method(rb_singleton_class(rb_mCurt), "remove_reported", s_remove_reported, 7);
  rb_define_private_method(rb_singleton_class(rb_mCurt), "remove_trees", s_remove_trees, 3);
}
