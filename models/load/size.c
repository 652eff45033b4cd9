/*
 * Message sizes: fixed, a list in turn, a distribution.
 *
 * Probabilities are fractions of 2^63, so a draw is compared exactly and nothing is rounded before the
 * size itself.
 */
#include "models/load/load.h"

/* The size at probability p (below 2^63) of a distribution. */
static uint64_t at_probability(const struct load_size *s, uint64_t p)
{
    uint32_t lo = 0, hi = s->count - 1; /* the first point whose cumulative is above p */
    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (s->cumulative[mid] > p)
            hi = mid;
        else
            lo = mid + 1;
    }
    if (lo == 0)
        return s->bytes[0];
    uint64_t from = s->cumulative[lo - 1], width = s->cumulative[lo] - from;
    uint64_t rise = s->bytes[lo] - s->bytes[lo - 1];
    if (width == 0)
        return s->bytes[lo];
    return s->bytes[lo - 1] + (uint64_t)((unsigned __int128)rise * (p - from) / width);
}

uint64_t load_size_at(const struct load_size *s, uint64_t draw, uint64_t n)
{
    switch (s->kind) {
    case LOAD_SIZE_FIXED:
        return s->bytes[0];
    case LOAD_SIZE_LIST:
        return s->bytes[n % s->count];
    case LOAD_SIZE_CDF: {
        uint64_t bytes = at_probability(s, draw >> 1);
        return bytes ? bytes : 1;
    }
    }
    return 0;
}

static uint64_t mean_of_list(const struct load_size *s)
{
    unsigned __int128 sum = 0;
    for (uint32_t i = 0; i < s->count; i++)
        sum += s->bytes[i];
    return (uint64_t)(sum / s->count);
}

/* The first point's probability is a lump at its size; between points the density is even. */
static uint64_t mean_of_cdf(const struct load_size *s)
{
    unsigned __int128 twice = (unsigned __int128)s->bytes[0] * s->cumulative[0] * 2;
    for (uint32_t i = 1; i < s->count; i++)
        twice += (unsigned __int128)(s->bytes[i] + s->bytes[i - 1]) *
                 (s->cumulative[i] - s->cumulative[i - 1]);
    return (uint64_t)(twice >> 64);
}

uint64_t load_size_mean(const struct load_size *s)
{
    switch (s->kind) {
    case LOAD_SIZE_FIXED:
        return s->bytes[0];
    case LOAD_SIZE_LIST:
        return mean_of_list(s);
    case LOAD_SIZE_CDF:
        return mean_of_cdf(s);
    }
    return 0;
}

uint64_t load_size_max(const struct load_size *s)
{
    uint64_t most = 0;
    for (uint32_t i = 0; i < s->count; i++)
        if (s->bytes[i] > most)
            most = s->bytes[i];
    return most;
}
