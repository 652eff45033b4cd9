/*
 * QPs that have (or may have) something to pull, in the order of their turns: a ring with room
 * for all.  Side by side in memory, since a turn of another QP comes with every packet.
 */
#ifndef HCA_TURNS_H
#define HCA_TURNS_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/base/check.h"

struct turns {
    uint32_t *qpn;
    uint32_t head, tail, mask;
};

static inline bool turns_empty(const struct turns *t) { return t->head == t->tail; }

static inline uint32_t turns_first(const struct turns *t) { return t->qpn[t->head & t->mask]; }

static inline void turns_append(struct turns *t, uint32_t qpn)
{
    CHECK(t->tail - t->head <= t->mask);
    t->qpn[t->tail++ & t->mask] = qpn;
}

/* The first goes to the end. */
static inline void turns_next(struct turns *t)
{
    t->qpn[t->tail++ & t->mask] = t->qpn[t->head++ & t->mask];
}

/* An empty list starts over: a host with few busy QPs keeps to the front of its memory. */
static inline void turns_drop_first(struct turns *t)
{
    if (++t->head == t->tail)
        t->head = t->tail = 0;
}

#endif
