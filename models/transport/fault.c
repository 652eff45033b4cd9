/*
 * Sends that fail: the cause, the adapter's time to tell it, the completion.
 *
 * Until the completion is due the QP is doomed: its timer is TIMER_FAULT, nothing of its send queue
 * leaves, and answers are of no use any more.  What it serves as a responder goes on.
 */
#include "models/transport/service.h"

/* Causes that the status alone tells. */
static const uint8_t fault_of[XP_WC_STATUSES] = {
    [XP_WC_LOC_PROT_ERR] = XP_F_LKEY,           [XP_WC_WR_FLUSH_ERR] = XP_F_FLUSH,
    [XP_WC_REM_INV_REQ_ERR] = XP_F_REM_INV_REQ, [XP_WC_REM_ACCESS_ERR] = XP_F_REM_ACCESS,
    [XP_WC_RETRY_EXC_ERR] = XP_F_RETRY,         [XP_WC_RNR_RETRY_EXC_ERR] = XP_F_RNR_RETRY,
};

/* By enum xp_policy_error_psn: where the requester stands when a packet has been refused. */
static const bool stands_at_refused[] = {
    [XP_ERROR_PSN_NEXT] = false,
    [XP_ERROR_PSN_REFUSED] = true,
};

/* The responder has refused a packet. */
static const bool refused[XP_WC_STATUSES] = {
    [XP_WC_REM_INV_REQ_ERR] = true,    [XP_WC_REM_ACCESS_ERR] = true,    [XP_WC_REM_OP_ERR] = true,
    [XP_WC_REM_INV_RD_REQ_ERR] = true, [XP_WC_RNR_RETRY_EXC_ERR] = true,
};

enum xp_fault xp__fault_of(enum xp_status status) { return (enum xp_fault)fault_of[status]; }

static enum xp_fault segment_fault(const struct xp *x, const struct xp_sge *s, uint32_t pd,
                                   uint32_t use)
{
    const struct xp_mr *mr = xp__mr_find(x, s->lkey);

    if (!mr || mr->pd != pd)
        return XP_F_LKEY;
    if ((mr->access & use) != use)
        return XP_F_LOCAL_WRITE;
    return xp__mr_check(x, s->lkey, pd, s->addr, s->length, use) ? XP_F_OTHER : XP_F_SGE;
}

enum xp_fault xp__local_fault(const struct xp *x, const struct xp_send_wqe *w, uint32_t pd,
                              uint32_t use)
{
    enum xp_fault f = XP_F_OTHER;

    if (!(w->flags & WQE_LIST))
        return segment_fault(x, &(struct xp_sge){w->addr, w->length, w->lkey}, pd, use);
    for (uint32_t i = w->lkey; i && f == XP_F_OTHER; i = xp__sge(x, i)->next)
        f = segment_fault(x, &xp__sge(x, i)->sge, pd, use);
    return f;
}

static void fail(struct xp *x, struct xp_qp *qp, struct xp_active *a, enum xp_status status)
{
    bool stands = stands_at_refused[x->profile.policy[XP_P_ERROR_PSN]];

    if (stands && refused[status] && !xp__has_trait(qp, TRAIT_CONTEXT))
        qp->conn.next_psn = a->req.sent_end = a->req.cursor = a->req.una;
    xp__send_failed(x, qp, status);
}

void xp__fault(struct xp *x, struct xp_qp *qp, struct xp_active *a, enum xp_status status,
               enum xp_fault fault)
{
    tm_ps delay = x->profile.fault.delay_ps[fault];

    a->req.fault = (uint8_t)fault;
    if (delay == 0) {
        fail(x, qp, a, status);
        return;
    }
    a->req.status = (uint8_t)status;
    xp__timer_set(x, qp, a, TIMER_FAULT, x->now + delay);
}

bool xp__flush_waits(struct xp *x, struct xp_qp *qp)
{
    tm_ps delay = x->profile.fault.delay_ps[XP_F_FLUSH];
    struct xp_active *a = xp__active_of(x, qp);

    if (delay == 0 || !a || !a->req.head)
        return false;
    if (a->req.timer == TIMER_FAULT)
        return true;
    a->req.fault = XP_F_FLUSH;
    a->req.status = XP_WC_WR_FLUSH_ERR;
    xp__timer_set(x, qp, a, TIMER_FAULT, x->now + delay);
    return true;
}

void xp__fault_due(struct xp *x, struct xp_qp *qp, struct xp_active *a)
{
    if (a->req.status == XP_WC_WR_FLUSH_ERR)
        xp__flush_sends(x, qp);
    else
        fail(x, qp, a, (enum xp_status)a->req.status);
}
