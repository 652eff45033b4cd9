/*
 * Inside the HCA: what its files share.  Private to models/hca.
 */
#ifndef HCA_STATE_H
#define HCA_STATE_H

#include "models/hca/alone.h"
#include "models/hca/gsi.h"
#include "models/hca/hca.h"
#include "models/hca/records.h"
#include "models/hca/slow.h"
#include "models/hca/turns.h"
#include "models/hca/waiting.h"
#include "sim/base/check.h"

struct hca {
    struct xp *core;
    struct fab *fab;
    struct link *uplink;
    struct ev *ev;
    struct meter *meter;
    struct records of;      /* QPs, by number */
    struct hca_bytes bytes; /* the host's memory; at NULL: payload is counted, not moved */
    struct held held;
    struct slow *slow;   /* NULL: the adapter takes no time of its own */
    struct alone *alone; /* NULL: slowdown is not measured */
    struct gsi *gsi;     /* NULL: the host takes no MADs */
    struct hca_tap tap;
    struct hca_head head;
    struct turns turns;
    struct arbiter arbiter;
    struct hca_cq_moderation moderation;
    tm_ps timer_at; /* what the timer entity is armed for */
    ev_id egress, timer, load;
    uint32_t overhead_bytes;
    uint16_t host;
    bool egress_armed, has_load, killed;
};

enum caller { BY_EVENT, BY_EGRESS, BY_TIMER, BY_LOAD };

static inline struct hca_qp *qp_of(const struct hca *h, uint32_t qpn)
{
    CHECK(qpn < h->of.room);
    return &h->of.qp[qpn];
}

static inline struct hca_rd *rd_of(const struct hca *h, uint32_t qpn)
{
    CHECK(qpn < h->of.room);
    return &h->of.rd[qpn];
}

/* hca.c: after every call of the core. */
void hca_settle(struct hca *h, enum caller by, tm_ps now);
/* The entities' and the fabric's. */
ev_fire hca_fire_egress, hca_fire_timer;
fab_arrive hca_arrive, hca_arrive_with_mads;

#endif
