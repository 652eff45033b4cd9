/*
 * From a configuration to connected QPs: layout, device objects, the path RESET to RTS.
 *
 * Which attributes a service wants and whether it acknowledges is asked of the core's life cycle, what
 * it offers of a QP: a new service needs nothing here.  Arrays have their exact sizes, and those that
 * grow with QPs are reserved without backing, so an idle QP costs its `struct end` alone.
 */
#include <glib.h>
#include <sys/mman.h>

#include "models/load/bytes.h"
#include "models/load/host.h"
#include "sim/base/check.h"

/* Far enough that packets of the old connection, still under way, fit nowhere in the new one. */
#define PSN_STEP_PER_GENERATION (1u << 22)
#define MESSAGE_BYTES_MAX (1ull << 31)
#define ACCESS_ALL (XP_LOCAL_WRITE | XP_REMOTE_WRITE | XP_REMOTE_READ | XP_REMOTE_ATOMIC)

/* ---- refusals -------------------------------------------------------------------------------------- */

static uint32_t wanted(enum xp_service_id s, enum xp_state from, enum xp_state to)
{
    return XP_A_STATE | xp_transition_check(s, from, to, XP_A_STATE).missing;
}

/* Who has the connection: the context, if QPs send through one. */
static enum xp_service_id connection_of(enum xp_service_id s)
{
    enum xp_service_id context = s;
    return xp_service_context(s, &context) ? context : s;
}

/* A service that waits for acknowledgements is asked for how long. */
bool load_is_acked(enum xp_service_id s)
{
    return wanted(connection_of(s), XP_RTR, XP_RTS) & XP_A_TIMEOUT;
}

bool load_is_connected(enum xp_service_id s)
{
    return wanted(connection_of(s), XP_INIT, XP_RTR) & XP_A_DEST_QP;
}

bool load_qp_is_joined(const struct load_qp_cfg *qp)
{
    return !qp->udack.on && connection_of(qp->service) != qp->service;
}

bool load_qp_is_acked(const struct load_qp_cfg *qp)
{
    return qp->udack.on || load_is_acked(qp->service);
}

static const char *refuse_operation(const struct load_cfg *cfg, const struct load_qp_cfg *qp)
{
    if (cfg->pattern == LOAD_RPC)
        return load_qp_is_acked(qp)
                   ? NULL
                   : "pattern rpc needs a service that acknowledges and keeps order";
    bool is_atomic = cfg->op == XP_WR_CMP_SWAP || cfg->op == XP_WR_FETCH_ADD;
    if (is_atomic && !(cfg->size.kind == LOAD_SIZE_FIXED && cfg->size.bytes[0] == 8))
        return "atomics are of 8 bytes; give size = 8";
    if (cfg->op == XP_WR_SEND_INV)
        return "this operation is not among those that a load can post";
    return NULL;
}

static uint64_t longest_bytes(const struct load_cfg *cfg)
{
    uint64_t most = cfg->pattern == LOAD_TRACE ? 0 : load_size_max(&cfg->size);
    if (cfg->pattern == LOAD_TRACE)
        for (uint32_t i = 0; i < cfg->flow_count; i++)
            most = MAX(most, cfg->flow[i].bytes);
    return most;
}

static const char *refuse_amounts(const struct load_cfg *cfg, const struct load_qp_cfg *qp,
                                  tm_ps duration_ps)
{
    bool endless = cfg->messages == 0 && cfg->pattern != LOAD_TRACE;
    if (endless && duration_ps == TM_NEVER)
        return "neither a number of messages nor a duration bounds the load";
    if (cfg->load_ppm > 0 && duration_ps == TM_NEVER)
        return "an open-loop load needs a duration";
    if (cfg->qps == 0 || qp->sq_depth == 0 || qp->rq_depth == 0)
        return "qps, sq_depth and rq_depth must be above 0";
    if (qp->srq && (qp->udack.on || !load_is_connected(qp->service) || qp->srq_depth == 0))
        return "a shared receive queue is for services that connect, and of a depth above 0";
    if (!qp->srq && load_qp_halves(qp) > 1)
        return "the service's receives come from a shared receive queue alone";
    if (load_qp_is_joined(qp) && (qp->srq || cfg->retry.on_error == LOAD_RECONNECT))
        return "QPs that share contexts have receives of their own, and no connection to make anew";
    if (cfg->host_depth && (cfg->load_ppm > 0 || cfg->pattern == LOAD_TRACE ||
                            cfg->pattern == LOAD_RPC || cfg->signal_every > 1))
        return "host_depth is for closed loops whose every request is signalled";
    if (cfg->region_bytes && (cfg->region_bytes < longest_bytes(cfg) ||
                              cfg->payload == LOAD_PAYLOAD_VERIFY || cfg->pattern == LOAD_RPC))
        return "a region holds the longest message, and neither rpc nor verified payload";
    if (cfg->load_ppm == 0 && cfg->depth == 0)
        return "a closed loop needs a depth above 0";
    if (cfg->retry.on_error == LOAD_RECONNECT && load_recovery_least_ps(&cfg->retry) <= 0)
        return "the time to reconnect must be above 0";
    if (cfg->connect.mode == LOAD_CONNECT_SIMULATED &&
        (!load_is_connected(qp->service) || load_qp_halves(qp) > 1 || load_qp_is_joined(qp)))
        return "connection management is for services that connect one QP with another";
    if (load_size_max(&cfg->size) > MESSAGE_BYTES_MAX ||
        cfg->rpc.request_bytes > MESSAGE_BYTES_MAX || cfg->rpc.response_bytes > MESSAGE_BYTES_MAX)
        return "a message is longer than 2^31 bytes";
    return NULL;
}

static const char *refuse_flows(const struct load_cfg *cfg, uint32_t hosts)
{
    for (uint32_t i = 0; i < cfg->flow_count; i++) {
        const struct load_flow *f = &cfg->flow[i];
        if (f->src >= hosts || f->dst >= hosts || f->src == f->dst)
            return "a trace flow's hosts are the same or not there";
        if (f->bytes > MESSAGE_BYTES_MAX)
            return "a trace flow is longer than 2^31 bytes";
    }
    return NULL;
}

static bool fits_datagram(const struct load_cfg *cfg, uint64_t mtu)
{
    const struct load_size *s = &cfg->size;
    for (uint32_t i = 0; i < cfg->flow_count; i++)
        if (cfg->flow[i].bytes == 0 || cfg->flow[i].bytes > mtu)
            return false;
    if (cfg->pattern == LOAD_TRACE)
        return true;
    for (uint32_t i = 0; s->kind != LOAD_SIZE_CDF && i < s->count; i++)
        if (s->bytes[i] == 0)
            return false;
    return load_size_max(s) <= mtu;
}

const char *setup_refuse(const struct load_cfg *cfg, const struct load_qp_cfg *qp,
                         const struct load_env *env)
{
    bool star = cfg->pattern == LOAD_INCAST || cfg->pattern == LOAD_RPC;
    if (env->hosts < 2)
        return "a load needs two hosts";
    if (star && cfg->target >= env->hosts)
        return "the target is not there";
    for (uint32_t i = 0; i < env->act_count; i++) {
        if (env->act[i].host >= env->hosts)
            return "an event names a host that is not there";
        if (env->act[i].kind == LOAD_ACT_DESTROY && (qp->udack.on || load_qp_is_datagram(qp)))
            return "an event destroys a QP, and flows of datagrams have none each";
    }
    const char *why = refuse_operation(cfg, qp);
    if (!why)
        why = refuse_amounts(cfg, qp, env->duration_ps);
    if (!why && qp->udack.on)
        why = datagrams_refuse(cfg, qp, env->hosts);
    if (!why && load_qp_is_datagram(qp) && !fits_datagram(cfg, qp->mtu))
        why = "a datagram has 1 byte to an mtu";
    if (!why && cfg->payload == LOAD_PAYLOAD_VERIFY)
        why = load_payload_refuse(cfg, qp, env->hosts);
    if (!why && cfg->pattern == LOAD_TRACE)
        why = refuse_flows(cfg, env->hosts);
    return why;
}

/* ---- plan ------------------------------------------------------------------------------------------- */

/* Payload that one arrival stands for. */
static uint64_t mean_bytes(const struct load_cfg *cfg)
{
    if (cfg->pattern != LOAD_RPC)
        return load_size_mean(&cfg->size);
    uint64_t data = cfg->rpc.data == LOAD_RPC_NONE ? 0 : load_size_mean(&cfg->size);
    return cfg->rpc.request_bytes + cfg->rpc.response_bytes + data;
}

/* Mean time between a host's arrivals: 8 * bytes / (rate * load), in 1/256 ps; 0: out of range. */
static uint64_t mean_gap_ps256(const struct load *l)
{
    unsigned __int128 bits = (unsigned __int128)mean_bytes(&l->cfg) * 8u;
    unsigned __int128 rate_ppm = (unsigned __int128)l->env.link_rate_bps * l->cfg.load_ppm;
    unsigned __int128 gap = bits * 1000000000000000000u * 256u / rate_ppm;
    return gap >> 62 ? 0 : (uint64_t)gap;
}

/* Sessions need to be told of a state, and of the peer on the way. */
static void ask_masks(struct load *l)
{
    static const enum xp_state path[4] = {XP_RESET, XP_INIT, XP_RTR, XP_RTS};
    for (int i = 0; i < 3; i++)
        l->plan.mask[i] = l->qp.udack.on || load_qp_is_datagram(&l->qp)
                              ? XP_A_STATE | XP_A_AV | XP_A_DEST_QP
                              : wanted(l->qp.service, path[i], path[i + 1]);
}

static const char *make_plan(struct load *l)
{
    const struct load_cfg *cfg = &l->cfg;
    bool rpc = cfg->pattern == LOAD_RPC;
    struct load_need need = load_need(cfg, &l->qp, l->env.hosts);
    uint64_t longest = longest_bytes(cfg);
    ask_masks(l);
    l->plan.recv_bytes[0] = (uint32_t)(rpc ? cfg->rpc.response_bytes : longest);
    l->plan.recv_bytes[1] = (uint32_t)cfg->rpc.request_bytes;
    l->plan.region_bytes = MAX(MAX(MAX(longest, 1), cfg->region_bytes),
                               MAX(cfg->rpc.request_bytes, cfg->rpc.response_bytes));
    l->plan.cq_depth = (uint32_t)MIN(need.send_wqe_host_max + need.recv_wqe_host_max, UINT32_MAX);
    if (cfg->load_ppm == 0)
        return NULL;
    l->plan.gap_ps256 = mean_gap_ps256(l);
    return l->plan.gap_ps256 ? NULL : "the offered load makes no message, or one in years";
}

/* ---- layout ------------------------------------------------------------------------------------------ */

static void *reserve(size_t count, size_t size)
{
    void *p = mmap(NULL, (count + 1) * size, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    CHECK(p != MAP_FAILED);
    return p;
}

static void count_conn(void *self, const struct conn *c)
{
    struct load *l = self;
    uint8_t a, b;
    conn_roles(&l->cfg, c, &a, &b);
    l->host[c->a].ends.count++;
    l->host[c->b].ends.count++;
    l->host[c->a].ends.flow_count += (a & END_FLOW) != 0;
    l->host[c->b].ends.flow_count += (b & END_FLOW) != 0;
}

static uint32_t add_end(struct load *l, uint32_t host, uint8_t role)
{
    struct host_ends *of = &l->host[host].ends;
    uint32_t e = of->first + of->count++;
    l->end[e].role = role;
    if (role & END_FLOW)
        l->flow_end[of->flow_first + of->flow_count++] = e;
    return e;
}

static void place_conn(void *self, const struct conn *c)
{
    struct load *l = self;
    uint8_t role_a, role_b;
    conn_roles(&l->cfg, c, &role_a, &role_b);
    uint32_t a = add_end(l, c->a, role_a | END_ASKS), b = add_end(l, c->b, role_b);
    l->end[a].peer = c->b;
    l->end[a].peer_end = b;
    l->end[b].peer = c->a;
    l->end[b].peer_end = a;
}

static void lay_out(struct load *l)
{
    conn_each(&l->cfg, l->env.hosts, l->env.seed, count_conn, l);
    for (uint32_t h = 0; h < l->env.hosts; h++) {
        struct host_ends *of = &l->host[h].ends;
        of->first = l->ends;
        of->flow_first = l->flows;
        l->ends += of->count;
        l->flows += of->flow_count;
        of->count = of->flow_count = 0;
    }
    l->end = reserve(l->ends, sizeof(*l->end));
    l->flow = reserve(l->ends, sizeof(*l->flow));
    l->flow_end = reserve(l->flows, sizeof(*l->flow_end));
    conn_each(&l->cfg, l->env.hosts, l->env.seed, place_conn, l);
}

/* ---- devices ------------------------------------------------------------------------------------------- */

int setup_qp(struct load *l, struct host *h, uint32_t e)
{
    struct xp_qp_init init = {.service = l->qp.service,
                              .pd = LOAD_PD,
                              .send_cq = h->cq,
                              .recv_cq = h->cq,
                              .sq_depth = l->qp.sq_depth,
                              .rq_depth = h->ends.srq ? 0 : l->qp.rq_depth,
                              .srq = h->ends.srq};
    return h->vb.ops->qp_create(h->vb.dev, &init, &l->end[e].qpn);
}

/* Both sides count from the same PSN; a connection made anew starts a stretch further. */
struct xp_qp_attr setup_attributes(const struct load *l, uint32_t e)
{
    const struct end *end = &l->end[e];
    const struct load_qp_cfg *qp = &l->qp;
    uint32_t lower = MIN(e, end->peer_end);
    struct psn24 first = psn(qp->sq_psn + PSN_STEP_PER_GENERATION * end->generation);
    return (struct xp_qp_attr){
        .path = {(uint16_t)end->peer, (uint16_t)(0xc000u | (rng_mix(lower) & 0x3fffu))},
        .dest_qp = end->peer_qpn,
        .rq_psn = first,
        .sq_psn = first,
        .access = ACCESS_ALL,
        .path_mtu = qp->mtu,
        .pkey = 0xffff,
        .port = 1,
        .timeout = qp->timeout,
        .retry_cnt = qp->retry_cnt,
        .rnr_retry = qp->rnr_retry,
        .min_rnr_timer = qp->min_rnr_timer,
        .max_rd_atomic = qp->max_rd_atomic,
        .max_dest_rd_atomic = qp->max_dest_rd_atomic,
    };
}

int setup_move(struct load *l, struct host *h, uint32_t e, struct xp_qp_attr *attr,
               enum xp_state to, tm_ps now)
{
    attr->state = to;
    return h->vb.ops->qp_modify(h->vb.dev, l->end[e].qpn, attr, l->plan.mask[to - XP_INIT], now);
}

int setup_connect(struct load *l, struct host *h, uint32_t e, tm_ps now)
{
    static const enum xp_state path[3] = {XP_INIT, XP_RTR, XP_RTS};
    struct xp_qp_attr attr = setup_attributes(l, e);
    for (int i = 0; i < 3; i++) {
        int rc = setup_move(l, h, e, &attr, path[i], now);
        if (rc != XP_OK)
            return rc;
    }
    return XP_OK;
}

static bool cfg_moves(const struct load *l) { return l->cfg.payload == LOAD_PAYLOAD_VERIFY; }

uint64_t setup_region(const struct load *l, const struct host *h)
{
    return cfg_moves(l) ? bytes_region(&l->cfg, &l->qp, h->ends.count) : l->plan.region_bytes;
}

/* The host's memory; and once more, as a region that gives no rights, if somebody wants to use that. */
static const char *make_regions(struct load *l, struct host *h)
{
    uint64_t bytes = setup_region(l, h);
    const struct vb_ops *ops = h->vb.ops;
    int rc = ops->mr_add(h->vb.dev, LOAD_PD, LOAD_MR_ADDR, bytes, ACCESS_ALL, &h->key);
    if (rc == XP_OK && spoil_wants_bare(&l->env))
        rc = ops->mr_add(h->vb.dev, LOAD_PD, LOAD_MR_ADDR, bytes, 0, &h->bare_key);
    return rc == XP_OK ? NULL : "the device refused a memory region";
}

static const char *make_objects(struct load *l, struct host *h)
{
    if (h->ends.count == 0)
        return NULL;
    bool plain = load_qp_is_datagram(&l->qp);
    enum xp_service_id other;
    if (load_qp_halves(&l->qp) > 1 && xp_service_served_by(l->qp.service, &other)) {
        h->ends.halves = halves_new(h->vb, l->qp.service, other);
        h->vb = halves_vb(h->ends.halves);
    }
    if (xp_service_context(l->qp.service, &other) && load_qp_is_joined(&l->qp)) {
        struct contexts_cfg cfg = {l->qp.service, other, h->id, l->env.hosts, h->ends.count};
        h->ends.contexts = contexts_new(h->vb, &cfg);
        if (!h->ends.contexts)
            return "the device refused an EE context";
        h->vb = contexts_vb(h->ends.contexts);
    }
    const char *why = l->qp.udack.on ? datagrams_begin(l, h)
                      : plain        ? datagrams_begin_plain(l, h)
                                     : NULL;
    if (why)
        return why;
    if (h->vb.ops->cq_create(h->vb.dev, l->plan.cq_depth, &h->cq) != XP_OK)
        return "the device refused a completion queue";
    const char *trouble = make_regions(l, h);
    if (trouble)
        return trouble;
    struct xp_srq_init srq = {.pd = LOAD_PD, .depth = l->qp.srq_depth};
    if (plain)
        srq.depth = l->qp.rq_depth;
    if ((l->qp.srq || plain) && h->vb.ops->srq_create(h->vb.dev, &srq, &h->ends.srq) != XP_OK)
        return "the device refused a shared receive queue";
    for (uint32_t i = 0; i < h->ends.count; i++)
        if (setup_qp(l, h, h->ends.first + i) != XP_OK)
            return "the device refused a QP";
    h->ends.first_qpn = l->end[h->ends.first].qpn;
    return NULL;
}

/* Does the device offer the operation on this service?  A QP in RESET refuses, and says why. */
static bool offers(const struct load *l, const struct host *h, enum xp_wr_op op)
{
    struct xp_send_wr wr = {.op = (uint8_t)op};
    return h->vb.ops->post_send(h->vb.dev, l->end[h->ends.first].qpn, &wr, 0) != XP_EOPNOTSUPP;
}

static const char *ask_operations(const struct load *l, const struct host *h)
{
    if (l->cfg.pattern != LOAD_RPC)
        return offers(l, h, l->cfg.op) ? NULL : "the service does not offer the operation";
    if (l->cfg.rpc.data == LOAD_RPC_WRITE && !offers(l, h, XP_WR_WRITE))
        return "rpc data = write: the service does not offer WRITE";
    if (l->cfg.rpc.data == LOAD_RPC_READ && !offers(l, h, XP_WR_READ))
        return "rpc data = read: the service does not offer READ";
    return NULL;
}

/* As far as a QP goes on its own; the rest is connection management's. */
static const char *ready_ends(struct load *l, struct host *h)
{
    for (uint32_t e = h->ends.first; e < h->ends.first + h->ends.count; e++) {
        struct xp_qp_attr attr = setup_attributes(l, e);
        l->end[e].state = END_JOINING;
        if (setup_move(l, h, e, &attr, XP_INIT, 0) != XP_OK)
            return "the device refused the QP attributes";
    }
    return NULL;
}

static const char *connect_ends(struct load *l, struct host *h)
{
    if (l->cfg.connect.mode == LOAD_CONNECT_SIMULATED)
        return ready_ends(l, h);
    for (uint32_t e = h->ends.first; e < h->ends.first + h->ends.count; e++) {
        l->end[e].peer_qpn = l->end[l->end[e].peer_end].qpn;
        if (setup_connect(l, h, e, 0) != XP_OK)
            return "the device refused the QP attributes";
    }
    return NULL;
}

const char *setup_build(struct load *l)
{
    const char *why = make_plan(l);
    if (why)
        return why;
    lay_out(l);
    if (cfg_moves(l))
        l->bytes = bytes_new(l);
    for (uint32_t h = 0; !why && h < l->env.hosts; h++)
        why = make_objects(l, &l->host[h]);
    for (uint32_t h = 0; !why && h < l->env.hosts; h++)
        if (l->host[h].ends.count)
            why = ask_operations(l, &l->host[h]);
    for (uint32_t h = 0; !why && h < l->env.hosts; h++)
        why = connect_ends(l, &l->host[h]);
    for (uint32_t i = 0; !why && i < l->env.act_count; i++) {
        const struct load_act *act = &l->env.act[i];
        if (act->kind == LOAD_ACT_DESTROY &&
            act->qp >= load_host_qps(&l->cfg, l->env.hosts, act->host))
            why = "destroy names a QP that is not there";
    }
    return why;
}

void setup_free(struct load *l)
{
    bytes_free(l->bytes);
    if (!l->end)
        return;
    munmap(l->end, ((size_t)l->ends + 1) * sizeof(*l->end));
    munmap(l->flow, ((size_t)l->ends + 1) * sizeof(*l->flow));
    munmap(l->flow_end, ((size_t)l->flows + 1) * sizeof(*l->flow_end));
}
