/*
 * RD, reliable datagrams: its descriptors, and the turn of a QP's oldest send (IBA 9.7.8, 10.2.7).
 *
 * An RD QP has queues and rights, and no connection.  Its oldest send lines up at the EE context that
 * it names; when its turn comes it is lent to the context, whose requester treats it as its own only
 * send.  So one message of a QP is outstanding at a time, and completions come in posting order.  What
 * an RNR NAK turns away comes back, waits, and lines up again, while the context carries others.
 *
 * Invariant: the send that is lent is in no list of the QP, and counts in its depth all the same.
 * Left out: windows and invalidation, SRQs.
 */
#include "models/transport/reliable.h"
#include "models/transport/service.h"

/* Why the QP's oldest send may not line up at the context that it names. */
static enum xp_status context_fault(const struct xp *x, const struct xp_qp *qp,
                                    const struct xp_qp *eec)
{
    if (!eec || !xp__has_trait(eec, TRAIT_CONTEXT))
        return XP_WC_INV_EECN_ERR;
    if (xp__attrs(x, eec)->rdd != xp__attrs(x, qp)->rdd)
        return XP_WC_LOC_RDD_VIOL_ERR;
    return eec->state == XP_RTS || eec->state == XP_SQD ? XP_WC_SUCCESS : XP_WC_INV_EEC_STATE_ERR;
}

static void stop_sending(struct xp *x, struct xp_qp *qp)
{
    xp__set_state(x, qp, xp__service_of(qp)->send_error_state);
    xp__flush_sends(x, qp);
}

void xp__turn_seek(struct xp *x, struct xp_qp *qp)
{
    struct xp_active *q = xp__active_of(x, qp);

    if (!q || q->turn.phase != TURN_NONE || !q->req.head)
        return;
    if (qp->state != XP_RTS && !(qp->state == XP_SQD && q->turn.started))
        return;
    uint32_t eecn = xp__send_ext(x, q->req.head)->eecn;
    struct xp_qp *eec = xp__qp_find(x, eecn);
    enum xp_status fault = context_fault(x, qp, eec);
    if (fault != XP_WC_SUCCESS) {
        xp__turn_fail(x, qp, fault);
        return;
    }
    struct xp_active *e = xp__activate(x, eec);
    if (!e)
        return;
    q->turn.phase = TURN_LINED_UP;
    q->turn.eecn = eecn;
    q->turn.next = 0;
    if (e->carrier.last)
        xp__active_of(x, xp__qp(x, e->carrier.last))->turn.next = q->qpn;
    else
        e->carrier.first = q->qpn;
    e->carrier.last = q->qpn;
    xp__context_next(x, eec);
    xp__settle(x, eec);
}

void xp__turn_back(struct xp *x, struct xp_qp *qp, bool suspended)
{
    struct xp_active *q = xp__active_of(x, qp);
    struct xp_send_wqe *w = xp__send(x, q->turn.lent);

    w->begun = false;
    w->next = q->req.head;
    q->req.head = q->turn.lent;
    if (!q->req.tail)
        q->req.tail = q->turn.lent;
    q->turn.lent = 0;
    q->turn.phase = suspended ? TURN_SUSPENDED : TURN_NONE;
    q->turn.started |= suspended;
}

void xp__turn_done(struct xp *x, struct xp_qp *qp, enum xp_status status)
{
    struct xp_active *q = xp__active_of(x, qp);
    uint32_t send = q->turn.lent;

    q->turn = (struct xp_turn){0};
    q->req.count--;
    xp__send_complete(x, qp, send, status);
    if (status == XP_WC_SUCCESS) {
        xp__check_drained(x, qp);
        xp__turn_seek(x, qp);
    } else {
        stop_sending(x, qp);
    }
    xp__settle(x, qp);
}

void xp__turn_fail(struct xp *x, struct xp_qp *qp, enum xp_status status)
{
    struct xp_active *q = xp__active_of(x, qp);

    q->turn = (struct xp_turn){0};
    xp__send_done(x, qp, q, status);
    stop_sending(x, qp);
}

/* Out of the line at its context. */
static void step_out(struct xp *x, struct xp_active *q)
{
    struct xp_carrier *c = &xp__active_of(x, xp__qp(x, q->turn.eecn))->carrier;
    uint32_t before = 0;

    for (uint32_t i = c->first; i != q->qpn; i = xp__active_of(x, xp__qp(x, i))->turn.next)
        before = i;
    if (before)
        xp__active_of(x, xp__qp(x, before))->turn.next = q->turn.next;
    else
        c->first = q->turn.next;
    if (c->last == q->qpn)
        c->last = before;
    q->turn.phase = TURN_NONE;
}

void xp__turn_delivered(struct xp *x, struct xp_qp *qp)
{
    struct xp_active *q = xp__active_of(x, qp);

    if (q->turn.phase == TURN_LINED_UP)
        step_out(x, q);
    xp__timer_off(x, q);
    q->turn = (struct xp_turn){0};
    xp__send_done(x, qp, q, XP_WC_SUCCESS);
    xp__check_drained(x, qp);
    xp__turn_seek(x, qp);
    xp__settle(x, qp);
}

void xp__turn_resume(struct xp *x, struct xp_qp *qp)
{
    struct xp_active *q = xp__active_of(x, qp);

    if (q->turn.phase != TURN_SUSPENDED)
        return;
    q->turn.phase = TURN_NONE;
    xp__turn_seek(x, qp);
}

void xp__turn_end(struct xp *x, struct xp_qp *qp)
{
    struct xp_active *q = xp__active_of(x, qp);

    if (!q)
        return;
    struct xp_qp *eec = xp__qp(x, q->turn.eecn);
    switch ((enum turn_phase)q->turn.phase) {
    case TURN_NONE:
        break;
    case TURN_LINED_UP:
        step_out(x, q);
        break;
    case TURN_LENT:
        xp__context_abandon(x, eec);
        xp__turn_back(x, qp, false);
        break;
    case TURN_SUSPENDED:
        xp__timer_off(x, q);
        break;
    }
    if (q->turn.eecn)
        xp__settle(x, eec);
    q->turn = (struct xp_turn){0};
}

void xp__turn_hold(struct xp *x, struct xp_qp *qp)
{
    const struct xp_active *q = xp__active_of(x, qp);

    if (!q || q->turn.started)
        return;
    if (q->turn.phase == TURN_LINED_UP ||
        (q->turn.phase == TURN_LENT && !xp__send(x, q->turn.lent)->begun))
        xp__turn_end(x, qp);
}

bool xp__turn_is_begun(const struct xp_active *q)
{
    return q->turn.started || q->turn.phase == TURN_LENT;
}

/* ---- descriptors --------------------------------------------------------------------------- */

static enum xp_verdict check_nothing_comes(struct xp_ctx *c) { return V_WRONG_SERVICE; }

static const resp_check nothing[] = {check_nothing_comes, 0};

static const resp_check requests[] = {
    xp__check_receiving,   xp__check_header, xp__check_resync, xp__check_psn,
    xp__check_destination, xp__check_opcode, xp__check_order,  xp__check_length,
    xp__check_right,       xp__check_recv,   xp__check_key,    0,
};

static const resp_check answers[] = {xp__check_sending, xp__check_header, xp__check_astray, 0};

#define CHANGEABLE (XP_A_CUR_STATE | XP_A_QKEY | XP_A_ACCESS | XP_A_MIN_RNR)

const struct xp_service xp__service_rd = {
    .name = "rd",
    .prefix = WIRE_RD,
    .traits = TRAIT_ACKED | TRAIT_VIA_CONTEXT,
    .wr_ops = 1u << XP_WR_SEND | 1u << XP_WR_SEND_IMM | 1u << XP_WR_WRITE | 1u << XP_WR_WRITE_IMM |
              1u << XP_WR_READ | 1u << XP_WR_CMP_SWAP | 1u << XP_WR_FETCH_ADD,
    .send_error_state = XP_SQE,
    .checks = nothing,
    .answer_checks = nothing,
    .remedy = {RELIABLE_REMEDIES},
    .answers = {RELIABLE_ANSWERS},
    .life =
        {
            [LIFE_TO_INIT] = {true, XP_A_PKEY | XP_A_PORT | XP_A_QKEY, XP_A_ACCESS},
            [LIFE_IN_INIT] = {true, 0, XP_A_PKEY | XP_A_PORT | XP_A_QKEY | XP_A_ACCESS},
            [LIFE_TO_RTR] = {true, XP_A_MIN_RNR, XP_A_PKEY | XP_A_QKEY | XP_A_ACCESS},
            [LIFE_TO_RTS] = {true, 0, CHANGEABLE},
            [LIFE_IN_RTS] = {true, 0, CHANGEABLE},
            [LIFE_TO_SQD] = {true, 0, XP_A_SQD_NOTIFY},
            [LIFE_IN_SQD] = {true, 0, XP_A_PKEY | XP_A_QKEY | XP_A_ACCESS | XP_A_MIN_RNR},
            [LIFE_SQE_TO_RTS] = {true, 0, CHANGEABLE},
            [LIFE_BARE] = {true, 0, 0},
        },
};

const struct xp_service xp__service_eec = {
    .name = "eec",
    .prefix = WIRE_RD,
    .traits = TRAIT_ACKED | TRAIT_NO_RECV | TRAIT_CONTEXT,
    .request_ops = ((1u << (OP_READ_REQUEST + 1)) - 1) | 1u << OP_CMP_SWAP | 1u << OP_FETCH_ADD,
    .send_error_state = XP_ERR,
    .checks = requests,
    .answer_checks = answers,
    .remedy = {RELIABLE_COMMON_REMEDIES[V_BAD_RDD] =
                   {.deed = DEED_NAK, .nak = NAK_INV_RD, .event = NO_EVENT, .count = COUNT_DROPPED},
               [V_BAD_QKEY] = {.deed = DEED_NAK,
                               .nak = NAK_INV_RD,
                               .event = NO_EVENT,
                               .count = COUNT_BAD_QKEY},
               [V_RESYNC] = {.deed = DEED_RESYNC, .event = NO_EVENT},
               [V_ANSWER_ASTRAY] = RELIABLE_DROPPED},
    .answers = {RELIABLE_COMMON_ANSWERS[ANSWER_RNR_NAK] = {.deed = ANSWER_SUSPEND}},
    .life =
        {
            [LIFE_TO_INIT] = {true, XP_A_PKEY | XP_A_PORT, 0},
            [LIFE_IN_INIT] = {true, 0, XP_A_PKEY | XP_A_PORT},
            [LIFE_TO_RTR] = {true,
                             XP_A_AV | XP_A_PATH_MTU | XP_A_DEST_QP | XP_A_RQ_PSN |
                                 XP_A_MAX_DEST_RD,
                             XP_A_ALT_PATH | XP_A_PKEY},
            [LIFE_TO_RTS] = {true,
                             XP_A_SQ_PSN | XP_A_TIMEOUT | XP_A_RETRY_CNT | XP_A_RNR_RETRY |
                                 XP_A_MAX_RD,
                             XP_A_CUR_STATE | XP_A_ALT_PATH | XP_A_MIG_STATE},
            [LIFE_IN_RTS] = {true, 0, XP_A_CUR_STATE | XP_A_ALT_PATH | XP_A_MIG_STATE},
            [LIFE_TO_SQD] = {true, 0, XP_A_SQD_NOTIFY},
            [LIFE_IN_SQD] = {true, 0,
                             XP_A_PKEY | XP_A_AV | XP_A_ALT_PATH | XP_A_MIG_STATE | XP_A_PORT |
                                 XP_A_TIMEOUT | XP_A_RETRY_CNT | XP_A_RNR_RETRY | XP_A_MAX_RD |
                                 XP_A_MAX_DEST_RD},
            [LIFE_BARE] = {true, 0, 0},
        },
};
