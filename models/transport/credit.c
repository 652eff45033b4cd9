/*
 * End-to-end flow control of RC (IBA 9.7.7.2): the responder tells with each ACK how many receives
 * wait, the requester begins no SEND or WRITE_IMM further than one beyond that.
 *
 * What of it outlives a message lies beside the QPs and is touched only where a profile has credits.
 * The one send beyond the credit keeps things moving: its answer brings new credit, or an RNR NAK.
 * So does the ACK that a responder sends unasked for its first receive after it had none.
 */
#include "models/transport/service.h"

#define CREDIT_MAX_CODE 30u
#define CREDIT_MAX_COUNT 32768u

/* 0, 1, 2, 3, 4, 6, 8, 12, 16, …: the largest that is not above n (IBA table 47). */
static unsigned code_of(uint32_t n)
{
    if (n < 2)
        return n;
    if (n >= CREDIT_MAX_COUNT)
        return CREDIT_MAX_CODE;
    unsigned log = 31 - (unsigned)__builtin_clz(n);
    return 2 * log + (n >> (log - 1) & 1);
}

static uint32_t count_of(unsigned code)
{
    if (code < 2)
        return code;
    uint32_t power = 1u << (code / 2);
    return code & 1 ? power + power / 2 : power;
}

uint8_t xp__credit_syndrome(const struct xp *x, const struct xp_qp *qp)
{
    unsigned code = AETH_CREDIT_NONE;

    if (x->profile.credits && (xp__service_of(qp)->traits & TRAIT_CREDITS) &&
        !xp__attrs(x, qp)->srq)
        code = code_of(qp->recv_count);
    return aeth_syndrome(AETH_ACK, code);
}

/* Sends that use a credit consume a receive. */
static bool takes_receive(const struct xp_send_wqe *w)
{
    const unsigned ops =
        1u << XP_WR_SEND | 1u << XP_WR_SEND_IMM | 1u << XP_WR_SEND_INV | 1u << XP_WR_WRITE_IMM;
    return ops >> w->op & 1;
}

bool xp__credit_holds_back(const struct xp *x, const struct xp_qp *qp, const struct xp_send_wqe *w)
{
    const struct xp_credit *k = xp__credit(x, qp);

    if (w->begun || !k->limited || !takes_receive(w))
        return false;
    /* Its SSN would be k->ssn + 1: the one beyond LSN may go. */
    return psn_diff(psn(k->ssn), psn(k->lsn)) > 0;
}

void xp__credit_begin(struct xp *x, const struct xp_qp *qp)
{
    struct xp_credit *k = xp__credit(x, qp);
    k->ssn = (k->ssn + 1) & PSN_MASK;
}

void xp__credit_take(struct xp *x, const struct xp_qp *qp, const struct wire_hdr *h)
{
    struct xp_credit *k = xp__credit(x, qp);
    unsigned code = aeth_low5(h->syndrome);

    k->limited = code != AETH_CREDIT_NONE;
    k->lsn = (h->msn + count_of(code)) & PSN_MASK;
}

void xp__credit_reset(struct xp *x, const struct xp_qp *qp)
{
    bool limited = (xp__service_of(qp)->traits & TRAIT_CREDITS) != 0;
    *xp__credit(x, qp) = (struct xp_credit){.limited = limited};
}

void xp__credit_offer(struct xp *x, struct xp_qp *qp)
{
    const unsigned states = 1u << XP_RTR | 1u << XP_RTS | 1u << XP_SQD;
    struct xp_ctx c = {.x = x, .qp = qp, .to = qp, .a = xp__active_of(x, qp)};

    if (qp->recv_count != 1 || !(states >> qp->state & 1) ||
        !(xp__service_of(qp)->traits & TRAIT_CREDITS))
        return;
    xp__answer_add(&c, xp__credit_syndrome(x, qp), psn_sub(qp->conn.epsn, 1));
    xp__settle(x, qp);
}
