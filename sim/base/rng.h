/*
 * Random numbers without state to share: a draw is a hash of (seed, entity kind,
 * entity id, purpose, n), so one more host or one more thread changes nobody
 * else's draws.  Integer only: the same bytes on every machine.
 */
#ifndef SIM_BASE_RNG_H
#define SIM_BASE_RNG_H

#include <stdbool.h>
#include <stdint.h>

/* The finaliser of splitmix64 (Steele, Lea, Flood 2014): a bijection of 64 bits. */
static inline uint64_t rng_mix(uint64_t x)
{
    x ^= x >> 30;
    x *= 0xbf58476d1ce4e5b9u;
    x ^= x >> 27;
    x *= 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

/* Who draws.  Values are part of what a seed means: append, never renumber. */
enum rng_kind { RNG_LINK = 1, RNG_HOST = 2, RNG_QP = 3, RNG_FLOW = 4, RNG_RUN = 5, RNG_RULE = 6 };

/* One entity's draws for one purpose: the n-th is rng_mix of a point on its own walk. */
struct rng_stream {
    uint64_t key; /* hash of (seed, kind, id, purpose) */
    uint64_t n;   /* draws taken */
};

static inline struct rng_stream rng_stream(uint64_t seed, enum rng_kind kind, uint64_t id,
                                           uint32_t purpose)
{
    uint64_t k = rng_mix(seed + 0x9e3779b97f4a7c15u);
    k = rng_mix(k ^ ((uint64_t)kind << 32 | purpose));
    return (struct rng_stream){rng_mix(k + rng_mix(id + 0x632be59bd9b4e019u)), 0};
}

/* The next 64 uniform bits. */
static inline uint64_t rng_next(struct rng_stream *s)
{
    return rng_mix(s->key + 0x9e3779b97f4a7c15u * ++s->n);
}

/* Uniform in 0 .. n-1; n must not be 0.  Multiply-shift: the bias is below n / 2^64. */
static inline uint64_t rng_below(struct rng_stream *s, uint64_t n)
{
    return (uint64_t)((unsigned __int128)rng_next(s) * n >> 64);
}

/*
 * A probability as a threshold on 64 bits: an event of probability p happens when
 * rng_next() < threshold.  UINT64_MAX stands for certainty and is tested as such.
 */
static inline bool rng_hits(struct rng_stream *s, uint64_t threshold)
{
    return threshold != 0 && (rng_next(s) < threshold || threshold == UINT64_MAX);
}

#endif
