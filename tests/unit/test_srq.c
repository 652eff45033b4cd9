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

/* ---- a receive that was looked at is not yet taken ------------------------------------------------ */

/* The region goes between the second packet and the last, which alone asks for a receive. */
static void break_write_imm(struct rig *r)
{
    struct wire_hdr h = rig_request(r, OP_WRITE_FIRST, 100, 256);
    h.dmalen = 600;
    INT_IS(rig_inject(r, B, h).verdict, V_ACCEPT);
    INT_IS(rig_inject(r, B, rig_request(r, OP_WRITE_MIDDLE, 101, 256)).verdict, V_ACCEPT);
    CHECK(xp_mr_remove(r->loop->end[B].core, r->key[B]) == XP_OK);
    INT_IS(rig_inject(r, B, rig_request(r, OP_WRITE_LAST_IMM, 102, 88)).verdict, V_BAD_KEY);
    TEXT_IS(rig_rcs(r, B), "");
    INT_IS(waiting(r), 2);
}

static void srq_write_imm_refused_at_its_end_takes_no_receive(void)
{
    struct rig *r = rig_srq(XP_RC, 0);
    rig_recvs(r, 11, 2, 0);
    break_write_imm(r);
    INT_IS(rig_state_of(r, B), XP_ERR);
    rig_free(r);

    r = rig_srq(XP_UC, 0);
    rig_recvs(r, 11, 2, 0);
    break_write_imm(r);
    INT_IS(rig_state_of(r, B), XP_RTS);
    for (int i = 0; i < 2; i++) /* both are whole */
        rig_inject(r, B, rig_request(r, OP_SEND_ONLY, 103, 0));
    TEXT_IS(rig_rcs(r, B), "11:0/0 12:0/0");
    rig_free(r);
}

static void srq_uc_receive_with_a_fault_completes_once(void)
{
    struct rig_spec s = rig_spec();
    const char *row = "uc.recv_bad_key: drop_message receive=LOC_PROT_ERR", *why;
    struct rig *r = rig_srq(XP_UC, 0);
    rig_recvs(r, 11, 2, 1024);
    INT_IS(rig_inject(r, B, rig_request(r, OP_SEND_FIRST, 100, 256)).verdict, V_ACCEPT);
    CHECK(xp_mr_remove(r->loop->end[B].core, r->key[B]) == XP_OK);
    INT_IS(rig_inject(r, B, rig_request(r, OP_SEND_MIDDLE, 101, 256)).verdict, V_RECV_BAD_KEY);
    TEXT_IS(rig_rcs(r, B), "11:4");
    INT_IS(waiting(r), 1);
    INT_IS(rig_state_of(r, B), XP_ERR);
    rig_free(r);

    /* the same for an adapter whose QP stays: the message is over */
    s.service = XP_UC;
    s.srq_depth = 8;
    CHECK(xp_override_parse(&row, &s.profile.override[0], &why));
    s.profile.overrides = 1;
    r = rig_new(&s);
    rig_recvs(r, 11, 2, 1024);
    rig_inject(r, B, rig_request(r, OP_SEND_FIRST, 100, 256));
    CHECK(xp_mr_remove(r->loop->end[B].core, r->key[B]) == XP_OK);
    INT_IS(rig_inject(r, B, rig_request(r, OP_SEND_MIDDLE, 101, 256)).verdict, V_RECV_BAD_KEY);
    INT_IS(rig_inject(r, B, rig_request(r, OP_SEND_MIDDLE, 101, 256)).verdict, V_BAD_ORDER);
    INT_IS(rig_inject(r, B, rig_request(r, OP_SEND_ONLY, 102, 0)).verdict, V_ACCEPT);
    TEXT_IS(rig_rcs(r, B), "11:4 12:0/0");
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

static void srq_last_wqe_is_told_when_err_is_entered(void)
{
    struct rig *r = rig_srq(XP_RC, 0);
    INT_IS(rig_state(r, B, XP_ERR), XP_OK);
    INT_IS(rig_state(r, B, XP_ERR), XP_OK);
    TEXT_IS(rig_events(r, B), "LAST_WQE");
    rig_free(r);
}

/* ---- whose ------------------------------------------------------------------------------------ */

static uint32_t second_qp(struct rig *r)
{
    struct xp_qp_init init = {.service = XP_RC,
                              .pd = RIG_PD,
                              .send_cq = r->scq[B],
                              .recv_cq = r->rcq[B],
                              .sq_depth = 1,
                              .srq = r->srq[B]};
    uint32_t first = r->qp[B], second;
    CHECK(xp_qp_create(r->loop->end[B].core, &init, &second) == XP_OK);
    r->qp[B] = second;
    rig_connect(r, B, XP_RTS);
    r->qp[B] = first;
    return second;
}

static void srq_messages_of_two_qps_take_as_they_begin(void)
{
    struct rig *r = rig_srq(XP_RC, 0);
    struct xp *x = r->loop->end[B].core;
    struct xp_wc wc[3];
    uint32_t second = second_qp(r);
    struct wire_hdr to_second = rig_request(r, OP_SEND_FIRST, 100, 256);
    to_second.dest_qp = second;
    rig_recvs(r, 11, 3, 600);
    rig_inject(r, B, rig_request(r, OP_SEND_FIRST, 100, 256));
    rig_inject(r, B, to_second);
    to_second.opcode = wire_opcode(WIRE_RC, OP_SEND_LAST);
    to_second.psn = psn(101);
    to_second.payload_bytes = 5;
    rig_inject(r, B, to_second);
    rig_inject(r, B, rig_request(r, OP_SEND_LAST, 101, 9));
    INT_IS(xp_poll_cq(x, r->rcq[B], wc, 3), 2);
    INT_IS(wc[0].wr_id, 12);
    INT_IS(wc[0].qpn, second);
    INT_IS(wc[0].byte_len, 261);
    INT_IS(wc[1].wr_id, 11);
    INT_IS(wc[1].qpn, r->qp[B]);
    INT_IS(wc[1].byte_len, 265);
    INT_IS(waiting(r), 1);
    CHECK(xp_qp_destroy(x, second, 0) == XP_OK);
    rig_free(r);
}

/* Receives lie in memory of the SRQ's domain, whatever the QP's is. */
static void srq_pd_governs_the_receives(void)
{
    struct rig *r = rig_srq(XP_RC, 0);
    struct xp *x = r->loop->end[B].core;
    struct xp_srq_init other = {.pd = 2, .depth = 4};
    uint32_t old = r->srq[B], srqn, key;
    CHECK(xp_srq_create(x, &other, &srqn) == XP_OK);
    CHECK(xp_mr_add(x, 2, RIG_BASE, 4096, XP_LOCAL_WRITE, 0, &key) == XP_OK);
    r->srq[B] = srqn;
    uint32_t second = second_qp(r);
    struct xp_recv_wr good = {.wr_id = 11, .sge = {RIG_BASE, 64, key}};
    struct xp_recv_wr bad = {.wr_id = 12, .sge = {RIG_BASE, 64, r->key[B]}};
    CHECK(xp_srq_post_recv(x, srqn, &good) == XP_OK && xp_srq_post_recv(x, srqn, &bad) == XP_OK);
    struct wire_hdr h = rig_request(r, OP_SEND_ONLY, 100, 16);
    h.dest_qp = second;
    INT_IS(rig_inject(r, B, h).verdict, V_ACCEPT);
    h.psn = psn(101);
    INT_IS(rig_inject(r, B, h).verdict, V_RECV_BAD_KEY);
    CHECK(xp_qp_destroy(x, second, 0) == XP_OK);
    INT_IS(xp_srq_destroy(x, srqn), XP_OK);
    r->srq[B] = old;
    rig_free(r);
}

static void srq_gives_no_credits(void)
{
    struct rig_spec s = rig_spec();
    s.profile.credits = true;
    s.srq_depth = 8;
    struct rig *r = rig_new(&s);
    rig_recvs(r, 11, 3, 600);
    rig_sends(r, 1, 1, 10);
    rig_run(r);
    TEXT_IS(rig_packets(r, SHOW_ANSWERS), "ack.100/1");
    rig_free(r);
}

static void srq_datagram_too_long_for_it_leaves_the_receive(void)
{
    struct rig *r = rig_srq(XP_UD, 0);
    rig_recvs(r, 11, 1, 100);
    rig_sends(r, 1, 1, 61);
    rig_run(r);
    INT_IS(waiting(r), 1);
    rig_sends(r, 2, 1, 60);
    rig_sends(r, 3, 1, 60);
    rig_run(r);
    TEXT_IS(rig_rcs(r, B), "11:0/100");
    TEXT_IS(rig_wcs(r, A), "1:0 2:0 3:0");
    rig_free(r);
}

static void srq_wrong_arguments_are_einval(void)
{
    struct rig *r = rig_srq(XP_RC, 0);
    struct xp *x = r->loop->end[B].core;
    struct xp_recv_wr wr = {.wr_id = 1, .sge = {RIG_BASE, 8, r->key[B]}};
    struct xp_srq_query q;
    uint32_t srqn;
    struct xp_srq_init init = {.pd = RIG_PD, .depth = 0};
    INT_IS(xp_srq_create(x, &init, &srqn), XP_EINVAL);
    init = (struct xp_srq_init){.pd = RIG_PD, .depth = 4, .limit = 5};
    INT_IS(xp_srq_create(x, &init, &srqn), XP_EINVAL);
    init = (struct xp_srq_init){.pd = RIG_PD, .depth = 32769};
    INT_IS(xp_srq_create(x, &init, &srqn), XP_EINVAL);
    init = (struct xp_srq_init){.pd = RIG_PD, .depth = 4};
    CHECK(xp_srq_create(x, &init, &srqn) == XP_OK);
    INT_IS(xp_srq_arm(x, srqn, 5), XP_EINVAL);
    INT_IS(xp_srq_arm(x, 77, 1), XP_EINVAL);
    INT_IS(xp_srq_post_recv(x, 77, &wr), XP_EINVAL);
    INT_IS(xp_srq_query(x, 0, &q), XP_EINVAL);
    CHECK(xp_srq_post_recv(x, srqn, &wr) == XP_OK);
    INT_IS(xp_srq_destroy(x, srqn), XP_OK);
    INT_IS(xp_srq_post_recv(x, srqn, &wr), XP_EINVAL);
    INT_IS(xp_outstanding(x), 0);
    struct xp_qp_init qp = {
        .service = XP_RC, .pd = RIG_PD, .send_cq = r->scq[B], .recv_cq = r->rcq[B], .srq = srqn};
    INT_IS(xp_qp_create(x, &qp, &srqn), XP_EINVAL);
    rig_free(r);
}

static void srq_digest_tells_all_of_it(void)
{
    struct rig *r = rig_srq(XP_RC, 1);
    struct xp *x = r->loop->end[B].core;
    uint64_t seen[6];
    int n = 0;
    seen[n++] = xp_digest(x, 0);
    rig_recvs(r, 11, 2, 600);
    seen[n++] = xp_digest(x, 0);
    CHECK(xp_srq_arm(x, r->srq[B], 2) == XP_OK);
    seen[n++] = xp_digest(x, 0);
    rig_inject(r, B, rig_request(r, OP_SEND_FIRST, 100, 256));
    seen[n++] = xp_digest(x, 0);
    rig_events(r, B);
    seen[n++] = xp_digest(x, 0);
    struct rig *same = rig_clone(r);
    INT_IS(xp_digest(same->loop->end[B].core, 0) == seen[4], true);
    for (int i = 0; i < n; i++)
        for (int k = 0; k < i; k++)
            CU_ASSERT_TRUE(seen[i] != seen[k]);
    rig_free(same);
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
                                    TEST(srq_write_imm_refused_at_its_end_takes_no_receive),
                                    TEST(srq_uc_receive_with_a_fault_completes_once),
                                    TEST(srq_write_begun_anew_gives_nothing_back),
                                    TEST(srq_last_wqe_is_told_when_err_is_entered),
                                    TEST(srq_messages_of_two_qps_take_as_they_begin),
                                    TEST(srq_pd_governs_the_receives),
                                    TEST(srq_gives_no_credits),
                                    TEST(srq_datagram_too_long_for_it_leaves_the_receive),
                                    TEST(srq_wrong_arguments_are_einval),
                                    TEST(srq_digest_tells_all_of_it),
                                    TESTS_END};
const struct suite suite_srq = {"srq", tests};
