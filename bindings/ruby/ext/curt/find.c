#include "curt_ext.h"
#include <errno.h>

typedef struct {
  curt_tree *tree;
  rb_encoding *encoding;
  int ignores_errors;
  curt_tree_entry entry;
  int32_t result;
  curt_error *error;
  int reads;
} finding;

/* If a Fiber abandons an enumeration, only the garbage collector closes its tree. */
static void free_finding(void *argument)
{
  finding *f = argument;
  curt_tree_close(f->tree);
  curt_error_free(f->error);
  xfree(f);
}

static const rb_data_type_t finding_type = {
  .wrap_struct_name = "Curt.find",
  .function = { .dfree = free_finding },
  .flags = RUBY_TYPED_FREE_IMMEDIATELY,
};

static VALUE end_finding(VALUE object)
{
  finding *f = rb_check_typeddata(object, &finding_type);
  curt_tree_close(f->tree);
  curt_error_free(f->error);
  f->tree = NULL;
  f->error = NULL;
  return Qnil;
}

static void *next_entry(void *argument)
{
  finding *f = argument;
  f->result = curt_tree_next(f->tree, &f->entry, &f->error);
  return NULL;
}

/* Returns whether to ignore a failure, because Find ignores it, or a directory was replaced. */
static int is_ignored(const finding *f)
{
  curt_error_info info = CURT_ERROR_INFO_INIT;
  if (f->result == CURT_E_REPLACED)
    return 1;
  if (f->result == CURT_E_LOOP)
    return f->ignores_errors;
  if (f->result != CURT_E_OS)
    return 0;
  curt_error_get(f->error, &info);
  switch (info.os_error) {
  case ENOTDIR:
  case ELOOP:
    return 1;
  case ENOENT:
  case EACCES:
  case ENAMETOOLONG:
  case EINVAL:
    return f->ignores_errors;
  default:
    return 0;
  }
}

NORETURN(static void raise_failure_of(finding *f));
static void raise_failure_of(finding *f)
{
  curt_error *error = f->error;
  f->error = NULL;
  raise_failure(f->result, error);
}

/* Moves to the next entry. If the last one was a directory, opens and reads it without the GVL. */
static int32_t find_next(finding *f)
{
  if (f->reads)
    run_call(next_entry, f);
  else
    next_entry(f);
  f->reads = f->result > 0 && f->entry.kind == CURT_KIND_DIRECTORY;
  if (f->result < 0) {
    if (!is_ignored(f))
      raise_failure_of(f);
    curt_error_free(f->error);
    f->error = NULL;
  }
  return f->result;
}

static VALUE yield_entries(RB_BLOCK_CALL_FUNC_ARGLIST(tag, object))
{
  finding *f = rb_check_typeddata(object, &finding_type);
  while (find_next(f) != 0) {
    if (f->result < 0 || f->entry.depth == 0)
      continue;
    rb_yield(external_string(f->entry.path, f->encoding));
    if (!f->ignores_errors)
      rb_funcall(rb_cFile, rb_intern("lstat"), 1, external_string(f->entry.path, f->encoding));
    rb_thread_check_ints();
  }
  return Qnil;
}

static VALUE find_entries(VALUE object)
{
  finding *f = rb_check_typeddata(object, &finding_type);
  do {
    /* One `catch` serves many entries. `throw :prune` ends it, so the loop begins a new one. */
    rb_catch_obj(ID2SYM(rb_intern("prune")), yield_entries, object);
    curt_tree_prune(f->tree);
    f->reads = 0;
  } while (f->result != 0);
  return Qnil;
}

static VALUE s_find_below(VALUE module, VALUE path, VALUE ignore_error)
{
  curt_str text = path_argument(&path);
  finding *f;
  VALUE object = TypedData_Make_Struct(0, finding, &finding_type, f);
  rb_encoding *encoding = rb_enc_get(path);
  f->encoding = encoding == rb_usascii_encoding() ? rb_filesystem_encoding() : encoding;
  f->ignores_errors = RTEST(ignore_error);
  f->entry.size = sizeof f->entry;
  f->reads = 1;
  f->result = curt_tree_open(text, 0, &f->tree, &f->error);
  RB_GC_GUARD(path);
  if (f->result < 0)
    raise_failure_of(f);
  return rb_ensure(find_entries, object, end_finding, object);
}

void Init_find(void)
{
  rb_define_private_method(rb_singleton_class(rb_mCurt), "find_below", s_find_below, 2);
}
