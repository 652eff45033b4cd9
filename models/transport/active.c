/*
 * The active part of a QP, and the list of QPs that the driver should hear of.
 *
 * xp__settle is the one place where a QP becomes quiet or woken: every entry point ends with it
 * for the QPs it touched.  A QP is in the list exactly while its `wake` is WAKE_LISTED.
 */
#include "models/transport/service.h"

struct xp_active *xp__take_active(struct xp *x, struct xp_qp *qp)
{
    uint32_t i = xp__take(x, POOL_ACTIVE);
    if (!i)
        return 0;
    const struct xp_attrs *at = xp__attrs(x, qp);
    struct xp_active *a = xp__active(x, i);
    *a = (struct xp_active){
        .qpn = xp__qpn(x, qp),
        .req = {.una = qp->conn.next_psn,
                .cursor = qp->conn.next_psn,
                .sent_end = qp->conn.next_psn,
                .retry_left = at->retry_cnt,
                .rnr_left = at->rnr_retry},
    };
    if (xp__is_selective(x))
        xp__sack_clear(x, i);
    qp->active = i;
    return a;
}

static void woken_append(struct xp *x, struct xp_qp *qp, struct xp_active *a)
{
    a->woken_prev = x->woken_tail;
    a->woken_next = 0;
    if (x->woken_tail)
        xp__active(x, x->woken_tail)->woken_next = qp->active;
    else
        x->woken_head = qp->active;
    x->woken_tail = qp->active;
    qp->wake = WAKE_LISTED;
}

static void woken_unlink(struct xp *x, struct xp_active *a)
{
    if (a->woken_prev)
        xp__active(x, a->woken_prev)->woken_next = a->woken_next;
    else
        x->woken_head = a->woken_next;
    if (a->woken_next)
        xp__active(x, a->woken_next)->woken_prev = a->woken_prev;
    else
        x->woken_tail = a->woken_prev;
}

static bool is_quiet(const struct xp_active *a)
{
    return !a->req.count && !a->answer_head && !a->resp.msg.open && !a->resp.silent &&
           a->req.timer == TIMER_OFF && !a->carrier.first && !a->carrier.held && !a->resp.held.head;
}

static void release(struct xp *x, struct xp_qp *qp, struct xp_active *a)
{
    if (qp->wake == WAKE_LISTED) {
        woken_unlink(x, a);
        qp->wake = WAKE_ASLEEP;
    }
    xp__give(x, POOL_ACTIVE, qp->active);
    qp->active = 0;
}

void xp__settle_active(struct xp *x, struct xp_qp *qp, struct xp_active *a)
{
    if (is_quiet(a))
        release(x, qp, a);
    else if (qp->wake == WAKE_ASLEEP && (a->answer_head || xp__may_request(x, qp, a)))
        woken_append(x, qp, a);
}

void xp__deactivate(struct xp *x, struct xp_qp *qp)
{
    struct xp_active *a = xp__active_of(x, qp);
    if (!a)
        return;
    xp__drop_sends(x, a);
    xp__drop_answers(x, a);
    xp__held_drop_all(x, qp);
    if (a->resp.msg.srq)
        xp__srq_spend(x, &a->resp.msg);
    xp__timer_off(x, a);
    release(x, qp, a);
}

bool xp_woken(struct xp *x, uint32_t *qpn)
{
    if (!x->woken_head)
        return false;
    struct xp_active *a = xp__active(x, x->woken_head);
    woken_unlink(x, a);
    xp__qp(x, a->qpn)->wake = WAKE_NAMED;
    *qpn = a->qpn;
    return true;
}

static void fall_asleep(struct xp *x, struct xp_qp *qp)
{
    if (qp->wake == WAKE_LISTED)
        woken_unlink(x, xp__active(x, qp->active));
    qp->wake = WAKE_ASLEEP;
}

/* The next packet, if something may leave; what completes or fails without one makes way for the next. */
static bool pull_next(struct xp *x, struct xp_qp *qp, struct xp_tx *out)
{
    struct xp_active *a;

    while ((a = xp__active_of(x, qp))) {
        bool pulled;
        if (a->answer_head)
            pulled = xp__pull_answer(x, qp, a, out);
        else if (xp__may_request(x, qp, a))
            pulled = xp__pull_request(x, qp, a, out);
        else
            return false;
        xp__fail_overrun(x);
        if (pulled)
            return true;
    }
    return false;
}

enum xp_pulled xp_pull(struct xp *x, uint32_t qpn, tm_ps now, struct xp_tx *out)
{
    xp__tick(x, now);
    if (qpn < XP_FIRST_QPN || qpn > x->pool[POOL_QP].high)
        return XP_IDLE;
    struct xp_qp *qp = xp__qp(x, qpn);
    bool pulled = pull_next(x, qp, out);
    struct xp_active *a = xp__active_of(x, qp);
    out->more = pulled && a && (a->answer_head || xp__may_request(x, qp, a));
    if (out->more)
        return XP_PULLED;
    fall_asleep(x, qp);
    if (a && is_quiet(a))
        release(x, qp, a);
    return pulled ? XP_PULLED : XP_IDLE;
}
