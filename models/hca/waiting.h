/*
 * Packets that have come before their QP can take them: an adapter may keep a few until it is RTR.
 *
 * They are taken then in the order in which they came, in an event of their own.  When there is no room left, or the
 * QP does not exist, a packet goes the way it would go without.
 */
#ifndef HCA_WAITING_H
#define HCA_WAITING_H

#include <stdbool.h>
#include <stdint.h>

#include "models/wire/pkt.h"
#include "sim/engine/ev.h"

struct hca;

struct waiting {
    struct pkt *pkt; /* in the order of their coming */
    bool *due;       /* its QP is RTR now */
    uint32_t count, room;
    ev_id entity;
};

#define WAITING_ENTITIES 1u
/* NULL if room is 0. */
struct waiting *waiting_new(struct hca *h, uint32_t room);
void waiting_free(struct waiting *w);
/* Keeps the packet, if it is one that waits and there is room; false: it goes on. */
bool waiting_take(struct hca *h, const struct pkt *p);
/* The QP has moved to RTR. */
void waiting_release(struct hca *h, uint32_t qpn, tm_ps now);

#endif
