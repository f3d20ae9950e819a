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

/* The texts, and behind them the Strings, which are marked there and so not moved. */
curt_str *path_arguments(VALUE paths, size_t *count, volatile VALUE *keep)
{
  long i, len = RARRAY_LEN(paths);
  curt_str *texts = rb_alloc_tmp_buffer2(keep, len, sizeof(curt_str) + sizeof(VALUE));
  VALUE *strings = (VALUE *)(texts + len);
  MEMZERO(strings, VALUE, len);
  for (i = 0; i < len && i < RARRAY_LEN(paths); i++) {
    strings[i] = RARRAY_AREF(paths, i);
    texts[i] = path_argument(&strings[i]);
  }
  *count = (size_t)i;
  return texts;
}

VALUE path_string(curt_str text)
{
  return rb_enc_str_new((const char *)text.ptr, (long)text.len, rb_filesystem_encoding());
}
