/*
 * One run, assembled: engine, fabric, HCAs, load; then the clock; then the figures.
 *
 * Entities are added in one fixed order (fabric, HCAs by host, load by host), so that their ids, and
 * with them the order of events, are the same for any number of domains.
 *
 * Left out: how figures follow from counts (collect.c), files on request (observe.c).
 */
#include "scenarios/run/world.h"

#include <glib.h>
#include <inttypes.h>
#include <string.h>

#include "models/verbs/vb.h"
#include "scenarios/run/clock.h"
#include "scenarios/run/collect.h"
#include "scenarios/run/counters.h"
#include "scenarios/run/observe.h"
#include "scenarios/run/run_progress.h"
#include "scenarios/run/ports.h"
#include "scenarios/run/series.h"
#include "sim/base/check.h"

#define ADDRESSES_MAX ((size_t)1 << 46) /* half of what a process has */
/* Waiting at one active QP: the core bounds acknowledgements at 64, then READs and a last NAK come. */
#define ANSWERS_PER_QP 66
#define QP_END_BYTES 100u /* at rest; what traffic adds comes on top */
#define HOST_BYTES 32768u

/* Packets that one host keeps out of order. */
#define HOLD_MAX 65536u

static struct xp_limits core_limits(const struct load_need *need, const struct scenario *s)
{
    const struct xp_profile *p = &s->hca.xp;
    uint32_t rd_atomic = xp_rd_atomic(p, s->qp.max_dest_rd_atomic);
    struct xp_limits lim = {
        .qp = need->qps_host_max + 1,
        .cq = 4,
        .mr = 4,
        .send_wqe = (uint32_t)MIN(need->send_wqe_host_max + 1, UINT32_MAX / 4),
        .recv_wqe = (uint32_t)MIN(need->recv_wqe_host_max + 1, UINT32_MAX / 4),
        .active = need->active_host_max + 1,
        .attr_set = 256,
        .resource = (uint32_t)MIN((uint64_t)(need->qps_host_max + 1) * rd_atomic, UINT32_MAX / 4),
        .srq = (uint32_t)need->srqs_host_max,
    };
    if (p->recovery == XP_SELECTIVE)
        lim.hold = (uint32_t)MIN((uint64_t)lim.active * p->irn.bdp_cap_packets, HOLD_MAX);
    lim.cqe = lim.send_wqe + lim.recv_wqe + 16;
    lim.answer = (uint32_t)MIN((uint64_t)lim.active * (ANSWERS_PER_QP + rd_atomic), UINT32_MAX / 4);
    return lim;
}

/* Depths and counts that are each allowed may ask together for more than there can be. */
static bool core_fits(const struct load_need *need, const struct scenario *s, struct sc_error *err)
{
    struct xp_limits lim = core_limits(need, s);
    size_t bytes = xp_size(&lim);
    if (bytes > 0 && bytes <= ADDRESSES_MAX / s->fabric.hosts)
        return true;
    g_snprintf(err->text, sizeof err->text,
               "%u hosts with up to %u QPs of these depths do not fit the address space; lower "
               "fabric.hosts, workload.qps, qp.sq_depth or qp.rq_depth",
               s->fabric.hosts, lim.qp - 1);
    return false;
}

/* Better said before than after the machine has been driven out of memory. */
static bool memory_fits(const struct scenario *s, struct sc_error *err)
{
    uint64_t ends = load_ends_bound(&s->load, s->fabric.hosts);
    unsigned __int128 bytes =
        (unsigned __int128)ends * QP_END_BYTES + (uint64_t)s->fabric.hosts * HOST_BYTES;
    uint64_t memory = clock_memory_bytes();

    if (bytes <= memory)
        return true;
    g_snprintf(err->text, sizeof err->text,
               "%u hosts with %" PRIu64 " QP ends take at least %" PRIu64
               " GiB, and this machine has %" PRIu64 "; lower fabric.hosts or workload.qps",
               s->fabric.hosts, ends, (uint64_t)(bytes >> 30), memory >> 30);
    return false;
}

static void world_meters(struct world *w, const struct scenario *s)
{
    w->meter_of_host = g_new0(struct meter *, w->hosts);
    w->domain_of_host = g_new0(uint32_t, w->hosts);
    w->meter = g_new0(struct meter, w->domains);
    for (uint32_t d = 0; d < w->domains; d++)
        meter_init(&w->meter[d], s->warmup_ps, s->bucket_edge_bytes, s->bucket_count);
    for (uint32_t h = 0; h < w->hosts; h++) {
        w->domain_of_host[h] = fab_domain(w->fab, h);
        w->meter_of_host[h] = &w->meter[w->domain_of_host[h]];
    }
}

static bool world_hcas(struct world *w, const struct scenario *s, const struct load_need *need,
                       struct sc_error *err)
{
    struct xp_limits lim = core_limits(need, s);
    const struct hca_tap *tap = observe_hca_tap(w->observe);
    struct hca_cfg cfg = s->hca;

    cfg.encap = s->fabric.encap;
    cfg.cost.read_slots = MAX(1, MAX(s->qp.max_rd_atomic, s->qp.max_dest_rd_atomic));
    w->hca = g_new0(struct hca *, w->hosts);
    w->vb = g_new0(struct vb, w->hosts);
    for (uint32_t h = 0; h < w->hosts; h++) {
        w->hca[h] = hca_new(&cfg, h, &lim, w->fab, w->ev, w->meter_of_host[h], s->slowdown,
                            s->qp.mtu, w->seed, tap);
        if (!w->hca[h]) {
            g_snprintf(
                err->text, sizeof err->text,
                "the system gives no memory for host %u of %u; lower fabric.hosts or the depths", h,
                w->hosts);
            return false;
        }
        w->vb[h] = vb_of_hca(w->hca[h]);
    }
    return true;
}

static bool world_load(struct world *w, const struct scenario *s, struct sc_error *err)
{
    const char *why = "";
    struct load_env env = {
        .ev = w->ev,
        .hosts = w->hosts,
        .vb = w->vb,
        .meter = w->meter_of_host,
        .domain = w->domain_of_host,
        .link_rate_bps = s->fabric.rate_bps,
        .seed = w->seed,
        .duration_ps = s->duration_ps,
        .act = s->act,
        .act_count = s->act_count,
    };
    observe_load(w->observe, &env);
    w->load = load_new(&s->load, &s->qp, &env, &why);
    if (!w->load) {
        g_snprintf(err->text, sizeof err->text, "the load cannot be set up: %s", why);
        return false;
    }
    for (uint32_t h = 0; h < w->hosts; h++) {
        struct hca_head head;
        hca_set_notify(w->hca[h], load_entity(w->load, h));
        if (load_head(w->load, h, &head))
            hca_set_head(w->hca[h], &head);
        struct hca_bytes bytes;
        if (load_bytes(w->load, h, &bytes))
            hca_set_bytes(w->hca[h], &bytes);
    }
    return true;
}

static bool world_build(struct world *w, const struct scenario *s, const struct run_options *o,
                        struct sc_error *err)
{
    if (!memory_fits(s, err))
        return false;
    struct load_need need = load_need(&s->load, &s->qp, s->fabric.hosts);
    if (!core_fits(&need, s, err))
        return false;
    w->hosts = s->fabric.hosts;
    w->domains = MIN(o->domains, w->hosts);
    w->seed = o->seed;
    w->quiet = s->duration_ps == TM_NEVER;
    w->observe = observe_new(o, s->fabric.encap, err);
    if (!w->observe)
        return false;
    w->ev = ev_new(fab_entities(&s->fabric) + w->hosts * hca_entities(&s->hca) + load_entities(w->hosts) +
                       2 * s->inject.count + 16,
                   w->domains);
    w->fab = fab_new(&s->fabric, s->hca.tx_delay_ps, s->hca.rx_delay_ps, &s->inject, w->ev, w->seed,
                     observe_fab_tap(w->observe));
    world_meters(w, s);
    return world_hcas(w, s, &need, err) && world_load(w, s, err);
}

static void world_free(struct world *w)
{
    if (w->load)
        load_free(w->load);
    for (uint32_t h = 0; w->hca && h < w->hosts; h++)
        hca_free(w->hca[h]);
    if (w->fab)
        fab_free(w->fab);
    if (w->ev)
        ev_free(w->ev);
    for (uint32_t d = 0; w->meter && d < w->domains; d++)
        meter_fini(&w->meter[d]);
    if (w->observe)
        observe_free(w->observe);
    g_free(w->hca);
    g_free(w->vb);
    g_free(w->meter);
    g_free(w->meter_of_host);
    g_free(w->domain_of_host);
}

/* A pool that ran out makes the run void: say which, and on which host. */
static bool world_pools_held(const struct world *w, struct sc_error *err)
{
    for (uint32_t h = 0; h < w->hosts; h++) {
        const char *pool = hca_exhausted(w->hca[h]);
        if (pool) {
            g_snprintf(
                err->text, sizeof err->text,
                "host %u ran out of its pool '%s'; the run is void (please report the scenario)", h,
                pool);
            return false;
        }
    }
    return true;
}

static void world_performance(const struct world *w, double user_before_s,
                              struct run_performance *p)
{
    struct fab_counts counts;

    fab_counts(w->fab, &counts);
    p->run_user_s = clock_user_s() - user_before_s;
    p->events = ev_count(w->ev);
    p->packet_hops = counts.arrived;
    p->endpoint_packets = collect_endpoint_packets(w);
    p->peak_rss_bytes = clock_peak_rss_bytes();
}

struct shown {
    const struct world *w;
    tm_ps duration_ps;
    double messages; /* that the run will deliver; 0: not known */
};

/* Of the duration, or of the messages. */
static double share_done(void *self)
{
    const struct shown *s = self;
    uint64_t delivered = 0;

    if (!s->w->quiet)
        return (double)ev_now(s->w->ev) / (double)s->duration_ps;
    for (uint32_t d = 0; d < s->w->domains; d++)
        delivered += s->w->meter[d].n.messages_delivered;
    return s->messages > 0 ? MIN((double)delivered / s->messages, 1) : -1;
}

static double messages_expected(const struct scenario *s)
{
    if (s->load.pattern == LOAD_TRACE)
        return s->load.flow_count;
    struct load_need need = load_need(&s->load, &s->qp, s->fabric.hosts);
    return (double)need.flows * (double)s->load.messages;
}

static enum run_outcome world_run(const struct world *w, const struct scenario *s,
                                  const struct run_options *o, struct sc_error *err)
{
    tm_ps until = w->quiet ? TM_NEVER - 1 : s->duration_ps;

    if (o->dir && o->series_ps)
        return series_run(w, until, o, err);
    if (!o->progress)
        return ev_run(w->ev, until, o->stop) ? RUN_DONE : RUN_STOPPED;
    struct shown shown = {w, s->duration_ps, w->quiet ? messages_expected(s) : 0};
    return run_progress(w->ev, until, o->stop, share_done, &shown) ? RUN_DONE : RUN_STOPPED;
}

static bool world_files(const struct world *w, const struct scenario *s,
                        const struct run_options *o, struct sc_error *err)
{
    return observe_finish(w->observe, w, err) &&
           (!o->dir || !o->ports || ports_write(w, s, o->dir, err)) &&
           (!o->dir || !o->counters || counters_write(w, o->dir, err));
}

enum run_outcome run_scenario(const struct scenario *s, const struct run_options *o,
                              struct metrics *m, uint64_t *inject_fired,
                              struct run_performance *perf, struct sc_error *err)
{
    struct world w = {0};
    enum run_outcome outcome = RUN_FAILED;
    double wall = clock_wall_s(), user = clock_user_s();

    memset(perf, 0, sizeof *perf);
    if (world_build(&w, s, o, err)) {
        double before = clock_user_s();
        perf->built_rss_bytes = clock_rss_bytes();
        enum run_outcome ended = world_run(&w, s, o, err);
        world_performance(&w, before, perf);
        if (ended == RUN_FAILED || world_pools_held(&w, err))
            outcome = ended;
        if (outcome == RUN_DONE) {
            load_settle(w.load, s->duration_ps == TM_NEVER ? ev_now(w.ev) : s->duration_ps);
            collect_metrics(&w, s, m);
            if (inject_fired) {
                fab_inject_fired(w.fab, inject_fired);
                load_acts_fired(w.load, inject_fired + s->inject.count);
            }
            if (!world_files(&w, s, o, err))
                outcome = RUN_FAILED;
        }
    }
    world_free(&w);
    perf->wall_s = clock_wall_s() - wall;
    perf->user_s = clock_user_s() - user;
    return outcome;
}
