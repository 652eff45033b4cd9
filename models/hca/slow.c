/* See slow.h.  Invariant: wire, intake and bell are armed for the first packet or post of theirs. */
#include "models/hca/slow.h"

#include <stdlib.h>

#include "models/fabric/side.h"
#include "models/hca/state.h"

#define BELLS_MIN 16u

/* A unit is free, and of what has been chosen all but the FIFO's bytes could have left. */
tm_ps slow_tx_at(const struct slow *s, const struct link *uplink, tm_ps now)
{
    tm_ps unit = cost_tx_free_at(s->cost), wire = tm_max(link_free_at(uplink), now);
    wire += tm_serialise(s->tx.bytes, s->rate_bps) - tm_serialise(s->fifo_bytes, s->rate_bps);
    return tm_max(unit, wire);
}

/* ---- to the wire ---------------------------------------------------------------------------------- */

static void put_on_wire(struct hca *h, struct pkt *p, tm_ps now)
{
    h->meter->n.packets_sent++;
    h->meter->n.packets_retransmitted += (p->note & PKT_RETRANSMIT) != 0;
    link_send(h->uplink, p, now);
}

void slow_send(struct hca *h, uint32_t qpn, const struct xp_tx *tx, const struct pkt *p, tm_ps now)
{
    struct slow *s = h->slow;
    tm_ps at = cost_tx(s->cost, qpn, tx, p, now);
    if (at <= now && lane_next(&s->tx) > now) {
        struct pkt ready = *p;
        put_on_wire(h, &ready, now);
        return;
    }
    at = tm_max(at, now + 1);
    lane_put(&s->tx, p, at);
    ev_arm(h->ev, s->wire, at);
}

static tm_ps fire_wire(void *self, tm_ps now)
{
    struct hca *h = self;
    struct slow *s = h->slow;
    struct pkt p;
    while (lane_take(&s->tx, now, &p))
        put_on_wire(h, &p, now);
    return lane_next(&s->tx);
}

/* ---- from the wire --------------------------------------------------------------------------------- */

void slow_arrive(void *self, const struct pkt *p, tm_ps now)
{
    struct hca *h = self;
    struct slow *s = h->slow;
    if (h->killed || (s->rx_buffer_bytes && s->rx.bytes + p->wire_bytes > s->rx_buffer_bytes)) {
        s->discarded += !h->killed;
        side_drop(p);
        return;
    }
    tm_ps at = cost_rx(s->cost, p, now);
    if (at <= now && lane_next(&s->rx) > now) {
        s->arrive(h, p, now);
        return;
    }
    at = tm_max(at, now + 1);
    lane_put(&s->rx, p, at);
    ev_arm(h->ev, s->intake, at);
}

static tm_ps fire_intake(void *self, tm_ps now)
{
    struct hca *h = self;
    struct slow *s = h->slow;
    struct pkt p;
    while (lane_take(&s->rx, now, &p))
        s->arrive(h, &p, now);
    return lane_next(&s->rx);
}

/* ---- doorbells --------------------------------------------------------------------------------------- */

static void grow(struct bells *b)
{
    uint32_t cap = b->cap ? 2 * b->cap : BELLS_MIN;
    struct bell *bell = malloc(cap * sizeof *bell);
    CHECK(bell != NULL);
    for (uint32_t i = b->head; i != b->tail; i++)
        bell[i & (cap - 1)] = b->bell[i & (b->cap - 1)];
    free(b->bell);
    b->bell = bell;
    b->cap = cap;
}

void slow_ring(struct hca *h, uint32_t qpn, tm_ps now)
{
    struct slow *s = h->slow;
    struct bells *b = &s->bells;
    if (s->doorbell_ps == 0) {
        turns_append(&h->turns, qpn);
        return;
    }
    if (b->tail - b->head == b->cap)
        grow(b);
    tm_ps at = now + s->doorbell_ps;
    b->bell[b->tail++ & (b->cap - 1)] = (struct bell){at, qpn};
    ev_arm(h->ev, s->bell, at);
}

static tm_ps fire_bell(void *self, tm_ps now)
{
    struct hca *h = self;
    struct bells *b = &h->slow->bells;
    while (b->head != b->tail && b->bell[b->head & (b->cap - 1)].at <= now)
        turns_append(&h->turns, b->bell[b->head++ & (b->cap - 1)].qpn);
    hca_settle(h, BY_EVENT, now);
    return b->head == b->tail ? TM_NEVER : b->bell[b->head & (b->cap - 1)].at;
}

/* ---- birth ---------------------------------------------------------------------------------------------- */

void slow_kill(struct hca *h)
{
    ev_disarm(h->ev, h->slow->wire);
    ev_disarm(h->ev, h->slow->intake);
    ev_disarm(h->ev, h->slow->bell);
}

struct slow *slow_new(struct hca *h, const struct hca_cost_cfg *cfg, uint32_t qps, uint64_t seed)
{
    struct cost *cost = cost_new(cfg, qps, seed);
    if (!cost)
        return NULL;
    struct slow *s = calloc(1, sizeof *s);
    CHECK(s != NULL);
    uint32_t domain = fab_domain(h->fab, h->host);
    s->cost = cost;
    s->doorbell_ps = cfg->doorbell_ps;
    s->rate_bps = fab_rate_bps(h->fab, h->host);
    s->fifo_bytes = cfg->tx_fifo_bytes;
    s->rx_buffer_bytes = cfg->rx_buffer_bytes;
    s->wire = ev_add(h->ev, domain, EV_DEPART, fire_wire, h);
    s->intake = ev_add(h->ev, domain, EV_ARRIVE, fire_intake, h);
    s->bell = ev_add(h->ev, domain, EV_DEPART, fire_bell, h);
    s->arrive = hca_arrive;
    fab_attach(h->fab, h->host, slow_arrive, h);
    return s;
}

void slow_free(struct slow *s)
{
    if (!s)
        return;
    cost_free(s->cost);
    lane_fini(&s->tx);
    lane_fini(&s->rx);
    free(s->bells.bell);
    free(s);
}
