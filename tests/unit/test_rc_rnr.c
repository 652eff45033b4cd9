/*
 * Receiver not ready: which packet the RNR NAK names, how long the requester is silent, what uses
 * up rnr_retry, what the ACK timer does meanwhile.
 */
#include <stdio.h>

#include "sim/base/check.h"
#include "tests/unit/rig.h"

/* ib-transport "RNR timer codes", in picoseconds */
static const tm_ps rnr_wait[32] = {
    655360000000, 10000000,     20000000,     30000000,    40000000,    60000000,    80000000,
    120000000,    160000000,    240000000,    320000000,   480000000,   640000000,   960000000,
    1280000000,   1920000000,   2560000000,   3840000000,  5120000000,  7680000000,  10240000000,
    15360000000,  20480000000,  30720000000,  40960000000, 61440000000, 81920000000, 122880000000,
    163840000000, 245760000000, 327680000000, 491520000000};

static void rc_rnr_wait_is_the_table_for_each_code(void)
{
    for (uint8_t code = 0; code < 32; code++) {
        char where[20], wanted[200];
        snprintf(where, sizeof where, "code %u", code);
        struct rig_spec s = rig_spec();
        s.min_rnr = code;
        struct rig *r = rig_new(&s);
        rig_sends(r, 1, 1, 100);
        rig_run_for(r, 2 * RIG_DELAY);
        rig_recvs(r, 11, 1, 100);
        rig_run(r);
        snprintf(wanted, sizeof wanted,
                 "0 SEND_ONLY.100+100 1000000 rnr%u.100/0 %lld SEND_ONLY.100+100r %lld ack.100/1",
                 code, (long long)(2 * RIG_DELAY + rnr_wait[code]),
                 (long long)(3 * RIG_DELAY + rnr_wait[code]));
        ROW_TEXT(where, rig_packets(r, SHOW_ALL | SHOW_TIME), wanted);
        ROW_TEXT(where, rig_wcs(r, A), "1:0");
        ROW_TEXT(where, rig_rcs(r, B), "11:0/100");
        ROW_INT(where, xp_counts(r->loop->end[A].core)->ack_timeouts, 0);
        rig_free(r);
    }
}

static void rc_rnr_wait_is_longer_by_the_slack_of_the_profile(void)
{
    struct rig_spec s = rig_spec();
    s.min_rnr = 7; /* a ConnectX-4 that was asked for 0.12 ms waited 1.5 */
    s.profile.timing.rnr_slack_ps = 1380 * TM_US;
    struct rig *r = rig_new(&s);
    rig_sends(r, 1, 1, 100);
    rig_run_for(r, 2 * RIG_DELAY);
    rig_recvs(r, 11, 1, 100);
    rig_run(r);
    TEXT_IS(rig_packets(r, SHOW_REQUESTS | SHOW_TIME),
            "0 SEND_ONLY.100+100 1502000000 SEND_ONLY.100+100r");
    TEXT_IS(rig_wcs(r, A), "1:0");
    rig_free(r);
}

static void rc_rnr_nak_names_the_packet_that_needs_the_receive(void)
{
    static const struct {
        enum xp_wr_op op;
        uint32_t len;
        const char *answers, *received;
    } rows[] = {
        {XP_WR_SEND, 0, "rnr12.100/0 ack.100/1", "11:0/0"},
        {XP_WR_SEND, 256, "rnr12.100/0 ack.100/1", "11:0/256"},
        {XP_WR_SEND, 1000, "rnr12.100/0 ack.103/1", "11:0/1000"},
        {XP_WR_SEND_IMM, 300, "rnr12.100/0 ack.101/1", "11:0/300#9"},
        {XP_WR_WRITE_IMM, 200, "rnr12.100/0 ack.100/1", "11:0/200#9"},
        {XP_WR_WRITE_IMM, 1000, "rnr12.103/0 ack.103/1", "11:0/1000#9"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char where[30];
        snprintf(where, sizeof where, "op %d len %u", rows[i].op, rows[i].len);
        struct rig_spec s = rig_spec();
        struct rig *r = rig_new(&s);
        CHECK(rig_post(r, (struct rig_op){
                              .id = 1, .op = rows[i].op, .len = rows[i].len, .imm = 9}) == XP_OK);
        rig_run_for(r, 10 * TM_US);
        ROW_INT(where, rig_query(r, B).msn, 0);
        rig_recvs(r, 11, 1, 1024);
        rig_run(r);
        ROW_TEXT(where, rig_packets(r, SHOW_ANSWERS), rows[i].answers);
        ROW_TEXT(where, rig_wcs(r, A), "1:0");
        ROW_TEXT(where, rig_rcs(r, B), rows[i].received);
        CU_ASSERT_TRUE(rig_same_bytes(r, 0, 0, rows[i].len));
        rig_free(r);
    }
}

static void rc_rnr_write_data_before_the_immediate_stays_placed(void)
{
    struct rig_spec s = rig_spec();
    struct rig *r = rig_new(&s);
    CHECK(rig_post(r, (struct rig_op){.id = 1, .op = XP_WR_WRITE_IMM, .len = 1000, .imm = 9}) ==
          XP_OK);
    rig_run_for(r, 10 * TM_US);
    CU_ASSERT_TRUE(rig_same_bytes(r, 0, 0, 768));
    INT_IS(rig_query(r, B).rq_psn.v, 103);
    rig_recvs(r, 11, 1, 0);
    rig_run(r);
    TEXT_IS(rig_packets(r, SHOW_REQUESTS),
            "WRITE_FIRST.100+256@0:1000 WRITE_MIDDLE.101+256 WRITE_MIDDLE.102+256 "
            "WRITE_LAST_IMM.103+232#9 WRITE_LAST_IMM.103+232#9r");
    rig_free(r);
}

static void rc_rnr_silence_on_both_sides_until_the_wait_is_over(void)
{
    struct rig_spec s = rig_spec();
    struct rig *r = rig_new(&s);
    rig_recvs(r, 11, 1, 100);
    rig_sends(r, 1, 4, 100); /* 101 is not taken; 102, 103 follow it and are met with silence */
    rig_run_for(r, 2 * RIG_DELAY);
    TEXT_IS(rig_packets(r, SHOW_ANSWERS), "ack.100/1 rnr12.101/1");
    TEXT_IS(rig_wcs(r, A), "1:0");
    CHECK(rig_post(r, (struct rig_op){.id = 5, .op = XP_WR_WRITE, .len = 8}) == XP_OK);
    rig_run_for(r, rnr_wait[12] - 1);
    TEXT_IS(rig_packets(r, SHOW_ALL), ""); /* nothing on this QP, new work neither */
    rig_recvs(r, 12, 3, 100);
    rig_run(r);
    TEXT_IS(rig_packets(r, SHOW_REQUESTS),
            "SEND_ONLY.101+100r SEND_ONLY.102+100r SEND_ONLY.103+100r "
            "WRITE_ONLY.104+8@0:8");
    TEXT_IS(rig_wcs(r, A), "2:0 3:0 4:0 5:0");
    rig_free(r);
}

static void rc_rnr_responder_sends_no_sequence_nak_after_it(void)
{
    struct rig_spec s = rig_spec();
    struct rig *r = rig_new(&s);
    INT_IS(rig_inject(r, B, rig_request(r, OP_SEND_ONLY, 100, 100)).verdict, V_NO_RECV);
    rig_run(r);
    TEXT_IS(rig_packets(r, SHOW_ALL), "rnr12.100/0");
    rig_inject(r, B, rig_request(r, OP_SEND_ONLY, 101, 100));
    rig_inject(r, B, rig_request(r, OP_SEND_ONLY, 105, 100));
    rig_run(r);
    TEXT_IS(rig_packets(r, SHOW_ALL), "");
    /* the packet itself, again without a receive: the NAK again */
    rig_inject(r, B, rig_request(r, OP_SEND_ONLY, 100, 100));
    rig_run(r);
    TEXT_IS(rig_packets(r, SHOW_ALL), "rnr12.100/0");
    INT_IS(rig_state_of(r, B), XP_RTS);
    rig_free(r);
}

static void rc_rnr_retry_is_counted_to_the_end(void)
{
    static const struct {
        uint8_t rnr_retry;
        tm_ps end;
        uint64_t sent;
    } rows[] = {{0, 2 * RIG_DELAY, 1},
                {1, 4 * RIG_DELAY + 640000000, 2},
                {3, 8 * RIG_DELAY + 3 * (tm_ps)640000000, 4},
                {6, 14 * RIG_DELAY + 6 * (tm_ps)640000000, 7}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char where[20];
        snprintf(where, sizeof where, "rnr_retry %u", rows[i].rnr_retry);
        struct rig_spec s = rig_spec();
        s.rnr_retry = rows[i].rnr_retry;
        s.retry_cnt = 0; /* RNR NAKs leave it alone */
        struct rig *r = rig_new(&s);
        rig_sends(r, 1, 1, 100);
        CHECK(rig_post(r, (struct rig_op){.id = 2, .op = XP_WR_WRITE, .len = 8}) == XP_OK);
        rig_run(r);
        ROW_TEXT(where, rig_wcs(r, A), "1:13 2:5");
        ROW_TEXT(where, rig_rcs(r, B), "");
        ROW_INT(where, r->loop->now, rows[i].end);
        ROW_INT(where, xp_counts(r->loop->end[A].core)->rnr_naks_received, rows[i].sent);
        ROW_INT(where, xp_counts(r->loop->end[A].core)->rnr_exceeded, 1);
        ROW_INT(where, rig_state_of(r, A), XP_ERR);
        ROW_INT(where, rig_state_of(r, B), XP_RTS);
        CU_ASSERT_TRUE(rig_untouched(r, 0, 100));
        rig_free(r);
    }
}

static void rc_rnr_retry_seven_has_no_end(void)
{
    struct rig_spec s = rig_spec();
    s.min_rnr = 1;
    struct rig *r = rig_new(&s);
    rig_sends(r, 1, 1, 100);
    rig_run_for(r, TM_MS);
    TEXT_IS(rig_wcs(r, A), "");
    CU_ASSERT_TRUE(xp_counts(r->loop->end[A].core)->rnr_naks_received > 80);
    rig_recvs(r, 11, 1, 100);
    rig_run(r);
    TEXT_IS(rig_wcs(r, A), "1:0");
    rig_free(r);
}

/* A wait of 0.64 ms under a timeout of 65.5 us: a live ACK timer would fire nine times. */
static void rc_rnr_wait_stops_the_ack_timer(void)
{
    struct rig_spec s = rig_spec();
    s.timeout = 4;
    s.retry_cnt = 0;
    struct rig *r = rig_new(&s);
    rig_sends(r, 1, 2, 100);
    rig_run_for(r, 2 * RIG_DELAY);
    INT_IS(xp_deadline(r->loop->end[A].core), 2 * RIG_DELAY + 640000000);
    rig_recvs(r, 11, 2, 100);
    rig_run(r);
    TEXT_IS(rig_wcs(r, A), "1:0 2:0");
    INT_IS(xp_counts(r->loop->end[A].core)->ack_timeouts, 0);
    rig_free(r);
}

static void rc_rnr_lost_nak_is_made_good_by_the_timer(void)
{
    struct rig_spec s = rig_spec();
    struct rig *r = rig_new(&s);
    r->loop->dir[B][A].drop_mask = 1;
    rig_sends(r, 1, 1, 100);
    rig_run_for(r, TM_MS);
    rig_recvs(r, 11, 1, 100);
    rig_run(r);
    TEXT_IS(rig_packets(r, SHOW_ALL | SHOW_TIME),
            "0 SEND_ONLY.100+100 1000000 rnr12.100/0x 67108864000 SEND_ONLY.100+100r "
            "67109864000 ack.100/1");
    TEXT_IS(rig_wcs(r, A), "1:0");
    rig_free(r);
}

/* After the wait the packet is lost: retry_cnt takes over, from a fresh timer. */
static void rc_rnr_then_silence_ends_with_12(void)
{
    struct rig_spec s = rig_spec();
    s.retry_cnt = 0;
    struct rig *r = rig_new(&s);
    r->loop->dir[A][B].drop_mask = 2;
    rig_sends(r, 1, 1, 100);
    rig_run(r);
    TEXT_IS(rig_wcs(r, A), "1:12");
    INT_IS(r->loop->now, 2 * RIG_DELAY + 640000000 + 67108864000);
    rig_free(r);
}

/* A copy of the refused packet comes late and finds a receive: its ACK ends the wait's purpose. */
static void rc_rnr_ack_during_the_wait_completes(void)
{
    struct rig_spec s = rig_spec();
    struct rig *r = rig_new(&s);
    loop_script(r->loop,
                (struct loop_fault){
                    .from = A, .to = B, .nth = 0, .action = LOOP_DUP, .delay_ps = 50 * TM_US});
    rig_sends(r, 1, 1, 100);
    rig_run_for(r, 10 * TM_US);
    rig_recvs(r, 11, 2, 100);
    rig_run_for(r, 90 * TM_US);
    TEXT_IS(rig_wcs(r, A), "1:0");
    rig_run(r);
    TEXT_IS(rig_packets(r, SHOW_ALL), "SEND_ONLY.100+100 rnr12.100/0 ack.100/1");
    TEXT_IS(rig_rcs(r, B), "11:0/100");
    INT_IS(rig_state_of(r, A), XP_RTS);
    rig_sends(r, 2, 1, 50);
    rig_run(r);
    TEXT_IS(rig_wcs(r, A), "2:0");
    rig_free(r);
}

/* The packet a gap waited for has no receive: the sequence NAK is followed by an RNR NAK. */
static void rc_rnr_nak_can_follow_a_sequence_nak(void)
{
    struct rig_spec s = rig_spec();
    struct rig *r = rig_new(&s);
    INT_IS(rig_inject(r, B, rig_request(r, OP_SEND_ONLY, 101, 8)).verdict, V_GAP);
    INT_IS(rig_inject(r, B, rig_request(r, OP_SEND_ONLY, 100, 8)).verdict, V_NO_RECV);
    INT_IS(rig_inject(r, B, rig_request(r, OP_SEND_ONLY, 101, 8)).verdict, V_GAP_AGAIN);
    rig_recvs(r, 11, 1, 8);
    INT_IS(rig_inject(r, B, rig_request(r, OP_SEND_ONLY, 100, 8)).verdict, V_ACCEPT);
    INT_IS(rig_inject(r, B, rig_request(r, OP_SEND_ONLY, 102, 8)).verdict, V_GAP);
    rig_run(r);
    TEXT_IS(rig_packets(r, SHOW_ALL), "nak0.100/0 rnr12.100/0 ack.100/1 nak0.101/1");
    rig_free(r);
}

/* The NAK comes twice: the copy neither counts nor starts the wait anew. */
static void rc_rnr_copy_of_the_nak_changes_nothing(void)
{
    struct rig_spec s = rig_spec();
    s.rnr_retry = 1;
    struct rig *r = rig_new(&s);
    loop_script(r->loop,
                (struct loop_fault){
                    .from = B, .to = A, .nth = 0, .action = LOOP_DUP, .delay_ps = 5 * TM_US});
    rig_sends(r, 1, 1, 100);
    rig_run_for(r, 10 * TM_US);
    rig_recvs(r, 11, 1, 100);
    rig_run(r);
    TEXT_IS(rig_packets(r, SHOW_REQUESTS | SHOW_TIME),
            "0 SEND_ONLY.100+100 642000000 SEND_ONLY.100+100r");
    TEXT_IS(rig_wcs(r, A), "1:0");
    rig_free(r);
}

/* One that names a later packet acknowledges those before it and starts a wait of its own. */
static void rc_rnr_later_nak_during_the_wait_moves_it(void)
{
    struct rig_spec s = rig_spec();
    struct rig *r = rig_new(&s);
    r->loop->dir[B][A].drop_mask = 1;
    rig_sends(r, 1, 4, 100);
    rig_run_for(r, TM_NS);
    rig_packets(r, SHOW_ALL);
    rig_inject(r, A, rig_answer(r, aeth_syndrome(AETH_RNR, 12), 100, 0));
    rig_run_for(r, TM_NS);
    rig_inject(r, A, rig_answer(r, aeth_syndrome(AETH_RNR, 1), 102, 2));
    TEXT_IS(rig_wcs(r, A), "1:0 2:0");
    rig_run_for(r, rnr_wait[1]);
    TEXT_IS(rig_packets(r, SHOW_REQUESTS), "SEND_ONLY.102+100r SEND_ONLY.103+100r");
    rig_free(r);
}

static void rc_rnr_is_taken_for_any_request(void)
{
    struct rig_spec s = rig_spec();
    struct rig *r = rig_new(&s);
    r->loop->dir[B][A].drop_mask = 1;
    CHECK(rig_post(r, (struct rig_op){.id = 1, .op = XP_WR_WRITE, .len = 600}) == XP_OK);
    rig_run_for(r, TM_NS);
    rig_packets(r, SHOW_ALL);
    INT_IS(rig_inject(r, A, rig_answer(r, aeth_syndrome(AETH_RNR, 1), 101, 0)).verdict, V_ANSWER);
    INT_IS(xp_deadline(r->loop->end[A].core), TM_NS + rnr_wait[1]);
    rig_run(r);
    TEXT_IS(rig_packets(r, SHOW_REQUESTS), "WRITE_MIDDLE.101+256r WRITE_LAST.102+88r");
    TEXT_IS(rig_wcs(r, A), "1:0");
    rig_free(r);
}

/* verbs-behaviour: 32 SENDs, 16 receives, min_rnr_timer 1, rnr_retry 1 */
static void rc_rnr_16_of_32_sends_find_a_receive(void)
{
    struct rig_spec s = rig_spec();
    s.min_rnr = 1;
    s.rnr_retry = 1;
    struct rig *r = rig_new(&s);
    rig_recvs(r, 101, 16, 64);
    rig_sends(r, 1, 32, 64);
    rig_run(r);
    TEXT_IS(rig_wcs(r, A), "1:0 2:0 3:0 4:0 5:0 6:0 7:0 8:0 9:0 10:0 11:0 12:0 13:0 14:0 15:0 16:0 "
                           "17:13 18:5 19:5 20:5 21:5 22:5 23:5 24:5 25:5 26:5 27:5 28:5 29:5 30:5 "
                           "31:5 32:5");
    TEXT_IS(rig_rcs(r, B),
            "101:0/64 102:0/64 103:0/64 104:0/64 105:0/64 106:0/64 107:0/64 108:0/64 109:0/64 "
            "110:0/64 111:0/64 112:0/64 113:0/64 114:0/64 115:0/64 116:0/64");
    INT_IS(rig_state_of(r, A), XP_ERR);
    rig_free(r);
}

/* the same, timer 31, rnr_retry 7, 16 receives posted later: all 32 succeed */
static void rc_rnr_later_receives_take_the_rest(void)
{
    struct rig_spec s = rig_spec();
    s.min_rnr = 31;
    struct rig *r = rig_new(&s);
    rig_recvs(r, 101, 16, 64);
    rig_sends(r, 1, 32, 64);
    rig_run_for(r, 2 * TM_S);
    CHECK(xp_completions(r->loop->end[A].core) == 16);
    for (uint32_t i = 16; i < 32; i++)
        CHECK(rig_recv(r, 101 + i, i * 64, 64) == XP_OK);
    rig_run(r);
    INT_IS(xp_completions(r->loop->end[A].core), 32);
    INT_IS(xp_completions(r->loop->end[B].core), 32);
    CU_ASSERT_TRUE(rig_same_bytes(r, 0, 0, 32 * 64));
    INT_IS(rig_state_of(r, A), XP_RTS);
    INT_IS(rig_query(r, B).msn, 32);
    rig_free(r);
}

/* One NAK each for four messages, rnr_retry 1: progress in between restores the count. */
static void rc_rnr_progress_restores_the_count(void)
{
    struct rig_spec s = rig_spec();
    s.min_rnr = 1;
    s.rnr_retry = 1;
    struct rig *r = rig_new(&s);
    rig_sends(r, 1, 4, 64);
    for (uint64_t i = 0; i < 4; i++) {
        rig_run_for(r, 5 * TM_US); /* refused */
        CHECK(rig_recv(r, 11 + i, 0, 64) == XP_OK);
        rig_run_for(r, 8 * TM_US); /* taken; the one behind is refused */
    }
    rig_run(r);
    TEXT_IS(rig_wcs(r, A), "1:0 2:0 3:0 4:0");
    rig_free(r);
}

/*
 * Found by exploration: where the ACK timer runs on beside the wait, an acknowledgement that came
 * during it left the timer with nothing to be about, and its end failed a send that was not there.
 */
static void rc_rnr_timer_beside_the_wait_ends_with_the_last_send(void)
{
    struct rig_spec s = rig_spec();
    s.profile.policy[XP_P_RNR_TIMER] = XP_RNR_TIMER_RUNS;
    s.retry_cnt = 0;
    s.min_rnr = 28;
    struct rig *r = rig_new(&s);
    r->loop->dir[A][B].drop_mask = ~(uint64_t)0;
    rig_sends(r, 1, 1, 16);
    rig_run_for(r, TM_US);
    rig_inject(r, A, rig_answer(r, aeth_syndrome(AETH_RNR, 28), 100, 0));
    rig_inject(r, A, rig_answer(r, aeth_syndrome(AETH_ACK, 31), 100, 1));
    rig_run(r);
    TEXT_IS(rig_wcs(r, A), "1:0");
    INT_IS(rig_state_of(r, A), XP_RTS);
    rig_free(r);
}

static const struct test tests[] = {TEST(rc_rnr_wait_is_the_table_for_each_code),
    TEST(rc_rnr_wait_is_longer_by_the_slack_of_the_profile),
                                    TEST(rc_rnr_timer_beside_the_wait_ends_with_the_last_send),
                                    TEST(rc_rnr_nak_names_the_packet_that_needs_the_receive),
                                    TEST(rc_rnr_write_data_before_the_immediate_stays_placed),
                                    TEST(rc_rnr_silence_on_both_sides_until_the_wait_is_over),
                                    TEST(rc_rnr_responder_sends_no_sequence_nak_after_it),
                                    TEST(rc_rnr_retry_is_counted_to_the_end),
                                    TEST(rc_rnr_retry_seven_has_no_end),
                                    TEST(rc_rnr_wait_stops_the_ack_timer),
                                    TEST(rc_rnr_lost_nak_is_made_good_by_the_timer),
                                    TEST(rc_rnr_then_silence_ends_with_12),
                                    TEST(rc_rnr_copy_of_the_nak_changes_nothing),
                                    TEST(rc_rnr_later_nak_during_the_wait_moves_it),
                                    TEST(rc_rnr_ack_during_the_wait_completes),
                                    TEST(rc_rnr_nak_can_follow_a_sequence_nak),
                                    TEST(rc_rnr_is_taken_for_any_request),
                                    TEST(rc_rnr_16_of_32_sends_find_a_receive),
                                    TEST(rc_rnr_later_receives_take_the_rest),
                                    TEST(rc_rnr_progress_restores_the_count),
                                    TESTS_END};
const struct suite suite_rc_rnr = {"rc_rnr", tests};
