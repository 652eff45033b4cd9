/*
 * The adapter's pipeline on the event engine, where work takes time (cost.h): packets between being chosen and
 * the wire, between the wire and the transport, and posts that the adapter does not know of yet.
 */
#ifndef HCA_SLOW_H
#define HCA_SLOW_H

#include "models/fabric/fab.h"
#include "models/hca/cost.h"
#include "models/hca/lane.h"
#include "sim/engine/ev.h"

struct hca;

/* Posts by the time their doorbells ring. */
struct bells {
    struct bell {
        tm_ps at;
        uint32_t qpn;
    } *bell;
    uint32_t head, tail, cap; /* free running; cap a power of two */
};

struct slow {
    struct cost *cost;
    struct lane tx, rx;
    struct bells bells;
    tm_ps doorbell_ps;
    uint64_t rate_bps, fifo_bytes; /* of the wire; chosen and not sent, at most */
    uint64_t rx_buffer_bytes;
    uint64_t discarded;
    ev_id wire, intake, bell;
    fab_arrive *arrive; /* what takes a packet that is through */
};

/* Entities that slow_new adds. */
#define SLOW_ENTITIES 3u

struct slow *slow_new(struct hca *h, const struct hca_cost_cfg *cfg, uint32_t qps, uint64_t seed);
void slow_free(struct slow *s);

/* When the next packet may be chosen. */
tm_ps slow_tx_at(const struct slow *s, const struct link *uplink, tm_ps now);
/* A packet was chosen. */
void slow_send(struct hca *h, uint32_t qpn, const struct xp_tx *tx, const struct pkt *p, tm_ps now);
/* The fabric's: a packet has come. */
fab_arrive slow_arrive;
/* The QP has work that was posted now. */
void slow_ring(struct hca *h, uint32_t qpn, tm_ps now);
/* The host has died. */
void slow_kill(struct hca *h);

#endif
