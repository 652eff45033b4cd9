/*
 * The requester of selective repeat, after IRN (Mittal et al., SIGCOMM 2018): only what is missing is
 * sent again.
 *
 * From the first NAK on that names a packet beyond the missing one (hold.c) it is in recovery, sends
 * each packet again that is missing before one that has been named, then goes on with new ones; it is out
 * of recovery when all is acknowledged that had been sent when it began, and nothing is named.  A repetition
 * that is lost shows when one that left after it is named (IRN leaves it to the timer, but then what an RNR
 * NAK turned away would fare worse than with go-back-N).  What else gets lost again is the ACK timer's, which
 * has two intervals: a short one while little is on its way.
 *
 * Responses of READs and atomics are kept in the same way, and what is missing before them is asked for
 * again: a READ by a request for each run of responses, with the start and length of that.  A request
 * that may not have been executed asks for all of the READ, since the responder keeps what it executed.
 *
 * Invariant: outside recovery no bit is set in `got` and `come`, nothing is in `held`, and the cursor is at
 * sent_end.  A bit of `come` is set for each packet in `held`.
 */
#include "models/transport/service.h"

/* ---- what is missing ----------------------------------------------------------------------- */

static struct xp_sack *sack_of(const struct xp *x, const struct xp_qp *qp)
{
    return xp__sack(x, qp->active);
}

static uint32_t word_of(struct psn24 p) { return p.v % XP_SACK_MAX / 64; }

static uint64_t bit_of(struct psn24 p) { return (uint64_t)1 << p.v % 64; }

static bool has_got(const struct xp_sack *s, struct psn24 p)
{
    return s->got[word_of(p)] & bit_of(p);
}

/* Bits stand for what lies less than XP_SACK_MAX beyond una; a READ may reach further. */
static bool has_come(const struct xp_sack *s, struct psn24 una, struct psn24 p)
{
    return psn_span(p, una) < XP_SACK_MAX && (s->come[word_of(p)] & bit_of(p));
}

void xp__sack_clear(struct xp *x, uint32_t active) { *xp__sack(x, active) = (struct xp_sack){0}; }

void xp__sack_forget(struct xp *x, uint32_t active)
{
    xp__held_drop(x, &xp__sack(x, active)->held);
    xp__sack_clear(x, active);
}

static bool is_before(struct psn24 a, struct psn24 b) { return psn_diff(a, b) < 0; }

static struct psn24 later(struct psn24 a, struct psn24 b) { return psn_diff(a, b) > 0 ? a : b; }

static void begin_recovery(struct xp_sack *s, const struct xp_requester *r)
{
    if (s->on)
        return;
    s->on = true;
    s->recover = r->sent_end;
    s->next = s->lost_end = s->missed = s->acked = r->una;
}

/* The first response of [from, end) that has come; `end`: none has. */
static struct psn24 next_come(const struct xp_sack *s, struct psn24 una, struct psn24 from,
                              struct psn24 end)
{
    if (!s->held.head)
        return end;
    for (; is_before(from, end) && psn_span(from, una) < XP_SACK_MAX; from = psn_add(from, 1))
        if (has_come(s, una, from))
            return from;
    return end;
}

/* Has a READ or atomic been executed, as far as its responses tell? */
static bool is_answered(const struct xp_sack *s, struct psn24 una, struct psn24 first,
                        struct psn24 end)
{
    struct psn24 from = later(first, una);
    return !psn_eq(from, first) || !psn_eq(next_come(s, una, from, end), end);
}

/* The first response of a READ or atomic from s->next on that is to be asked for again. */
static bool missing_answer(const struct xp_requester *r, const struct xp_sack *s,
                           struct psn24 first, struct psn24 end, struct psn24 *out)
{
    struct psn24 p = *out = later(first, r->una);

    if (s->forced && psn_eq(p, r->una))
        return true;
    if (!is_answered(s, r->una, first, end))
        return !is_before(p, s->next) &&
               (is_before(p, s->missed) || (is_before(p, s->lost_end) && !has_got(s, p)));
    for (p = later(p, s->next); is_before(p, end) && is_before(p, s->missed); p = psn_add(p, 1)) {
        if (!has_come(s, r->una, p)) {
            *out = p;
            return true;
        }
    }
    return false;
}

/* The first packet of the send `w` from s->next on that is to be sent again. */
static bool missing_of(const struct xp_requester *r, const struct xp_sack *s,
                       const struct xp_send_wqe *w, uint32_t psns, struct psn24 *out)
{
    struct psn24 p = later(w->first_psn, r->una), end = psn_add(w->first_psn, psns);

    if (xp__awaits_answer(w))
        return missing_answer(r, s, w->first_psn, end, out);
    for (p = later(later(p, s->next), s->acked); is_before(p, end) && is_before(p, s->lost_end);
         p = psn_add(p, 1)) {
        if (!has_got(s, p)) {
            *out = p;
            return true;
        }
    }
    return false;
}

uint32_t xp__sack_run(const struct xp *x, const struct xp_qp *qp, struct psn24 from, uint32_t psns)
{
    struct psn24 una = xp__active_of(x, qp)->req.una;
    return psn_span(next_come(sack_of(x, qp), una, from, psn_add(from, psns)), from);
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

/* ---- what is heard ------------------------------------------------------------------------- */

static bool knows_any(const struct xp_sack *s)
{
    uint64_t any = s->held.head;

    for (uint32_t i = 0; i < XP_SACK_MAX / 64; i++)
        any |= s->got[i];
    return any != 0;
}

static void forget(struct xp_sack *s, struct psn24 p)
{
    s->got[word_of(p)] &= ~bit_of(p);
    s->come[word_of(p)] &= ~bit_of(p);
}

void xp__sack_advance(struct xp *x, struct xp_qp *qp, struct xp_active *a, uint32_t packets)
{
    struct xp_sack *s = sack_of(x, qp);
    const struct xp_requester *r = &a->req;

    if (!s->on)
        return;
    xp__held_drop_before(x, &s->held, r->una);
    for (uint32_t n = packets < XP_SACK_MAX ? packets : XP_SACK_MAX; n; n--)
        forget(s, psn_sub(r->una, n));
    s->next = later(s->next, r->una);
    s->lost_end = later(s->lost_end, r->una);
    s->missed = later(s->missed, r->una);
    if (psn_diff(r->una, s->recover) >= 0) {
        /* What has been named since then lies behind a gap of its own. */
        s->on = knows_any(s);
        s->recover = r->sent_end;
        s->forced = false;
    }
    aim(x, qp, a);
}

static struct psn24 earlier(struct psn24 a, struct psn24 b) { return is_before(a, b) ? a : b; }

/*
 * `come` is known to have come for the first time.  If it was sent again, or asked for again, and so is all
 * that was missing, then what is still missing before it is lost once more; what lies behind it is on its way.
 */
static void begin_again(struct xp_sack *s, const struct xp_requester *r, struct psn24 come)
{
    if (!is_before(come, s->next) || !psn_eq(r->cursor, r->sent_end))
        return;
    s->next = r->una;
    s->lost_end = earlier(s->lost_end, come);
    s->missed = earlier(s->missed, come);
}

/* A NAK names a packet that has come to the other end; false: it names none. */
static bool take_name(struct xp_sack *s, const struct xp_requester *r, struct psn24 named)
{
    int32_t ahead = psn_diff(named, r->una);

    if (ahead <= 0 || ahead >= (int32_t)XP_SACK_MAX || !is_before(named, r->sent_end))
        return false;
    if (!has_got(s, named))
        begin_again(s, r, named);
    s->got[word_of(named)] |= bit_of(named);
    s->lost_end = later(s->lost_end, named);
    return true;
}

void xp__sack_take(struct xp_ctx *c)
{
    struct xp_requester *r = &c->a->req;
    struct xp_sack *s = sack_of(c->x, c->qp);

    if (!s->on)
        xp__qp_counts(c->x, c->a->qpn)->packet_seq_err++;
    begin_recovery(s, r);
    if (!take_name(s, r, psn(c->h->msn)))
        s->lost_end = later(s->lost_end, psn_add(r->una, 1)); /* the expected packet is missing */
    aim(c->x, c->qp, c->a);
}

/*
 * A response that has come too early acknowledges what lies before it, but for the READs and atomics
 * whose own are missing.  One that cannot be kept counts as missing, too.
 */
static struct psn24 answered_up_to(struct xp_ctx *c, struct xp_sack *s)
{
    struct psn24 at = c->h->psn;

    if (!xp__hold_answer(c, &s->held))
        return psn_add(at, 1);
    if (!has_come(s, c->a->req.una, at))
        begin_again(s, &c->a->req, at);
    s->come[word_of(at)] |= bit_of(at);
    return at;
}

void xp__sack_imply(struct xp_ctx *c)
{
    struct xp_requester *r = &c->a->req;
    struct xp_sack *s = sack_of(c->x, c->qp);
    bool is_ack = c->row->cls == CLASS_ACK;

    if (!s->on)
        xp__qp_counts(c->x, c->a->qpn)->implied_nak_seq_err++;
    begin_recovery(s, r);
    struct psn24 end =
        is_ack ? psn_add(c->h->psn, aeth_kind(c->h->syndrome) == AETH_ACK) : answered_up_to(c, s);
    s->acked = later(s->acked, end);
    s->missed = later(s->missed, end);
    if (is_ack && aeth_kind(c->h->syndrome) == AETH_RNR)
        s->lost_end = r->sent_end; /* nothing is kept behind it */
    else if (is_ack && c->h->syndrome == aeth_syndrome(AETH_NAK, NAK_PSN_SEQ))
        take_name(s, r, psn(c->h->msn));
    aim(c->x, c->qp, c->a);
}

static void send_oldest(struct xp_sack *s, const struct xp_requester *r)
{
    begin_recovery(s, r);
    s->forced = true;
    s->next = r->una;
    s->got[word_of(r->una)] &= ~bit_of(r->una);
    s->lost_end = later(s->lost_end, psn_add(r->una, 1));
}

void xp__sack_restart(struct xp *x, struct xp_qp *qp, struct xp_active *a)
{
    struct xp_sack *s = sack_of(x, qp);

    send_oldest(s, &a->req);
    s->recover = s->lost_end = s->missed = a->req.sent_end;
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
