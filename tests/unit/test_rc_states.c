/*
 * What happens to work under way when a QP leaves RTS: ERR flushes in order, RESET and destroy
 * drop, SQD lets begun sends finish; and what a full CQ does.
 */
#include <stdio.h>

#include "sim/base/check.h"
#include "tests/unit/rig.h"

static struct rig *rig_window(uint32_t window)
{
    struct rig_spec s = rig_spec();
    s.profile.window_packets = window;
    s.profile.ackreq_packets = 1;
    return rig_new(&s);
}

/* ---- ERR ------------------------------------------------------------------------------------- */

static void rc_states_err_flushes_both_queues_in_order(void)
{
    struct rig_spec s = rig_spec();
    struct rig *r = rig_new(&s);
    rig_recvs(r, 11, 4, 100);
    rig_sends(r, 1, 3, 100);
    rig_run(r);
    rig_sends(r, 4, 3, 100); /* 4 finds a receive, 5 and 6 do not */
    rig_run_for(r, 10 * TM_US);
    CHECK(rig_state(r, A, XP_ERR) == XP_OK);
    TEXT_IS(rig_wcs(r, A), "1:0 2:0 3:0 4:0 5:5 6:5");
    CHECK(rig_post(r, (struct rig_op){.id = 7, .op = XP_WR_WRITE, .len = 8, .unsignalled = true}) ==
          XP_OK);
    TEXT_IS(rig_wcs(r, A), "7:5");
    rig_packets(r, SHOW_ALL);
    rig_run(r);
    TEXT_IS(rig_packets(r, SHOW_ALL), "");
    INT_IS(xp_deadline(r->loop->end[A].core), TM_NEVER);
    rig_free(r);
}

static void rc_states_err_flushes_receives_in_order(void)
{
    struct rig_spec s = rig_spec();
    struct rig *r = rig_new(&s);
    rig_recvs(r, 11, 3, 100);
    rig_sends(r, 1, 1, 100);
    rig_run(r);
    CHECK(rig_state(r, B, XP_ERR) == XP_OK);
    CHECK(rig_recv(r, 14, 0, 100) == XP_OK);
    TEXT_IS(rig_rcs(r, B), "11:0/100 12:5 13:5 14:5");
    rig_free(r);
}

static void rc_states_err_amid_a_receive_flushes_it(void)
{
    struct rig_spec s = rig_spec();
    struct rig *r = rig_new(&s);
    rig_recvs(r, 11, 2, 1024);
    rig_inject(r, B, rig_request(r, OP_SEND_FIRST, 100, 256));
    CHECK(rig_state(r, B, XP_ERR) == XP_OK);
    TEXT_IS(rig_rcs(r, B), "11:5 12:5");
    INT_IS(xp_outstanding(r->loop->end[B].core), 0);
    INT_IS(rig_inject(r, B, rig_request(r, OP_SEND_LAST, 101, 256)).verdict, V_BAD_STATE);
    rig_free(r);
}

static void rc_states_err_ignores_late_acknowledgements(void)
{
    struct rig_spec s = rig_spec();
    struct rig *r = rig_new(&s);
    rig_sends(r, 1, 2, 100);
    rig_run_for(r, TM_NS);
    CHECK(rig_state(r, A, XP_ERR) == XP_OK);
    INT_IS(rig_inject(r, A, rig_answer(r, 0x1f, 101, 2)).verdict, V_BAD_STATE);
    TEXT_IS(rig_wcs(r, A), "1:5 2:5");
    rig_free(r);
}

static void rc_states_failed_qp_works_again_after_reset(void)
{
    struct rig_spec s = rig_spec();
    s.rnr_retry = 0;
    struct rig *r = rig_new(&s);
    rig_sends(r, 1, 3, 100);
    rig_run(r);
    TEXT_IS(rig_wcs(r, A), "1:13 2:5 3:5");
    for (int end = A; end <= B; end++) {
        CHECK(rig_state(r, end, XP_RESET) == XP_OK);
        rig_connect(r, end, XP_RTS);
    }
    rig_recvs(r, 11, 1, 100);
    rig_sends(r, 4, 1, 100);
    rig_run(r);
    TEXT_IS(rig_wcs(r, A), "4:0");
    INT_IS(rig_query(r, B).msn, 1); /* 0 at RESET */
    rig_free(r);
}

/* ---- RESET and destroy ----------------------------------------------------------------------- */

static void rc_states_reset_drops_all_without_completions(void)
{
    struct rig_spec s = rig_spec();
    struct rig *r = rig_new(&s);
    rig_recvs(r, 11, 1, 100);
    rig_sends(r, 1, 3, 100);
    rig_run_for(r, 10 * TM_US); /* 1 is done, 2 waits after an RNR NAK */
    rig_recvs(r, 12, 2, 100);
    CHECK(rig_state(r, A, XP_RESET) == XP_OK && rig_state(r, B, XP_RESET) == XP_OK);
    TEXT_IS(rig_wcs(r, A), "1:0");
    TEXT_IS(rig_rcs(r, B), "11:0/100");
    rig_run(r);
    INT_IS(xp_outstanding(r->loop->end[A].core), 0);
    INT_IS(xp_outstanding(r->loop->end[B].core), 0);
    INT_IS(xp_deadline(r->loop->end[A].core), TM_NEVER);
    INT_IS(rig_query(r, A).sends_waiting, 0);
    INT_IS(rig_query(r, B).recvs_waiting, 0);
    rig_free(r);
}

static void rc_states_destroy_drops_all_and_frees_the_place(void)
{
    struct rig_spec s = rig_spec();
    struct rig *r = rig_new(&s);
    struct xp *x = r->loop->end[B].core;
    uint32_t old = r->qp[B], qpn = 0;
    rig_recvs(r, 11, 3, 100);
    rig_sends(r, 1, 1, 100);
    rig_run(r);
    TEXT_IS(rig_rcs(r, B), "11:0/100");
    CHECK(xp_qp_destroy(x, old, r->loop->now) == XP_OK);
    TEXT_IS(rig_rcs(r, B), ""); /* 12 and 13 vanished */
    INT_IS(xp_outstanding(x), 0);
    struct wire_hdr h = rig_request(r, OP_SEND_ONLY, 101, 100);
    INT_IS(rig_inject(r, B, h).verdict, V_UNKNOWN_QP);
    struct xp_qp_query q;
    INT_IS(xp_qp_query(x, old, &q), XP_EINVAL);
    for (int i = 0; i < 4; i++) { /* the core holds four */
        struct xp_qp_init init = {.service = XP_RC,
                                  .pd = RIG_PD,
                                  .send_cq = r->scq[B],
                                  .recv_cq = r->rcq[B],
                                  .sq_depth = 8,
                                  .rq_depth = 8};
        INT_IS(xp_qp_create(x, &init, &qpn), XP_OK);
        CU_ASSERT_TRUE(qpn < 1u << 24);
        CHECK(xp_qp_query(x, qpn, &q) == XP_OK); /* nothing of a former life */
        INT_IS(q.state, XP_RESET);
        INT_IS(q.msn + q.recvs_waiting + q.sends_waiting + q.rq_psn.v + q.dest_qp, 0);
    }
    struct xp_qp_init init = {.service = XP_RC,
                              .pd = RIG_PD,
                              .send_cq = r->scq[B],
                              .recv_cq = r->rcq[B],
                              .sq_depth = 8,
                              .rq_depth = 8};
    INT_IS(xp_qp_create(x, &init, &old), XP_ENOMEM);
    r->qp[B] = qpn;
    rig_free(r);
}

/* ---- SQD ------------------------------------------------------------------------------------- */

static int to_sqd(struct rig *r)
{
    struct xp_qp_attr attr = {.state = XP_SQD};
    return xp_qp_modify(r->loop->end[A].core, r->qp[A], &attr, XP_A_STATE | XP_A_SQD_NOTIFY,
                        r->loop->now);
}

static void rc_states_sqd_lets_begun_sends_finish_and_holds_the_rest(void)
{
    struct rig *r = rig_window(2);
    rig_recvs(r, 11, 3, 1024);
    rig_sends(r, 1, 2, 1000); /* of message 1 two packets are out */
    rig_run_for(r, TM_NS);
    CHECK(to_sqd(r) == XP_OK);
    TEXT_IS(rig_events(r, A), "");
    CHECK(rig_post(r, (struct rig_op){.id = 3, .op = XP_WR_WRITE, .len = 8}) == XP_OK);
    rig_run(r);
    TEXT_IS(rig_packets(r, SHOW_REQUESTS),
            "SEND_FIRST.100+256 SEND_MIDDLE.101+256 SEND_MIDDLE.102+256 SEND_LAST.103+232");
    TEXT_IS(rig_wcs(r, A), "1:0");
    TEXT_IS(rig_events(r, A), "SQ_DRAINED");
    INT_IS(rig_state_of(r, A), XP_SQD);
    CHECK(rig_state(r, A, XP_RTS) == XP_OK);
    rig_run(r);
    TEXT_IS(rig_wcs(r, A), "2:0 3:0");
    TEXT_IS(rig_events(r, A), "");
    rig_free(r);
}

static void rc_states_sqd_of_an_idle_queue_is_drained_at_once(void)
{
    struct rig_spec s = rig_spec();
    struct rig *r = rig_new(&s);
    CHECK(to_sqd(r) == XP_OK);
    TEXT_IS(rig_events(r, A), "SQ_DRAINED");
    rig_free(r);
}

static void rc_states_sqd_repeats_what_is_lost(void)
{
    struct rig_spec s = rig_spec();
    struct rig *r = rig_new(&s);
    r->loop->dir[A][B].drop_mask = 1;
    rig_recvs(r, 11, 2, 100);
    rig_sends(r, 1, 1, 100);
    rig_run_for(r, TM_NS);
    CHECK(to_sqd(r) == XP_OK);
    rig_sends(r, 2, 1, 100);
    rig_run(r);
    TEXT_IS(rig_packets(r, SHOW_REQUESTS), "SEND_ONLY.100+100x SEND_ONLY.100+100r");
    TEXT_IS(rig_wcs(r, A), "1:0");
    TEXT_IS(rig_events(r, A), "SQ_DRAINED");
    rig_free(r);
}

static void rc_states_sqd_receive_side_goes_on(void)
{
    struct rig_spec s = rig_spec();
    struct rig *r = rig_new(&s);
    struct xp_recv_wr rwr = {.wr_id = 21, .sge = {RIG_BASE, 100, r->key[A]}};
    CHECK(to_sqd(r) == XP_OK);
    CHECK(xp_post_recv(r->loop->end[A].core, r->qp[A], &rwr, 0) == XP_OK);
    struct xp_send_wr wr = rig_wr(r, B, (struct rig_op){.id = 1, .op = XP_WR_SEND, .len = 100});
    CHECK(xp_post_send(r->loop->end[B].core, r->qp[B], &wr, 0) == XP_OK);
    rig_run(r);
    TEXT_IS(rig_wcs(r, B), "1:0");
    TEXT_IS(rig_rcs(r, A), "21:0/100");
    rig_free(r);
}

static void rc_states_sqd_takes_new_attributes(void)
{
    struct rig_spec s = rig_spec();
    struct rig *r = rig_new(&s);
    struct xp_qp_attr attr = {.state = XP_SQD, .timeout = 1, .retry_cnt = 0};
    CHECK(to_sqd(r) == XP_OK);
    CHECK(xp_qp_modify(r->loop->end[A].core, r->qp[A], &attr,
                       XP_A_STATE | XP_A_TIMEOUT | XP_A_RETRY_CNT, 0) == XP_OK);
    CHECK(rig_state(r, A, XP_RTS) == XP_OK && rig_state(r, B, XP_ERR) == XP_OK);
    rig_sends(r, 1, 1, 100);
    rig_run(r);
    TEXT_IS(rig_wcs(r, A), "1:12");
    INT_IS(r->loop->now, 8192000);
    rig_free(r);
}

/* ---- CQ -------------------------------------------------------------------------------------- */

static void rc_states_full_receive_cq_is_an_error_of_its_qp(void)
{
    struct rig_spec s = rig_spec();
    s.cq_depth = 2;
    s.retry_cnt = 1;
    struct rig *r = rig_new(&s);
    rig_recvs(r, 11, 4, 100);
    rig_sends(r, 1, 3, 100);
    rig_run(r);
    TEXT_IS(rig_wcs(r, A), "1:0 2:0"); /* A's own CQ is full with them */
    TEXT_IS(rig_rcs(r, B), "11:0/100 12:0/100");
    TEXT_IS(rig_events(r, B), "CQ_ERR QP_FATAL");
    INT_IS(rig_state_of(r, B), XP_ERR);
    TEXT_IS(rig_packets(r, SHOW_ANSWERS), "ack.100/1 ack.101/2");
    rig_free(r);
}

static void rc_states_full_cq_leaves_the_peer_with_12(void)
{
    struct rig_spec s = rig_spec();
    s.cq_depth = 1;
    s.retry_cnt = 1;
    struct rig *r = rig_new(&s);
    rig_recvs(r, 11, 2, 100);
    CHECK(rig_post(r, (struct rig_op){.id = 1, .op = XP_WR_SEND, .len = 8, .unsignalled = true}) ==
          XP_OK);
    CHECK(rig_post(r, (struct rig_op){.id = 2, .op = XP_WR_SEND, .len = 8, .unsignalled = true}) ==
          XP_OK);
    rig_run(r);
    TEXT_IS(rig_wcs(r, A), "2:12");
    INT_IS(rig_state_of(r, A), XP_ERR);
    INT_IS(rig_state_of(r, B), XP_ERR);
    rig_free(r);
}

static void rc_states_full_send_cq_is_an_error_of_its_qp(void)
{
    struct rig_spec s = rig_spec();
    s.cq_depth = 2;
    struct rig *r = rig_new(&s);
    for (uint64_t id = 1; id <= 3; id++)
        CHECK(rig_post(r, (struct rig_op){.id = id, .op = XP_WR_WRITE, .len = 8}) == XP_OK);
    rig_run(r);
    TEXT_IS(rig_wcs(r, A), "1:0 2:0");
    TEXT_IS(rig_events(r, A), "CQ_ERR QP_FATAL");
    INT_IS(rig_state_of(r, A), XP_ERR);
    INT_IS(rig_state_of(r, B), XP_RTS);
    rig_free(r);
}

static void rc_states_cq_that_is_polled_in_time_does_not_overflow(void)
{
    struct rig_spec s = rig_spec();
    s.cq_depth = 1;
    struct rig *r = rig_new(&s);
    for (uint64_t id = 1; id <= 5; id++) {
        rig_recvs(r, 11, 1, 100);
        rig_sends(r, id, 1, 100);
        rig_run(r);
        INT_IS(xp_completions(r->loop->end[A].core), 1);
        rig_wcs(r, A);
        TEXT_IS(rig_rcs(r, B), "11:0/100");
    }
    TEXT_IS(rig_events(r, A), "");
    INT_IS(rig_state_of(r, A), XP_RTS);
    rig_free(r);
}

/* Two of four intervals have passed: a modify that gives no retry_cnt does not begin them anew. */
static void rc_states_modify_of_something_else_restores_no_retries(void)
{
    const tm_ps interval = 67108864000;
    struct rig_spec s = rig_spec();
    s.retry_cnt = 3;
    struct rig *r = rig_new(&s);
    const struct xp_qp_attr attr = {.min_rnr_timer = 1};
    r->loop->dir[A][B].drop_mask = UINT64_MAX;
    rig_sends(r, 1, 1, 100);
    rig_run_for(r, 2 * interval + 1);
    INT_IS(xp_qp_modify(r->loop->end[A].core, r->qp[A], &attr, XP_A_MIN_RNR, r->loop->now), XP_OK);
    rig_run_for(r, 2 * interval - 2);
    TEXT_IS(rig_wcs(r, A), "");
    rig_run_for(r, 1);
    TEXT_IS(rig_wcs(r, A), "1:12");
    rig_free(r);
}

static const struct test tests[] = {TEST(rc_states_err_flushes_both_queues_in_order),
                                    TEST(rc_states_err_flushes_receives_in_order),
                                    TEST(rc_states_err_amid_a_receive_flushes_it),
                                    TEST(rc_states_err_ignores_late_acknowledgements),
                                    TEST(rc_states_failed_qp_works_again_after_reset),
                                    TEST(rc_states_reset_drops_all_without_completions),
                                    TEST(rc_states_destroy_drops_all_and_frees_the_place),
                                    TEST(rc_states_sqd_lets_begun_sends_finish_and_holds_the_rest),
                                    TEST(rc_states_sqd_of_an_idle_queue_is_drained_at_once),
                                    TEST(rc_states_sqd_repeats_what_is_lost),
                                    TEST(rc_states_sqd_receive_side_goes_on),
                                    TEST(rc_states_sqd_takes_new_attributes),
                                    TEST(rc_states_modify_of_something_else_restores_no_retries),
                                    TEST(rc_states_full_receive_cq_is_an_error_of_its_qp),
                                    TEST(rc_states_full_cq_leaves_the_peer_with_12),
                                    TEST(rc_states_full_send_cq_is_an_error_of_its_qp),
                                    TEST(rc_states_cq_that_is_polled_in_time_does_not_overflow),
                                    TESTS_END};
const struct suite suite_rc_states = {"rc_states", tests};
