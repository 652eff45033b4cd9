/*
 * Messages: made, posted, known to have succeeded.
 *
 * Closed loop: a flow keeps `depth` messages unfinished.  Open loop: a host's arrivals form a Poisson
 * process; each draws a size and one of the host's flows, and waits in the flow's list while the
 * send queue is full.
 *
 * Every n-th request is signalled and gives a completion for all before it.  More are signalled where
 * otherwise nothing would come back: the last one, at half a send queue, at half a depth.
 */
#include <glib.h>

#include "models/load/dist.h"
#include "models/load/bytes.h"
#include "models/load/host.h"
#include "sim/base/check.h"

#define PLACE_BYTES 64u

/* ---- the list ------------------------------------------------------------------------------------- */

static uint32_t take_slot(struct messages *m)
{
    uint32_t slot = m->free;
    if (slot) {
        m->free = m->item[slot - 1].next;
        return slot;
    }
    if (m->used == m->room) {
        m->room = m->room ? 2 * m->room : 16;
        m->item = g_renew(struct message, m->item, m->room);
    }
    return ++m->used;
}

void flow_add(struct host *h, uint32_t e, struct message m, tm_ps now)
{
    struct flow *f = flow_of(h->load, e);
    uint32_t slot = take_slot(&h->messages);
    m.next = 0;
    h->messages.item[slot - 1] = m;
    if (f->tail)
        h->messages.item[f->tail - 1].next = slot;
    else
        f->head = slot;
    f->tail = slot;
    if (!f->next)
        f->next = slot;
    if (f->first == f->made)
        f->progress_ps = now;
    f->made++;
    h->messages.listed++;
    meter_posted(h->meter, m.post_ps);
}

static void drop_head(struct host *h, struct flow *f)
{
    uint32_t slot = f->head;
    CHECK(slot != 0);
    if (f->next == slot)
        f->next = h->messages.item[slot - 1].next;
    f->head = h->messages.item[slot - 1].next;
    if (!f->head)
        f->tail = 0;
    h->messages.item[slot - 1].next = h->messages.free;
    h->messages.free = slot;
    h->messages.listed--;
    f->first++;
}

void flow_succeed(struct host *h, uint32_t e, tm_ps now)
{
    struct flow *f = flow_of(h->load, e);
    drop_head(h, f);
    f->succeeded++;
    f->in_trouble = false;
    meter_stalled(h->meter, f->progress_ps, now);
    f->progress_ps = now;
}

void flow_drop(struct host *h, uint32_t e)
{
    struct flow *f = flow_of(h->load, e);
    while (f->head)
        drop_head(h, f);
    f->posted = f->done = f->first = f->made;
    f->unsignalled = 0;
}

void flow_rewind(struct host *h, uint32_t e)
{
    struct flow *f = flow_of(h->load, e);
    f->posted = f->done = f->first;
    f->next = f->head;
    f->unsignalled = 0;
}

/* ---- posting ---------------------------------------------------------------------------------------- */

static uint64_t quota_of(const struct load *l, const struct flow *f)
{
    if (l->cfg.pattern == LOAD_TRACE)
        return f->quota;
    return l->cfg.messages ? l->cfg.messages : UINT64_MAX;
}

static bool to_signal(const struct load *l, const struct end *end, const struct flow *f)
{
    uint64_t waiting = (uint64_t)f->unsignalled + 1;
    bool closed = l->cfg.load_ppm == 0 && l->cfg.pattern != LOAD_TRACE;
    if (end->role & END_CLIENT || l->cfg.host_depth)
        return true; /* an RPC request is unfinished until its response, so nothing is implied */
    return waiting >= l->cfg.signal_every || f->posted + 1 == quota_of(l, f) ||
           waiting * 2 >= l->qp.sq_depth || (closed && waiting * 2 >= l->cfg.depth);
}

/* Where in its region a host has the message: on a line that nothing but its number decides. */
static uint64_t place_of(const struct load *l, uint32_t host, const struct end *end, uint32_t msgno,
                         uint32_t bytes)
{
    uint64_t lines = (l->cfg.region_bytes - bytes) / PLACE_BYTES + 1;
    uint64_t draw = rng_mix(rng_mix((uint64_t)host << 32 | end->qpn) ^ msgno);
    return draw % lines * PLACE_BYTES;
}

static int post(struct host *h, uint32_t e, const struct message *m, bool signalled, tm_ps now)
{
    struct load *l = h->load;
    const struct end *end = &l->end[e];
    struct xp_send_wr wr = {
        .wr_id = l->flow[e].posted,
        .sge = {LOAD_MR_ADDR, m->bytes, h->key},
        .remote_addr = LOAD_MR_ADDR,
        .tag = (uint64_t)m->post_ps,
        .rkey = l->host[end->peer].key,
        .imm = (uint32_t)l->flow[e].posted,
        .msgno = (uint32_t)l->flow[e].posted,
        .op = m->op,
        .swap_or_add = 1,
        .flags = (uint8_t)(m->flags | (signalled ? XP_SIGNALED : 0)),
    };
    if (l->cfg.region_bytes) {
        wr.sge.addr += place_of(l, h->id, end, wr.msgno, m->bytes);
        wr.remote_addr += place_of(l, end->peer, end, wr.msgno, m->bytes);
    }
    if (l->bytes) {
        struct bytes_places p = bytes_places(l->bytes, e, wr.msgno, m->bytes);
        wr.sge.addr = p.local;
        wr.remote_addr = p.remote;
    }
    if (__builtin_expect(l->spoils != NULL, 0))
        spoil_wr(h, e, &wr, now);
    return h->vb.ops->post_send(h->vb.dev, end->qpn, &wr, now);
}

void flow_push(struct host *h, uint32_t e, tm_ps now)
{
    struct load *l = h->load;
    struct flow *f = flow_of(l, e);
    while (l->end[e].state == END_UP && f->next && f->posted - f->done < l->qp.sq_depth) {
        struct message m = h->messages.item[f->next - 1];
        bool signalled = to_signal(l, &l->end[e], f);
        int rc = post(h, e, &m, signalled, now);
        if (rc == XP_ENOMEM)
            return;
        CHECK(rc == XP_OK);
        f->unsignalled = signalled ? 0 : f->unsignalled + 1;
        f->next = m.next;
        f->posted++;
    }
}

uint32_t flow_draw_bytes(struct host *h, uint64_t n)
{
    const struct load_size *s = &h->load->cfg.size;
    uint64_t draw = s->kind == LOAD_SIZE_CDF ? rng_next(&h->rng.size) : 0;
    return (uint32_t)load_size_at(s, draw, n);
}

static struct message next_message(struct host *h, const struct flow *f, tm_ps post_ps)
{
    const struct load_cfg *cfg = &h->load->cfg;
    if (cfg->pattern == LOAD_RPC)
        return (struct message){
            .post_ps = post_ps, .bytes = (uint32_t)cfg->rpc.request_bytes, .op = XP_WR_SEND};
    return (struct message){
        .post_ps = post_ps, .bytes = flow_draw_bytes(h, f->made), .op = (uint8_t)cfg->op};
}

/* A flow that takes another message: the first from one drawn at random on.  False: none does. */
static bool draw_flow(struct host *h, uint32_t *out)
{
    const struct load *l = h->load;
    uint32_t n = h->ends.flow_count, from = (uint32_t)rng_below(&h->rng.whom, n);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t e = l->flow_end[h->ends.flow_first + (from + i) % n];
        *out = e;
        if (l->end[e].state == END_UP && l->flow[e].made < quota_of(l, &l->flow[e]))
            return true;
    }
    return false;
}

static void refill_host(struct host *h, tm_ps now)
{
    struct load *l = h->load;
    uint32_t e;
    while (h->is.started && h->ends.flow_count > 0 && now < l->env.duration_ps &&
           h->messages.listed < l->cfg.host_depth && draw_flow(h, &e)) {
        flow_add(h, e, next_message(h, flow_of(l, e), now), now);
        flow_push(h, e, now);
    }
}

void flow_refill(struct host *h, uint32_t e, tm_ps now)
{
    struct load *l = h->load;
    struct flow *f = flow_of(l, e);
    if (l->cfg.host_depth) {
        flow_push(h, e, now);
        refill_host(h, now);
        return;
    }
    bool closed = l->cfg.load_ppm == 0 && l->cfg.pattern != LOAD_TRACE;
    bool makes = closed && h->is.started && (l->end[e].role & END_FLOW) && l->end[e].state == END_UP;
    uint64_t depth = MIN(l->cfg.depth, l->qp.sq_depth);
    while (makes && f->made - f->first < depth && f->made < quota_of(l, f) &&
           now < l->env.duration_ps)
        flow_add(h, e, next_message(h, f, now), now);
    flow_push(h, e, now);
}

/* ---- starts and arrivals -------------------------------------------------------------------------------- */

static void draw_gap(struct host *h)
{
    const struct load *l = h->load;
    h->arrival_ps =
        tm_add(h->arrival_ps, load_exponential(l->plan.gap_ps256, rng_next(&h->rng.gap)));
    if (h->arrival_ps >= l->env.duration_ps)
        h->arrival_ps = TM_NEVER;
}

static void start(struct host *h, tm_ps now)
{
    struct load *l = h->load;
    h->is.started = true;
    if (l->plan.gap_ps256) {
        h->arrival_ps = h->ends.flow_count ? now : TM_NEVER;
        if (h->ends.flow_count)
            draw_gap(h);
        return;
    }
    if (l->cfg.host_depth) {
        refill_host(h, now);
        return;
    }
    for (uint32_t i = 0; i < h->ends.flow_count; i++)
        flow_refill(h, l->flow_end[h->ends.flow_first + i], now);
}

/* One arrival: its size and flow are drawn even if that flow takes no more. */
static void arrive(struct host *h, tm_ps now)
{
    struct load *l = h->load;
    uint64_t i = rng_below(&h->rng.whom, h->ends.flow_count);
    uint32_t e = l->flow_end[h->ends.flow_first + i];
    struct flow *f = flow_of(l, e);
    struct message m = next_message(h, f, h->arrival_ps);
    draw_gap(h);
    if (l->end[e].state == END_DOWN || f->made >= quota_of(l, f))
        return;
    flow_add(h, e, m, now);
    flow_push(h, e, now);
}

void source_step(struct host *h, tm_ps now)
{
    if (!h->is.started && h->start_ps <= now)
        start(h, now);
    while (h->arrival_ps <= now)
        arrive(h, now);
}

tm_ps source_next(const struct host *h) { return h->is.started ? h->arrival_ps : h->start_ps; }
