#include "curt_ext.h"

typedef struct {
  work work;
  const curt_str *paths; /* the destination is the last one */
  size_t count;
  curt_copy_options options;
} copying;

static void *run_copy(void *argument)
{
  copying *all = argument;
  work *work = &all->work;
  work->result = curt_copy(all->paths, all->count - 1, all->paths[all->count - 1], &all->options,
                           &work->control, NULL, &work->error);
  return NULL;
}

/* Copies trees to the last path, or `into` it, and replaces existing files. The work is not
 * repeatable: a second run could not tell its own files from existing ones. */
static VALUE s_copy_trees(VALUE module, VALUE paths, VALUE into, VALUE preserve, VALUE follow,
                          VALUE replace_read_only, VALUE threads)
{
  copying all = { .options = CURT_COPY_OPTIONS_INIT };
  const uint32_t kept =
      CURT_COPY_PRESERVE_MODE | CURT_COPY_PRESERVE_OWNER | CURT_COPY_PRESERVE_TIMES;
  volatile VALUE keep;
  uint32_t count = threads_argument(threads);
  all.paths = path_arguments(paths, &all.count, &keep);
  all.options.existing = CURT_EXISTING_REPLACE;
  all.options.flags = CURT_COPY_DIRECTORIES_BY_UMASK | (RTEST(into) ? CURT_COPY_INTO : 0) |
                      (RTEST(preserve) ? kept : 0) |
                      (RTEST(follow) ? CURT_COPY_FOLLOW_SOURCES : 0) |
                      (RTEST(replace_read_only) ? CURT_COPY_REPLACE_READ_ONLY : 0);
  run_work(&all.work, count, run_copy, &all);
  RB_GC_GUARD(keep);
  if (all.work.result != 0)
    raise_failure(all.work.result, all.work.error);
  return Qnil;
}

void Init_copy(void)
{
  rb_define_private_method(rb_singleton_class(rb_mCurt), "copy_trees", s_copy_trees, 6);
}
