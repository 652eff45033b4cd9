/* Ranges of values: `lo..hi step S` and `lo..hi log N`. */
#ifndef READER_SPAN_H
#define READER_SPAN_H

#include "scenarios/reader/keys.h"

/* Does the text look like a range?  A file name with two points in it does not. */
bool span_is(const char *text);

/* Appends the values' texts (to be freed) to out.  false with *err. */
bool span_values(const struct key *k, const char *text, GPtrArray *out, struct sc_error *err);

/* The i-th of n points from lo to hi at equal ratios, rounded to the nearest integer; 0 < lo <= hi,
 * i < n, n >= 2.  Integers only, so that a sweep is the same on every machine. */
uint64_t span_log_point(uint64_t lo, uint64_t hi, uint32_t i, uint32_t n);

#endif
