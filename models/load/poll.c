/*
 * Completions: what they say of messages, receives and connections.
 *
 * A signalled success stands for all requests before it.  The first status that is neither success
 * nor a flush is a QP's error; any status but success means that its connection is gone.
 */
#include "models/load/host.h"

#include "sim/base/check.h"

#define POLL_BATCH 32

/* QP numbers are given in order, so the index is a subtraction; a QP made later may be elsewhere. */
uint32_t load_end_of(const struct host *h, uint32_t qpn)
{
    const struct end *end = h->load->end;
    uint32_t i = (qpn - h->ends.first_qpn) / load_qp_halves(&h->load->qp);
    if (i < h->ends.count && end[h->ends.first + i].qpn == qpn)
        return h->ends.first + i;
    for (i = 0; i < h->ends.count; i++)
        if (end[h->ends.first + i].qpn == qpn)
            return h->ends.first + i;
    CHECK(!"a completion of a QP that is not there");
    return 0;
}

static void note_error(struct host *h, uint32_t e, const struct xp_wc *wc, bool recv, tm_ps now)
{
    struct flow *f = flow_of(h->load, e);
    if (wc->status == XP_WC_WR_FLUSH_ERR || f->error.status != 0)
        return;
    uint32_t bytes = !recv && f->head ? h->messages.item[f->head - 1].bytes : 0;
    f->error = (struct flow_error){wc->wr_id, now, bytes, wc->status, wc->vendor_err};
    if (!recv)
        meter_failed(h->meter, (tm_ps)wc->tag, now);
}

/*
 * Requests complete in order: those before `msgno` have succeeded, whatever became of it.  They have
 * left the send queue; all but RPC requests are finished.
 */
static void succeed_before(struct host *h, uint32_t e, uint32_t msgno, tm_ps now)
{
    struct flow *f = flow_of(h->load, e);
    uint32_t leaving = msgno - (uint32_t)f->done;
    CHECK(leaving <= f->posted - f->done);
    f->done += leaving;
    if (h->load->end[e].role & END_CLIENT)
        return;
    for (; leaving > 0; leaving--) {
        meter_implied(h->meter, h->messages.item[f->head - 1].post_ps);
        flow_succeed(h, e, now);
    }
}

static void succeed(struct host *h, uint32_t e, uint32_t msgno, tm_ps now)
{
    struct flow *f = flow_of(h->load, e);
    succeed_before(h, e, msgno, now);
    CHECK(f->done < f->posted);
    f->done++;
    if (!(h->load->end[e].role & END_CLIENT))
        flow_succeed(h, e, now);
}

static void take_send(struct host *h, uint32_t e, const struct xp_wc *wc, tm_ps now)
{
    struct load *l = h->load;
    meter_completed(h->meter, wc->status, (tm_ps)wc->tag, now);
    if (l->env.completed)
        l->env.completed(l->env.self, h->id, l->end[e].peer, wc, now);
    if (wc->status != XP_WC_SUCCESS) {
        const struct meter_error error = {(tm_ps)wc->tag, now, h->id, wc->status, wc->vendor_err};
        meter_error(h->meter, &error);
        if (l->end[e].state == END_UP)
            succeed_before(h, e, wc->msgno, now);
        note_error(h, e, wc, false, now);
        reconnect_break(h, e, now);
        return;
    }
    if (l->end[e].state == END_DOWN)
        return;
    succeed(h, e, wc->msgno, now);
    flow_refill(h, e, now);
}

static void take_recv(struct host *h, uint32_t e, const struct xp_wc *wc, tm_ps now)
{
    const struct end *end = &h->load->end[e];
    const struct load_env *env = &h->load->env;
    meter_received(h->meter, wc->status);
    if (env->received)
        env->received(env->self, h->id, end->peer, wc, now);
    if (wc->status != XP_WC_SUCCESS) {
        note_error(h, e, wc, true, now);
        reconnect_break(h, e, now);
        recv_wasted(h, e, now);
        return;
    }
    if (end->state == END_DOWN) {
        recv_wasted(h, e, now);
        return;
    }
    flow_of(h->load, e)->in_trouble = false;
    if (end->role & END_SERVER) {
        rpc_request(h, e, now);
        return;
    }
    if (end->role & END_CLIENT)
        rpc_response(h, e, now);
    recv_consumed(h, e, now, now);
}

static void poll_until_empty(struct host *h, tm_ps now)
{
    struct xp_wc wc[POLL_BATCH];
    int n;
    if (h->ends.count == 0)
        return;
    while ((n = h->vb.ops->poll(h->vb.dev, h->cq, wc, POLL_BATCH)) > 0) {
        for (int i = 0; i < n; i++) {
            uint32_t e = load_end_of(h, wc[i].qpn);
            bool recv = wc[i].op == XP_WC_RECV || wc[i].op == XP_WC_RECV_WRITE_IMM;
            (recv ? take_recv : take_send)(h, e, &wc[i], now);
        }
    }
}

/* The first time from t on at which the host looks. */
static tm_ps looks_at(const struct host *h, tm_ps t)
{
    tm_ps every = h->load->cfg.poll_every_ps, was;
    do {
        was = t;
        t = act_after_nopoll(h, t);
        if (every && t != TM_NEVER)
            t = tm_add(t, (every - t % every) % every);
    } while (t != was);
    return t;
}

/* A host wakes when a completion comes, whether it looks or not. */
void poll_step(struct host *h, tm_ps now)
{
    bool always = !h->load->cfg.poll_every_ps && h->acts.first == h->acts.end;
    h->poll_ps = always ? now : looks_at(h, now);
    if (h->poll_ps > now)
        return;
    h->poll_ps = TM_NEVER;
    poll_until_empty(h, now);
}

tm_ps poll_next(const struct host *h) { return h->poll_ps; }
