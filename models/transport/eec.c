/*
 * EE contexts: the connections of reliable datagrams (IBA 9.7.8, 10.2.7, 11.2.7).
 *
 * A context is a connection that has lost its QP: sequence numbers, timer, retries and kept READs are
 * its own, what it carries belongs to RD QPs.  It carries one message at a time; the QPs that wait
 * stand in line, first come first served.  A message that is given up after packets of it went out
 * leaves the other end waiting for the rest: RESYNC, a request of the context's own, tells it which
 * number comes next.
 *
 * Invariant: `head` of the requester is the send that `owner` has lent, or a RESYNC; nothing comes
 * after it.
 */
#include "models/transport/service.h"

static bool is_resync(const struct xp *x, const struct xp_requester *r)
{
    return r->head && xp__send(x, r->head)->op == WR_RESYNC;
}

static struct xp_qp *owner_of(const struct xp *x, const struct xp_active *a)
{
    return xp__qp(x, a->carrier.owner);
}

/* ---- requester ----------------------------------------------------------------------------- */

/* `send` is what the context carries from here on; 0: nothing. */
static void carry(struct xp *x, struct xp_qp *eec, struct xp_active *a, uint32_t send)
{
    struct xp_requester *r = &a->req;

    xp__timer_off(x, a);
    if (xp__is_selective(x))
        xp__sack_forget(x, eec->active);
    *r = (struct xp_requester){
        .head = send,
        .tail = send,
        .cur = send,
        .count = send != 0,
        .una = eec->conn.next_psn,
        .cursor = eec->conn.next_psn,
        .sent_end = eec->conn.next_psn,
        .retry_left = xp__attrs(x, eec)->retry_cnt,
    };
}

/* The first in line gives its oldest send. */
static void take_over(struct xp *x, struct xp_qp *eec, struct xp_active *a)
{
    struct xp_qp *qp = xp__qp(x, a->carrier.first);
    struct xp_active *q = xp__active_of(x, qp);
    struct xp_requester *r = &q->req;
    uint32_t send = r->head;
    struct xp_send_ext *to = xp__send_ext(x, send);

    a->carrier.first = q->turn.next;
    if (!a->carrier.first)
        a->carrier.last = 0;
    q->turn.phase = TURN_NONE;
    if (xp__awaits_answer(xp__send(x, send)) && !xp__attrs(x, eec)->max_rd_atomic) {
        xp__turn_fail(x, qp, XP_WC_LOC_QP_OP_ERR);
        xp__settle(x, qp);
        return;
    }
    r->head = xp__send(x, send)->next;
    if (!r->head)
        r->tail = 0;
    xp__send(x, send)->next = 0;
    q->turn.phase = TURN_LENT;
    q->turn.lent = send;
    if (!q->turn.started)
        r->rnr_left = xp__attrs(x, eec)->rnr_retry;
    if (to->remote_qkey >> 31)
        to->remote_qkey = xp__attrs(x, qp)->qkey;
    to->pd = xp__attrs(x, qp)->pd;
    a->carrier.owner = q->qpn;
    carry(x, eec, a, send);
}

void xp__context_next(struct xp *x, struct xp_qp *eec)
{
    struct xp_active *a = xp__active_of(x, eec);

    while (a && eec->state == XP_RTS && !a->req.head && a->carrier.first)
        take_over(x, eec, a);
}

/* What is carried leaves the context, which says so if the other end has heard of it. */
static void put_down(struct xp *x, struct xp_qp *eec, struct xp_active *a)
{
    bool heard = xp__send(x, a->req.head)->begun;
    const struct xp_send_ext to = *xp__send_ext(x, a->req.head);
    uint32_t resync = heard ? xp__take(x, POOL_SEND_WQE) : 0;

    carry(x, eec, a, resync);
    if (!resync)
        return;
    *xp__send(x, resync) = (struct xp_send_wqe){.op = WR_RESYNC};
    *xp__send_ext(x, resync) = to;
}

static void drop_resync(struct xp *x, struct xp_qp *eec, struct xp_active *a)
{
    uint32_t resync = a->req.head;

    carry(x, eec, a, 0);
    xp__give(x, POOL_SEND_WQE, resync);
}

/*
 * What an RNR NAK turned away may have arrived in a repetition, the NAK being late.  One message is
 * under way at a time: an MSN that has grown since the NAK counts this one.
 */
static void settle_doubt(struct xp *x, struct xp_active *a)
{
    struct xp_active *q = xp__active_of(x, owner_of(x, a));

    if (!q || !q->turn.in_doubt || q->turn.eecn != a->qpn)
        return;
    q->turn.in_doubt = false;
    if (q->turn.msn != a->carrier.msn)
        xp__turn_delivered(x, owner_of(x, a));
}

void xp__context_done(struct xp *x, struct xp_qp *eec)
{
    struct xp_active *a = xp__active_of(x, eec);
    struct xp_requester *r = &a->req;

    if (is_resync(x, r)) {
        xp__give(x, POOL_SEND_WQE, r->head);
        r->head = r->tail = r->cur = r->count = 0;
        a->carrier.held = true;
        settle_doubt(x, a);
        a->carrier.held = false;
    } else {
        r->head = r->tail = r->cur = r->count = 0;
        r->rd_first = r->rd_count = 0;
        r->resumed = false;
        /* Its next send may line up right here: the caller is not yet done with *a. */
        a->carrier.held = true;
        xp__turn_done(x, owner_of(x, a), XP_WC_SUCCESS);
        a->carrier.held = false;
    }
    xp__check_drained(x, eec);
    xp__context_next(x, eec);
}

/* By enum xp_status of a message: the connection is of no use any more. */
static const bool ends_context[XP_WC_STATUSES] = {
    [XP_WC_RETRY_EXC_ERR] = true,
    [XP_WC_BAD_RESP_ERR] = true,
    [XP_WC_LOC_EEC_OP_ERR] = true,
};

void xp__context_failed(struct xp *x, struct xp_qp *eec, enum xp_status status)
{
    struct xp_active *a = xp__active_of(x, eec);

    if (is_resync(x, &a->req) || ends_context[status]) {
        xp__set_state(x, eec, XP_ERR);
        xp__context_end(x, eec, status);
        return;
    }
    struct xp_qp *owner = owner_of(x, a);
    put_down(x, eec, a);
    xp__turn_done(x, owner, status);
    xp__context_next(x, eec);
}

void xp__context_suspend(struct xp *x, struct xp_qp *eec, unsigned rnr_code, uint32_t msn)
{
    struct xp_active *a = xp__active_of(x, eec);
    struct xp_qp *qp = owner_of(x, a);
    struct xp_active *q = xp__active_of(x, qp);

    if (is_resync(x, &a->req))
        return;
    xp__qp_counts(x, a->qpn)->rnr_nak_retry_err++;
    if (xp__attrs(x, eec)->rnr_retry != 7) {
        if (q->req.rnr_left == 0) {
            x->counts.rnr_exceeded++;
            xp__context_failed(x, eec, XP_WC_RNR_RETRY_EXC_ERR);
            return;
        }
        q->req.rnr_left--;
    }
    put_down(x, eec, a);
    xp__turn_back(x, qp, true);
    q->turn.in_doubt = true;
    q->turn.msn = msn;
    xp__wait_for_receiver(x, qp, q, rnr_code);
    xp__context_next(x, eec);
}

void xp__context_abandon(struct xp *x, struct xp_qp *eec)
{
    put_down(x, eec, xp__active_of(x, eec));
    xp__check_drained(x, eec);
    xp__context_next(x, eec);
}

void xp__context_end(struct xp *x, struct xp_qp *eec, enum xp_status status)
{
    struct xp_active *a = xp__active_of(x, eec);

    if (!a)
        return;
    xp__give_up_message(x, eec);
    xp__held_drop(x, &a->resp.held);
    a->resp.silent = false;
    if (is_resync(x, &a->req)) {
        drop_resync(x, eec, a);
    } else if (a->req.head) {
        carry(x, eec, a, 0);
        xp__turn_done(x, owner_of(x, a), status);
    }
    while (a->carrier.first) {
        struct xp_qp *qp = xp__qp(x, a->carrier.first);
        a->carrier.first = xp__active_of(x, qp)->turn.next;
        xp__turn_fail(x, qp, XP_WC_INV_EEC_STATE_ERR);
        xp__settle(x, qp);
    }
    a->carrier.last = 0;
}

/* ---- responder ----------------------------------------------------------------------------- */

bool xp__find_context(struct xp_ctx *c)
{
    struct xp_qp *eec = c->e ? xp__qp_find(c->x, c->e->eec) : 0;

    if (!eec || !xp__has_trait(eec, TRAIT_CONTEXT) ||
        wire_prefix_of(c->h->opcode) != xp__service_of(eec)->prefix)
        return false;
    struct xp_qp *to = xp__qp_find(c->x, c->h->dest_qp);
    c->qp = eec;
    c->to = to && xp__has_trait(to, TRAIT_VIA_CONTEXT) ? to : 0;
    c->svc = xp__service_of(eec);
    c->a = xp__active_of(c->x, eec);
    c->at = xp__attrs(c->x, eec);
    c->rights = c->to ? xp__attrs(c->x, to) : c->at;
    c->qpn = c->to ? c->h->dest_qp : c->e->eec;
    return true;
}

/* A QP that receives, of the context's domain; the same one all through a message. */
enum xp_verdict xp__check_destination(struct xp_ctx *c)
{
    const unsigned receiving = 1u << XP_RTR | 1u << XP_RTS | 1u << XP_SQD | 1u << XP_SQE;

    if (!c->to || c->rights->rdd != c->at->rdd || !(receiving >> c->to->state & 1))
        return V_BAD_RDD;
    if (c->e->qkey != c->rights->qkey)
        return V_BAD_QKEY;
    if (c->msg == &c->fresh)
        c->fresh.to = c->qpn;
    return c->msg->to == c->qpn ? V_ACCEPT : V_BAD_ORDER;
}

/* It takes the place of whatever was expected. */
enum xp_verdict xp__check_resync(struct xp_ctx *c)
{
    if (wire_op_of(c->h->opcode) != OP_RESYNC)
        return V_ACCEPT;
    return psn_diff(c->h->psn, c->qp->conn.epsn) < 0 ? V_DUPLICATE : V_RESYNC;
}

/* An answer is for the QP whose message is on its way. */
enum xp_verdict xp__check_astray(struct xp_ctx *c)
{
    return !c->a || c->a->carrier.owner == c->h->dest_qp ? V_ACCEPT : V_ANSWER_ASTRAY;
}

void xp__context_resync(struct xp_ctx *c)
{
    xp__give_up_message(c->x, c->qp);
    if (c->a) {
        c->a->resp.silent = false;
        xp__drop_answers(c->x, c->a);
        xp__held_drop(c->x, &c->a->resp.held);
    }
    c->qp->acked = c->h->psn;
    xp__advance(c->x, c->qp, c->h->psn, 1);
    xp__answer_add(c, xp__credit_syndrome(c->x, c->qp), c->h->psn);
}

void xp__context_forget(struct xp *x, uint32_t qpn, bool flush)
{
    for (uint32_t i = XP_FIRST_QPN; i <= x->pool[POOL_QP].high; i++) {
        struct xp_qp *eec = xp__qp(x, i);
        struct xp_active *a = xp__active_of(x, eec);
        if (!(eec->flags & QP_USED) || !xp__has_trait(eec, TRAIT_CONTEXT) || !a)
            continue;
        struct xp_msg *m = &a->resp.msg;
        if (!m->open || m->to != qpn)
            continue;
        struct xp_wc wc = {.status = XP_WC_WR_FLUSH_ERR, .op = XP_WC_RECV};
        if (m->handed && flush)
            xp__recv_done(x, xp__qp(x, qpn), m, &wc);
        else if (m->handed)
            xp__recv_give(x, m->recv);
        m->handed = m->open = false;
        xp__settle(x, eec);
    }
}
