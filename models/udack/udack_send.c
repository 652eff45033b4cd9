/*
 * The sender's side: messages into datagrams, the window, what acknowledgements tell.
 *
 * Messages of a session stand in a list; those up to `sending` are cut already, wholly or in part.  What
 * is lost is a bitmap, whoever found it out: go-back-N marks all, selective what order proves.
 */
#include "models/udack/udack_state.h"

/* ---- messages ----------------------------------------------------------------------------------- */

static uint32_t take_message(struct udack *u)
{
    uint32_t i = u->message.free;
    if (i)
        u->message.free = ua_message(u, i)->next;
    else if (u->message.high < u->lim.messages)
        i = ++u->message.high;
    u->message.used += i != 0;
    return i;
}

int udack_post(struct udack *u, uint32_t session, uint64_t id, uint32_t bytes, tm_ps now)
{
    CHECK(u->taking == 0);
    if (session >= u->sessions || bytes > UDACK_MESSAGE_BYTES_MAX)
        return UDACK_EINVAL;
    struct ua_session *s = ua_session(u, session);
    if (s->failed)
        return UDACK_ESTATE;
    if (!u->message.free && u->message.high == u->lim.messages)
        return UDACK_ENOMEM;
    struct ua_active *a = ua_wake(u, session);
    if (!a)
        return UDACK_ENOMEM;
    uint32_t i = take_message(u);
    *ua_message(u, i) =
        (struct ua_message){.id = id, .session = session, .number = s->posted++, .bytes = bytes};
    if (a->out.tail)
        ua_message(u, a->out.tail)->next = i;
    else
        a->out.head = i;
    a->out.tail = i;
    if (!a->out.sending)
        a->out.sending = i;
    ua_settle(u, a);
    return UDACK_OK;
}

static void complete_head(struct udack *u, struct ua_active *a, enum udack_status status)
{
    uint32_t i = a->out.head;
    struct ua_message *m = ua_message(u, i);
    a->out.head = m->next;
    if (!a->out.head)
        a->out.tail = 0;
    m->status = (uint8_t)status;
    m->next = 0;
    if (u->done.tail)
        ua_message(u, u->done.tail)->next = i;
    else
        u->done.head = i;
    u->done.tail = i;
    *(status == UDACK_DONE ? &u->counts.messages_done : &u->counts.messages_failed) += 1;
}

void ua_give_up(struct udack *u, struct ua_active *a, enum udack_status first,
                enum udack_status rest)
{
    enum udack_status status = first;
    for (; a->out.head; status = rest)
        complete_head(u, a, status);
    a->out = (struct ua_out){.una = ua_session_of(u, a)->next_seq, .rto_at = TM_NEVER};
}

bool udack_take_done(struct udack *u, struct udack_done *out)
{
    uint32_t i = u->done.head;
    if (!i)
        return false;
    struct ua_message *m = ua_message(u, i);
    *out = (struct udack_done){.id = m->id,
                               .session = m->session,
                               .message = m->number,
                               .bytes = m->bytes,
                               .status = m->status};
    u->done.head = m->next;
    if (!u->done.head)
        u->done.tail = 0;
    m->next = u->message.free;
    u->message.free = i;
    u->message.used--;
    return true;
}

/* ---- datagrams out ------------------------------------------------------------------------------ */

bool ua_can_send(const struct udack *u, const struct ua_active *a)
{
    const struct ua_session *s = ua_session_of(u, a);
    return a->out.lost != 0 || (a->out.sending && ua_outstanding(s, a) < u->cfg.window);
}

static uint32_t left_from(const struct udack *u, const struct ua_message *m, uint32_t fragment)
{
    return (uint32_t)(m->bytes - (uint64_t)fragment * u->payload_bytes);
}

/* The next new datagram gets a place in the window. */
static struct psn24 cut(struct udack *u, struct ua_active *a)
{
    struct ua_session *s = ua_session_of(u, a);
    struct ua_out *o = &a->out;
    const struct ua_message *m = ua_message(u, o->sending);
    struct psn24 seq = s->next_seq;
    bool last = left_from(u, m, o->fragment) <= u->payload_bytes;
    *ua_sent(u, a, seq) =
        (struct ua_sent){.message = o->sending, .fragment = o->fragment++, .last = last};
    if (last) {
        o->sending = m->next;
        o->fragment = 0;
    }
    s->next_seq = psn_add(seq, 1);
    return seq;
}

/* Would the peer otherwise wait with its answer while we can do nothing without it? */
static bool asks(const struct udack *u, const struct ua_active *a, const struct ua_sent *d)
{
    return (d->last && u->cfg.ask_last) || (d->again && a->out.lost == 0) ||
           ua_outstanding(ua_session_of(u, a), a) == u->cfg.window;
}

static void fill_data(struct udack *u, struct ua_active *a, tm_ps now, struct udack_tx *tx)
{
    struct ua_out *o = &a->out;
    struct ua_session *s = ua_session_of(u, a);
    uint32_t lost = o->lost ? (uint32_t)__builtin_ctzll(o->lost) : 0;
    bool again = o->lost != 0;
    struct psn24 seq = again ? psn_add(o->una, lost) : cut(u, a);
    struct ua_sent *d = ua_sent(u, a, seq);
    const struct ua_message *m = ua_message(u, d->message);
    o->lost &= o->lost - 1; /* 0 stays 0 */
    d->again = again;
    d->at = now;
    d->order = ++o->order;
    if (psn_eq(seq, o->una))
        o->rto_at = tm_add(now, ua_rto_after(u, s, o->retries));
    uint32_t left = left_from(u, m, d->fragment);
    if (again) {
        o->repairing = true;
        o->repair_end = s->next_seq;
    }
    tx->id = m->id;
    tx->offset = d->fragment * u->payload_bytes;
    tx->bytes = left < u->payload_bytes ? left : u->payload_bytes;
    tx->retransmit = again;
    tx->hdr.seq = seq.v;
    tx->hdr.message = (uint8_t)m->number;
    tx->hdr.fragment = d->fragment;
    tx->hdr.flags = (uint8_t)((d->last ? UDACK_LAST : 0) | (asks(u, a, d) ? UDACK_ASK : 0));
    u->counts.data_sent++;
    u->counts.data_retransmitted += again;
}

/* Every datagram tells what has arrived; whoever waited to say so need not any more. */
static void fill_ack(struct udack *u, struct ua_active *a, bool alone, struct udack_tx *tx)
{
    const struct ua_session *s = ua_session_of(u, a);
    struct ua_in *in = &a->in;
    bool waited = in->ack_now || in->ack_at != TM_NEVER;
    tx->hdr.session = s->remote;
    tx->hdr.incarnation = s->incarnation;
    tx->hdr.ack = s->expected.v;
    tx->hdr.sack = in->held >> 1 & (alone ? UINT64_MAX : 0xffffu);
    tx->hdr.flags |= (uint8_t)((alone ? UDACK_ACK : 0) | (in->gap ? UDACK_GAP : 0));
    u->counts.acks_alone += alone;
    u->counts.acks_riding += waited && !alone;
    in->ack_now = in->gap = false;
    in->ack_at = TM_NEVER;
    in->unacked = 0;
}

bool udack_is_ready(const struct udack *u) { return u->ready.head != 0; }

bool udack_pull(struct udack *u, tm_ps now, struct udack_tx *out)
{
    CHECK(u->taking == 0);
    while (u->ready.head) {
        struct ua_active *a = ua_active(u, u->ready.head);
        u->ready.head = a->next;
        if (!u->ready.head)
            u->ready.tail = 0;
        a->ready = false;
        bool data = ua_can_send(u, a);
        /* What 16 bits cannot tell goes ahead alone. */
        bool alone = a->in.ack_now && (!data || a->in.held >> 17);
        *out = (struct udack_tx){.session = a->session - 1, .peer = ua_session_of(u, a)->peer};
        if (!alone && data)
            fill_data(u, a, now, out);
        if (alone || data)
            fill_ack(u, a, alone, out);
        ua_settle(u, a);
        out->more = u->ready.head != 0;
        if (alone || data)
            return true;
    }
    return false;
}

/* ---- acknowledgements in --------------------------------------------------------------------------- */

static void arrived_there(struct udack *u, struct ua_active *a, const struct ua_sent *d, tm_ps now)
{
    struct ua_out *o = &a->out;
    if ((int32_t)(d->order - o->newest) <= 0)
        return;
    o->newest = d->order;
    if (!d->again)
        ua_measured(u, ua_session_of(u, a), now - d->at);
}

static void advance(struct udack *u, struct ua_active *a, uint32_t n, tm_ps now)
{
    struct ua_out *o = &a->out;
    struct ua_session *s = ua_session_of(u, a);
    for (uint32_t i = 0; i < n; i++) {
        const struct ua_sent *d = ua_sent(u, a, psn_add(o->una, i));
        bool last = d->last;
        if (!(o->sacked >> i & 1))
            arrived_there(u, a, d, now);
        if (last)
            complete_head(u, a, UDACK_DONE);
    }
    o->una = psn_add(o->una, n);
    o->sacked = ua_shift(o->sacked, n);
    o->lost = ua_shift(o->lost, n);
    o->retries = 0;
    o->gaps_shown = 0;
    o->went_back = false;
    o->repairing = o->repairing && psn_diff(o->repair_end, o->una) > 0;
    bool waits = ua_outstanding(s, a) > 0 && !(o->lost & 1);
    o->rto_at = waits ? tm_add(now, ua_rto(u, s)) : TM_NEVER;
}

/* NAK-once: until the window moves, later gaps are echoes of this one. */
static void go_back(struct udack *u, struct ua_active *a)
{
    struct ua_out *o = &a->out;
    if (o->went_back || ++o->gaps_shown < u->cfg.fast_after)
        return;
    o->went_back = true;
    o->lost = ua_ones(ua_outstanding(ua_session_of(u, a), a));
    o->rto_at = TM_NEVER; /* runs again from the first that leaves */
    u->counts.fast_recoveries++;
}

static void take_sack(struct udack *u, struct ua_active *a, uint64_t sack, tm_ps now)
{
    struct ua_out *o = &a->out;
    uint64_t all = ua_ones(ua_outstanding(ua_session_of(u, a), a));
    uint64_t fresh = sack << 1 & all & ~o->sacked;
    o->sacked |= fresh;
    o->lost &= ~o->sacked;
    for (; fresh; fresh &= fresh - 1)
        arrived_there(u, a, ua_sent(u, a, psn_add(o->una, (uint32_t)__builtin_ctzll(fresh))), now);
}

/*
 * Lost: something sent `fast_after` later has arrived; after a timeout, anything sent since then.  A copy
 * that arrived counts as the latest one sent: at worst a datagram goes once too often.
 */
static bool order_proves(const struct udack *u, const struct ua_out *o, const struct ua_sent *d)
{
    int32_t later = (int32_t)(o->newest - d->order);
    bool before_timeout = (int32_t)(o->order_at_timeout - d->order) >= 0;
    bool after_timeout = (int32_t)(o->newest - o->order_at_timeout) > 0;
    return (u->cfg.fast_after && later >= u->cfg.fast_after) || (before_timeout && after_timeout);
}

static void find_lost(struct udack *u, struct ua_active *a)
{
    struct ua_out *o = &a->out;
    uint64_t waiting = ua_ones(ua_outstanding(ua_session_of(u, a), a)) & ~o->sacked & ~o->lost;
    for (; waiting; waiting &= waiting - 1) {
        uint32_t i = (uint32_t)__builtin_ctzll(waiting);
        if (!order_proves(u, o, ua_sent(u, a, psn_add(o->una, i))))
            continue;
        o->lost |= (uint64_t)1 << i;
        u->counts.fast_recoveries++;
    }
    if (o->lost & 1)
        o->rto_at = TM_NEVER;
}

void ua_acked(struct udack *u, struct ua_active *a, const struct udack_hdr *h, tm_ps now)
{
    const struct ua_session *s = ua_session_of(u, a);
    int32_t n = psn_diff(psn(h->ack), a->out.una);
    if (n < 0 || (uint32_t)n > ua_outstanding(s, a))
        return; /* older than what we know, or of datagrams that we never sent */
    if (n > 0)
        advance(u, a, (uint32_t)n, now);
    if (ua_outstanding(s, a) == 0)
        return;
    if (u->cfg.recovery == UDACK_GO_BACK_N) {
        if (u->cfg.fast_after && (h->flags & UDACK_GAP))
            go_back(u, a);
        return;
    }
    take_sack(u, a, h->sack, now);
    if (a->out.sacked || a->out.repairing)
        find_lost(u, a);
}
