/* Paths and names. */

#include "curt_ext.h"

curt_str path_argument(VALUE *path)
{
  curt_str text;
  *path = rb_get_path(*path);
  text.ptr = (const curt_char *)RSTRING_PTR(*path);
  text.len = (size_t)RSTRING_LEN(*path);
  return text;
}

VALUE path_string(curt_str text)
{
  return rb_enc_str_new((const char *)text.ptr, (long)text.len, rb_filesystem_encoding());
}
