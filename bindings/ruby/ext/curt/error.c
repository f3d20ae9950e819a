/* Failures of libcurt as Ruby's exceptions. */

#include "curt_ext.h"
#include <errno.h>

/* The error number for a refusal of libcurt that is about the file system, or 0. */
static int error_number(int32_t result)
{
  switch (result) {
  case CURT_E_REPLACED:
    return ESTALE;
  case CURT_E_LOOP:
  case CURT_E_FIND_LINK_LOOP:
  case CURT_E_REFUSED_LINK:
    return ELOOP;
  case CURT_E_KEPT_MOUNT_POINT:
  case CURT_E_KEPT_ROOT:
    return EBUSY;
  case CURT_E_KEPT_BEING_WRITTEN_TO:
    return ENOTEMPTY;
  case CURT_E_KEPT_DOT:
    return EINVAL;
  case CURT_E_KEPT_OTHER_FILE_SYSTEM:
    return EXDEV;
  case CURT_E_KEPT_DIRECTORY:
    return EISDIR;
  case CURT_E_KEPT_LINK:
    return ENOTDIR;
  case CURT_E_FIND_NOT_FOUND:
  case CURT_E_FIND_ONLY_IN_CWD:
  case CURT_E_FIND_RELATIVE:
  case CURT_E_FIND_NO_BASE:
  case CURT_E_FIND_INVALID_NAME:
    return ENOENT;
  case CURT_E_FIND_NOT_EXECUTABLE:
  case CURT_E_FIND_DENIED:
    return EACCES;
  case CURT_E_FIND_NAME_TOO_LONG:
    return ENAMETOOLONG;
  case CURT_E_REFUSED_EMPTY:
    return ENOENT;
  case CURT_E_REFUSED_NUL:
  case CURT_E_REFUSED_ENCODING:
    return 0;
  case CURT_E_OTHER:
    return ENOTSUP;
  default:
    /* The other reasons to refuse a path all say that it does not stay beneath the root. */
    return result <= -60 && result > -80 ? EXDEV : 0;
  }
}

/* As Ruby names operations in its messages: "No such file or directory @ stat - path". */
static const char *operation_name(int32_t operation)
{
  switch (operation) {
  case CURT_OP_REMOVE:
    return "remove";
  case CURT_OP_REMOVE_FILE:
    return "remove_file";
  case CURT_OP_REMOVE_DIRECTORY:
    return "remove_directory";
  case CURT_OP_OPEN_DIRECTORY:
    return "open_directory";
  case CURT_OP_READ_DIRECTORY:
    return "read_directory";
  case CURT_OP_STAT:
    return "stat";
  case CURT_OP_READ_LINK:
    return "read_link";
  case CURT_OP_ACCESS:
    return "access";
  case CURT_OP_READ_OWNER:
    return "read_owner";
  case CURT_OP_OPEN:
    return "open";
  case CURT_OP_CANONICALIZE:
    return "canonicalize";
  case CURT_OP_FIND:
    return "find";
  default:
    return NULL;
  }
}

/* Of a message and, where it is known, the operation. */
static VALUE system_call_error(int number, VALUE message, const char *operation)
{
  VALUE arguments[3];
  arguments[0] = message;
  arguments[1] = INT2FIX(number);
  arguments[2] = operation != NULL ? rb_str_new_cstr(operation) : Qnil;
  return rb_class_new_instance(operation != NULL ? 3 : 2, arguments, rb_eSystemCallError);
}

static VALUE exception(int32_t result, VALUE message, const char *operation)
{
  if (error_number(result) != 0)
    return system_call_error(error_number(result), message, operation);
  return rb_exc_new_str(result == CURT_E_INTERNAL ? rb_eRuntimeError : rb_eArgError, message);
}

static VALUE exception_of(VALUE error)
{
  curt_error_info info = CURT_ERROR_INFO_INIT;
  const char *operation;
  curt_error_get((const curt_error *)error, &info);
  operation = operation_name(info.operation);
  if (info.result == CURT_E_OS || info.result == CURT_E_REFUSED_EMPTY)
    return system_call_error(info.os_error != 0 ? info.os_error : error_number(info.result),
                             path_string(info.path), operation);
  return exception(info.result, rb_utf8_str_new(info.text, (long)info.text_len), operation);
}

void raise_failure(int32_t result, curt_error *error)
{
  VALUE raised;
  int state = 0;
  if (error == NULL)
    rb_exc_raise(exception(result, rb_utf8_str_new_cstr(curt_text(result)), NULL));
  raised = rb_protect(exception_of, (VALUE)error, &state);
  curt_error_free(error);
  if (state != 0)
    rb_jump_tag(state);
  rb_exc_raise(raised);
}
