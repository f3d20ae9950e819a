#include "curt_ext.h"

/* Joins bytes regardless of encodings, as Ruby does. */
static VALUE join(VALUE *from, VALUE path)
{
  VALUE whole, dir;
  path_argument(from);
  dir = *from;
  if (RSTRING_LEN(path) > 0 && RSTRING_PTR(path)[0] == '/')
    return path;
  whole = rb_str_buf_new(RSTRING_LEN(dir) + 1 + RSTRING_LEN(path));
  rb_enc_copy(whole, dir);
  rb_str_cat(whole, RSTRING_PTR(dir), RSTRING_LEN(dir));
  rb_str_cat(whole, "/", 1);
  rb_str_cat(whole, RSTRING_PTR(path), RSTRING_LEN(path));
  return whole;
}

static VALUE canonical(VALUE path)
{
  curt_str text = path_argument(&path);
  char most[1024], *buffer = most;
  size_t capacity = sizeof most;
  volatile VALUE keep = Qnil;
  curt_str name = { NULL, 0 };
  for (;;) {
    curt_error *error = NULL;
    ptrdiff_t len = curt_canonical(text, CURT_CANONICAL_FEW_LINKS, buffer, capacity, &error);
    if (len == CURT_E_INTERNAL || len == CURT_E_ARGUMENT)
      raise_failure((int32_t)len, error);
    curt_error_free(error);
    if (len < 0)
      return Qnil;
    name.len = (size_t)len;
    if (name.len < capacity)
      break;
    capacity = name.len + 1;
    buffer = rb_alloc_tmp_buffer(&keep, (long)capacity);
  }
  RB_GC_GUARD(path);
  name.ptr = buffer;
  path = path_string(name);
  RB_GC_GUARD(keep);
  return path;
}

/* Converts a name to the encoding of the argument. If that fails, keeps the bytes and labels them
 * with the first encoding in which they are valid: the argument's, the system's or binary. */
static VALUE encoded_as(VALUE name, rb_encoding *encoding)
{
  rb_encoding *system = rb_filesystem_encoding();
  name = rb_enc_associate(rb_str_conv_enc(name, system, encoding), encoding);
  if (rb_enc_str_coderange(name) == ENC_CODERANGE_BROKEN)
    rb_enc_associate(name, system);
  if (rb_enc_str_coderange(name) == ENC_CODERANGE_BROKEN)
    rb_enc_associate(name, rb_ascii8bit_encoding());
  return name;
}

static VALUE own_realpath;

/* call-seq: realpath(path, dir = nil) -> string
 *
 * Returns the absolute path of an existing file without symlinks, <tt>.</tt> and <tt>..</tt>, like
 * File.realpath. A relative path starts at +dir+, or at the working directory. The result has the
 * encoding of +path+ if it is valid in that encoding.
 *
 * Takes 5 system calls on Linux. Paths that the system cannot resolve are passed to File.realpath,
 * which accepts a file in place of a directory: <tt>a.rb/../b.rb</tt>.
 *
 *   Curt.realpath("/usr/bin/..")      # => "/usr"
 *   Curt.realpath("../bin", "/usr/lib") # => "/usr/bin"
 */
VALUE curt_s_realpath(int argc, VALUE *argv, VALUE module)
{
  VALUE arguments[2], name;
  rb_scan_args(argc, argv, "11", &arguments[0], &arguments[1]);
  path_argument(&arguments[0]);
  name = canonical(NIL_P(arguments[1]) ? arguments[0] : join(&arguments[1], arguments[0]));
  return NIL_P(name) ? rb_method_call(2, arguments, own_realpath)
                     : encoded_as(name, rb_enc_get(arguments[0]));
}

void Init_realpath(void)
{
  own_realpath = rb_obj_method(rb_cFile, ID2SYM(rb_intern("realpath")));
  rb_gc_register_mark_object(own_realpath);
}
