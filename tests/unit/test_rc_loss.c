/*
 * RC under loss: what a lost, doubled or late packet leads to, packet by packet.
 *
 * All requests of a test leave at time 0 (no gap), a direction takes 1 us, so the first NAK is back
 * at 2 us.  Times of status 12 are in test_rc_timer.c, random storms in tests/property.
 */
#include <stdio.h>

#include "sim/base/check.h"
#include "tests/unit/rig.h"

#define T14 (4096 * TM_NS * 16384)

static struct rig *rig_with(uint8_t retry_cnt)
{
    struct rig_spec s = rig_spec();
    s.retry_cnt = retry_cnt;
    return rig_new(&s);
}

static void script(struct rig *r, int from, uint64_t nth, enum loop_action action, tm_ps delay_ps)
{
    loop_script(r->loop, (struct loop_fault){.from = (uint16_t)from,
                                             .to = (uint16_t)!from,
                                             .nth = nth,
                                             .action = action,
                                             .delay_ps = delay_ps});
}

/* Everything arrived once, in order, whole: n SENDs of len bytes with receives of the same size. */
static void all_well(struct rig *r, int n, uint32_t len, const char *where)
{
    char sends[400] = "", recvs[400] = "";
    for (int i = 0, a = 0, b = 0; i < n; i++) {
        a += snprintf(sends + a, sizeof sends - (size_t)a, "%s%d:0", i ? " " : "", 1 + i);
        b += snprintf(recvs + b, sizeof recvs - (size_t)b, "%s%d:0/%u", i ? " " : "", 11 + i, len);
    }
    ROW_TEXT(where, rig_wcs(r, A), sends);
    ROW_TEXT(where, rig_rcs(r, B), recvs);
    CU_ASSERT_TRUE(rig_same_bytes(r, 0, 0, (uint32_t)n * len));
    ROW_INT(where, rig_query(r, B).msn, n);
    ROW_INT(where, rig_query(r, A).sq_psn.v, rig_query(r, B).rq_psn.v);
    ROW_INT(where, xp_deadline(r->loop->end[A].core), TM_NEVER);
}

/* ---- one message of four packets ------------------------------------------------------------- */

static void rc_loss_each_request_of_four_is_made_good(void)
{
    static const struct {
        uint64_t mask;
        const char *requests;
        tm_ps end;
    } rows[] = {
        {1,
         "SEND_FIRST.100+256x SEND_MIDDLE.101+256 SEND_MIDDLE.102+256 SEND_LAST.103+256 "
         "SEND_FIRST.100+256r SEND_MIDDLE.101+256r SEND_MIDDLE.102+256r SEND_LAST.103+256r",
         4 * TM_US},
        {2,
         "SEND_FIRST.100+256 SEND_MIDDLE.101+256x SEND_MIDDLE.102+256 SEND_LAST.103+256 "
         "SEND_MIDDLE.101+256r SEND_MIDDLE.102+256r SEND_LAST.103+256r",
         4 * TM_US},
        {4,
         "SEND_FIRST.100+256 SEND_MIDDLE.101+256 SEND_MIDDLE.102+256x SEND_LAST.103+256 "
         "SEND_MIDDLE.102+256r SEND_LAST.103+256r",
         4 * TM_US},
        /* the last one: nobody knows but the timer, and no ACK came before it */
        {8,
         "SEND_FIRST.100+256 SEND_MIDDLE.101+256 SEND_MIDDLE.102+256 SEND_LAST.103+256x "
         "SEND_FIRST.100+256r SEND_MIDDLE.101+256r SEND_MIDDLE.102+256r SEND_LAST.103+256r",
         T14 + 2 * TM_US},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char where[20];
        snprintf(where, sizeof where, "mask %llu", (unsigned long long)rows[i].mask);
        struct rig *r = rig_with(7);
        r->loop->dir[A][B].drop_mask = rows[i].mask;
        rig_recvs(r, 11, 1, 1024);
        rig_sends(r, 1, 1, 1024);
        rig_run(r);
        ROW_INT(where, r->loop->now, rows[i].end);
        ROW_TEXT(where, rig_packets(r, SHOW_REQUESTS), rows[i].requests);
        all_well(r, 1, 1024, where);
        rig_free(r);
    }
}

/* Requests lost by one mask, answers by the other. */
static void masked(int messages, uint32_t len, uint64_t requests, uint64_t answers)
{
    char where[60];
    struct rig *r = rig_with(7);
    r->loop->dir[A][B].drop_mask = requests;
    r->loop->dir[B][A].drop_mask = answers;
    rig_recvs(r, 11, messages, len);
    rig_sends(r, 1, messages, len);
    rig_run(r);
    snprintf(where, sizeof where, "masks %llx %llx", (unsigned long long)requests,
             (unsigned long long)answers);
    all_well(r, messages, len, where);
    CU_ASSERT_TRUE(r->loop->now <= 3 * T14);
    rig_free(r);
}

/* Any two of the first twelve packets of a direction are lost, or one in each. */
static void each_pair(int messages, uint32_t len)
{
    for (int a = 0; a < 12; a++) {
        for (int b = 0; b < 12; b++) {
            uint64_t one = 1ull << a, two = 1ull << b;
            masked(messages, len, one, two);
            if (b <= a) {
                masked(messages, len, one | two, 0);
                masked(messages, len, 0, one | two);
            }
        }
    }
}

static void rc_loss_each_pair_of_one_message_is_made_good(void) { each_pair(1, 1024); }
static void rc_loss_each_pair_of_three_messages_is_made_good(void) { each_pair(3, 700); }

/* ---- NAKs ------------------------------------------------------------------------------------ */

static void rc_loss_one_nak_for_one_gap_however_many_follow(void)
{
    struct rig *r = rig_with(7);
    r->loop->dir[A][B].drop_mask = 2;
    rig_recvs(r, 11, 8, 100);
    rig_sends(r, 1, 8, 100);
    rig_run_for(r, 2 * RIG_DELAY - 1);
    TEXT_IS(rig_packets(r, SHOW_ANSWERS), "ack.100/1 nak0.101/1");
    rig_run(r);
    all_well(r, 8, 100, "");
    INT_IS(xp_counts(r->loop->end[B].core)->naks_sent, 1);
    INT_IS(xp_counts(r->loop->end[A].core)->naks_received, 1);
    INT_IS(xp_counts(r->loop->end[A].core)->ack_timeouts, 0);
    rig_free(r);
}

static void rc_loss_two_gaps_have_a_nak_each(void)
{
    struct rig *r = rig_with(7);
    /* 100 lost; of the second round (packets 4..7) 102 is lost */
    r->loop->dir[A][B].drop_mask = 1 << 0 | 1 << 6;
    rig_recvs(r, 11, 4, 100);
    rig_sends(r, 1, 4, 100);
    rig_run(r);
    TEXT_IS(rig_packets(r, SHOW_ANSWERS),
            "nak0.100/0 ack.100/1 ack.101/2 nak0.102/2 ack.102/3 ack.103/4");
    all_well(r, 4, 100, "");
    rig_free(r);
}

static void rc_loss_of_the_retransmission_is_left_to_the_timer(void)
{
    struct rig *r = rig_with(7);
    r->loop->dir[A][B].drop_mask = 1 << 0 | 1 << 2; /* 100, and 100 again */
    rig_recvs(r, 11, 2, 100);
    rig_sends(r, 1, 2, 100);
    rig_run(r);
    TEXT_IS(rig_packets(r, SHOW_ALL | SHOW_TIME),
            "0 SEND_ONLY.100+100x 0 SEND_ONLY.101+100 1000000 nak0.100/0 "
            "2000000 SEND_ONLY.100+100rx 2000000 SEND_ONLY.101+100r "
            "67110864000 SEND_ONLY.100+100r 67110864000 SEND_ONLY.101+100r "
            "67111864000 ack.100/1 67111864000 ack.101/2");
    all_well(r, 2, 100, "");
    rig_free(r);
}

static void rc_loss_of_the_nak_is_left_to_the_timer(void)
{
    struct rig *r = rig_with(7);
    r->loop->dir[A][B].drop_mask = 1;
    r->loop->dir[B][A].drop_mask = 1;
    rig_recvs(r, 11, 3, 100);
    rig_sends(r, 1, 3, 100);
    rig_run(r);
    TEXT_IS(rig_packets(r, SHOW_ANSWERS), "nak0.100/0x ack.100/1 ack.101/2 ack.102/3");
    INT_IS(xp_counts(r->loop->end[A].core)->ack_timeouts, 1);
    INT_IS(xp_counts(r->loop->end[A].core)->naks_received, 0);
    INT_IS(r->loop->now, T14 + 2 * RIG_DELAY);
    all_well(r, 3, 100, "");
    rig_free(r);
}

static void rc_loss_second_nak_for_the_same_gap_starts_no_second_retry(void)
{
    struct rig *r = rig_with(7);
    r->loop->dir[A][B].drop_mask = 1;
    script(r, B, 0, LOOP_DUP, 300 * TM_NS); /* the NAK comes twice, the second amid the retry */
    rig_recvs(r, 11, 3, 100);
    rig_sends(r, 1, 3, 100);
    rig_run(r);
    TEXT_IS(rig_packets(r, SHOW_REQUESTS),
            "SEND_ONLY.100+100x SEND_ONLY.101+100 SEND_ONLY.102+100 "
            "SEND_ONLY.100+100r SEND_ONLY.101+100r SEND_ONLY.102+100r");
    all_well(r, 3, 100, "");
    rig_free(r);
}

static void rc_loss_nak_sequence_takes_one_of_retry_cnt(void)
{
    struct rig *r = rig_with(0);
    r->loop->dir[A][B].drop_mask = 1;
    rig_recvs(r, 11, 2, 100);
    rig_sends(r, 1, 2, 100);
    rig_run(r);
    TEXT_IS(rig_wcs(r, A), "1:12 2:5");
    INT_IS(r->loop->now, 2 * RIG_DELAY); /* at once with the NAK */
    INT_IS(rig_state_of(r, A), XP_ERR);
    INT_IS(rig_state_of(r, B), XP_RTS);
    rig_free(r);
}

static void rc_loss_late_ghost_nak_after_recovery_changes_nothing(void)
{
    struct rig *r = rig_with(7);
    r->loop->dir[A][B].drop_mask = 1;
    script(r, B, 0, LOOP_DUP, 20 * TM_US); /* its copy comes when all is over */
    rig_recvs(r, 11, 4, 100);
    rig_sends(r, 1, 3, 100);
    rig_run(r);
    all_well(r, 3, 100, "");
    INT_IS(xp_counts(r->loop->end[A].core)->requests_retransmitted, 3);
    rig_free(r);
}

/* ---- duplicates and late ones ---------------------------------------------------------------- */

static void rc_loss_duplicate_only_is_answered_and_not_executed(void)
{
    struct rig *r = rig_with(7);
    script(r, A, 0, LOOP_DUP, 10 * TM_US);
    rig_recvs(r, 11, 2, 100);
    rig_sends(r, 1, 1, 100);
    rig_run(r);
    TEXT_IS(rig_packets(r, SHOW_ANSWERS), "ack.100/1 ack.100/1");
    all_well(r, 1, 100, "");
    INT_IS(xp_counts(r->loop->end[B].core)->duplicates, 1);
    INT_IS(rig_query(r, B).recvs_waiting, 1);
    rig_free(r);
}

static void rc_loss_duplicate_write_does_not_write_again(void)
{
    struct rig *r = rig_with(7);
    script(r, A, 0, LOOP_DUP, 10 * TM_US);
    CHECK(rig_post(r, (struct rig_op){.id = 1, .op = XP_WR_WRITE, .len = 100}) == XP_OK);
    rig_run_for(r, 5 * TM_US);
    TEXT_IS(rig_wcs(r, A), "1:0");
    CU_ASSERT_TRUE(rig_same_bytes(r, 0, 0, 100));
    r->loop->end[B].arena[RIG_BASE + 3] ^= 0xff; /* B's program works on */
    uint8_t kept = r->loop->end[B].arena[RIG_BASE + 3];
    rig_run(r);
    INT_IS(r->loop->end[B].arena[RIG_BASE + 3], kept);
    INT_IS(r->loop->end[B].bytes_placed, 100);
    rig_free(r);
}

static void rc_loss_duplicate_of_each_packet_of_a_message_is_harmless(void)
{
    for (uint64_t nth = 0; nth < 4; nth++) {
        for (int late = 0; late < 2; late++) {
            char where[40];
            snprintf(where, sizeof where, "packet %d late %d", (int)nth, late);
            struct rig *r = rig_with(7);
            script(r, A, nth, LOOP_DUP, late ? 9 * TM_US : 0);
            rig_recvs(r, 11, 2, 1024);
            rig_sends(r, 1, 1, 1024);
            rig_run(r);
            all_well(r, 1, 1024, where);
            ROW_INT(where, xp_counts(r->loop->end[B].core)->naks_sent, 0);
            ROW_INT(where, xp_counts(r->loop->end[A].core)->requests_retransmitted, 0);
            rig_free(r);
        }
    }
}

static void rc_loss_duplicates_are_answered_in_the_nak_state(void)
{
    struct rig *r = rig_with(7);
    rig_recvs(r, 11, 4, 100);
    rig_inject(r, B, rig_request(r, OP_SEND_ONLY, 100, 100));
    rig_inject(r, B, rig_request(r, OP_SEND_ONLY, 102, 100)); /* gap: 101 */
    rig_run(r);
    rig_packets(r, SHOW_ALL);
    INT_IS(rig_inject(r, B, rig_request(r, OP_SEND_ONLY, 100, 100)).verdict, V_DUPLICATE);
    rig_run(r);
    TEXT_IS(rig_packets(r, SHOW_ALL), "ack.100/1");
    INT_IS(rig_inject(r, B, rig_request(r, OP_SEND_ONLY, 103, 100)).verdict, V_GAP_AGAIN);
    rig_run(r);
    TEXT_IS(rig_packets(r, SHOW_ALL), "");
    INT_IS(rig_inject(r, B, rig_request(r, OP_SEND_ONLY, 101, 100)).verdict, V_ACCEPT);
    INT_IS(rig_inject(r, B, rig_request(r, OP_SEND_ONLY, 103, 100)).verdict, V_GAP); /* a new one */
    rig_run(r);
    TEXT_IS(rig_packets(r, SHOW_ALL), "ack.101/2 nak0.102/2");
    TEXT_IS(rig_rcs(r, B), "11:0/100 12:0/100");
    rig_free(r);
}

static void rc_loss_psn_regions_before_and_after_the_expected(void)
{
    static const struct {
        uint32_t psn;
        enum xp_verdict verdict;
    } rows[] = {{100, V_ACCEPT},
                {101, V_GAP},
                {100 + 0x7fffff, V_GAP},                    /* 2^23 - 1 after */
                {(100 + 0x800000) & 0xffffff, V_DUPLICATE}, /* 2^23 before */
                {99, V_DUPLICATE},
                {0xffffff, V_DUPLICATE}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char where[20];
        snprintf(where, sizeof where, "psn %u", rows[i].psn);
        struct rig *r = rig_with(7);
        rig_recvs(r, 11, 1, 100);
        struct xp_rx rx = rig_inject(r, B, rig_request(r, OP_SEND_ONLY, rows[i].psn, 100));
        ROW_INT(where, rx.verdict, rows[i].verdict);
        ROW_INT(where, rx.deed, i == 0 ? XP_PLACE : XP_NOTHING);
        rig_free(r);
    }
}

static void rc_loss_late_original_meets_its_own_retransmission(void)
{
    struct rig *r = rig_with(7);
    script(r, A, 0, LOOP_DELAY, 50 * TM_US); /* NAK, retry, success; then the original */
    rig_recvs(r, 11, 4, 100);
    rig_sends(r, 1, 3, 100);
    rig_run(r);
    TEXT_IS(rig_packets(r, SHOW_ANSWERS), "nak0.100/0 ack.100/1 ack.101/2 ack.102/3 ack.102/3");
    all_well(r, 3, 100, "");
    rig_free(r);
}

static void rc_loss_swapped_neighbours_are_made_good(void)
{
    for (uint64_t nth = 0; nth < 4; nth++) {
        struct rig *r = rig_with(7);
        char where[20];
        snprintf(where, sizeof where, "packet %d", (int)nth);
        script(r, A, nth, LOOP_DELAY, 1);
        rig_recvs(r, 11, 1, 1024);
        rig_sends(r, 1, 1, 1024);
        rig_run(r);
        all_well(r, 1, 1024, where);
        CU_ASSERT_TRUE(r->loop->now < T14);
        rig_free(r);
    }
}

static void rc_loss_of_the_ack_is_made_good_by_the_next(void)
{
    struct rig *r = rig_with(7);
    r->loop->dir[B][A].drop_mask = 1;
    rig_recvs(r, 11, 2, 100);
    rig_sends(r, 1, 2, 100);
    rig_run(r);
    TEXT_IS(rig_packets(r, SHOW_ALL), "SEND_ONLY.100+100 SEND_ONLY.101+100 ack.100/1x ack.101/2");
    all_well(r, 2, 100, "");
    rig_free(r);
}

static void rc_loss_of_the_only_ack_is_made_good_by_a_duplicate(void)
{
    struct rig *r = rig_with(7);
    r->loop->dir[B][A].drop_mask = 1;
    rig_recvs(r, 11, 2, 100);
    rig_sends(r, 1, 1, 100);
    rig_run(r);
    TEXT_IS(rig_packets(r, SHOW_ALL | SHOW_TIME),
            "0 SEND_ONLY.100+100 1000000 ack.100/1x 67108864000 SEND_ONLY.100+100r "
            "67109864000 ack.100/1");
    all_well(r, 1, 100, "");
    INT_IS(rig_query(r, B).recvs_waiting, 1);
    rig_free(r);
}

/* A retransmission is under way, packet by packet; a late ACK makes the rest of it needless. */
static void rc_loss_late_ack_ends_the_retransmission(void)
{
    struct rig_spec s = rig_spec();
    s.timeout = 4;
    s.gap_ps = TM_US;
    struct rig *r = rig_new(&s);
    r->loop->dir[B][A].drop_mask = 7;
    script(r, B, 3, LOOP_DELAY, 61 * TM_US); /* ack.103 comes at 66 us; the timer fires at 65.536 */
    rig_recvs(r, 11, 4, 100);
    rig_sends(r, 1, 4, 100);
    rig_run(r);
    TEXT_IS(rig_packets(r, SHOW_REQUESTS), "SEND_ONLY.100+100 SEND_ONLY.101+100 SEND_ONLY.102+100 "
                                           "SEND_ONLY.103+100 SEND_ONLY.100+100r");
    all_well(r, 4, 100, "");
    rig_sends(r, 5, 1, 1);
    rig_recvs(r, 15, 1, 1);
    rig_run(r);
    TEXT_IS(rig_packets(r, SHOW_REQUESTS), "SEND_ONLY.104+1");
    rig_free(r);
}

static void rc_loss_corrupt_packet_is_a_lost_one(void)
{
    struct rig *r = rig_with(7);
    script(r, A, 1, LOOP_CORRUPT, 0);
    rig_recvs(r, 11, 3, 100);
    rig_sends(r, 1, 3, 100);
    rig_run(r);
    TEXT_IS(rig_packets(r, SHOW_ANSWERS), "ack.100/1 nak0.101/1 ack.101/2 ack.102/3");
    all_well(r, 3, 100, "");
    rig_free(r);
}

static const struct test tests[] = {
    TEST(rc_loss_each_request_of_four_is_made_good),
    TEST(rc_loss_each_pair_of_one_message_is_made_good),
    TEST(rc_loss_each_pair_of_three_messages_is_made_good),
    TEST(rc_loss_one_nak_for_one_gap_however_many_follow),
    TEST(rc_loss_two_gaps_have_a_nak_each),
    TEST(rc_loss_of_the_retransmission_is_left_to_the_timer),
    TEST(rc_loss_of_the_nak_is_left_to_the_timer),
    TEST(rc_loss_second_nak_for_the_same_gap_starts_no_second_retry),
    TEST(rc_loss_nak_sequence_takes_one_of_retry_cnt),
    TEST(rc_loss_late_ghost_nak_after_recovery_changes_nothing),
    TEST(rc_loss_duplicate_only_is_answered_and_not_executed),
    TEST(rc_loss_duplicate_write_does_not_write_again),
    TEST(rc_loss_duplicate_of_each_packet_of_a_message_is_harmless),
    TEST(rc_loss_duplicates_are_answered_in_the_nak_state),
    TEST(rc_loss_psn_regions_before_and_after_the_expected),
    TEST(rc_loss_late_original_meets_its_own_retransmission),
    TEST(rc_loss_swapped_neighbours_are_made_good),
    TEST(rc_loss_of_the_ack_is_made_good_by_the_next),
    TEST(rc_loss_of_the_only_ack_is_made_good_by_a_duplicate),
    TEST(rc_loss_late_ack_ends_the_retransmission),
    TEST(rc_loss_corrupt_packet_is_a_lost_one),
    TESTS_END};
const struct suite suite_rc_loss = {"rc_loss", tests};
