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
#include "models/hca/hca.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "models/fabric/side.h"
#include "models/hca/alone.h"
#include "models/hca/gsi.h"
#include "models/hca/move.h"
#include "models/hca/records.h"
#include "models/hca/turns.h"
#include "sim/base/check.h"
#include "sim/base/rng.h"

/*
 * Cores of many hosts are laid out alike; begun at the same place in a page, they would compete for
 * the same sets of the caches.  Each begins on another of so many lines.
 */
#define COLOURS 64u
#define LINE_BYTES 64u
#define QPN_RESERVE 16u /* numbers that the core keeps for other uses */

_Static_assert(HCA_HEAD_BYTES == SIDE_HEAD_BYTES, "what a packet can carry");

struct hca {
    struct xp *core;
    struct reserved memory; /* of core, qp and turns */
    struct fab *fab;
    struct link *uplink;
    struct ev *ev;
    struct meter *meter;
    struct records of;      /* QPs, by number */
    struct hca_bytes bytes; /* the host's memory; at NULL: payload is counted, not moved */
    struct held held;
    struct alone *alone; /* NULL: slowdown is not measured */
    struct gsi *gsi;     /* NULL: the host takes no MADs */
    struct hca_tap tap;
    struct hca_head head;
    struct turns turns;
    tm_ps timer_at; /* what the timer entity is armed for */
    ev_id egress, timer, load;
    uint32_t overhead_bytes;
    uint16_t host;
    uint8_t arbitration;
    bool egress_armed, has_load, killed;
};

/* Hosts draw apart: QPs of one number on two hosts must not have the same luck. */
enum { PURPOSE_CORE = 1 };

enum caller { BY_EVENT, BY_EGRESS, BY_TIMER, BY_LOAD };

static struct hca_qp *qp_of(const struct hca *h, uint32_t qpn)
{
    CHECK(qpn < h->of.room);
    return &h->of.qp[qpn];
}

static struct hca_rd *rd_of(const struct hca *h, uint32_t qpn)
{
    CHECK(qpn < h->of.room);
    return &h->of.rd[qpn];
}

/* ---- egress ----------------------------------------------------------------------------------- */

static void transmit(struct hca *h, const struct xp_tx *tx, tm_ps now)
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
static bool keeps_turn(const struct hca *h, const struct xp_tx *tx)
{
    return h->arbitration == HCA_RR_MESSAGE && !tx->response && !tx->last_of_message;
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
            turns_drop_first(&h->turns);
            continue;
        }
        if (!tx.more)
            turns_drop_first(&h->turns);
        else if (!keeps_turn(h, &tx))
            turns_next(&h->turns);
        transmit(h, &tx, now);
        return;
    }
}

static void drain_notes(struct hca *h)
{
    struct xp_note note;
    while (xp_take_note(h->core, &note))
        h->tap.note(h->tap.self, h->host, &note);
}

/*
 * After every call of the core: who has woken joins the list, a free wire is used, and the three
 * entities are armed.  The entity that runs (`by`) is left to return its own next time.
 */
static void settle(struct hca *h, enum caller by, tm_ps now)
{
    uint32_t qpn;
    if (h->killed)
        return;
    while (xp_woken(h->core, &qpn))
        turns_append(&h->turns, qpn);
    if (!turns_empty(&h->turns) && by != BY_EGRESS && !h->egress_armed) {
        if (link_free_at(h->uplink) <= now)
            send_one(h, now);
        if (!turns_empty(&h->turns)) {
            ev_arm(h->ev, h->egress, link_free_at(h->uplink));
            h->egress_armed = true;
        }
    }
    tm_ps deadline = xp_deadline(h->core);
    if (by != BY_TIMER && deadline < h->timer_at) {
        h->timer_at = tm_max(deadline, by == BY_LOAD ? now + 1 : now);
        ev_arm(h->ev, h->timer, h->timer_at);
    }
    if (by != BY_LOAD && h->has_load && xp_completions(h->core) > 0)
        ev_arm(h->ev, h->load, now);
    if (h->tap.note)
        drain_notes(h);
}

static tm_ps fire_egress(void *self, tm_ps now)
{
    struct hca *h = self;
    h->egress_armed = false;
    if (h->killed)
        return TM_NEVER;
    if (link_free_at(h->uplink) <= now)
        send_one(h, now);
    settle(h, BY_EGRESS, now);
    h->egress_armed = !turns_empty(&h->turns);
    return h->egress_armed ? link_free_at(h->uplink) : TM_NEVER;
}

static tm_ps fire_timer(void *self, tm_ps now)
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

static void arrive(void *self, const struct pkt *p, tm_ps now)
{
    static const struct wire_ext none;
    struct hca *h = self;
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

/* In the place of arrive where the host takes MADs. */
static void arrive_with_mads(void *self, const struct pkt *p, tm_ps now)
{
    struct hca *h = self;
    if (!gsi_is_mad(p)) {
        arrive(h, p, now);
    } else {
        if (!h->killed)
            h->meter->n.mads_received += gsi_arrived(h->gsi, p);
        side_drop(p);
    }
    if (h->has_load && !h->killed && (h->gsi->in.count > 0 || xp_events(h->core) > 0))
        ev_arm(h->ev, h->load, now);
}

/* ---- the consumer's calls ----------------------------------------------------------------------- */

int hca_post_send(struct hca *h, uint32_t qpn, const struct xp_send_wr *wr, tm_ps now)
{
    if (h->killed)
        return XP_ESTATE;
    int rc = xp_post_send(h->core, qpn, wr, now);
    if (rc == XP_OK)
        settle(h, BY_LOAD, now);
    return rc;
}

int hca_post_recv(struct hca *h, uint32_t qpn, const struct xp_recv_wr *wr, tm_ps now)
{
    if (h->killed)
        return XP_ESTATE;
    int rc = xp_post_recv(h->core, qpn, wr, now);
    if (rc == XP_OK)
        settle(h, BY_LOAD, now);
    return rc;
}

int hca_modify(struct hca *h, uint32_t qpn, const struct xp_qp_attr *attr, uint32_t mask, tm_ps now)
{
    if (h->killed)
        return XP_ESTATE;
    int rc = xp_qp_modify(h->core, qpn, attr, mask, now);
    if (rc == XP_OK)
        settle(h, BY_LOAD, now);
    return rc;
}

int hca_destroy(struct hca *h, uint32_t qpn, tm_ps now)
{
    if (h->killed)
        return XP_ESTATE;
    int rc = xp_qp_destroy(h->core, qpn, now);
    if (rc == XP_OK)
        settle(h, BY_LOAD, now);
    return rc;
}

void hca_mads_open(struct hca *h)
{
    CHECK(h->gsi == NULL);
    h->gsi = gsi_new();
    fab_attach(h->fab, h->host, arrive_with_mads, h);
}

void hca_mad_send(struct hca *h, uint32_t to, const uint8_t bytes[CM_MAD_BYTES], bool again,
                  tm_ps now)
{
    if (h->killed)
        return;
    gsi_put(&h->gsi->out, (uint16_t)to, bytes);
    h->meter->n.mads_repeated += again;
    if (h->gsi->out.count == 1)
        turns_append(&h->turns, CM_GSI_QPN);
    settle(h, BY_LOAD, now);
}

bool hca_mad_take(struct hca *h, uint32_t *from, uint8_t bytes[CM_MAD_BYTES])
{
    struct gsi_mad m;
    if (!h->gsi || !gsi_take(&h->gsi->in, &m))
        return false;
    *from = m.host;
    memcpy(bytes, m.bytes, CM_MAD_BYTES);
    return true;
}

void hca_kill(struct hca *h, tm_ps now)
{
    if (h->killed)
        return;
    h->killed = true;
    fab_kill(h->fab, h->host);
    ev_disarm(h->ev, h->egress);
    ev_disarm(h->ev, h->timer);
}

/* ---- birth and looking in ------------------------------------------------------------------------ */

static size_t lines_of(size_t bytes) { return (bytes + LINE_BYTES - 1) / LINE_BYTES * LINE_BYTES; }

static uint32_t turns_mask(uint32_t qps)
{
    uint32_t mask = 1;
    while (mask < qps)
        mask = mask << 1 | 1;
    return mask;
}

/* One reservation for core, QP records and turns; nothing is backed before it is used.  False: no room. */
static bool reserve(struct hca *h, const struct xp_limits *limits)
{
    size_t core_bytes = lines_of(xp_size(limits)), colour = h->host % COLOURS * LINE_BYTES;
    CHECK(core_bytes > 0);
    h->of.room = limits->qp + QPN_RESERVE;
    h->turns.mask = turns_mask(h->of.room);
    size_t qp_bytes = lines_of(h->of.room * sizeof(*h->of.qp));
    size_t turns_bytes = lines_of((h->turns.mask + (size_t)1) * sizeof(*h->turns.qpn));
    size_t rd_bytes = h->of.room * sizeof(*h->of.rd);
    h->memory.bytes = COLOURS * LINE_BYTES + core_bytes + qp_bytes + turns_bytes + rd_bytes;
    h->memory.at = mmap(NULL, h->memory.bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (h->memory.at == MAP_FAILED)
        return false;
    char *at = (char *)h->memory.at + colour;
    h->core = (struct xp *)(void *)at;
    h->of.qp = (struct hca_qp *)(void *)(at + core_bytes);
    h->turns.qpn = (uint32_t *)(void *)(at + core_bytes + qp_bytes);
    h->of.rd = (struct hca_rd *)(void *)(at + core_bytes + qp_bytes + turns_bytes);
    return true;
}

static void join(struct hca *h, struct fab *fab, struct ev *ev)
{
    uint32_t domain = fab_domain(fab, h->host);
    h->fab = fab;
    h->ev = ev;
    h->uplink = fab_uplink(fab, h->host);
    h->egress = ev_add(ev, domain, EV_DEPART, fire_egress, h);
    h->timer = ev_add(ev, domain, EV_TIMER, fire_timer, h);
    fab_attach(fab, h->host, arrive, h);
}

struct hca *hca_new(const struct hca_cfg *cfg, uint32_t host, const struct xp_limits *limits,
                    struct fab *fab, struct ev *ev, struct meter *meter, bool measure_slowdown,
                    uint32_t mtu, uint64_t seed, const struct hca_tap *tap)
{
    struct hca *h = calloc(1, sizeof(*h));
    CHECK(h != NULL && host <= UINT16_MAX);
    h->host = (uint16_t)host;
    if (!reserve(h, limits)) {
        free(h);
        return NULL;
    }
    h->core = xp_init(h->core, xp_size(limits), limits, &cfg->xp,
                      rng_stream(seed, RNG_HOST, host, PURPOSE_CORE).key);
    h->arbitration = (uint8_t)cfg->arbitration;
    h->overhead_bytes = wire_overhead_bytes(cfg->encap);
    h->meter = meter;
    h->timer_at = TM_NEVER;
    if (limits->hold > 0) {
        h->held.count = limits->hold;
        h->held.pkt = calloc(limits->hold + 1, sizeof *h->held.pkt);
        CHECK(h->held.pkt != NULL);
    }
    if (measure_slowdown)
        h->alone = alone_new(mtu);
    if (tap)
        h->tap = *tap;
    if (h->tap.note)
        xp_notes_enable(h->core, true);
    join(h, fab, ev);
    return h;
}

void hca_free(struct hca *h)
{
    if (!h)
        return;
    free(h->held.pkt);
    free(h->held.payload);
    munmap(h->memory.at, h->memory.bytes);
    alone_free(h->alone);
    gsi_free(h->gsi);
    free(h);
}

uint32_t hca_entities(void) { return 2; }

void hca_set_notify(struct hca *h, ev_id load)
{
    h->load = load;
    h->has_load = true;
}

_Static_assert(PKT_GROUP_FIRST == XP_GROUP_FIRST, "a path's host is a packet's");

int hca_mcast_attach(struct hca *h, uint32_t qpn, uint16_t group)
{
    int rc = xp_mcast_attach(h->core, qpn, group);
    if (rc == XP_OK)
        fab_join(h->fab, group, h->host);
    return rc;
}

void hca_set_bytes(struct hca *h, const struct hca_bytes *bytes)
{
    h->bytes = *bytes;
    if (h->held.pkt) {
        h->held.payload = calloc(h->held.count + 1, MOVE_PAYLOAD_MAX);
        CHECK(h->held.payload != NULL);
    }
}

void hca_set_head(struct hca *h, const struct hca_head *head) { h->head = *head; }

struct xp *hca_core(struct hca *h) { return h->core; }

const char *hca_exhausted(const struct hca *h) { return xp_exhausted(h->core); }

uint64_t hca_qp_bytes(const struct hca *h, uint32_t qpn) { return qp_of(h, qpn)->bytes; }

uint64_t hca_qp_delivered(const struct hca *h, uint32_t qpn) { return qp_of(h, qpn)->delivered; }

uint64_t hca_qp_read_bytes(const struct hca *h, uint32_t qpn) { return rd_of(h, qpn)->bytes; }

uint64_t hca_qp_reads(const struct hca *h, uint32_t qpn) { return rd_of(h, qpn)->done; }

uint64_t hca_qp_last_msgno(const struct hca *h, uint32_t qpn) { return qp_of(h, qpn)->last_msgno; }
