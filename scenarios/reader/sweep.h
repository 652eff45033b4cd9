/*
 * One line of [sweep]: keys that vary together and the values that they take.
 */
#ifndef READER_SWEEP_H
#define READER_SWEEP_H

#include "scenarios/reader/fail.h"

#define SWEEP_VALUES_MAX 10000u

struct sweep_axis {
    char **key;     /* "group.key": keys of them */
    uint32_t keys;
    char **value;   /* values * keys texts, the values of one step together */
    uint32_t values;
};

/* name: left of the =, text: right of it.  false with *err, without the place. */
bool sweep_axis_parse(const char *name, const char *text, struct sweep_axis *out,
                      struct sc_error *err);
void sweep_axis_clear(struct sweep_axis *a);

#endif
