/*
 * See cost.h.  Everything is arithmetic on times: who is free when.
 *
 * Invariant: the times that cost_tx or cost_rx give for one QP never fall.
 */
#include "models/hca/cost.h"

#include <stdlib.h>

#include "models/fabric/side.h"
#include "sim/base/check.h"
#include "sim/base/rng.h"

#define WQE_BYTES 64u
#define CQE_BYTES 64u
#define MTT_BYTES 8u

enum way { TX, RX, WAYS };

/* Of a QP: what keeps its packets in order, and where its READs are. */
struct order {
    tm_ps last_ps[WAYS];
    uint32_t asked, answered;     /* READs and atomics of its own */
    uint32_t taken_up, responded; /* those of its peer */
    uint32_t wqes;                /* that are here, as long as they are in the cache */
};

struct cost {
    struct hca_cost_cfg cfg;
    struct cache *ctx, *read, *wqe, *mtt;
    struct pcie fetch, pcie;
    tm_ps unit[WAYS][HCA_UNITS_MAX]; /* free again */
    struct order *of;
    uint32_t qps;
};

static uint32_t first_free(const struct cost *c, enum way way)
{
    uint32_t best = 0;
    for (uint32_t i = 1; i < c->cfg.units; i++)
        if (c->unit[way][i] < c->unit[way][best])
            best = i;
    return best;
}

tm_ps cost_tx_free_at(const struct cost *c) { return c->unit[TX][first_free(c, TX)]; }

/* ---- contexts ------------------------------------------------------------------------------------ */

static bool is_ack(enum wire_class cls) { return cls == CLASS_ACK || cls == CLASS_CNP; }

static bool is_read_request(enum wire_class cls)
{
    return cls == CLASS_READ || cls == CLASS_ATOMIC;
}

static bool is_read_response(enum wire_class cls)
{
    return cls == CLASS_READ_RESP || cls == CLASS_ATOMIC_ACK;
}

/* An opcode that does not exist costs what any other does. */
static const struct wire_op_row *row_of(const struct pkt *p)
{
    const struct wire_op_row *row = wire_op_row(p->h.opcode);
    return row ? row : &wire_op_table[OP_SEND_MIDDLE];
}

static tm_ps time_of(const struct cost *c, enum wire_class cls)
{
    if (is_ack(cls))
        return c->cfg.ack_time_ps;
    bool is_read = is_read_request(cls) || is_read_response(cls);
    return is_read && c->cfg.read_time_ps ? c->cfg.read_time_ps : c->cfg.unit_time_ps;
}

static tm_ps fetched(struct cost *c, struct cache *of, uint64_t key, uint32_t bytes, tm_ps now,
                     tm_ps at)
{
    if (cache_touch(of, key))
        return at;
    pcie_read(&c->pcie, bytes, now, at);
    return pcie_read(&c->fetch, 0, now, at);
}

static bool begins(const struct wire_op_row *row)
{
    return row->position == POS_ONLY || row->position == POS_FIRST;
}

/*
 * Requests and their responses come in one order, so counting them tells which of the QP's slots a READ has.
 * A repetition takes a slot more and is one off from then on, which only moves the touch to another slot.
 */
static uint32_t *counter_of(struct order *o, enum way way, const struct wire_op_row *row)
{
    if (is_read_request(row->cls))
        return way == TX ? &o->asked : &o->taken_up;
    bool ends = row->position == POS_ONLY || row->position == POS_LAST;
    if (way == TX && begins(row))
        return &o->responded;
    return way == RX && ends ? &o->answered : NULL;
}

static tm_ps read_slot(struct cost *c, enum way way, uint32_t qpn, const struct wire_op_row *row,
                       tm_ps now, tm_ps at)
{
    uint32_t *n = counter_of(&c->of[qpn], way, row);
    if (!n || !c->read)
        return at;
    bool is_own = n == &c->of[qpn].asked || n == &c->of[qpn].answered;
    uint64_t slots = c->cfg.read_slots;
    uint64_t key = (2 * (uint64_t)qpn + is_own) * slots + (*n)++ % slots;
    if (c->cfg.read_fetch_ps == 0)
        return fetched(c, c->read, key, c->cfg.ctx_bytes, now, at);
    return cache_touch(c->read, key) ? at : at + c->cfg.read_fetch_ps;
}

/* Everything that keeps the unit: its own time, the contexts. */
static tm_ps through_unit(struct cost *c, enum way way, uint32_t qpn, uint32_t ctx,
                          const struct wire_op_row *row, tm_ps now)
{
    uint32_t u = first_free(c, way);
    tm_ps at = tm_max(now, c->unit[way][u]) + time_of(c, row->cls);
    if (qpn < c->qps)
        at = fetched(c, c->ctx, qpn, c->cfg.ctx_bytes, now, at);
    if (ctx != qpn && ctx < c->qps)
        at = fetched(c, c->ctx, ctx, c->cfg.ctx_bytes, now, at);
    if (qpn < c->qps && (is_read_request(row->cls) || is_read_response(row->cls)))
        at = read_slot(c, way, qpn, row, now, at);
    c->unit[way][u] = at;
    return at;
}

static tm_ps in_order(struct cost *c, enum way way, uint32_t qpn, tm_ps at)
{
    if (qpn >= c->qps)
        return at;
    tm_ps *last = &c->of[qpn].last_ps[way];
    *last = tm_max(*last, at);
    return *last;
}

static tm_ps translated(struct cost *c, uint64_t addr, uint32_t bytes, tm_ps now, tm_ps at)
{
    if (!c->mtt || bytes == 0)
        return at;
    uint64_t first = addr / c->cfg.page_bytes, last = (addr + bytes - 1) / c->cfg.page_bytes;
    for (uint64_t page = first; page <= last; page++)
        at = fetched(c, c->mtt, page, MTT_BYTES, now, at);
    return at;
}

static bool is_nak(const struct wire_hdr *h)
{
    return wire_op_of(h->opcode) == OP_ACKNOWLEDGE && aeth_kind(h->syndrome) == AETH_NAK;
}

/* ---- sending --------------------------------------------------------------------------------------- */

/* A read brings a batch of the queue's WQEs; they are here until another queue's take their place. */
static bool wqe_is_here(struct cost *c, uint32_t qpn)
{
    struct order *o = &c->of[qpn];
    if (c->cfg.wqe_batch == 0)
        return true;
    if (cache_touch(c->wqe, qpn) && o->wqes > 0) {
        o->wqes--;
        return true;
    }
    o->wqes = c->cfg.wqe_batch - 1;
    return false;
}

/* What the host's memory has to give: the WQE, and then, since that tells where it lies, the payload. */
static tm_ps gathered(struct cost *c, uint32_t qpn, const struct wire_op_row *row,
                      const struct xp_tx *tx, uint32_t payload, tm_ps now, tm_ps at)
{
    bool needs_wqe = !tx->response && begins(row) && qpn < c->qps && !wqe_is_here(c, qpn);
    if (needs_wqe)
        at = pcie_read(&c->pcie, WQE_BYTES * c->cfg.wqe_batch, now, at);
    if (payload > 0)
        at = translated(c, tx->seg.addr, payload, now, at);
    if (payload > (tx->response ? 0 : c->cfg.inline_bytes))
        at = pcie_read(&c->pcie, payload, now, at);
    return at;
}

tm_ps cost_tx(struct cost *c, uint32_t qpn, const struct xp_tx *tx, const struct pkt *p, tm_ps now)
{
    const struct wire_op_row *row = row_of(p);
    tm_ps at = through_unit(c, TX, qpn, qpn, row, now);
    if (is_nak(&p->h))
        at += c->cfg.nak_delay_ps;
    return in_order(c, TX, qpn, gathered(c, qpn, row, tx, p->h.payload_bytes, now, at));
}

/* ---- receiving ---------------------------------------------------------------------------------------- */

/* The context that the packet's connection lies in: beside the QP's where several QPs share it. */
static uint32_t context_of(const struct pkt *p, const struct wire_ext *e)
{
    return wire_headers_of(p->h.opcode).set & HDR_RDETH ? e->eec : p->h.dest_qp;
}

tm_ps cost_rx(struct cost *c, const struct pkt *p, tm_ps now)
{
    const struct wire_op_row *row = row_of(p);
    struct pkt plain;
    struct wire_ext e;
    side_look(p, &plain, &e);
    uint32_t qpn = plain.h.dest_qp, ctx = context_of(&plain, &e);
    uint32_t payload = plain.h.payload_bytes;
    tm_ps at = through_unit(c, RX, qpn, ctx, row, now);
    if (row->cls == CLASS_READ || (row->cls == CLASS_WRITE && begins(row)))
        at = translated(c, plain.h.va, plain.h.dmalen, now, at);
    if (is_nak(&plain.h))
        at += c->cfg.nak_reaction_ps;
    if (payload > 0)
        at = pcie_write(&c->pcie, payload, now, at);
    if (plain.note & PKT_LAST_OF_MESSAGE && !is_ack(row->cls))
        pcie_write(&c->pcie, CQE_BYTES, now, at);
    return in_order(c, RX, ctx, at);
}

/* ---- birth and looking in ---------------------------------------------------------------------------- */

enum { PURPOSE_CTX = 1, PURPOSE_READ, PURPOSE_WQE, PURPOSE_MTT };

struct cost *cost_new(const struct hca_cost_cfg *cfg, uint32_t qps, uint64_t seed)
{
    if (cfg->units == 0)
        return NULL;
    CHECK(cfg->units <= HCA_UNITS_MAX);
    struct cost *c = calloc(1, sizeof *c);
    CHECK(c != NULL);
    c->cfg = *cfg;
    c->qps = qps;
    c->ctx = cache_new(&cfg->ctx, rng_mix(seed + PURPOSE_CTX));
    c->read = cache_new(&cfg->read, rng_mix(seed + PURPOSE_READ));
    c->wqe = cache_new(&cfg->wqe, rng_mix(seed + PURPOSE_WQE));
    c->mtt = cache_new(&cfg->mtt, rng_mix(seed + PURPOSE_MTT));
    struct pcie_cfg fetch = cfg->fetch;
    fetch.rate_bps = 0;
    pcie_init(&c->fetch, &fetch);
    pcie_init(&c->pcie, &cfg->pcie);
    c->of = calloc(qps, sizeof *c->of);
    CHECK(c->of != NULL);
    return c;
}

void cost_free(struct cost *c)
{
    if (!c)
        return;
    cache_free(c->ctx);
    cache_free(c->read);
    cache_free(c->wqe);
    cache_free(c->mtt);
    pcie_fini(&c->fetch);
    pcie_fini(&c->pcie);
    free(c->of);
    free(c);
}

void cost_counts(const struct cost *c, struct hca_cost_counts *out)
{
    *out = (struct hca_cost_counts){0};
    if (!c)
        return;
    out->ctx = cache_counts(c->ctx);
    out->read = cache_counts(c->read);
    out->wqe = cache_counts(c->wqe);
    out->mtt = cache_counts(c->mtt);
    out->pcie_read_bytes = c->pcie.read_bytes;
    out->pcie_written_bytes = c->pcie.written_bytes;
}
