/*
 * The event queue's heap: 4-ary, so that a sift touches half the levels of a binary one and the
 * four children of a node share a cache line (4 * 16 bytes).
 *
 * Invariant: for every i > 0, key(item[(i - 1) / 4]) < key(item[i]), and pos[item[i].id] == i + 1.
 *
 * Keys are compared as one 128-bit number: comparisons then compile to cmp/sbb and the choice of
 * the least child to conditional moves, where branches would be mispredicted half of the time.
 */
#include "sim/base/heap.h"

#include "sim/base/check.h"

static inline __int128 key_of(const struct heap_item *it)
{
    return (__int128)it->at << 64 | it->order;
}

static inline void put(struct heap *h, uint32_t i, const struct heap_item *it)
{
    h->item[i] = *it;
    h->pos[it->id] = i + 1;
}

/* Moves the hole at i towards the root until `it` fits, and fills it. */
static void sift_up(struct heap *h, uint32_t i, struct heap_item it)
{
    __int128 key = key_of(&it);
    while (i > 0) {
        uint32_t parent = (i - 1) / 4;
        if (key_of(&h->item[parent]) < key)
            break;
        put(h, i, &h->item[parent]);
        i = parent;
    }
    put(h, i, &it);
}

/* The least of up to four children that start at `first`, which exists. */
static inline uint32_t least_child(const struct heap *h, uint32_t first)
{
    const struct heap_item *c = h->item;
    if (__builtin_expect(first + 3 < h->count, 1)) {
        uint32_t a = key_of(&c[first + 1]) < key_of(&c[first]) ? first + 1 : first;
        uint32_t b = key_of(&c[first + 3]) < key_of(&c[first + 2]) ? first + 3 : first + 2;
        return key_of(&c[b]) < key_of(&c[a]) ? b : a;
    }
    uint32_t least = first;
    for (uint32_t i = first + 1; i < h->count; i++)
        least = key_of(&c[i]) < key_of(&c[least]) ? i : least;
    return least;
}

/* Moves the hole at i towards the leaves until `it` fits, and fills it. */
static void sift_down(struct heap *h, uint32_t i, struct heap_item it)
{
    __int128 key = key_of(&it);
    for (;;) {
        uint32_t first = 4 * i + 1;
        if (first >= h->count)
            break;
        uint32_t least = least_child(h, first);
        if (key < key_of(&h->item[least]))
            break;
        put(h, i, &h->item[least]);
        i = least;
    }
    put(h, i, &it);
}

/* Fills the hole at i, where the item that was there had the key `was`. */
static void refill(struct heap *h, uint32_t i, __int128 was, struct heap_item it)
{
    if (key_of(&it) < was)
        sift_up(h, i, it);
    else
        sift_down(h, i, it);
}

void heap_set(struct heap *h, uint32_t id, tm_ps at, uint32_t order)
{
    struct heap_item it = {at, order, id};
    uint32_t p = h->pos[id];
    if (p == 0) {
        CHECK(h->count < h->cap);
        sift_up(h, h->count++, it);
        return;
    }
    refill(h, p - 1, key_of(&h->item[p - 1]), it);
}

void heap_remove(struct heap *h, uint32_t id)
{
    uint32_t p = h->pos[id];
    if (p == 0)
        return;
    uint32_t i = p - 1;
    CHECK(i < h->count && h->item[i].id == id);
    __int128 was = key_of(&h->item[i]);
    struct heap_item last = h->item[--h->count];
    h->pos[id] = 0;
    if (i < h->count)
        refill(h, i, was, last);
}

void heap_delay_top(struct heap *h, tm_ps at)
{
    CHECK(h->count > 0 && at >= h->item[0].at);
    struct heap_item it = h->item[0];
    it.at = at;
    sift_down(h, 0, it);
}
