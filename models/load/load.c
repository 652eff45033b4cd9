/*
 * The load: one entity a host, which polls, does what is due and says when it wants to run next.
 *
 * Whatever it does may yield completions at once (a post to a QP in error flushes), so it polls
 * again after everything, until nothing is left to do at this time.  The order of the steps is fixed and part of what
 * a seed means.
 */
#include <glib.h>

#include "models/load/host.h"

uint32_t load_entities(uint32_t hosts) { return hosts; }

static tm_ps next_time(const struct host *h)
{
    tm_ps t = tm_min(source_next(h), trace_next(h));
    t = tm_min(t, tm_min(recv_next(h), tm_min(act_next(h), poll_next(h))));
    t = tm_min(t, tm_min(fifo_at(&h->own), fifo_at(&h->mail)));
    if (h->ends.joins)
        t = tm_min(t, join_next(h));
    if (h->sessions)
        t = tm_min(t, sessions_next(h->sessions));
    return tm_min(t, fifo_at(&h->served));
}

static void do_what_is_due(struct host *h, tm_ps now)
{
    act_step(h, now);
    if (h->is.dead)
        return;
    recv_step(h, now);
    reconnect_step(h, now);
    rpc_step(h, now);
    source_step(h, now);
    trace_step(h, now);
}

static tm_ps host_fire(void *self, tm_ps now)
{
    struct host *h = self;
    while (!h->is.dead) {
        tm_ps until = act_after_stop(h, now);
        if (until > now) {
            act_step(h, now);
            return h->is.dead ? TM_NEVER : tm_min(until, act_next(h));
        }
        if (h->ends.joins)
            join_step(h, now);
        if (h->sessions)
            sessions_step(h->sessions, now);
        poll_step(h, now);
        tm_ps next = next_time(h);
        if (next > now)
            return next;
        do_what_is_due(h, now);
    }
    return TM_NEVER;
}

static void host_init(struct load *l, uint32_t id)
{
    struct host *h = &l->host[id];
    const struct load_env *env = &l->env;
    h->load = l;
    h->id = id;
    h->vb = env->vb[id];
    h->meter = env->meter[id];
    h->arrival_ps = h->fill_ps = h->poll_ps = TM_NEVER;
    h->start_ps = tm_add(l->cfg.start_ps, l->cfg.stagger_ps * (tm_ps)id);
    h->rng.size = rng_stream(env->seed, RNG_HOST, id, 1);
    h->rng.gap = rng_stream(env->seed, RNG_HOST, id, 2);
    h->rng.whom = rng_stream(env->seed, RNG_HOST, id, 3);
    h->entity = ev_add(env->ev, env->domain[id], EV_LOAD, host_fire, h);
}

/* First receives, then everyone's first own time. */
static void begin(struct load *l)
{
    for (uint32_t id = 0; id < l->env.hosts; id++) {
        struct host *h = &l->host[id];
        for (uint32_t e = h->ends.first; e < h->ends.first + h->ends.count; e++)
            recv_fill(h, e, 0);
        tm_ps first = next_time(h);
        if (first != TM_NEVER)
            ev_arm(l->env.ev, h->entity, first);
    }
}

struct load *load_new(const struct load_cfg *cfg, const struct load_qp_cfg *qp,
                      const struct load_env *env, const char **why)
{
    *why = setup_refuse(cfg, qp, env);
    if (*why)
        return NULL;
    struct load *l = g_new0(struct load, 1);
    l->cfg = *cfg;
    l->qp = *qp;
    l->env = *env;
    l->domains = ev_domains(env->ev);
    l->host = g_new0(struct host, env->hosts);
    for (uint32_t id = 0; id < env->hosts; id++)
        host_init(l, id);
    act_init(l);
    spoil_init(l);
    *why = setup_build(l);
    if (*why) {
        load_free(l);
        return NULL;
    }
    trace_init(l);
    reconnect_init(l);
    join_init(l);
    begin(l);
    return l;
}

void load_free(struct load *l)
{
    if (!l)
        return;
    for (uint32_t id = 0; id < l->env.hosts; id++) {
        struct host *h = &l->host[id];
        g_free(h->messages.item);
        fifo_fini(&h->reposts);
        fifo_fini(&h->served);
        fifo_fini(&h->own);
        fifo_fini(&h->mail);
    }
    join_fini(l);
    datagrams_end(l);
    setup_free(l);
    reconnect_fini(l);
    g_free(l->trace_order);
    g_free(l->trace_end);
    act_fini(l);
    spoil_fini(l);
    g_free(l->host);
    g_free(l);
}

uint32_t load_entity(const struct load *l, uint32_t host) { return l->host[host].entity; }

void load_settle(struct load *l, tm_ps now)
{
    for (uint32_t id = 0; id < l->env.hosts; id++) {
        const struct host *h = &l->host[id];
        for (uint32_t i = 0; i < h->ends.flow_count; i++) {
            const struct flow *f = &l->flow[l->flow_end[h->ends.flow_first + i]];
            if (f->head)
                meter_stalled(h->meter, f->progress_ps, now);
        }
    }
}

/* ---- rows ------------------------------------------------------------------------------------------- */

uint32_t load_qp_count(const struct load *l) { return l->ends; }

/* The host whose ends hold index i: the last one that begins at or before it. */
static uint32_t host_of_end(const struct load *l, uint32_t i)
{
    uint32_t lo = 0, hi = l->env.hosts;
    while (hi - lo > 1) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (l->host[mid].ends.first <= i)
            lo = mid;
        else
            hi = mid;
    }
    return lo;
}

void load_qp_row(const struct load *l, uint32_t i, struct load_qp_row *out)
{
    const struct end *end = &l->end[i];
    const struct flow *f = &l->flow[i];
    *out = (struct load_qp_row){
        .host = host_of_end(l, i),
        .qpn = end->qpn,
        .peer = end->peer,
        .peer_qpn = load_qp_halves(&l->qp) > 1 ? halves_serving(end->peer_qpn) : end->peer_qpn,
        .serving_qpn = load_qp_halves(&l->qp) > 1 ? halves_serving(end->qpn) : 0,
        .posted = f->made,
        .succeeded = f->succeeded,
        .first_error = f->error.status,
        .first_vendor_err = f->error.vendor_err,
        .first_error_wr = f->error.wr,
        .first_error_ps = f->error.at,
        .is_flow = (end->role & END_FLOW) != 0,
    };
    const struct host *peer = &l->host[end->peer];
    uint32_t there = l->end[end->peer_end].qpn;
    if (peer->sessions) {
        struct sessions_got got = sessions_got(peer->sessions, there);
        out->got_messages = got.messages;
        out->got_bytes = got.bytes;
        out->got_end = UINT64_MAX;
    } else if (peer->ends.udends) {
        struct udends_got got = udends_got(peer->ends.udends, there);
        out->got_messages = got.messages;
        out->got_bytes = got.bytes;
        out->got_end = got.end;
    } else {
        return;
    }
    struct xp_qp_query q = {0};
    struct vb vb = l->host[out->host].vb;
    vb.ops->qp_query(vb.dev, end->qpn, &q);
    out->is_session = true;
    out->session_state = q.state;
    out->session_service = load_qp_service_name(&l->qp);
}
