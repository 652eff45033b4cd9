/*
 * Error messages in a buffer of fixed size.  What does not fit is cut off at the end, where the
 * least important words are; control characters of the user's file never reach the terminal.
 */
#include "scenarios/reader/fail.h"

#include <glib.h>
#include <stdarg.h>
#include <string.h>

/* A damaged file may be quoted: what a terminal would act on becomes '?'. */
static void make_printable(char *s)
{
    for (; *s; s++)
        if ((unsigned char)*s < 0x20 || *s == 0x7f)
            *s = '?';
}

void sc_error_set(struct sc_error *err, const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    vsnprintf(err->text, sizeof err->text, format, ap);
    va_end(ap);
    make_printable(err->text);
}

void sc_error_put_before(struct sc_error *err, const char *format, ...)
{
    struct sc_error was = *err;
    va_list ap;
    va_start(ap, format);
    int len = vsnprintf(err->text, sizeof err->text, format, ap);
    va_end(ap);
    if (len >= 0 && (size_t)len < sizeof err->text) {
        size_t room = sizeof err->text - (size_t)len;
        size_t rest = strlen(was.text);
        size_t take = rest < room ? rest : room - 1;
        memcpy(err->text + len, was.text, take);
        err->text[(size_t)len + take] = 0;
    }
    make_printable(err->text);
}

/*
 * The reason in the system's own words: by then errno has changed, and GLib's message has words
 * and quotes of its own.
 */
void sc_fail_unread(struct sc_error *err, const char *path, int file_error)
{
    int e = 1;
    while (e < 256 && (int)g_file_error_from_errno(e) != file_error)
        e++;
    if (file_error == G_FILE_ERROR_FAILED || e == 256)
        sc_error_set(err, "%s: cannot be read", path);
    else
        sc_error_set(err, "%s: cannot be read: %s", path, g_strerror(e));
}
