/*
 * The digest of the live state, in index order, for exhaustive exploration.
 *
 * Equal digests: the two cores behave alike from here on.  Left out are statistics, notes, free
 * entries, where in a pool an entry lies, and the tags and message numbers that requests carry for
 * the simulator (a tag is often a time).  Deadlines enter relative to now.
 */
#include "models/transport/service.h"
#include "sim/base/rng.h"

static void add(uint64_t *hash, uint64_t v) { *hash = rng_mix(*hash * 3 + v + 1); }

static void add_pair(uint64_t *hash, uint32_t a, uint32_t b) { add(hash, (uint64_t)a << 32 | b); }

static void add_conn(uint64_t *hash, const struct xp_conn *c)
{
    add_pair(hash, c->next_psn.v, c->epsn.v);
    add_pair(hash, c->msn, c->dest_qp);
    add_pair(hash, c->path.host, c->path.entropy);
}

static void add_attrs(uint64_t *hash, const struct xp_attrs *a)
{
    add_pair(hash, a->pd, a->access);
    add_pair(hash, a->send_cq, a->recv_cq);
    add_pair(hash, a->sq_depth, a->rq_depth);
    add_pair(hash, a->qkey, a->pkey);
    add_pair(hash, a->mtu_shift, a->port);
    add_pair(hash, a->timeout, a->min_rnr_timer);
    add_pair(hash, a->retry_cnt, a->rnr_retry);
    add_pair(hash, a->max_rd_atomic, a->max_dest_rd_atomic);
    add_pair(hash, a->srq, a->xrcd);
    add(hash, a->rdd);
    add_pair(hash, a->max_send_sge, a->max_recv_sge);
    add(hash, a->max_inline_data);
}

static void add_list(const struct xp *x, uint64_t *hash, uint32_t list)
{
    for (uint32_t i = list; i; i = xp__sge(x, i)->next) {
        add(hash, xp__sge(x, i)->sge.addr);
        add_pair(hash, xp__sge(x, i)->sge.length, xp__sge(x, i)->sge.lkey);
    }
}

static void add_send_ext(uint64_t *hash, const struct xp_send_ext *e)
{
    add(hash, e->swap_or_add);
    add(hash, e->compare);
    add_pair(hash, e->path.host, e->path.entropy);
    add_pair(hash, e->remote_qpn, e->remote_qkey);
    add_pair(hash, e->srqn, e->eecn);
}

/* all_ext: every send of the service has more to say than its WQE holds. */
static void add_sends(const struct xp *x, uint64_t *hash, const struct xp_requester *r,
                      bool all_ext)
{
    for (uint32_t i = r->head; i; i = xp__send(x, i)->next) {
        const struct xp_send_wqe *w = xp__send(x, i);
        add_pair(hash, w->op, w->flags);
        add_pair(hash, w->begun, w->begun ? w->first_psn.v : 0);
        add_pair(hash, w->length, w->flags & WQE_LIST ? 0 : w->lkey);
        add_pair(hash, w->rkey, w->imm);
        if (w->flags & WQE_LIST)
            add_list(x, hash, w->lkey);
        add(hash, w->wr_id);
        add(hash, w->addr);
        add(hash, w->remote_addr);
        add(hash, i == r->cur);
        if (all_ext || w->op == XP_WR_CMP_SWAP || w->op == XP_WR_FETCH_ADD)
            add_send_ext(hash, xp__send_ext(x, i));
    }
}

static void add_recv(const struct xp *x, uint64_t *hash, const struct xp_recv_wqe *w)
{
    add_pair(hash, w->length, w->list ? 0 : w->lkey);
    if (w->list)
        add_list(x, hash, w->lkey);
    add(hash, w->wr_id);
    add(hash, w->addr);
}

static void add_recvs(const struct xp *x, uint64_t *hash, uint32_t head)
{
    for (uint32_t i = head; i; i = xp__recv(x, i)->next)
        add_recv(x, hash, xp__recv(x, i));
}

static void add_srq(const struct xp *x, uint64_t *hash, const struct xp_srq *s)
{
    add(hash, s->used);
    if (!s->used)
        return;
    add_pair(hash, s->depth, s->limit);
    add_pair(hash, s->pd, s->cq);
    add_pair(hash, s->xrcd, s->users);
    add(hash, s->max_sge);
    add_recvs(x, hash, s->head);
}

static void add_requester(const struct xp *x, uint64_t *hash, const struct xp_requester *r,
                          bool all_ext, tm_ps now)
{
    add_sends(x, hash, r, all_ext);
    add_pair(hash, r->una.v, r->cursor.v);
    add_pair(hash, r->sent_end.v, r->until_ackreq);
    add_pair(hash, r->retry_left, r->rnr_left);
    add_pair(hash, r->nak_seen, r->faulty);
    add_pair(hash, r->resumed, r->resumed ? r->resume.v : 0);
    add_pair(hash, r->timer, r->rung);
    if (r->timer == TIMER_FAULT)
        add_pair(hash, r->fault, r->status);
    if (r->timer != TIMER_OFF)
        add(hash, (uint64_t)(r->deadline - now));
    if (r->timer == TIMER_RNR) {
        add(hash, (uint64_t)(r->rnr_until - now));
        add(hash, r->ack_due == TM_NEVER ? 0 : (uint64_t)(r->ack_due - now) + 1);
    }
}

static void add_responder(const struct xp *x, uint64_t *hash, const struct xp_responder *r)
{
    add_pair(hash, r->silent, r->msg.open);
    add(hash, r->rd_waiting);
    if (!r->msg.open)
        return;
    add(hash, r->msg.va);
    add_pair(hash, r->msg.received, r->msg.total);
    add_pair(hash, r->msg.rkey, r->msg.cls);
    add_pair(hash, r->msg.first_psn.v, r->msg.srq);
    add_pair(hash, r->msg.to, r->msg.handed);
    if ((r->msg.srq || r->msg.handed) && r->msg.recv)
        add_recv(x, hash, xp__recv(x, r->msg.recv));
}

static void add_answers(const struct xp *x, uint64_t *hash, const struct xp_active *a)
{
    for (uint32_t i = a->answer_head; i; i = xp__answer(x, i)->next) {
        const struct xp_answer *w = xp__answer(x, i);
        add_pair(hash, w->psn.v, w->msn);
        add_pair(hash, w->syndrome, w->kind);
        add(hash, w->to);
        if (w->kind == XP_ANSWER_ACK)
            continue;
        add_pair(hash, w->length, w->rkey);
        add_pair(hash, w->pd, w->qpn);
        add_pair(hash, w->starts, w->repeated);
        add(hash, w->value);
    }
}

/* The line at a context, and where a QP's oldest send is. */
static void add_turns(const struct xp *x, uint64_t *hash, const struct xp_active *a)
{
    add_pair(hash, a->turn.phase, a->turn.started);
    add_pair(hash, a->turn.eecn, a->carrier.owner);
    add_pair(hash, a->turn.in_doubt, a->turn.in_doubt ? a->turn.msn : 0);
    for (uint32_t i = a->carrier.first; i; i = xp__active_of(x, xp__qp(x, i))->turn.next)
        add(hash, i);
}

static void add_held(const struct xp *x, uint64_t *hash, const struct xp_held *l)
{
    for (uint32_t i = l->head; i; i = xp__hold(x, i)->next) {
        const struct xp_hold *p = xp__hold(x, i);
        add_pair(hash, p->h.psn.v, p->h.opcode.v);
        add_pair(hash, p->h.payload_bytes, p->h.dmalen);
        add_pair(hash, p->h.rkey, p->h.imm);
        add(hash, p->h.va);
        add_pair(hash, p->e.srq, p->e.src_qp);
        add_pair(hash, p->h.msn, p->h.syndrome);
        add(hash, p->e.swap_or_add ^ p->e.compare);
        add(hash, p->e.original);
    }
    add(hash, l->head != 0);
}

/* Selective repeat: what has come out of order, and what is known of the other end. */
static void add_selective(const struct xp *x, uint64_t *hash, const struct xp_active *a,
                          const struct xp_sack *s)
{
    add_held(x, hash, &a->resp.held);
    add_held(x, hash, &s->held); /* it says what has `come`, too */
    add(hash, s->on);
    for (uint32_t i = 0; s->on && i < XP_SACK_MAX / 64; i++)
        add(hash, s->got[i]);
    if (s->on) {
        add_pair(hash, s->next.v, s->lost_end.v);
        add_pair(hash, s->recover.v, s->acked.v);
        add_pair(hash, s->forced, s->missed.v);
    }
    if (a->req.timer == TIMER_ACK) {
        add(hash, s->extended);
        add(hash, (uint64_t)s->rto_high_ps);
    }
}

static void add_kept(const struct xp *x, uint64_t *hash, const struct xp_qp *qp)
{
    uint32_t i = qp->kept;

    add(hash, qp->acked.v);
    for (uint32_t n = i ? xp__resource(x, i)->count : 0; n; n--) {
        i = xp__resource(x, i)->next;
        const struct xp_resource *r = xp__resource(x, i);
        add_pair(hash, r->first_psn.v, r->op);
        add_pair(hash, r->rkey, r->length);
        add(hash, r->va);
        add(hash, r->original);
    }
}

static void add_qp(const struct xp *x, uint64_t *hash, const struct xp_qp *qp, tm_ps now)
{
    const struct xp_active *a = xp__active_of(x, qp);

    add_pair(hash, xp__qpn(x, qp), qp->service);
    add_pair(hash, qp->state, qp->flags);
    add_pair(hash, qp->wake, qp->timer_draws);
    add_conn(hash, &qp->conn);
    add_attrs(hash, xp__attrs(x, qp));
    add_recvs(x, hash, qp->recv_head);
    add_kept(x, hash, qp);
    if (x->profile.credits) {
        const struct xp_credit *k = xp__credit(x, qp);
        add_pair(hash, k->ssn, k->lsn);
        add(hash, k->limited);
    }
    add(hash, a != 0);
    if (!a)
        return;
    add_requester(x, hash, &a->req, (xp__service_of(qp)->traits & TRAITS_WITH_EXT) != 0, now);
    add_responder(x, hash, &a->resp);
    if (xp__service_of(qp)->traits & TRAITS_RD)
        add_turns(x, hash, a);
    add_answers(x, hash, a);
    if (xp__is_selective(x))
        add_selective(x, hash, a, xp__sack(x, qp->active));
}

static void add_cq(const struct xp *x, uint64_t *hash, const struct xp_cq *cq)
{
    add_pair(hash, cq->depth, cq->count);
    if (!cq->depth)
        return;
    add(hash, cq->overrun);
    for (uint32_t i = cq->head; i; i = xp__cqe(x, i)->next) {
        const struct xp_wc *wc = &xp__cqe(x, i)->wc;
        add(hash, wc->wr_id);
        add_pair(hash, wc->qpn, wc->byte_len);
        add_pair(hash, wc->imm, wc->status);
        add_pair(hash, wc->op, wc->flags);
    }
}

static void add_mr(uint64_t *hash, const struct xp_mr *mr)
{
    add_pair(hash, mr->key, mr->valid);
    add_pair(hash, mr->kind, mr->newest);
    if (!mr->valid) {
        add(hash, mr->kind == REGION_MR ? 0 : mr->pd);
        return;
    }
    add_pair(hash, mr->parent, mr->qpn);
    add_pair(hash, mr->pd, mr->access);
    add(hash, mr->addr);
    add(hash, mr->len);
    add(hash, mr->tag);
}

uint64_t xp_digest(const struct xp *x, tm_ps now)
{
    uint64_t hash = 0;

    for (uint32_t i = XP_FIRST_QPN; i <= x->pool[POOL_QP].high; i++) {
        if (xp__qp(x, i)->flags & QP_USED)
            add_qp(x, &hash, xp__qp(x, i), now);
    }
    for (uint32_t i = 1; i <= x->pool[POOL_CQ].high; i++)
        add_cq(x, &hash, xp__cq(x, i));
    for (uint32_t i = 1; i <= x->pool[POOL_MR].high; i++)
        add_mr(&hash, xp__mr(x, i));
    for (uint32_t i = 1; i <= x->pool[POOL_SRQ].high; i++)
        add_srq(x, &hash, xp__srq(x, i));
    for (uint32_t i = x->mcast_head; i; i = xp__mcast(x, i)->next)
        add_pair(&hash, xp__mcast(x, i)->qpn, xp__mcast(x, i)->group);
    for (uint32_t i = x->woken_head; i; i = xp__active(x, i)->woken_next)
        add(&hash, xp__active(x, i)->qpn);
    for (uint32_t i = 0; i < x->events.count; i++) {
        uint32_t at = (x->events.first + i) % XP_EVENTS;
        add_pair(&hash, x->events.kind[at], x->events.qpn[at]);
    }
    return hash;
}
