/*
 * The receiver's side: whose datagram it is, in order or early, when it is acknowledged.
 *
 * What can be taken lies in the same ring as what came early: bit 0 of `held` is the one expected,
 * set only while pieces are being taken.
 */
#include "models/udack/udack_state.h"

/* ---- is it for us? ------------------------------------------------------------------------------ */

static bool is_well_formed(const struct udack *u, const struct udack_hdr *h, uint32_t bytes)
{
    if (h->flags & UDACK_ACK)
        return bytes == 0;
    uint64_t end = (uint64_t)h->fragment * u->payload_bytes + bytes;
    bool full = bytes == u->payload_bytes;
    bool tail =
        (h->flags & UDACK_LAST) && bytes < u->payload_bytes && (bytes > 0 || h->fragment == 0);
    return (full || tail) && end <= UDACK_MESSAGE_BYTES_MAX;
}

/* A peer that still lives in an older incarnation is told of ours. */
static enum udack_verdict stale(struct udack *u, uint32_t session)
{
    struct ua_active *a = ua_wake(u, session);
    if (a) {
        a->in.ack_now = true;
        ua_settle(u, a);
    }
    return UDACK_STALE;
}

/* ---- data --------------------------------------------------------------------------------------- */

static void acknowledge_soon(struct udack *u, struct ua_in *in, bool at_once, tm_ps now)
{
    if (at_once || in->unacked >= u->cfg.ack_every || u->cfg.ack_delay_ps == 0)
        in->ack_now = true;
    else if (in->ack_at == TM_NEVER)
        in->ack_at = tm_add(now, u->cfg.ack_delay_ps);
}

static enum udack_verdict keep(struct udack *u, struct ua_active *a, const struct udack_hdr *h,
                               struct ua_arrived arrived, tm_ps now)
{
    struct ua_in *in = &a->in;
    struct ua_session *s = ua_session_of(u, a);
    int32_t ahead = psn_diff(psn(h->seq), s->expected);
    bool early = ahead > 0;
    if (ahead < 0 || (ahead <= u->cfg.reorder && in->held >> ahead & 1)) {
        in->ack_now = true;
        return UDACK_DUPLICATE;
    }
    if (early)
        in->gap = in->ack_now = true;
    if (ahead > u->cfg.reorder)
        return UDACK_TOO_EARLY;
    bool closes_gap = in->held != 0;
    *ua_arrived(u, a, psn(h->seq)) = arrived;
    in->held |= (uint64_t)1 << ahead;
    if (early)
        return UDACK_HELD;
    in->unacked++;
    u->taking = a->session;
    acknowledge_soon(u, in, closes_gap || (h->flags & UDACK_ASK), now);
    return UDACK_ACCEPTED;
}

static enum udack_verdict judge(struct udack *u, const struct udack_hdr *h, struct udack_rx *rx,
                                struct ua_arrived arrived, tm_ps now)
{
    const struct ua_session *s = ua_session(u, h->session);
    bool alone = h->flags & UDACK_ACK;
    int8_t newer = (int8_t)(h->incarnation - s->incarnation);
    if (newer < 0)
        return stale(u, h->session);
    if (alone && newer == 0 && !s->active)
        return UDACK_HEARD; /* nothing is under way */
    struct ua_active *a = ua_wake(u, h->session);
    if (!a)
        return UDACK_NO_ROOM;
    rx->peer_reset = newer > 0;
    if (newer > 0)
        ua_begin_incarnation(u, a, h->incarnation);
    ua_acked(u, a, h, now);
    enum udack_verdict verdict = alone ? UDACK_HEARD : keep(u, a, h, arrived, now);
    ua_settle(u, a);
    return verdict;
}

struct udack_rx udack_recv(struct udack *u, const struct udack_hdr *h, uint32_t peer,
                           uint32_t bytes, uint32_t buffer, tm_ps now)
{
    struct udack_rx rx = {.session = h->session};
    struct ua_arrived arrived = {buffer, h->fragment, (uint16_t)bytes, h->flags & UDACK_LAST};
    CHECK(u->taking == 0 && u->freed_count == 0);
    if (h->session >= u->sessions || ua_session(u, h->session)->peer != peer)
        rx.verdict = UDACK_STRANGER;
    else if (!is_well_formed(u, h, bytes))
        rx.verdict = UDACK_MALFORMED;
    else
        rx.verdict = judge(u, h, &rx, arrived, now);
    u->counts.verdict[rx.verdict]++;
    return rx;
}

/* ---- pieces ------------------------------------------------------------------------------------- */

static void take_one(struct udack *u, struct ua_active *a, struct udack_piece *out)
{
    struct ua_session *s = ua_session_of(u, a);
    struct ua_in *in = &a->in;
    const struct ua_arrived *d = ua_arrived(u, a, s->expected);
    in->message_bytes += d->bytes;
    *out = (struct udack_piece){.session = a->session - 1,
                                .buffer = d->buffer,
                                .message = s->delivered,
                                .offset = d->fragment * u->payload_bytes,
                                .bytes = d->bytes,
                                .last = d->last,
                                .message_bytes = d->last ? in->message_bytes : 0};
    in->inside = !d->last;
    in->held >>= 1;
    s->expected = psn_add(s->expected, 1);
    if (!d->last)
        return;
    in->message_bytes = 0;
    s->delivered++;
    u->counts.messages_delivered++;
}

bool udack_take_piece(struct udack *u, struct udack_piece *out)
{
    if (!u->taking)
        return false;
    struct ua_active *a = ua_active(u, ua_session(u, u->taking - 1)->active);
    if (!(a->in.held & 1)) {
        u->taking = 0;
        ua_settle(u, a);
        return false;
    }
    take_one(u, a, out);
    return true;
}
