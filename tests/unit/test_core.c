/*
 * The core as a whole: limits at birth, pools that run out, the ring of events, several QPs at
 * once.
 */

#include "sim/base/check.h"
#include "tests/unit/rig.h"

static struct xp_limits some(void)
{
    return (struct xp_limits){.qp = 4,
                              .cq = 4,
                              .mr = 4,
                              .send_wqe = 16,
                              .recv_wqe = 16,
                              .cqe = 16,
                              .active = 4,
                              .answer = 16,
                              .attr_set = 4};
}

static void core_size_grows_with_each_limit(void)
{
    struct xp_limits l = some();
    size_t base = xp_size(&l);
    uint32_t *const field[] = {&l.qp,  &l.cq,     &l.mr,     &l.send_wqe, &l.recv_wqe,
                               &l.cqe, &l.active, &l.answer, &l.attr_set};
    CU_ASSERT_TRUE(base > 0);
    for (size_t i = 0; i < sizeof field / sizeof field[0]; i++) {
        uint32_t keep = *field[i];
        *field[i] = keep + 1000;
        CU_ASSERT_TRUE(xp_size(&l) > base);
        *field[i] = keep;
    }
    INT_IS(xp_size(&l), base);
}

static void core_size_refuses_limits_out_of_range(void)
{
    struct xp_limits l = some();
    l.qp = 1u << 24; /* QP numbers have 24 bits */
    INT_IS(xp_size(&l), 0);
    l = some();
    l.attr_set = 0;
    INT_IS(xp_size(&l), 0);
    l = some();
    l.active = 0;
    INT_IS(xp_size(&l), 0);
}

static void core_posting_beyond_the_pool_is_void_or_refused(void)
{
    struct loop_config cfg = {.ends = 1,
                              .limits = some(),
                              .profile = xp_profile_spec(),
                              .arena_bytes = 64,
                              .delay_ps = 1};
    cfg.limits.recv_wqe = 3;
    struct loop *l = loop_new(&cfg);
    struct xp *x = l->end[0].core;
    uint32_t cq, qpn;
    CHECK(xp_cq_create(x, 8, &cq) == XP_OK);
    struct xp_qp_init init = {
        .service = XP_UC, .pd = RIG_PD, .send_cq = cq, .recv_cq = cq, .sq_depth = 8, .rq_depth = 8};
    CHECK(xp_qp_create(x, &init, &qpn) == XP_OK);
    struct xp_qp_attr attr = {.state = XP_INIT, .pkey = 0xffff, .port = 1};
    CHECK(xp_qp_modify(x, qpn, &attr, XP_A_STATE | XP_A_PKEY | XP_A_PORT | XP_A_ACCESS, 0) ==
          XP_OK);
    struct xp_recv_wr wr = {.wr_id = 1, .sge = {0, 0, 0}};
    for (int i = 0; i < 3; i++)
        INT_IS(xp_post_recv(x, qpn, &wr, 0), XP_OK);
    CU_ASSERT_PTR_NULL(xp_exhausted(x));
    INT_IS(xp_post_recv(x, qpn, &wr, 0), XP_ENOMEM);
    if (xp_exhausted(x))
        TEXT_IS(xp_exhausted(x), "recv_wqe");
    loop_free(l);
}

static void core_more_cqs_or_qps_than_the_limit_are_enomem(void)
{
    struct rig_spec s = rig_spec();
    struct rig *r = rig_new(&s);
    struct xp *x = r->loop->end[A].core;
    uint32_t cq, qpn;
    for (int i = 0; i < 4; i++) /* the rig has two of six */
        INT_IS(xp_cq_create(x, 1, &cq), XP_OK);
    INT_IS(xp_cq_create(x, 1, &cq), XP_ENOMEM);
    INT_IS(xp_cq_create(x, 0, &cq), XP_EINVAL);
    struct xp_qp_init init = {.service = XP_UC,
                              .pd = RIG_PD,
                              .send_cq = r->scq[A],
                              .recv_cq = r->rcq[A],
                              .sq_depth = 8,
                              .rq_depth = 8};
    for (int i = 0; i < 3; i++) /* one of four */
        INT_IS(xp_qp_create(x, &init, &qpn), XP_OK);
    INT_IS(xp_qp_create(x, &init, &qpn), XP_ENOMEM);
    CU_ASSERT_PTR_NULL(xp_exhausted(x));
    rig_free(r);
}

static void core_queues_deeper_than_the_profile_are_refused(void)
{
    struct rig_spec s = rig_spec();
    s.profile.max.qp_wr = 64;
    struct rig *r = rig_new(&s);
    struct xp *x = r->loop->end[A].core;
    uint32_t qpn;
    struct xp_qp_init init = {.service = XP_RC,
                              .pd = RIG_PD,
                              .send_cq = r->scq[A],
                              .recv_cq = r->rcq[A],
                              .sq_depth = 65,
                              .rq_depth = 8};
    INT_IS(xp_qp_create(x, &init, &qpn), XP_EINVAL);
    init = (struct xp_qp_init){.service = XP_RC,
                               .pd = RIG_PD,
                               .send_cq = r->scq[A],
                               .recv_cq = r->rcq[A],
                               .sq_depth = 8,
                               .rq_depth = 65};
    INT_IS(xp_qp_create(x, &init, &qpn), XP_EINVAL);
    init = (struct xp_qp_init){.service = XP_SERVICES,
                               .pd = RIG_PD,
                               .send_cq = r->scq[A],
                               .recv_cq = r->rcq[A],
                               .sq_depth = 8,
                               .rq_depth = 8};
    INT_IS(xp_qp_create(x, &init, &qpn), XP_EINVAL);
    init = (struct xp_qp_init){.service = XP_RC,
                               .pd = RIG_PD,
                               .send_cq = r->scq[A],
                               .recv_cq = r->rcq[A],
                               .sq_depth = 64,
                               .rq_depth = 64};
    INT_IS(xp_qp_create(x, &init, &qpn), XP_OK);
    rig_free(r);
}

/* B's first receive CQ serves two QPs: what overruns it is the end of both. */
static void core_full_cq_ends_all_its_qps(void)
{
    struct rig_spec s = rig_spec();
    s.cq_depth = 1;
    struct rig *r = rig_new(&s);
    struct xp *x = r->loop->end[B].core;
    struct xp_qp_init init = {.service = XP_UC,
                              .pd = RIG_PD,
                              .send_cq = r->scq[B],
                              .recv_cq = r->rcq[B],
                              .sq_depth = 8,
                              .rq_depth = 8};
    struct xp_qp_attr attr = {.state = XP_INIT, .pkey = 0xffff, .port = 1};
    struct xp_qp_query q;
    uint32_t second, other;
    CHECK(xp_qp_create(x, &init, &second) == XP_OK);
    init.recv_cq = init.send_cq;
    CHECK(xp_qp_create(x, &init, &other) == XP_OK);
    CHECK(xp_qp_modify(x, second, &attr, XP_A_STATE | XP_A_PKEY | XP_A_PORT | XP_A_ACCESS, 0) ==
          XP_OK);
    CHECK(xp_qp_modify(x, other, &attr, XP_A_STATE | XP_A_PKEY | XP_A_PORT | XP_A_ACCESS, 0) ==
          XP_OK);
    rig_recvs(r, 11, 2, 8);
    rig_inject(r, B, rig_request(r, OP_SEND_ONLY, 100, 8));
    rig_inject(r, B, rig_request(r, OP_SEND_ONLY, 101, 8));
    INT_IS(rig_state_of(r, B), XP_ERR);
    CHECK(xp_qp_query(x, second, &q) == XP_OK);
    INT_IS(q.state, XP_ERR);
    CHECK(xp_qp_query(x, other, &q) == XP_OK);
    INT_IS(q.state, XP_INIT);
    attr.state = XP_RESET;
    CHECK(xp_qp_modify(x, second, &attr, XP_A_STATE, 0) == XP_OK);
    CHECK(xp_qp_modify(x, other, &attr, XP_A_STATE, 0) == XP_OK);
    rig_free(r);
}

static void core_events_are_a_ring_that_loses_the_oldest(void)
{
    struct rig_spec s = rig_spec();
    struct rig *r = rig_new(&s);
    struct xp_qp_attr attr = {.state = XP_SQD};
    struct xp_event ev;
    struct xp *x = r->loop->end[A].core;
    uint32_t n = 0;
    for (int i = 0; i < 5000; i++) {
        CHECK(xp_qp_modify(x, r->qp[A], &attr, XP_A_STATE | XP_A_SQD_NOTIFY, 0) == XP_OK);
        CHECK(rig_state(r, A, XP_RTS) == XP_OK);
    }
    struct xp_qp_init init = {.service = XP_RC,
                              .pd = RIG_PD,
                              .send_cq = r->scq[A],
                              .recv_cq = r->rcq[A],
                              .sq_depth = 8,
                              .rq_depth = 8};
    uint32_t first = r->qp[A], second, newest[3] = {0};
    CHECK(xp_qp_create(x, &init, &second) == XP_OK);
    r->qp[A] = second;
    rig_connect(r, A, XP_RTS);
    for (int i = 0; i < 2; i++) {
        CHECK(xp_qp_modify(x, second, &attr, XP_A_STATE | XP_A_SQD_NOTIFY, 0) == XP_OK);
        CHECK(rig_state(r, A, XP_RTS) == XP_OK);
    }
    for (; xp_take_event(x, &ev); n++) {
        INT_IS(ev.kind, XP_EV_SQ_DRAINED);
        newest[0] = newest[1];
        newest[1] = newest[2];
        newest[2] = ev.qpn;
    }
    INT_IS(newest[0], first);
    INT_IS(newest[1], second);
    INT_IS(newest[2], second);
    CU_ASSERT_TRUE(n >= 8 && n < 5000);
    rig_free(r);
}

/* ---- several QPs ----------------------------------------------------------------------------- */

static void core_woken_names_each_qp_once_until_it_is_idle(void)
{
    struct rig_spec s = rig_spec();
    struct rig *r = rig_new(&s);
    struct xp *x = r->loop->end[A].core;
    struct xp_tx tx;
    uint32_t qpn = 0;
    CU_ASSERT_FALSE(xp_woken(x, &qpn));
    rig_sends(r, 1, 2, 8);
    CU_ASSERT_TRUE(xp_woken(x, &qpn));
    INT_IS(qpn, r->qp[A]);
    CU_ASSERT_FALSE(xp_woken(x, &qpn));
    INT_IS(xp_pull(x, qpn, 0, &tx), XP_PULLED);
    INT_IS(xp_pull(x, qpn, 0, &tx), XP_PULLED);
    INT_IS(xp_pull(x, qpn, 0, &tx), XP_IDLE);
    CU_ASSERT_FALSE(xp_woken(x, &qpn));
    rig_sends(r, 3, 1, 8);
    CU_ASSERT_TRUE(xp_woken(x, &qpn));
    INT_IS(xp_pull(x, qpn, 0, &tx), XP_PULLED);
    rig_sends(r, 4, 1, 8);
    INT_IS(xp_pull(x, qpn, 0, &tx), XP_PULLED); /* without having been named */
    INT_IS(xp_pull(x, qpn, 0, &tx), XP_IDLE);
    CU_ASSERT_FALSE(xp_woken(x, &qpn));
    rig_free(r);
}

static void core_more_tells_whether_to_pull_again(void)
{
    struct rig_spec s = rig_spec();
    s.profile.window_packets = 2;
    struct rig *r = rig_new(&s);
    struct xp *x = r->loop->end[A].core;
    struct xp_tx tx;
    uint32_t qpn;
    rig_sends(r, 1, 3, 8);
    CU_ASSERT_TRUE(xp_woken(x, &qpn));
    INT_IS(xp_pull(x, qpn, 0, &tx), XP_PULLED);
    CU_ASSERT_TRUE(tx.more);
    INT_IS(xp_pull(x, qpn, 0, &tx), XP_PULLED);
    CU_ASSERT_FALSE(tx.more); /* the window is full */
    CU_ASSERT_FALSE(xp_woken(x, &qpn));
    rig_inject(r, A, rig_answer(r, 0x1f, 100, 1));
    CU_ASSERT_TRUE(xp_woken(x, &qpn)); /* without a pull that found nothing in between */
    INT_IS(xp_pull(x, qpn, 0, &tx), XP_PULLED);
    INT_IS(tx.hdr.psn.v, 102);
    CU_ASSERT_FALSE(tx.more);
    rig_free(r);
}

static void core_tx_carries_the_notes_of_its_message(void)
{
    struct rig_spec s = rig_spec();
    struct rig *r = rig_new(&s);
    struct xp *x = r->loop->end[A].core;
    struct xp_tx tx;
    rig_sends(r, 3, 1, 300);
    INT_IS(xp_pull(x, r->qp[A], 0, &tx), XP_PULLED);
    INT_IS(tx.tag, 1003);
    INT_IS(tx.msgno, 3);
    INT_IS(tx.seg.addr, RIG_BASE);
    INT_IS(tx.seg.len, 256);
    INT_IS(tx.path.host, B);
    INT_IS(tx.path.entropy, 7);
    CU_ASSERT_FALSE(tx.response || tx.retransmit || tx.last_of_message);
    INT_IS(xp_pull(x, r->qp[A], 0, &tx), XP_PULLED);
    INT_IS(tx.tag, 1003);
    INT_IS(tx.seg.addr, RIG_BASE + 256);
    INT_IS(tx.seg.len, 44);
    CU_ASSERT_TRUE(tx.last_of_message);
    rig_free(r);
}

/* Both QPs of B have an expiry due at one time: one call serves both. */
static void core_expire_serves_all_that_is_due(void)
{
    struct rig_spec s = rig_spec();
    struct rig *r = rig_new(&s);
    r->loop->dir[A][B].drop_mask = 1;
    r->loop->dir[B][A].drop_mask = 1;
    struct xp_send_wr wr = rig_wr(r, B, (struct rig_op){.id = 9, .op = XP_WR_WRITE, .len = 8});
    CHECK(xp_post_send(r->loop->end[B].core, r->qp[B], &wr, 0) == XP_OK);
    CHECK(rig_post(r, (struct rig_op){.id = 1, .op = XP_WR_WRITE, .len = 8}) == XP_OK);
    rig_run(r);
    TEXT_IS(rig_wcs(r, A), "1:0");
    TEXT_IS(rig_wcs(r, B), "9:0");
    rig_free(r);
}

/* Three QPs want to send; the middle one of the list goes away before it is named. */
static void core_woken_forgets_a_qp_that_is_reset(void)
{
    for (uint32_t gone = 0; gone < 3; gone++) {
        struct rig_spec s = rig_spec_uc();
        struct rig *r = rig_new(&s);
        struct xp *x = r->loop->end[A].core;
        uint32_t qpn[3] = {r->qp[A]}, named, wanted[2], n = 0;
        struct xp_send_wr wr = rig_wr(r, A, (struct rig_op){.id = 1, .op = XP_WR_SEND, .len = 8});
        struct xp_qp_init init = {.service = XP_UC,
                                  .pd = RIG_PD,
                                  .send_cq = r->scq[A],
                                  .recv_cq = r->rcq[A],
                                  .sq_depth = 8,
                                  .rq_depth = 8};
        for (int i = 1; i < 3; i++) {
            CHECK(xp_qp_create(x, &init, &qpn[i]) == XP_OK);
            r->qp[A] = qpn[i];
            rig_connect(r, A, XP_RTS);
        }
        for (int i = 0; i < 3; i++)
            CHECK(xp_post_send(x, qpn[i], &wr, 0) == XP_OK);
        struct xp_qp_attr attr = {.state = XP_RESET};
        CHECK(xp_qp_modify(x, qpn[gone], &attr, XP_A_STATE, 0) == XP_OK);
        for (uint32_t i = 0; i < 3; i++)
            if (i != gone)
                wanted[n++] = qpn[i];
        for (n = 0; xp_woken(x, &named); n++)
            INT_IS(named, n < 2 ? wanted[n] : 0);
        INT_IS(n, 2);
        for (int i = 0; i < 3; i++)
            CHECK(xp_qp_destroy(x, qpn[i], 0) == XP_OK);
        CHECK(xp_qp_create(x, &init, &r->qp[A]) == XP_OK);
        rig_free(r);
    }
}

static void core_outstanding_counts_entries_in_use(void)
{
    struct rig_spec s = rig_spec();
    struct rig *r = rig_new(&s);
    struct xp *x = r->loop->end[A].core;
    struct xp_recv_wr rwr = {.wr_id = 1, .sge = {RIG_BASE, 8, r->key[A]}};
    INT_IS(xp_outstanding(x), 0);
    for (int i = 0; i < 3; i++)
        CHECK(xp_post_recv(x, r->qp[A], &rwr, 0) == XP_OK);
    INT_IS(xp_outstanding(x), 3);
    rig_recvs(r, 11, 2, 8);
    rig_sends(r, 1, 2, 8);
    INT_IS(xp_outstanding(x), 6); /* two sends, three receives, the active block */
    rig_run(r);
    INT_IS(xp_outstanding(x), 5); /* two completions, three receives */
    rig_wcs(r, A);
    INT_IS(xp_outstanding(x), 3);
    rig_free(r);
}

/* A send that cannot be gathered waits for those before it, without a busy loop of wake-ups. */
static void core_faulty_send_sleeps_until_its_turn(void)
{
    struct rig_spec s = rig_spec();
    struct rig *r = rig_new(&s);
    struct xp *x = r->loop->end[A].core;
    struct xp_tx tx;
    uint32_t qpn;
    struct xp_send_wr bad = rig_wr(r, A, (struct rig_op){.id = 2, .op = XP_WR_WRITE, .len = 8});
    bad.sge.lkey ^= 0x4000;
    rig_sends(r, 1, 1, 8);
    CHECK(xp_post_send(x, r->qp[A], &bad, 0) == XP_OK);
    CU_ASSERT_TRUE(xp_woken(x, &qpn));
    INT_IS(xp_pull(x, qpn, 0, &tx), XP_PULLED);
    INT_IS(xp_pull(x, qpn, 0, &tx), XP_IDLE);
    CU_ASSERT_FALSE(xp_woken(x, &qpn));
    INT_IS(xp_pull(x, r->qp[A], 0, &tx), XP_IDLE);
    CU_ASSERT_FALSE(xp_woken(x, &qpn));
    TEXT_IS(rig_wcs(r, A), "");
    rig_inject(r, A, rig_answer(r, 0x1f, 100, 1));
    rig_run(r);
    TEXT_IS(rig_wcs(r, A), "1:0 2:4");
    rig_free(r);
}

static void core_access_can_be_taken_away_in_rts(void)
{
    struct rig_spec s = rig_spec();
    struct rig *r = rig_new(&s);
    struct xp_qp_attr attr = {.state = XP_RTS, .access = XP_REMOTE_READ};
    CHECK(rig_post(r, (struct rig_op){.id = 1, .op = XP_WR_WRITE, .len = 8}) == XP_OK);
    rig_run(r);
    CHECK(xp_qp_modify(r->loop->end[B].core, r->qp[B], &attr, XP_A_STATE, r->loop->now) == XP_OK);
    CHECK(rig_post(r, (struct rig_op){.id = 2, .op = XP_WR_WRITE, .len = 8}) == XP_OK);
    rig_run(r); /* not in the mask: as before */
    CHECK(xp_qp_modify(r->loop->end[B].core, r->qp[B], &attr, XP_A_STATE | XP_A_ACCESS,
                       r->loop->now) == XP_OK);
    CHECK(rig_post(r, (struct rig_op){.id = 3, .op = XP_WR_WRITE, .len = 8}) == XP_OK);
    rig_run(r);
    TEXT_IS(rig_wcs(r, A), "1:0 2:0 3:9");
    rig_free(r);
}

static const struct test tests[] = {TEST(core_size_grows_with_each_limit),
                                    TEST(core_size_refuses_limits_out_of_range),
                                    TEST(core_posting_beyond_the_pool_is_void_or_refused),
                                    TEST(core_more_cqs_or_qps_than_the_limit_are_enomem),
                                    TEST(core_queues_deeper_than_the_profile_are_refused),
                                    TEST(core_full_cq_ends_all_its_qps),
                                    TEST(core_events_are_a_ring_that_loses_the_oldest),
                                    TEST(core_woken_names_each_qp_once_until_it_is_idle),
                                    TEST(core_woken_forgets_a_qp_that_is_reset),
                                    TEST(core_outstanding_counts_entries_in_use),
                                    TEST(core_faulty_send_sleeps_until_its_turn),
                                    TEST(core_more_tells_whether_to_pull_again),
                                    TEST(core_tx_carries_the_notes_of_its_message),
                                    TEST(core_expire_serves_all_that_is_due),
                                    TEST(core_access_can_be_taken_away_in_rts),
                                    TESTS_END};
const struct suite suite_core = {"core", tests};
