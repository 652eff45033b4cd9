/*
 * The responder's checks, one small question each (IBA 9.7.4.1).  A service lists those it asks,
 * in order; the first answer that is not V_ACCEPT stands.
 *
 * They decide nothing: what follows from a verdict is the service's remedy.  They leave in the
 * context what the execution needs: the receive WQE and the MR of the payload.
 */
#include "models/transport/service.h"

/* The low 15 bits of both P_Keys are equal, and one of the two is a full member. */
enum xp_verdict xp__check_header(struct xp_ctx *c)
{
    unsigned differ = (c->h->pkey ^ c->at->pkey) & 0x7fff;
    unsigned full = (c->h->pkey | c->at->pkey) & 0x8000;

    if (c->h->tver)
        return V_BAD_TVER;
    return !differ && full ? V_ACCEPT : V_BAD_PKEY;
}

enum xp_verdict xp__check_receiving(struct xp_ctx *c)
{
    const unsigned states = 1u << XP_RTR | 1u << XP_RTS | 1u << XP_SQD | 1u << XP_SQE;
    return states >> c->qp->state & 1 ? V_ACCEPT : V_BAD_STATE;
}

enum xp_verdict xp__check_sending(struct xp_ctx *c)
{
    const unsigned states = 1u << XP_RTS | 1u << XP_SQD;
    return states >> c->qp->state & 1 ? V_ACCEPT : V_BAD_STATE;
}

/* The READ asked for again lies within the kept one, at the place of its PSN. */
static bool within_kept(const struct xp_ctx *c, const struct xp_resource *kept, uint32_t offset)
{
    const struct wire_hdr *h = c->h;

    return offset <= kept->length && h->dmalen <= kept->length - offset &&
           h->va == kept->va + offset && h->rkey == kept->rkey;
}

static bool same_atomic(const struct xp_ctx *c, const struct xp_resource *kept)
{
    return psn_eq(c->h->psn, kept->first_psn) && c->h->va == kept->va && c->h->rkey == kept->rkey;
}

/* A READ or atomic that has been executed before (IBA 9.7.5.1.1, 9.7.5.1.2). */
static RARE enum xp_verdict check_replay(struct xp_ctx *c)
{
    const struct wire_hdr *h = c->h;
    const struct xp_resource *kept = xp__kept_at(c->x, c->qp, h->psn, c->at->mtu_shift);

    if (!kept || kept->op != wire_op_of(h->opcode) || !c->to)
        return V_REPLAY_GONE;
    if (c->a && c->a->answer_count >= XP_ANSWERS_MAX)
        return V_REPLAY_GONE;
    uint32_t offset = psn_span(h->psn, kept->first_psn) << c->at->mtu_shift;
    bool is_read = c->row->cls == CLASS_READ;
    if (is_read ? !within_kept(c, kept, offset) : !same_atomic(c, kept))
        return V_REPLAY_GONE;
    if (is_read && h->dmalen &&
        !xp__is_open_to(xp__mr_check(c->x, h->rkey, c->pd, h->va, h->dmalen, USE_REMOTE_READ),
                        c->qpn))
        return V_REPLAY_BAD_KEY;
    c->replay = *kept;
    c->replay.first_psn = h->psn;
    c->replay.va = h->va;
    c->replay.length = is_read ? h->dmalen : kept->length;
    c->resumed = offset != 0;
    return V_REPLAY;
}

static void break_silence(struct xp_ctx *c)
{
    if (c->a)
        c->a->resp.silent = false;
}

/* By enum xp_policy_nak: a gap that has been NAKed is not NAKed again. */
static const bool nak_quiet[] = {
    [XP_NAK_ONCE] = true,
    [XP_NAK_REPEATED] = false,
};

/*
 * Where recovery begins with the first packet of a message, that packet takes the place of the
 * message in progress.
 */
static RARE bool restarts_open(struct xp_ctx *c)
{
    if (!xp__message_open(c) || !xp__starts(c) || !xp__restarts_messages(c->x) ||
        !psn_eq(c->h->psn, c->a->resp.msg.first_psn))
        return false;
    struct xp_msg *m = &c->a->resp.msg;
    if (m->srq)
        xp__srq_put_back(c->x, m);
    if (m->handed)
        xp__recv_hand_back(c->x, xp__qp(c->x, m->to), m);
    m->open = false;
    break_silence(c);
    return true;
}

enum xp_verdict xp__check_psn(struct xp_ctx *c)
{
    int32_t ahead = psn_diff(c->h->psn, c->qp->conn.epsn);
    if (ahead == 0) {
        break_silence(c);
        return V_ACCEPT;
    }
    if (ahead < 0 && restarts_open(c))
        return V_ACCEPT;
    if (ahead < 0)
        return xp__is_rd(c->row) ? check_replay(c) : V_DUPLICATE;
    if (xp__may_hold(c, (uint32_t)ahead))
        return V_AHEAD;
    bool quiet = nak_quiet[c->x->profile.policy[XP_P_NAK]];
    return quiet && c->a && c->a->resp.silent ? V_GAP_AGAIN : V_GAP;
}

enum xp_verdict xp__check_opcode(struct xp_ctx *c)
{
    return c->svc->request_ops >> wire_op_of(c->h->opcode) & 1 ? V_ACCEPT : V_BAD_OPCODE;
}

/* Within a message: its class, Middle or Last.  Outside: First or Only. */
enum xp_verdict xp__check_order(struct xp_ctx *c)
{
    if (xp__message_open(c) == xp__starts(c))
        return V_BAD_ORDER;
    return c->msg->cls == c->row->cls ? V_ACCEPT : V_BAD_ORDER;
}

enum xp_verdict xp__check_restart(struct xp_ctx *c)
{
    bool muted = c->a && c->a->resp.silent;

    if (!xp__starts(c))
        return !muted && psn_eq(c->h->psn, c->qp->conn.epsn) ? xp__check_order(c) : V_GAP;
    break_silence(c);
    if (!xp__message_open(c))
        return V_ACCEPT;
    const struct xp_msg *m = &c->a->resp.msg;
    enum xp_verdict v = m->cls == CLASS_WRITE ? V_RESTART_WRITE
                        : m->srq || !m->recv  ? V_RESTART_SRQ
                                              : V_RESTART;
    return xp__unless_tolerated(c, v);
}

static bool read_fits(uint32_t bytes, unsigned mtu_shift)
{
    return bytes <= XP_MESSAGE_MAX && xp__psns(bytes, mtu_shift) <= XP_PSNS_MAX;
}

/* READs and atomics bring no payload; a READ's length is legal, an atomic's place aligned. */
static enum xp_verdict check_rd_length(const struct xp_ctx *c)
{
    bool fits = c->row->cls == CLASS_READ ? read_fits(c->msg->total, c->at->mtu_shift)
                                          : (c->h->va & (XP_ATOMIC_BYTES - 1)) == 0;
    return fits && !c->h->payload_bytes ? V_ACCEPT : V_BAD_LENGTH;
}

/* Whole packets until the last; together as many bytes as the RETH announced. */
enum xp_verdict xp__check_length(struct xp_ctx *c)
{
    if (xp__is_rd(c->row))
        return check_rd_length(c);
    uint32_t bytes = c->h->payload_bytes, mtu = 1u << c->at->mtu_shift;
    uint64_t sum = (uint64_t)c->msg->received + bytes;

    if (bytes > mtu || (!xp__ends(c) && bytes != mtu))
        return V_BAD_LENGTH;
    if (c->row->position == POS_LAST && bytes == 0)
        return V_BAD_LENGTH;
    if (sum > XP_MESSAGE_MAX)
        return V_BAD_LENGTH;
    if (c->row->cls != CLASS_WRITE)
        return V_ACCEPT;
    if (c->msg->total > XP_MESSAGE_MAX || sum > c->msg->total)
        return V_BAD_LENGTH;
    if (!xp__ends(c) || sum == c->msg->total)
        return V_ACCEPT;
    return bytes == mtu ? xp__unless_tolerated(c, V_SHORT_WRITE) : V_BAD_LENGTH;
}

/* By enum wire_class: what both the QP and the region must allow. */
static const uint8_t needed_right[] = {
    [CLASS_WRITE] = XP_REMOTE_WRITE,
    [CLASS_READ] = XP_REMOTE_READ,
    [CLASS_ATOMIC] = XP_REMOTE_ATOMIC,
    [CLASS_RESYNC] = 0,
};

enum xp_verdict xp__check_right(struct xp_ctx *c)
{
    uint32_t needed = needed_right[c->row->cls];
    return (c->rights->access & needed) == needed ? V_ACCEPT : V_NO_RIGHT;
}

/* A SEND's payload must fit the receive, and the receive its region. */
static enum xp_verdict check_room(struct xp_ctx *c)
{
    const struct xp_recv_wqe *w = xp__recv(c->x, c->row->takes_recv ? c->recv : c->msg->recv);

    uint32_t needed = c->svc->recv_offset + c->h->payload_bytes;

    if (needed == 0)
        return V_ACCEPT;
    if (w->length < needed || w->length - needed < c->msg->received)
        return V_RECV_SHORT;
    uint32_t pd = c->srq ? xp__srq(c->x, c->srq)->pd : c->pd;
    if (__builtin_expect(w->list, 0))
        return xp__list_check(c->x, w->lkey, pd, USE_LOCAL_WRITE) ? V_ACCEPT : V_RECV_BAD_KEY;
    const struct xp_mr *mr = xp__mr_check(c->x, w->lkey, pd, w->addr, w->length, USE_LOCAL_WRITE);
    if (!mr)
        return V_RECV_BAD_KEY;
    c->tag = mr->tag;
    return V_ACCEPT;
}

static enum xp_verdict check_invalidate(const struct xp_ctx *c)
{
    return xp__own_window(c->x, c->h->imm, c->qpn) ? V_ACCEPT : V_BAD_INVALIDATE;
}

enum xp_verdict xp__check_recv(struct xp_ctx *c)
{
    if (c->row->takes_recv) {
        c->recv = c->srq ? xp__srq(c->x, c->srq)->head : c->to->recv_head;
        if (!c->recv)
            return V_NO_RECV;
    }
    if (c->row->cls != CLASS_SEND)
        return V_ACCEPT;
    enum xp_verdict v = check_room(c);
    return v == V_ACCEPT && (c->row->headers & HDR_IETH) ? check_invalidate(c) : v;
}

/* The last question of all, since a profile may let it pass. */
static RARE enum xp_verdict check_resources(struct xp_ctx *c)
{
    uint32_t waiting = c->a ? c->a->resp.rd_waiting : 0;

    return waiting >= c->at->max_dest_rd_atomic ? xp__unless_tolerated(c, V_TOO_MANY_RD) : V_ACCEPT;
}

/* By enum xp_policy_write_check: each packet of a WRITE is held against the region for itself. */
static const bool write_by_packet[] = {
    [XP_WRITE_CHECK_WHOLE] = false,
    [XP_WRITE_CHECK_PACKET] = true,
};

static RARE enum xp_verdict check_packet(struct xp_ctx *c)
{
    const struct xp_msg *m = c->msg;
    uint32_t bytes = c->h->payload_bytes;
    const struct xp_mr *mr =
        xp__mr_check(c->x, m->rkey, c->pd, m->va + m->received, bytes, USE_REMOTE_WRITE);

    if (!xp__is_open_to(mr, c->qpn))
        return V_BAD_KEY;
    c->tag = mr->tag;
    return V_ACCEPT;
}

/*
 * The whole range with the first packet; later ones only ask whether the key still lives.  Or, of WRITEs, the
 * packet's own part.  Then: is there room?
 */
enum xp_verdict xp__check_key(struct xp_ctx *c)
{
    const struct xp_msg *m = c->msg;

    if (c->row->cls == CLASS_SEND)
        return V_ACCEPT;
    if (c->row->cls == CLASS_WRITE && m->total &&
        __builtin_expect(write_by_packet[c->x->profile.policy[XP_P_WRITE_CHECK]], 0))
        return check_packet(c);
    if (m->total) {
        const struct xp_mr *mr =
            xp__mr_check(c->x, m->rkey, c->pd, m->va, m->total, needed_right[c->row->cls]);
        if (!xp__is_open_to(mr, c->qpn))
            return V_BAD_KEY;
        c->tag = mr->tag;
    }
    return xp__is_rd(c->row) ? check_resources(c) : V_ACCEPT;
}

/* In one: the calls cost as much as the checks. */
__attribute__((flatten)) enum xp_verdict xp__check_request(struct xp_ctx *c)
{
    enum xp_verdict v = xp__check_receiving(c);

    v = v == V_ACCEPT ? xp__check_header(c) : v;
    v = v == V_ACCEPT ? xp__check_psn(c) : v;
    v = v == V_ACCEPT ? xp__check_opcode(c) : v;
    v = v == V_ACCEPT ? xp__check_order(c) : v;
    v = v == V_ACCEPT ? xp__check_length(c) : v;
    v = v == V_ACCEPT ? xp__check_right(c) : v;
    v = v == V_ACCEPT ? xp__check_recv(c) : v;
    return v == V_ACCEPT ? xp__check_key(c) : v;
}

__attribute__((flatten)) enum xp_verdict xp__check_answer(struct xp_ctx *c)
{
    enum xp_verdict v = xp__check_sending(c);

    return v == V_ACCEPT ? xp__check_header(c) : v;
}
