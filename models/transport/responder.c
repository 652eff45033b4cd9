/*
 * The responder: requests in, deeds and answers out (IBA 9.7.4, 9.7.5, 9.9.3).
 *
 * A packet runs through its service's checks; the verdict's remedy is applied here and nowhere
 * else.  How answers leave is answer.c's.
 */
#include "models/transport/service.h"

/* ---- execution ----------------------------------------------------------------------------- */

static void place(struct xp_ctx *c)
{
    const struct xp_msg *m = c->msg;
    uint32_t bytes = c->h->payload_bytes;

    if (!bytes)
        return;
    const struct xp_recv_wqe *w = m->cls == CLASS_SEND ? xp__recv(c->x, m->recv) : 0;
    uint32_t offset = w ? c->svc->recv_offset : 0;
    uint64_t base = w ? w->addr + offset : m->va;
    c->out->deed = XP_PLACE;
    if (__builtin_expect(w && w->list, 0)) {
        c->out->segs =
            xp__segments(c->x, w->lkey, offset + m->received, bytes, &c->out->seg, c->out->rest);
        return;
    }
    c->out->seg = (struct xp_seg){.tag = c->tag, .addr = base + m->received, .len = bytes};
}

/* The message goes on with a later packet. */
static void keep_open(struct xp_ctx *c)
{
    if (!xp__starts(c))
        return;
    c->a = xp__activate(c->x, c->qp);
    if (!c->a)
        return;
    c->a->resp.msg = *c->msg;
    c->a->resp.msg.open = true;
}

/* SEND_INV: its key is dead from here on. */
static void invalidate(struct xp_ctx *c, struct xp_wc *wc)
{
    xp__unbind(c->x, xp__mr_find(c->x, c->h->imm));
    wc->imm = c->h->imm;
    wc->flags = XP_WC_WITH_INV;
}

/* The message is complete.  False: its completion found the CQ full. */
static bool finish(struct xp_ctx *c)
{
    bool with_imm = c->row->headers & HDR_IMM;

    c->qp->conn.msn = (c->qp->conn.msn + 1) & PSN_MASK;
    c->out->message_done = true;
    c->out->message_bytes = c->msg->received;
    if (c->a)
        c->a->resp.msg.open = false;
    if (!c->row->ends_recv)
        return true;
    struct xp_wc wc = {
        .byte_len = c->msg->received + c->svc->recv_offset,
        .imm = with_imm ? c->h->imm : 0,
        .op = c->row->cls == CLASS_SEND ? XP_WC_RECV : XP_WC_RECV_WRITE_IMM,
        .flags = with_imm ? XP_WC_WITH_IMM : 0,
    };
    if (__builtin_expect(c->row->headers & HDR_IETH, 0))
        invalidate(c, &wc);
    if (c->svc->traits & (TRAIT_DATAGRAM | TRAIT_CONTEXT))
        wc.src_qp = c->e->src_qp;
    if ((c->svc->traits & TRAIT_DATAGRAM) && c->x->profile.grh)
        wc.flags |= XP_WC_GRH;
    return xp__recv_done(c->x, c->to, c->msg, &wc);
}

/* The receive that this packet takes is its message's; one of an SRQ leaves that. */
static void hold_recv(struct xp_ctx *c)
{
    c->msg->recv = c->recv;
    if (c->srq)
        xp__srq_take(c->x, c->srq, c->msg);
    else if (c->to != c->qp)
        xp__recv_hand_over(c->x, c->to, c->msg);
}

/* A receive of the connection's own QP waits in its queue for the next message. */
RARE void xp__give_up_message(struct xp *x, struct xp_qp *conn)
{
    struct xp_active *a = xp__active_of(x, conn);
    struct xp_wc wc = {.status = XP_WC_REM_ABORT_ERR, .op = XP_WC_RECV};

    if (!a || !a->resp.msg.open)
        return;
    struct xp_msg *m = &a->resp.msg;
    if (m->srq || m->handed)
        xp__recv_done(x, m->to ? xp__qp(x, m->to) : conn, m, &wc);
    m->open = false;
}

/* A SEND or WRITE packet. */
static void execute_data(struct xp_ctx *c)
{
    bool completed = true;

    if (xp__starts(c)) {
        c->x->counts.accepted[c->row->cls]++;
        if (xp__message_open(c))
            xp__give_up_message(c->x, c->qp);
    }
    if (c->row->takes_recv)
        hold_recv(c);
    place(c);
    c->msg->received += c->h->payload_bytes;
    xp__advance(c->x, c->qp, c->h->psn, 1);
    c->qp->acked = c->h->psn;
    if (xp__ends(c))
        completed = finish(c);
    else
        keep_open(c);
    if (completed && (c->svc->traits & TRAIT_ACKED))
        xp__acknowledge(c, c->h->psn);
}

/* A READ or atomic: from here on it is kept, and its answer waits to leave. */
static RARE void execute_rd(struct xp_ctx *c)
{
    const struct wire_hdr *h = c->h;
    const struct xp_resource r = {
        .first_psn = h->psn,
        .va = h->va,
        .rkey = h->rkey,
        .length = c->msg->total,
        .op = (uint8_t)wire_op_of(h->opcode),
    };
    c->x->counts.accepted[c->row->cls]++;
    c->qp->conn.msn = (c->qp->conn.msn + 1) & PSN_MASK;
    xp__advance(c->x, c->qp, h->psn, xp__psns(r.length, c->at->mtu_shift));
    xp__keep(c->x, c->qp, &r, c->at->max_dest_rd_atomic);
    xp__answer_rd(c, &r, false, false);
    if (c->row->cls != CLASS_ATOMIC)
        return;
    c->qp->acked = h->psn;
    c->out->deed = XP_ATOMIC;
    c->out->conn = xp__qpn(c->x, c->qp);
    c->out->seg = (struct xp_seg){.tag = c->tag, .addr = h->va, .len = XP_ATOMIC_BYTES};
    c->out->is_cmp_swap = r.op == OP_CMP_SWAP;
    c->out->swap_or_add = c->e->swap_or_add;
    c->out->compare = c->e->compare;
}

static void execute(struct xp_ctx *c)
{
    if (xp__is_rd(c->row))
        execute_rd(c);
    else
        execute_data(c);
    if (c->qp->state == XP_RTR && !(c->qp->flags & QP_COMM_EST) &&
        !(c->svc->traits & TRAIT_DATAGRAM)) {
        c->qp->flags |= QP_COMM_EST;
        xp__event(c->x, XP_EV_COMM_EST, xp__qpn(c->x, c->qp));
    }
}

/* ---- remedies ------------------------------------------------------------------------------ */

static RARE void count_request(struct xp_ctx *c, enum remedy_count which)
{
    struct xp_counts *n = &c->x->counts;

    switch (which) {
    case COUNT_NONE:
        return;
    case COUNT_DUPLICATE:
        n->duplicates++;
        xp__qp_counts(c->x, c->qpn)->duplicate_request++;
        return;
    case COUNT_AHEAD:
        n->out_of_sequence++;
        xp__qp_counts(c->x, c->qpn)->out_of_sequence++;
        return;
    case COUNT_NO_RECV:
        n->no_recv++;
        xp__qp_counts(c->x, c->qpn)->out_of_buffer++;
        return;
    case COUNT_DROPPED:
        n->dropped++;
        return;
    case COUNT_BAD_QKEY:
        n->dropped++;
        n->bad_qkey++;
        return;
    case COUNT_BAD_PKEY:
        n->dropped++;
        n->bad_pkey++;
        return;
    }
}

/* Until the expected PSN arrives, nothing more is said about a gap. */
static void fall_silent(struct xp_ctx *c)
{
    if (c->a)
        c->a->resp.silent = true;
}

/* The receive in the hands of a SEND that fails completes in error. */
static RARE void fail_recv(struct xp_ctx *c, uint8_t status)
{
    bool of_open = !c->recv && xp__message_open(c);
    struct xp_msg *m = of_open ? &c->a->resp.msg : c->msg;

    if (m->cls != CLASS_SEND)
        return;
    if (c->recv)
        hold_recv(c);
    if (!m->recv)
        return;
    struct xp_wc wc = {.status = status, .op = XP_WC_RECV};
    xp__recv_done(c->x, c->to, m, &wc);
    m->recv = 0;
}

/* A packet that came too early is refused in the name of the one that is missing. */
static struct psn24 refused_psn(const struct xp_ctx *c)
{
    struct psn24 expected = c->qp->conn.epsn;
    return psn_diff(c->h->psn, expected) > 0 ? expected : c->h->psn;
}

/* By enum xp_policy_rnr_silence. */
static const bool rnr_silences[] = {
    [XP_RNR_SILENCE_KEPT] = true,
    [XP_RNR_SILENCE_BROKEN] = false,
};

/* A receive with a fault of its own completes with that: its message is not given up besides. */
static void drop_message(struct xp_ctx *c, const struct remedy *r)
{
    if (r->recv_status && c->msg == &c->a->resp.msg)
        c->msg->open = false;
    else
        xp__give_up_message(c->x, c->qp);
}

static RARE void refuse(struct xp_ctx *c, const struct remedy *r)
{
    if (c->out->verdict == V_BAD_KEY) {
        c->x->counts.accepted[c->row->cls]++;
        c->x->counts.key_refused++;
    }
    switch ((enum remedy_deed)r->deed) {
    case DEED_EXECUTE:
        break;
    case DEED_DROP:
        xp__note(c->x, XP_N_DROP, c->qpn, TM_NEVER, c->out->verdict);
        break;
    case DEED_MUTE:
        xp__note(c->x, XP_N_DROP, c->qpn, TM_NEVER, c->out->verdict);
        fall_silent(c);
        break;
    case DEED_DROP_MESSAGE:
        xp__note(c->x, XP_N_DROP, c->qpn, TM_NEVER, c->out->verdict);
        if (c->a)
            drop_message(c, r);
        break;
    case DEED_ACK:
        xp__acknowledge(c, c->h->psn);
        break;
    case DEED_ACK_AGAIN:
        c->x->counts.responses_repeated += xp__acknowledge_again(c);
        break;
    case DEED_REPLAY:
        c->x->counts.responses_repeated++;
        xp__answer_rd(c, &c->replay, true, c->resumed);
        break;
    case DEED_NAK:
        xp__answer_add(c, aeth_syndrome(AETH_NAK, r->nak), refused_psn(c));
        fall_silent(c);
        break;
    case DEED_RNR_NAK:
        xp__answer_add(c, aeth_syndrome(AETH_RNR, c->rights->min_rnr_timer), c->h->psn);
        if (rnr_silences[c->x->profile.policy[XP_P_RNR_SILENCE]])
            fall_silent(c);
        break;
    case DEED_HOLD:
        xp__hold_packet(c);
        break;
    case DEED_RESYNC:
        xp__context_resync(c);
        break;
    }
    if (r->event != NO_EVENT)
        xp__event(c->x, (enum xp_event_kind)r->event, c->qpn);
    if (r->recv_status)
        fail_recv(c, r->recv_status);
    if (r->fatal && c->to)
        xp__qp_error(c->x, c->to);
}

static void remedy(struct xp_ctx *c, const struct remedy *r)
{
    if (r->count != COUNT_NONE)
        count_request(c, (enum remedy_count)r->count);
    if (r->deed == DEED_EXECUTE)
        execute(c);
    else
        refuse(c, r);
}

enum xp_verdict xp__run_checks(struct xp_ctx *c, const resp_check *checks)
{
    enum xp_verdict v = V_ACCEPT;

    while (*checks && v == V_ACCEPT)
        v = (*checks++)(c);
    return v;
}

/* ---- entry --------------------------------------------------------------------------------- */

/* A row for the numbers that are no operation: they fail the opcode check. */
static const struct wire_op_row reserved_row = {.name = "RESERVED", .cls = CLASS_RESYNC};

static const struct wire_op_row *row_of(struct wire_opcode o)
{
    return wire_op_of(o) < OP_COUNT ? &wire_op_table[wire_op_of(o)] : &reserved_row;
}

static enum xp_verdict take_request(struct xp_ctx *c)
{
    if (xp__message_open(c) && !xp__starts(c)) {
        c->msg = &c->a->resp.msg;
    } else {
        c->fresh = (struct xp_msg){
            .va = c->h->va,
            .total = c->row->cls == CLASS_ATOMIC ? XP_ATOMIC_BYTES : c->h->dmalen,
            .rkey = c->h->rkey,
            .first_psn = c->h->psn,
            .cls = (uint8_t)c->row->cls,
        };
        c->msg = &c->fresh;
    }
    return xp__run_checks(c, c->svc->checks);
}

static void unreachable_qp(struct xp *x, enum xp_verdict v, uint32_t qpn, struct xp_rx *out)
{
    x->counts.dropped++;
    out->verdict = (uint8_t)v;
    xp__note(x, XP_N_DROP, qpn, TM_NEVER, v);
}

/* The packet is of the QP's service, and the connection it belongs to is the QP's own. */
static bool is_direct(const struct xp_qp *qp, struct wire_opcode o)
{
    const struct xp_service *svc = xp__service_of(qp);
    return wire_prefix_of(o) == svc->prefix && !(svc->traits & TRAITS_RD);
}

void xp_recv(struct xp *x, const struct wire_hdr *h, const struct wire_ext *e, struct xp_path from,
             tm_ps now, struct xp_rx *out)
{
    xp__tick(x, now);
    CHECK(!x->ready_held);
    xp__receive(x, h, e, out);
}

void xp__receive(struct xp *x, const struct wire_hdr *h, const struct wire_ext *e,
                 struct xp_rx *out)
{
    struct xp_qp *qp = xp__qp_find(x, h->dest_qp);

    x->ready_held = 0;
    out->deed = XP_NOTHING;
    out->seg.len = 0;
    out->segs = 1;
    out->qpn = h->dest_qp;
    out->message_done = false;
    out->message_bytes = 0;
    out->read_done = false;
    struct xp_ctx c;
    c.x = x;
    c.h = h;
    c.e = e;
    if (__builtin_expect(qp && is_direct(qp, h->opcode), 1)) {
        c.qp = c.to = qp;
        c.svc = xp__service_of(qp);
        c.a = xp__active_of(x, qp);
        c.at = c.rights = xp__attrs(x, qp);
        c.qpn = h->dest_qp;
    } else if (!xp__find_context(&c)) {
        unreachable_qp(x, qp ? V_WRONG_SERVICE : V_UNKNOWN_QP, h->dest_qp, out);
        return;
    }
    c.row = row_of(h->opcode);
    c.out = out;
    c.tag = 0;
    c.recv = 0;
    c.srq = c.rights->srq;
    c.pd = c.rights->pd;
    if (c.svc->traits & TRAIT_SRQ_BY_NUMBER)
        xp__find_srq(&c);
    enum xp_verdict v = c.row->response ? xp__take_answer(&c) : take_request(&c);
    out->verdict = (uint8_t)v;
    if (v != V_ANSWER)
        remedy(&c, xp__remedy(x, c.qp, v));
    xp__fail_overrun(x);
    if (__builtin_expect(xp__is_selective(x), 0) && xp__held_is_due(x, c.qp))
        x->ready_held = xp__qpn(x, c.qp);
    xp__settle(x, c.qp);
}
