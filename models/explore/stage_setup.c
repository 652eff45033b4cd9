/*
 * Setting the scene: QPs, memory regions, receives, requests; stage_setup.h.
 */
#include "models/explore/stage_setup.h"

enum { STAGE_PD = 1, STAGE_QPS = 4, STAGE_CQES = 64 };

bool stage_is_acked(enum xp_service_id service)
{
    return xp_transition_check(service, XP_RTR, XP_RTS, XP_A_STATE).missing & XP_A_TIMEOUT;
}

struct loop *stage_loop(const struct stage_spec *spec, const struct task *task)
{
    struct loop_config cfg = {.ends = TASK_ENDS,
                              .limits = {.qp = STAGE_QPS,
                                         .cq = 2 * STAGE_QPS,
                                         .mr = 4,
                                         .send_wqe = TASK_MESSAGES,
                                         .recv_wqe = TASK_MESSAGES,
                                         .cqe = STAGE_CQES,
                                         .active = STAGE_QPS,
                                         .answer = 96,
                                         .attr_set = 8,
                                         .resource = STAGE_QPS * TASK_MESSAGES},
                              .profile = spec->profile,
                              .seed = 1,
                              .arena_bytes = task->arena_bytes,
                              .delay_ps = spec->delay_ps};
    return loop_new(&cfg);
}

static bool connect_qp(struct stage *s, uint8_t end, uint32_t qp, uint32_t peer)
{
    const struct stage_spec *spec = s->spec;
    struct xp_qp_attr a = {.path = {(uint16_t)!end, 1},
                           .dest_qp = peer,
                           .rq_psn = spec->first_psn,
                           .sq_psn = spec->first_psn,
                           .access = XP_REMOTE_WRITE | XP_REMOTE_READ | XP_REMOTE_ATOMIC,
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
        uint32_t mask =
            XP_A_STATE | xp_transition_check(spec->service, from, a.state, XP_A_STATE).missing;
        if (xp_qp_modify(s->loop->end[end].core, qp, &a, mask, 0) != XP_OK)
            return false;
    }
    return true;
}

/* One QP at each end; flows of either direction share them. */
bool stage_connect(struct stage *s)
{
    uint32_t qp[TASK_ENDS], scq[TASK_ENDS], rcq[TASK_ENDS];
    bool ok = true;
    for (uint8_t e = 0; e < TASK_ENDS; e++) {
        struct xp *x = s->loop->end[e].core;
        ok = ok && xp_cq_create(x, STAGE_CQES / 4, &scq[e]) == XP_OK &&
             xp_cq_create(x, STAGE_CQES / 4, &rcq[e]) == XP_OK;
        struct xp_qp_init init = {.service = s->spec->service,
                                  .pd = STAGE_PD,
                                  .send_cq = scq[e],
                                  .recv_cq = rcq[e],
                                  .sq_depth = TASK_MESSAGES,
                                  .rq_depth = TASK_MESSAGES};
        uint32_t all = XP_LOCAL_WRITE | XP_REMOTE_WRITE | XP_REMOTE_READ | XP_REMOTE_ATOMIC;
        ok = ok && xp_qp_create(x, &init, &qp[e]) == XP_OK &&
             xp_mr_add(x, STAGE_PD, 0, s->task->arena_bytes, all, 0, &s->key[e]) == XP_OK;
    }
    for (uint32_t f = 0; f < s->task->spec.flows; f++) {
        uint8_t from = s->task->spec.flow[f].from, to = s->task->spec.flow[f].to;
        s->flow[f] = (struct stage_flow){from, to, qp[from], qp[to], scq[from], rcq[to]};
    }
    return ok && connect_qp(s, 0, qp[0], qp[1]) && connect_qp(s, 1, qp[1], qp[0]);
}

void stage_post_recvs(struct stage *s)
{
    for (uint32_t i = 0; i < s->task->recvs; i++) {
        const struct stage_flow *f = &s->flow[s->task->recv[i].flow];
        const struct task_area *a = &s->task->area[s->task->recv[i].area];
        struct xp_recv_wr wr = {.wr_id = i, .sge = {a->at, a->len, s->key[f->to]}};
        if (xp_post_recv(s->loop->end[f->to].core, f->recv_qp, &wr, s->loop->now) == XP_OK)
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
