/*
 * Shared receive queues (IBA 10.2.9).
 *
 * A message takes its receive out of the SRQ with its first packet; from then on the receive belongs
 * to the QP's message (`srq` and `recv` of struct xp_msg) and completes as one of that QP, whatever
 * becomes of the message.  Those still in the SRQ belong to nobody and outlive every QP.
 */
#include "models/transport/service.h"

struct xp_srq *xp__srq_find(const struct xp *x, uint32_t srq)
{
    if (srq == 0 || srq > x->pool[POOL_SRQ].high || !xp__srq(x, srq)->valid)
        return 0;
    return xp__srq(x, srq);
}

int xp_srq_create(struct xp *x, const struct xp_srq_init *init, uint32_t *srq)
{
    if (init->depth == 0 || init->depth > x->profile.max_qp_wr || init->limit > init->depth)
        return XP_EINVAL;
    if (!xp__has_room(x, POOL_SRQ))
        return XP_ENOMEM;
    uint32_t i = xp__take(x, POOL_SRQ);
    *xp__srq(x, i) = (struct xp_srq){
        .depth = init->depth,
        .pd = init->pd,
        .limit = init->limit,
        .valid = true,
    };
    *srq = i;
    return XP_OK;
}

int xp_srq_arm(struct xp *x, uint32_t srq, uint32_t limit)
{
    struct xp_srq *s = xp__srq_find(x, srq);

    if (!s || limit > s->depth)
        return XP_EINVAL;
    s->limit = limit;
    return XP_OK;
}

int xp_srq_query(const struct xp *x, uint32_t srq, struct xp_srq_query *out)
{
    const struct xp_srq *s = xp__srq_find(x, srq);

    if (!s)
        return XP_EINVAL;
    *out = (struct xp_srq_query){.recvs_waiting = s->count, .limit = s->limit};
    return XP_OK;
}

/* The oldest receive leaves the queue. */
static uint32_t pop(struct xp *x, struct xp_srq *s)
{
    uint32_t i = s->head;

    s->head = xp__recv(x, i)->next;
    if (!s->head)
        s->tail = 0;
    s->count--;
    return i;
}

int xp_srq_destroy(struct xp *x, uint32_t srq)
{
    struct xp_srq *s = xp__srq_find(x, srq);

    if (!s || s->users)
        return XP_EINVAL;
    while (s->head)
        xp__give(x, POOL_RECV_WQE, pop(x, s));
    s->valid = false;
    xp__give(x, POOL_SRQ, srq);
    return XP_OK;
}

int xp_post_srq_recv(struct xp *x, uint32_t srq, const struct xp_recv_wr *wr, tm_ps now)
{
    struct xp_srq *s = xp__srq_find(x, srq);

    xp__tick(x, now);
    if (!s || wr->sge.length > XP_MESSAGE_MAX)
        return XP_EINVAL;
    uint32_t i = s->count < s->depth ? xp__recv_make(x, wr) : 0;
    if (!i)
        return XP_ENOMEM;
    if (s->tail)
        xp__recv(x, s->tail)->next = i;
    else
        s->head = i;
    s->tail = i;
    s->count++;
    return XP_OK;
}

void xp__srq_take(struct xp *x, uint32_t srq, struct xp_msg *m)
{
    struct xp_srq *s = xp__srq(x, srq);

    m->recv = pop(x, s);
    m->srq = srq;
    s->users++;
    if (s->count >= s->limit)
        return;
    s->limit = 0;
    xp__event(x, XP_EV_SRQ_LIMIT, srq);
}

/* The message has no receive any more. */
static void let_go(struct xp *x, struct xp_msg *m)
{
    xp__srq(x, m->srq)->users--;
    m->srq = m->recv = 0;
}

bool xp__srq_end(struct xp *x, struct xp_qp *qp, struct xp_msg *m, struct xp_wc *wc)
{
    wc->qpn = xp__qpn(x, qp);
    wc->wr_id = xp__recv(x, m->recv)->wr_id;
    xp__srq_drop(x, m);
    return xp__cq_push(x, xp__attrs(x, qp)->recv_cq, wc);
}

void xp__srq_drop(struct xp *x, struct xp_msg *m)
{
    xp__give(x, POOL_RECV_WQE, m->recv);
    let_go(x, m);
}

void xp__srq_return(struct xp *x, struct xp_msg *m)
{
    struct xp_srq *s = xp__srq(x, m->srq);

    xp__recv(x, m->recv)->next = s->head;
    s->head = m->recv;
    if (!s->tail)
        s->tail = m->recv;
    s->count++;
    let_go(x, m);
}
