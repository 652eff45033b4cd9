/*
 * Building error messages: the innermost function says what is wrong, each caller puts in front
 * where that was.  The result reads as one sentence.
 */
#ifndef READER_FAIL_H
#define READER_FAIL_H

#include <stdbool.h>

#include "scenarios/reader/scenario.h"

/* Sets the message; always returns false, so that `return sc_fail(...)` ends a function. */
bool sc_fail(struct sc_error *err, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Puts text in front of the message; always returns false. */
bool sc_fail_at(struct sc_error *err, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
