#include "curt_ext.h"

typedef struct {
  work work;
  const curt_str *paths;
  size_t count;
  uint32_t flags;
  curt_totals totals;
} measurement;

static void *run_measurement(void *argument)
{
  measurement *all = argument;
  work *work = &all->work;
  curt_error_free(work->error);
  work->result = curt_usage(all->paths, all->count, all->flags, &work->control, &all->totals,
                            &work->error);
  return NULL;
}

/* Returns the members of a Usage. */
static VALUE s_measure(VALUE module, VALUE paths, VALUE follow, VALUE same_file_system,
                       VALUE count_links, VALUE threads)
{
  measurement all = { .work.repeatable = 1, .totals = CURT_TOTALS_INIT };
  volatile VALUE keep;
  uint32_t count = threads_argument(threads);
  all.paths = path_arguments(paths, &all.count, &keep);
  all.flags = (RTEST(follow) ? CURT_TREE_FOLLOW : 0) |
              (RTEST(same_file_system) ? CURT_TREE_SAME_FILE_SYSTEM : 0) |
              (RTEST(count_links) ? CURT_TREE_COUNT_LINKS : 0);
  run_work(&all.work, count, run_measurement, &all);
  RB_GC_GUARD(keep);
  if (all.work.result != 0)
    raise_failure(all.work.result, all.work.error);
  return rb_ary_new_from_args(4, ULL2NUM(all.totals.entries), ULL2NUM(all.totals.apparent),
                              ULL2NUM(all.totals.allocated), ULL2NUM(all.totals.unknown));
}

void Init_usage(void)
{
  rb_define_private_method(rb_singleton_class(rb_mCurt), "measure", s_measure, 5);
}
