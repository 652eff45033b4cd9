/*
 * A trace: flows of one message each, posted at their times on the connection of their pair.
 *
 * With several connections per pair a flow takes the one that has the fewest of its direction so
 * far.  Connections of a host are in order of the peer (walk_trace), so a look-up is a bisection.
 */
#include <glib.h>
#include <stdlib.h>

#include "models/load/host.h"
#include "sim/base/check.h"

struct sortable {
    uint32_t src, index;
    tm_ps start_ps;
};

static int by_source_and_start(const void *a, const void *b)
{
    const struct sortable *x = a, *y = b;
    if (x->src != y->src)
        return x->src < y->src ? -1 : 1;
    if (x->start_ps != y->start_ps)
        return x->start_ps < y->start_ps ? -1 : 1;
    return x->index < y->index ? -1 : x->index > y->index;
}

static uint32_t first_end_to(const struct load *l, uint32_t src, uint32_t dst)
{
    const struct host_ends *of = &l->host[src].ends;
    uint32_t lo = of->first, hi = of->first + of->count;
    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (l->end[mid].peer < dst)
            lo = mid + 1;
        else
            hi = mid;
    }
    CHECK(lo < of->first + of->count && l->end[lo].peer == dst);
    return lo;
}

static uint32_t choose_end(struct load *l, const struct load_flow *flow)
{
    uint32_t first = first_end_to(l, flow->src, flow->dst), best = first;
    for (uint32_t e = first + 1; e < first + l->cfg.qps; e++)
        if (l->flow[e].quota < l->flow[best].quota)
            best = e;
    l->flow[best].quota++;
    return best;
}

void trace_init(struct load *l)
{
    uint32_t n = l->cfg.pattern == LOAD_TRACE ? l->cfg.flow_count : 0;
    struct sortable *s = g_new(struct sortable, n + 1);
    l->trace_order = g_new(uint32_t, n + 1);
    l->trace_end = g_new(uint32_t, n + 1);
    for (uint32_t i = 0; i < n; i++)
        s[i] = (struct sortable){l->cfg.flow[i].src, i, l->cfg.flow[i].start_ps};
    qsort(s, n, sizeof(*s), by_source_and_start);
    for (uint32_t i = 0, h = 0; h < l->env.hosts; h++) {
        struct host_range *r = &l->host[h].trace;
        r->first = r->next = i;
        for (; i < n && s[i].src == h; i++) {
            l->trace_order[i] = s[i].index;
            l->trace_end[i] = choose_end(l, &l->cfg.flow[s[i].index]);
        }
        r->end = i;
    }
    g_free(s);
}

static const struct load_flow *next_flow(const struct host *h)
{
    return &h->load->cfg.flow[h->load->trace_order[h->trace.next]];
}

tm_ps trace_next(const struct host *h)
{
    return h->trace.next < h->trace.end ? next_flow(h)->start_ps : TM_NEVER;
}

void trace_step(struct host *h, tm_ps now)
{
    struct load *l = h->load;
    for (; trace_next(h) <= now; h->trace.next++) {
        const struct load_flow *flow = next_flow(h);
        uint32_t e = l->trace_end[h->trace.next];
        if (l->end[e].state == END_DOWN)
            continue;
        flow_add(h, e,
                 (struct message){.post_ps = flow->start_ps,
                                  .bytes = (uint32_t)flow->bytes,
                                  .op = (uint8_t)l->cfg.op},
                 now);
        flow_push(h, e, now);
    }
}
