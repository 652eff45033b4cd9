/*
 * Time: integer picoseconds, so that one byte at 400 Gb/s is 20 and a run is
 * the same on every machine.  64 bits last 106 days of simulated time.
 */
#ifndef SIM_BASE_TM_H
#define SIM_BASE_TM_H

#include <stdint.h>

typedef int64_t tm_ps;

#define TM_NEVER INT64_MAX /* no deadline */
#define TM_NS ((tm_ps)1000)
#define TM_US ((tm_ps)1000000)
#define TM_MS ((tm_ps)1000000000)
#define TM_S ((tm_ps)1000000000000)

/*
 * Serialisation time of `bytes` at `rate_bps`: ceil(bytes * 8 * 10^12 / rate), in ps.
 * rate_bps must not be 0.  The exact value: the product is formed in 128 bits.
 */
static inline tm_ps tm_serialise(uint64_t bytes, uint64_t rate_bps)
{
    unsigned __int128 bits_ps = (unsigned __int128)bytes * 8u * 1000000000000u;
    return (tm_ps)((bits_ps + rate_bps - 1) / rate_bps);
}

static inline tm_ps tm_min(tm_ps a, tm_ps b) { return a < b ? a : b; }
static inline tm_ps tm_max(tm_ps a, tm_ps b) { return a > b ? a : b; }

/* t * milli / 1000, rounded down; without overflow where the result fits. */
static inline tm_ps tm_milli(tm_ps t, uint32_t milli)
{
    return t / 1000 * milli + t % 1000 * milli / 1000;
}

/* a + b for non-negative operands, TM_NEVER where it would pass the end of time. */
static inline tm_ps tm_add(tm_ps a, tm_ps b)
{
    tm_ps sum;
    return __builtin_add_overflow(a, b, &sum) ? TM_NEVER : sum;
}

#endif
