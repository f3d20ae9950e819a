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

void Init_remove(void)
{
  rb_define_private_method(rb_singleton_class(rb_mCurt), "remove_trees", s_remove_trees, 3);
}
