#include "curt_ext.h"

typedef struct {
  curt_search_options options;
  curt_str name;
  char *buffer;
  size_t capacity;
  ptrdiff_t length;
  curt_error *error;
} look_up;

static void *find_unlocked(void *argument)
{
  look_up *look = argument;
  look->length = curt_find_once(&look->options, look->name, look->buffer, look->capacity, NULL,
                                &look->error);
  return NULL;
}

static int is_missing(ptrdiff_t result)
{
  return result == CURT_E_FIND_NOT_FOUND || result == CURT_E_FIND_ONLY_IN_CWD ||
         result == CURT_E_FIND_NOT_EXECUTABLE || result == CURT_E_FIND_INVALID_NAME ||
         result == CURT_E_FIND_NAME_TOO_LONG;
}

/* call-seq: which(name, path: nil) -> string or nil
 *
 * Returns the absolute path of a program: the first file in the directories of +PATH+ that this
 * process may execute, or +nil+. <tt>path:</tt> replaces <tt>ENV["PATH"]</tt>; without both, the
 * system's default directories are searched. A name with a slash is not searched. Costs one system
 * call per directory.
 *
 * Unlike a shell, ignores empty elements. The path of a program found by a relative element or name
 * starts with the working directory and is not tidied: "/usr/bin/./sh".
 *
 *   Curt.which("sh")                      # => "/usr/bin/sh"
 *   Curt.which("sh", path: "/opt/none")   # => nil
 *
 * Directories of +PATH+ that cannot be searched are skipped. For a name with a slash, other
 * failures raise, such as Errno::EACCES and Errno::ELOOP. A NUL raises ArgumentError. */
VALUE curt_s_which(int argc, VALUE *argv, VALUE module)
{
  look_up look = { CURT_SEARCH_OPTIONS_INIT, { NULL, 0 }, NULL, 1024, 0, NULL };
  VALUE name, keywords, path = Qundef, buffer;
  path_buffer of_name, of_path = { .longer = Qnil };
  curt_str found;
  rb_scan_args(argc, argv, "1:", &name, &keywords);
  if (!NIL_P(keywords)) {
    ID names[1];
    names[0] = rb_intern("path");
    rb_get_kwargs(keywords, names, 0, 1, &path);
  }
  if (path == Qundef || NIL_P(path)) {
    VALUE environment = rb_const_get(rb_cObject, rb_intern("ENV"));
    path = rb_funcall(environment, rb_intern("[]"), 1, rb_str_new_cstr("PATH"));
  }
  look.name = path_copy(&name, &of_name);
  if (!NIL_P(path))
    look.options.path = path_copy(&path, &of_path);
  look.options.base.ptr = ".";
  look.options.base.len = 1;
  for (;;) {
    buffer = rb_str_buf_new((long)look.capacity);
    look.buffer = RSTRING_PTR(buffer);
    run_call(find_unlocked, &look);
    if (look.length < 0 || (size_t)look.length < look.capacity)
      break;
    look.capacity = (size_t)look.length + 1;
  }
  RB_GC_GUARD(of_name.longer);
  RB_GC_GUARD(of_path.longer);
  if (is_missing(look.length)) {
    curt_error_free(look.error);
    return Qnil;
  }
  if (look.length < 0)
    raise_failure((int32_t)look.length, look.error);
  found.ptr = look.buffer;
  found.len = (size_t)look.length;
  path = path_string(found);
  RB_GC_GUARD(buffer);
  return path;
}
