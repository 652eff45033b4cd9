/*
 * Results of a sweep that has not run: its points with every metric 1.
 *
 * What [plot] and [expect] ask of results is tried on them first, so that a wrong name or a point that
 * is not there costs a second and not the sweep.
 */
#ifndef RUN_DRY_H
#define RUN_DRY_H

#include "scenarios/run/results.h"

struct dry {
    struct results results; /* one repetition of every point */
    bool has_buckets;       /* buckets.csv will be there */
};

/* ov: the command line's; check: [check] applies.  false with what is wrong with the scenario. */
bool dry_make(const struct sc_file *f, const struct sc_override *ov, uint32_t n, bool check,
              struct dry *out, struct sc_error *err);
void dry_clear(struct dry *d);

#endif
