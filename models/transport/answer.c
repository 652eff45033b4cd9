/*
 * The responder's mouth: answers wait in a list of the connection and leave in order, before
 * requests (IBA 9.7.5.1).
 *
 * An acknowledgement says nothing about what comes after it in the list, so none overtakes the
 * responses of a READ.  A READ is one entry however long it is: its payload is looked up packet by
 * packet when it leaves, and a region that has gone by then ends it with a NAK at that PSN.
 */
#include "models/transport/service.h"

static bool is_plain_ack(const struct xp_answer *w)
{
    return w->kind == XP_ANSWER_ACK && aeth_kind(w->syndrome) == AETH_ACK;
}

/* May a new ACK melt into the newest answer that waits? */
static bool melts(const struct xp *x, const struct xp_active *a)
{
    if (!a->answer_tail || !is_plain_ack(xp__answer(x, a->answer_tail)))
        return false;
    return x->profile.ack_coalesce || a->answer_count >= XP_ANSWERS_MAX || xp__is_selective(x);
}

/* A new answer behind `before` (0: in front of all), whose `next` is set; NULL: pool exhausted. */
static struct xp_answer *insert(struct xp *x, struct xp_active *a, uint32_t before)
{
    uint32_t i = xp__take(x, POOL_ANSWER);
    uint32_t *link = before ? &xp__answer(x, before)->next : &a->answer_head;

    if (!i)
        return 0;
    xp__answer(x, i)->next = *link;
    *link = i;
    if (before == a->answer_tail)
        a->answer_tail = i;
    a->answer_count++;
    return xp__answer(x, i);
}

/* The same as the last one. */
static struct xp_answer *append(struct xp *x, struct xp_active *a)
{
    return insert(x, a, a->answer_tail);
}

static void fill_ack(struct xp_answer *w, uint8_t syndrome, struct psn24 at, uint32_t msn)
{
    w->next = 0;
    w->psn = at;
    w->length = 0;
    w->msn = msn;
    w->syndrome = syndrome;
    w->kind = XP_ANSWER_ACK;
    w->repeated = false;
}

/* What a requester finds out by its timer too; a connection that ends is not among that. */
static bool may_go_unsaid(uint8_t syndrome)
{
    return aeth_kind(syndrome) != AETH_NAK || aeth_low5(syndrome) == NAK_PSN_SEQ;
}

void xp__answer_add(struct xp_ctx *c, uint8_t syndrome, struct psn24 at)
{
    struct xp *x = c->x;
    struct xp_active *a = c->a = xp__activate(x, c->qp);
    bool plain = aeth_kind(syndrome) == AETH_ACK;

    if (!a)
        return;
    bool in_tail = plain && melts(x, a);
    if (!in_tail && a->answer_count >= XP_ANSWERS_MAX && may_go_unsaid(syndrome))
        return;
    struct xp_answer *w = in_tail ? xp__answer(x, a->answer_tail) : append(x, a);
    if (!w)
        return;
    fill_ack(w, syndrome, at, c->qp->conn.msn);
    /* That would name a packet that has arrived, with selective repeat: this one names none. */
    if (!plain && xp__is_selective(x) && syndrome == aeth_syndrome(AETH_NAK, NAK_PSN_SEQ))
        w->msn = at.v;
    if (c->to != c->qp)
        w->to = c->e->src_qp;
}

/* By enum xp_policy_read_resume: responses from the middle of a READ begin with a FIRST. */
static const bool resume_starts[] = {
    [XP_READ_RESUME_FIRST] = true,
    [XP_READ_RESUME_MIDDLE] = false,
};

/* By enum xp_policy_read_again. */
static const bool answers_in_place[] = {
    [XP_READ_AGAIN_IN_PLACE] = true,
    [XP_READ_AGAIN_BEHIND] = false,
};

/*
 * Where a READ is answered again: in its own entry, if that still waits or is in the middle of its
 * responses, which nobody wants any more; else before all that has later PSNs, since that will be
 * asked for again too.
 */
static RARE struct xp_answer *entry_again(struct xp_ctx *c, const struct xp_resource *r)
{
    struct xp *x = c->x;
    unsigned shift = c->at->mtu_shift;
    struct psn24 end = psn_add(r->first_psn, xp__psns(r->length, shift));
    bool in_place = answers_in_place[x->profile.policy[XP_P_READ_AGAIN]] && !xp__is_selective(x);
    uint32_t before = in_place ? 0 : c->a->answer_tail;

    for (uint32_t i = in_place ? c->a->answer_head : 0; i; i = xp__answer(x, i)->next) {
        struct xp_answer *w = xp__answer(x, i);
        int32_t ahead = psn_diff(w->psn, r->first_psn);
        bool same_end = psn_eq(psn_add(w->psn, xp__psns(w->length, shift)), end);
        if (ahead >= 0 && w->kind == XP_ANSWER_READ && same_end)
            return w;
        if (ahead > 0)
            break;
        before = i;
    }
    struct xp_answer *w = insert(x, c->a, before);
    if (w)
        w->repeated = true;
    return w;
}

void xp__answer_rd(struct xp_ctx *c, const struct xp_resource *r, bool repeated, bool resumed)
{
    struct xp *x = c->x;
    struct xp_active *a = c->a = xp__activate(x, c->qp);
    bool is_read = r->op == OP_READ_REQUEST;

    if (!a)
        return;
    struct xp_answer *w = repeated && is_read ? entry_again(c, r) : append(x, a);
    if (!w)
        return;
    *w = (struct xp_answer){
        .next = w->next,
        .psn = r->first_psn,
        .value = is_read ? r->va : r->original,
        .length = is_read ? r->length : 0,
        .rkey = r->rkey,
        .pd = c->pd,
        .qpn = c->qpn,
        .to = c->to != c->qp ? c->e->src_qp : 0,
        .msn = c->qp->conn.msn,
        .syndrome = xp__credit_syndrome(x, c->qp),
        .kind = is_read ? XP_ANSWER_READ : XP_ANSWER_ATOMIC,
        .starts = !resumed || resume_starts[x->profile.policy[XP_P_READ_RESUME]],
        .repeated = repeated && (w->repeated || !is_read),
    };
    a->resp.rd_waiting = (uint16_t)(a->resp.rd_waiting + !repeated);
}

void xp_atomic_done(struct xp *x, const struct xp_rx *rx, uint64_t original)
{
    struct xp_qp *qp = xp__qp_find(x, rx->conn);
    CHECK(rx->deed == XP_ATOMIC && qp && qp->kept && qp->active);
    xp__resource(x, qp->kept)->original = original;
    xp__answer(x, xp__active(x, qp->active)->answer_tail)->value = original;
}

bool xp__acknowledge(struct xp_ctx *c, struct psn24 newest)
{
    if (!(c->h->flags & WIRE_ACKREQ))
        return false;
    xp__answer_add(c, xp__credit_syndrome(c->x, c->qp), newest);
    return true;
}

static struct psn24 before_read(const struct xp_ctx *c)
{
    return psn_sub(xp__kept_after(c->x, c->qp, c->h->psn, c->qp->conn.epsn), 1);
}

static struct psn24 newest_executed(const struct xp_ctx *c) { return c->qp->acked; }

/* By enum xp_policy_dup_ack. */
static struct psn24 (*const dup_ack_psn[])(const struct xp_ctx *) = {
    [XP_DUP_ACK_BEFORE_READ] = before_read,
    [XP_DUP_ACK_NEWEST] = newest_executed,
};

bool xp__acknowledge_again(struct xp_ctx *c)
{
    const uint8_t *policy = c->x->profile.policy;

    if (policy[XP_P_DUP_ACK_WHEN] == XP_DUP_ACK_ASKED && !(c->h->flags & WIRE_ACKREQ))
        return false;
    xp__answer_add(c, xp__credit_syndrome(c->x, c->qp), dup_ack_psn[policy[XP_P_DUP_ACK]](c));
    return true;
}

/* ---- leaving ------------------------------------------------------------------------------- */

static void count_answer(struct xp_counts *n, const struct xp_answer *w)
{
    if (w->kind != XP_ANSWER_ACK)
        return;
    if (aeth_kind(w->syndrome) == AETH_ACK)
        n->acks_sent++;
    else if (aeth_kind(w->syndrome) == AETH_RNR)
        n->rnr_naks_sent++;
    else
        n->naks_sent++;
}

static void pop(struct xp *x, struct xp_active *a)
{
    uint32_t i = a->answer_head;
    const struct xp_answer *w = xp__answer(x, i);

    a->resp.rd_waiting =
        (uint16_t)(a->resp.rd_waiting - (w->kind != XP_ANSWER_ACK && !w->repeated));
    a->answer_head = w->next;
    if (!a->answer_head)
        a->answer_tail = 0;
    a->answer_count--;
    xp__give(x, POOL_ANSWER, i);
}

/* The region of a READ has gone: what waits ends here, with a NAK in its place. */
static void fail_read(struct xp *x, struct xp_qp *qp, struct xp_active *a)
{
    const struct remedy *r = xp__remedy(x, qp, V_BAD_KEY);
    const struct xp_answer gone = *xp__answer(x, a->answer_head);
    struct xp_qp *whose = xp__qp_find(x, gone.qpn);

    xp__drop_answers(x, a);
    struct xp_answer *nak = append(x, a);
    if (nak) {
        fill_ack(nak, aeth_syndrome(AETH_NAK, r->nak), gone.psn, gone.msn);
        nak->to = gone.to;
    }
    if (r->event != NO_EVENT)
        xp__event(x, (enum xp_event_kind)r->event, gone.qpn);
    if (r->fatal && whose)
        xp__qp_error(x, whose);
}

static enum wire_op read_op(bool starts, bool ends)
{
    if (starts)
        return ends ? OP_READ_RESP_ONLY : OP_READ_RESP_FIRST;
    return ends ? OP_READ_RESP_LAST : OP_READ_RESP_MIDDLE;
}

/* The next response of the READ at the head: its operation and payload.  False: it has failed. */
static bool next_response(struct xp *x, struct xp_qp *qp, struct xp_active *a, struct xp_tx *tx,
                          enum wire_op *op)
{
    const struct xp_attrs *at = xp__attrs(x, qp);
    struct xp_answer *w = xp__answer(x, a->answer_head);
    uint32_t mtu = 1u << at->mtu_shift;
    uint32_t bytes = w->length < mtu ? w->length : mtu;
    const struct xp_mr *mr = 0;

    if (bytes) {
        mr = xp__mr_check(x, w->rkey, w->pd, w->value, bytes, USE_REMOTE_READ);
        if (!xp__is_open_to(mr, w->qpn)) {
            fail_read(x, qp, a);
            return false;
        }
    }
    *op = read_op(w->starts, bytes == w->length);
    tx->seg = (struct xp_seg){.tag = mr ? mr->tag : 0, .addr = w->value, .len = bytes};
    return true;
}

static void fill(const struct xp *x, const struct xp_qp *qp, const struct xp_answer *w,
                 enum wire_op op, struct xp_tx *tx)
{
    tx->hdr = (struct wire_hdr){
        .opcode = wire_opcode(xp__service_of(qp)->prefix, op),
        .flags = x->profile.migrated ? WIRE_MIGREQ : 0,
        .pkey = xp__attrs(x, qp)->pkey,
        .dest_qp = qp->conn.dest_qp,
        .psn = w->psn,
        .payload_bytes = (uint16_t)tx->seg.len,
    };
    if (wire_op_table[op].headers & HDR_AETH) {
        tx->hdr.syndrome = w->syndrome;
        tx->hdr.msn = w->msn;
    }
    if (wire_op_table[op].headers & HDR_ATOMICACKETH)
        tx->ext = (struct wire_ext){.original = w->value};
    if (__builtin_expect(xp__has_trait(qp, TRAIT_CONTEXT), 0)) {
        tx->hdr.dest_qp = w->to;
        tx->ext.eec = qp->conn.dest_qp;
    }
    tx->path = qp->conn.path;
    tx->tag = 0;
    tx->msgno = 0;
    tx->response = true;
    tx->retransmit = false;
    tx->last_of_message = false;
}

bool xp__pull_answer(struct xp *x, struct xp_qp *qp, struct xp_active *a, struct xp_tx *tx)
{
    static const uint8_t op_of[] = {
        [XP_ANSWER_ACK] = OP_ACKNOWLEDGE, [XP_ANSWER_ATOMIC] = OP_ATOMIC_ACK, [XP_ANSWER_READ] = 0};
    struct xp_answer *w = xp__answer(x, a->answer_head);
    enum wire_op op = (enum wire_op)op_of[w->kind];

    tx->seg = (struct xp_seg){0};
    tx->segs = 1;
    if (w->kind == XP_ANSWER_READ && !next_response(x, qp, a, tx, &op))
        return false;
    fill(x, qp, w, op, tx);
    count_answer(&x->counts, w);
    w->psn = psn_add(w->psn, 1);
    w->value += tx->seg.len;
    w->length -= tx->seg.len;
    w->starts = false;
    if (w->length == 0)
        pop(x, a);
    return true;
}

void xp__drop_answers(struct xp *x, struct xp_active *a)
{
    while (a->answer_head)
        pop(x, a);
}
