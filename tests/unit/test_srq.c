/* Shared receive queues, under RC and UC: whose receive is whose, the limit, the end (IBA 10.2.9). */
#include "tests/unit/rig.h"

#include "sim/base/check.h"

static struct rig *rig_srq(enum xp_service_id service, uint32_t limit)
{
    struct rig_spec s = rig_spec();
    s.service = service;
    s.srq_depth = 8;
    s.srq_limit = limit;
    return rig_new(&s);
}

static uint32_t waiting(struct rig *r)
{
    struct xp_srq_query q;
    CHECK(xp_srq_query(r->loop->end[B].core, r->srq[B], &q) == XP_OK);
    return q.recvs_waiting;
}

static void drop(struct rig *r, uint64_t nth)
{
    loop_script(r->loop, (struct loop_fault){.from = A, .to = B, .nth = nth, .action = LOOP_DROP});
}

static void srq_receives_serve_in_order_and_complete_for_the_qp(void)
{
    struct rig *r = rig_srq(XP_RC, 0);
    rig_recvs(r, 11, 3, 600);
    rig_sends(r, 1, 2, 600);
    rig_run(r);
    TEXT_IS(rig_rcs(r, B), "11:0/600 12:0/600");
    TEXT_IS(rig_wcs(r, A), "1:0 2:0");
    INT_IS(waiting(r), 1);
    rig_free(r);
}

static void srq_empty_draws_an_rnr_nak(void)
{
    struct rig *r = rig_srq(XP_RC, 0);
    rig_sends(r, 1, 1, 16);
    rig_run_for(r, 10 * TM_US);
    TEXT_IS(rig_packets(r, SHOW_ALL), "SEND_ONLY.100+16 rnr12.100/0");
    rig_recvs(r, 11, 1, 16);
    rig_run(r);
    TEXT_IS(rig_wcs(r, A), "1:0");
    rig_free(r);
}

static void srq_qp_has_no_receive_queue_of_its_own(void)
{
    struct rig *r = rig_srq(XP_RC, 0);
    struct xp_recv_wr wr = {.wr_id = 1, .sge = {RIG_BASE, 8, r->key[B]}};
    struct xp_qp_init both = {.service = XP_RC,
                              .pd = RIG_PD,
                              .send_cq = r->scq[B],
                              .recv_cq = r->rcq[B],
                              .sq_depth = 1,
                              .rq_depth = 1,
                              .srq = r->srq[B]};
    uint32_t qpn;
    INT_IS(xp_post_recv(r->loop->end[B].core, r->qp[B], &wr, 0), XP_EINVAL);
    INT_IS(xp_qp_create(r->loop->end[B].core, &both, &qpn), XP_EINVAL);
    INT_IS(xp_srq_destroy(r->loop->end[B].core, r->srq[B]), XP_EINVAL);
    rig_free(r);
}

static void srq_one_receive_too_many_is_enomem(void)
{
    struct rig *r = rig_srq(XP_RC, 0);
    rig_recvs(r, 11, 8, 16);
    INT_IS(rig_recv(r, 19, 0, 16), XP_ENOMEM);
    rig_free(r);
}

static void srq_limit_is_told_once(void)
{
    struct rig *r = rig_srq(XP_RC, 2);
    rig_recvs(r, 11, 4, 16);
    rig_sends(r, 1, 2, 16);
    rig_run(r);
    TEXT_IS(rig_events(r, B), "");
    rig_sends(r, 3, 2, 16);
    rig_run(r);
    TEXT_IS(rig_events(r, B), "SRQ_LIMIT");
    INT_IS(xp_srq_arm(r->loop->end[B].core, r->srq[B], 2), XP_OK);
    rig_recvs(r, 15, 2, 16);
    rig_sends(r, 5, 1, 16);
    rig_run(r);
    TEXT_IS(rig_events(r, B), "SRQ_LIMIT");
    rig_free(r);
}

/* The receive in the hands of a message flushes with its QP; the others stay where they are. */
static void srq_qp_in_error_leaves_the_others(void)
{
    struct rig *r = rig_srq(XP_RC, 0);
    rig_recvs(r, 11, 3, 1024);
    drop(r, 1);
    drop(r, 2);
    rig_sends(r, 1, 1, 600);
    rig_run_for(r, 10 * TM_US);
    INT_IS(waiting(r), 2);
    INT_IS(rig_state(r, B, XP_ERR), XP_OK);
    TEXT_IS(rig_rcs(r, B), "11:5");
    TEXT_IS(rig_events(r, B), "LAST_WQE");
    INT_IS(waiting(r), 2);
    rig_free(r);
}

static void srq_qp_reset_gives_up_what_it_holds(void)
{
    struct rig *r = rig_srq(XP_RC, 0);
    rig_recvs(r, 11, 2, 1024);
    drop(r, 1);
    drop(r, 2);
    rig_sends(r, 1, 1, 600);
    rig_run_for(r, 10 * TM_US);
    INT_IS(rig_state(r, B, XP_RESET), XP_OK);
    TEXT_IS(rig_rcs(r, B), "");
    INT_IS(waiting(r), 1);
    rig_free(r);
}

static void srq_receive_too_short_completes_with_the_failure(void)
{
    struct rig *r = rig_srq(XP_RC, 0);
    rig_recvs(r, 11, 2, 100);
    rig_sends(r, 1, 1, 200);
    rig_run(r);
    TEXT_IS(rig_wcs(r, A), "1:9");
    TEXT_IS(rig_rcs(r, B), "11:1");
    INT_IS(waiting(r), 1);
    rig_free(r);
}

static void srq_uc_message_broken_off_is_aborted(void)
{
    struct rig *r = rig_srq(XP_UC, 0);
    rig_recvs(r, 11, 3, 1024);
    drop(r, 1);
    rig_sends(r, 1, 2, 600);
    rig_run(r);
    TEXT_IS(rig_rcs(r, B), "11:16 12:0/600");
    INT_IS(waiting(r), 1);
    rig_free(r);
}

/* Only the last packet is lost: what tells is the next message's first. */
static void srq_uc_message_without_its_last_is_aborted_by_the_next(void)
{
    struct rig *r = rig_srq(XP_UC, 0);
    rig_recvs(r, 11, 3, 1024);
    drop(r, 2);
    rig_sends(r, 1, 2, 600);
    rig_run(r);
    TEXT_IS(rig_rcs(r, B), "11:16 12:0/600");
    rig_free(r);
}

static void srq_write_with_immediate_takes_one(void)
{
    struct rig *r = rig_srq(XP_RC, 0);
    rig_recvs(r, 11, 2, 0);
    CHECK(rig_post(
              r, (struct rig_op){
                     .id = 1, .op = XP_WR_WRITE_IMM, .len = 600, .dst = 8192, .imm = 3}) == XP_OK);
    rig_run(r);
    TEXT_IS(rig_rcs(r, B), "11:0/600#3");
    INT_IS(waiting(r), 1);
    rig_free(r);
}

static void srq_message_started_anew_takes_no_second_receive(void)
{
    struct rig_spec s = rig_spec();
    s.profile.recovery = XP_GO_BACK_0;
    s.srq_depth = 8;
    struct rig *r = rig_new(&s);
    rig_recvs(r, 11, 2, 1024);
    drop(r, 1);
    rig_sends(r, 1, 1, 600);
    rig_run(r);
    TEXT_IS(rig_rcs(r, B), "11:0/600");
    INT_IS(waiting(r), 1);
    rig_free(r);
}

/*
 * Found by random faults: a WRITE_IMM that had found the queue empty and was then begun anew gave the
 * queue a receive that it had never taken.
 */
static void srq_write_begun_anew_gives_nothing_back(void)
{
    struct rig_spec s = rig_spec();
    s.profile.recovery = XP_GO_BACK_0;
    s.srq_depth = 8;
    struct rig *r = rig_new(&s);
    drop(r, 3);
    CHECK(rig_post(
              r, (struct rig_op){
                     .id = 1, .op = XP_WR_WRITE_IMM, .len = 600, .dst = 8192, .imm = 3}) == XP_OK);
    rig_run_for(r, 10 * TM_US);
    rig_recvs(r, 11, 2, 0);
    rig_run(r);
    TEXT_IS(rig_packets(r, SHOW_REQUESTS),
            "WRITE_FIRST.100+256@8192:600 WRITE_MIDDLE.101+256 WRITE_LAST_IMM.102+88#3 "
            "WRITE_LAST_IMM.102+88#3rx WRITE_FIRST.100+256@8192:600r WRITE_MIDDLE.101+256r "
            "WRITE_LAST_IMM.102+88#3r");
    TEXT_IS(rig_rcs(r, B), "11:0/600#3");
    INT_IS(waiting(r), 1);
    rig_free(r);
}

static const struct test tests[] = {TEST(srq_receives_serve_in_order_and_complete_for_the_qp),
                                    TEST(srq_empty_draws_an_rnr_nak),
                                    TEST(srq_qp_has_no_receive_queue_of_its_own),
                                    TEST(srq_one_receive_too_many_is_enomem),
                                    TEST(srq_limit_is_told_once),
                                    TEST(srq_qp_in_error_leaves_the_others),
                                    TEST(srq_qp_reset_gives_up_what_it_holds),
                                    TEST(srq_receive_too_short_completes_with_the_failure),
                                    TEST(srq_uc_message_broken_off_is_aborted),
                                    TEST(srq_uc_message_without_its_last_is_aborted_by_the_next),
                                    TEST(srq_write_with_immediate_takes_one),
                                    TEST(srq_message_started_anew_takes_no_second_receive),
                                    TEST(srq_write_begun_anew_gives_nothing_back),
                                    TESTS_END};
const struct suite suite_srq = {"srq", tests};
