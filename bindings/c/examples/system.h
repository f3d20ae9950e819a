/* Makes the examples work on Unix and Windows. mingw needs the option -municode for UTF-16
 * arguments. */
#ifndef SYSTEM_H
#define SYSTEM_H

#include <curt.h>
#include <stdio.h>

#ifdef _WIN32
#include <windows.h>
typedef wchar_t os_char;
#define MAIN wmain
#else
typedef char os_char;
#define MAIN main
#endif

/* Writes a path: its bytes, or UTF-8 on Windows. */
static inline void print(FILE *to, curt_str text)
{
#ifdef _WIN32
    char bytes[3 * 256];
    size_t done = 0;
    while (done < text.len) {
        int units = (int)(text.len - done < 256 ? text.len - done : 256);
        int length;
        /* Keep surrogate pairs together. */
        if (units == 256 && text.ptr[done + 255] >= 0xd800 && text.ptr[done + 255] < 0xdc00)
            units--;
        length = WideCharToMultiByte(CP_UTF8, 0, (const wchar_t *)text.ptr + done, units, bytes,
                                     sizeof bytes, NULL, NULL);
        fwrite(bytes, 1, (size_t)length, to);
        done += (size_t)units;
    }
#else
    fwrite(text.ptr, 1, text.len, to);
#endif
}

static inline void complain(const char *program, curt_error *error)
{
    curt_error_info info = CURT_ERROR_INFO_INIT;
    curt_error_get(error, &info);
    fprintf(stderr, "%s: %s\n", program, info.text);
    curt_error_free(error);
}

#endif
