/*
 * See cache.h.  A set is a row of ways on a list from the one touched last to the one touched first; where
 * a key is, a table of open addressing tells.
 *
 * Invariants: the list of a set holds its occupied entries, each once; the table holds their keys and no
 * others, at least half of it stays empty.
 */
#include "models/hca/cache.h"

#include <stdlib.h>

#include "sim/base/check.h"
#include "sim/base/rng.h"

#define NONE UINT32_MAX

struct entry {
    uint64_t key;
    uint32_t newer, older; /* in the set's list; NONE at its ends */
    bool used;
};

struct set {
    uint32_t newest, oldest, count;
};

struct cache {
    struct entry *entry; /* set by set */
    struct set *set;
    uint32_t *slot; /* 1 + index of an entry; 0: empty */
    uint64_t slot_mask;
    uint32_t ways, sets;
    bool random;
    struct rng_stream draw;
    struct cache_counts n;
};

/* ---- where a key is ---------------------------------------------------------------------------- */

static uint64_t home(const struct cache *c, uint64_t key)
{
    return rng_mix(key + 1) & c->slot_mask;
}

/* The slot that holds the key, or the empty one where it would be put. */
static uint64_t find(const struct cache *c, uint64_t key)
{
    uint64_t s = home(c, key);
    while (c->slot[s] && c->entry[c->slot[s] - 1].key != key)
        s = (s + 1) & c->slot_mask;
    return s;
}

/* What stands behind a slot that empties moves up, unless it is where it belongs. */
static void empty_slot(struct cache *c, uint64_t s)
{
    uint64_t next = s;
    for (;;) {
        next = (next + 1) & c->slot_mask;
        if (!c->slot[next])
            break;
        uint64_t wanted = home(c, c->entry[c->slot[next] - 1].key);
        if (((next - wanted) & c->slot_mask) < ((next - s) & c->slot_mask))
            continue;
        c->slot[s] = c->slot[next];
        s = next;
    }
    c->slot[s] = 0;
}

/* ---- a set's list ------------------------------------------------------------------------------- */

static void unlink_entry(struct cache *c, struct set *set, uint32_t i)
{
    const struct entry *e = &c->entry[i];
    *(e->newer == NONE ? &set->newest : &c->entry[e->newer].older) = e->older;
    *(e->older == NONE ? &set->oldest : &c->entry[e->older].newer) = e->newer;
    set->count--;
}

static void link_newest(struct cache *c, struct set *set, uint32_t i)
{
    c->entry[i].newer = NONE;
    c->entry[i].older = set->newest;
    *(set->newest == NONE ? &set->oldest : &c->entry[set->newest].newer) = i;
    set->newest = i;
    set->count++;
}

/* The set's first entry that is free; it has one. */
static uint32_t free_entry(const struct cache *c, uint32_t first)
{
    uint32_t i = first;
    while (c->entry[i].used)
        i++;
    return i;
}

static void leave(struct cache *c, struct set *set, uint32_t i)
{
    empty_slot(c, find(c, c->entry[i].key));
    unlink_entry(c, set, i);
    c->entry[i].used = false;
}

static void enter(struct cache *c, uint32_t of, uint64_t key)
{
    struct set *set = &c->set[of];
    uint32_t first = of * c->ways, i;
    if (set->count == c->ways) {
        i = c->random ? first + (uint32_t)rng_below(&c->draw, c->ways) : set->oldest;
        leave(c, set, i);
    } else {
        /* sets fill from their front as long as nothing is forgotten */
        i = first + set->count;
        if (c->entry[i].used)
            i = free_entry(c, first);
    }
    c->entry[i].key = key;
    c->entry[i].used = true;
    link_newest(c, set, i);
    c->slot[find(c, key)] = i + 1;
}

bool cache_touch(struct cache *c, uint64_t key)
{
    if (!c)
        return true;
    c->n.touches++;
    uint32_t at = c->slot[find(c, key)];
    uint32_t of = at ? (at - 1) / c->ways : (uint32_t)(rng_mix(key) % c->sets);
    if (!at) {
        c->n.misses++;
        enter(c, of, key);
    } else if (c->set[of].newest != at - 1) {
        unlink_entry(c, &c->set[of], at - 1);
        link_newest(c, &c->set[of], at - 1);
    }
    return at != 0;
}

void cache_forget(struct cache *c, uint64_t key)
{
    uint32_t at = c ? c->slot[find(c, key)] : 0;
    if (at)
        leave(c, &c->set[(at - 1) / c->ways], at - 1);
}

struct cache_counts cache_counts(const struct cache *c)
{
    return c ? c->n : (struct cache_counts){0};
}

struct cache *cache_new(const struct cache_cfg *cfg, uint64_t seed)
{
    if (cfg->entries == 0)
        return NULL;
    struct cache *c = calloc(1, sizeof *c);
    CHECK(c != NULL);
    c->ways = cfg->ways ? cfg->ways : cfg->entries;
    CHECK(cfg->entries % c->ways == 0);
    c->sets = cfg->entries / c->ways;
    c->random = cfg->random;
    c->draw = (struct rng_stream){.key = seed};
    c->slot_mask = 1;
    while (c->slot_mask < 2 * (uint64_t)cfg->entries)
        c->slot_mask <<= 1;
    c->slot = calloc(c->slot_mask, sizeof *c->slot);
    c->slot_mask--;
    c->entry = calloc(cfg->entries, sizeof *c->entry);
    c->set = calloc(c->sets, sizeof *c->set);
    CHECK(c->slot && c->entry && c->set);
    for (uint32_t i = 0; i < c->sets; i++)
        c->set[i] = (struct set){NONE, NONE, 0};
    return c;
}

void cache_free(struct cache *c)
{
    if (!c)
        return;
    free(c->slot);
    free(c->entry);
    free(c->set);
    free(c);
}
