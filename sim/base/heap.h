/*
 * An indexed 4-ary min-heap over memory that the caller gives.
 *
 * Items are (time, order): order is unique within a heap, so the sequence in which
 * they come out depends on nothing but the keys.  `id` (below `ids`) names the item's
 * owner, which has at most one item in the heap; `pos` tells where, 0 = absent.
 * The heap grows nothing and holds no pointer but the two it was given.
 */
#ifndef SIM_BASE_HEAP_H
#define SIM_BASE_HEAP_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/base/tm.h"

struct heap_item {
    tm_ps at;
    uint32_t order; /* breaks ties: rank in the top bits, entity below */
    uint32_t id;
};

struct heap {
    struct heap_item *item; /* item[0 .. count-1] */
    uint32_t *pos;          /* pos[id]: 1 + index in item, 0 = not queued; zeroed by the caller */
    uint32_t count;
    uint32_t cap; /* room in item */
};

/* Puts id's item at (at, order), or moves it there if it is queued.  Room is CHECKed. */
void heap_set(struct heap *h, uint32_t id, tm_ps at, uint32_t order);

/* Takes id's item out; nothing happens if it is not queued. */
void heap_remove(struct heap *h, uint32_t id);

/* Replaces the root's time by a later one (same owner, same order): one sift. */
void heap_delay_top(struct heap *h, tm_ps at);

static inline bool heap_has(const struct heap *h, uint32_t id) { return h->pos[id] != 0; }
static inline const struct heap_item *heap_top(const struct heap *h)
{
    return h->count ? &h->item[0] : 0;
}

#endif
