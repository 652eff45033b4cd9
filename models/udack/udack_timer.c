/*
 * Timeouts: how long to wait, and what happens when the wait is over.
 *
 * The adaptive timeout is the usual estimator (RFC 6298) in integer nanoseconds: mean and deviation
 * with gains 1/8 and 1/4, doubled at each repetition.  Only datagrams sent once are measured (Karn).
 */
#include "models/udack/udack_state.h"

#define NS_MAX (UINT32_MAX / 2)

void ua_measured(struct udack *u, struct ua_session *s, tm_ps round_trip_ps)
{
    uint32_t ns = (uint32_t)tm_min(tm_max(round_trip_ps / TM_NS, 1), NS_MAX);
    if (!u->cfg.adaptive)
        return;
    if (s->srtt_ns == 0) {
        s->srtt_ns = ns;
        s->rttvar_ns = ns / 2;
        return;
    }
    uint32_t off = ns > s->srtt_ns ? ns - s->srtt_ns : s->srtt_ns - ns;
    s->rttvar_ns = (uint32_t)(((uint64_t)s->rttvar_ns * 3 + off) / 4);
    s->srtt_ns = (uint32_t)(((uint64_t)s->srtt_ns * 7 + ns) / 8);
}

tm_ps ua_rto(const struct udack *u, const struct ua_session *s)
{
    if (!u->cfg.adaptive || s->srtt_ns == 0)
        return u->cfg.rto_ps;
    tm_ps rto = ((tm_ps)s->srtt_ns + 4 * (tm_ps)s->rttvar_ns) * TM_NS;
    return tm_min(tm_max(rto, u->cfg.rto_min_ps), u->cfg.rto_max_ps);
}

tm_ps ua_rto_after(const struct udack *u, const struct ua_session *s, uint8_t retries)
{
    tm_ps rto = ua_rto(u, s);
    if (!u->cfg.adaptive)
        return rto;
    for (; retries > 0 && rto < u->cfg.rto_max_ps; retries--)
        rto = tm_add(rto, rto);
    return tm_min(rto, u->cfg.rto_max_ps);
}

/*
 * Go-back-N sends all again; selective the oldest alone, whose acknowledgement then tells of the
 * others.  The timer starts again when that datagram leaves.
 */
static void time_out(struct udack *u, struct ua_active *a)
{
    struct ua_session *s = ua_session_of(u, a);
    struct ua_out *o = &a->out;
    u->counts.timeouts++;
    o->rto_at = TM_NEVER;
    if (o->retries == u->cfg.retries) {
        s->failed = true;
        ua_give_up(u, a, UDACK_RETRIES_EXCEEDED, UDACK_FLUSHED);
        return;
    }
    o->retries++;
    o->order_at_timeout = o->order;
    o->lost |= u->cfg.recovery == UDACK_GO_BACK_N ? ua_ones(ua_outstanding(s, a)) : 1;
}

void udack_expire(struct udack *u, tm_ps now)
{
    CHECK(u->taking == 0);
    while (udack_deadline(u) <= now) {
        const struct heap_item *top = ua_at(u, u->at.item);
        struct ua_active *a = ua_active(u, top->id + 1);
        if (a->in.ack_at <= now) {
            a->in.ack_at = TM_NEVER;
            a->in.ack_now = true;
        }
        if (a->out.rto_at <= now)
            time_out(u, a);
        ua_settle(u, a);
    }
}

tm_ps udack_deadline(const struct udack *u)
{
    const struct heap_item *top = ua_at(u, u->at.item);
    return u->heap_count ? top->at : TM_NEVER;
}
