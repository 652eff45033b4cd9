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

enum xp_verdict xp__check_psn(struct xp_ctx *c)
{
    int32_t ahead = psn_diff(c->h->psn, c->qp->conn.epsn);
    if (ahead == 0)
        return V_ACCEPT;
    if (ahead < 0)
        return V_DUPLICATE;
    return c->a && c->a->resp.silent ? V_GAP_AGAIN : V_GAP;
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
    if (xp__starts(c))
        return V_ACCEPT;
    return psn_eq(c->h->psn, c->qp->conn.epsn) ? xp__check_order(c) : V_GAP;
}

/* Whole packets until the last; together as many bytes as the RETH announced. */
enum xp_verdict xp__check_length(struct xp_ctx *c)
{
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
    return xp__ends(c) && sum != c->msg->total ? V_BAD_LENGTH : V_ACCEPT;
}

enum xp_verdict xp__check_right(struct xp_ctx *c)
{
    if (c->row->cls == CLASS_WRITE && !(c->at->access & XP_REMOTE_WRITE))
        return V_NO_RIGHT;
    return V_ACCEPT;
}

/* A SEND's payload must fit the receive, and the receive its region. */
static enum xp_verdict check_room(struct xp_ctx *c)
{
    const struct xp_recv_wqe *w = xp__recv(c->x, c->msg->recv);

    if (c->h->payload_bytes == 0)
        return V_ACCEPT;
    if (w->length < c->h->payload_bytes || w->length - c->h->payload_bytes < c->msg->received)
        return V_RECV_SHORT;
    const struct xp_mr *mr =
        xp__mr_check(c->x, w->lkey, c->at->pd, w->addr, w->length, USE_LOCAL_WRITE);
    if (!mr)
        return V_RECV_BAD_KEY;
    c->tag = mr->tag;
    return V_ACCEPT;
}

enum xp_verdict xp__check_recv(struct xp_ctx *c)
{
    if (c->row->takes_recv) {
        if (!c->qp->recv_head)
            return V_NO_RECV;
        c->msg->recv = c->qp->recv_head;
    }
    return c->row->cls == CLASS_SEND ? check_room(c) : V_ACCEPT;
}

/* The whole range with the first packet; later ones only ask whether the key still lives. */
enum xp_verdict xp__check_key(struct xp_ctx *c)
{
    const struct xp_msg *m = c->msg;

    if (c->row->cls != CLASS_WRITE || m->total == 0)
        return V_ACCEPT;
    const struct xp_mr *mr =
        xp__mr_check(c->x, m->rkey, c->at->pd, m->va, m->total, USE_REMOTE_WRITE);
    if (!mr)
        return V_BAD_KEY;
    c->tag = mr->tag;
    return V_ACCEPT;
}
