/*
 * Times the core without engine, links or HCA: requester and responder are called in turn,
 * in lock step, 64 messages outstanding.
 */
#include "scenarios/run/bench_core.h"

#include <glib.h>
#include <stdlib.h>
#include <string.h>

#include "scenarios/run/clock.h"
#include "sim/base/check.h"

#define BENCH_DEPTH 64
#define BENCH_MESSAGE_PACKETS 16
#define BENCH_REGION (1u << 20)

struct bench_end {
    struct xp *core;
    void *block;
    uint32_t qpn, key, cq;
};

static struct bench_end end_new(const struct scenario *s)
{
    struct xp_limits lim = {.qp = 2,
                            .cq = 1,
                            .mr = 1,
                            .send_wqe = 2 * BENCH_DEPTH,
                            .recv_wqe = 4,
                            .cqe = 4 * BENCH_DEPTH,
                            .active = 2,
                            .answer = 256,
                            .attr_set = 4};
    struct bench_end e = {0};
    size_t size = xp_size(&lim);

    e.block = aligned_alloc(64, (size + 63) / 64 * 64);
    memset(e.block, 0, size);
    e.core = xp_init(e.block, size, &lim, &s->hca.xp, 1);
    CHECK(xp_cq_create(e.core, 4 * BENCH_DEPTH, &e.cq) == XP_OK);
    CHECK(xp_mr_add(e.core, 0, 0, BENCH_REGION, XP_LOCAL_WRITE | XP_REMOTE_WRITE, 0, &e.key) ==
          XP_OK);
    struct xp_qp_init init = {.service = s->qp.service,
                              .send_cq = e.cq,
                              .recv_cq = e.cq,
                              .sq_depth = BENCH_DEPTH,
                              .rq_depth = 1};
    CHECK(xp_qp_create(e.core, &init, &e.qpn) == XP_OK);
    return e;
}

/* One step of the life cycle with the attributes that the service wants for it. */
static void end_step(struct bench_end *e, const struct scenario *s, enum xp_state from,
                     enum xp_state to, uint32_t peer_qpn)
{
    struct xp_qp_attr a = {.state = to,
                           .dest_qp = peer_qpn,
                           .access = XP_REMOTE_WRITE,
                           .path_mtu = s->qp.mtu,
                           .pkey = 0xffff,
                           .port = 1,
                           .timeout = s->qp.timeout,
                           .retry_cnt = s->qp.retry_cnt,
                           .rnr_retry = s->qp.rnr_retry,
                           .min_rnr_timer = s->qp.min_rnr_timer};
    struct xp_transition t = xp_transition_check(s->qp.service, from, to, XP_A_STATE);

    CHECK(xp_qp_modify(e->core, e->qpn, &a, XP_A_STATE | t.missing, 0) == XP_OK);
}

static void end_connect(struct bench_end *e, const struct scenario *s, uint32_t peer_qpn)
{
    end_step(e, s, XP_RESET, XP_INIT, peer_qpn);
    end_step(e, s, XP_INIT, XP_RTR, peer_qpn);
    end_step(e, s, XP_RTR, XP_RTS, peer_qpn);
}

/* All that one end has to say goes to the other; returns the request packets among it. */
static uint64_t pass(struct bench_end *from, struct bench_end *to, tm_ps now)
{
    uint64_t requests = 0;
    uint32_t qpn;
    struct xp_tx tx;
    struct xp_rx rx;

    while (xp_woken(from->core, &qpn)) {
        while (xp_pull(from->core, qpn, now, &tx) == XP_PULLED) {
            requests += !tx.response;
            xp_recv(to->core, &tx.hdr, NULL, tx.path, now, &rx);
        }
    }
    return requests;
}

double bench_core_ns_per_packet(const struct scenario *s, uint64_t packets)
{
    struct bench_end a = end_new(s), b = end_new(s);
    struct xp_send_wr wr = {.op = XP_WR_WRITE,
                            .flags = XP_SIGNALED,
                            .rkey = b.key,
                            .sge = {0, (uint32_t)BENCH_MESSAGE_PACKETS * s->qp.mtu, a.key}};
    struct xp_wc wc[BENCH_DEPTH];
    uint64_t done = 0;
    uint32_t outstanding = 0;
    tm_ps now = 1;
    double start;

    end_connect(&a, s, b.qpn);
    end_connect(&b, s, a.qpn);
    start = clock_user_s();
    while (done < packets) {
        while (outstanding < BENCH_DEPTH && xp_post_send(a.core, a.qpn, &wr, now) == XP_OK)
            outstanding++;
        done += pass(&a, &b, ++now);
        pass(&b, &a, ++now);
        int n = xp_poll_cq(a.core, a.cq, wc, BENCH_DEPTH);
        CHECK(n > 0 && wc[0].status == XP_WC_SUCCESS);
        outstanding -= (uint32_t)n;
    }
    double ns = (clock_user_s() - start) * 1e9 / (double)done;
    free(a.block);
    free(b.block);
    return ns;
}
