/*
 * What depends on more than one key: contradictions, values that do not fit each other, runs that
 * would never end.
 *
 * One function a rule; the message stands at the key that the user most likely wants to change and names
 * the other.
 */
#include <string.h>

#include "scenarios/reader/resolve.h"

typedef bool check_fn(struct resolving *r);

#define QPS_HOST_MAX ((1u << 24) - 2) /* numbers 0 and 1 are taken */

/* Time and counts as they read best. */
static const char *time_text(tm_ps t, char out[40])
{
    value_print_unit((uint64_t)t, &unit_time, false, out, 40);
    return out;
}

/* ---- fabric ---------------------------------------------------------------------------------------------- */

static bool check_loss(struct resolving *r)
{
    const struct loss_cfg *c = &r->s.fabric.loss;
    const char *why = loss_refuse(c, r->s.fabric.loss_threshold);
    if (why && c->burst_milli)
        return resolve_fail(r, "fabric.loss.rate",
                            "%s; give it between fabric.loss.good and fabric.loss.bad, or a longer "
                            "fabric.loss.burst",
                            why);
    if (why)
        return resolve_fail(r, "fabric.loss.r", "%s; give more than 0", why);
    return true;
}

/* ---- time ------------------------------------------------------------------------------------------------ */

static bool check_warmup(struct resolving *r)
{
    char a[40], b[40];
    if (r->s.warmup_ps > 0 && r->s.warmup_ps >= r->s.duration_ps)
        return resolve_fail(r, "scenario.warmup",
                            "%s leaves nothing to measure; give less than scenario.duration (%s)",
                            time_text(r->s.warmup_ps, a), time_text(r->s.duration_ps, b));
    return true;
}

static bool check_start(struct resolving *r)
{
    char a[40], b[40];
    if (r->s.load.start_ps >= r->s.duration_ps)
        return resolve_fail(r, "workload.start",
                            "%s is not before the end; give less than scenario.duration (%s)",
                            time_text(r->s.load.start_ps, a), time_text(r->s.duration_ps, b));
    return true;
}

static bool check_end(struct resolving *r)
{
    if (r->s.duration_ps != TM_NEVER)
        return true;
    if (r->s.load.load_ppm != 0)
        return resolve_fail(r, "workload.load",
                            "an open load never ends by itself; give scenario.duration");
    if (r->s.load.messages == 0 && r->s.load.pattern != LOAD_TRACE)
        return resolve_fail(r, "workload.messages",
                            "unlimited messages never end by themselves; give scenario.duration");
    return true;
}

/* ---- queues ---------------------------------------------------------------------------------------------- */

/* At the key that asks, or at the limit's if that is the one that was given. */
static bool check_limit(struct resolving *r, const char *key, uint32_t asked, const char *limit,
                        uint32_t max)
{
    if (asked <= max)
        return true;
    if (!resolve_cell(r, key)->given && resolve_cell(r, limit)->given)
        return resolve_fail(r, limit, "%u is less than %s (%u); give at least that, or lower %s",
                            max, key, asked, key);
    return resolve_fail(r, key, "%u is over the adapter's limit; give at most %u (%s)", asked, max,
                        limit);
}

static bool check_queue_limit(struct resolving *r)
{
    const struct xp_profile *p = &r->s.hca.xp;
    const struct load_qp_cfg *qp = &r->s.qp;
    return check_limit(r, "qp.sq_depth", qp->sq_depth, "hca.max_qp_wr", p->max.qp_wr) &&
           check_limit(r, "qp.rq_depth", qp->rq_depth, "hca.max_qp_wr", p->max.qp_wr) &&
           check_limit(r, "qp.max_rd_atomic", qp->max_rd_atomic, "hca.max_qp_init_rd_atom",
                       p->max_rd_atomic) &&
           check_limit(r, "qp.max_dest_rd_atomic", qp->max_dest_rd_atomic, "hca.max_qp_rd_atom",
                       p->max_dest_rd_atomic);
}

/* What the busiest host needs of its adapter.  A trace's flows are not known yet. */
static bool check_objects(struct resolving *r)
{
    const struct xp_profile *p = &r->s.hca.xp;
    if ((!p->max.qp && !p->max.cqe) || r->s.load.pattern == LOAD_TRACE)
        return true;
    struct load_need need = load_need(&r->s.load, &r->s.qp, r->s.fabric.hosts);
    uint64_t completions = need.send_wqe_host_max + need.recv_wqe_host_max;
    if (p->max.qp && need.qps_host_max > p->max.qp)
        return resolve_fail(r, "hca.max_qp",
                            "a host has %u QPs; give at least that, or lower workload.qps",
                            need.qps_host_max);
    if (p->max.cqe && completions > p->max.cqe)
        return resolve_fail(r, "hca.max_cqe",
                            "the queues of a host hold %llu work requests; give at least that, or "
                            "lower qp.sq_depth or qp.rq_depth",
                            (unsigned long long)completions);
    return true;
}

static bool check_depth(struct resolving *r)
{
    bool is_open = r->s.load.load_ppm != 0;
    if (is_open && resolve_cell(r, "workload.depth")->given)
        return resolve_fail(r, "workload.depth",
                            "depth belongs to the closed loop and workload.load asks for the open "
                            "one; give one of them");
    if (!is_open && r->s.load.pattern != LOAD_TRACE && r->s.load.depth > r->s.qp.sq_depth)
        return resolve_fail(r, "workload.depth",
                            "%u messages outstanding do not fit a send queue of %u; lower it or "
                            "raise qp.sq_depth",
                            r->s.load.depth, r->s.qp.sq_depth);
    return true;
}

static bool check_signal(struct resolving *r)
{
    bool is_open = r->s.load.load_ppm != 0;
    uint32_t room = is_open ? r->s.qp.sq_depth : r->s.load.depth;
    if (r->s.load.signal_every > room)
        return resolve_fail(r, "workload.signal_every",
                            "with %u requests to a completion the sender would wait for ever; give "
                            "at most %s (%u)",
                            r->s.load.signal_every, is_open ? "qp.sq_depth" : "workload.depth",
                            room);
    return true;
}

static bool check_qps(struct resolving *r)
{
    bool is_mesh = r->s.load.pattern == LOAD_ALL_TO_ALL || r->s.load.pattern == LOAD_INCAST ||
                   r->s.load.pattern == LOAD_RPC;
    uint64_t peers = is_mesh ? r->s.fabric.hosts - 1 : 2;
    if (peers * r->s.load.qps > QPS_HOST_MAX)
        return resolve_fail(r, "workload.qps",
                            "%u connections to each of %llu hosts are more than the %u QPs that "
                            "fit one host; give fewer",
                            r->s.load.qps, (unsigned long long)peers, QPS_HOST_MAX);
    return true;
}

/* ---- timers ---------------------------------------------------------------------------------------------- */

/* What has not been seen together at any adapter. */
static bool check_timers(struct resolving *r)
{
    const struct xp_profile *p = &r->s.hca.xp;
    bool has_ladder = p->ladder.rungs > 0, has_first = p->timing.first.high_milli > 0;
    if (has_ladder && has_first)
        return resolve_fail(r, "hca.timer_first",
                            "an adapter with early retransmissions has no silent first expiry; give "
                            "hca.timer_first = none or hca.timer_ladder = none");
    if ((has_ladder || has_first) && p->policy[XP_P_RNR_TIMER] == XP_RNR_TIMER_RUNS)
        return resolve_fail(r, "hca.rnr_timer",
                            "an ACK timer that runs during RNR waits has no beginning of its own; give "
                            "stops, or none for hca.timer_ladder and hca.timer_first");
    if (has_ladder && r->s.qp.retry_cnt == 0 && r->s.qp.timeout != 0 && load_qp_is_acked(&r->s.qp) &&
        !r->s.qp.udack.on)
        return resolve_fail(r, "qp.retry_cnt",
                            "what adapters with early retransmissions do with 0 is not known (those that "
                            "were measured sent seven more); give 1 to 7, or hca.timer_ladder = none");
    return true;
}

/* ---- workload -------------------------------------------------------------------------------------------- */

static bool check_target(struct resolving *r)
{
    if (r->s.load.target >= r->s.fabric.hosts)
        return resolve_fail(r, "workload.target",
                            "%u is not a host of this fabric; give a number from 0 to %u",
                            r->s.load.target, r->s.fabric.hosts - 1);
    return true;
}

static bool check_trace(struct resolving *r)
{
    bool is_trace = r->s.load.pattern == LOAD_TRACE;
    bool has_file = strcmp(resolve_cell(r, "workload.file")->text, "none") != 0;
    if (is_trace && !has_file)
        return resolve_fail(r, "workload.pattern", "a trace needs its flows; give workload.file");
    if (!is_trace && has_file)
        return resolve_fail(r, "workload.file",
                            "a trace file belongs to pattern = trace, not %s; leave it out or "
                            "change the pattern",
                            resolve_cell(r, "workload.pattern")->text);
    if (is_trace && r->s.load.load_ppm != 0)
        return resolve_fail(r, "workload.load",
                            "the flows of a trace have their own starts; leave the load out");
    return true;
}

static bool check_rpc(struct resolving *r)
{
    bool is_rpc = r->s.load.pattern == LOAD_RPC;
    if (is_rpc && r->s.load.op != XP_WR_SEND)
        return resolve_fail(r, "workload.op",
                            "requests and responses of rpc are sends; give op = send, and "
                            "workload.data = write or read for a WRITE or READ");
    if (!is_rpc && r->s.load.rpc.data != LOAD_RPC_NONE)
        return resolve_fail(r, "workload.data", "it belongs to pattern = rpc, not %s; leave it out",
                            resolve_cell(r, "workload.pattern")->text);
    if (!is_rpc && r->s.load.rpc.service_ps != 0)
        return resolve_fail(r, "workload.service",
                            "it belongs to pattern = rpc, not %s; leave it out, or say "
                            "qp.service if the transport is meant",
                            resolve_cell(r, "workload.pattern")->text);
    return true;
}

/* The services that the core says acknowledge: "a", or "a or b", or "a, b or c". */
static void append_acked(GString *out)
{
    size_t before_last = 0;
    for (uint32_t i = 0; i < LOAD_SERVICES; i++) {
        struct load_qp_cfg qp;
        if (!load_service_is_offered(i))
            continue;
        load_service_store(&qp, i);
        if (!load_qp_is_acked(&qp))
            continue;
        before_last = out->len;
        g_string_append_printf(out, "%s%s", out->len ? ", " : "", load_service_name(i));
    }
    if (before_last) {
        g_string_erase(out, (gssize)before_last, 2);
        g_string_insert(out, (gssize)before_last, " or ");
    }
}

static bool check_rpc_service(struct resolving *r)
{
    if (r->s.load.pattern != LOAD_RPC || load_qp_is_acked(&r->s.qp))
        return true;
    GString *fit = g_string_new(NULL);
    append_acked(fit);
    resolve_fail(r, "qp.service",
                 "pattern = rpc needs a service that acknowledges, and %s does not; give %s, or "
                 "another workload.pattern",
                 load_qp_service_name(&r->s.qp), fit->str);
    g_string_free(fit, TRUE);
    return false;
}

static bool check_operation(struct resolving *r)
{
    enum xp_wr_op op = r->s.load.op;
    bool is_atomic = op == XP_WR_CMP_SWAP || op == XP_WR_FETCH_ADD;
    bool awaits = xp_wr_awaits_answer(op) || r->s.load.rpc.data == LOAD_RPC_READ;
    const struct load_size *size = &r->s.load.size;
    if (!load_qp_offers(&r->s.qp, op))
        return resolve_fail(r, "workload.op",
                            "%s does not offer %s; give another, or another qp.service",
                            load_qp_service_name(&r->s.qp), resolve_cell(r, "workload.op")->text);
    if (r->s.load.rpc.data == LOAD_RPC_WRITE && !load_qp_offers(&r->s.qp, XP_WR_WRITE))
        return resolve_fail(r, "workload.data", "%s does not offer write; give none",
                            load_qp_service_name(&r->s.qp));
    if (is_atomic && !(size->kind == LOAD_SIZE_FIXED && size->count == 1 && size->bytes[0] == 8))
        return resolve_fail(r, "workload.size", "atomics are of 8 bytes; give size = 8B");
    if (awaits && r->s.qp.max_rd_atomic == 0)
        return resolve_fail(r, "qp.max_rd_atomic",
                            "with 0 no READ or atomic can be posted; give 1 or more");
    return true;
}

static bool check_bidirectional(struct resolving *r)
{
    enum load_pattern p = r->s.load.pattern;
    if (r->s.load.bidirectional && p != LOAD_PAIR && p != LOAD_PERMUTATION && p != LOAD_RING)
        return resolve_fail(r, "workload.bidirectional",
                            "it belongs to pair, permutation and ring, not %s; leave it out",
                            resolve_cell(r, "workload.pattern")->text);
    return true;
}

static bool check_connect(struct resolving *r)
{
    if (r->s.load.connect.mode != LOAD_CONNECT_SIMULATED)
        return true;
    if (load_qp_is_joined(&r->s.qp))
        return resolve_fail(r, "connect.mode",
                            "connection management does not join EE contexts, which %s sends through; "
                            "leave it out or give another qp.service",
                            load_qp_service_name(&r->s.qp));
    if (load_qp_halves(&r->s.qp) > 1)
        return resolve_fail(r, "connect.mode",
                            "connection management joins one QP with one other, and a connection of %s is of two each "
                            "way; leave it out or give another qp.service",
                            load_qp_service_name(&r->s.qp));
    if (!load_is_connected(r->s.qp.service))
        return resolve_fail(r, "connect.mode",
                            "QPs of %s are not connected; leave it out or give another qp.service",
                            load_qp_service_name(&r->s.qp));
    return true;
}

static bool check_srq(struct resolving *r)
{
    /* There its requests name one: it need not be said. */
    if (load_qp_halves(&r->s.qp) > 1)
        r->s.qp.srq = true;
    if (r->s.qp.srq && load_qp_is_joined(&r->s.qp))
        return resolve_fail(r, "qp.srq", "QPs of %s have receives of their own; leave it out",
                            load_qp_service_name(&r->s.qp));
    if (r->s.load.retry.on_error == LOAD_RECONNECT && load_qp_is_joined(&r->s.qp))
        return resolve_fail(r, "workload.on_error",
                            "QPs of %s share connections, and none can be made anew alone; leave it out",
                            load_qp_service_name(&r->s.qp));
    if (r->s.qp.srq && (r->s.qp.udack.on || !load_is_connected(r->s.qp.service)))
        return resolve_fail(r, "qp.srq",
                            "QPs of %s are not connected and have receives of their own; leave it "
                            "out or give another qp.service",
                            load_qp_service_name(&r->s.qp));
    return true;
}

static bool check_datagrams(struct resolving *r)
{
    const struct load_size *s = &r->s.load.size;
    if (!load_qp_is_datagram(&r->s.qp) || r->s.load.pattern == LOAD_TRACE)
        return true;
    bool empty = s->kind != LOAD_SIZE_CDF && s->count > 0 && s->bytes[0] == 0;
    for (uint32_t i = 1; s->kind == LOAD_SIZE_LIST && i < s->count; i++)
        empty |= s->bytes[i] == 0;
    if (empty || (s->count > 0 && load_size_max(s) > r->s.qp.mtu))
        return resolve_fail(r, "workload.size",
                            "a message of %s is one packet; give sizes from 1 to qp.mtu (%u), or "
                            "another qp.service",
                            load_qp_service_name(&r->s.qp), r->s.qp.mtu);
    return true;
}

static bool check_zero(struct resolving *r)
{
    const struct load_size *s = &r->s.load.size;
    for (uint32_t i = 0; i < s->count; i++)
        if (s->kind != LOAD_SIZE_CDF && s->bytes[i] == 0 && r->s.load.load_ppm != 0)
            return resolve_fail(r, "workload.size",
                                "messages of 0 bytes offer no load; give a size, or leave "
                                "workload.load out");
    return true;
}

static bool check_buckets(struct resolving *r)
{
    if (r->s.bucket_count > 0 && !r->s.slowdown)
        return resolve_fail(r, "workload.buckets",
                            "size classes are for slowdown; give slowdown = on too");
    return true;
}

static bool check_udack(struct resolving *r)
{
    const struct udack_cfg *c = &r->s.qp.udack.cfg;
    if (c->rto_max_ps < c->rto_min_ps)
        return resolve_fail(r, "udack.rto_min",
                            "it is above udack.rto_max; lower it or raise that");
    return true;
}

static check_fn *const checks[] = {
    check_loss,        check_warmup,      check_start,     check_end,
    check_queue_limit, check_depth,   check_signal,      check_qps,       check_target,
    check_trace,       check_rpc,     check_rpc_service, check_operation, check_bidirectional,
    check_zero,        check_buckets, check_udack,       check_objects,     check_connect,
    check_srq,         check_datagrams, check_timers,    check_adapter,
};

bool check_scenario(struct resolving *r)
{
    for (size_t i = 0; i < G_N_ELEMENTS(checks); i++)
        if (!checks[i](r))
            return false;
    return true;
}

bool check_act(struct resolving *r, const struct load_act *act)
{
    static const bool needs_qp[] = {[LOAD_ACT_DESTROY] = true,
                                    [LOAD_ACT_ERROR] = true,
                                    [LOAD_ACT_RIGHTS] = true,
                                    [LOAD_ACT_SPOIL] = true,
                                    [LOAD_ACT_EXIT_REST] = false};
    if (!needs_qp[act->kind])
        return true;
    if (r->s.qp.udack.on || load_qp_is_datagram(&r->s.qp))
        return sc_fail(r->err, "connections of %s have no QP of their own to %s",
                       load_qp_service_name(&r->s.qp),
                       act->kind == LOAD_ACT_DESTROY ? "destroy" : "break");
    uint32_t qps = load_host_qps(&r->s.load, r->s.fabric.hosts, act->host);
    if (qps == 0)
        return sc_fail(r->err, "host %u has no QP; give another host", act->host);
    if (act->qp >= qps)
        return sc_fail(r->err, "host %u has no QP %u; give a number from 0 to %u", act->host,
                       act->qp, qps - 1);
    return true;
}

/* ---- after the traffic files ------------------------------------------------------------------------------- */

/* The sizes of a trace are known now. */
static bool check_payload(struct resolving *r)
{
    const char *why = load_payload_refuse(&r->s.load, &r->s.qp, r->s.fabric.hosts);
    if (r->s.load.payload == LOAD_PAYLOAD_OFF || !why)
        return true;
    return resolve_fail(r, "workload.payload", "%s; leave it off", why);
}

bool check_loaded(struct resolving *r)
{
    char a[40], b[40];
    if (!check_payload(r))
        return false;
    if (r->s.load.flow_count > 0 && r->s.load.flow[0].start_ps >= r->s.duration_ps)
        return resolve_fail(r, "scenario.duration",
                            "the run ends at %s, before the first flow of the trace starts (%s); "
                            "give more",
                            time_text(r->s.duration_ps, a),
                            time_text(r->s.load.flow[0].start_ps, b));
    if (r->notes)
        notes_take(r);
    return true;
}
