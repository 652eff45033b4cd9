/*
 * The requester's ear: acknowledgements and responses (IBA 9.7.5, 9.9.2).
 *
 * An answer outside of what is outstanding changes nothing.  Any other is judged against the oldest
 * response of a READ or atomic that is missing, the hole: what would pass it acknowledges only what
 * comes before it and implies a NAK.  Then all requests before the answer are acknowledged (by an
 * ACK or the awaited response: itself too), which completes sends in posting order; and its kind
 * decides by the service's table.
 */
#include "models/transport/service.h"

/* An acknowledgement by its syndrome. */
static enum answer_kind classify(uint8_t syndrome)
{
    unsigned low = aeth_low5(syndrome);

    if (syndrome & 0x80)
        return ANSWER_RESERVED;
    switch (aeth_kind(syndrome)) {
    case AETH_ACK:
        return ANSWER_ACK;
    case AETH_RNR:
        return ANSWER_RNR_NAK;
    case AETH_NAK:
        return low <= NAK_INV_RD ? (enum answer_kind)(ANSWER_NAK_PSN_SEQ + low)
                                 : ANSWER_NAK_RESERVED;
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
    else if (kind == ANSWER_DATA)
        n->responses_received++;
}

/* ---- responses of READs and atomics ---------------------------------------------------------- */

#define NO_HOLE UINT32_MAX

/* How far beyond `una` the oldest missing response of a READ or atomic lies. */
static uint32_t hole_of(const struct xp_ctx *c)
{
    const struct xp_requester *r = &c->a->req;

    if (!r->rd_first)
        return NO_HOLE;
    int32_t ahead = psn_diff(xp__send(c->x, r->rd_first)->first_psn, r->una);
    return ahead > 0 ? (uint32_t)ahead : 0;
}

static const struct xp_send_wqe *awaited(const struct xp_ctx *c)
{
    return xp__send(c->x, c->a->req.rd_first);
}

/* Is the response of an operation that may come at this place of the READ? */
static bool in_its_place(const struct xp_ctx *c, const struct xp_send_wqe *w)
{
    const struct xp_requester *r = &c->a->req;
    bool at_start = psn_eq(c->h->psn, w->first_psn);
    bool at_resume = r->resumed && psn_eq(c->h->psn, r->resume);

    return xp__starts(c) ? at_start || at_resume : !at_start;
}

/* The response at the PSN that is awaited. */
static enum answer_kind judge_read(struct xp_ctx *c, const struct xp_send_wqe *w)
{
    uint32_t mtu = 1u << c->at->mtu_shift, bytes = c->h->payload_bytes;
    uint32_t offset = psn_span(c->h->psn, w->first_psn) << c->at->mtu_shift;
    uint32_t rest = w->length - offset;

    bool placed = in_its_place(c, w);
    bool wrong = xp__ends(c) ? bytes != rest : bytes != mtu || rest <= mtu;
    /* Selective repeat: a READ is answered again in parts, each with a first and a last. */
    if ((!placed || wrong) && xp__is_selective(c->x))
        wrong = bytes != (rest < mtu ? rest : mtu);
    else if (!placed)
        return ANSWER_UNEXPECTED;
    if (bytes > rest)
        return ANSWER_WRONG_LENGTH;
    if (!bytes)
        return wrong ? ANSWER_WRONG_LENGTH : ANSWER_DATA;
    if (__builtin_expect(w->flags & WQE_LIST, 0)) {
        if (!xp__list_check(c->x, w->lkey, c->pd, USE_LOCAL_WRITE))
            return ANSWER_NO_ROOM;
        c->out->deed = XP_PLACE;
        c->out->segs = xp__segments(c->x, w->lkey, offset, bytes, &c->out->seg, c->out->rest);
        return wrong ? ANSWER_WRONG_LENGTH : ANSWER_DATA;
    }
    const struct xp_mr *mr =
        xp__mr_check(c->x, w->lkey, c->pd, w->addr, w->length, USE_LOCAL_WRITE);
    if (!mr)
        return ANSWER_NO_ROOM;
    c->out->deed = XP_PLACE;
    c->out->seg = (struct xp_seg){.tag = mr->tag, .addr = w->addr + offset, .len = bytes};
    return wrong ? ANSWER_WRONG_LENGTH : ANSWER_DATA;
}

static enum answer_kind judge_atomic(struct xp_ctx *c, const struct xp_send_wqe *w)
{
    const struct xp_mr *mr =
        xp__mr_check(c->x, w->lkey, c->pd, w->addr, w->length, USE_LOCAL_WRITE);

    if (!mr)
        return ANSWER_NO_ROOM;
    c->out->deed = XP_PLACE_VALUE;
    c->out->seg = (struct xp_seg){.tag = mr->tag, .addr = w->addr, .len = XP_ATOMIC_BYTES};
    c->out->value = c->e->original;
    return ANSWER_DATA;
}

static enum answer_kind judge_response(struct xp_ctx *c, uint32_t before, uint32_t hole)
{
    const struct wire_op_row *row = c->row;

    if ((row->headers & HDR_AETH) && classify(c->h->syndrome) != ANSWER_ACK)
        return ANSWER_RESERVED;
    if (before < hole)
        return ANSWER_UNEXPECTED;
    const struct xp_send_wqe *w = awaited(c);
    bool is_read = w->op == XP_WR_READ;
    if (before > hole) {
        bool within = is_read && row->cls == CLASS_READ_RESP &&
                      psn_span(c->h->psn, w->first_psn) < xp__packets(w, c->at->mtu_shift);
        return within ? ANSWER_HOLE_WITHIN : ANSWER_HOLE;
    }
    if (is_read != (row->cls == CLASS_READ_RESP))
        return ANSWER_UNEXPECTED;
    return is_read ? judge_read(c, w) : judge_atomic(c, w);
}

/* An acknowledgement that would pass the missing response of a READ or atomic. */
static enum answer_kind judge_ack(const struct xp_ctx *c, enum answer_kind kind, uint32_t before,
                                  uint32_t hole)
{
    if (before > hole)
        return ANSWER_HOLE;
    if (before < hole || xp__answer_remedy(c->x, c->qp, kind)->deed != ANSWER_COMPLETE)
        return kind;
    return awaited(c)->op == XP_WR_READ ? ANSWER_HOLE : ANSWER_ACK_OF_ATOMIC;
}

/* ---- effect -------------------------------------------------------------------------------- */

/* The last PSN of a begun send lies before `una`: it is done. */
static bool is_done(const struct xp_send_wqe *w, struct psn24 una, unsigned mtu_shift)
{
    return w->begun && psn_diff(psn_add(w->first_psn, xp__packets(w, mtu_shift) - 1), una) < 0;
}

/* By enum xp_policy_nak_progress. */
static const bool nak_restores[] = {
    [XP_NAK_PROGRESS_RESTORES] = true,
    [XP_NAK_PROGRESS_NONE] = false,
};

/* An answer that refuses something, and acknowledges only what comes before. */
static bool refuses(enum answer_deed deed)
{
    return deed == ANSWER_RETRY || deed == ANSWER_IMPLY || deed == ANSWER_WAIT ||
           deed == ANSWER_WAIT_MESSAGE || deed == ANSWER_SUSPEND;
}

/* `packets` more of what was sent are acknowledged. */
static void acknowledge(struct xp_ctx *c, uint32_t packets, enum answer_deed deed)
{
    struct xp_requester *r = &c->a->req;
    uint32_t head = r->head;
    bool passed = packets > psn_span(r->cursor, r->una);

    if (c->svc->traits & TRAIT_CONTEXT)
        c->a->carrier.msn = c->h->msn;
    r->una = psn_add(r->una, packets);
    while (r->head && is_done(xp__send(c->x, r->head), r->una, c->at->mtu_shift))
        xp__send_done(c->x, c->qp, c->a, XP_WC_SUCCESS);
    if (xp__is_selective(c->x))
        xp__sack_advance(c->x, c->qp, c->a, packets);
    else if (passed)
        xp__go_back(c->x, c->qp, c->a);
    if (!refuses(deed) || r->head != head || nak_restores[c->x->profile.policy[XP_P_NAK_PROGRESS]])
        xp__progress(c->x, c->qp, c->a);
    xp__check_drained(c->x, c->qp);
}

/* More is to be done than what acknowledging does. */
static bool asks_more(const struct answer_remedy *r)
{
    return (r->deed != ANSWER_COMPLETE && r->deed != ANSWER_TAKE) || r->fatal;
}

/* What says that memory is at fault is a response that finds no place. */
static RARE void fail(struct xp_ctx *c, enum xp_status status)
{
    enum xp_fault f = xp__fault_of(status);

    if (status == XP_WC_LOC_PROT_ERR)
        f = xp__local_fault(c->x, xp__send(c->x, c->a->req.head), c->pd, USE_LOCAL_WRITE);
    xp__fault(c->x, c->qp, c->a, status, f);
}

static RARE void apply(struct xp_ctx *c, const struct answer_remedy *r, bool fresh)
{
    switch ((enum answer_deed)r->deed) {
    case ANSWER_IGNORE:
    case ANSWER_COMPLETE:
    case ANSWER_TAKE:
        break;
    case ANSWER_RETRY:
        if (xp__is_selective(c->x)) {
            xp__sack_take(c);
            break;
        }
        xp__retry_nak(c->x, c->qp, c->a, false);
        break;
    case ANSWER_IMPLY:
        /* An answer to what was never sent tells nothing of what is missing. */
        if (xp__is_selective(c->x) && psn_diff(c->h->psn, c->a->req.sent_end) < 0)
            xp__sack_imply(c);
        else
            xp__retry_nak(c->x, c->qp, c->a, true);
        break;
    case ANSWER_WAIT:
    case ANSWER_WAIT_MESSAGE:
        xp__rnr_nak(c->x, c->qp, c->a, aeth_low5(c->h->syndrome), fresh);
        break;
    case ANSWER_SUSPEND:
        xp__context_suspend(c->x, c->qp, aeth_low5(c->h->syndrome), c->h->msn);
        break;
    case ANSWER_FAIL:
        fail(c, (enum xp_status)r->status);
        break;
    }
    if (r->fatal)
        xp__qp_error(c->x, c->qp);
}

/* From `una` to the first packet of the message that the answer is about. */
static RARE uint32_t to_message_of(const struct xp_ctx *c)
{
    const struct xp_requester *r = &c->a->req;
    const struct xp_send_wqe *w = xp__send(c->x, r->head);

    while (psn_span(c->h->psn, w->first_psn) >= xp__packets(w, c->at->mtu_shift))
        w = xp__send(c->x, w->next);
    int32_t ahead = psn_diff(w->first_psn, r->una);
    return ahead > 0 ? (uint32_t)ahead : 0;
}

/* How many packets from `una` on an answer `before` packets ahead of it acknowledges. */
static uint32_t acknowledged(const struct xp_ctx *c, enum answer_deed deed, uint32_t before,
                             uint32_t hole)
{
    if (deed == ANSWER_IMPLY)
        return hole;
    if (deed == ANSWER_WAIT_MESSAGE)
        return to_message_of(c);
    return before + (deed == ANSWER_COMPLETE || deed == ANSWER_TAKE);
}

/* The last response is here: what it answered, for the driver. */
static void note_read_done(struct xp_ctx *c)
{
    const struct xp_send_wqe *w = awaited(c);

    if (!xp__ends(c))
        return;
    /* Parts of a READ that are asked for again have ends of their own. */
    if (xp__is_selective(c->x) && !is_done(w, psn_add(c->h->psn, 1), c->at->mtu_shift))
        return;
    c->out->read_done = true;
    c->out->message_bytes = w->length;
    c->out->msgno = w->msgno;
    c->out->tag = w->tag;
}

static enum answer_kind judge(struct xp_ctx *c, uint32_t before, uint32_t hole)
{
    if (c->row->cls != CLASS_ACK)
        return judge_response(c, before, hole);
    return judge_ack(c, classify(c->h->syndrome), before, hole);
}

/* ACKs, and the responses with an AETH. */
static bool brings_credit(const struct xp_ctx *c)
{
    return (c->row->headers & HDR_AETH) && classify(c->h->syndrome) == ANSWER_ACK;
}

/* Selective repeat: what has been acknowledged beyond a hole is not asked for again with it. */
static RARE void catch_up(struct xp_ctx *c)
{
    if (!c->qp->active || c->qp->state == XP_ERR)
        return;
    uint32_t known = xp__sack_noted(c->x, c->qp, c->a->req.una), hole = hole_of(c);
    if (known > hole)
        known = hole;
    if (known)
        acknowledge(c, known, ANSWER_COMPLETE);
}

enum xp_verdict xp__take_answer(struct xp_ctx *c)
{
    enum xp_verdict v = xp__run_checks(c, c->svc->answer_checks);
    if (v != V_ACCEPT)
        return v;
    if (c->a && c->a->req.timer == TIMER_FAULT)
        return V_ANSWER_STALE;
    struct psn24 una = c->a ? c->a->req.una : c->qp->conn.next_psn;
    uint32_t sent = c->a ? psn_span(c->a->req.sent_end, una) : 0;
    uint32_t before = psn_span(c->h->psn, una);
    bool unsent = before >= sent;
    if (unsent && (psn_diff(c->h->psn, una) < 0 || !sent)) {
        if (c->x->profile.credits && before == PSN_MASK && brings_credit(c))
            xp__credit_take(c->x, c->qp, c->h);
        return psn_diff(c->h->psn, una) < 0 ? V_ANSWER_STALE : V_ANSWER_UNSENT;
    }
    uint32_t hole = hole_of(c);
    enum answer_kind kind = unsent ? ANSWER_UNSENT : judge(c, before, hole);
    const struct answer_remedy *r = xp__answer_remedy(c->x, c->qp, kind);
    if (r->deed == ANSWER_IGNORE)
        return unsent ? V_ANSWER_UNSENT : V_ANSWER_RESERVED;
    if (unsent && hole != NO_HOLE)
        r = xp__answer_remedy(c->x, c->qp, kind = ANSWER_HOLE);
    if (kind == ANSWER_UNEXPECTED && before)
        return V_ANSWER_STALE;
    if (kind == ANSWER_WRONG_LENGTH && r->deed != ANSWER_TAKE)
        c->out->deed = XP_NOTHING;
    count(&c->x->counts, kind);
    if (c->x->profile.credits && brings_credit(c))
        xp__credit_take(c->x, c->qp, c->h);
    if (unsent)
        before = sent - 1;
    if (kind == ANSWER_DATA)
        note_read_done(c);
    uint32_t packets = acknowledged(c, (enum answer_deed)r->deed, before, hole);
    if (packets)
        acknowledge(c, packets, (enum answer_deed)r->deed);
    if (asks_more(r))
        apply(c, r, packets != 0);
    if (xp__is_selective(c->x) && kind == ANSWER_DATA)
        catch_up(c);
    return V_ANSWER;
}
