/*
 * The natural logarithm in integers.
 *
 * u / 2^64 = m * 2^-k with m in [sqrt(1/2), sqrt(2)): -ln(u / 2^64) = k ln 2 - ln m, and
 * ln m = 2 atanh((m - 1) / (m + 1)), whose series converges by a factor of 34 a term.
 */
#include "models/load/dist.h"

#define Q 62                            /* fraction bits inside */
#define LN2_Q62 3196577161300663915     /* ln 2 * 2^62 */
#define SQRT2_Q63 13043817825332782212u /* sqrt(2) * 2^63 */

/* 2 atanh(z) for |z| <= 0.172, all in 2^-62. */
static int64_t two_atanh(int64_t z)
{
    int64_t square = (int64_t)((__int128)z * z >> Q);
    int64_t power = z, sum = z;
    for (int n = 3; power != 0 && n <= 27; n += 2) {
        power = (int64_t)((__int128)power * square >> Q);
        sum += power / n;
    }
    return 2 * sum;
}

uint64_t load_neg_ln(uint64_t u)
{
    if (u == 0)
        u = 1;
    int zeros = __builtin_clzll(u);
    uint64_t m = u << zeros; /* m / 2^63 in [1, 2), u / 2^64 = m / 2^63 * 2^-(zeros + 1) */
    int halvings = zeros + 1;
    unsigned one = 63;
    if (m >= SQRT2_Q63) { /* the same bits read as m / 2^64 in [sqrt(1/2), 1) */
        halvings--;
        one = 64;
    }
    __int128 unit = (__int128)1 << one;
    int64_t z = (int64_t)((((__int128)m - unit) << Q) / ((__int128)m + unit));
    __int128 sum = (__int128)halvings * LN2_Q62 - two_atanh(z);
    return sum <= 0 ? 0 : (uint64_t)(sum >> (Q - DIST_ONE_BITS));
}

tm_ps load_exponential(uint64_t mean_ps256, uint64_t u)
{
    unsigned __int128 product = (unsigned __int128)mean_ps256 * load_neg_ln(u);
    return (tm_ps)(product >> (DIST_ONE_BITS + 8));
}
