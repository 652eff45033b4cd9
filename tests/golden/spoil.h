/*
 * The comparison put to the test: one field of a capture that passes is spoiled, and the capture must
 * no longer pass.
 */
#ifndef GOLDEN_SPOIL_H
#define GOLDEN_SPOIL_H

#include "sim/base/rng.h"
#include "tests/golden/runs.h"

/* Fields that the comparison looks at, and that the capture has. */
uint32_t spoil_fields(const struct capture *c);

/* What a field was before, and its name with both values. */
struct spoilt {
    int64_t *number;
    char *letter;
    int64_t was, values;
    char text[160];
};

/* The n-th of them gets another value that it might have had. */
struct spoilt spoil(struct capture *c, uint32_t n, struct rng_stream *draw);
void spoil_undo(const struct spoilt *s);

#endif
