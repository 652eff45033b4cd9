/*
 * The driver of a transport core on the event engine.
 *
 * A host has three entities that matter here: egress (EV_DEPART, wants to run when the wire
 * becomes free and someone waits), timer (EV_TIMER, the core's deadline) and the load's, which
 * is only told.  What becomes ready while the wire is free leaves in the event that made it ready,
 * because an entity cannot arm itself at or before the key that runs.
 *
 * Invariants: a QP stands in the turn list at most once (the core names it once until it falls idle,
 * across destruction and a new QP of the same number); the egress entity is armed whenever the
 * list is not empty outside a call; the armed timer is never later than the core's deadline.
 *
 * A host without memory (hca_set_bytes) answers atomics with 0; payload is counted and not moved.
 */
#include "models/hca/state.h"

#include <stdlib.h>
#include <string.h>

#include "models/fabric/side.h"
#include "models/hca/move.h"

_Static_assert(HCA_HEAD_BYTES == SIDE_HEAD_BYTES, "what a packet can carry");

/* ---- egress ----------------------------------------------------------------------------------- */

/* When the next packet may be chosen. */
static inline tm_ps wire_free_at(const struct hca *h, tm_ps now)
{
    return __builtin_expect(h->slow != NULL, 0) ? slow_tx_at(h->slow, h->uplink, now)
                                                : link_free_at(h->uplink);
}

static void transmit(struct hca *h, uint32_t qpn, const struct xp_tx *tx, tm_ps now)
{
    struct pkt p = {
        .h = tx->hdr,
        .tag = tx->tag,
        .msgno = tx->msgno,
        .dst_host = tx->path.host,
        .src_host = h->host,
        .entropy = tx->path.entropy,
        .note = (uint8_t)((tx->retransmit ? PKT_RETRANSMIT : 0) |
                          (tx->last_of_message ? PKT_LAST_OF_MESSAGE : 0)),
        .wire_bytes = (uint16_t)(h->overhead_bytes + wire_ib_bytes(&tx->hdr)),
    };
    struct meter_counts *n = &h->meter->n;
    if (__builtin_expect(h->bytes.at != NULL, 0)) {
        uint8_t payload[MOVE_PAYLOAD_MAX];
        move_gather(&h->bytes, tx, payload);
        side_attach(&p, &tx->ext, payload, p.h.payload_bytes);
    } else if (__builtin_expect(wire_may_have_ext(p.h.opcode), 0)) {
        const void *head = h->head.gather ? h->head.gather(h->head.self, tx) : NULL;
        side_attach(&p, &tx->ext, head, head ? SIDE_HEAD_BYTES : 0);
    }
    if (__builtin_expect(h->slow != NULL, 0)) {
        slow_send(h, qpn, tx, &p, now);
        return;
    }
    n->packets_sent++;
    n->packets_retransmitted += tx->retransmit;
    link_send(h->uplink, &p, now);
}

static void transmit_mad(struct hca *h, tm_ps now)
{
    struct pkt p;
    bool there = gsi_next_packet(h->gsi, h->host, &p);
    CHECK(there);
    p.wire_bytes = (uint16_t)(h->overhead_bytes + wire_ib_bytes(&p.h));
    h->meter->n.packets_sent++;
    h->meter->n.mads_sent++;
    link_send(h->uplink, &p, now);
}

/* Does the QP that has just sent keep its turn? */
static inline bool keeps_turn(struct hca *h, const struct xp_tx *tx)
{
    struct arbiter *a = &h->arbiter;
    if (a->how == HCA_RR_MESSAGE && !tx->response && !tx->last_of_message)
        return true;
    if (__builtin_expect(a->packets <= 1, 1))
        return false;
    if (++a->used < a->packets)
        return true;
    a->used = 0;
    return false;
}

static inline void drop_turn(struct hca *h)
{
    h->arbiter.used = 0;
    turns_drop_first(&h->turns);
}

/* Sends one packet of the first QP that has one.  QPs that have none leave the list. */
static void send_one(struct hca *h, tm_ps now)
{
    struct xp_tx tx;
    while (!turns_empty(&h->turns)) {
        uint32_t qpn = turns_first(&h->turns);
        if (__builtin_expect(qpn == CM_GSI_QPN, 0)) {
            turns_drop_first(&h->turns);
            if (h->gsi->out.count > 1)
                turns_append(&h->turns, qpn);
            transmit_mad(h, now);
            return;
        }
        if (xp_pull(h->core, qpn, now, &tx) == XP_IDLE) {
            drop_turn(h);
            continue;
        }
        if (!tx.more)
            drop_turn(h);
        else if (!keeps_turn(h, &tx))
            turns_next(&h->turns);
        transmit(h, qpn, &tx, now);
        return;
    }
}

static void drain_notes(struct hca *h)
{
    struct xp_note note;
    while (xp_take_note(h->core, &note))
        h->tap.note(h->tap.self, h->host, &note);
}

/* When the load hears of completions: at once, or when there are enough of them or the first has waited long. */
static inline tm_ps told_at(const struct hca *h, tm_ps now)
{
    const struct hca_cq_moderation *m = &h->moderation;
    return xp_completions(h->core) >= m->count ? now : now + m->time_ps;
}

/* One packet where the wire alone decides; as many as there are units free otherwise. */
static inline void send_while_free(struct hca *h, tm_ps now)
{
    if (__builtin_expect(h->slow == NULL, 1)) {
        if (link_free_at(h->uplink) <= now)
            send_one(h, now);
        return;
    }
    while (!turns_empty(&h->turns) && slow_tx_at(h->slow, h->uplink, now) <= now)
        send_one(h, now);
}

/*
 * After every call of the core: who has woken joins the list, a free wire is used, and the three
 * entities are armed.  The entity that runs (`by`) is left to return its own next time.
 */
static inline void settle(struct hca *h, enum caller by, tm_ps now)
{
    uint32_t qpn;
    if (h->killed)
        return;
    while (xp_woken(h->core, &qpn)) {
        if (__builtin_expect(h->slow != NULL, 0) && by == BY_LOAD)
            slow_ring(h, qpn, now);
        else
            turns_append(&h->turns, qpn);
    }
    if (!turns_empty(&h->turns) && by != BY_EGRESS && !h->egress_armed) {
        send_while_free(h, now);
        if (!turns_empty(&h->turns)) {
            ev_arm(h->ev, h->egress, wire_free_at(h, now));
            h->egress_armed = true;
        }
    }
    tm_ps deadline = xp_deadline(h->core);
    if (by != BY_TIMER && deadline < h->timer_at) {
        h->timer_at = tm_max(deadline, by == BY_LOAD ? now + 1 : now);
        ev_arm(h->ev, h->timer, h->timer_at);
    }
    if (by != BY_LOAD && h->has_load && xp_completions(h->core) > 0)
        ev_arm(h->ev, h->load, told_at(h, now));
    if (h->tap.note)
        drain_notes(h);
}

void hca_settle(struct hca *h, enum caller by, tm_ps now) { settle(h, by, now); }

tm_ps hca_fire_egress(void *self, tm_ps now)
{
    struct hca *h = self;
    h->egress_armed = false;
    if (h->killed)
        return TM_NEVER;
    send_while_free(h, now);
    settle(h, BY_EGRESS, now);
    h->egress_armed = !turns_empty(&h->turns);
    return h->egress_armed ? tm_max(wire_free_at(h, now), now + 1) : TM_NEVER;
}

tm_ps hca_fire_timer(void *self, tm_ps now)
{
    struct hca *h = self;
    h->timer_at = TM_NEVER;
    if (h->killed)
        return TM_NEVER;
    if (xp_deadline(h->core) <= now)
        xp_expire(h->core, now);
    settle(h, BY_TIMER, now);
    h->timer_at = xp_deadline(h->core);
    return h->timer_at;
}

/* ---- ingress ---------------------------------------------------------------------------------- */

bool hca_first_time(uint64_t *end, uint64_t *seen, uint32_t msgno)
{
    return is_new(end, seen, msgno);
}

static void deliver(struct hca *h, const struct pkt *p, const struct xp_rx *rx, tm_ps now)
{
    struct hca_qp *q = qp_of(h, rx->qpn);
    if (!is_new(&q->last_msgno, &q->seen, p->msgno))
        return;
    q->bytes += rx->message_bytes;
    q->delivered++;
    tm_ps alone = h->alone ? alone_ps(h->alone, h->fab, p, rx->message_bytes) : 0;
    meter_delivered(h->meter, rx->message_bytes, (tm_ps)p->tag, now, alone);
    if (h->tap.delivered)
        h->tap.delivered(h->tap.self, h->host, p, rx->qpn, rx->message_bytes, now);
}

/* What a READ or atomic of this host brought.  It comes once: the core has seen to that. */
static void deliver_read(struct hca *h, const struct pkt *p, const struct xp_rx *rx, tm_ps now)
{
    struct hca_rd *q = rd_of(h, rx->qpn);
    struct pkt own = *p;
    q->bytes += rx->message_bytes;
    q->done++;
    tm_ps alone =
        h->alone ? alone_read_ps(h->alone, h->fab, h->host, p->src_host, rx->message_bytes) : 0;
    meter_delivered(h->meter, rx->message_bytes, (tm_ps)rx->tag, now, alone);
    if (!h->tap.delivered)
        return;
    own.src_host = h->host;
    own.dst_host = p->src_host;
    own.tag = rx->tag;
    own.msgno = rx->msgno;
    h->tap.delivered(h->tap.self, h->host, &own, rx->qpn, rx->message_bytes, now);
}

static inline void carry_out(struct hca *h, const struct pkt *p, const struct xp_rx *rx,
                             const void *head, tm_ps now)
{
    if (__builtin_expect(rx->deed == XP_ATOMIC, 0))
        xp_atomic_done(h->core, rx, 0);
    if (rx->message_done && head && h->head.place)
        h->head.place(h->head.self, p, rx, head, now);
    else if (rx->message_done)
        deliver(h, p, rx, now);
    if (__builtin_expect(rx->read_done, 0))
        deliver_read(h, p, rx, now);
}

/* Selective repeat: a packet that has come too early is remembered; those that have their turn now follow. */
static void take_held(struct hca *h, const struct pkt *p, struct xp_rx *rx, tm_ps now)
{
    uint32_t slot;
    if (rx->deed == XP_HOLD)
        h->held.pkt[rx->slot] = *p;
    while (xp_take_held(h->core, now, rx, &slot)) {
        struct pkt held = h->held.pkt[slot];
        carry_out(h, &held, rx, NULL, now);
    }
}

/* Inlined: most packets have no extension and no head, and their way is the hot one. */
static inline __attribute__((always_inline)) void
receive(struct hca *h, const struct pkt *p, const struct wire_ext *e, const void *head, tm_ps now)
{
    struct xp_rx rx;
    struct xp_path from = {p->src_host, p->entropy};
    xp_recv(h->core, &p->h, e, from, now, &rx);
    carry_out(h, p, &rx, head, now);
    if (__builtin_expect(h->held.pkt != NULL, 0))
        take_held(h, p, &rx, now);
    settle(h, BY_EVENT, now);
}

/* Each member takes it for its own. */
static void receive_for_group(struct hca *h, struct pkt *p, const struct wire_ext *e,
                              const void *head, tm_ps now)
{
    uint32_t cursor = 0;
    uint16_t group = p->dst_host;
    p->dst_host = h->host;
    while (xp_mcast_next(h->core, group, &cursor, &p->h.dest_qp))
        receive(h, p, e, head, now);
}

static void receive_with_side(struct hca *h, const struct pkt *p, tm_ps now)
{
    struct pkt plain;
    struct wire_ext e;
    const void *head = side_look(p, &plain, &e);
    if (!h->killed && __builtin_expect(p->dst_host >= PKT_GROUP_FIRST, 0))
        receive_for_group(h, &plain, &e, head, now);
    else if (!h->killed)
        receive(h, &plain, &e, head, now);
    side_drop(p);
}

/* A packet's bytes go where the core says; those that come too early wait with it. */
static void moved(struct hca *h, const struct pkt *p, struct xp_rx *rx, const uint8_t *payload,
                  tm_ps now)
{
    if (rx->deed == XP_HOLD) {
        h->held.pkt[rx->slot] = *p;
        if (p->h.payload_bytes)
            memcpy(move_held(h->held.payload, rx->slot), payload, p->h.payload_bytes);
        return;
    }
    uint64_t original = move_place(&h->bytes, rx, payload);
    if (rx->deed == XP_ATOMIC)
        xp_atomic_done(h->core, rx, original);
    bool first = rx->message_done && !has_come(qp_of(h, rx->qpn), p->msgno);
    if (first || rx->read_done)
        h->bytes.landed(h->bytes.self, h->host, p, rx);
    if (rx->message_done)
        deliver(h, p, rx, now);
    if (rx->read_done)
        deliver_read(h, p, rx, now);
}

/* In the place of receive where hosts have memory. */
static void receive_moving(struct hca *h, const struct pkt *p, tm_ps now)
{
    struct pkt plain;
    struct wire_ext e;
    struct xp_rx rx;
    uint32_t slot;
    const uint8_t *payload = side_look(p, &plain, &e);
    xp_recv(h->core, &plain.h, &e, (struct xp_path){p->src_host, p->entropy}, now, &rx);
    moved(h, &plain, &rx, payload, now);
    while (xp_take_held(h->core, now, &rx, &slot)) {
        struct pkt held = h->held.pkt[slot];
        moved(h, &held, &rx, move_held(h->held.payload, slot), now);
    }
    settle(h, BY_EVENT, now);
}

void hca_arrive(void *self, const struct pkt *p, tm_ps now)
{
    static const struct wire_ext none;
    struct hca *h = self;
    if (__builtin_expect(h->held.early != NULL, 0) && !h->killed && waiting_take(h, p))
        return;
    if (__builtin_expect(h->bytes.at != NULL, 0)) {
        if (!h->killed)
            receive_moving(h, p, now);
        side_drop(p);
        return;
    }
    if (__builtin_expect(wire_may_have_ext(p->h.opcode), 0))
        receive_with_side(h, p, now);
    else if (!h->killed)
        receive(h, p, &none, NULL, now);
}

/* In the place of hca_arrive where the host takes MADs. */
void hca_arrive_with_mads(void *self, const struct pkt *p, tm_ps now)
{
    struct hca *h = self;
    if (!gsi_is_mad(p)) {
        hca_arrive(h, p, now);
    } else {
        if (!h->killed)
            h->meter->n.mads_received += gsi_arrived(h->gsi, p);
        side_drop(p);
    }
    if (h->has_load && !h->killed && (h->gsi->in.count > 0 || xp_events(h->core) > 0))
        ev_arm(h->ev, h->load, now);
}
