/*
 * Statistics over a few repetitions.
 */
#ifndef ANALYSIS_STATS_H
#define ANALYSIS_STATS_H

#include <stdint.h>

struct stats {
    uint32_t count;
    double sum, least, most;
};

/* A zeroed struct holds nothing.  A value that is no number counts for nothing. */
void stats_add(struct stats *s, double value);
/* NaN when nothing was added. */
double stats_mean(const struct stats *s);

#endif
