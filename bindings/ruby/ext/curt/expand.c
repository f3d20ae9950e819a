/* Expands paths without touching the disk.
 *
 * The common case, a short path in one ASCII-compatible encoding under POSIX rules, goes to
 * libcurt. Rare cases and those that must fail go to Ruby's own method, which defines the exact
 * result. */

#include "curt_ext.h"
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

enum { MOST = 4096 };

/* The expander for POSIX rules. Immutable, so that threads and Ractors can share it. */
static curt_expander *full_posix;

/* Counts changes of the working directory. */
static atomic_uint changes = 1;

/* Each thread caches the working directory, with the value of `changes` at that time. Querying it
 * for each relative path would cost more than everything else. */
static _Thread_local struct {
  unsigned at;
  size_t len;
  char text[1024];
} cwd;

/* Calls Ruby's own method: for home directories, for mixed encodings unless all text is ASCII, for
 * long texts, and if the working directory has no name. */
static VALUE by_ruby(VALUE path, VALUE dir, int tilde)
{
  return tilde ? rb_file_expand_path(path, dir) : rb_file_absolute_path(path, dir);
}

static int contains_ascii(int encoding)
{
  return encoding == rb_utf8_encindex() || rb_enc_asciicompat(rb_enc_from_index(encoding));
}

/* Converts an argument as Ruby does, or raises Ruby's errors. Returns a String unchanged; Ruby
 * would make a frozen copy. */
static VALUE text_argument(VALUE text)
{
  if (RB_TYPE_P(text, T_STRING) && contains_ascii(RB_ENCODING_GET(text)) &&
      memchr(RSTRING_PTR(text), '\0', (size_t)RSTRING_LEN(text)) == NULL)
    return text;
  return rb_get_path(text);
}

static int begins_with(VALUE text, char letter)
{
  return RSTRING_LEN(text) > 0 && RSTRING_PTR(text)[0] == letter;
}

static int is_ascii(const char *text, size_t len)
{
  uint64_t word, all = 0;
  for (; len >= sizeof word; len -= sizeof word, text += sizeof word) {
    memcpy(&word, text, sizeof word);
    all |= word;
  }
  for (; len > 0; len--)
    all |= (uint64_t)(unsigned char)*text++;
  return (all & UINT64_C(0x8080808080808080)) == 0;
}

static VALUE folded(const char *text, size_t len, int encoding)
{
  char full[MOST];
  VALUE string;
  ptrdiff_t written = curt_expand_bytes(full_posix, text, len, full, MOST);
  if (written < 0)
    raise_failure((int32_t)written, NULL);
  string = rb_str_new(full, (long)written);
  RB_ENCODING_SET(string, encoding);
  return string;
}

/* Returns the cached working directory, or NULL if Ruby must expand the path. */
static const char *working_directory(size_t *len)
{
  unsigned now = atomic_load(&changes);
  if (cwd.at != now) {
    if (getcwd(cwd.text, sizeof cwd.text) == NULL)
      return NULL;
    cwd.len = strlen(cwd.text);
    cwd.at = now;
  }
  *len = cwd.len;
  return cwd.text;
}

/* Appends text, after a slash unless there is one. Leading slashes of the text remain. */
static char *append(const char *joined, char *end, const char *text, size_t len)
{
  if (end != joined && end[-1] != '/')
    *end++ = '/';
  memcpy(end, text, len);
  return end + len;
}

/* Joins the parts, then removes dots and extra slashes from the whole path. Doing this part by part
 * would differ only below a home directory, which Ruby leaves as it is. */
static VALUE joined_path(VALUE path, VALUE dir, int tilde)
{
  char joined[MOST], *end = joined;
  size_t path_len = (size_t)RSTRING_LEN(path), dir_len = 0, start_len = 0;
  const char *start = NULL;
  int encoding = RB_ENCODING_GET(NIL_P(dir) ? path : dir);
  int is_same = encoding == RB_ENCODING_GET(path);
  if (!NIL_P(dir))
    dir_len = (size_t)RSTRING_LEN(dir);
  if (NIL_P(dir) || !begins_with(dir, '/')) {
    start = working_directory(&start_len);
    if (start == NULL)
      return by_ruby(path, dir, tilde);
  }
  if (start_len + dir_len + path_len + 2 >= MOST)
    return by_ruby(path, dir, tilde);
  if (start != NULL)
    end = append(joined, end, start, start_len);
  if (!NIL_P(dir))
    end = append(joined, end, RSTRING_PTR(dir), dir_len);
  end = append(joined, end, RSTRING_PTR(path), path_len);
  if (encoding == rb_usascii_encindex() || !is_ascii(joined, (size_t)(end - joined))) {
    if (!is_same || (start != NULL && encoding != rb_filesystem_encindex()))
      return by_ruby(path, dir, tilde);
  }
  return folded(joined, (size_t)(end - joined), encoding);
}

static VALUE posix_path(VALUE path, VALUE dir, int tilde)
{
  int is_full = begins_with(path, '/');
  if (is_full && RSTRING_LEN(path) < MOST)
    return folded(RSTRING_PTR(path), (size_t)RSTRING_LEN(path), RB_ENCODING_GET(path));
  if (is_full || (tilde && (begins_with(path, '~') || (!NIL_P(dir) && begins_with(dir, '~')))))
    return by_ruby(path, dir, tilde);
  return joined_path(path, dir, tilde);
}

static int is_separator(char letter)
{
  return letter == '/' || letter == '\\';
}

static VALUE windows_home(void)
{
  const char *home = getenv("HOME"), *drive = getenv("HOMEDRIVE"), *rest = getenv("HOMEPATH");
  VALUE text;
  if (home == NULL && drive != NULL) {
    if (rest == NULL)
      return Qnil;
    text = rb_enc_str_new_cstr(drive, rb_filesystem_encoding());
    return rb_str_cat_cstr(text, rest);
  }
  if (home == NULL)
    home = getenv("USERPROFILE");
  return home != NULL ? rb_enc_str_new_cstr(home, rb_filesystem_encoding()) : Qnil;
}

/* Returns the encoding in which to read a text. Binary and US-ASCII text is read as Latin-1, which
 * preserves every byte. The characters that differ in Windows-1252 have no meaning in a path. */
static rb_encoding *readable(rb_encoding *encoding)
{
  int is_bytes = encoding == rb_usascii_encoding() || encoding == rb_ascii8bit_encoding();
  return is_bytes ? rb_enc_find("ISO-8859-1") : encoding;
}

static rb_encoding *utf16(void)
{
#ifdef WORDS_BIGENDIAN
  return rb_enc_find("UTF-16BE");
#else
  return rb_enc_find("UTF-16LE");
#endif
}

static VALUE transcoded(VALUE text, rb_encoding *from, rb_encoding *to)
{
  VALUE copy = rb_str_dup(text);
  rb_enc_associate(copy, from);
  return rb_str_encode(copy, rb_enc_from_encoding(to), 0, Qnil);
}

static VALUE text_of_width(VALUE text, rb_encoding *encoding, uint32_t width)
{
  if (NIL_P(text))
    return Qnil;
  if (width == 1)
    return rb_str_conv_enc(text, encoding, rb_utf8_encoding());
  return transcoded(text, readable(encoding), utf16());
}

static const void *start_of(VALUE text)
{
  return NIL_P(text) ? NULL : RSTRING_PTR(text);
}

static size_t units_of(VALUE text, uint32_t width)
{
  return NIL_P(text) ? 0 : (size_t)RSTRING_LEN(text) / width;
}

/* Opens an expander for one text. Must not raise, because the expander would remain open. */
static ptrdiff_t expand_once(const curt_expand_options *options, VALUE text, void *buffer,
                             size_t capacity)
{
  curt_expander *expander;
  size_t len = units_of(text, options->width);
  ptrdiff_t written = curt_expander_open(options, &expander, NULL);
  if (written < 0)
    return written;
  if (options->width == 1)
    written = curt_expand_bytes(expander, start_of(text), len, buffer, capacity);
  else
    written = curt_expand_units(expander, start_of(text), len, buffer, capacity);
  curt_expander_close(expander);
  return written;
}

static void raise_windows(int32_t result, VALUE path, VALUE dir)
{
  VALUE text = begins_with(path, '~') ? path : dir;
  if (result == CURT_E_EXPAND_NO_HOME)
    rb_raise(rb_eArgError, "couldn't find HOME environment -- expanding `~'");
  if (result == CURT_E_EXPAND_HOME_RELATIVE)
    rb_raise(rb_eArgError, "non-absolute home");
  if (result == CURT_E_EXPAND_NO_USER && !NIL_P(text)) {
    rb_encoding *encoding = rb_enc_get(text);
    const char *user = RSTRING_PTR(text) + 1, *end = RSTRING_END(text), *at = user;
    while (at < end && !is_separator(*at))
      at += rb_enc_mbclen(at, end, encoding);
    rb_enc_raise(encoding, rb_eArgError, "can't find user %.*s", (int)(at - user), user);
  }
  raise_failure(result, NULL);
}

/* Returns whether the path is `~` or starts with `~/`. `~:` is a drive, and `~user` an error. */
static int is_at_home(VALUE path)
{
  return begins_with(path, '~') &&
         (RSTRING_LEN(path) == 1 || is_separator(RSTRING_PTR(path)[1]));
}

static VALUE windows_path(VALUE path, VALUE dir, int tilde)
{
  curt_expand_options options = CURT_EXPAND_OPTIONS_INIT;
  rb_encoding *encoding = NIL_P(dir) ? rb_enc_get(path) : rb_enc_check(path, dir);
  VALUE home = Qnil, text, base, full;
  size_t capacity;
  ptrdiff_t len;
  if (tilde) {
    home = windows_home();
    if (is_at_home(path) && rb_enc_str_asciionly_p(path))
      encoding = rb_filesystem_encoding();
  }
  /* In other encodings the second byte of a character can equal a separator. Bytes of UTF-8 and
   * code units of UTF-16 cannot. */
  options.width = encoding == rb_utf8_encoding() ? 1 : 2;
  text = text_of_width(path, encoding, options.width);
  base = text_of_width(dir, encoding, options.width);
  home = text_of_width(home, rb_filesystem_encoding(), options.width);
  options.flavor = CURT_FLAVOR_WINDOWS;
  options.style = CURT_STYLE_RUBY;
  options.flags = tilde ? CURT_EXPAND_TILDE : 0;
  options.base = start_of(base);
  options.base_len = units_of(base, options.width);
  options.home = start_of(home);
  options.home_len = units_of(home, options.width);
  len = (ptrdiff_t)(units_of(text, options.width) + options.base_len + options.home_len + 8);
  do {
    capacity = (size_t)len + 1;
    full = rb_str_new(NULL, (long)(capacity * options.width));
    len = expand_once(&options, text, RSTRING_PTR(full), capacity);
  } while (len >= (ptrdiff_t)capacity);
  RB_GC_GUARD(text);
  RB_GC_GUARD(base);
  RB_GC_GUARD(home);
  if (len < 0)
    raise_windows((int32_t)len, path, dir);
  rb_str_resize(full, (long)len * options.width);
  if (options.width == 2)
    full = transcoded(full, utf16(), readable(encoding));
  rb_enc_associate(full, encoding);
  return full;
}

static int is_windows(VALUE options)
{
  ID keyword = rb_intern("flavor");
  VALUE flavor;
  rb_get_kwargs(options, &keyword, 0, 1, &flavor);
  if (flavor == ID2SYM(rb_intern("windows")))
    return 1;
  if (flavor != Qundef && !NIL_P(flavor) && flavor != ID2SYM(rb_intern("posix")))
    rb_raise(rb_eArgError, "flavor must be :windows, :posix or nil, not %+" PRIsVALUE, flavor);
  return 0;
}

static VALUE full_path(int argc, const VALUE *argv, int tilde)
{
  VALUE path, dir, options = Qnil, full;
  int windows = 0;
  if (argc > 0 && RB_TYPE_P(argv[argc - 1], T_HASH) && rb_keyword_given_p()) {
    rb_scan_args(argc, argv, "11:", &path, &dir, &options);
    if (!NIL_P(options))
      windows = is_windows(options);
  } else {
    rb_check_arity(argc, 1, 2);
    path = argv[0];
    dir = argc > 1 ? argv[1] : Qnil;
  }
  if (NIL_P(dir) || RB_TYPE_P(dir, T_STRING)) {
    path = text_argument(path);
  } else {
    /* Copy the path, because `to_path` of the directory could change it. */
    path = rb_get_path(path);
  }
  if (!NIL_P(dir))
    dir = text_argument(dir);
  full = windows ? windows_path(path, dir, tilde) : posix_path(path, dir, tilde);
  RB_GC_GUARD(path);
  RB_GC_GUARD(dir);
  return full;
}

/*
 * call-seq:
 *   expand_path(path, dir = nil, flavor: nil) -> string
 *
 * Makes a path absolute without querying the disk, like File.expand_path. The result has the
 * encoding of the path. A relative path starts at +dir+ or the working directory.
 *
 *   Curt.expand_path("../lib/./set.rb", "/usr/bin")  #=> "/usr/lib/set.rb"
 *
 * <tt>flavor: :windows</tt> applies the rules of Ruby on Windows, on any system, but keeps a short
 * name, whereas Ruby queries the disk for the long form of the last name. Drives have no working
 * directory, so a relative path raises ArgumentError unless +dir+ has a drive or a share.
 * <tt>~</tt> reads +HOME+, or +HOMEDRIVE+ and +HOMEPATH+, or +USERPROFILE+. Characters that cannot
 * be transcoded raise EncodingError.
 *
 *   Curt.expand_path("..\\b.", "C:/x/a", flavor: :windows)  #=> "C:/x/b"
 *
 * Expansion does not make an untrusted path safe: see Curt::Root.
 *
 * Raises the errors of File.expand_path: TypeError, ArgumentError for a NUL and for an unknown or
 * relative home directory, and Encoding::CompatibilityError for encodings without ASCII and for two
 * that cannot be joined.
 *
 * Makes no system call, except for the first relative path after Dir.chdir, and for home
 * directories from the user database. See Curt.refresh.
 */
VALUE curt_s_expand_path(int argc, VALUE *argv, VALUE module)
{
  return full_path(argc, argv, 1);
}

/*
 * call-seq:
 *   absolute_path(path, dir = nil, flavor: nil) -> string
 *
 * Like Curt.expand_path, but <tt>~</tt> is an ordinary name, as for File.absolute_path.
 *
 *   Curt.absolute_path("~", "/a/b")  #=> "/a/b/~"
 */
VALUE curt_s_absolute_path(int argc, VALUE *argv, VALUE module)
{
  return full_path(argc, argv, 0);
}

/*
 * call-seq: refresh -> nil
 *
 * Forgets the cached working directory. Call this after the directory was renamed or removed, or C
 * code changed it. Dir.chdir and similar methods call it themselves.
 */
VALUE curt_s_refresh(VALUE module)
{
  atomic_fetch_add(&changes, 1);
  return Qnil;
}

void Init_expand(void)
{
  curt_expand_options options = CURT_EXPAND_OPTIONS_INIT;
  curt_error *error;
  int32_t result;
  options.flavor = CURT_FLAVOR_POSIX;
  options.style = CURT_STYLE_RUBY;
  result = curt_expander_open(&options, &full_posix, &error);
  if (result < 0)
    raise_failure(result, error);
}
