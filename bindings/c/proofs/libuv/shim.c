/* A replacement, with the same arguments and results, for `search_path` of libuv's
 * src/win/process.c, which includes this file. */
#include "curt.h"

/* session.sh sets a different policy, for a libuv that is patched to try more extensions. */
#ifndef POLICY
#define POLICY CURT_POLICY_LIBUV
#define PATHEXT NULL
#endif

static WCHAR* search_path(const WCHAR* file,
                          WCHAR* cwd,
                          const WCHAR* path,
                          unsigned int flags) {
  curt_search_options options = CURT_SEARCH_OPTIONS_INIT;
  /* With libuv's flag for exact names, a name with a directory is first tried unchanged, as in
   * Zig. */
  int exact = flags & UV_PROCESS_WINDOWS_FILE_PATH_EXACT_NAME && wcspbrk(file, L"\\/:") != NULL;
  ptrdiff_t length = MAX_PATH;
  ptrdiff_t capacity;
  WCHAR* result = NULL;

  options.policy = exact ? CURT_POLICY_ZIG : POLICY;
  /* Only NoDefaultCurrentDirectoryInExePath is read from the environment; the rest is set here. */
  options.flags = CURT_SEARCH_ENVIRONMENT;
  options.path = curt_z(path);
  options.pathext = curt_z(exact ? L".com;.exe" : PATHEXT);
  options.base = curt_z(cwd);
  do {
    capacity = length + 1;
    result = uv__reallocf(result, capacity * sizeof(*result));
    if (result == NULL)
      return NULL;
    length = curt_find_once(&options, curt_z(file), (curt_char*) result, capacity, NULL, NULL);
  } while (length >= capacity);
  if (length < 0) {
    uv__free(result);
    return NULL;
  }
  return result;
}
