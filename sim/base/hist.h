/*
 * A streaming histogram of non-negative times or sizes.
 *
 * Log buckets of at most 1 % width (128 to an octave: 0.78 %), exact below 128; count, sum,
 * min and max are exact.  Two histograms add up bucket by bucket, so a total does not
 * depend on who counted what.  Memory is fixed: it does not grow with the run.
 */
#ifndef SIM_BASE_HIST_H
#define SIM_BASE_HIST_H

#include <stdint.h>

#define HIST_SUB 128
#define HIST_BUCKETS (HIST_SUB + (63 - 7) * HIST_SUB) /* values up to 2^63 - 1 */

struct hist {
    uint64_t count;
    unsigned __int128 sum;
    int64_t min, max; /* meaningful when count > 0 */
    uint64_t bucket[HIST_BUCKETS];
};

/* A zeroed struct is an empty histogram.  value must not be negative (CHECKed). */
void hist_add(struct hist *h, int64_t value);
void hist_merge(struct hist *into, const struct hist *from);

/*
 * Nearest rank: the upper edge of the bucket that holds the ceil(num/den * count)-th smallest,
 * clamped to [min, max].  0 when empty.
 */
int64_t hist_quantile(const struct hist *h, uint64_t num, uint64_t den);

/* Mean rounded half up to an integer; 0 when empty. */
int64_t hist_mean(const struct hist *h);

#endif
