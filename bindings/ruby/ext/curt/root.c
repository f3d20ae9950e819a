/* Opens files beneath a directory by untrusted paths.
 *
 * Calls run without the GVL, so another thread may close the root meanwhile. `users` counts the
 * calls in progress, and the last one closes the directory. */

#include "curt_ext.h"
#include <errno.h>
#include <ruby/io.h>
#include <ruby/version.h>
#include <unistd.h>

/* An open root, guarded by the GVL. */
typedef struct {
  curt_root *opened;
  size_t users;
  int is_closed;
} root;

static void free_root(void *object)
{
  curt_root_close(((root *)object)->opened);
  xfree(object);
}

static size_t size_of_root(const void *object)
{
  return sizeof(root);
}

static const rb_data_type_t root_type = {
  .wrap_struct_name = "Curt::Root",
  .function = { .dfree = free_root, .dsize = size_of_root },
  .flags = RUBY_TYPED_FREE_IMMEDIATELY | RUBY_TYPED_WB_PROTECTED,
};

static void close_if_unused(root *of)
{
  if (of->users != 0 || !of->is_closed)
    return;
  curt_root_close(of->opened);
  of->opened = NULL;
}

static root *open_root_of(VALUE self)
{
  root *of = rb_check_typeddata(self, &root_type);
  if (of->is_closed)
    rb_raise(rb_eIOError, "closed root");
  return of;
}

/* call-seq: close -> nil
 *
 * Closes the directory. Files opened beneath it remain open. */
static VALUE m_close(VALUE self)
{
  root *of = rb_check_typeddata(self, &root_type);
  of->is_closed = 1;
  close_if_unused(of);
  return Qnil;
}

/* call-seq: closed? -> true or false
 *
 * Returns whether the root is closed. */
static VALUE m_is_closed(VALUE self)
{
  root *of = rb_check_typeddata(self, &root_type);
  return of->is_closed ? Qtrue : Qfalse;
}

typedef struct {
  curt_str path;
  uint32_t flags;
  curt_root *opened;
  int32_t result;
  curt_error *error;
} root_opening;

static void *open_root_unlocked(void *argument)
{
  root_opening *opening = argument;
  opening->result =
      curt_root_open(opening->path, opening->flags, &opening->opened, &opening->error);
  return NULL;
}

static uint32_t root_flags(VALUE options)
{
  ID names[2];
  VALUE values[2];
  uint32_t flags = 0;
  if (NIL_P(options))
    return 0;
  names[0] = rb_intern("in_root");
  names[1] = rb_intern("strict");
  rb_get_kwargs(options, names, 0, 2, values);
  if (values[0] != Qundef && RTEST(values[0]))
    flags |= CURT_ROOT_IN_ROOT;
  if (values[1] != Qundef && RTEST(values[1]))
    flags |= CURT_ROOT_STRICT;
  return flags;
}

/* call-seq:
 *   open(path, in_root: false, strict: false) -> root
 *   open(path, in_root: false, strict: false) { |root| ... } -> object
 *
 * Opens a directory that confines untrusted paths. With a block, yields the root, closes it when
 * the block ends, and returns the block's result. +path+ is trusted, and its symlinks are followed.
 * Costs one system call.
 *
 * The root refuses a path that would leave it: by <tt>..</tt>, as an absolute path, through a
 * symlink, or because a directory is replaced meanwhile. With
 * <tt>in_root: true</tt> the directory is the root of all paths instead, as after +chroot+:
 * <tt>/a</tt> and <tt>../a</tt> mean +a+. With <tt>strict: true</tt> it refuses every symlink, and
 * names that mean a different file on some system: Windows devices, streams, short names such as
 * <tt>LONGNA~1</tt>, and names that end in a dot or a space. So a checked name is the name of the
 * opened file, unless the filesystem ignores case.
 *
 *   Curt::Root.open("project", strict: true) do |root|
 *     root.open("src/main.rb", "rb") { |file| file.read }
 *   end
 *   # => "text"
 *
 * Raises a SystemCallError, such as Errno::ENOENT or Errno::ENOTDIR. */
static VALUE s_open(int argc, VALUE *argv, VALUE class)
{
  root_opening opening = { { NULL, 0 }, 0, NULL, 0, NULL };
  VALUE path, options, self;
  path_buffer buffer;
  root *of;
  rb_scan_args(argc, argv, "1:", &path, &options);
  opening.flags = root_flags(options);
  self = TypedData_Make_Struct(class, root, &root_type, of);
  opening.path = path_copy(&path, &buffer);
  run_call(open_root_unlocked, &opening);
  RB_GC_GUARD(buffer.longer);
  of->opened = opening.opened;
  if (opening.result != 0)
    raise_failure(opening.result, opening.error);
  return rb_block_given_p() ? rb_ensure(rb_yield, self, m_close, self) : self;
}

typedef struct {
  const root *beneath;
  curt_str path;
  curt_open_options options;
  curt_fd opened;
  int32_t result;
  curt_error *error;
} file_opening;

static void *open_file_unlocked(void *argument)
{
  file_opening *opening = argument;
  opening->result = curt_root_open_file(opening->beneath->opened, opening->path, &opening->options,
                                        &opening->opened, &opening->error);
  return NULL;
}

static void open_beneath(VALUE self, file_opening *opening)
{
  int is_called = 0;
  while (!is_called) {
    root *of = open_root_of(self);
    opening->beneath = of;
    of->users++;
    is_called = try_call(open_file_unlocked, opening);
    of->users--;
    close_if_unused(of);
    if (!is_called)
      rb_thread_check_ints();
  }
  RB_GC_GUARD(self);
}

/* Returns whether descriptors ran out. Garbage collection may free some. */
static int lacks_descriptors(const file_opening *opening)
{
  curt_error_info info = CURT_ERROR_INFO_INIT;
  if (opening->result != CURT_E_OS)
    return 0;
  curt_error_get(opening->error, &info);
  return info.os_error == EMFILE || info.os_error == ENFILE;
}

typedef struct {
  curt_fd opened;
  VALUE mode;
  VALUE path;
  volatile VALUE file;
} file_making;

static VALUE set_owner(VALUE file, VALUE is_owner)
{
  return rb_funcall(file, rb_intern("autoclose="), 1, is_owner);
}

/* Creates a File. As the last step, makes it own the descriptor. */
static VALUE make_file(VALUE argument)
{
  file_making *making = (void *)argument;
  VALUE arguments[3];
  arguments[0] = INT2NUM(making->opened);
  arguments[1] = making->mode;
  arguments[2] = rb_hash_new();
  rb_hash_aset(arguments[2], ID2SYM(rb_intern("autoclose")), Qfalse);
#if RUBY_API_VERSION_CODE >= 30200
  rb_hash_aset(arguments[2], ID2SYM(rb_intern("path")), making->path);
#endif
  making->file = rb_funcallv_kw(rb_cFile, rb_intern("for_fd"), 3, arguments, RB_PASS_KEYWORDS);
#if RUBY_API_VERSION_CODE < 30200
  RFILE(making->file)->fptr->pathv = making->path;
#endif
  return set_owner(making->file, Qtrue);
}

static VALUE disown(VALUE file)
{
  return set_owner(file, Qfalse);
}

/* Returns a File. If an interrupt raises, closes the descriptor, and the File never closes it
 * again. */
static VALUE file_of(file_making *making)
{
  int state = 0, later = 0;
  making->file = Qnil;
  rb_protect(make_file, (VALUE)making, &state);
  if (state == 0)
    return making->file;
  /* Ruby checks for interrupts after each method, even the last, when the File is complete. */
  if (!NIL_P(making->file))
    rb_protect(disown, making->file, &later);
  close(making->opened);
  rb_jump_tag(later != 0 ? later : state);
}

/* call-seq:
 *   open(path, mode = "r", perm = nil) -> file
 *   open(path, mode = "r", perm = nil) { |file| ... } -> object
 *
 * Opens a file beneath the root, like File.open, with the same +mode+, +perm+, block and result,
 * but without keywords. Never opens, creates or truncates a file outside the root, whatever other
 * processes change meanwhile. On Linux takes one system call, plus two to create the File.
 *
 *   root.open("notes.txt", "a") { |file| file.puts("more") }
 *   root.open("new", File::WRONLY | File::CREAT | File::EXCL, 0600) { |file| file.write("x") }
 *
 * Like File.open, opens directories and devices too: check <tt>file.stat.file?</tt>. Unlike
 * File.open, does not wait for other programs: a FIFO opens at once, or fails with Errno::ENXIO if
 * it has no reader, and a file leased by another program fails with Errno::EAGAIN.
 *
 * Raises Errno::EXDEV for a path that would leave the root or that a strict root refuses, and
 * Errno::ELOOP for a refused symlink; the message gives the reason. Otherwise raises the errors of
 * File.open. Raises IOError if the root is closed, and ArgumentError for flags that do not open
 * files, such as File::TMPFILE. */
static VALUE m_open(int argc, VALUE *argv, VALUE self)
{
  file_opening opening = { NULL, { NULL, 0 }, CURT_OPEN_OPTIONS_INIT, -1, 0, NULL };
  file_making making;
  VALUE path, mode, permissions, file;
  path_buffer buffer;
  rb_io_enc_t encodings;
  int flags, mode_bits;
  rb_scan_args(argc, argv, "12", &path, &mode, &permissions);
  open_root_of(self);
  opening.path = path_copy(&path, &buffer);
  rb_io_extract_modeenc(&mode, &permissions, Qnil, &flags, &mode_bits, &encodings);
  opening.options.flags = CURT_OPEN_SYSTEM | CURT_OPEN_NONBLOCKING_OPEN;
  opening.options.system_flags = flags;
  opening.options.mode = NIL_P(permissions) ? 0666 : NUM2MODET(permissions) & 07777;
  open_beneath(self, &opening);
  if (lacks_descriptors(&opening)) {
    curt_error_free(opening.error);
    rb_gc();
    open_beneath(self, &opening);
  }
  RB_GC_GUARD(buffer.longer);
  if (opening.result != 0)
    raise_failure(opening.result, opening.error);
  making.opened = opening.opened;
  making.mode = NIL_P(mode) ? INT2FIX(flags) : mode;
  making.path = path;
  file = file_of(&making);
  RB_GC_GUARD(path);
  return rb_block_given_p() ? rb_ensure(rb_yield, file, rb_io_close, file) : file;
}

/* Document-class: Curt::Root
 *
 * A directory that confines untrusted paths, for example in a file server. Threads may share it;
 * each Ractor opens its own. */
void Init_root(void)
{
  VALUE class = rb_define_class_under(rb_mCurt, "Root", rb_cObject);
  rb_undef_alloc_func(class);
  rb_undef_method(CLASS_OF(class), "new");
  rb_define_singleton_method(class, "open", s_open, -1);
  rb_define_method(class, "open", m_open, -1);
  rb_define_method(class, "close", m_close, 0);
  rb_define_method(class, "closed?", m_is_closed, 0);
}
