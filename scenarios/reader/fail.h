/*
 * Building error messages: the innermost function says what is wrong, each caller puts in front
 * where that was.  The result reads as one sentence.
 */
#ifndef READER_FAIL_H
#define READER_FAIL_H

#include <stdbool.h>

#include "scenarios/reader/scenario.h"

static inline bool sc_false(void) { return false; }

/* Sets the message.  Its value is false, in sight of the compiler: `return sc_fail(...)`. */
#define sc_fail(...) (sc_error_set(__VA_ARGS__), sc_false())

/* Puts text in front of the message; false likewise. */
#define sc_fail_at(...) (sc_error_put_before(__VA_ARGS__), sc_false())

void sc_error_set(struct sc_error *err, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void sc_error_put_before(struct sc_error *err, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* "PATH: cannot be read: why"; file_error: the code of g_file_get_contents's GError. */
void sc_fail_unread(struct sc_error *err, const char *path, int file_error);

#endif
