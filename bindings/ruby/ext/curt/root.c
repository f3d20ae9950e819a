/* Files beneath a directory, opened by paths of strangers. */

#include "curt_ext.h"
#include <errno.h>
#include <ruby/io.h>
#include <ruby/version.h>
#include <unistd.h>

/* Ruby's lock guards it: the number of users is that of calls under way without the lock. */
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

/* Closes it, unless a call uses it: then the last one does. */
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
 * Closes the directory; once is enough. What was opened beneath it stays open. */
static VALUE m_close(VALUE self)
{
  root *of = rb_check_typeddata(self, &root_type);
  of->is_closed = 1;
  close_if_unused(of);
  return Qnil;
}

/* call-seq: closed? -> true or false
 *
 * Whether it was closed. */
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

/* `in_root:` and `strict:` as flags of libcurt. */
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
 * Opens a directory beneath which files are opened by paths from strangers. With a block, yields
 * it, closes it however the block ends, and returns what the block returns. Symbolic links in
 * +path+, which is yours, are followed. One system call.
 *
 * A path that would leave the directory is refused: by <tt>..</tt>, as an absolute path, through a
 * symbolic link, or because somebody replaces a directory meanwhile. With <tt>in_root: true</tt>
 * the directory is the root of all paths instead, as after +chroot+: <tt>/a</tt> and
 * <tt>../a</tt> are +a+ in it. With <tt>strict: true</tt> every link is refused, and every name
 * that means another file on some system: a device of Windows, a stream, a short name as
 * <tt>LONGNA~1</tt>, one that ends in a dot or a space. So a name that was checked against a list
 * is the name of what is opened, unless the file system ignores case.
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
  path_room room;
  root *of;
  rb_scan_args(argc, argv, "1:", &path, &options);
  opening.flags = root_flags(options);
  self = TypedData_Make_Struct(class, root, &root_type, of);
  opening.path = path_copy(&path, &room);
  run_call(open_root_unlocked, &opening);
  RB_GC_GUARD(room.longer);
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

/* Opens it. The root may be closed meanwhile, then its last user does that. */
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

/* Whether there are too many descriptors, some of which may be those of files that nobody has. */
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

/* Makes a File that owns the descriptor, as its last step. */
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

/* Makes it. An interrupt leaves no descriptor, and no File that would close it later. */
static VALUE file_of(file_making *making)
{
  int state = 0, later = 0;
  making->file = Qnil;
  rb_protect(make_file, (VALUE)making, &state);
  if (state == 0)
    return making->file;
  /* Ruby looks for interrupts behind each method, also the last. */
  if (!NIL_P(making->file))
    rb_protect(disown, making->file, &later);
  close(making->opened);
  rb_jump_tag(later != 0 ? later : state);
}

/* call-seq:
 *   open(path, mode = "r", perm = nil) -> file
 *   open(path, mode = "r", perm = nil) { |file| ... } -> object
 *
 * Opens a file beneath the root, as File.open does: +mode+ and +perm+ are its own, with encodings
 * and flags, and so is the File. It takes no keywords. With a block, yields it, closes it however
 * the block ends, and returns what the block returns. Nothing outside is opened, created or
 * emptied, whatever others change meanwhile. On Linux one system call opens it, and two more make a
 * File of it.
 *
 *   root.open("notes.txt", "a") { |file| file.puts("more") }
 *   root.open("new", File::WRONLY | File::CREAT | File::EXCL, 0600) { |file| file.write("x") }
 *
 * As File.open, it opens what has the name, also a directory or a device: ask
 * <tt>file.stat.file?</tt>. Unlike File.open it waits for nobody: a FIFO is open at once, or fails
 * with Errno::ENXIO where nobody reads; a file on which another program holds a lease fails with
 * Errno::EAGAIN.
 *
 * Raises Errno::EXDEV for a path that would leave the root, or that a strict root refuses, and
 * Errno::ELOOP for a link that it refuses; the message says why. Raises otherwise what File.open
 * raises, such as Errno::ENOENT, ArgumentError for a NUL, and IOError if the root is closed. Flags
 * for anything but files, such as File::TMPFILE, are an ArgumentError. */
static VALUE m_open(int argc, VALUE *argv, VALUE self)
{
  file_opening opening = { NULL, { NULL, 0 }, CURT_OPEN_OPTIONS_INIT, -1, 0, NULL };
  file_making making;
  VALUE path, mode, permissions, file;
  path_room room;
  rb_io_enc_t encodings;
  int flags, mode_bits;
  rb_scan_args(argc, argv, "12", &path, &mode, &permissions);
  open_root_of(self);
  opening.path = path_copy(&path, &room);
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
  RB_GC_GUARD(room.longer);
  if (opening.result != 0)
    raise_failure(opening.result, opening.error);
  making.opened = opening.opened;
  making.mode = NIL_P(mode) ? INT2FIX(flags) : mode;
  making.path = path;
  file = file_of(&making);
  RB_GC_GUARD(path);
  return rb_block_given_p() ? rb_ensure(rb_yield, file, rb_io_close, file) : file;
}

/* For RDoc: rb_mCurt = rb_define_module("Curt"); */

/* Document-class: Curt::Root
 *
 * A directory that nothing opened beneath it can leave: what a file server, or a program that
 * unpacks archives, opens by paths from strangers. Threads may share it; each Ractor opens its
 * own. */
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
