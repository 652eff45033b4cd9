/*
 * A cache of an adapter: which of many things of its memory, by number, are on the chip.
 *
 * Only presence is kept.  A touch finds the thing, or brings it in and sends another of its set away: the one
 * touched longest ago, or one at random.  The time that takes is the caller's.
 */
#ifndef HCA_CACHE_H
#define HCA_CACHE_H

#include <stdbool.h>
#include <stdint.h>

struct cache_cfg {
    uint32_t entries; /* 0: there is room for all, and nothing is counted as missing */
    uint32_t ways;    /* of a set; 0: one set of all.  Divides entries */
    bool random;      /* who goes is drawn */
};

struct cache;

/* NULL if cfg->entries is 0.  seed: of the draws. */
struct cache *cache_new(const struct cache_cfg *cfg, uint64_t seed);
void cache_free(struct cache *c);

/* Was it there?  Now it is.  c may be NULL: all are. */
bool cache_touch(struct cache *c, uint64_t key);
/* It is not any more, if it was. */
void cache_forget(struct cache *c, uint64_t key);

/* Touches so far, and those that found nothing. */
struct cache_counts {
    uint64_t touches, misses;
};
struct cache_counts cache_counts(const struct cache *c);

#endif
