/*
 * Packets under way inside an adapter: they come out in the order of the times at which they are ready, equal
 * ones in the order they went in.
 */
#ifndef HCA_LANE_H
#define HCA_LANE_H

#include <stdbool.h>
#include <stdint.h>

#include "models/wire/pkt.h"
#include "sim/base/tm.h"

struct lane_item {
    tm_ps at;
    uint64_t order;
    uint32_t slot;
};

struct lane {
    struct lane_item *item; /* a heap */
    struct pkt *pkt;        /* by slot */
    uint32_t *unused;       /* slots, `room - count` of them */
    uint32_t count, room;
    uint64_t put;
    uint64_t bytes; /* on the wire, of those inside */
};

/* Grows by doubling, never shrinks. */
void lane_put(struct lane *l, const struct pkt *p, tm_ps at);
/* The first that is ready by now; false: none. */
bool lane_take(struct lane *l, tm_ps now, struct pkt *out);
static inline tm_ps lane_next(const struct lane *l) { return l->count ? l->item[0].at : TM_NEVER; }
/* Drops what is inside. */
void lane_fini(struct lane *l);

#endif
