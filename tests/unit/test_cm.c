/*
 * The connection manager, situation by situation, as traces of two of them (cm_pair.h).  The wait
 * for an answer is code 4, 65.536 us; MADs take 1 us; each is sent again twice at most.
 */
#include <string.h>

#include "models/cm/cm.h"
#include "tests/suite.h"
#include "tests/unit/cm_pair.h"

#define LOG_IS(p, text) CU_ASSERT_STRING_EQUAL(pair_log(p), text)

static struct cm_pair *fresh(void)
{
    struct cm_cfg cfg = pair_cfg();
    return pair_new(&cfg);
}

/* ---- set-up ---------------------------------------------------------------------------------------- */

static void cm_request_accepted_takes_three_mads(void)
{
    struct cm_pair *p = fresh();
    uint32_t a = pair_connect(p, 0);
    pair_run(p, TM_S);
    LOG_IS(p, "0 A>B REQ\n"
              "1 B request\n"
              "1 B to_rtr\n"
              "1 B>A REP\n"
              "2 A to_rtr\n"
              "2 A to_rts\n"
              "2 A>B RTU\n"
              "3 B to_rts");
    CU_ASSERT_EQUAL(p->qp[0][a].state, PQ_RTS);
    CU_ASSERT_EQUAL(p->qp[1][0].state, PQ_RTS);
    CU_ASSERT_EQUAL(cm_counts(p->cm[0])->established, 1);
    CU_ASSERT_EQUAL(cm_counts(p->cm[1])->established, 1);
    CU_ASSERT_EQUAL(cm_deadline(p->cm[0]), TM_NEVER);
    CU_ASSERT_EQUAL(cm_deadline(p->cm[1]), TM_NEVER);
    pair_free(p);
}

/*
 * A brings resources 4, depth 8; B 16 and 16.  A starts up to 8 (B keeps 8 of its 16 for them), B
 * up to 4.
 */
static void cm_attributes_are_the_lesser_of_both_sides(void)
{
    struct cm_pair *p = fresh();
    pair_connect(p, 0);
    pair_run(p, TM_S);
    const struct cm_attr *a = &p->qp[0][0].attr, *b = &p->qp[1][0].attr;
    CU_ASSERT_EQUAL(a->max_rd_atomic, 8);
    CU_ASSERT_EQUAL(a->max_dest_rd_atomic, 4);
    CU_ASSERT_EQUAL(b->max_rd_atomic, 4);
    CU_ASSERT_EQUAL(b->max_dest_rd_atomic, 8);
    CU_ASSERT_EQUAL(a->dest_qpn, 0x11);
    CU_ASSERT_EQUAL(a->sq_psn, 0x100);
    CU_ASSERT_EQUAL(a->rq_psn, 0x200);
    CU_ASSERT_EQUAL(b->sq_psn, 0x200);
    CU_ASSERT_EQUAL(b->rq_psn, 0x100);
    CU_ASSERT_EQUAL(a->peer, 1);
    CU_ASSERT_EQUAL(b->peer, 0);
    CU_ASSERT_EQUAL(a->rnr_retry, 7); /* each side says how often the other may try */
    CU_ASSERT_EQUAL(b->rnr_retry, 6);
    CU_ASSERT_EQUAL(b->mtu, 3);
    CU_ASSERT_EQUAL(b->timeout, 14);
    CU_ASSERT_EQUAL(b->retry_cnt, 7);
    pair_free(p);
}

static void cm_service_nobody_listens_to_is_rejected(void)
{
    struct cm_pair *p = fresh();
    struct cm_ask ask = {.peer = 1, .service_id = PAIR_SERVICE + 1, .mtu = 3};
    uint32_t conn;
    CU_ASSERT_EQUAL(cm_connect(p->cm[0], &ask, 0, &conn), CM_OK);
    ask.service_id = PAIR_SERVICE;
    ask.transport = CM_TRANSPORT_UC;
    CU_ASSERT_EQUAL(cm_connect(p->cm[0], &ask, 0, &conn), CM_OK);
    pair_run(p, TM_S);
    LOG_IS(p, "0 A>B REQ\n0 A>B REQ\n1 B>A REJ\n1 B>A REJ\n2 A failed: invalid service id\n"
              "2 A closed\n2 A failed: invalid transport\n2 A closed");
    pair_free(p);
}

static void cm_consumer_rejects_and_both_are_closed(void)
{
    struct cm_pair *p = fresh();
    p->policy = PAIR_REJECT;
    pair_connect(p, 0);
    pair_run(p, TM_S);
    LOG_IS(p, "0 A>B REQ\n1 B request\n1 B closed\n1 B>A REJ\n2 A failed: consumer\n2 A closed");
    CU_ASSERT_FALSE(p->qp[0][0].timed_out);
    pair_free(p);
}

static void cm_no_record_left_rejects_for_resources(void)
{
    struct cm_cfg cfg = pair_cfg();
    cfg.conns = 1;
    struct cm_pair *p = pair_new(&cfg);
    struct cm_ask ask = {.peer = 1, .service_id = PAIR_SERVICE, .mtu = 3};
    uint32_t conn;
    pair_connect(p, 1);
    pair_run(p, TM_MS);
    pair_log(p);
    CU_ASSERT_EQUAL(cm_connect(p->cm[0], &ask, p->now, &conn), CM_ENOMEM);
    struct cm_mad m = {.kind = CM_REQ, .local_id = 77, .offer.qpn = 99};
    m.req.service_id = PAIR_SERVICE;
    m.req.mtu = 3;
    cm_recv(p->cm[1], 0, &m, p->now);
    pair_run(p, p->now);
    LOG_IS(p, "1000 B>A REJ");
    pair_free(p);
}

/* ---- losses ------------------------------------------------------------------------------------------- */

static void cm_req_lost_is_sent_again(void)
{
    struct cm_pair *p = fresh();
    p->drop_mask = 1;
    pair_connect(p, 0);
    pair_run(p, TM_S);
    LOG_IS(p, "0 A>B REQ lost\n65 A>B REQ again\n66 B request\n66 B to_rtr\n66 B>A REP\n"
              "67 A to_rtr\n67 A to_rts\n67 A>B RTU\n68 B to_rts");
    pair_free(p);
}

/* Three REQs, each with its wait; then a REJ says so, which is lost as well. */
static void cm_req_lost_always_fails_after_all_waits(void)
{
    struct cm_pair *p = fresh();
    p->drop_mask = 15;
    pair_connect(p, 0);
    pair_run(p, TM_S);
    LOG_IS(p, "0 A>B REQ lost\n65 A>B REQ again lost\n131 A>B REQ again lost\n"
              "196 A failed: timeout\n196 A closed\n196 A>B REJ lost");
    CU_ASSERT_TRUE(p->qp[0][0].timed_out);
    CU_ASSERT_EQUAL(cm_counts(p->cm[0])->failed, 1);
    CU_ASSERT_EQUAL(cm_counts(p->cm[0])->sent[CM_REQ], 3);
    CU_ASSERT_EQUAL(cm_counts(p->cm[0])->again[CM_REQ], 2);
    pair_free(p);
}

/* A's REQ finds B in REP_SENT, which answers with its REP again; its own wait is over, too. */
static void cm_rep_lost_is_sent_again_for_the_same_connection(void)
{
    struct cm_pair *p = fresh();
    p->drop_mask = 2;
    pair_connect(p, 0);
    pair_run(p, TM_S);
    LOG_IS(p, "0 A>B REQ\n1 B request\n1 B to_rtr\n1 B>A REP lost\n65 A>B REQ again\n"
              "66 B>A REP again\n67 A to_rtr\n67 A to_rts\n67 A>B RTU\n68 B to_rts");
    CU_ASSERT_EQUAL(p->qps[1], 1);
    pair_free(p);
}

static void cm_rtu_lost_is_sent_again_for_a_repeated_rep(void)
{
    struct cm_pair *p = fresh();
    p->drop_mask = 4;
    pair_connect(p, 0);
    pair_run(p, TM_S);
    LOG_IS(p, "0 A>B REQ\n1 B request\n1 B to_rtr\n1 B>A REP\n2 A to_rtr\n2 A to_rts\n"
              "2 A>B RTU lost\n66 B>A REP again\n67 A>B RTU again\n68 B to_rts");
    pair_free(p);
}

static void cm_rtu_lost_is_made_good_by_data(void)
{
    struct cm_pair *p = fresh();
    p->drop_mask = 4;
    pair_connect(p, 0);
    pair_run(p, 3 * TM_US);
    pair_log(p);
    CU_ASSERT_EQUAL(p->qp[1][0].state, PQ_RTR);
    CU_ASSERT_EQUAL(cm_comm_est(p->cm[1], p->qp[1][0].conn, p->now), CM_OK);
    CU_ASSERT_EQUAL(cm_comm_est(p->cm[1], p->qp[1][0].conn, p->now), CM_ESTATE);
    pair_run(p, TM_S);
    LOG_IS(p, "3 B to_rts");
    pair_free(p);
}

/* RTU and its repetitions lost: B gives up, and its REJ ends what A held for established. */
static void cm_rtu_lost_always_ends_on_both_sides(void)
{
    struct cm_pair *p = fresh();
    p->drop_mask = 1 << 2 | 1 << 4 | 1 << 6;
    pair_connect(p, 0);
    pair_run(p, TM_S);
    LOG_IS(p, "0 A>B REQ\n1 B request\n1 B to_rtr\n1 B>A REP\n2 A to_rtr\n2 A to_rts\n"
              "2 A>B RTU lost\n66 B>A REP again\n67 A>B RTU again lost\n132 B>A REP again\n"
              "133 A>B RTU again lost\n197 B failed: timeout\n197 B>A REJ\n"
              "198 A disconnected: timeout\n1197 B closed\n1198 A closed");
    pair_free(p);
}

static void cm_rej_for_a_timeout_finds_one_that_still_thinks(void)
{
    struct cm_pair *p = fresh();
    p->policy = PAIR_HOLD;
    pair_connect(p, 0);
    pair_run(p, TM_S);
    LOG_IS(p, "0 A>B REQ\n1 B request\n65 A>B REQ again\n131 A>B REQ again\n196 A failed: timeout\n"
              "196 A closed\n196 A>B REJ\n197 B failed: timeout\n197 B closed");
    CU_ASSERT_EQUAL(cm_accept(p->cm[1], p->held, &(struct cm_own){0}, p->now), CM_ESTATE);
    pair_free(p);
}

/* ---- MRA ------------------------------------------------------------------------------------------------ */

/* 4.096 us * 2^7 = 524.288 us from the MRA's arrival, where the REQ alone would fail at 196. */
static void cm_mra_prolongs_the_wait_for_a_rep(void)
{
    struct cm_pair *p = fresh();
    p->policy = PAIR_HOLD;
    p->mra = 7;
    pair_connect(p, 0);
    pair_run(p, 500 * TM_US);
    LOG_IS(p, "0 A>B REQ\n1 B request\n1 B>A MRA");
    pair_accept(p, 1, p->held);
    pair_run(p, TM_S);
    LOG_IS(p, "500 B to_rtr\n500 B>A REP\n501 A to_rtr\n501 A to_rts\n501 A>B RTU\n502 B to_rts");
    pair_free(p);
}

static void cm_mra_that_runs_out_repeats_the_req(void)
{
    struct cm_pair *p = fresh();
    p->policy = PAIR_HOLD;
    p->mra = 7;
    pair_connect(p, 0);
    pair_run(p, 528 * TM_US);
    LOG_IS(p, "0 A>B REQ\n1 B request\n1 B>A MRA\n526 A>B REQ again\n527 B>A MRA again");
    pair_free(p);
}

static void cm_mra_shorter_than_the_wait_changes_nothing(void)
{
    struct cm_pair *p = fresh();
    p->policy = PAIR_HOLD;
    p->mra = 1;
    pair_connect(p, 0);
    pair_run(p, 66 * TM_US);
    LOG_IS(p, "0 A>B REQ\n1 B request\n1 B>A MRA\n65 A>B REQ again");
    pair_free(p);
}

static void cm_active_side_asks_for_time_after_a_rep(void)
{
    struct cm_pair *p = fresh();
    p->slow_active = true;
    pair_connect(p, 0);
    pair_run(p, 2 * TM_US);
    pair_log(p);
    CU_ASSERT_EQUAL(cm_delay(p->cm[0], p->qp[0][0].conn, 7, p->now), CM_OK);
    pair_run(p, 500 * TM_US);
    LOG_IS(p, "2 A>B MRA");
    CU_ASSERT_EQUAL(cm_confirm(p->cm[0], p->qp[0][0].conn, p->now), CM_OK);
    CU_ASSERT_EQUAL(cm_confirm(p->cm[0], p->qp[0][0].conn, p->now), CM_ESTATE);
    pair_run(p, TM_S);
    LOG_IS(p, "500 A>B RTU\n501 B to_rts");
    pair_free(p);
}

/* ---- the end --------------------------------------------------------------------------------------------- */

static struct cm_pair *connected(void)
{
    struct cm_pair *p = fresh();
    pair_connect(p, 0);
    pair_run(p, 10 * TM_US);
    pair_log(p);
    return p;
}

static void cm_disconnect_ends_in_timewait_on_both_sides(void)
{
    struct cm_pair *p = connected();
    CU_ASSERT_EQUAL(cm_disconnect(p->cm[1], p->qp[1][0].conn, p->now), CM_OK);
    CU_ASSERT_EQUAL(cm_disconnect(p->cm[1], p->qp[1][0].conn, p->now), CM_ESTATE);
    pair_run(p, TM_S);
    LOG_IS(p, "10 B>A DREQ\n11 A disconnected\n11 A>B DREP\n1011 A closed\n1012 B closed");
    pair_free(p);
}

static void cm_drep_lost_is_answered_again(void)
{
    struct cm_pair *p = connected();
    p->drop_mask = 1 << 4;
    cm_disconnect(p->cm[0], p->qp[0][0].conn, p->now);
    pair_run(p, TM_S);
    LOG_IS(p, "10 A>B DREQ\n11 B disconnected\n11 B>A DREP lost\n75 A>B DREQ again\n"
              "76 B>A DREP again\n1011 B closed\n1077 A closed");
    pair_free(p);
}

static void cm_dreq_lost_always_ends_in_timewait(void)
{
    struct cm_pair *p = connected();
    p->drop_mask = ~(uint64_t)0;
    cm_disconnect(p->cm[0], p->qp[0][0].conn, p->now);
    pair_run(p, TM_S);
    LOG_IS(p, "10 A>B DREQ lost\n75 A>B DREQ again lost\n141 A>B DREQ again lost\n1206 A closed");
    CU_ASSERT_EQUAL(p->qp[1][0].state, PQ_RTS);
    pair_free(p);
}

static void cm_dreqs_that_cross_end_both(void)
{
    struct cm_pair *p = connected();
    cm_disconnect(p->cm[0], p->qp[0][0].conn, p->now);
    cm_disconnect(p->cm[1], p->qp[1][0].conn, p->now);
    pair_run(p, TM_S);
    LOG_IS(p, "10 A>B DREQ\n10 B>A DREQ\n11 B>A DREP\n11 A>B DREP\n1011 A closed\n1011 B closed");
    pair_free(p);
}

/* The other side forgot: it answers all the same, so the DREQ is not sent three times. */
static void cm_dreq_of_an_unknown_connection_is_answered(void)
{
    struct cm_pair *p = fresh();
    struct cm_mad m = {.kind = CM_DREQ, .tid = 3, .local_id = 5, .remote_id = 6};
    struct cm_tx tx;
    cm_recv(p->cm[0], 1, &m, 0);
    CU_ASSERT_TRUE(cm_pull(p->cm[0], &tx));
    CU_ASSERT_EQUAL(tx.peer, 1);
    CU_ASSERT_EQUAL(tx.mad.kind, CM_DREP);
    CU_ASSERT_EQUAL(tx.mad.tid, 3);
    CU_ASSERT_EQUAL(tx.mad.local_id, 6);
    CU_ASSERT_EQUAL(tx.mad.remote_id, 5);
    CU_ASSERT_EQUAL(cm_counts(p->cm[0])->stray, 1);
    CU_ASSERT_FALSE(cm_pull(p->cm[0], &tx));
    pair_free(p);
}

static void cm_dreq_for_another_qp_is_ignored(void)
{
    struct cm_pair *p = connected();
    struct cm_tx tx;
    cm_disconnect(p->cm[1], p->qp[1][0].conn, p->now);
    CU_ASSERT_TRUE(cm_pull(p->cm[1], &tx));
    tx.mad.remote_qpn++;
    cm_recv(p->cm[0], 1, &tx.mad, p->now);
    CU_ASSERT_FALSE(cm_pull(p->cm[0], &tx));
    CU_ASSERT_EQUAL(p->qp[0][0].state, PQ_RTS);
    pair_free(p);
}

/* ---- admission ----------------------------------------------------------------------------------------------- */

static void cm_one_handshake_at_a_time_keeps_the_order(void)
{
    struct cm_cfg cfg = pair_cfg();
    cfg.handshakes = 1;
    struct cm_pair *p = pair_new(&cfg);
    for (int i = 0; i < 3; i++)
        pair_connect(p, 0);
    pair_run(p, TM_S);
    LOG_IS(p, "0 A>B REQ\n1 B request\n1 B to_rtr\n1 B>A REP\n2 A to_rtr\n2 A to_rts\n2 A>B RTU\n"
              "2 A>B REQ\n3 B to_rts\n3 B request\n3 B to_rtr\n3 B>A REP\n4 A to_rtr\n4 A to_rts\n"
              "4 A>B RTU\n4 A>B REQ\n5 B to_rts\n5 B request\n5 B to_rtr\n5 B>A REP\n6 A to_rtr\n"
              "6 A to_rts\n6 A>B RTU\n7 B to_rts");
    for (uint32_t i = 0; i < 3; i++)
        CU_ASSERT_EQUAL(p->qp[1][i].attr.dest_qpn, 0x11 + i);
    pair_free(p);
}

static void cm_failed_handshake_makes_room_for_the_next(void)
{
    struct cm_cfg cfg = pair_cfg();
    cfg.handshakes = 1;
    cfg.retries = 0;
    struct cm_pair *p = pair_new(&cfg);
    p->drop_mask = 1;
    pair_connect(p, 0);
    pair_connect(p, 0);
    pair_run(p, TM_S);
    LOG_IS(p, "0 A>B REQ lost\n65 A failed: timeout\n65 A closed\n65 A>B REJ\n65 A>B REQ\n"
              "66 B request\n66 B to_rtr\n66 B>A REP\n67 A to_rtr\n67 A to_rts\n67 A>B RTU\n"
              "68 B to_rts");
    pair_free(p);
}

/* ---- the block ------------------------------------------------------------------------------------------------- */

static void cm_limits_out_of_range_have_no_size(void)
{
    struct cm_cfg cfg = pair_cfg();
    CU_ASSERT_NOT_EQUAL(cm_size(&cfg), 0);
    cfg.conns = 0;
    CU_ASSERT_EQUAL(cm_size(&cfg), 0);
    cfg = pair_cfg();
    cfg.retries = 16;
    CU_ASSERT_EQUAL(cm_size(&cfg), 0);
    cfg = pair_cfg();
    cfg.timeout = 32;
    CU_ASSERT_EQUAL(cm_size(&cfg), 0);
}

/* A copy by memcpy goes on as the original does, and apart from it. */
static void cm_copied_block_goes_on_alike(void)
{
    struct cm_cfg cfg = pair_cfg();
    struct cm_pair *p = connected();
    static uint64_t block[1 << 16];
    size_t size = cm_size(&cfg);
    CU_ASSERT_TRUE_FATAL(size <= sizeof block);
    memcpy(block, p->cm[0], size);
    struct cm *copy = (struct cm *)(void *)block;
    struct cm_tx one, other;
    cm_disconnect(p->cm[0], p->qp[0][0].conn, p->now);
    CU_ASSERT_FALSE(cm_pull(copy, &other));
    cm_disconnect(copy, p->qp[0][0].conn, p->now);
    CU_ASSERT_TRUE(cm_pull(p->cm[0], &one));
    CU_ASSERT_TRUE(cm_pull(copy, &other));
    CU_ASSERT_EQUAL(memcmp(&one.mad, &other.mad, sizeof one.mad), 0);
    CU_ASSERT_EQUAL(cm_deadline(copy), cm_deadline(p->cm[0]));
    pair_free(p);
}

static const struct test tests[] = {TEST(cm_request_accepted_takes_three_mads),
                                    TEST(cm_attributes_are_the_lesser_of_both_sides),
                                    TEST(cm_service_nobody_listens_to_is_rejected),
                                    TEST(cm_consumer_rejects_and_both_are_closed),
                                    TEST(cm_no_record_left_rejects_for_resources),
                                    TEST(cm_req_lost_is_sent_again),
                                    TEST(cm_req_lost_always_fails_after_all_waits),
                                    TEST(cm_rep_lost_is_sent_again_for_the_same_connection),
                                    TEST(cm_rtu_lost_is_sent_again_for_a_repeated_rep),
                                    TEST(cm_rtu_lost_is_made_good_by_data),
                                    TEST(cm_rtu_lost_always_ends_on_both_sides),
                                    TEST(cm_rej_for_a_timeout_finds_one_that_still_thinks),
                                    TEST(cm_mra_prolongs_the_wait_for_a_rep),
                                    TEST(cm_mra_that_runs_out_repeats_the_req),
                                    TEST(cm_mra_shorter_than_the_wait_changes_nothing),
                                    TEST(cm_active_side_asks_for_time_after_a_rep),
                                    TEST(cm_disconnect_ends_in_timewait_on_both_sides),
                                    TEST(cm_drep_lost_is_answered_again),
                                    TEST(cm_dreq_lost_always_ends_in_timewait),
                                    TEST(cm_dreqs_that_cross_end_both),
                                    TEST(cm_dreq_of_an_unknown_connection_is_answered),
                                    TEST(cm_dreq_for_another_qp_is_ignored),
                                    TEST(cm_one_handshake_at_a_time_keeps_the_order),
                                    TEST(cm_failed_handshake_makes_room_for_the_next),
                                    TEST(cm_limits_out_of_range_have_no_size),
                                    TEST(cm_copied_block_goes_on_alike),
                                    TESTS_END};
const struct suite suite_cm = {"cm", tests};
