/* Packets that come before their turn: kept, executed in order, given up. */
#include <string.h>

#include "sim/base/check.h"
#include "tests/unit/srbed.h"

/* Messages that came whole wait for one before them; receives are taken in order. */
static void hold_messages_are_executed_in_order(void)
{
    struct rig *r = srbed_new();
    srbed_drop(r, A, 0);
    rig_recvs(r, 11, 3, 512);
    rig_sends(r, 1, 3, 300);
    rig_run_for(r, 1500 * TM_NS);
    TEXT_IS(rig_rcs(r, B), "");
    INT_IS(rig_query(r, B).recvs_waiting, 3);
    rig_run(r);
    TEXT_IS(rig_packets(r, SHOW_REQUESTS), "SEND_FIRST.100+256x SEND_LAST.101+44 "
                                           "SEND_FIRST.102+256 SEND_LAST.103+44 SEND_FIRST.104+256 "
                                           "SEND_LAST.105+44 SEND_FIRST.100+256r");
    TEXT_IS(rig_rcs(r, B), "11:0/300 12:0/300 13:0/300");
    TEXT_IS(rig_wcs(r, A), "1:0 2:0 3:0");
    CU_ASSERT_TRUE(rig_same_bytes(r, 0, 0, 300));
    CU_ASSERT_TRUE(rig_same_bytes(r, 600, 1024, 300));
    rig_free(r);
}

/* Immediates and bytes go to the receives in the order of the messages, whichever came first. */
static void hold_immediates_take_receives_in_order(void)
{
    struct rig *r = srbed_new();
    srbed_drop(r, A, 0);
    srbed_drop(r, A, 2);
    rig_recvs(r, 11, 3, 512);
    CHECK(rig_post(r, (struct rig_op){.id = 1, .op = XP_WR_SEND, .len = 20}) == XP_OK);
    CHECK(rig_post(
              r, (struct rig_op){
                     .id = 2, .op = XP_WR_WRITE_IMM, .len = 300, .dst = 4096, .imm = 7}) == XP_OK);
    CHECK(rig_post(r, (struct rig_op){.id = 3, .op = XP_WR_SEND_IMM, .len = 30, .imm = 9}) ==
          XP_OK);
    rig_run(r);
    TEXT_IS(rig_packets(r, SHOW_REQUESTS),
            "SEND_ONLY.100+20x WRITE_FIRST.101+256@4096:300 WRITE_LAST_IMM.102+44#7x "
            "SEND_ONLY_IMM.103+30#9 SEND_ONLY.100+20r WRITE_LAST_IMM.102+44#7r");
    TEXT_IS(rig_rcs(r, B), "11:0/20 12:0/300#7 13:0/30#9");
    TEXT_IS(rig_wcs(r, A), "1:0 2:0 3:0");
    CU_ASSERT_TRUE(rig_same_bytes(r, 0, 4096, 300));
    rig_free(r);
}

static void hold_read_and_atomic_behind_a_gap_wait_for_it(void)
{
    struct rig *r = srbed_new();
    srbed_drop(r, A, 0);
    srbed_write(r, 1, 256);
    CHECK(rig_post(r,
                   (struct rig_op){
                       .id = 2, .op = XP_WR_READ, .len = 300, .src = 16384, .dst = 4096}) == XP_OK);
    CHECK(rig_post(r, (struct rig_op){.id = 3,
                                      .op = XP_WR_FETCH_ADD,
                                      .len = 8,
                                      .src = 20000,
                                      .dst = 64000,
                                      .swap_or_add = 2}) == XP_OK);
    rig_run(r);
    TEXT_IS(rig_packets(r, SHOW_ALL),
            "WRITE_ONLY.100+256@4096:256x READ_REQUEST.101+0@4096:300 FETCH_ADD.103+0 nak0.100/101 "
            "nak0.100/103 WRITE_ONLY.100+256@4096:256r ack.100/1 READ_RESP_FIRST.101+256/2 "
            "READ_RESP_LAST.102+44/2 ATOMIC_ACK.103/3");
    TEXT_IS(rig_wcs(r, A), "1:0 2:0 3:0");
    rig_free(r);
}

/* What came behind the lost one waits for it, and completes in posting order. */
static void hold_answers_behind_a_lost_response_wait_for_it(void)
{
    struct rig *r = srbed_to_read(1024, 0);
    srbed_read(r, 1, 256, 0);
    srbed_read(r, 2, 512, 256);
    srbed_fetch_add(r, 3, 0);
    srbed_write(r, 4, 16);
    srbed_lose_response(r, 0);
    rig_run_for(r, 2500 * TM_NS);
    TEXT_IS(rig_wcs(r, A), "");
    rig_run(r);
    TEXT_IS(rig_packets(r, SHOW_ALL),
            "READ_REQUEST.100+0@4096:256 READ_REQUEST.101+0@4352:512 FETCH_ADD.103+0 "
            "WRITE_ONLY.104+16@4096:16 READ_RESP_ONLY.100+256/2x READ_RESP_FIRST.101+256/3 "
            "READ_RESP_LAST.102+256/3 ATOMIC_ACK.103/4 ack.104/5 READ_REQUEST.100+0@4096:256r "
            "READ_RESP_ONLY.100+256/5");
    TEXT_IS(rig_wcs(r, A), "1:0 2:0 3:0 4:0");
    CU_ASSERT_TRUE(rig_same_bytes(r, 16384, 4096, 768));
    rig_free(r);
}

/* Behind an RNR NAK nothing is kept: all of it comes again. */
static void hold_rnr_nak_turns_away_what_follows(void)
{
    struct rig *r = srbed_new();
    rig_sends(r, 1, 2, 16);
    rig_run_for(r, 10 * TM_US);
    rig_recvs(r, 11, 2, 64);
    rig_run(r);
    TEXT_IS(rig_packets(r, SHOW_ALL),
            "SEND_ONLY.100+16 SEND_ONLY.101+16 rnr12.100/0 SEND_ONLY.100+16r "
            "SEND_ONLY.101+16r ack.100/1 ack.101/2");
    TEXT_IS(rig_rcs(r, B), "11:0/16 12:0/16");
    rig_free(r);
}

/* It was kept and named; when its turn comes there is no receive. */
static void hold_kept_packet_can_be_turned_away(void)
{
    struct rig *r = srbed_new();
    srbed_drop(r, A, 0);
    rig_recvs(r, 11, 1, 64);
    rig_sends(r, 1, 2, 16);
    rig_run_for(r, 10 * TM_US);
    rig_recvs(r, 12, 1, 64);
    rig_run(r);
    TEXT_IS(rig_packets(r, SHOW_ALL),
            "SEND_ONLY.100+16x SEND_ONLY.101+16 nak0.100/101 SEND_ONLY.100+16r "
            "ack.100/1 rnr12.101/1 SEND_ONLY.101+16r ack.101/2");
    TEXT_IS(rig_wcs(r, A), "1:0 2:0");
    TEXT_IS(rig_rcs(r, B), "11:0/16 12:0/16");
    rig_free(r);
}

/* A copy of a kept packet is named again, and kept once. */
static void hold_copy_of_a_kept_packet_is_kept_once(void)
{
    struct rig *r = srbed_new();
    srbed_drop(r, A, 0);
    loop_script(r->loop, (struct loop_fault){
                             .from = A, .to = B, .nth = 1, .action = LOOP_DUP, .delay_ps = 1});
    rig_recvs(r, 11, 3, 64);
    rig_sends(r, 1, 2, 16);
    rig_run_for(r, 1500 * TM_NS);
    INT_IS(rig_query(r, B).rq_psn.v, 100);
    INT_IS(xp_outstanding(r->loop->end[B].core), 5); /* receives, the connection, one packet */
    rig_run(r);
    TEXT_IS(rig_packets(r, SHOW_ANSWERS), "nak0.100/101 nak0.100/101 ack.101/2");

    TEXT_IS(rig_rcs(r, B), "11:0/16 12:0/16");
    rig_free(r);
}

/* There is room for 32 packets at this bench: the rest is dropped, and comes again. */
static void hold_without_room_it_goes_on(void)
{
    struct rig *r = srbed_new();
    srbed_drop(r, A, 0);
    srbed_write(r, 1, 256 * 50);
    rig_run(r);
    TEXT_IS(rig_wcs(r, A), "1:0");
    CU_ASSERT_TRUE(rig_same_bytes(r, 0, 4096, 256 * 50));
    rig_free(r);
}

/* There is room for 32 packets at this bench: those that find none are asked for once more, as one. */
static void hold_responses_without_room_come_again(void)
{
    static const struct {
        uint32_t packets, acks; /* of the WRITE before, one for 16 packets and for its last */
        const char *again;
    } rows[] = {{34, 3, "READ_REQUEST.133+0@12544:256r"},
                {50, 4, "READ_REQUEST.133+0@12544:4352r"}};
    for (size_t i = 0; i < 2; i++) {
        struct rig *r = srbed_to_read(rows[i].packets * 256, 0);
        srbed_read(r, 1, rows[i].packets * 256, 0);
        srbed_drop(r, B, rows[i].acks);
        rig_run_for(r, 3 * TM_US);
        const char *sent = strstr(rig_packets(r, SHOW_REQUESTS), "READ_REQUEST.100+0@4096:256r ");
        CU_ASSERT_PTR_NOT_NULL_FATAL(sent);
        TEXT_IS(strchr(sent, ' ') + 1, rows[i].again);
        rig_run(r);
        TEXT_IS(rig_wcs(r, A), "1:0");
        CU_ASSERT_TRUE(rig_same_bytes(r, 16384, 4096, rows[i].packets * 256));
        INT_IS(xp_counts(r->loop->end[A].core)->ack_timeouts, 0);
        rig_free(r);
    }
}

static void hold_qp_that_is_reset_gives_up_what_it_kept(void)
{
    struct rig *r = srbed_new();
    srbed_drop(r, A, 0);
    srbed_write(r, 1, 768);
    rig_run_for(r, 1500 * TM_NS);
    CHECK(rig_state(r, B, XP_RESET) == XP_OK);
    INT_IS(xp_outstanding(r->loop->end[B].core), 0);
    rig_free(r);
}

static void hold_qp_that_fails_gives_up_the_responses_it_kept(void)
{
    struct rig *r = srbed_to_read(1024, 0);
    srbed_read(r, 1, 1024, 0);
    srbed_lose_response(r, 0);
    rig_run_for(r, 2500 * TM_NS);
    INT_IS(xp_outstanding(r->loop->end[A].core), 5); /* the READ, the connection, three responses */
    CHECK(rig_state(r, A, XP_ERR) == XP_OK);
    INT_IS(xp_outstanding(r->loop->end[A].core), 1); /* the completion */
    TEXT_IS(rig_wcs(r, A), "1:5");
    rig_free(r);
}

/* A copy of the loop is one of what is kept, too. */
static void hold_clone_with_kept_responses_goes_on_alike(void)
{
    struct rig *r = srbed_to_read(1024, 0);
    srbed_read(r, 1, 1024, 0);
    srbed_lose_response(r, 1);
    rig_run_for(r, 2500 * TM_NS);
    struct rig *twin = rig_clone(r);
    rig_run(r);
    rig_run(twin);
    CU_ASSERT_TRUE(rig_same_bytes(twin, 16384, 4096, 1024));
    CU_ASSERT_TRUE(xp_digest(r->loop->end[A].core, r->loop->now) ==
                   xp_digest(twin->loop->end[A].core, twin->loop->now));
    TEXT_IS(rig_wcs(twin, A), "1:0");
    rig_free(twin);
    rig_free(r);
}

/* What is kept is part of the state. */
static void hold_digest_tells_which_response_is_kept(void)
{
    uint64_t digest[2];
    for (uint32_t i = 0; i < 2; i++) {
        struct rig *r = srbed_to_read(1024, 0);
        srbed_read(r, 1, 1024, 0);
        srbed_lose_response(r, 0);
        srbed_lose_response(r, 1 + i);
        srbed_lose_response(r, 3);
        rig_run_for(r, 2500 * TM_NS);
        digest[i] = xp_digest(r->loop->end[A].core, r->loop->now);
        rig_free(r);
    }
    CU_ASSERT_TRUE(digest[0] != digest[1]);
}

/* As far ahead as there are bits for it, and no further. */
static void hold_response_too_far_ahead_is_not_kept(void)
{
    struct rig *r = srbed_new();
    srbed_drop(r, A, 0);
    srbed_read(r, 1, 300 * 256, 0);
    rig_run_for(r, 500 * TM_NS);
    struct wire_hdr h = rig_answer(r, 0, 100, 1);
    h.opcode = wire_opcode(WIRE_RC, OP_READ_RESP_MIDDLE);
    h.payload_bytes = 256;
    h.psn = psn(100 + 256);
    INT_IS(rig_inject(r, A, h).deed, XP_NOTHING);
    h.psn = psn(100 + 255);
    INT_IS(rig_inject(r, A, h).deed, XP_HOLD);
    INT_IS(rig_inject(r, A, h).deed, XP_NOTHING); /* it is there */
    rig_free(r);
}

/* The READ is given up with its QP; RESYNC, and another QP's message, find nothing of it left. */
static void hold_context_whose_message_is_given_up_keeps_nothing(void)
{
    struct rig_spec s = srbed_spec();
    s.service = XP_RD;
    struct rig *r = rig_new(&s);
    srbed_drop(r, B, 0);
    srbed_read(r, 1, 1024, 0);
    rig_run_for(r, 2500 * TM_NS);
    INT_IS(xp_outstanding(r->loop->end[A].core), 6); /* READ, QP and context, three responses */
    CHECK(rig_state(r, A, XP_RESET) == XP_OK);
    rig_run(r);
    INT_IS(xp_outstanding(r->loop->end[A].core), 0);
    rig_free(r);
}

static const struct test tests[] = {TEST(hold_messages_are_executed_in_order),
                                    TEST(hold_immediates_take_receives_in_order),
                                    TEST(hold_read_and_atomic_behind_a_gap_wait_for_it),
                                    TEST(hold_answers_behind_a_lost_response_wait_for_it),
                                    TEST(hold_rnr_nak_turns_away_what_follows),
                                    TEST(hold_kept_packet_can_be_turned_away),
                                    TEST(hold_copy_of_a_kept_packet_is_kept_once),
                                    TEST(hold_without_room_it_goes_on),
                                    TEST(hold_responses_without_room_come_again),
                                    TEST(hold_qp_that_is_reset_gives_up_what_it_kept),
                                    TEST(hold_qp_that_fails_gives_up_the_responses_it_kept),
                                    TEST(hold_clone_with_kept_responses_goes_on_alike),
                                    TEST(hold_digest_tells_which_response_is_kept),
                                    TEST(hold_response_too_far_ahead_is_not_kept),
                                    TEST(hold_context_whose_message_is_given_up_keeps_nothing),
                                    TESTS_END};
const struct suite suite_hold = {"hold", tests};
