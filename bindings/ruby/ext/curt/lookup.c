/* Implements `require` and `load` by an index of the directories in $LOAD_PATH, for "curt/require".
 *
 * Ruby tries to open each candidate in each root. Here the outermost `require` revalidates the
 * roots ahead of the match, and the index gives Ruby the path. Ruby itself searches where the index
 * could differ from its rules: in all roots from the first that is not an absolute path, and for
 * unusual names and for features that are missing, already loaded, or in a gem to activate. */

#include "curt_ext.h"
#include <ruby/ractor.h>
#include <string.h>
#include <time.h>

typedef struct {
  curt_lookup *lookup;
  /* A copy of $LOAD_PATH. The two arrays share storage until one of them changes. */
  VALUE array;
  /* How many leading elements of $LOAD_PATH are in the index. All of these are absolute paths. */
  long roots;
  time_t revalidated;
} load_path;

/* The key of the load path. Set only in the main Ractor: Ruby requires no files in another. */
static rb_ractor_local_key_t of_ractor;
/* The previous Kernel#require and #load, perhaps of RubyGems, and the method for found paths. */
static ID id_require_before, id_load_before, id_require_found, id_path, id_is_ready;
/* This fiber-local variable is set within a `require`. */
static ID id_is_within;

static const char any_extension[] = ".rb\0" DLEXT;

static void mark_load_path(void *pointer)
{
  rb_gc_mark(((load_path *)pointer)->array);
}

static void free_load_path(void *pointer)
{
  curt_lookup_close(((load_path *)pointer)->lookup);
  xfree(pointer);
}

static const rb_data_type_t load_path_type = {
  .wrap_struct_name = "Curt load path",
  .function = { .dmark = mark_load_path, .dfree = free_load_path },
  .flags = RUBY_TYPED_FREE_IMMEDIATELY
};

/* Returns 0 if Ruby might not use the path as written. */
static int has_clean_separators(const char *path, long len)
{
  long at;
  for (at = 0; at < len; at++) {
    if (path[at] == '/' && (at + 1 == len || path[at + 1] == '/' || path[at + 1] == '.'))
      return 0;
  }
  return memchr(path, 0, (size_t)len) == NULL;
}

/* Returns the path that Ruby uses for a root: the canonical path, or the text of a missing root.
 * Returns Qnil for roots that Ruby examines each time or reads differently. */
static VALUE root_path(VALUE root)
{
  char buffer[4096];
  curt_str text;
  ptrdiff_t len;
  if (!RB_TYPE_P(root, T_STRING) || RSTRING_LEN(root) == 0 || RSTRING_PTR(root)[0] != '/')
    return Qnil;
  /* Ruby freezes the roots whose paths it caches. */
  rb_str_freeze(root);
  text.ptr = RSTRING_PTR(root);
  text.len = (size_t)RSTRING_LEN(root);
  len = curt_canonical(text, CURT_CANONICAL_FEW_LINKS, buffer, sizeof buffer, NULL);
  if (len > 0 && (size_t)len < sizeof buffer)
    return rb_str_new(buffer, len);
  return len < 0 && has_clean_separators(RSTRING_PTR(root), RSTRING_LEN(root)) ? root : Qnil;
}

static void read_load_path(load_path *known, VALUE array)
{
  long count, at;
  VALUE paths, buffer;
  curt_str *roots;
  /* This call makes Ruby resolve the symlinks of all roots now, as we do. */
  rb_provided("curt/require");
  count = RARRAY_LEN(array);
  paths = rb_ary_new_capa(count);
  roots = ALLOCV_N(curt_str, buffer, count > 0 ? count : 1);
  known->roots = 0;
  for (at = 0; at < count; at++) {
    VALUE path = root_path(rb_ary_entry(array, at));
    if (NIL_P(path))
      break;
    rb_ary_push(paths, path);
    roots[at].ptr = RSTRING_PTR(path);
    roots[at].len = (size_t)RSTRING_LEN(path);
  }
  if (known->lookup == NULL)
    curt_lookup_open(NULL, 0, 0, &known->lookup, NULL);
  if (known->lookup != NULL && curt_lookup_set_roots(known->lookup, roots, (size_t)at, NULL) == 0)
    known->roots = at;
  ALLOCV_END(buffer);
  RB_GC_GUARD(paths);
  known->array = rb_ary_new();
  rb_ary_replace(known->array, array);
}

static int is_unchanged(const load_path *known, VALUE array)
{
  return !NIL_P(known->array) && RARRAY_LEN(known->array) == RARRAY_LEN(array) &&
         RARRAY_CONST_PTR(known->array) == RARRAY_CONST_PTR(array);
}

static int is_within(void)
{
  return RTEST(rb_thread_local_aref(rb_thread_current(), id_is_within));
}

/* Revalidates the index. Within a `require`, revalidates once per second, not only once, because a
 * whole program may run there. */
static void revalidate(load_path *known)
{
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  if (is_within() && now.tv_sec == known->revalidated)
    return;
  known->revalidated = now.tv_sec;
  curt_lookup_revalidate(known->lookup);
}

/* Returns the path of a match. Qnil means that Ruby must search. */
static VALUE look_up(load_path *known, VALUE name, const curt_str *extensions, size_t count)
{
  char buffer[4096];
  curt_str text;
  ptrdiff_t len;
  if (known->roots == 0)
    return Qnil;
  /* If some roots are not in the index, look up only the first extension: Ruby tries it in all
   * roots before the second. */
  if (known->roots < RARRAY_LEN(known->array) && count > 1)
    count = 1;
  text.ptr = RSTRING_PTR(name);
  text.len = (size_t)RSTRING_LEN(name);
  len = curt_lookup_find(known->lookup, text, extensions, count, buffer, sizeof buffer, NULL);
  if (len <= 0 || (size_t)len >= sizeof buffer)
    return Qnil;
  return rb_str_freeze(rb_enc_str_new(buffer, len, rb_filesystem_encoding()));
}

static int is_relative(VALUE name)
{
  const char *text;
  long len;
  if (!RB_TYPE_P(name, T_STRING) || rb_obj_class(name) != rb_cString)
    return 0;
  text = RSTRING_PTR(name);
  len = RSTRING_LEN(name);
  return len > 0 && len < 1024 && text[0] != '/' && text[0] != '.' && text[0] != '~' &&
         rb_enc_str_asciionly_p(name) &&
         has_clean_separators(text, len);
}

/* Returns the load path, or NULL if Ruby must search. As Ruby does, rereads a changed $LOAD_PATH
 * even for loaded names. Revalidates even if no lookup follows, because nested calls rely on it. */
static load_path *current(void)
{
  VALUE object, array;
  load_path *known;
  if (!rb_ractor_local_storage_value_lookup(of_ractor, &object) || NIL_P(object))
    return NULL;
  known = rb_check_typeddata(object, &load_path_type);
  array = rb_gv_get("$LOAD_PATH");
  if (!RB_TYPE_P(array, T_ARRAY))
    return NULL;
  if (!is_unchanged(known, array))
    read_load_path(known, array);
  revalidate(known);
  return known;
}

static VALUE find_feature(VALUE name)
{
  static const curt_str extensions[] = {
    { any_extension, 3 },
    { any_extension + 4, sizeof any_extension - 5 }
  };
  static const curt_str no_extension = { any_extension, 0 };
  load_path *known = current();
  const char *text, *last, *dot;
  if (known == NULL || !is_relative(name))
    return Qnil;
  text = StringValueCStr(name);
  /* Ruby handles loaded features, and RubyGems handles names for which it may activate a gem. */
  if (rb_provided(text) || !RTEST(rb_funcall(rb_mCurt, id_is_ready, 1, name)))
    return Qnil;
  last = strrchr(text, '/');
  dot = strchr(last != NULL ? last : text, '.');
  if (dot == NULL)
    return look_up(known, name, extensions, 2);
  if (strcmp(dot, ".rb") == 0 || strcmp(dot, DLEXT) == 0)
    return look_up(known, name, &no_extension, 1);
  return Qnil;
}

typedef struct {
  VALUE self;
  VALUE path;
  ID with_path, with_name;
  int count;
  VALUE arguments[2];
} call;

static VALUE call_with_path(VALUE argument)
{
  call *call = (void *)argument;
  VALUE arguments[2] = { call->path, call->arguments[1] };
  return rb_funcallv(call->self, call->with_path, call->count, arguments);
}

/* Returns Qundef if the found file cannot be loaded, for example because it is unreadable. Raises
 * any other error again. */
static VALUE not_loaded(VALUE argument, VALUE error)
{
  call *call = (void *)argument;
  VALUE path = rb_check_funcall(error, id_path, 0, NULL);
  if (RB_TYPE_P(path, T_STRING) && RTEST(rb_str_equal(path, call->path)))
    return Qundef;
  rb_exc_raise(error);
}

static VALUE load_found(VALUE argument)
{
  call *call = (void *)argument;
  VALUE loaded = Qundef;
  if (!NIL_P(call->path))
    loaded = rb_rescue2(call_with_path, argument, not_loaded, argument, rb_eLoadError, (VALUE)0);
  if (loaded != Qundef)
    return loaded;
  return rb_funcallv(call->self, call->with_name, call->count, call->arguments);
}

static VALUE leave(VALUE fiber)
{
  return rb_thread_local_aset(fiber, id_is_within, Qnil);
}

/* :nodoc: */
static VALUE k_require(VALUE self, VALUE name)
{
  VALUE path = find_feature(name), thread = rb_thread_current();
  call call = { self, path, id_require_found, id_require_before, 1, { name, Qnil } };
  if (is_within())
    return load_found((VALUE)&call);
  rb_thread_local_aset(thread, id_is_within, Qtrue);
  return rb_ensure(load_found, (VALUE)&call, leave, thread);
}

/* :nodoc: */
static VALUE k_load(int argc, VALUE *argv, VALUE self)
{
  static const curt_str no_extension = { any_extension, 0 };
  call call = { self, Qnil, id_load_before, id_load_before, argc, { Qnil, Qnil } };
  load_path *known = current();
  rb_check_arity(argc, 1, 2);
  memcpy(call.arguments, argv, sizeof *argv * (size_t)argc);
  if (known != NULL && is_relative(argv[0]))
    call.path = look_up(known, argv[0], &no_extension, 1);
  return load_found((VALUE)&call);
}

/* call-seq: look_up_features -> nil
 *
 * Replaces `require` and `load`. */
static VALUE s_look_up_features(VALUE module)
{
  load_path *known;
  VALUE object = TypedData_Make_Struct(rb_cObject, load_path, &load_path_type, known);
  (void)module;
  known->array = Qnil;
  rb_ractor_local_storage_value_set(of_ractor, object);
  rb_define_module_function(rb_mKernel, "require", k_require, 1);
  rb_define_module_function(rb_mKernel, "load", k_load, -1);
  return Qnil;
}

void Init_lookup(void)
{
  of_ractor = rb_ractor_local_storage_value_newkey();
  id_require_before = rb_intern("curt_require_before");
  id_load_before = rb_intern("curt_load_before");
  id_require_found = rb_intern("curt_require_found");
  id_is_ready = rb_intern("require_found?");
  id_is_within = rb_intern("curt_is_within_require");
  id_path = rb_intern("path");
  rb_define_singleton_method(rb_mCurt, "look_up_features", s_look_up_features, 0);
  rb_funcall(rb_singleton_class(rb_mCurt), rb_intern("private"), 1,
             ID2SYM(rb_intern("look_up_features")));
}
