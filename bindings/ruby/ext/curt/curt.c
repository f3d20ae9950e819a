#include "curt_ext.h"

VALUE rb_mCurt;

RUBY_FUNC_EXPORTED void Init_curt(void)
{
  rb_ext_ractor_safe(true);
  /* Operations of +File+, +FileUtils+, +Find+ and +Dir+ in few system calls, by libcurt. */
  rb_mCurt = rb_define_module("Curt");
  if (curt_abi() < CURT_ABI)
    rb_raise(rb_eLoadError, "libcurt is older than the one that curt was built with");
  Init_lookup();
  Init_remove();
  Init_copy();
  Init_root();
  Init_expand();
  Init_install();
  Init_usage();
  Init_find();
  Init_realpath();
  /* RDoc finds the functions by the comments "in FILE.c". */
  rb_define_singleton_method(rb_mCurt, "expand_path", curt_s_expand_path, -1); /* in expand.c */
  rb_define_singleton_method(rb_mCurt, "absolute_path", curt_s_absolute_path, -1); /* in expand.c */
  rb_define_singleton_method(rb_mCurt, "refresh", curt_s_refresh, 0); /* in expand.c */
  rb_define_singleton_method(rb_mCurt, "children", curt_s_children, -1); /* in dir.c */
  rb_define_singleton_method(rb_mCurt, "realpath", curt_s_realpath, -1); /* in realpath.c */
  rb_define_singleton_method(rb_mCurt, "which", curt_s_which, -1); /* in which.c */
}
