/*
 * Shared receive queues (IBA 10.2.9, 11.2.4; annex A14 for those that XRC names by number).
 *
 * A receive leaves the queue when a message takes it, at its first packet, and from then on belongs
 * to that message alone: it completes with it, in the name of its QP, or is given up with it.  The
 * limit event comes once, when a take leaves fewer than the limit, and disarms itself.
 */
#include "models/transport/service.h"

static struct xp_srq *srq_find(const struct xp *x, uint32_t srqn)
{
    if (srqn == 0 || srqn > x->pool[POOL_SRQ].high || !xp__srq(x, srqn)->used)
        return 0;
    return xp__srq(x, srqn);
}

int xp_srq_create(struct xp *x, const struct xp_srq_init *init, uint32_t *srqn)
{
    if (init->depth == 0 || init->depth > x->profile.max.srq_wr || init->limit > init->depth ||
        (init->cq && !xp__is_cq(x, init->cq)) || (init->cq != 0) != (init->xrcd != 0) ||
        init->max_sge > x->profile.max.sge)
        return XP_EINVAL;
    if (xp__allows(x, OBJECT_SRQ) != XP_OK)
        return XP_ENOMEM;
    uint32_t i = xp__take(x, POOL_SRQ);
    *xp__srq(x, i) = (struct xp_srq){.pd = init->pd,
                                     .depth = init->depth,
                                     .limit = init->limit,
                                     .cq = init->cq,
                                     .xrcd = init->xrcd,
                                     .max_sge = init->max_sge ? init->max_sge : 1,
                                     .used = true};
    *srqn = i;
    return XP_OK;
}

int xp_srq_arm(struct xp *x, uint32_t srqn, uint32_t limit)
{
    struct xp_srq *s = srq_find(x, srqn);

    if (!s || limit > s->depth)
        return XP_EINVAL;
    s->limit = limit;
    return XP_OK;
}

int xp_srq_destroy(struct xp *x, uint32_t srqn)
{
    struct xp_srq *s = srq_find(x, srqn);

    if (!s || s->users)
        return XP_EINVAL;
    while (s->head) {
        uint32_t i = s->head;
        s->head = xp__recv(x, i)->next;
        xp__recv_give(x, i);
    }
    s->used = false;
    xp__give(x, POOL_SRQ, srqn);
    return XP_OK;
}

int xp_srq_query(const struct xp *x, uint32_t srqn, struct xp_srq_query *out)
{
    const struct xp_srq *s = srq_find(x, srqn);

    if (!s)
        return XP_EINVAL;
    *out = (struct xp_srq_query){.recvs_waiting = s->count, .limit = s->limit};
    return XP_OK;
}

int xp_srq_post_recv(struct xp *x, uint32_t srqn, const struct xp_recv_wr *wr)
{
    struct xp_srq *s = srq_find(x, srqn);

    const struct xp_sges sges = xp__sges(&wr->sge, wr->rest, wr->rest_count);

    if (!s || sges.bytes > XP_MESSAGE_MAX || wr->rest_count >= s->max_sge)
        return XP_EINVAL;
    uint32_t i = s->count < s->depth ? xp__recv_new(x, wr, &sges) : 0;
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

void xp__srq_take(struct xp *x, uint32_t srqn, struct xp_msg *m)
{
    struct xp_srq *s = xp__srq(x, srqn);

    m->recv = s->head;
    m->srq = srqn;
    s->users++;
    s->head = xp__recv(x, s->head)->next;
    if (!s->head)
        s->tail = 0;
    s->count--;
    if (s->count >= s->limit)
        return;
    s->limit = 0;
    xp__event(x, XP_EV_SRQ_LIMIT, srqn);
}

static void let_go(struct xp *x, struct xp_msg *m)
{
    xp__srq(x, m->srq)->users--;
    m->srq = m->recv = 0;
}

void xp__srq_put_back(struct xp *x, struct xp_msg *m)
{
    struct xp_srq *s = xp__srq(x, m->srq);

    xp__recv(x, m->recv)->next = s->head;
    s->head = m->recv;
    if (!s->tail)
        s->tail = m->recv;
    s->count++;
    let_go(x, m);
}

uint64_t xp__srq_spend(struct xp *x, struct xp_msg *m)
{
    uint64_t wr_id = xp__recv(x, m->recv)->wr_id;

    xp__recv_give(x, m->recv);
    let_go(x, m);
    return wr_id;
}

bool xp__srq_completes_on(const struct xp *x, uint32_t xrcd, uint32_t cq)
{
    for (uint32_t i = 1; i <= x->pool[POOL_SRQ].high; i++) {
        const struct xp_srq *s = xp__srq(x, i);
        if (s->used && s->xrcd == xrcd && s->cq == cq)
            return true;
    }
    return false;
}

void xp__find_srq(struct xp_ctx *c)
{
    uint32_t srqn = c->e ? c->e->srq : 0;
    const struct xp_srq *s = srq_find(c->x, srqn);
    bool ours = s && s->xrcd && s->xrcd == c->at->xrcd;

    c->srq = ours ? srqn : 0;
    c->pd = ours ? s->pd : c->at->pd;
}

/* ... the same one all through a SEND. */
enum xp_verdict xp__check_srq(struct xp_ctx *c)
{
    bool other = c->msg->srq && c->msg->srq != c->srq;
    return c->srq && !other ? V_ACCEPT : V_BAD_SRQ;
}
