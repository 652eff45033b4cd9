/*
 * Selective repeat: packets that come before their turn (after IRN, Mittal et al., SIGCOMM 2018).
 *
 * Requests are kept by the responder, responses by the requester, each in a list by PSN; the driver keeps
 * the payload.  They have their turn once the missing ones are there, so that messages are executed and
 * completed in order as ever.  A request that is kept draws a sequence NAK whose PSN is the expected one
 * and whose MSN field holds the PSN that came: an extension of ours, since the specification has no
 * selective acknowledgement.
 *
 * Left out: placing a WRITE's payload at once, as IRN does; a place in the pool is taken instead.
 */
#include "models/transport/service.h"

/* ---- the lists ----------------------------------------------------------------------------- */

/* The held packet behind which `at` belongs, 0: none; *there: it is held already. */
static uint32_t place_of(const struct xp *x, const struct xp_held *l, struct psn24 at, bool *there)
{
    uint32_t i = l->tail, before = 0;

    *there = false;
    if (!i || psn_diff(xp__hold(x, i)->h.psn, at) < 0)
        return i;
    for (i = l->head; psn_diff(xp__hold(x, i)->h.psn, at) < 0; i = xp__hold(x, i)->next)
        before = i;
    *there = psn_eq(xp__hold(x, i)->h.psn, at);
    return before;
}

static void keep(struct xp_ctx *c, struct xp_held *l)
{
    bool there;
    uint32_t before = place_of(c->x, l, c->h->psn, &there);

    if (there)
        return;
    uint32_t i = xp__take(c->x, POOL_HOLD);
    struct xp_hold *p = xp__hold(c->x, i);
    *p = (struct xp_hold){.has_ext = c->e != 0, .h = *c->h};
    if (c->e)
        p->e = *c->e;
    p->next = before ? xp__hold(c->x, before)->next : l->head;
    if (before)
        xp__hold(c->x, before)->next = i;
    else
        l->head = i;
    if (before == l->tail)
        l->tail = i;
    c->out->deed = XP_HOLD;
    c->out->slot = i;
}

static void drop_first(struct xp *x, struct xp_held *l)
{
    uint32_t i = l->head;

    l->head = xp__hold(x, i)->next;
    if (!l->head)
        l->tail = 0;
    xp__give(x, POOL_HOLD, i);
}

void xp__held_drop(struct xp *x, struct xp_held *l)
{
    while (l->head)
        drop_first(x, l);
}

void xp__held_drop_before(struct xp *x, struct xp_held *l, struct psn24 at)
{
    while (l->head && psn_diff(xp__hold(x, l->head)->h.psn, at) < 0)
        drop_first(x, l);
}

void xp__held_drop_all(struct xp *x, struct xp_qp *qp)
{
    if (!xp__is_selective(x) || !qp->active)
        return;
    xp__held_drop(x, &xp__active_of(x, qp)->resp.held);
    xp__sack_forget(x, qp->active);
}

/* ---- what comes too early ------------------------------------------------------------------ */

bool xp__may_hold(const struct xp_ctx *c, uint32_t ahead)
{
    return xp__is_selective(c->x) && ahead < XP_SACK_MAX && !(c->a && c->a->resp.silent) &&
           xp__has_room(c->x, POOL_HOLD);
}

void xp__hold_packet(struct xp_ctx *c)
{
    struct xp_active *a = c->a = xp__activate(c->x, c->qp);

    if (!a)
        return;
    keep(c, &a->resp.held);
    uint32_t answers = a->answer_count;
    xp__answer_add(c, aeth_syndrome(AETH_NAK, NAK_PSN_SEQ), c->qp->conn.epsn);
    if (a->answer_count > answers)
        xp__answer(c->x, a->answer_tail)->msn = c->h->psn.v;
}

bool xp__hold_answer(struct xp_ctx *c, struct xp_held *l)
{
    if (psn_span(c->h->psn, c->a->req.una) >= XP_SACK_MAX || !xp__has_room(c->x, POOL_HOLD))
        return false;
    keep(c, l);
    return true;
}

/* ---- whose turn has come ------------------------------------------------------------------- */

static bool begins_with(const struct xp *x, const struct xp_held *l, struct psn24 at)
{
    return l->head && psn_eq(xp__hold(x, l->head)->h.psn, at);
}

/* The list whose first packet is the next one to be executed, or the response that is awaited. */
static struct xp_held *due(struct xp *x, const struct xp_qp *qp)
{
    struct xp_active *a = xp__active_of(x, qp);

    if (!a)
        return 0;
    /* Those that came another way in the meantime. */
    xp__held_drop_before(x, &a->resp.held, qp->conn.epsn);
    if (begins_with(x, &a->resp.held, qp->conn.epsn))
        return &a->resp.held;
    struct xp_held *answers = &xp__sack(x, qp->active)->held;
    if (!answers->head || !a->req.rd_first)
        return 0;
    struct psn24 first = xp__send(x, a->req.rd_first)->first_psn;
    bool is_later = psn_diff(first, a->req.una) > 0;
    return begins_with(x, answers, is_later ? first : a->req.una) ? answers : 0;
}

bool xp__held_is_due(struct xp *x, const struct xp_qp *qp) { return due(x, qp) != 0; }

bool xp_take_held(struct xp *x, tm_ps now, struct xp_rx *out, uint32_t *slot)
{
    xp__tick(x, now);
    if (!x->ready_held)
        return false;
    struct xp_held *l = due(x, xp__qp(x, x->ready_held));
    struct xp_hold p = *xp__hold(x, l->head);
    *slot = l->head;
    drop_first(x, l);
    /* The other end waits to hear how far all has come. */
    p.h.flags |= WIRE_ACKREQ;
    xp__receive(x, &p.h, p.has_ext ? &p.e : 0, out);
    return true;
}
