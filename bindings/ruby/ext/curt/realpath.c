/* Canonical names. */

#include "curt_ext.h"

/* The path from a directory, unless it is absolute. Bytes are joined, as Ruby does here. */
static VALUE join(VALUE dir, VALUE path)
{
  VALUE whole;
  path_argument(&path);
  path_argument(&dir);
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
  curt_char most[1024], *buffer = most;
  size_t capacity = sizeof most;
  volatile VALUE keep = Qnil;
  curt_error *error;
  curt_str name = { NULL, 0 };
  for (;;) {
    ptrdiff_t len = curt_canonical(text, 0, buffer, capacity, &error);
    if (len < 0)
      raise_failure((int32_t)len, error);
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

/* Converts a name to the encoding of the path that led to it. Where that cannot be, its bytes stay,
 * in the first of that encoding, the system's and binary in which they are valid. */
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

/* call-seq: realpath(path, dir = nil) -> string
 *
 * Returns the absolute path without links, <tt>.</tt> and <tt>..</tt> of what +path+ leads to, as
 * File.realpath does: a relative path begins at +dir+, or else at the working directory. All of it
 * must exist, otherwise Errno::ENOENT is raised. The encoding is that of +path+, if
 * the result is valid in it.
 *
 * Takes 5 calls of the system on Linux.
 *
 *   Curt.realpath("/usr/bin/..")      # => "/usr"
 *   Curt.realpath("../bin", "/usr/lib") # => "/usr/bin"
 */
static VALUE s_realpath(int argc, VALUE *argv, VALUE module)
{
  VALUE path, dir;
  rb_scan_args(argc, argv, "11", &path, &dir);
  path_argument(&path);
  return encoded_as(canonical(NIL_P(dir) ? path : join(dir, path)), rb_enc_get(path));
}

/* For RDoc: rb_mCurt = rb_define_module("Curt"); */
void Init_realpath(void)
{
  rb_define_singleton_method(rb_mCurt, "realpath", s_realpath, -1);
}
