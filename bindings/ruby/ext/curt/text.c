#include "curt_ext.h"

curt_str path_argument(VALUE *path)
{
  curt_str text;
  *path = rb_get_path(*path);
  text.ptr = RSTRING_PTR(*path);
  text.len = (size_t)RSTRING_LEN(*path);
  return text;
}

curt_str path_copy(VALUE *path, path_buffer *buffer)
{
  curt_str text = path_argument(path);
  char *copy = buffer->most;
  buffer->longer = Qnil;
  if (text.len > sizeof buffer->most)
    copy = rb_alloc_tmp_buffer(&buffer->longer, (long)text.len);
  memcpy(copy, RSTRING_PTR(*path), text.len);
  text.ptr = copy;
  return text;
}

curt_str *path_arguments(VALUE paths, size_t *count, volatile VALUE *keep)
{
  VALUE strings = rb_ary_new();
  long i, len, size = 0;
  curt_str *texts;
  char *end;
  for (i = 0; i < RARRAY_LEN(paths); i++) {
    VALUE path = RARRAY_AREF(paths, i);
    path_argument(&path);
    rb_ary_push(strings, path);
    size += RSTRING_LEN(path);
  }
  len = RARRAY_LEN(strings);
  texts = rb_alloc_tmp_buffer(keep, size + len * (long)sizeof *texts);
  end = (char *)(texts + len);
  for (i = 0; i < len; i++) {
    VALUE path = RARRAY_AREF(strings, i);
    texts[i].ptr = end;
    texts[i].len = (size_t)RSTRING_LEN(path);
    memcpy(end, RSTRING_PTR(path), texts[i].len);
    end += texts[i].len;
  }
  RB_GC_GUARD(strings);
  *count = (size_t)len;
  return texts;
}

VALUE external_string(curt_str text, rb_encoding *encoding)
{
  rb_encoding *internal = rb_default_internal_encoding();
  VALUE string;
  if (encoding != rb_utf8_encoding() || (internal != NULL && internal != encoding))
    return rb_external_str_new_with_enc(text.ptr, (long)text.len, encoding);
  string = rb_str_new(text.ptr, (long)text.len);
  RB_ENCODING_SET_INLINED(string, rb_utf8_encindex());
  return string;
}

VALUE path_string(curt_str text)
{
  return rb_enc_str_new(text.ptr, (long)text.len, rb_filesystem_encoding());
}
