/*
 * Birth of a core and what belongs to no role: layout of the block, events, notes, counts.
 *
 * The layout is computed once, in xp_size and xp_init alike.  Only the header page is written at
 * birth: pools are valid when zero.
 */
#include <string.h>

#include "models/transport/service.h"

#define INDEX_MAX ((1u << 24) - 2) /* QP numbers and the upper part of keys are 24 bits */
#define POOL_MAX ((1u << 31) - 1)
#define BLOCK_ALIGN 64u

static const char *const pool_names[POOLS] = {"qp",  "cq",     "mr",     "send_wqe", "recv_wqe",
                                              "cqe", "active", "answer", "attr_set", "resource",
                                              "srq", "mcast",  "sge",    "hold"};

static uint64_t reserve(struct xp_layout *l, uint64_t bytes)
{
    uint64_t at = l->size;
    l->size += (bytes + BLOCK_ALIGN - 1) & ~(uint64_t)(BLOCK_ALIGN - 1);
    return at;
}

static void pool_layout(struct xp_layout *l, struct xp_pool *p, size_t stride, uint32_t cap)
{
    *p = (struct xp_pool){.stride = (uint32_t)stride, .cap = cap};
    p->at = reserve(l, ((uint64_t)cap + 1) * stride);
}

/* Hash buckets for the attribute sets: a power of two. */
static uint32_t bucket_count(const struct xp_limits *lim)
{
    uint32_t n = 16;
    while (n < lim->attr_set)
        n <<= 1;
    return n;
}

static struct xp_layout layout(const struct xp_limits *lim, struct xp_pool pool[POOLS])
{
    struct xp_layout l = {.size = (sizeof(struct xp) + 4095) & ~(size_t)4095};
    uint32_t qp_cap = lim->qp + XP_FIRST_QPN - 1;

    pool_layout(&l, &pool[POOL_QP], sizeof(struct xp_qp), qp_cap);
    pool[POOL_QP].high = XP_FIRST_QPN - 1;
    pool_layout(&l, &pool[POOL_CQ], sizeof(struct xp_cq), lim->cq);
    pool_layout(&l, &pool[POOL_MR], sizeof(struct xp_mr), lim->mr);
    pool_layout(&l, &pool[POOL_SEND_WQE], sizeof(struct xp_send_wqe), lim->send_wqe);
    pool_layout(&l, &pool[POOL_RECV_WQE], sizeof(struct xp_recv_wqe), lim->recv_wqe);
    pool_layout(&l, &pool[POOL_CQE], sizeof(struct xp_cqe), lim->cqe);
    pool_layout(&l, &pool[POOL_ACTIVE], sizeof(struct xp_active), lim->active);
    pool_layout(&l, &pool[POOL_ANSWER], sizeof(struct xp_answer), lim->answer);
    pool_layout(&l, &pool[POOL_ATTR_SET], sizeof(struct xp_attr_set), lim->attr_set);
    pool_layout(&l, &pool[POOL_RESOURCE], sizeof(struct xp_resource), lim->resource);
    pool_layout(&l, &pool[POOL_SRQ], sizeof(struct xp_srq), lim->srq);
    pool_layout(&l, &pool[POOL_MCAST], sizeof(struct xp_mcast), lim->mcast);
    pool_layout(&l, &pool[POOL_SGE], sizeof(struct xp_sge_item), lim->sge);
    pool_layout(&l, &pool[POOL_HOLD], sizeof(struct xp_hold), lim->hold);
    l.sack = reserve(&l, lim->hold ? ((uint64_t)lim->active + 1) * sizeof(struct xp_sack) : 0);
    l.send_ext = reserve(&l, ((uint64_t)lim->send_wqe + 1) * sizeof(struct xp_send_ext));
    l.credit = reserve(&l, ((uint64_t)qp_cap + 1) * sizeof(struct xp_credit));
    l.heap_item = reserve(&l, ((uint64_t)qp_cap + 1) * sizeof(struct heap_item));
    l.heap_pos = reserve(&l, ((uint64_t)qp_cap + 1) * sizeof(uint32_t));
    l.qp_counts = reserve(&l, ((uint64_t)qp_cap + 1) * sizeof(struct xp_qp_counts));
    l.notes = reserve(&l, XP_NOTES * sizeof(struct xp_note));
    l.buckets = reserve(&l, (uint64_t)bucket_count(lim) * sizeof(uint32_t));
    return l;
}

static bool limits_ok(const struct xp_limits *lim)
{
    const uint32_t pools[] = {lim->send_wqe, lim->recv_wqe, lim->cqe,      lim->active,
                              lim->answer,   lim->attr_set, lim->resource, lim->srq,
                              lim->mcast,    lim->sge,      lim->hold};

    if (lim->qp == 0 || lim->qp > INDEX_MAX - XP_FIRST_QPN || lim->cq == 0 || lim->cq > INDEX_MAX ||
        lim->mr > INDEX_MAX)
        return false;
    for (size_t i = 0; i < sizeof pools / sizeof pools[0]; i++) {
        if (pools[i] > POOL_MAX)
            return false;
    }
    return lim->active > 0 && lim->attr_set > 0 && lim->attr_set <= INDEX_MAX;
}

size_t xp_size(const struct xp_limits *lim)
{
    struct xp_pool pool[POOLS];
    return limits_ok(lim) ? layout(lim, pool).size : 0;
}

struct xp_profile xp_profile_spec(void)
{
    return (struct xp_profile){
        .ackreq_packets = 16,
        .ack_coalesce = true,
        .window_packets = (1u << 23) - 1,
        .recovery = XP_GO_BACK_N,
        .timer_slack_milli = 1000,
        .timer_floor_ps = 0,
        .timing = {.factor = 1},
        .migrated = true,
        .max = {.qp_wr = 32768, .srq_wr = 32768},
        .max_rd_atomic = 255,
        .max_dest_rd_atomic = 255,
        .endless_retry_cnt = 8,
        .port_mtu = 4096,
        .grh = true,
        .irn = {.bdp_cap_packets = 110, .rto_low_ps = 100 * TM_US, .rto_low_packets = 3},
    };
}

static uint32_t least(uint32_t a, uint32_t b) { return a < b ? a : b; }

struct xp *xp_init(void *block, size_t size, const struct xp_limits *lim,
                   const struct xp_profile *profile, uint64_t seed)
{
    struct xp *x = block;

    CHECK(limits_ok(lim) && ((uintptr_t)block & (BLOCK_ALIGN - 1)) == 0);
    CHECK(profile->ackreq_packets > 0 && profile->overrides <= XP_OVERRIDES_MAX);
    CHECK(profile->port_mtu == 0 || xp__is_mtu(profile->port_mtu));
    CHECK(profile->max.sge <= XP_SGE_MAX);
    CHECK(profile->window_packets > 0 && profile->window_packets < 1u << 23);
    CHECK(profile->recovery != XP_SELECTIVE ||
          (lim->hold > 0 && profile->irn.bdp_cap_packets - 1 < XP_SACK_MAX));
    CHECK(profile->timer_slack_milli >= 1000 && profile->timer_slack_milli <= 4000);
    CHECK(profile->timing.factor > 0 && profile->ladder.rungs <= XP_RUNGS_MAX);
    CHECK(profile->timing.first.low_milli <= profile->timing.first.high_milli);
    x->at = layout(lim, x->pool);
    CHECK(size >= x->at.size);
    x->profile = *profile;
    if (x->profile.window_packets > XP_PSNS_MAX)
        x->profile.window_packets = XP_PSNS_MAX;
    if (xp__is_selective(x))
        x->profile.window_packets = least(x->profile.window_packets, profile->irn.bdp_cap_packets);
    xp__limits_init(x);
    x->seed = seed;
    xp__tables_init(x);
    x->bucket_mask = bucket_count(lim) - 1;
    x->ackreq_every = least(profile->ackreq_packets, x->profile.window_packets);
    return x;
}

const char *xp_exhausted(const struct xp *x)
{
    return x->exhausted ? pool_names[x->exhausted - 1] : 0;
}

void xp__event(struct xp *x, enum xp_event_kind kind, uint32_t qpn)
{
    struct xp_event_ring *r = &x->events;

    if (r->count == XP_EVENTS) {
        r->first = (r->first + 1) % XP_EVENTS;
        r->count--;
    }
    uint32_t i = (r->first + r->count++) % XP_EVENTS;
    r->kind[i] = (uint8_t)kind;
    r->qpn[i] = qpn;
}

uint32_t xp_events(const struct xp *x) { return x->events.count; }

bool xp_take_event(struct xp *x, struct xp_event *ev)
{
    struct xp_event_ring *r = &x->events;

    if (r->count == 0)
        return false;
    *ev = (struct xp_event){(enum xp_event_kind)r->kind[r->first], r->qpn[r->first]};
    r->first = (r->first + 1) % XP_EVENTS;
    r->count--;
    return true;
}

static struct xp_note *note_at(const struct xp *x, uint32_t i)
{
    return (struct xp_note *)xp__base(x, x->at.notes) + i % XP_NOTES;
}

void xp__note_add(struct xp *x, enum xp_note_kind kind, uint32_t qpn, tm_ps until, uint32_t value)
{
    if (x->note_count == XP_NOTES) {
        x->note_first++;
        x->note_count--;
    }
    *note_at(x, x->note_first + x->note_count++) =
        (struct xp_note){x->now, until, kind, qpn, value};
}

void xp_notes_enable(struct xp *x, bool on) { x->notes_on = on; }

bool xp_take_note(struct xp *x, struct xp_note *note)
{
    if (x->note_count == 0)
        return false;
    *note = *note_at(x, x->note_first++);
    x->note_count--;
    return true;
}

const struct xp_counts *xp_counts(const struct xp *x) { return &x->counts; }

void xp_qp_counts(const struct xp *x, uint32_t qpn, struct xp_qp_counts *out)
{
    *out = xp__qp_find(x, qpn) ? *xp__qp_counts(x, qpn) : (struct xp_qp_counts){0};
}

void xp_qp_counts_sum(const struct xp *x, struct xp_qp_counts *out)
{
    uint32_t *sum = (uint32_t *)out;

    *out = (struct xp_qp_counts){0};
    for (uint32_t i = XP_FIRST_QPN; i <= x->pool[POOL_QP].high; i++) {
        const uint32_t *of = (const uint32_t *)xp__qp_counts(x, i);
        for (size_t k = 0; k < sizeof *out / sizeof *sum; k++)
            sum[k] += of[k];
    }
}

uint32_t xp_outstanding(const struct xp *x)
{
    return x->pool[POOL_SEND_WQE].used + x->pool[POOL_RECV_WQE].used + x->pool[POOL_CQE].used +
           x->pool[POOL_ANSWER].used + x->pool[POOL_ACTIVE].used + x->pool[POOL_SGE].used +
           x->pool[POOL_HOLD].used;
}
