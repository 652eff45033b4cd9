/*
 * Recovery policies and end-to-end credits of RC (IBA 9.7.5, 9.7.7.2; go-back-0: what the first RoCE
 * adapters did).
 */
#include "tests/unit/rig.h"

#include <stdio.h>

#include "sim/base/check.h"

static struct rig *rig_back_0(void)
{
    struct rig_spec s = rig_spec();
    s.profile.recovery = XP_GO_BACK_0;
    return rig_new(&s);
}

static void drop(struct rig *r, int from, uint64_t nth)
{
    loop_script(r->loop, (struct loop_fault){.from = (uint16_t)from,
                                             .to = (uint16_t)!from,
                                             .nth = nth,
                                             .action = LOOP_DROP});
}

static void write_at(struct rig *r, uint64_t id, uint32_t len)
{
    CHECK(rig_post(r, (struct rig_op){.id = id, .op = XP_WR_WRITE, .len = len, .dst = 4096}) ==
          XP_OK);
}

static void recovery_from_zero_sends_the_whole_message_again(void)
{
    struct rig *r = rig_back_0();
    drop(r, A, 2);
    write_at(r, 1, 1024);
    rig_run(r);
    TEXT_IS(rig_packets(r, SHOW_ALL),
            "WRITE_FIRST.100+256@4096:1024 WRITE_MIDDLE.101+256 WRITE_MIDDLE.102+256x "
            "WRITE_LAST.103+256 nak0.102/0 WRITE_FIRST.100+256@4096:1024r WRITE_MIDDLE.101+256r "
            "WRITE_MIDDLE.102+256r WRITE_LAST.103+256r ack.103/1");
    TEXT_IS(rig_wcs(r, A), "1:0");
    CU_ASSERT_TRUE(rig_same_bytes(r, 0, 4096, 1024));
    rig_free(r);
}

/* The receive of the message in progress serves its second coming. */
static void recovery_from_zero_keeps_the_receive(void)
{
    struct rig *r = rig_back_0();
    drop(r, A, 1);
    rig_recvs(r, 11, 2, 1024);
    rig_sends(r, 1, 1, 1000);
    rig_run(r);
    TEXT_IS(rig_rcs(r, B), "11:0/1000");
    TEXT_IS(rig_wcs(r, A), "1:0");
    rig_free(r);
}

/* All of the message had arrived: its repetition is a duplicate, and the next message goes on. */
static void recovery_from_zero_of_a_finished_message_is_a_duplicate(void)
{
    struct rig *r = rig_back_0();
    drop(r, B, 0);
    rig_recvs(r, 11, 2, 1024);
    rig_sends(r, 1, 2, 1000);
    rig_run(r);
    TEXT_IS(rig_rcs(r, B), "11:0/1000 12:0/1000");
    TEXT_IS(rig_wcs(r, A), "1:0 2:0");
    rig_free(r);
}

static void recovery_from_zero_starts_a_read_anew(void)
{
    struct rig *r = rig_back_0();
    drop(r, B, 1);
    CHECK(rig_post(r, (struct rig_op){.id = 1, .op = XP_WR_READ, .len = 768}) == XP_OK);
    rig_run(r);
    TEXT_IS(rig_packets(r, SHOW_REQUESTS), "READ_REQUEST.100+0@0:768 READ_REQUEST.100+0@0:768r");
    TEXT_IS(rig_wcs(r, A), "1:0");
    rig_free(r);
}

static void recovery_repeated_nak_starts_one_retry(void)
{
    struct rig_spec s = rig_spec();
    s.profile.policy[XP_P_NAK] = XP_NAK_REPEATED;
    struct rig *r = rig_new(&s);
    drop(r, A, 0);
    write_at(r, 1, 1024);
    rig_run(r);
    TEXT_IS(rig_packets(r, SHOW_ANSWERS), "nak0.100/0 nak0.100/0 nak0.100/0 ack.103/1");
    INT_IS(xp_counts(r->loop->end[A].core)->requests_retransmitted, 4);
    rig_free(r);
}

/*
 * Every packet behind a gap is NAKed, and none of the NAKs can leave: they must not pile up without
 * end, whatever stands between them.  What is not said the requester's timer makes good.
 */
static void recovery_answers_that_cannot_leave_are_bounded(void)
{
    struct rig_spec s = rig_spec();
    s.profile.policy[XP_P_NAK] = XP_NAK_REPEATED;
    s.profile.ack_coalesce = false;
    struct rig *r = rig_new(&s);
    struct xp *b = r->loop->end[B].core;
    struct wire_hdr executed = rig_request(r, OP_WRITE_ONLY, 100, 8);
    rig_inject(r, B, executed);
    for (uint32_t i = 0; i < 2000; i++) {
        rig_inject(r, B, rig_request(r, OP_WRITE_ONLY, 102 + i, 8));
        rig_inject(r, B, executed);
    }
    CU_ASSERT_PTR_NULL(xp_exhausted(b));
    CU_ASSERT(xp_outstanding(b) <= 64 + 2);
    /* what ends the connection is said all the same */
    rig_inject(r, B, rig_request(r, OP_WRITE_LAST, 101, 8));
    rig_run(r);
    const struct loop_record *last = &r->loop->record[r->loop->records - 1];
    INT_IS(last->h.syndrome, aeth_syndrome(AETH_NAK, NAK_INV_REQ));
    rig_free(r);
}

/* ---- credits ------------------------------------------------------------------------------- */

static struct rig *rig_credits(void)
{
    struct rig_spec s = rig_spec();
    s.profile.credits = true;
    s.profile.ack_coalesce = false;
    return rig_new(&s);
}

/*
 * Two receives: the ACK that tells of the first, unasked, lets the second send go, and the ACK of the
 * first send the third, which is one too many.  The fourth waits.
 */
static void recovery_credit_lets_one_send_beyond_it_go(void)
{
    struct rig *r = rig_credits();
    rig_recvs(r, 11, 2, 256);
    rig_sends(r, 1, 4, 16);
    rig_run_for(r, TM_US / 2);
    TEXT_IS(rig_packets(r, SHOW_ALL), "SEND_ONLY.100+16 ackcredit1.99/0");
    rig_run_for(r, 3 * TM_US);
    TEXT_IS(rig_packets(r, SHOW_ALL),
            "ackcredit1.100/1 SEND_ONLY.101+16 SEND_ONLY.102+16 ackcredit0.101/2 rnr12.102/2");
    rig_free(r);
}

static void recovery_credit_does_not_hold_back_writes_and_reads(void)
{
    struct rig *r = rig_credits();
    rig_sends(r, 1, 1, 16);
    write_at(r, 2, 16);
    CHECK(rig_post(r, (struct rig_op){.id = 3, .op = XP_WR_READ, .len = 16}) == XP_OK);
    rig_run_for(r, TM_US / 2);
    TEXT_IS(rig_packets(r, SHOW_ALL),
            "SEND_ONLY.100+16 WRITE_ONLY.101+16@4096:16 READ_REQUEST.102+0@0:16");
    rig_free(r);
}

static void recovery_credit_codes_are_rounded_down(void)
{
    static const struct {
        int receives;
        const char *acks;
    } row[] = {{1, "ackcredit0"},  {2, "ackcredit1"},   {5, "ackcredit4"},
               {6, "ackcredit4"},  {7, "ackcredit5"},   {12, "ackcredit6"},
               {13, "ackcredit7"}, {33, "ackcredit10"}, {50, "ackcredit11"}};
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
        struct rig *r = rig_credits();
        r->loop->end[B].free_at = 2 * TM_US;
        rig_state(r, B, XP_RTS);
        rig_recvs(r, 100, row[i].receives, 64);
        rig_sends(r, 1, 1, 16);
        rig_run(r);
        const struct loop_record *last = &r->loop->record[r->loop->records - 1];
        char found[20];
        snprintf(found, sizeof found, "ackcredit%u", aeth_low5(last->h.syndrome));
        TEXT_IS(found, row[i].acks);
        rig_free(r);
    }
}

static void recovery_credit_of_31_lifts_the_limit(void)
{
    struct rig *r = rig_credits();
    r->loop->dir[A][B].drop_mask = ~(uint64_t)0;
    rig_sends(r, 1, 3, 16);
    rig_run_for(r, TM_US);
    rig_inject(r, A, rig_answer(r, aeth_syndrome(AETH_ACK, 31), 100, 1));
    rig_run_for(r, TM_US);
    TEXT_IS(rig_packets(r, SHOW_REQUESTS), "SEND_ONLY.100+16x SEND_ONLY.101+16x SEND_ONLY.102+16x");
    rig_free(r);
}

/* Code 3 is a credit of 3: with MSN 1 the fifth send is the one beyond. */
static void recovery_credit_of_an_odd_code_counts_whole(void)
{
    struct rig *r = rig_credits();
    r->loop->dir[A][B].drop_mask = ~(uint64_t)0;
    rig_sends(r, 1, 8, 16);
    rig_run_for(r, TM_US);
    rig_inject(r, A, rig_answer(r, aeth_syndrome(AETH_ACK, 3), 100, 1));
    rig_run_for(r, TM_US);
    TEXT_IS(rig_packets(r, SHOW_REQUESTS),
            "SEND_ONLY.100+16x SEND_ONLY.101+16x SEND_ONLY.102+16x SEND_ONLY.103+16x "
            "SEND_ONLY.104+16x");
    rig_free(r);
}

/* Found by exploration: a UC sender waited for ever for a credit that UC does not know. */
static void recovery_credit_is_no_matter_of_uc(void)
{
    struct rig_spec s = rig_spec_uc();
    s.profile.credits = true;
    struct rig *r = rig_new(&s);
    rig_recvs(r, 11, 3, 64);
    rig_sends(r, 1, 3, 16);
    rig_run(r);
    TEXT_IS(rig_wcs(r, A), "1:0 2:0 3:0");
    TEXT_IS(rig_rcs(r, B), "11:0/16 12:0/16 13:0/16");
    rig_free(r);
}

/* Nothing is lost for want of a receive: the first one posted is told of, unasked. */
static void recovery_credit_comes_unasked_with_the_first_receive(void)
{
    struct rig *r = rig_credits();
    rig_recvs(r, 11, 1, 256);
    rig_sends(r, 1, 1, 16);
    rig_run(r);
    rig_packets(r, SHOW_ALL);
    CHECK(rig_recv(r, 12, 0, 256) == XP_OK);
    rig_run(r);
    TEXT_IS(rig_packets(r, SHOW_ALL), "ackcredit1.100/1");
    rig_free(r);
}

static const struct test tests[] = {TEST(recovery_from_zero_sends_the_whole_message_again),
                                    TEST(recovery_from_zero_keeps_the_receive),
                                    TEST(recovery_from_zero_of_a_finished_message_is_a_duplicate),
                                    TEST(recovery_from_zero_starts_a_read_anew),
                                    TEST(recovery_repeated_nak_starts_one_retry),
                                    TEST(recovery_answers_that_cannot_leave_are_bounded),
                                    TEST(recovery_credit_lets_one_send_beyond_it_go),
                                    TEST(recovery_credit_does_not_hold_back_writes_and_reads),
                                    TEST(recovery_credit_codes_are_rounded_down),
                                    TEST(recovery_credit_of_31_lifts_the_limit),
                                    TEST(recovery_credit_of_an_odd_code_counts_whole),
                                    TEST(recovery_credit_is_no_matter_of_uc),
                                    TEST(recovery_credit_comes_unasked_with_the_first_receive),
                                    TESTS_END};
const struct suite suite_recovery = {"recovery", tests};
