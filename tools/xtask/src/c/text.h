
/** Returns the text up to its NUL, or an empty text for NULL. */
#if defined(_WIN32)
static inline curt_str curt_z(const wchar_t *text)
#else
static inline curt_str curt_z(const char *text)
#endif
{
  curt_str units;
  units.ptr = (const curt_char *)text;
#if defined(_WIN32)
  units.len = text ? wcslen(text) : 0;
#else
  units.len = text ? strlen(text) : 0;
#endif
  return units;
}
