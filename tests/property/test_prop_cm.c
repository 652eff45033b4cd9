/*
 * Two connection managers over a way that loses, doubles and delays, many connections at once,
 * both sides active.  Whatever happens:
 *   - every attempt ends established on both sides, or failed or disconnected and closed;
 *   - QPs are joined in pairs that name each other, with each other's PSNs;
 *   - nobody stays connected with one that is not: data that is not answered leads to a DREQ.
 * Data is abstract: now and then each QP in RTS is heard by the QP that it names, or is not.
 */
#include "models/cm/cm.h"
#include "tests/suite.h"
#include "tests/unit/cm_pair.h"

#define SEEDS 150
#define FIRST_QPN 0x11u
#define MISSES_MAX 8
#define QUARTER ((uint64_t)1 << 62)

struct world {
    struct cm_pair *p;
    struct rng_stream draw;
    uint8_t misses[2][PAIR_QPS];
    uint64_t established, failed, left;
};

static struct cm_cfg some_cfg(struct rng_stream *r)
{
    struct cm_cfg cfg = {.conns = 64};
    cfg.timeout = (uint8_t)(3 + rng_below(r, 4)); /* 32 us and more: above a way there and back */
    cfg.retries = (uint8_t)rng_below(r, 6);
    cfg.handshakes = (uint32_t)rng_below(r, 5);
    cfg.timewait_ps = 400 * TM_US; /* above what a MAD may be late */
    return cfg;
}

static struct world make(uint64_t seed)
{
    struct world w = {.draw = rng_stream(seed, RNG_RUN, 0, 1)};
    struct cm_cfg cfg = some_cfg(&w.draw);
    w.p = pair_new(&cfg);
    w.p->draw = rng_stream(seed, RNG_RUN, 0, 2);
    w.p->quiet = true;
    w.p->drop = rng_below(&w.draw, 2 * QUARTER);
    w.p->dup = rng_below(&w.draw, QUARTER);
    w.p->late = rng_below(&w.draw, QUARTER);
    w.p->late_ps = 1 + (tm_ps)rng_below(&w.draw, 300 * TM_US);
    w.p->policy = rng_below(&w.draw, 8) == 0 ? PAIR_REJECT : PAIR_ACCEPT;
    return w;
}

static struct pair_qp *other(const struct world *w, uint32_t end, const struct pair_qp *q)
{
    uint32_t i = q->attr.dest_qpn - FIRST_QPN;
    CU_ASSERT_FATAL(i < w->p->qps[1 - end]);
    return &w->p->qp[1 - end][i];
}

/* A QP in RTS sends; it learns that it is alone only by not being answered. */
static void exchange(struct world *w, uint32_t end, uint32_t i)
{
    struct pair_qp *q = &w->p->qp[end][i], *peer;
    if (q->state != PQ_RTS)
        return;
    peer = other(w, end, q);
    bool heard = peer->state == PQ_RTR || peer->state == PQ_RTS;
    if (heard && peer->state == PQ_RTR && !peer->active)
        cm_comm_est(w->p->cm[1 - end], peer->conn, w->p->now);
    w->misses[end][i] = heard ? 0 : (uint8_t)(w->misses[end][i] + 1);
    if (w->misses[end][i] == MISSES_MAX &&
        cm_disconnect(w->p->cm[end], q->conn, w->p->now) == CM_OK)
        q->state = PQ_LEFT;
}

static void check_pairs(const struct world *w)
{
    for (uint32_t end = 0; end < 2; end++)
        for (uint32_t i = 0; i < w->p->qps[end]; i++) {
            const struct pair_qp *q = &w->p->qp[end][i];
            if (!q->ever_rts)
                continue;
            const struct pair_qp *peer = other(w, end, q);
            CU_ASSERT_EQUAL(peer->attr.dest_qpn, FIRST_QPN + i);
            CU_ASSERT_EQUAL(peer->attr.sq_psn, q->attr.rq_psn);
            CU_ASSERT_EQUAL(peer->attr.rq_psn, q->attr.sq_psn);
            CU_ASSERT_TRUE(peer->attr.max_rd_atomic <= q->attr.max_dest_rd_atomic);
            CU_ASSERT_NOT_EQUAL(peer->active, q->active);
        }
}

static void check_ends(struct world *w)
{
    for (uint32_t end = 0; end < 2; end++)
        for (uint32_t i = 0; i < w->p->qps[end]; i++) {
            const struct pair_qp *q = &w->p->qp[end][i];
            CU_ASSERT_TRUE(q->state == PQ_RTS || q->state == PQ_CLOSED);
            if (q->state == PQ_RTS)
                CU_ASSERT_EQUAL(other(w, end, q)->state, PQ_RTS);
            w->established += q->state == PQ_RTS;
            w->failed += q->state == PQ_CLOSED && !q->ever_rts;
            w->left += q->state == PQ_CLOSED && q->ever_rts;
        }
}

/* One round: perhaps a new attempt, perhaps a disconnection, then data, then 20 us. */
static void round_of(struct world *w, bool eventful)
{
    struct cm_pair *p = w->p;
    uint32_t end = (uint32_t)rng_below(&w->draw, 2);
    if (eventful)
        pair_connect(p, end);
    if (eventful && rng_below(&w->draw, 3) == 0) {
        struct pair_qp *q = &p->qp[end][rng_below(&w->draw, p->qps[end])];
        if (q->state == PQ_RTS && cm_disconnect(p->cm[end], q->conn, p->now) == CM_OK)
            q->state = PQ_LEFT;
    }
    for (uint32_t side = 0; side < 2; side++)
        for (uint32_t i = 0; i < p->qps[side]; i++)
            exchange(w, side, i);
    pair_run(p, p->now + 20 * TM_US);
    check_pairs(w);
}

static void prop_cm_every_attempt_ends_the_same_on_both_sides(void)
{
    uint64_t established = 0, failed = 0, left = 0;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        struct world w = make(seed);
        for (int i = 0; i < 30; i++)
            round_of(&w, true);
        /* 6 waits of 262 us for each of 30 attempts one after the other, and TIMEWAIT */
        for (int i = 0; i < 3000; i++)
            round_of(&w, false);
        check_ends(&w);
        CU_ASSERT_EQUAL(w.p->flights, 0);
        established += w.established;
        failed += w.failed;
        left += w.left;
        pair_free(w.p);
    }
    CU_ASSERT_TRUE(established > 500 && failed > 500 && left > 500);
}

/* ---- every placement --------------------------------------------------------------------------- */

#define PLACES 7
#define FATES 4 /* arrives, is lost, comes twice, comes after the next wait is over */

static void place(struct cm_pair *p, uint32_t schedule)
{
    for (uint32_t n = 0; n < PLACES; n++, schedule /= FATES) {
        uint64_t bit = (uint64_t)1 << n;
        p->drop_mask |= schedule % FATES == 1 ? bit : 0;
        p->dup_mask |= schedule % FATES == 2 ? bit : 0;
        p->late_mask |= schedule % FATES == 3 ? bit : 0;
    }
}

/*
 * One connection, what happens to its first seven MADs in all 4^7 ways; then the active side leaves.
 * In the end both are closed, whatever either knew in between.
 */
static void prop_cm_any_fate_of_the_first_mads_ends_closed(void)
{
    uint64_t established = 0, failed = 0;
    for (uint32_t schedule = 0; schedule < 1u << (2 * PLACES); schedule++) {
        struct cm_cfg cfg = pair_cfg();
        struct world w = {.p = pair_new(&cfg)};
        w.p->quiet = true;
        w.p->late_ps = 70 * TM_US;
        place(w.p, schedule);
        pair_connect(w.p, 0);
        for (int i = 0; i < 50; i++) {
            exchange(&w, 0, 0);
            pair_run(w.p, w.p->now + 20 * TM_US);
        }
        check_pairs(&w);
        struct pair_qp *q = &w.p->qp[0][0];
        established += q->state == PQ_RTS && w.p->qp[1][0].state == PQ_RTS;
        failed += q->state != PQ_RTS;
        if (cm_disconnect(w.p->cm[0], q->conn, w.p->now) == CM_OK)
            q->state = PQ_LEFT;
        for (int i = 0; i < 50; i++) {
            exchange(&w, 1, 0); /* where every DREQ is lost, nobody answers B's data */
            pair_run(w.p, w.p->now + 20 * TM_US);
        }
        pair_run(w.p, TM_S);
        check_pairs(&w);
        for (uint32_t end = 0; end < 2; end++)
            for (uint32_t i = 0; i < w.p->qps[end]; i++)
                CU_ASSERT_EQUAL(w.p->qp[end][i].state, PQ_CLOSED);
        pair_free(w.p);
    }
    CU_ASSERT_EQUAL(established + failed, 1u << (2 * PLACES));
    CU_ASSERT_TRUE(established > failed && failed > 0);
}

/* ---- any bytes ---------------------------------------------------------------------------------- */

/* MADs of a real exchange, changed at random, and random ones, into end B from two hosts. */
static void disturb(struct cm_pair *p, struct rng_stream *r, const struct cm_mad *real)
{
    uint8_t bytes[CM_MAD_BYTES];
    struct cm_mad m;
    cm_mad_encode(real, bytes);
    if (rng_below(r, 2))
        bytes[17] = (uint8_t)CM_ATTRIBUTE(rng_below(r, CM_KINDS));
    for (uint64_t n = rng_below(r, 4); n > 0; n--)
        bytes[24 + rng_below(r, 60)] = (uint8_t)rng_next(r);
    if (cm_mad_decode(bytes, &m))
        cm_recv(p->cm[1], (uint32_t)rng_below(r, 2) * 5, &m, p->now);
}

/* Whatever comes, the CM stays whole: what it sends can be encoded, and all its records close. */
static void prop_cm_changed_mads_leave_it_whole(void)
{
    struct rng_stream r = rng_stream(7, RNG_RUN, 0, 1);
    struct cm_cfg cfg = pair_cfg();
    struct cm_pair *p = pair_new(&cfg);
    uint8_t bytes[CM_MAD_BYTES];
    struct cm_mad answered = {0};
    struct cm_event ev;
    struct cm_tx tx;
    for (int round = 0; round < 20000; round++) {
        struct cm_mad real = {.kind = CM_REQ, .offer.qpn = 0x11 + (uint32_t)rng_below(&r, 8)};
        real.local_id = 32 + (uint32_t)rng_below(&r, 64);
        real.req.service_id = PAIR_SERVICE;
        real.req.mtu = 3;
        if (answered.local_id && rng_below(&r, 2)) {
            real.kind = CM_RTU;
            real.local_id = answered.remote_id;
            real.remote_id = answered.local_id;
        }
        disturb(p, &r, &real);
        p->now += (tm_ps)rng_below(&r, 100 * TM_US);
        cm_expire(p->cm[1], p->now);
        while (cm_take_event(p->cm[1], &ev))
            if (ev.kind == CM_EV_REQUEST && rng_below(&r, 2))
                cm_accept(p->cm[1], ev.conn, &(struct cm_own){.qpn = 9}, p->now);
            else if (ev.kind == CM_EV_REQUEST || ev.kind == CM_EV_TO_RTS)
                cm_reject(p->cm[1], ev.conn, CM_REJ_CONSUMER, p->now);
        while (cm_pull(p->cm[1], &tx)) {
            cm_mad_encode(&tx.mad, bytes);
            if (tx.mad.kind == CM_REP)
                answered = tx.mad;
        }
    }
    const struct cm_counts *n = cm_counts(p->cm[1]);
    CU_ASSERT_TRUE(n->sent[CM_REP] > 500 && n->established > 50 && n->sent[CM_DREP] > 50);
    for (uint32_t conn = 0; conn < cfg.conns; conn++)
        cm_disconnect(p->cm[1], conn, p->now);
    while (cm_deadline(p->cm[1]) != TM_NEVER) {
        p->now = cm_deadline(p->cm[1]);
        cm_expire(p->cm[1], p->now);
        while (cm_take_event(p->cm[1], &ev) || cm_pull(p->cm[1], &tx))
            ;
    }
    struct cm_ask ask = {.peer = 0, .service_id = 1, .mtu = 3};
    uint32_t conn, free_records = 0;
    while (cm_connect(p->cm[1], &ask, p->now, &conn) == CM_OK)
        free_records++;
    CU_ASSERT_EQUAL(free_records, cfg.conns);
    pair_free(p);
}

static const struct test tests[] = {TEST(prop_cm_every_attempt_ends_the_same_on_both_sides),
                                    TEST(prop_cm_any_fate_of_the_first_mads_ends_closed),
                                    TEST(prop_cm_changed_mads_leave_it_whole), TESTS_END};
const struct suite suite_prop_cm = {"prop_cm", tests};
