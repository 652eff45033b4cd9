/*
 * Setting the scene: QPs, memory regions, receives, requests; stage_setup.h.
 *
 * Four shapes, by what the core says of the service: QPs joined in pairs, which serve the first flow
 * of either direction; datagram QPs, whose requests name their destination; an initiator and a target
 * for each flow, whose requests name a shared receive queue; QPs for each flow that share a context.
 */
#include "models/explore/stage_setup.h"

enum {
    STAGE_PD = 1,
    STAGE_XRCD = 1,
    STAGE_RDD = 1,
    STAGE_QPS = 4,
    STAGE_CQES = 64, STAGE_HOLD = 16,
    STAGE_QKEY = 0x11
};

/* What a datagram brings before its payload (IBA 11.4.1.2). */
enum { DATAGRAM_HEAD = 40 };

static uint32_t wanted(enum xp_service_id s, enum xp_state from, enum xp_state to)
{
    return xp_transition_check(s, from, to, XP_A_STATE).missing;
}

/* Which has the connection: the context, if its QPs send through one. */
static enum xp_service_id connection_of(enum xp_service_id s)
{
    enum xp_service_id context = s;
    return xp_service_context(s, &context) ? context : s;
}

bool stage_is_acked(enum xp_service_id s)
{
    return wanted(connection_of(s), XP_RTR, XP_RTS) & XP_A_TIMEOUT;
}

static bool is_connected(enum xp_service_id s)
{
    return wanted(connection_of(s), XP_INIT, XP_RTR) & XP_A_DEST_QP;
}

bool stage_is_joined(enum xp_service_id s) { return connection_of(s) != s; }

uint32_t stage_head(enum xp_service_id s) { return is_connected(s) ? 0 : DATAGRAM_HEAD; }

/* Who receives what this service sends: itself, or the one of a connection that sends nothing. */
static enum xp_service_id receiver_of(enum xp_service_id s)
{
    if (xp_service_pairs(s) || !is_connected(s) || stage_is_joined(s))
        return s;
    for (int i = 0; i < XP_SERVICES; i++) {
        enum xp_service_id t = (enum xp_service_id)i;
        if (is_connected(t) && !xp_service_pairs(t) && !xp_service_offers(t, XP_WR_SEND) &&
            wanted(t, XP_INIT, XP_RTR) & XP_A_MIN_RNR)
            return t;
    }
    return s;
}

bool stage_is_shared(const struct stage_spec *spec)
{
    return spec->srq || stage_is_joined(spec->service) ||
           receiver_of(spec->service) != spec->service;
}

struct loop *stage_loop(const struct stage_spec *spec, const struct task *task)
{
    struct loop_config cfg = {.ends = TASK_ENDS,
                              .limits = {.qp = STAGE_QPS,
                                         .cq = 2 * STAGE_QPS,
                                         .mr = 4,
                                         .send_wqe = TASK_MESSAGES + 1,
                                         .recv_wqe = TASK_RECVS,
                                         .cqe = STAGE_CQES,
                                         .active = STAGE_QPS,
                                         .answer = 96,
                                         .attr_set = 8,
                                         .resource = STAGE_QPS * TASK_MESSAGES,
                                         .srq = TASK_FLOWS,
                                         .hold = spec->profile.recovery == XP_SELECTIVE ? STAGE_HOLD : 0},
                              .profile = spec->profile,
                              .seed = 1,
                              .arena_bytes = task->arena_bytes,
                              .delay_ps = spec->delay_ps};
    return loop_new(&cfg);
}

/* ---- connections ----------------------------------------------------------------------------- */

static bool bring_up(struct stage *s, enum xp_service_id service, uint8_t end, uint32_t qp,
                     uint32_t peer)
{
    const struct stage_spec *spec = s->spec;
    struct xp_qp_attr a = {.path = {(uint16_t)!end, 1},
                           .dest_qp = peer,
                           .rq_psn = spec->first_psn,
                           .sq_psn = spec->first_psn,
                           .access = XP_REMOTE_WRITE | XP_REMOTE_READ | XP_REMOTE_ATOMIC,
                           .qkey = STAGE_QKEY,
                           .path_mtu = spec->mtu,
                           .pkey = 0xffff,
                           .port = 1,
                           .timeout = spec->timeout,
                           .retry_cnt = spec->retry_cnt,
                           .rnr_retry = spec->rnr_retry,
                           .min_rnr_timer = spec->min_rnr_timer,
                           .max_rd_atomic = spec->max_rd_atomic,
                           .max_dest_rd_atomic = spec->max_dest_rd_atomic};
    for (int to = XP_INIT; to <= XP_RTS; to++) {
        enum xp_state from = to == XP_INIT ? XP_RESET : (enum xp_state)(to - 1);
        a.state = (enum xp_state)to;
        uint32_t mask = XP_A_STATE | wanted(service, from, a.state);
        if (to == XP_INIT && !xp_transition_check(service, from, a.state, XP_A_ACCESS).excess)
            mask |= XP_A_ACCESS;
        if (xp_qp_modify(s->loop->end[end].core, qp, &a, mask, 0) != XP_OK)
            return false;
    }
    return true;
}

/* A QP of one end and what it needs; a role that the service has not stays 0. */
struct made {
    uint32_t qp, send_cq, recv_cq, srq;
};

static bool make_qp(struct stage *s, enum xp_service_id service, uint8_t end, struct made *m)
{
    struct xp *x = s->loop->end[end].core;
    bool joined = stage_is_joined(service);
    bool pairs = xp_service_pairs(service) || !is_connected(service) || joined;
    bool sends = xp_service_offers(service, XP_WR_SEND);
    bool shares = pairs ? s->spec->srq : !sends;
    if (xp_cq_create(x, STAGE_CQES / 4, &m->send_cq) != XP_OK ||
        xp_cq_create(x, STAGE_CQES / 4, &m->recv_cq) != XP_OK)
        return false;
    struct xp_srq_init srq = {.pd = STAGE_PD,
                              .depth = TASK_MESSAGES,
                              .cq = pairs ? 0 : m->recv_cq,
                              .xrcd = pairs ? 0 : STAGE_XRCD};
    if (shares && xp_srq_create(x, &srq, &m->srq) != XP_OK)
        return false;
    struct xp_qp_init init = {.service = service,
                              .pd = STAGE_PD,
                              .send_cq = sends ? m->send_cq : 0,
                              .recv_cq = pairs ? m->recv_cq : 0,
                              .sq_depth = sends ? TASK_MESSAGES : 0,
                              .rq_depth = pairs && !shares ? TASK_RECVS : 0,
                              .srq = pairs ? m->srq : 0,
                              .xrcd = pairs || sends ? 0 : STAGE_XRCD,
                              .rdd = joined ? STAGE_RDD : 0};
    return xp_qp_create(x, &init, &m->qp) == XP_OK;
}

static void join_flow(struct stage *s, uint32_t f, const struct made *from, const struct made *to)
{
    const struct task_spec *t = &s->task->spec;
    s->flow[f] =
        (struct stage_flow){t->flow[f].from, t->flow[f].to, from->qp, to->qp, from->send_cq,
                            to->recv_cq,     to->srq,       from->qp, to->qp};
}

/* Flows of the first QP pair: one, or one each way. */
static uint32_t flows_of_pair(const struct task_spec *t)
{
    return t->flows > 1 && t->flow[1].from != t->flow[0].from ? 2 : 1;
}

/* One QP at each end; the first flow of either direction shares them. */
static bool connect_both_ways(struct stage *s)
{
    enum xp_service_id service = s->spec->service;
    struct made m[TASK_ENDS] = {{0}};
    bool ok = make_qp(s, service, 0, &m[0]) && make_qp(s, service, 1, &m[1]);
    for (uint32_t f = 0; f < flows_of_pair(&s->task->spec); f++)
        join_flow(s, f, &m[s->task->spec.flow[f].from], &m[s->task->spec.flow[f].to]);
    return ok && bring_up(s, service, 0, m[0].qp, m[1].qp) &&
           bring_up(s, service, 1, m[1].qp, m[0].qp);
}

static bool connect_one_way(struct stage *s, uint32_t f)
{
    enum xp_service_id sender = s->spec->service, receiver = receiver_of(sender);
    uint8_t from = s->task->spec.flow[f].from, to = s->task->spec.flow[f].to;
    struct made a = {0}, b = {0};
    bool ok = make_qp(s, sender, from, &a) && make_qp(s, receiver, to, &b);
    join_flow(s, f, &a, &b);
    return ok && bring_up(s, sender, from, a.qp, b.qp) && bring_up(s, receiver, to, b.qp, a.qp);
}

/* QPs of its own for each flow; all send through one context of their end. */
static bool connect_via_contexts(struct stage *s)
{
    enum xp_service_id service = s->spec->service, context = connection_of(service);
    const struct xp_qp_init init = {.service = context, .rdd = STAGE_RDD};
    uint32_t c[TASK_ENDS] = {0};
    bool ok = true;
    for (uint8_t e = 0; e < TASK_ENDS; e++)
        ok = ok && xp_qp_create(s->loop->end[e].core, &init, &c[e]) == XP_OK;
    for (uint8_t e = 0; e < TASK_ENDS; e++)
        ok = ok && bring_up(s, context, e, c[e], c[!e]);
    for (uint32_t f = 0; f < s->task->spec.flows; f++) {
        ok = ok && connect_one_way(s, f);
        s->flow[f].from_conn = c[s->flow[f].from];
        s->flow[f].to_conn = c[s->flow[f].to];
    }
    return ok;
}

bool stage_connect(struct stage *s)
{
    const uint32_t all = XP_LOCAL_WRITE | XP_REMOTE_WRITE | XP_REMOTE_READ | XP_REMOTE_ATOMIC;
    bool ok = true;
    for (uint8_t e = 0; e < TASK_ENDS; e++)
        ok = ok && xp_mr_add(s->loop->end[e].core, STAGE_PD, 0, s->task->arena_bytes, all, 0,
                             &s->key[e]) == XP_OK;
    if (stage_is_joined(s->spec->service))
        return ok && connect_via_contexts(s);
    bool one_way = receiver_of(s->spec->service) != s->spec->service;
    for (uint32_t f = one_way ? 0 : flows_of_pair(&s->task->spec); f < s->task->spec.flows; f++)
        ok = ok && connect_one_way(s, f);
    return ok && (one_way || connect_both_ways(s));
}

/* ---- work ------------------------------------------------------------------------------------ */

void stage_post_recvs(struct stage *s)
{
    for (uint32_t i = 0; i < s->task->recvs; i++) {
        const struct stage_flow *f = &s->flow[s->task->recv[i].flow];
        const struct task_area *a = &s->task->area[s->task->recv[i].area];
        struct xp *x = s->loop->end[f->to].core;
        struct xp_recv_wr wr = {.wr_id = i, .sge = {a->at, a->len, s->key[f->to]}};
        int err = f->srq ? xp_srq_post_recv(x, f->srq, &wr)
                         : xp_post_recv(x, f->recv_qp, &wr, s->loop->now);
        if (err == XP_OK)
            ledger_recv_posted(&s->ledger, i);
    }
    s->recvs_posted = true;
}

static struct xp_send_wr request(const struct stage *s, uint32_t i)
{
    const struct task_message *m = &s->task->message[i];
    const struct stage_flow *f = &s->flow[m->flow];
    struct xp_send_wr wr = {
        .wr_id = i,
        .sge = {s->task->area[m->local].at, m->len, s->key[f->from]},
        .remote_addr = s->task->area[m->remote].at,
        .rkey = s->key[f->to],
        .imm = m->imm,
        .msgno = i,
        .op = m->op,
        .flags = (uint8_t)((m->signalled ? XP_SIGNALED : 0) | (m->fence ? XP_FENCE : 0)),
        .path = {f->to, 1},
        .remote_qpn = f->recv_qp,
        .remote_qkey = STAGE_QKEY,
        .srqn = f->srq,
        .eecn = f->from_conn,
        .swap_or_add = m->operand,
        .compare = m->compare};
    return wr;
}

const char *stage_post_sends(struct stage *s)
{
    for (uint32_t i = 0; i < s->task->spec.ops; i++) {
        const struct stage_flow *f = &s->flow[s->task->message[i].flow];
        struct xp_send_wr wr = request(s, i);
        int err = xp_post_send(s->loop->end[f->from].core, f->send_qp, &wr, s->loop->now);
        if (err == XP_EOPNOTSUPP)
            return "the service does not offer one of the operations";
        if (err != XP_OK)
            return "an operation could not be posted: is it too long for the service?";
        ledger_posted(&s->ledger, i);
    }
    return NULL;
}

uint32_t stage_recvs_left(const struct stage *s, uint32_t flow)
{
    const struct stage_flow *f = &s->flow[flow];
    const struct xp *x = s->loop->end[f->to].core;
    struct xp_srq_query shared = {0};
    struct xp_qp_query own = {0};
    if (f->srq)
        xp_srq_query(x, f->srq, &shared);
    else
        xp_qp_query(x, f->recv_qp, &own);
    return shared.recvs_waiting + own.recvs_waiting;
}

void stage_tear_down(struct stage *s)
{
    for (uint32_t f = 0; f < s->task->spec.flows; f++) {
        const struct stage_flow *w = &s->flow[f];
        xp_qp_destroy(s->loop->end[w->from].core, w->send_qp, s->loop->now);
        xp_qp_destroy(s->loop->end[w->to].core, w->recv_qp, s->loop->now);
    }
    /* A context that goes before its QPs would complete what it holds of theirs. */
    for (uint32_t f = 0; f < s->task->spec.flows; f++) {
        const struct stage_flow *w = &s->flow[f];
        xp_qp_destroy(s->loop->end[w->from].core, w->from_conn, s->loop->now);
        xp_qp_destroy(s->loop->end[w->to].core, w->to_conn, s->loop->now);
    }
    for (uint32_t f = 0; f < s->task->spec.flows; f++)
        if (s->flow[f].srq)
            xp_srq_destroy(s->loop->end[s->flow[f].to].core, s->flow[f].srq);
}
