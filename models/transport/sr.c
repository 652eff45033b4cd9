/*
 * Selective repeat, after IRN (Mittal et al., SIGCOMM 2018): only what is missing is sent again.
 *
 * Responder: a packet that comes before its turn is kept, and has its turn once the missing ones are
 * there, so that messages are executed in order as ever.  Each such packet draws a sequence NAK whose
 * PSN is the expected one and whose MSN field holds the PSN that came: an extension of ours, since the
 * specification has no selective acknowledgement.  Requester: from the first such NAK on it is in
 * recovery, sends each packet again that is missing before one that has been named, then goes on with new
 * ones; it is out of recovery when all is acknowledged that had been sent when it began, and nothing is named.  What gets lost
 * again is the ACK timer's, which has two intervals: a short one while little is on its way.
 *
 * Invariant: outside recovery no bit is set in `got`, and the cursor is at sent_end.
 * Left out: selective acknowledgement of READ responses; a READ is asked for again from the missing
 * response on, and nothing else with it.
 */
#include "models/transport/service.h"

/* ---- responder ----------------------------------------------------------------------------- */

bool xp__may_hold(const struct xp_ctx *c, uint32_t ahead)
{
    return xp__is_selective(c->x) && ahead < XP_SACK_MAX && !(c->a && c->a->resp.silent) &&
           xp__has_room(c->x, POOL_HOLD);
}

/* The held packet behind which `at` belongs, 0: none; *there: it is held already. */
static uint32_t place_of(const struct xp *x, const struct xp_responder *r, struct psn24 at,
                         bool *there)
{
    uint32_t i = r->held_tail, before = 0;

    *there = false;
    if (!i || psn_diff(xp__hold(x, i)->h.psn, at) < 0)
        return i;
    for (i = r->held_head; psn_diff(xp__hold(x, i)->h.psn, at) < 0; i = xp__hold(x, i)->next)
        before = i;
    *there = psn_eq(xp__hold(x, i)->h.psn, at);
    return before;
}

static void keep(struct xp_ctx *c, struct xp_responder *r)
{
    bool there;
    uint32_t before = place_of(c->x, r, c->h->psn, &there);

    if (there)
        return;
    uint32_t i = xp__take(c->x, POOL_HOLD);
    struct xp_hold *p = xp__hold(c->x, i);
    *p = (struct xp_hold){.has_ext = c->e != 0, .h = *c->h};
    if (c->e)
        p->e = *c->e;
    p->next = before ? xp__hold(c->x, before)->next : r->held_head;
    if (before)
        xp__hold(c->x, before)->next = i;
    else
        r->held_head = i;
    if (before == r->held_tail)
        r->held_tail = i;
    c->out->deed = XP_HOLD;
    c->out->slot = i;
}

void xp__hold_packet(struct xp_ctx *c)
{
    struct xp_active *a = c->a = xp__activate(c->x, c->qp);

    if (!a)
        return;
    keep(c, &a->resp);
    uint32_t answers = a->answer_count;
    xp__answer_add(c, aeth_syndrome(AETH_NAK, NAK_PSN_SEQ), c->qp->conn.epsn);
    if (a->answer_count > answers)
        xp__answer(c->x, a->answer_tail)->msn = c->h->psn.v;
}

static void drop_first(struct xp *x, struct xp_responder *r)
{
    uint32_t i = r->held_head;

    r->held_head = xp__hold(x, i)->next;
    if (!r->held_head)
        r->held_tail = 0;
    xp__give(x, POOL_HOLD, i);
}

void xp__held_drop(struct xp *x, struct xp_active *a)
{
    while (a->resp.held_head)
        drop_first(x, &a->resp);
}

bool xp__held_is_due(struct xp *x, const struct xp_qp *qp)
{
    struct xp_active *a = xp__active_of(x, qp);

    /* Those that came another way in the meantime. */
    while (a && a->resp.held_head &&
           psn_diff(xp__hold(x, a->resp.held_head)->h.psn, qp->conn.epsn) < 0)
        drop_first(x, &a->resp);
    return a && a->resp.held_head && psn_eq(xp__hold(x, a->resp.held_head)->h.psn, qp->conn.epsn);
}

bool xp_take_held(struct xp *x, tm_ps now, struct xp_rx *out, uint32_t *slot)
{
    struct xp_qp *qp = xp__qp(x, x->ready_held);

    xp__tick(x, now);
    if (!x->ready_held)
        return false;
    struct xp_responder *r = &xp__active_of(x, qp)->resp;
    struct xp_hold p = *xp__hold(x, r->held_head);
    *slot = r->held_head;
    drop_first(x, r);
    /* The other end waits to hear how far all has come. */
    p.h.flags |= WIRE_ACKREQ;
    xp__receive(x, &p.h, p.has_ext ? &p.e : 0, out);
    return true;
}

/* ---- requester ----------------------------------------------------------------------------- */

static struct xp_sack *sack_of(const struct xp *x, const struct xp_qp *qp)
{
    return xp__sack(x, qp->active);
}

static uint64_t *word_of(struct xp_sack *s, struct psn24 p)
{
    return &s->got[p.v % XP_SACK_MAX / 64];
}
static uint64_t bit_of(struct psn24 p) { return (uint64_t)1 << p.v % 64; }

static bool has_got(struct xp_sack *s, struct psn24 p) { return *word_of(s, p) & bit_of(p); }

void xp__sack_clear(struct xp *x, uint32_t active) { *xp__sack(x, active) = (struct xp_sack){0}; }

static struct psn24 later(struct psn24 a, struct psn24 b) { return psn_diff(a, b) > 0 ? a : b; }

static void begin_recovery(struct xp_sack *s, const struct xp_requester *r)
{
    if (s->on)
        return;
    s->on = true;
    s->recover = r->sent_end;
    s->next = s->lost_end = s->acked = r->una;
}

/*
 * The first packet of the send `w` from s->next on that is to be sent again.  A READ or atomic has one, its
 * request; where responses have come, that is asked for again only from the oldest on, when that is forced.
 */
static bool missing_of(const struct xp_requester *r, struct xp_sack *s, const struct xp_send_wqe *w,
                       uint32_t psns, struct psn24 *out)
{
    struct psn24 p = later(w->first_psn, r->una), end = psn_add(w->first_psn, psns);

    if (xp__awaits_answer(w)) {
        *out = p;
        if (s->forced && psn_eq(p, r->una))
            return true;
        return psn_eq(p, w->first_psn) && psn_diff(p, s->next) >= 0 &&
               psn_diff(p, s->lost_end) < 0 && !has_got(s, p);
    }
    for (p = later(p, s->next); psn_diff(p, end) < 0 && psn_diff(p, s->lost_end) < 0;
         p = psn_add(p, 1)) {
        if (!has_got(s, p)) {
            *out = p;
            return true;
        }
    }
    return false;
}

/* Cursor and current send: the next missing packet, or the next new one. */
static void aim(struct xp *x, struct xp_qp *qp, struct xp_active *a)
{
    struct xp_requester *r = &a->req;
    struct xp_sack *s = sack_of(x, qp);
    unsigned mtu_shift = xp__attrs(x, qp)->mtu_shift;
    uint32_t i = r->head;

    r->faulty = false;
    for (; i && xp__send(x, i)->begun; i = xp__send(x, i)->next) {
        const struct xp_send_wqe *w = xp__send(x, i);
        uint32_t psns = xp__packets(w, mtu_shift);
        if (s->on && missing_of(r, s, w, psns, &r->cursor)) {
            r->cur = i;
            r->until_ackreq = 1;
            return;
        }
        if (psn_diff(psn_add(w->first_psn, psns), r->sent_end) > 0)
            break;
    }
    r->cursor = r->sent_end;
    r->cur = i;
}

static bool knows_any(const struct xp_sack *s)
{
    uint64_t any = 0;

    for (uint32_t i = 0; i < XP_SACK_MAX / 64; i++)
        any |= s->got[i];
    return any != 0;
}

void xp__sack_advance(struct xp *x, struct xp_qp *qp, struct xp_active *a, uint32_t packets)
{
    struct xp_sack *s = sack_of(x, qp);
    const struct xp_requester *r = &a->req;

    if (!s->on)
        return;
    for (uint32_t n = packets < XP_SACK_MAX ? packets : XP_SACK_MAX; n; n--)
        *word_of(s, psn_sub(r->una, n)) &= ~bit_of(psn_sub(r->una, n));
    s->next = later(s->next, r->una);
    s->lost_end = later(s->lost_end, r->una);
    if (psn_diff(r->una, s->recover) >= 0) {
        /* What has been named since then lies behind a gap of its own. */
        s->on = knows_any(s);
        s->recover = r->sent_end;
        s->forced = false;
    }
    aim(x, qp, a);
}

void xp__sack_take(struct xp_ctx *c)
{
    struct xp_requester *r = &c->a->req;
    struct xp_sack *s = sack_of(c->x, c->qp);
    struct psn24 got = psn(c->h->msn);
    int32_t ahead = psn_diff(got, r->una);

    if (!s->on)
        xp__qp_counts(c->x, c->a->qpn)->packet_seq_err++;
    begin_recovery(s, r);
    if (ahead > 0 && ahead < (int32_t)XP_SACK_MAX && psn_diff(got, r->sent_end) < 0)
        *word_of(s, got) |= bit_of(got);
    else
        got = psn_add(r->una, 1); /* it names none: the expected packet is missing */
    s->lost_end = later(s->lost_end, got);
    aim(c->x, c->qp, c->a);
}

static void send_oldest(struct xp_sack *s, const struct xp_requester *r)
{
    begin_recovery(s, r);
    s->forced = true;
    s->next = r->una;
    *word_of(s, r->una) &= ~bit_of(r->una);
    s->lost_end = later(s->lost_end, psn_add(r->una, 1));
}

void xp__sack_restart(struct xp *x, struct xp_qp *qp, struct xp_active *a)
{
    struct xp_sack *s = sack_of(x, qp);

    send_oldest(s, &a->req);
    s->recover = s->lost_end = a->req.sent_end;
    aim(x, qp, a);
}

void xp__sack_oldest(struct xp *x, struct xp_qp *qp, struct xp_active *a)
{
    send_oldest(sack_of(x, qp), &a->req);
    aim(x, qp, a);
}

void xp__sack_sent(struct xp *x, struct xp_qp *qp, struct xp_active *a)
{
    struct xp_sack *s = sack_of(x, qp);

    if (!s->on)
        return;
    s->next = later(s->next, a->req.cursor);
    s->forced = false;
    aim(x, qp, a);
}

void xp__sack_note(struct xp *x, const struct xp_qp *qp, struct psn24 end)
{
    struct xp_sack *s = sack_of(x, qp);

    if (s->on)
        s->acked = later(s->acked, end);
}

uint32_t xp__sack_noted(const struct xp *x, const struct xp_qp *qp, struct psn24 una)
{
    const struct xp_sack *s = sack_of(x, qp);
    int32_t ahead = psn_diff(s->acked, una);

    return s->on && ahead > 0 ? (uint32_t)ahead : 0;
}

/* ---- timer --------------------------------------------------------------------------------- */

tm_ps xp__sack_interval(struct xp *x, struct xp_qp *qp, tm_ps interval)
{
    struct xp_sack *s = sack_of(x, qp);
    tm_ps low = x->profile.irn.rto_low_ps;

    s->extended = !low || low >= interval;
    s->rto_high_ps = interval;
    return s->extended ? interval : low;
}

tm_ps xp__sack_extension(struct xp *x, const struct xp_qp *qp, const struct xp_active *a)
{
    struct xp_sack *s = sack_of(x, qp);
    uint32_t outstanding = psn_span(a->req.sent_end, a->req.una);

    if (s->extended || outstanding <= x->profile.irn.rto_low_packets)
        return 0;
    s->extended = true;
    return s->rto_high_ps - x->profile.irn.rto_low_ps;
}
