/* Replacements of C methods for `require "curt/install"`. */

#include "curt_ext.h"

/* Raises TypeError for keywords, as Ruby's methods do, because they become a Hash, not a path. */
static void check_no_keywords(int argc, const VALUE *argv)
{
  if (rb_keyword_given_p())
    rb_get_path(argv[argc - 1]);
}

static VALUE installed_expand_path(int argc, VALUE *argv, VALUE file)
{
  check_no_keywords(argc, argv);
  return curt_s_expand_path(argc, argv, file);
}

static VALUE installed_absolute_path(int argc, VALUE *argv, VALUE file)
{
  check_no_keywords(argc, argv);
  return curt_s_absolute_path(argc, argv, file);
}

void Init_install(void)
{
  /* :nodoc: */
  VALUE installed = rb_define_module_under(rb_mCurt, "Installed");
  rb_define_method(installed, "expand_path", installed_expand_path, -1);
  rb_define_method(installed, "absolute_path", installed_absolute_path, -1);
  rb_define_method(installed, "children", curt_s_children, -1);
}
