/*
 * The requester: from send WQEs to request packets (IBA 9.7.2, 9.7.3).
 *
 * A send gets its PSNs when it begins.  `cursor` is the next packet's PSN and `cur` the send it
 * belongs to; going back sets both to the oldest unacknowledged packet and the queue's head.
 */
#include "models/transport/service.h"

enum wr_kind {
    WR_DATA,  /* the message is cut into packets */
    WR_LOCAL, /* no packet: a deed of this end */
    WR_READ,  /* one packet, which takes the PSNs of its responses */
    WR_ATOMIC
};

/* What a work request looks like on the wire, by enum wire_position. */
struct wr_row {
    uint8_t op[4]; /* enum wire_op */
    uint8_t kind;  /* enum wr_kind */
    bool imm;
    bool solicits; /* SE may be set on its last packet */
};

static const struct wr_row wr_rows[WR_RESYNC + 1] = {
    [XP_WR_SEND] = {.op = {[POS_ONLY] = OP_SEND_ONLY,
                           [POS_FIRST] = OP_SEND_FIRST,
                           [POS_MIDDLE] = OP_SEND_MIDDLE,
                           [POS_LAST] = OP_SEND_LAST},
                    .solicits = true},
    [XP_WR_SEND_IMM] = {.op = {[POS_ONLY] = OP_SEND_ONLY_IMM,
                               [POS_FIRST] = OP_SEND_FIRST,
                               [POS_MIDDLE] = OP_SEND_MIDDLE,
                               [POS_LAST] = OP_SEND_LAST_IMM},
                        .imm = true,
                        .solicits = true},
    [XP_WR_SEND_INV] = {.op = {[POS_ONLY] = OP_SEND_ONLY_INV,
                               [POS_FIRST] = OP_SEND_FIRST,
                               [POS_MIDDLE] = OP_SEND_MIDDLE,
                               [POS_LAST] = OP_SEND_LAST_INV},
                        .imm = true,
                        .solicits = true},
    [XP_WR_WRITE] = {.op = {[POS_ONLY] = OP_WRITE_ONLY,
                            [POS_FIRST] = OP_WRITE_FIRST,
                            [POS_MIDDLE] = OP_WRITE_MIDDLE,
                            [POS_LAST] = OP_WRITE_LAST}},
    [XP_WR_WRITE_IMM] = {.op = {[POS_ONLY] = OP_WRITE_ONLY_IMM,
                                [POS_FIRST] = OP_WRITE_FIRST,
                                [POS_MIDDLE] = OP_WRITE_MIDDLE,
                                [POS_LAST] = OP_WRITE_LAST_IMM},
                         .imm = true,
                         .solicits = true},
    [XP_WR_READ] = {.op = {[POS_ONLY] = OP_READ_REQUEST}, .kind = WR_READ},
    [XP_WR_CMP_SWAP] = {.op = {[POS_ONLY] = OP_CMP_SWAP}, .kind = WR_ATOMIC},
    [XP_WR_FETCH_ADD] = {.op = {[POS_ONLY] = OP_FETCH_ADD}, .kind = WR_ATOMIC},
    [XP_WR_BIND_MW] = {.kind = WR_LOCAL},
    [XP_WR_LOCAL_INV] = {.kind = WR_LOCAL},
    [WR_RESYNC] = {.op = {[POS_ONLY] = OP_RESYNC}},
};

bool xp_wr_awaits_answer(enum xp_wr_op op) { return WR_AWAITING >> op & 1; }

/* By enum xp_recovery: a loss costs the whole message. */
static const bool from_message_start[XP_RECOVERIES] = {
    [XP_GO_BACK_N] = false,
    [XP_GO_BACK_0] = true,
    [XP_SELECTIVE] = false,
};

bool xp__restarts_messages(const struct xp *x) { return from_message_start[x->profile.recovery]; }

void xp__restart(struct xp *x, struct xp_qp *qp, struct xp_active *a)
{
    const struct xp_send_wqe *w = xp__send(x, a->req.head);

    /* A READ is a message too: all of its responses are asked for again. */
    if (xp__restarts_messages(x) && a->req.head && w->begun)
        a->req.una = w->first_psn;
    xp__go_back(x, qp, a);
}

void xp__go_back(struct xp *x, struct xp_qp *qp, struct xp_active *a)
{
    struct xp_requester *r = &a->req;

    if (xp__is_selective(x)) {
        xp__sack_restart(x, qp, a);
        return;
    }
    r->cursor = r->una;
    r->cur = r->head;
    r->faulty = false;
    if (r->head && xp__send(x, r->head)->begun) {
        uint32_t index = psn_span(r->una, xp__send(x, r->head)->first_psn);
        r->until_ackreq = x->ackreq_every - index % x->ackreq_every;
    }
}

/* The next send must not begin while READs or atomics are on their way (IBA 9.7.3.1, 10.8.3.3). */
static RARE bool held_back(const struct xp *x, const struct xp_qp *qp, const struct xp_requester *r)
{
    const struct xp_send_wqe *w = xp__send(x, r->cur);

    if (w->begun)
        return false;
    return (w->flags & XP_FENCE) ||
           (xp__awaits_answer(w) && r->rd_count >= xp__attrs(x, qp)->max_rd_atomic);
}

bool xp__may_request(const struct xp *x, const struct xp_qp *qp, const struct xp_active *a)
{
    const struct xp_requester *r = &a->req;

    if (!r->cur || r->timer >= TIMER_RNR || (r->faulty && r->cur != r->head))
        return false;
    if (qp->state != XP_RTS && !(qp->state == XP_SQD && xp__send(x, r->cur)->begun))
        return false;
    if (r->rd_count && held_back(x, qp, r))
        return false;
    if (x->profile.credits && xp__credit_holds_back(x, qp, xp__send(x, r->cur)))
        return false;
    return psn_span(r->cursor, r->una) < x->profile.window_packets;
}

void xp__send_failed(struct xp *x, struct xp_qp *qp, enum xp_status status)
{
    struct xp_active *a = xp__active_of(x, qp);

    if (xp__has_trait(qp, TRAIT_CONTEXT)) {
        xp__context_failed(x, qp, status);
        return;
    }
    xp__send_done(x, qp, a, status);
    if (xp__service_of(qp)->send_error_state == XP_ERR) {
        xp__qp_error(x, qp);
        return;
    }
    xp__set_state(x, qp, xp__service_of(qp)->send_error_state);
    xp__flush_sends(x, qp);
}

void xp__check_drained(struct xp *x, struct xp_qp *qp)
{
    const struct xp_active *a = xp__active_of(x, qp);

    if (qp->state != XP_SQD || !(qp->flags & QP_DRAINING))
        return;
    if (a && a->req.head && xp__send(x, a->req.head)->begun)
        return;
    if (a && xp__turn_is_begun(a))
        return;
    qp->flags &= (uint8_t)~QP_DRAINING;
    xp__event(x, XP_EV_SQ_DRAINED, xp__qpn(x, qp));
}

static void begin(struct xp *x, struct xp_qp *qp, struct xp_requester *r, struct xp_send_wqe *w,
                  uint32_t packets)
{
    w->begun = true;
    w->first_psn = qp->conn.next_psn;
    qp->conn.next_psn = psn_add(qp->conn.next_psn, packets);
    r->until_ackreq = x->ackreq_every;
    if (x->profile.credits)
        xp__credit_begin(x, qp);
    if (!xp__awaits_answer(w))
        return;
    r->rd_count++;
    if (!r->rd_first)
        r->rd_first = r->cur;
}

/* One request packet of a send, as numbers. */
struct piece {
    uint32_t index, packets; /* packet index of packets */
    uint32_t offset, bytes;
    uint32_t psns; /* that it takes */
    enum wire_position position;
    bool last;
};

static struct piece piece_of(const struct xp *x, const struct xp_qp *qp, const struct xp_send_wqe *w,
                             uint32_t index, unsigned mtu_shift)
{
    struct piece p = {.index = index, .packets = xp__packets(w, mtu_shift), .psns = 1};
    bool last = p.last = index + 1 == p.packets;

    p.offset = index << mtu_shift;
    if (xp__awaits_answer(w)) {
        p.psns = p.packets - index;
        if (w->begun && xp__is_selective(x))
            p.psns = xp__sack_run(x, qp, psn_add(w->first_psn, index), p.psns);
        p.last = true;
        return p;
    }
    p.bytes = last ? w->length - p.offset : 1u << mtu_shift;
    if (index == 0)
        p.position = last ? POS_ONLY : POS_FIRST;
    else
        p.position = last ? POS_LAST : POS_MIDDLE;
    return p;
}

#define NO_FAULT ANSWER_KINDS

/* The message leaves its region: an adapter that streams has sent some of it before it finds out. */
static RARE enum answer_kind out_of_region(const struct xp *x, const struct xp_send_wqe *w,
                                           uint32_t pd, const struct piece *p, struct xp_tx *tx)
{
    uint64_t addr = w->addr + p->offset;
    const struct xp_mr *mr = xp__mr_check(x, w->lkey, pd, addr, p->bytes, USE_LOCAL_READ);

    if (!mr || p->index >= x->profile.timing.sge_packets)
        return ANSWER_LOCAL_KEY;
    tx->seg = (struct xp_seg){.tag = mr->tag, .addr = addr, .len = p->bytes};
    return NO_FAULT;
}

/* The packet's share of the message, if the local key allows it. */
static enum answer_kind gather(const struct xp *x, const struct xp_send_wqe *w, uint32_t pd,
                               bool one_packet, const struct piece *p, struct xp_tx *tx)
{
    const struct xp_mr *mr = 0;

    if (p->packets > 1 && one_packet)
        return ANSWER_LOCAL_LENGTH;
    if (__builtin_expect(w->flags & WQE_LIST, 0)) {
        if (!(w->flags & XP_INLINE) && !xp__list_check(x, w->lkey, pd, USE_LOCAL_READ))
            return ANSWER_LOCAL_KEY;
        tx->segs = xp__segments(x, w->lkey, p->offset, p->bytes, &tx->seg, tx->rest);
        return NO_FAULT;
    }
    if (w->length) {
        mr = xp__mr_check(x, w->lkey, pd, w->addr, w->length, USE_LOCAL_READ);
        if (!mr && !(w->flags & XP_INLINE))
            return out_of_region(x, w, pd, p, tx);
    }
    tx->seg =
        (struct xp_seg){.tag = mr ? mr->tag : 0, .addr = w->addr + p->offset, .len = p->bytes};
    return NO_FAULT;
}

/* Requests without payload: is the length one that can be asked for? */
static RARE enum answer_kind check_rd(const struct xp_send_wqe *w, const struct piece *p)
{
    bool fits =
        wr_rows[w->op].kind == WR_ATOMIC ? w->length == XP_ATOMIC_BYTES : p->packets <= XP_PSNS_MAX;
    return fits ? NO_FAULT : ANSWER_LOCAL_LENGTH;
}

static void fill_header(const struct xp *x, const struct xp_qp *qp, const struct xp_send_wqe *w,
                        const struct piece *p, struct wire_hdr *h)
{
    const struct wr_row *row = &wr_rows[w->op];
    enum wire_op op = (enum wire_op)row->op[p->position];
    bool last = p->last;

    *h = (struct wire_hdr){
        .opcode = wire_opcode(xp__service_of(qp)->prefix, op),
        .flags = (uint8_t)((x->profile.migrated ? WIRE_MIGREQ : 0) |
                           (last && row->solicits && (w->flags & XP_SOLICITED) ? WIRE_SE : 0)),
        .pkey = xp__attrs(x, qp)->pkey,
        .payload_bytes = (uint16_t)p->bytes,
        .dest_qp = qp->conn.dest_qp,
        .psn = psn_add(w->first_psn, p->index),
        .imm = last && row->imm ? w->imm : 0,
    };
    if (wire_op_table[op].headers & (HDR_RETH | HDR_ATOMICETH)) {
        h->va = w->remote_addr;
        h->rkey = w->rkey;
        h->dmalen = row->kind == WR_ATOMIC ? 0 : w->length;
    }
}

/* A READ is asked for again by what is missing: its start moves on, its length shrinks. */
static RARE void fill_rd(struct xp *x, struct xp_requester *r, const struct xp_send_wqe *w,
                         const struct piece *p, unsigned mtu_shift, struct xp_tx *tx)
{
    tx->seg = (struct xp_seg){0};
    if (wr_rows[w->op].kind == WR_ATOMIC) {
        const struct xp_send_ext *e = xp__send_ext(x, r->cur);
        tx->ext = (struct wire_ext){.swap_or_add = e->swap_or_add, .compare = e->compare};
        return;
    }
    tx->hdr.va += p->offset;
    tx->hdr.dmalen -= p->offset;
    if (p->index + p->psns < p->packets)
        tx->hdr.dmalen = p->psns << mtu_shift;
    if (p->offset) {
        r->resumed = true;
        r->resume = r->cursor;
    }
}

/* AckReq on every n-th packet of a message and on its last. */
static bool wants_ack(const struct xp *x, struct xp_requester *r, bool last)
{
    if (--r->until_ackreq && !last)
        return false;
    r->until_ackreq = x->ackreq_every;
    return true;
}

/* The packet is on its way: what it means for acknowledgements, timer and window. */
static void sent_acked(struct xp *x, struct xp_qp *qp, struct xp_active *a, const struct piece *p,
                       struct xp_tx *tx)
{
    struct xp_requester *r = &a->req;
    uint32_t ahead = psn_span(r->cursor, r->una);

    tx->retransmit = ahead < psn_span(r->sent_end, r->una);
    if (tx->retransmit) {
        x->counts.requests_retransmitted++;
        xp__qp_counts(x, a->qpn)->retransmitted++;
    } else {
        r->sent_end = psn_add(r->cursor, p->psns);
    }
    if (wants_ack(x, r, p->last))
        tx->hdr.flags |= WIRE_ACKREQ;
    if (ahead == 0 && r->timer == TIMER_OFF)
        xp__timer_start(x, qp, a, x->now);
    r->cursor = psn_add(r->cursor, p->psns);
    if (tx->retransmit && xp__is_selective(x))
        xp__sack_sent(x, qp, a);
}

static void sent_unacked(struct xp *x, struct xp_qp *qp, struct xp_active *a, bool last)
{
    struct xp_requester *r = &a->req;

    r->cursor = psn_add(r->cursor, 1);
    r->una = r->sent_end = r->cursor;
    if (!last)
        return;
    xp__send_done(x, qp, a, XP_WC_SUCCESS);
    xp__check_drained(x, qp);
}

/*
 * Requests without packets whose turn has come are carried out, once; they complete when all before
 * them have.  False: there is no packet to send after them.
 */
static RARE bool run_locals(struct xp *x, struct xp_qp *qp, struct xp_active *a)
{
    struct xp_requester *r = &a->req;

    while (xp__is_local(xp__send(x, r->cur)->op)) {
        struct xp_send_wqe *w = xp__send(x, r->cur);
        enum xp_status status = w->begun ? XP_WC_SUCCESS : xp__local_deed(x, qp, w);
        r->faulty = status != XP_WC_SUCCESS;
        if (r->faulty) {
            if (r->cur == r->head)
                xp__send_failed(x, qp, status);
            return false;
        }
        if (!w->begun)
            w->first_psn = qp->conn.next_psn;
        w->begun = true;
        if (r->cur == r->head)
            xp__send_done(x, qp, a, XP_WC_SUCCESS);
        else
            r->cur = w->next;
        if (!xp__may_request(x, qp, a))
            return false;
    }
    return true;
}

/* What a request says of its destination besides what the connection knows. */
static RARE void fill_destination(const struct xp *x, const struct xp_qp *qp,
                                  const struct xp_send_ext *to, struct xp_tx *tx)
{
    if (xp__has_trait(qp, TRAIT_CONTEXT)) {
        tx->hdr.dest_qp = to->remote_qpn;
        tx->ext.eec = qp->conn.dest_qp;
        tx->ext.qkey = to->remote_qkey;
        tx->ext.src_qp = xp__active_of(x, qp)->carrier.owner;
        return;
    }
    if (!xp__has_trait(qp, TRAIT_DATAGRAM)) {
        tx->ext.srq = to->srqn;
        return;
    }
    bool own_key = to->remote_qkey >> 31;
    tx->path = to->path;
    tx->hdr.dest_qp = to->remote_qpn;
    tx->ext.qkey = own_key ? xp__attrs(x, qp)->qkey : to->remote_qkey;
    tx->ext.src_qp = xp__qpn(x, qp);
}

/* The oldest send cannot leave: it fails, unless the service's row lets it pass for done. */
static RARE void take_fault(struct xp *x, struct xp_qp *qp, struct xp_active *a, uint32_t pd,
                            enum answer_kind fault)
{
    const struct answer_remedy *r = xp__answer_remedy(x, qp, fault);

    a->req.faulty = false;
    if (r->deed == ANSWER_COMPLETE) {
        /* It leaves its number behind, as if it had been lost. */
        qp->conn.next_psn = psn_add(qp->conn.next_psn, 1);
        a->req.una = a->req.cursor = a->req.sent_end = qp->conn.next_psn;
        xp__send_done(x, qp, a, XP_WC_SUCCESS);
    } else {
        enum xp_fault f = xp__fault_of((enum xp_status)r->status);
        if (fault == ANSWER_LOCAL_KEY)
            f = xp__local_fault(x, xp__send(x, a->req.head), pd, USE_LOCAL_READ);
        xp__fault(x, qp, a, (enum xp_status)r->status, f);
    }
}

bool xp__pull_request(struct xp *x, struct xp_qp *qp, struct xp_active *a, struct xp_tx *tx)
{
    struct xp_requester *r = &a->req;

    if (__builtin_expect(xp__is_local(xp__send(x, r->cur)->op), 0) && !run_locals(x, qp, a))
        return false;
    const struct xp_attrs *at = xp__attrs(x, qp);
    struct xp_send_wqe *w = xp__send(x, r->cur);
    uint32_t index = w->begun ? psn_span(r->cursor, w->first_psn) : 0;
    const struct piece p = piece_of(x, qp, w, index, at->mtu_shift);
    bool is_rd = xp__awaits_answer(w), last = p.last;
    uint32_t traits = xp__service_of(qp)->traits;
    uint32_t pd = traits & TRAIT_CONTEXT ? xp__send_ext(x, r->cur)->pd : at->pd;

    tx->segs = 1;
    enum answer_kind fault =
        is_rd ? check_rd(w, &p) : gather(x, w, pd, traits & TRAIT_DATAGRAM, &p, tx);
    if (fault != NO_FAULT) {
        /* Its turn to complete comes after all that went out before it. */
        r->faulty = true;
        if (r->cur == r->head)
            take_fault(x, qp, a, pd, fault);
        return false;
    }
    r->faulty = false;
    if (!w->begun)
        begin(x, qp, r, w, p.packets);
    fill_header(x, qp, w, &p, &tx->hdr);
    if (is_rd)
        fill_rd(x, r, w, &p, at->mtu_shift, tx);
    tx->path = qp->conn.path;
    if (traits & TRAITS_WITH_EXT)
        fill_destination(x, qp, xp__send_ext(x, r->cur), tx);
    tx->tag = w->tag;
    tx->msgno = w->msgno;
    tx->response = false;
    tx->retransmit = false;
    tx->last_of_message = last;
    x->counts.request_packets++;
    if (last)
        r->cur = w->next;
    if (traits & TRAIT_ACKED)
        sent_acked(x, qp, a, &p, tx);
    else
        sent_unacked(x, qp, a, last);
    return true;
}
