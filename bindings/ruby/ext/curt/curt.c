#include "curt_ext.h"

VALUE rb_mCurt;

RUBY_FUNC_EXPORTED void Init_curt(void)
{
  rb_ext_ractor_safe(true);
  rb_mCurt = rb_define_module("Curt");
  if (curt_abi() < CURT_ABI)
    rb_raise(rb_eLoadError, "libcurt is older than the one that curt was built with");
  Init_lookup();
  Init_remove();
  Init_root();
  Init_expand();
  Init_install();
  Init_usage();
  Init_which();
  Init_dir();
  Init_find();
  Init_realpath();
}
