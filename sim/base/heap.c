/*
 * The event queue's heap: 4-ary, so that a sift touches half the levels of a binary one and the
 * four children of a node share a cache line (if item[1] starts one).
 *
 * Invariant: for every i > 0, key(item[(i - 1) / 4]) < key(item[i]), and pos[item[i].id] == i + 1.
 *
 * The least of four children is computed, not branched for: which one it is cannot be predicted.
 * Equal times are rare, so the branch on them is.
 */
#include "sim/base/heap.h"

#include "sim/base/check.h"

/* 1 if a comes before b, else 0. */
static inline uint32_t before(const struct heap_item *a, const struct heap_item *b)
{
    if (__builtin_expect(a->at == b->at, 0))
        return a->order < b->order;
    return a->at < b->at;
}

static inline void put(struct heap *h, uint32_t i, const struct heap_item *it)
{
    h->item[i] = *it;
    h->pos[it->id] = i + 1;
}

/* Moves the hole at i towards the root until `it` fits, and fills it. */
static void sift_up(struct heap *h, uint32_t i, struct heap_item it)
{
    while (i > 0) {
        uint32_t parent = (i - 1) / 4;
        if (before(&h->item[parent], &it))
            break;
        put(h, i, &h->item[parent]);
        i = parent;
    }
    put(h, i, &it);
}

/* Index of the least of n items, 1 <= n. */
static inline uint32_t least_of(const struct heap_item *c, uint32_t n)
{
    if (__builtin_expect(n >= 4, 1)) {
        uint32_t a = before(&c[1], &c[0]);
        uint32_t b = 2 + before(&c[3], &c[2]);
        return a ^ ((a ^ b) & -before(&c[b], &c[a]));
    }
    uint32_t least = 0;
    for (uint32_t i = 1; i < n; i++)
        least = before(&c[i], &c[least]) ? i : least;
    return least;
}

/* Moves the hole at i towards the leaves until `it` fits, and fills it. */
static void sift_down(struct heap *h, uint32_t i, struct heap_item it)
{
    struct heap_item *item = h->item;
    uint32_t *pos = h->pos, count = h->count;
    for (;;) {
        uint32_t first = 4 * i + 1;
        if (first >= count)
            break;
        uint32_t child = first + least_of(&item[first], count - first);
        const struct heap_item *least = &item[child];
        if (before(&it, least))
            break;
        item[i] = *least;
        pos[least->id] = i + 1;
        i = child;
    }
    item[i] = it;
    pos[it.id] = i + 1;
}

/* Puts `it` in the place of the item at i. */
static void replace(struct heap *h, uint32_t i, struct heap_item it)
{
    if (before(&it, &h->item[i]))
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
    replace(h, p - 1, it);
}

void heap_remove(struct heap *h, uint32_t id)
{
    uint32_t p = h->pos[id];
    if (p == 0)
        return;
    uint32_t i = p - 1;
    CHECK(i < h->count && h->item[i].id == id);
    struct heap_item last = h->item[--h->count];
    h->pos[id] = 0;
    if (i < h->count)
        replace(h, i, last);
}

void heap_delay_top(struct heap *h, tm_ps at)
{
    CHECK(h->count > 0 && at >= h->item[0].at);
    struct heap_item it = h->item[0];
    it.at = at;
    sift_down(h, 0, it);
}
