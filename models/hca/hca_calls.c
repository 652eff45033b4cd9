/*
 * The HCA's birth, what its consumer calls, and what can be asked of it; how packets go is hca.c's.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "models/hca/move.h"
#include "models/hca/state.h"
#include "sim/base/rng.h"

/*
 * Cores of many hosts are laid out alike; begun at the same place in a page, they would compete for
 * the same sets of the caches.  Each begins on another of so many lines.
 */
#define COLOURS 64u
#define LINE_BYTES 64u
#define QPN_RESERVE 16u /* numbers that the core keeps for other uses */

/* Hosts draw apart: QPs of one number on two hosts must not have the same luck. */
enum { PURPOSE_CORE = 1, PURPOSE_COST = 2 };

/* ---- the consumer's calls ----------------------------------------------------------------------- */

int hca_post_send(struct hca *h, uint32_t qpn, const struct xp_send_wr *wr, tm_ps now)
{
    if (h->killed)
        return XP_ESTATE;
    int rc = xp_post_send(h->core, qpn, wr, now);
    if (rc == XP_OK)
        hca_settle(h, BY_LOAD, now);
    return rc;
}

int hca_post_recv(struct hca *h, uint32_t qpn, const struct xp_recv_wr *wr, tm_ps now)
{
    if (h->killed)
        return XP_ESTATE;
    int rc = xp_post_recv(h->core, qpn, wr, now);
    if (rc == XP_OK)
        hca_settle(h, BY_LOAD, now);
    return rc;
}

int hca_modify(struct hca *h, uint32_t qpn, const struct xp_qp_attr *attr, uint32_t mask, tm_ps now)
{
    if (h->killed)
        return XP_ESTATE;
    int rc = xp_qp_modify(h->core, qpn, attr, mask, now);
    if (rc == XP_OK && h->held.early && (mask & XP_A_STATE) && attr->state == XP_RTR)
        waiting_release(h, qpn, now);
    if (rc == XP_OK)
        hca_settle(h, BY_LOAD, now);
    return rc;
}

int hca_destroy(struct hca *h, uint32_t qpn, tm_ps now)
{
    if (h->killed)
        return XP_ESTATE;
    int rc = xp_qp_destroy(h->core, qpn, now);
    if (rc == XP_OK)
        hca_settle(h, BY_LOAD, now);
    return rc;
}

void hca_mads_open(struct hca *h)
{
    CHECK(h->gsi == NULL);
    h->gsi = gsi_new();
    if (h->slow)
        h->slow->arrive = hca_arrive_with_mads;
    else
        fab_attach(h->fab, h->host, hca_arrive_with_mads, h);
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
    hca_settle(h, BY_LOAD, now);
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
    if (h->slow)
        slow_kill(h);
    if (h->held.early)
        ev_disarm(h->ev, h->held.early->entity);
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
    h->of.memory.bytes = COLOURS * LINE_BYTES + core_bytes + qp_bytes + turns_bytes + rd_bytes;
    h->of.memory.at = mmap(NULL, h->of.memory.bytes, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (h->of.memory.at == MAP_FAILED)
        return false;
    char *at = (char *)h->of.memory.at + colour;
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
    h->egress = ev_add(ev, domain, EV_DEPART, hca_fire_egress, h);
    h->timer = ev_add(ev, domain, EV_TIMER, hca_fire_timer, h);
    fab_attach(fab, h->host, hca_arrive, h);
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
    h->arbiter = (struct arbiter){cfg->arbitration, cfg->turn_packets, 0};
    h->moderation = cfg->moderation;
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
    h->slow =
        slow_new(h, &cfg->cost, h->of.room, rng_stream(seed, RNG_HOST, host, PURPOSE_COST).key);
    h->held.early = waiting_new(h, cfg->early_packets);
    return h;
}

void hca_free(struct hca *h)
{
    if (!h)
        return;
    free(h->held.pkt);
    free(h->held.payload);
    munmap(h->of.memory.at, h->of.memory.bytes);
    alone_free(h->alone);
    gsi_free(h->gsi);
    slow_free(h->slow);
    waiting_free(h->held.early);
    free(h);
}

uint32_t hca_entities(const struct hca_cfg *cfg)
{
    return 2 + (cfg->cost.units ? SLOW_ENTITIES : 0) + (cfg->early_packets ? WAITING_ENTITIES : 0);
}

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

void hca_cost_counts(const struct hca *h, struct hca_cost_counts *out)
{
    *out = (struct hca_cost_counts){0};
    if (!h->slow)
        return;
    cost_counts(h->slow->cost, out);
    out->discarded = h->slow->discarded;
}

const char *hca_exhausted(const struct hca *h) { return xp_exhausted(h->core); }

uint64_t hca_qp_bytes(const struct hca *h, uint32_t qpn) { return qp_of(h, qpn)->bytes; }

uint64_t hca_qp_delivered(const struct hca *h, uint32_t qpn) { return qp_of(h, qpn)->delivered; }

uint64_t hca_qp_read_bytes(const struct hca *h, uint32_t qpn) { return rd_of(h, qpn)->bytes; }

uint64_t hca_qp_reads(const struct hca *h, uint32_t qpn) { return rd_of(h, qpn)->done; }

uint64_t hca_qp_last_msgno(const struct hca *h, uint32_t qpn) { return qp_of(h, qpn)->last_msgno; }
