/*
 * Receives: as many as rq_depth wait at every end that needs them, if the receiver keeps up.
 *
 * A used receive is replaced after repost_ps; a serial receiver replaces them one after the other.
 * In a stall nothing is posted: what falls due then is posted when it ends.  First receives wait
 * for late_ps and for stalls as well.
 *
 * Where the QPs of a host share a receive queue, srq_depth wait in it, whatever becomes of single
 * connections: a receive that a broken connection used up is replaced like any other.
 */
#include "models/load/bytes.h"
#include "models/load/host.h"

#include "sim/base/check.h"

static bool takes_receives(const struct end *end)
{
    return end->state == END_UP || end->state == END_JOINING;
}

static void post_shared(struct host *h, const struct xp_recv_wr *wr, tm_ps now)
{
    int rc = h->vb.ops->srq_post_recv(h->vb.dev, h->ends.srq, wr, now);
    CHECK(rc == XP_OK);
}

/* In a QP that has failed meanwhile the receive is taken and flushes. */
static void post_one(struct host *h, uint32_t e, tm_ps now)
{
    struct load *l = h->load;
    const struct end *end = &l->end[e];
    uint32_t room = l->plan.recv_bytes[(end->role & END_SERVER) != 0];
    struct xp_recv_wr wr = {.wr_id = 0, .sge = {LOAD_MR_ADDR, room, h->key}};
    if (l->bytes)
        wr.sge.addr = bytes_receive(l->bytes, e);
    if (h->ends.srq) {
        post_shared(h, &wr, now);
        return;
    }
    if (!takes_receives(end))
        return;
    int rc = h->vb.ops->post_recv(h->vb.dev, end->qpn, &wr, now);
    CHECK(rc == XP_OK);
}

void recv_fill(struct host *h, uint32_t e, tm_ps now)
{
    struct load *l = h->load;
    struct end *end = &l->end[e];
    if (!(end->role & END_RECEIVES) || end->filled || h->ends.srq_filled || !takes_receives(end))
        return;
    tm_ps at = act_after_stall(h, tm_max(now, l->cfg.receiver.late_ps));
    if (at > now) {
        h->fill_ps = tm_min(h->fill_ps, at);
        return;
    }
    end->filled = 1;
    h->ends.srq_filled = h->ends.srq != 0;
    uint32_t depth = l->qp.srq ? l->qp.srq_depth : l->qp.rq_depth;
    for (uint32_t i = 0; i < depth; i++)
        post_one(h, e, now);
}

void recv_consumed(struct host *h, uint32_t e, tm_ps base, tm_ps now)
{
    const struct load_receiver *how = &h->load->cfg.receiver;
    tm_ps at = tm_add(how->serial ? tm_max(base, h->free.recv_ps) : base, how->repost_ps);
    h->free.recv_ps = at;
    at = act_after_stall(h, at);
    if (at <= now)
        post_one(h, e, now);
    else
        fifo_put(&h->reposts,
                 (struct due){.at = at, .end = e, .generation = h->load->end[e].generation});
}

void recv_wasted(struct host *h, uint32_t e, tm_ps now)
{
    if (h->ends.srq)
        recv_consumed(h, e, now, now);
}

void recv_rescue(struct host *h, uint32_t e, tm_ps now)
{
    struct xp_qp_query q;
    if (h->ends.srq && h->vb.ops->qp_query(h->vb.dev, h->load->end[e].qpn, &q) == XP_OK &&
        q.holds_srq_recv)
        recv_consumed(h, e, now, now);
}

void recv_step(struct host *h, tm_ps now)
{
    const struct host_ends *ends = &h->ends;
    struct due d;
    while (fifo_take(&h->reposts, now, &d))
        if (h->ends.srq || h->load->end[d.end].generation == d.generation)
            post_one(h, d.end, now);
    if (h->fill_ps > now)
        return;
    h->fill_ps = TM_NEVER;
    for (uint32_t e = ends->first; e < ends->first + ends->count; e++)
        recv_fill(h, e, now);
}

tm_ps recv_next(const struct host *h) { return tm_min(h->fill_ps, fifo_at(&h->reposts)); }
