/* One directory, trees, and canonical names. */

#include "curt_ext.h"

/* call-seq: realpath(path) -> string */
static VALUE s_realpath(VALUE module, VALUE path)
{
  curt_str text = path_argument(&path);
  curt_char buffer[1024];
  curt_error *error;
  VALUE copy;
  ptrdiff_t len = curt_canonical(text, 0, buffer, sizeof buffer, &error);
  if (len >= 0 && (size_t)len < sizeof buffer) {
    curt_str name = { buffer, (size_t)len };
    RB_GC_GUARD(path);
    return path_string(name);
  }
  while (len >= 0) {
    size_t capacity = (size_t)len + 1;
    copy = rb_enc_str_new(NULL, len, rb_filesystem_encoding());
    len = curt_canonical(text, 0, (curt_char *)RSTRING_PTR(copy), capacity, &error);
    if (len >= 0 && (size_t)len < capacity) {
      rb_str_set_len(copy, len);
      RB_GC_GUARD(path);
      return copy;
    }
  }
  raise_failure((int32_t)len, error);
}

void Init_trees(void)
{
  rb_define_singleton_method(rb_mCurt, "realpath", s_realpath, 1);
}
