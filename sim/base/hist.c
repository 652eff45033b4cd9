/*
 * The log histogram's arithmetic: a value's top bit picks the octave, the next seven its bucket.
 *
 * Invariant: count is the sum of all buckets, and every counted value lies in [min, max] and
 * within its bucket's edges.  No division by a variable, so that nothing is linked for it.
 */
#include "sim/base/hist.h"

#include "sim/base/check.h"

#define SUB_BITS 7 /* HIST_SUB = 1 << SUB_BITS */
_Static_assert(HIST_SUB == 1 << SUB_BITS, "buckets of an octave");

static uint32_t bucket_of(uint64_t value)
{
    if (value < HIST_SUB)
        return (uint32_t)value;
    uint32_t octave = 63u - (uint32_t)__builtin_clzll(value) - SUB_BITS;
    return octave * HIST_SUB + (uint32_t)(value >> octave);
}

/* The largest value that falls into a bucket. */
static int64_t upper_edge(uint32_t bucket)
{
    if (bucket < HIST_SUB)
        return (int64_t)bucket;
    uint32_t octave = bucket / HIST_SUB - 1;
    uint64_t step = HIST_SUB + bucket % HIST_SUB;
    return (int64_t)(((step + 1) << octave) - 1);
}

void hist_add(struct hist *h, int64_t value)
{
    CHECK(value >= 0);
    if (h->count == 0 || value < h->min)
        h->min = value;
    if (h->count == 0 || value > h->max)
        h->max = value;
    h->count++;
    h->sum += (uint64_t)value;
    h->bucket[bucket_of((uint64_t)value)]++;
}

void hist_merge(struct hist *into, const struct hist *from)
{
    if (from->count == 0)
        return;
    if (into->count == 0 || from->min < into->min)
        into->min = from->min;
    if (into->count == 0 || from->max > into->max)
        into->max = from->max;
    into->count += from->count;
    into->sum += from->sum;
    for (uint32_t i = 0; i < HIST_BUCKETS; i++)
        into->bucket[i] += from->bucket[i];
}

int64_t hist_quantile(const struct hist *h, uint64_t num, uint64_t den)
{
    if (h->count == 0)
        return 0;
    CHECK(den > 0 && num <= den);
    unsigned __int128 wanted = (unsigned __int128)num * h->count; /* rank * den */
    uint64_t seen = 0;
    uint32_t i = 0;
    for (; i < HIST_BUCKETS; i++) {
        seen += h->bucket[i];
        if (seen > 0 && (unsigned __int128)seen * den >= wanted)
            break;
    }
    CHECK(i < HIST_BUCKETS);
    int64_t edge = upper_edge(i);
    return edge < h->min ? h->min : edge > h->max ? h->max : edge;
}

/* The mean lies in [min, max]: bisect for the largest m with (2m - 1) * count <= 2 * sum. */
int64_t hist_mean(const struct hist *h)
{
    if (h->count == 0)
        return 0;
    uint64_t lo = (uint64_t)h->min, hi = (uint64_t)h->max;
    while (lo < hi) {
        uint64_t mid = lo + (hi - lo + 1) / 2; /* > lo >= 0 */
        unsigned __int128 whole = (unsigned __int128)(mid - 1) * h->count;
        if (whole + (h->count + 1) / 2 <= h->sum)
            lo = mid;
        else
            hi = mid - 1;
    }
    return (int64_t)lo;
}
