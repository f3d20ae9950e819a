#include "curt_ext.h"

static VALUE without_number(int32_t result, VALUE message)
{
  return rb_exc_new_str(result == CURT_E_INTERNAL ? rb_eRuntimeError : rb_eArgError, message);
}

/* As FileUtils refuses a copy onto or into itself. */
static VALUE itself(const curt_error_info *info)
{
  const char *format = info->result == CURT_E_COPY_SAME_ENTRY
                           ? "same file: %"PRIsVALUE" and %"PRIsVALUE
                           : "cannot copy directory %"PRIsVALUE" to itself %"PRIsVALUE;
  VALUE source = path_string(info->path);
  return rb_exc_new_str(rb_eArgError, rb_sprintf(format, source, path_string(info->destination)));
}

VALUE exception_of(const curt_error_info *info)
{
  VALUE message, arguments[3];
  if (info->result == CURT_E_COPY_SAME_ENTRY || info->result == CURT_E_COPY_INTO_ITSELF)
    return itself(info);
  /* Ruby appends the text of an errno itself. */
  message = info->reason == NULL ? path_string(info->path)
                                 : rb_utf8_str_new(info->text, (long)info->text_len);
  if (info->os_error == 0 || info->result == CURT_E_ARGUMENT || info->result == CURT_E_INTERNAL)
    return without_number(info->result, message);
  /* The message becomes "No such file or directory @ stat - path". */
  arguments[0] = message;
  arguments[1] = INT2FIX(info->os_error);
  arguments[2] = rb_str_new_cstr(info->operation);
  return rb_class_new_instance(3, arguments, rb_eSystemCallError);
}

static VALUE protected_exception_of(VALUE error)
{
  curt_error_info info = CURT_ERROR_INFO_INIT;
  curt_error_get((const curt_error *)error, &info);
  return exception_of(&info);
}

void raise_failure(int32_t result, curt_error *error)
{
  VALUE raised;
  int state = 0;
  if (error == NULL)
    rb_exc_raise(without_number(result, rb_utf8_str_new_cstr(curt_text(result))));
  raised = rb_protect(protected_exception_of, (VALUE)error, &state);
  curt_error_free(error);
  if (state != 0)
    rb_jump_tag(state);
  rb_exc_raise(raised);
}
