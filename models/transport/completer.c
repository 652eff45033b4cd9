/*
 * The requester's ear: acknowledgements (IBA 9.7.5, 9.9.2).
 *
 * An answer outside of what is outstanding changes nothing.  Any other first acknowledges all
 * requests before it (an ACK: itself too), which completes sends in posting order; then its kind
 * decides by the service's table.
 */
#include "models/transport/service.h"

static enum answer_kind classify(const struct xp_ctx *c)
{
    unsigned low = aeth_low5(c->h->syndrome);

    if (c->row->cls != CLASS_ACK)
        return ANSWER_UNEXPECTED;
    if (c->h->syndrome & 0x80)
        return ANSWER_RESERVED;
    switch (aeth_kind(c->h->syndrome)) {
    case AETH_ACK:
        return ANSWER_ACK;
    case AETH_RNR:
        return ANSWER_RNR_NAK;
    case AETH_NAK:
        return low <= NAK_INV_RD ? (enum answer_kind)(ANSWER_NAK_PSN_SEQ + low) : ANSWER_RESERVED;
    case AETH_RESERVED:
        break;
    }
    return ANSWER_RESERVED;
}

static void count(struct xp_counts *n, enum answer_kind kind)
{
    if (kind == ANSWER_ACK)
        n->acks_received++;
    else if (kind == ANSWER_RNR_NAK)
        n->rnr_naks_received++;
    else if (kind >= ANSWER_NAK_PSN_SEQ && kind <= ANSWER_NAK_INV_RD)
        n->naks_received++;
}

/* The last PSN of a begun send lies before `una`: it is done. */
static bool is_done(const struct xp_send_wqe *w, struct psn24 una, unsigned mtu_shift)
{
    return w->begun && psn_diff(psn_add(w->first_psn, xp__packets(w, mtu_shift) - 1), una) < 0;
}

/* `packets` more of what was sent are acknowledged. */
static void acknowledge(struct xp_ctx *c, uint32_t packets)
{
    struct xp_requester *r = &c->a->req;
    bool passed = packets > psn_span(r->cursor, r->una);

    r->una = psn_add(r->una, packets);
    while (r->head && is_done(xp__send(c->x, r->head), r->una, c->at->mtu_shift))
        xp__send_done(c->x, c->qp, c->a, XP_WC_SUCCESS);
    if (passed)
        xp__go_back(c->x, c->qp, c->a);
    xp__progress(c->x, c->qp, c->a);
    xp__check_drained(c->x, c->qp);
}

static void apply(struct xp_ctx *c, enum answer_kind kind, uint32_t before)
{
    const struct answer_remedy *r = &c->svc->answers[kind];

    switch ((enum answer_deed)r->deed) {
    case ANSWER_IGNORE:
    case ANSWER_COMPLETE:
        break;
    case ANSWER_RETRY:
        xp__retry_nak(c->x, c->qp, c->a);
        break;
    case ANSWER_WAIT:
        xp__rnr_nak(c->x, c->qp, c->a, aeth_low5(c->h->syndrome), before != 0);
        break;
    case ANSWER_FAIL:
        xp__send_failed(c->x, c->qp, (enum xp_status)r->status);
        break;
    }
}

enum xp_verdict xp__take_answer(struct xp_ctx *c)
{
    enum xp_verdict v = xp__run_checks(c, c->svc->answer_checks);
    if (v != V_ACCEPT)
        return v;
    enum answer_kind kind = classify(c);
    if (c->svc->answers[kind].deed == ANSWER_IGNORE)
        return V_ANSWER_RESERVED;
    count(&c->x->counts, kind);
    struct psn24 una = c->a ? c->a->req.una : c->qp->conn.next_psn;
    uint32_t sent = c->a ? psn_span(c->a->req.sent_end, una) : 0;
    uint32_t before = psn_span(c->h->psn, una);
    if (before >= sent)
        return psn_diff(c->h->psn, una) < 0 ? V_ANSWER_STALE : V_ANSWER_UNSENT;
    if (kind == ANSWER_UNEXPECTED && before)
        return V_ANSWER_STALE;
    uint32_t packets = before + (c->svc->answers[kind].deed == ANSWER_COMPLETE);
    if (packets)
        acknowledge(c, packets);
    apply(c, kind, before);
    return V_ANSWER;
}
