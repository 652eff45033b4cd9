/*
 * Work queues and completion queues: lists of pool entries, oldest first.
 *
 * A WQE leaves its queue exactly once: done, failed, flushed or dropped.  A receive in use by a
 * message stays at the head until the message ends, so that a message that breaks leaves it to
 * the next one.  A CQ that is full takes nothing any more; xp__fail_overrun fails its QPs.
 */
#include "models/transport/service.h"

static const uint8_t wc_ops[XP_WR_OPS] = {
    [XP_WR_SEND] = XP_WC_SEND,        [XP_WR_SEND_IMM] = XP_WC_SEND,
    [XP_WR_WRITE] = XP_WC_WRITE,      [XP_WR_WRITE_IMM] = XP_WC_WRITE,
    [XP_WR_READ] = XP_WC_READ,        [XP_WR_CMP_SWAP] = XP_WC_ATOMIC,
    [XP_WR_FETCH_ADD] = XP_WC_ATOMIC, [XP_WR_SEND_INV] = XP_WC_SEND,
    [XP_WR_BIND_MW] = XP_WC_BIND_MW,  [XP_WR_LOCAL_INV] = XP_WC_LOCAL_INV,
};

/* ---- completion queues --------------------------------------------------------------------- */

int xp_cq_create(struct xp *x, uint32_t depth, uint32_t *cq)
{
    if (depth == 0 || depth > x->profile.max.cqe)
        return XP_EINVAL;
    if (xp__allows(x, OBJECT_CQ) != XP_OK)
        return XP_ENOMEM;
    uint32_t i = xp__take(x, POOL_CQ);
    *xp__cq(x, i) = (struct xp_cq){.depth = depth};
    *cq = i;
    return XP_OK;
}

static struct xp_cq *cq_find(const struct xp *x, uint32_t cqn)
{
    return xp__is_cq(x, cqn) ? xp__cq(x, cqn) : 0;
}

int xp_cq_resize(struct xp *x, uint32_t cqn, uint32_t depth)
{
    struct xp_cq *cq = cq_find(x, cqn);

    if (!cq || depth == 0 || depth > x->profile.max.cqe || depth < cq->count)
        return XP_EINVAL;
    cq->depth = depth;
    return XP_OK;
}

static bool is_in_use(const struct xp *x, uint32_t cqn)
{
    for (uint32_t i = XP_FIRST_QPN; i <= x->pool[POOL_QP].high; i++) {
        const struct xp_qp *qp = xp__qp(x, i);
        if ((qp->flags & QP_USED) &&
            (xp__attrs(x, qp)->send_cq == cqn || xp__attrs(x, qp)->recv_cq == cqn))
            return true;
    }
    for (uint32_t i = 1; i <= x->pool[POOL_SRQ].high; i++) {
        if (xp__srq(x, i)->used && xp__srq(x, i)->cq == cqn)
            return true;
    }
    return false;
}

int xp_cq_destroy(struct xp *x, uint32_t cqn)
{
    struct xp_cq *cq = cq_find(x, cqn);
    struct xp_wc wc;

    if (!cq || is_in_use(x, cqn))
        return XP_EINVAL;
    while (xp_poll_cq(x, cqn, &wc, 1) == 1)
        ;
    *cq = (struct xp_cq){0};
    xp__give(x, POOL_CQ, cqn);
    return XP_OK;
}

/* False: the CQ is full, or was. */
static bool cq_push(struct xp *x, uint32_t cqn, const struct xp_wc *wc)
{
    struct xp_cq *cq = xp__cq(x, cqn);

    if (cq->overrun)
        return false;
    if (cq->count == cq->depth) {
        cq->overrun = cq->overrun_fresh = x->cq_overrun = true;
        xp__event(x, XP_EV_CQ_ERR, cqn);
        return false;
    }
    uint32_t i = xp__take(x, POOL_CQE);
    if (!i)
        return true;
    struct xp_cqe *e = xp__cqe(x, i);
    e->next = 0;
    e->wc = *wc;
    if (cq->tail)
        xp__cqe(x, cq->tail)->next = i;
    else
        cq->head = i;
    cq->tail = i;
    cq->count++;
    return true;
}

int xp_poll_cq(struct xp *x, uint32_t cqn, struct xp_wc *wc, int max)
{
    int n = 0;

    if (!xp__is_cq(x, cqn))
        return 0;
    struct xp_cq *cq = xp__cq(x, cqn);
    while (n < max && cq->head) {
        uint32_t i = cq->head;
        wc[n++] = xp__cqe(x, i)->wc;
        cq->head = xp__cqe(x, i)->next;
        if (!cq->head)
            cq->tail = 0;
        cq->count--;
        xp__give(x, POOL_CQE, i);
    }
    return n;
}

uint32_t xp_completions(const struct xp *x) { return x->pool[POOL_CQE].used; }

static bool completes_on(const struct xp *x, const struct xp_qp *qp, uint32_t cqn)
{
    const struct xp_attrs *at = xp__attrs(x, qp);

    return at->send_cq == cqn || at->recv_cq == cqn ||
           (at->xrcd && xp__srq_completes_on(x, at->xrcd, cqn));
}

static void fail_users(struct xp *x, uint32_t cqn)
{
    for (uint32_t i = XP_FIRST_QPN; i <= x->pool[POOL_QP].high; i++) {
        struct xp_qp *qp = xp__qp(x, i);
        if (!(qp->flags & QP_USED) || qp->state == XP_RESET || qp->state == XP_ERR)
            continue;
        if (!completes_on(x, qp, cqn))
            continue;
        xp__event(x, XP_EV_QP_FATAL, i);
        xp__qp_error(x, qp);
        xp__settle(x, qp);
    }
}

void xp__fail_overruns(struct xp *x)
{
    while (x->cq_overrun) {
        x->cq_overrun = false;
        for (uint32_t i = 1; i <= x->pool[POOL_CQ].high; i++) {
            if (!xp__cq(x, i)->overrun_fresh)
                continue;
            xp__cq(x, i)->overrun_fresh = false;
            fail_users(x, i);
        }
    }
}

/* ---- send queue ---------------------------------------------------------------------------- */

static bool sends_accepted(enum xp_state s) { return s >= XP_RTS && s < XP_STATES; }
static bool sends_flushed(enum xp_state s) { return s == XP_SQE || s == XP_ERR; }

/* What the status does not tell, the failing QP does. */
static RARE uint8_t vendor_err(const struct xp *x, const struct xp_qp *qp, enum xp_status status)
{
    const struct xp_active *a = xp__active_of(x, qp);
    enum xp_fault f = xp__fault_of(status);

    if (status == XP_WC_LOC_PROT_ERR && a && a->req.fault)
        f = (enum xp_fault)a->req.fault;
    return x->profile.fault.vendor_err[f];
}

static bool wc_for_send(struct xp *x, struct xp_qp *qp, const struct xp_send_wr *wr,
                        enum xp_status status)
{
    struct xp_wc wc = {
        .wr_id = wr->wr_id,
        .tag = wr->tag,
        .qpn = xp__qpn(x, qp),
        .msgno = wr->msgno,
        .status = (uint8_t)status,
        .op = wc_ops[wr->op],
    };
    if (status != XP_WC_SUCCESS) {
        x->counts.sends_ended[status]++;
        wc.vendor_err = vendor_err(x, qp, status);
    }
    return cq_push(x, xp__attrs(x, qp)->send_cq, &wc);
}

/* Does a send have more to say than its WQE holds? */
static bool has_ext(const struct xp_qp *qp, unsigned op)
{
    return op == XP_WR_CMP_SWAP || op == XP_WR_FETCH_ADD ||
           (xp__service_of(qp)->traits & TRAITS_WITH_EXT);
}

/* Room and memory for one more send; *wqe is filled by the caller. */
static int send_append(struct xp *x, struct xp_qp *qp, const struct xp_send_wr *wr,
                       const struct xp_sges *sges)
{
    uint32_t list = 0;
    struct xp_active *a = xp__active_of(x, qp);

    if ((a ? a->req.count : 0) >= xp__attrs(x, qp)->sq_depth)
        return XP_ENOMEM;
    a = xp__activate(x, qp);
    uint32_t i = a ? xp__take(x, POOL_SEND_WQE) : 0;
    if (!i)
        return XP_ENOMEM;
    if (sges->list && !(list = xp__list_make(x, &wr->sge, wr->rest, wr->rest_count))) {
        xp__give(x, POOL_SEND_WQE, i);
        return XP_ENOMEM;
    }
    *xp__send(x, i) = (struct xp_send_wqe){
        .wr_id = wr->wr_id,
        .addr = sges->one.addr,
        .remote_addr = wr->remote_addr,
        .tag = wr->tag,
        .length = (uint32_t)sges->bytes,
        .lkey = list ? list : sges->one.lkey,
        .rkey = wr->rkey,
        .imm = wr->imm,
        .msgno = wr->msgno,
        .op = wr->op,
        .flags = (uint8_t)((wr->flags & ~WQE_LIST) | (list ? WQE_LIST : 0)),
    };
    if (has_ext(qp, wr->op))
        *xp__send_ext(x, i) = (struct xp_send_ext){
            .swap_or_add = wr->swap_or_add,
            .compare = wr->compare,
            .path = wr->path,
            .remote_qpn = wr->remote_qpn,
            .remote_qkey = wr->remote_qkey,
            .srqn = wr->srqn,
            .eecn = wr->eecn,
        };
    if (xp__is_local(wr->op))
        xp__local_fill(xp__send(x, i), wr);
    struct xp_requester *r = &a->req;
    if (r->tail)
        xp__send(x, r->tail)->next = i;
    else
        r->head = i;
    r->tail = i;
    r->count++;
    if (!r->cur && !xp__has_trait(qp, TRAIT_VIA_CONTEXT))
        r->cur = i;
    return XP_OK;
}

/* A READ or atomic on a QP that may have none outstanding would never begin. */
static bool awaits_in_vain(const struct xp *x, const struct xp_qp *qp, const struct xp_send_wr *wr)
{
    return xp_wr_awaits_answer((enum xp_wr_op)wr->op) && xp__attrs(x, qp)->max_rd_atomic == 0 &&
           !xp__has_trait(qp, TRAIT_VIA_CONTEXT);
}

/* By enum xp_policy_long_datagram. */
static const bool long_datagram_refused[] = {
    [XP_LONG_DATAGRAM_TAKEN] = false,
    [XP_LONG_DATAGRAM_REFUSED] = true,
};

static bool datagram_refused(const struct xp *x, const struct xp_qp *qp, uint64_t bytes)
{
    return (xp__service_of(qp)->traits & TRAIT_DATAGRAM) && bytes > x->profile.port_mtu &&
           long_datagram_refused[x->profile.policy[XP_P_LONG_DATAGRAM]];
}

/* The queue takes so many segments and bytes in this form. */
static int sges_fit(const struct xp *x, const struct xp_qp *qp, const struct xp_send_wr *wr,
                    const struct xp_sges *sges)
{
    const struct xp_attrs *at = xp__attrs(x, qp);
    bool is_rd = xp_wr_awaits_answer((enum xp_wr_op)wr->op);

    if (sges->bytes > XP_MESSAGE_MAX || wr->rest_count >= at->max_send_sge)
        return XP_EINVAL;
    if (is_rd && ((wr->flags & XP_INLINE) || (wr->rest_count && wr->op != XP_WR_READ)))
        return XP_EINVAL;
    return (wr->flags & XP_INLINE) && sges->bytes > at->max_inline_data ? XP_ENOMEM : XP_OK;
}

/* It flushes, at once or when the adapter comes to it. */
static RARE int post_to_dead(struct xp *x, struct xp_qp *qp, const struct xp_send_wr *wr,
                             const struct xp_sges *sges)
{
    if (x->profile.fault.delay_ps[XP_F_FLUSH] == 0) {
        wc_for_send(x, qp, wr, XP_WC_WR_FLUSH_ERR);
        return XP_OK;
    }
    int rc = send_append(x, qp, wr, sges);
    if (rc == XP_OK)
        xp__flush_waits(x, qp);
    return rc;
}

int xp__post(struct xp *x, uint32_t qpn, const struct xp_send_wr *wr, tm_ps now)
{
    struct xp_qp *qp = xp__qp_find(x, qpn);

    xp__tick(x, now);
    if (!qp || wr->op >= XP_WR_OPS)
        return XP_EINVAL;
    if (!(xp__service_of(qp)->wr_ops & 1u << wr->op))
        return XP_EOPNOTSUPP;
    if (!sends_accepted(qp->state))
        return XP_ESTATE;
    if (awaits_in_vain(x, qp, wr))
        return XP_EINVAL;
    if (xp__is_local(wr->op) && !xp__local_ok(x, wr))
        return XP_EINVAL;
    const struct xp_sges sges =
        xp__is_local(wr->op) ? (struct xp_sges){0} : xp__sges(&wr->sge, wr->rest, wr->rest_count);
    int rc = sges_fit(x, qp, wr, &sges);
    if (rc == XP_OK && datagram_refused(x, qp, sges.bytes))
        rc = XP_EINVAL;
    if (rc != XP_OK)
        return rc;
    if (sends_flushed(qp->state)) {
        x->counts.sends_to_dead++;
        rc = post_to_dead(x, qp, wr, &sges);
    } else {
        rc = send_append(x, qp, wr, &sges);
    }
    if (xp__has_trait(qp, TRAIT_VIA_CONTEXT))
        xp__turn_seek(x, qp);
    xp__fail_overrun(x);
    xp__settle(x, qp);
    return rc;
}

int xp_post_send(struct xp *x, uint32_t qpn, const struct xp_send_wr *wr, tm_ps now)
{
    bool type_1 = wr->op == XP_WR_BIND_MW && !xp__is_type_2(x, wr->rkey);
    return type_1 ? XP_EINVAL : xp__post(x, qpn, wr, now);
}

/* The oldest READ or atomic is done: which is the next that has begun? */
static void rd_done(const struct xp *x, struct xp_requester *r)
{
    uint32_t i = r->rd_first;

    r->resumed = false;
    r->rd_first = 0;
    if (--r->rd_count == 0)
        return;
    do
        i = xp__send(x, i)->next;
    while (!xp__awaits_answer(xp__send(x, i)));
    r->rd_first = i;
}

void xp__send_complete(struct xp *x, struct xp_qp *qp, uint32_t send, enum xp_status status)
{
    const struct xp_send_wqe *w = xp__send(x, send);

    if (status != XP_WC_SUCCESS || (w->flags & XP_SIGNALED)) {
        const struct xp_send_wr wr = {
            .wr_id = w->wr_id, .tag = w->tag, .msgno = w->msgno, .op = w->op};
        wc_for_send(x, qp, &wr, status);
    }
    xp__send_give(x, send);
}

void xp__send_done(struct xp *x, struct xp_qp *qp, struct xp_active *a, enum xp_status status)
{
    struct xp_requester *r = &a->req;
    uint32_t i = r->head;
    const struct xp_send_wqe *w = xp__send(x, i);

    CHECK(i);
    if (__builtin_expect(xp__has_trait(qp, TRAIT_CONTEXT), 0)) {
        xp__context_done(x, qp);
        return;
    }
    if (r->cur == i)
        r->cur = w->next;
    if (r->rd_first == i)
        rd_done(x, r);
    r->head = w->next;
    if (!r->head)
        r->tail = 0;
    r->count--;
    xp__send_complete(x, qp, i, status);
}

void xp__flush_sends(struct xp *x, struct xp_qp *qp)
{
    struct xp_active *a = xp__active_of(x, qp);

    while (a && a->req.head)
        xp__send_done(x, qp, a, XP_WC_WR_FLUSH_ERR);
}

void xp__drop_sends(struct xp *x, struct xp_active *a)
{
    while (a->req.head) {
        uint32_t i = a->req.head;
        a->req.head = xp__send(x, i)->next;
        xp__send_give(x, i);
    }
    a->req.tail = a->req.cur = a->req.count = 0;
    a->req.rd_first = a->req.rd_count = 0;
}

/* ---- receive queue ------------------------------------------------------------------------- */

uint32_t xp__recv_new(struct xp *x, const struct xp_recv_wr *wr, const struct xp_sges *sges)
{
    uint32_t list = 0, i = xp__take(x, POOL_RECV_WQE);

    if (!i)
        return 0;
    if (sges->list && !(list = xp__list_make(x, &wr->sge, wr->rest, wr->rest_count))) {
        xp__give(x, POOL_RECV_WQE, i);
        return 0;
    }
    *xp__recv(x, i) = (struct xp_recv_wqe){
        .wr_id = wr->wr_id,
        .addr = sges->one.addr,
        .length = (uint32_t)sges->bytes,
        .lkey = list ? list : sges->one.lkey,
        .list = list != 0,
    };
    return i;
}

static int recv_append(struct xp *x, struct xp_qp *qp, const struct xp_recv_wr *wr,
                       const struct xp_sges *sges)
{
    if (qp->recv_count >= xp__attrs(x, qp)->rq_depth)
        return XP_ENOMEM;
    uint32_t i = xp__recv_new(x, wr, sges);
    if (!i)
        return XP_ENOMEM;
    if (qp->recv_tail)
        xp__recv(x, qp->recv_tail)->next = i;
    else
        qp->recv_head = i;
    qp->recv_tail = i;
    qp->recv_count++;
    return XP_OK;
}

/* By enum xp_policy_err_recv. */
static const bool err_recv_flushes[] = {
    [XP_ERR_RECV_FLUSH] = true,
    [XP_ERR_RECV_KEEP] = false,
};

int xp_post_recv(struct xp *x, uint32_t qpn, const struct xp_recv_wr *wr, tm_ps now)
{
    struct xp_qp *qp = xp__qp_find(x, qpn);

    xp__tick(x, now);
    if (!qp || xp__attrs(x, qp)->srq)
        return XP_EINVAL;
    const struct xp_sges sges = xp__sges(&wr->sge, wr->rest, wr->rest_count);
    if (sges.bytes > XP_MESSAGE_MAX || wr->rest_count >= xp__attrs(x, qp)->max_recv_sge)
        return XP_EINVAL;
    if (xp__service_of(qp)->traits & TRAIT_NO_RECV)
        return XP_EOPNOTSUPP;
    if (qp->state == XP_RESET)
        return XP_ESTATE;
    int rc = recv_append(x, qp, wr, &sges);
    if (rc == XP_OK && qp->state == XP_ERR && err_recv_flushes[x->profile.policy[XP_P_ERR_RECV]])
        xp__flush_recvs(x, qp);
    if (rc == XP_OK && x->profile.credits)
        xp__credit_offer(x, qp);
    xp__fail_overrun(x);
    return rc;
}

static uint32_t recv_unlink(struct xp *x, struct xp_qp *qp)
{
    uint32_t i = qp->recv_head;

    qp->recv_head = xp__recv(x, i)->next;
    if (!qp->recv_head)
        qp->recv_tail = 0;
    qp->recv_count--;
    return i;
}

/* Takes the head out; its wr_id. */
static uint64_t recv_take(struct xp *x, struct xp_qp *qp)
{
    uint32_t i = recv_unlink(x, qp);
    uint64_t wr_id = xp__recv(x, i)->wr_id;

    xp__recv_give(x, i);
    return wr_id;
}

void xp__recv_hand_over(struct xp *x, struct xp_qp *qp, struct xp_msg *m)
{
    m->recv = recv_unlink(x, qp);
    m->handed = true;
}

void xp__recv_hand_back(struct xp *x, struct xp_qp *qp, struct xp_msg *m)
{
    xp__recv(x, m->recv)->next = qp->recv_head;
    qp->recv_head = m->recv;
    if (!qp->recv_tail)
        qp->recv_tail = m->recv;
    qp->recv_count++;
    m->recv = 0;
    m->handed = false;
}

bool xp__recv_done(struct xp *x, struct xp_qp *qp, struct xp_msg *m, struct xp_wc *wc)
{
    uint32_t cq = xp__attrs(x, qp)->recv_cq;

    wc->qpn = xp__qpn(x, qp);
    if (wc->status != XP_WC_SUCCESS)
        x->counts.recvs_ended[wc->status]++;
    if (__builtin_expect(m->handed, 0)) {
        wc->wr_id = xp__recv(x, m->recv)->wr_id;
        xp__recv_give(x, m->recv);
        m->handed = false;
        m->recv = 0;
    } else if (m->srq) {
        cq = xp__srq(x, m->srq)->cq ? xp__srq(x, m->srq)->cq : cq;
        wc->wr_id = xp__srq_spend(x, m);
    } else {
        wc->wr_id = recv_take(x, qp);
    }
    return cq_push(x, cq, wc);
}

void xp__flush_recvs(struct xp *x, struct xp_qp *qp)
{
    struct xp_msg own = {.srq = 0};

    while (qp->recv_head) {
        struct xp_wc wc = {.status = XP_WC_WR_FLUSH_ERR, .op = XP_WC_RECV};
        xp__recv_done(x, qp, &own, &wc);
    }
}

void xp__drop_recvs(struct xp *x, struct xp_qp *qp)
{
    while (qp->recv_head)
        recv_take(x, qp);
}
