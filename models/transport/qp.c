/*
 * Queue pairs: birth, life cycle, death (IBA 10.2.4, 10.3, 11.2.5).
 *
 * What a transition wants is lifecycle.c's and the services' data; what it does is here.
 */
#include <string.h>

#include "models/transport/service.h"

#define ACCESS_ALL (XP_LOCAL_WRITE | XP_REMOTE_WRITE | XP_REMOTE_READ | XP_REMOTE_ATOMIC)

/* The port has what it takes; a CQ for each queue that the QP has; an SRQ or a receive queue of its own, not both. */
static bool queues_ok(const struct xp *x, const struct xp_service *svc,
                      const struct xp_qp_init *init)
{
    bool receives = !(svc->traits & TRAIT_NO_RECV);
    bool srq_ok =
        init->srq == 0 || (init->srq <= x->pool[POOL_SRQ].high && xp__srq(x, init->srq)->used &&
                           !xp__srq(x, init->srq)->xrcd && init->rq_depth == 0);

    if ((svc->traits & TRAIT_DATAGRAM) && !x->profile.port_mtu)
        return false;
    if (!(svc->traits & TRAITS_RD) != !init->rdd || (init->rdd && init->srq))
        return false;
    if (svc->wr_ops ? !xp__is_cq(x, init->send_cq) : init->sq_depth)
        return false;
    if (receives)
        return xp__is_cq(x, init->recv_cq) && srq_ok;
    return init->rq_depth == 0 && init->srq == 0 && (svc->wr_ops || init->xrcd || init->rdd);
}

int xp_qp_create(struct xp *x, const struct xp_qp_init *init, uint32_t *qpn)
{
    uint32_t most = x->profile.max.qp_wr;
    bool known = (unsigned)init->service < XP_SERVICES;
    const struct xp_service *svc = known ? xp__services[init->service] : 0;

    if (!known || init->sq_depth > most || init->rq_depth > most || !queues_ok(x, svc, init))
        return XP_EINVAL;
    if (init->max_send_sge > x->profile.max.sge || init->max_recv_sge > x->profile.max.sge ||
        init->max_inline_data > x->profile.max.inline_data)
        return XP_EINVAL;
    if (xp__allows(x, OBJECT_QP) != XP_OK)
        return XP_ENOMEM;
    uint32_t i = xp__take(x, POOL_QP);
    const struct xp_attrs at = {
        .pd = init->pd,
        .send_cq = init->send_cq,
        .recv_cq = init->recv_cq,
        .sq_depth = init->sq_depth,
        .rq_depth = init->rq_depth,
        .srq = init->srq,
        .xrcd = init->xrcd,
        .rdd = init->rdd,
        .mtu_shift =
            (uint8_t)(svc->traits & TRAIT_DATAGRAM ? __builtin_ctz(x->profile.port_mtu) : 8),
        .max_send_sge = (uint8_t)(init->max_send_sge ? init->max_send_sge : 1),
        .max_recv_sge = (uint8_t)(init->max_recv_sge ? init->max_recv_sge : 1),
        .max_inline_data = init->max_inline_data,
    };
    struct xp_qp *qp = xp__qp(x, i);
    uint8_t wake = qp->wake;
    memset(qp, 0, sizeof *qp);
    qp->wake = wake;
    qp->service = (uint8_t)init->service;
    qp->acked = psn(PSN_MASK);
    qp->attr = xp__attrs_intern(x, &at);
    if (!qp->attr) {
        xp__give(x, POOL_QP, i);
        return XP_ENOMEM;
    }
    qp->flags = QP_USED;
    if (init->srq)
        xp__srq(x, init->srq)->users++;
    *qpn = i;
    return XP_OK;
}

/* What a context and a QP have of each other, before one of them is reset or destroyed. */
static void let_go(struct xp *x, struct xp_qp *qp)
{
    if (xp__has_trait(qp, TRAIT_CONTEXT))
        xp__context_end(x, qp, XP_WC_INV_EEC_STATE_ERR);
    if (!xp__has_trait(qp, TRAIT_VIA_CONTEXT))
        return;
    xp__turn_end(x, qp);
    xp__context_forget(x, xp__qpn(x, qp), false);
}

int xp_qp_destroy(struct xp *x, uint32_t qpn, tm_ps now)
{
    struct xp_qp *qp = xp__qp_find(x, qpn);

    xp__tick(x, now);
    if (!qp)
        return XP_EINVAL;
    let_go(x, qp);
    xp__deactivate(x, qp);
    xp__drop_recvs(x, qp);
    xp__drop_kept(x, qp);
    if (x->bound_to_qp)
        xp__unbind_of_qp(x, qpn);
    xp__mcast_leave(x, qpn);
    if (xp__attrs(x, qp)->srq)
        xp__srq(x, xp__attrs(x, qp)->srq)->users--;
    xp__attrs_release(x, qp->attr);
    qp->flags = 0;
    xp__give(x, POOL_QP, qpn);
    xp__fail_overrun(x);
    return XP_OK;
}

int xp_qp_query(const struct xp *x, uint32_t qpn, struct xp_qp_query *out)
{
    const struct xp_qp *qp = xp__qp_find(x, qpn);

    if (!qp)
        return XP_EINVAL;
    const struct xp_active *a = xp__active_of(x, qp);
    *out = (struct xp_qp_query){
        .state = (enum xp_state)qp->state,
        .service = (enum xp_service_id)qp->service,
        .sq_psn = a ? a->req.sent_end : qp->conn.next_psn,
        .rq_psn = qp->conn.epsn,
        .msn = qp->conn.msn,
        .sends_waiting = a ? a->req.count : 0,
        .holds_srq_recv = a && a->resp.msg.srq,
        .recvs_waiting = qp->recv_count,
        .dest_qp = qp->conn.dest_qp,
        .path = qp->conn.path,
    };
    return XP_OK;
}

/* ---- modify -------------------------------------------------------------------------------- */

bool xp__is_mtu(uint32_t mtu) { return mtu >= 256 && mtu <= 4096 && (mtu & (mtu - 1)) == 0; }

/* Every attribute that `mask` gives has a legal value. */
static bool values_ok(const struct xp_profile *p, const struct xp_qp_attr *v, uint32_t mask)
{
    const struct {
        uint32_t bit;
        bool ok;
    } rule[] = {
        {XP_A_STATE, (unsigned)v->state < XP_STATES},
        {XP_A_ACCESS, (v->access & ~(uint32_t)ACCESS_ALL) == 0},
        {XP_A_PATH_MTU, xp__is_mtu(v->path_mtu)},
        {XP_A_DEST_QP, v->dest_qp <= PSN_MASK},
        {XP_A_RQ_PSN, v->rq_psn.v <= PSN_MASK},
        {XP_A_SQ_PSN, v->sq_psn.v <= PSN_MASK},
        {XP_A_TIMEOUT, v->timeout <= 31},
        {XP_A_RETRY_CNT, v->retry_cnt <= 7},
        {XP_A_RNR_RETRY, v->rnr_retry <= 7},
        {XP_A_MIN_RNR, v->min_rnr_timer <= 31},
        {XP_A_MAX_RD, v->max_rd_atomic <= p->max_rd_atomic},
        {XP_A_MAX_DEST_RD, v->max_dest_rd_atomic <= p->max_dest_rd_atomic},
    };
    for (size_t i = 0; i < sizeof rule / sizeof rule[0]; i++) {
        if ((mask & rule[i].bit) && !rule[i].ok)
            return false;
    }
    return true;
}

uint8_t xp_rd_atomic(const struct xp_profile *p, uint8_t asked)
{
    uint32_t most = asked;

    if (p->rd_atomic_pow2 && (asked & (asked - 1)))
        most = 1u << (32 - __builtin_clz(asked));
    return (uint8_t)(most > UINT8_MAX ? UINT8_MAX : most);
}

static struct xp_attrs merged(const struct xp *x, const struct xp_attrs *old,
                              const struct xp_qp_attr *v, uint32_t mask)
{
    struct xp_attrs a = *old;

    if (mask & XP_A_PKEY)
        a.pkey = v->pkey;
    if (mask & XP_A_PORT)
        a.port = v->port;
    if (mask & XP_A_ACCESS)
        a.access = v->access;
    if (mask & XP_A_QKEY)
        a.qkey = v->qkey;
    if (mask & XP_A_PATH_MTU)
        a.mtu_shift = (uint8_t)__builtin_ctz(v->path_mtu);
    if (mask & XP_A_MAX_DEST_RD)
        a.max_dest_rd_atomic = xp_rd_atomic(&x->profile, v->max_dest_rd_atomic);
    if (mask & XP_A_MAX_RD)
        a.max_rd_atomic = xp_rd_atomic(&x->profile, v->max_rd_atomic);
    if (mask & XP_A_MIN_RNR)
        a.min_rnr_timer = v->min_rnr_timer;
    if (mask & XP_A_TIMEOUT)
        a.timeout = v->timeout;
    if (mask & XP_A_RETRY_CNT)
        a.retry_cnt = v->retry_cnt;
    if (mask & XP_A_RNR_RETRY)
        a.rnr_retry = v->rnr_retry;
    return a;
}

/* False: no room for another set of attributes. */
static bool change_attrs(struct xp *x, struct xp_qp *qp, const struct xp_attrs *a)
{
    uint32_t set = xp__attrs_intern(x, a);
    if (!set)
        return false;
    xp__attrs_release(x, qp->attr);
    qp->attr = set;
    return true;
}

static void change_conn(struct xp *x, struct xp_qp *qp, const struct xp_qp_attr *v, uint32_t mask)
{
    struct xp_active *a = xp__active_of(x, qp);

    if (mask & XP_A_AV)
        qp->conn.path = v->path;
    if (mask & XP_A_DEST_QP)
        qp->conn.dest_qp = v->dest_qp;
    if (mask & XP_A_RQ_PSN)
        qp->conn.epsn = v->rq_psn;
    if (mask & XP_A_SQ_PSN) {
        qp->conn.next_psn = v->sq_psn;
        if (x->profile.credits)
            xp__credit_reset(x, qp);
        if (a)
            a->req.una = a->req.cursor = a->req.sent_end = v->sq_psn;
    }
    /* Retries used up so far stay used: progress restores them, or a new count. */
    if (a && (mask & XP_A_RETRY_CNT)) {
        a->req.retry_left = v->retry_cnt;
        a->req.rung = 0;
    }
    if (a && (mask & XP_A_RNR_RETRY))
        a->req.rnr_left = v->rnr_retry;
}

void xp__set_state(struct xp *x, struct xp_qp *qp, enum xp_state to)
{
    if (qp->state == to)
        return;
    qp->state = (uint8_t)to;
    xp__note(x, XP_N_STATE, xp__qpn(x, qp), TM_NEVER, to);
}

void xp__qp_error(struct xp *x, struct xp_qp *qp)
{
    struct xp_active *a = xp__active_of(x, qp);
    bool enters = qp->state != XP_ERR;

    xp__set_state(x, qp, XP_ERR);
    if (xp__has_trait(qp, TRAIT_CONTEXT)) {
        xp__context_end(x, qp, XP_WC_LOC_EEC_OP_ERR);
        return;
    }
    if (xp__has_trait(qp, TRAIT_VIA_CONTEXT)) {
        xp__turn_end(x, qp);
        xp__context_forget(x, xp__qpn(x, qp), true);
    }
    if (a) {
        struct xp_wc wc = {.status = XP_WC_WR_FLUSH_ERR, .op = XP_WC_RECV};
        xp__timer_off(x, a);
        xp__held_drop_all(x, qp);
        if (a->resp.msg.srq)
            xp__recv_done(x, qp, &a->resp.msg, &wc);
        a->resp.msg.open = false;
        a->resp.silent = false;
    }
    xp__flush_sends(x, qp);
    xp__flush_recvs(x, qp);
    if (enters && xp__attrs(x, qp)->srq)
        xp__event(x, XP_EV_LAST_WQE, xp__qpn(x, qp));
}

static void reset(struct xp *x, struct xp_qp *qp)
{
    let_go(x, qp);
    xp__deactivate(x, qp);
    xp__drop_recvs(x, qp);
    xp__drop_kept(x, qp);
    qp->conn = (struct xp_conn){0};
    qp->acked = psn(PSN_MASK);
    qp->flags = QP_USED;
    xp__set_state(x, qp, XP_RESET);
}

static void enter(struct xp *x, struct xp_qp *qp, enum xp_state to)
{
    enum xp_state from = (enum xp_state)qp->state;

    if (to == XP_RESET) {
        reset(x, qp);
    } else if (to == XP_ERR) {
        if (qp->active)
            xp__drop_answers(x, xp__active_of(x, qp));
        xp__qp_error(x, qp);
    } else {
        xp__set_state(x, qp, to);
        if (to == XP_SQD && from != XP_SQD) {
            qp->flags |= QP_DRAINING;
            if (xp__has_trait(qp, TRAIT_VIA_CONTEXT))
                xp__turn_hold(x, qp);
            xp__check_drained(x, qp);
        }
    }
}

int xp_qp_modify(struct xp *x, uint32_t qpn, const struct xp_qp_attr *attr, uint32_t mask,
                 tm_ps now)
{
    struct xp_qp *qp = xp__qp_find(x, qpn);

    xp__tick(x, now);
    if (!qp || !values_ok(&x->profile, attr, mask))
        return XP_EINVAL;
    enum xp_state from = (enum xp_state)qp->state;
    enum xp_state to = mask & XP_A_STATE ? attr->state : from;
    struct xp_transition t = xp_transition_check((enum xp_service_id)qp->service, from, to, mask);
    if (!t.valid || t.missing || t.excess)
        return XP_EINVAL;
    if ((mask & XP_A_CUR_STATE) && attr->cur_state != from)
        return XP_EINVAL;
    struct xp_attrs a = merged(x, xp__attrs(x, qp), attr, mask);
    if (!change_attrs(x, qp, &a))
        return XP_ENOMEM;
    change_conn(x, qp, attr, mask);
    enter(x, qp, to);
    if (xp__has_trait(qp, TRAIT_VIA_CONTEXT))
        xp__turn_seek(x, qp);
    if (xp__has_trait(qp, TRAIT_CONTEXT))
        xp__context_next(x, qp);
    xp__fail_overrun(x);
    xp__settle(x, qp);
    return XP_OK;
}
