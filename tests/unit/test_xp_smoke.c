/*
 * The transport core by hand: two cores, packets carried between them one at a time.
 *
 * Only the basics of each role; the thorough tests are test_rc_*, test_uc_* and the properties.
 */
#include <stdlib.h>
#include <string.h>

#include "models/transport/xp.h"
#include "tests/suite.h"

#define MTU 1024u
#define BASE 0x10000u
#define SPACE 0x100000u

struct end {
    struct xp *x;
    uint32_t cq, qpn, key;
};

struct bench {
    struct end a, b;
    tm_ps now;
};

static const struct xp_limits limits = {.qp = 4,
                                        .cq = 2,
                                        .mr = 2,
                                        .send_wqe = 64,
                                        .recv_wqe = 64,
                                        .cqe = 64,
                                        .active = 4,
                                        .answer = 128,
                                        .attr_set = 16};

static const struct xp_qp_attr attrs = {
    .state = XP_INIT,
    .path = {.host = 1},
    .rq_psn = {0xfffffe},
    .sq_psn = {0xfffffe},
    .access = XP_LOCAL_WRITE | XP_REMOTE_WRITE,
    .path_mtu = MTU,
    .pkey = 0xffff,
    .port = 1,
    .timeout = 4,
    .retry_cnt = 2,
    .rnr_retry = 1,
    .min_rnr_timer = 1,
    .max_rd_atomic = 1,
    .max_dest_rd_atomic = 1,
};

static struct end end_new(enum xp_service_id service, struct xp_profile profile)
{
    size_t size = xp_size(&limits);
    void *block = aligned_alloc(64, size);
    struct end e;

    memset(block, 0, size);
    e.x = xp_init(block, size, &limits, &profile, 1);
    xp_cq_create(e.x, 32, &e.cq);
    struct xp_qp_init init = {.service = service,
                              .pd = 1,
                              .send_cq = e.cq,
                              .recv_cq = e.cq,
                              .sq_depth = 16,
                              .rq_depth = 16};
    CU_ASSERT_EQUAL(xp_qp_create(e.x, &init, &e.qpn), XP_OK);
    xp_mr_add(e.x, 1, BASE, SPACE, XP_LOCAL_WRITE | XP_REMOTE_WRITE, 7, &e.key);
    return e;
}

static void connect_end(struct end *e, uint32_t peer, bool acked)
{
    uint32_t more_rtr = acked ? XP_A_MAX_DEST_RD | XP_A_MIN_RNR : 0;
    uint32_t more_rts = acked ? XP_A_TIMEOUT | XP_A_RETRY_CNT | XP_A_RNR_RETRY | XP_A_MAX_RD : 0;
    struct xp_qp_attr at = attrs;

    at.dest_qp = peer;
    CU_ASSERT_EQUAL(
        xp_qp_modify(e->x, e->qpn, &at, XP_A_STATE | XP_A_PKEY | XP_A_PORT | XP_A_ACCESS, 0),
        XP_OK);
    at.state = XP_RTR;
    CU_ASSERT_EQUAL(
        xp_qp_modify(e->x, e->qpn, &at,
                     XP_A_STATE | XP_A_AV | XP_A_PATH_MTU | XP_A_DEST_QP | XP_A_RQ_PSN | more_rtr,
                     0),
        XP_OK);
    at.state = XP_RTS;
    CU_ASSERT_EQUAL(xp_qp_modify(e->x, e->qpn, &at, XP_A_STATE | XP_A_SQ_PSN | more_rts, 0), XP_OK);
}

static struct bench bench_new(enum xp_service_id service)
{
    struct xp_profile profile = xp_profile_spec();
    profile.ack_coalesce = false;
    struct bench t = {.a = end_new(service, profile), .b = end_new(service, profile)};

    connect_end(&t.a, t.b.qpn, service == XP_RC);
    connect_end(&t.b, t.a.qpn, service == XP_RC);
    return t;
}

static void bench_free(struct bench *t)
{
    CU_ASSERT_EQUAL(xp_outstanding(t->a.x), 0);
    CU_ASSERT_EQUAL(xp_outstanding(t->b.x), 0);
    CU_ASSERT_PTR_NULL(xp_exhausted(t->a.x));
    CU_ASSERT_PTR_NULL(xp_exhausted(t->b.x));
    free(t->a.x);
    free(t->b.x);
}

static void post(struct bench *t, enum xp_wr_op op, uint32_t length, uint64_t wr_id)
{
    struct xp_send_wr wr = {.wr_id = wr_id,
                            .sge = {BASE, length, t->a.key},
                            .remote_addr = BASE + 0x100,
                            .rkey = t->b.key,
                            .imm = 0xabcd,
                            .op = (uint8_t)op,
                            .flags = XP_SIGNALED};
    CU_ASSERT_EQUAL(xp_post_send(t->a.x, t->a.qpn, &wr, t->now), XP_OK);
}

static void post_recv(struct bench *t, uint32_t length, uint64_t wr_id)
{
    struct xp_recv_wr wr = {.wr_id = wr_id, .sge = {BASE, length, t->b.key}};
    CU_ASSERT_EQUAL(xp_post_recv(t->b.x, t->b.qpn, &wr, t->now), XP_OK);
}

/* Pulls until idle; packet i is lost if bit i of `lost` is set, else arrives.  How many. */
static int carry(struct bench *t, struct end *from, struct end *to, uint32_t lost)
{
    struct xp_tx tx;
    struct xp_rx rx;
    int n = 0;

    memset(&tx, 0, sizeof tx);
    while (xp_pull(from->x, from->qpn, t->now, &tx) == XP_PULLED) {
        if (!(lost >> n++ & 1))
            xp_recv(to->x, &tx.hdr, NULL, tx.path, t->now, &rx);
    }
    return n;
}

/* Carries both ways until nothing moves. */
static void settle(struct bench *t)
{
    while (carry(t, &t->a, &t->b, 0) + carry(t, &t->b, &t->a, 0))
        ;
}

static void expect_wc(struct end *e, uint64_t wr_id, enum xp_status status, uint32_t bytes)
{
    struct xp_wc wc = {0};
    CU_ASSERT_EQUAL(xp_poll_cq(e->x, e->cq, &wc, 1), 1);
    CU_ASSERT_EQUAL(wc.wr_id, wr_id);
    CU_ASSERT_EQUAL(wc.status, status);
    CU_ASSERT_EQUAL(wc.byte_len, bytes);
}

static void expect_none(struct end *e)
{
    struct xp_wc wc;
    CU_ASSERT_EQUAL(xp_poll_cq(e->x, e->cq, &wc, 1), 0);
}

static enum xp_state state_of(struct end *e)
{
    struct xp_qp_query q;
    CU_ASSERT_EQUAL(xp_qp_query(e->x, e->qpn, &q), XP_OK);
    return q.state;
}

static void xp_smoke_rc_send_of_three_packets_over_the_wrap_completes_at_both_ends(void)
{
    struct bench t = bench_new(XP_RC);
    struct xp_qp_query q;

    post_recv(&t, 4096, 70);
    post(&t, XP_WR_SEND, 2 * MTU + 1, 10);
    CU_ASSERT_EQUAL(carry(&t, &t.a, &t.b, 0), 3);
    expect_none(&t.a);
    expect_wc(&t.b, 70, XP_WC_SUCCESS, 2 * MTU + 1);
    CU_ASSERT_EQUAL(carry(&t, &t.b, &t.a, 0), 1);
    expect_wc(&t.a, 10, XP_WC_SUCCESS, 0);
    xp_qp_query(t.b.x, t.b.qpn, &q);
    CU_ASSERT_EQUAL(q.rq_psn.v, 1);
    CU_ASSERT_EQUAL(q.msn, 1);
    bench_free(&t);
}

static void xp_smoke_rc_write_names_the_bytes_to_gather_and_to_place(void)
{
    struct bench t = bench_new(XP_RC);
    struct xp_tx tx;
    struct xp_rx rx;
    uint32_t qpn;

    post(&t, XP_WR_WRITE, MTU + 4, 10);
    CU_ASSERT_TRUE(xp_woken(t.a.x, &qpn));
    CU_ASSERT_EQUAL(qpn, t.a.qpn);
    CU_ASSERT_FALSE(xp_woken(t.a.x, &qpn));
    CU_ASSERT_EQUAL(xp_pull(t.a.x, t.a.qpn, 0, &tx), XP_PULLED);
    xp_recv(t.b.x, &tx.hdr, NULL, tx.path, 0, &rx);
    CU_ASSERT_FALSE(rx.message_done);
    CU_ASSERT_EQUAL(xp_pull(t.a.x, t.a.qpn, 0, &tx), XP_PULLED);
    CU_ASSERT_EQUAL(tx.seg.addr, BASE + MTU);
    CU_ASSERT_EQUAL(tx.seg.len, 4);
    CU_ASSERT_EQUAL(tx.hdr.flags, WIRE_MIGREQ | WIRE_ACKREQ);
    xp_recv(t.b.x, &tx.hdr, NULL, tx.path, 0, &rx);
    CU_ASSERT_EQUAL(rx.deed, XP_PLACE);
    CU_ASSERT_EQUAL(rx.seg.addr, BASE + 0x100 + MTU);
    CU_ASSERT_EQUAL(rx.seg.len, 4);
    CU_ASSERT_TRUE(rx.message_done);
    CU_ASSERT_EQUAL(rx.message_bytes, MTU + 4);
    settle(&t);
    expect_wc(&t.a, 10, XP_WC_SUCCESS, 0);
    bench_free(&t);
}

static void xp_smoke_rc_lost_packet_draws_one_nak_and_is_repeated(void)
{
    struct bench t = bench_new(XP_RC);

    post(&t, XP_WR_WRITE, 4 * MTU, 10);
    CU_ASSERT_EQUAL(carry(&t, &t.a, &t.b, 1u << 1), 4);
    CU_ASSERT_EQUAL(carry(&t, &t.b, &t.a, 0), 1);
    CU_ASSERT_EQUAL(carry(&t, &t.a, &t.b, 0), 3);
    settle(&t);
    expect_wc(&t.a, 10, XP_WC_SUCCESS, 0);
    CU_ASSERT_EQUAL(xp_counts(t.b.x)->naks_sent, 1);
    CU_ASSERT_EQUAL(xp_counts(t.b.x)->out_of_sequence, 2);
    CU_ASSERT_EQUAL(xp_counts(t.a.x)->requests_retransmitted, 3);
    bench_free(&t);
}

static void xp_smoke_rc_silent_peer_fails_after_three_intervals(void)
{
    struct bench t = bench_new(XP_RC);
    const tm_ps interval = 65536 * TM_NS;

    t.now = 5 * TM_US;
    post(&t, XP_WR_WRITE, 8, 10);
    post(&t, XP_WR_WRITE, 8, 11);
    for (int i = 0; i < 3; i++) {
        CU_ASSERT_EQUAL(carry(&t, &t.a, &t.b, ~0u), 2);
        expect_none(&t.a);
        t.now = xp_deadline(t.a.x);
        CU_ASSERT_EQUAL(t.now, 5 * TM_US + (i + 1) * interval);
        xp_expire(t.a.x, t.now);
    }
    expect_wc(&t.a, 10, XP_WC_RETRY_EXC_ERR, 0);
    expect_wc(&t.a, 11, XP_WC_WR_FLUSH_ERR, 0);
    CU_ASSERT_EQUAL(state_of(&t.a), XP_ERR);
    bench_free(&t);
}

static void xp_smoke_rc_missing_receive_is_waited_for(void)
{
    struct bench t = bench_new(XP_RC);

    post(&t, XP_WR_SEND_IMM, 8, 10);
    settle(&t);
    CU_ASSERT_EQUAL(xp_deadline(t.a.x), 10 * TM_US);
    post_recv(&t, 8, 70);
    CU_ASSERT_EQUAL(carry(&t, &t.a, &t.b, 0), 0);
    t.now = 10 * TM_US;
    xp_expire(t.a.x, t.now);
    settle(&t);
    expect_wc(&t.a, 10, XP_WC_SUCCESS, 0);
    expect_wc(&t.b, 70, XP_WC_SUCCESS, 8);
    CU_ASSERT_EQUAL(xp_counts(t.b.x)->rnr_naks_sent, 1);
    bench_free(&t);
}

static void xp_smoke_rc_short_receive_fails_both_ends(void)
{
    struct bench t = bench_new(XP_RC);

    post_recv(&t, 7, 70);
    post_recv(&t, 8, 71);
    post(&t, XP_WR_SEND, 8, 10);
    settle(&t);
    expect_wc(&t.b, 70, XP_WC_LOC_LEN_ERR, 0);
    expect_wc(&t.b, 71, XP_WC_WR_FLUSH_ERR, 0);
    expect_wc(&t.a, 10, XP_WC_REM_INV_REQ_ERR, 0);
    CU_ASSERT_EQUAL(state_of(&t.a), XP_ERR);
    CU_ASSERT_EQUAL(state_of(&t.b), XP_ERR);
    bench_free(&t);
}

static void xp_smoke_uc_lost_packet_loses_its_message_alone(void)
{
    struct bench t = bench_new(XP_UC);

    post_recv(&t, 4096, 70);
    post(&t, XP_WR_SEND, 3 * MTU, 10);
    post(&t, XP_WR_SEND, MTU + 5, 11);
    CU_ASSERT_EQUAL(carry(&t, &t.a, &t.b, 1u << 1), 5);
    expect_wc(&t.a, 10, XP_WC_SUCCESS, 0);
    expect_wc(&t.a, 11, XP_WC_SUCCESS, 0);
    expect_wc(&t.b, 70, XP_WC_SUCCESS, MTU + 5);
    bench_free(&t);
}

static void xp_smoke_copied_core_goes_on_like_the_original(void)
{
    struct bench t = bench_new(XP_RC);
    size_t size = xp_size(&limits);
    struct xp *copy = aligned_alloc(64, size);
    struct xp_tx tx[2];

    post(&t, XP_WR_WRITE, 8 * MTU, 10);
    carry(&t, &t.a, &t.b, 1u << 3);
    memcpy(copy, t.a.x, size);
    CU_ASSERT_EQUAL(xp_digest(copy, t.now), xp_digest(t.a.x, t.now));
    t.now = xp_deadline(copy);
    xp_expire(copy, t.now);
    CU_ASSERT_NOT_EQUAL(xp_digest(copy, t.now), xp_digest(t.a.x, t.now));
    xp_expire(t.a.x, t.now);
    CU_ASSERT_EQUAL(xp_digest(copy, t.now), xp_digest(t.a.x, t.now));
    memset(tx, 0, sizeof tx);
    CU_ASSERT_EQUAL(xp_pull(copy, t.a.qpn, t.now, &tx[0]), XP_PULLED);
    CU_ASSERT_EQUAL(xp_pull(t.a.x, t.a.qpn, t.now, &tx[1]), XP_PULLED);
    CU_ASSERT_EQUAL(memcmp(&tx[0].hdr, &tx[1].hdr, sizeof tx[0].hdr), 0);
    settle(&t);
    expect_wc(&t.a, 10, XP_WC_SUCCESS, 0);
    bench_free(&t);
    free(copy);
}

static const struct test tests[] = {
    TEST(xp_smoke_rc_send_of_three_packets_over_the_wrap_completes_at_both_ends),
    TEST(xp_smoke_rc_write_names_the_bytes_to_gather_and_to_place),
    TEST(xp_smoke_rc_lost_packet_draws_one_nak_and_is_repeated),
    TEST(xp_smoke_rc_silent_peer_fails_after_three_intervals),
    TEST(xp_smoke_rc_missing_receive_is_waited_for),
    TEST(xp_smoke_rc_short_receive_fails_both_ends),
    TEST(xp_smoke_uc_lost_packet_loses_its_message_alone),
    TEST(xp_smoke_copied_core_goes_on_like_the_original),
    TESTS_END,
};
const struct suite suite_xp_smoke = {"xp_smoke", tests};
