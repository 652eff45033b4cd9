/*
 * The sender of acknowledged datagrams: cutting, window, recovery, as whole traces.
 */
#include "models/udack/udack_state.h"
#include "tests/suite.h"
#include "tests/unit/udbed.h"

static struct udbed b;

#define IS(text, expected) CU_ASSERT_STRING_EQUAL(text, expected)

static struct udack_cfg go_back_n(uint8_t fast_after)
{
    struct udack_cfg cfg = udbed_cfg();
    cfg.recovery = UDACK_GO_BACK_N;
    cfg.reorder = 0;
    cfg.fast_after = fast_after;
    return cfg;
}

static void udack_send_lengths_become_datagrams(void)
{
    struct udack_cfg cfg = udbed_cfg();
    udbed_init(&b, 2, &cfg);
    udbed_post(&b, 0, 1, 0);
    udbed_post(&b, 0, 1, 1000);
    udbed_post(&b, 0, 1, 1001);
    udbed_settle(&b);
    IS(b.wire, "0 AB d0 m0.0 L? a0\n"
               "0 AB d1 m1.0 L? a0\n"
               "0 AB d2 m2.0 - a0\n"
               "0 AB d3 m2.1 L? a0\n"
               "1 BA a1\n"
               "1 BA a2\n"
               "1 BA a3\n"
               "1 BA a4\n");
    IS(b.got, "1 B m0 0\n"
              "1 B m1 1000\n"
              "1 B m2 1001\n"
              "2 A 0 done\n"
              "2 A 1 done\n"
              "2 A 2 done\n");
    CU_ASSERT_EQUAL(udack_outstanding(b.end[0]) + udack_outstanding(b.end[1]), 0);
    udbed_fini(&b);
}

static void udack_send_too_long_is_refused(void)
{
    struct udack_cfg cfg = udbed_cfg();
    udbed_init(&b, 2, &cfg);
    CU_ASSERT_EQUAL(udbed_post(&b, 0, 1, (1u << 31) + 1), UDACK_EINVAL);
    CU_ASSERT_EQUAL(udbed_post(&b, 0, 1, 1u << 31), UDACK_OK);
    for (int i = 1; i < 1000; i++)
        CU_ASSERT_EQUAL(udbed_post(&b, 0, 1, 1), UDACK_OK);
    CU_ASSERT_EQUAL(udbed_post(&b, 0, 1, 1), UDACK_ENOMEM);
    udbed_fini(&b);
}

/* Two credits, acknowledged one by one: the third leaves when the first is acknowledged. */
static void udack_send_window_bounds_what_is_under_way(void)
{
    struct udack_cfg cfg = udbed_cfg();
    cfg.window = 2;
    udbed_init(&b, 2, &cfg);
    udbed_post(&b, 0, 1, 3500);
    udbed_settle(&b);
    IS(b.wire, "0 AB d0 m0.0 - a0\n"
               "0 AB d1 m0.1 -? a0\n"
               "1 BA a1\n"
               "1 BA a2\n"
               "2 AB d2 m0.2 -? a0\n"
               "2 AB d3 m0.3 L? a0\n"
               "3 BA a3\n"
               "3 BA a4\n");
    udbed_fini(&b);
}

/* Sessions of one endpoint take turns, one datagram each. */
static void udack_send_sessions_take_turns(void)
{
    struct udack_cfg cfg = udbed_cfg();
    udbed_init(&b, 3, &cfg);
    udbed_post(&b, 0, 1, 2500);
    udbed_post(&b, 0, 2, 1500);
    udbed_settle(&b);
    IS(b.wire, "0 AB d0 m0.0 - a0\n"
               "0 AC d0 m0.0 - a0\n"
               "0 AB d1 m0.1 - a0\n"
               "0 AC d1 m0.1 L? a0\n"
               "0 AB d2 m0.2 L? a0\n"
               "1 BA a1\n"
               "1 CA a1\n"
               "1 BA a2\n"
               "1 CA a2\n"
               "1 BA a3\n");
    udbed_fini(&b);
}

static void udack_send_selective_sends_the_lost_one_alone(void)
{
    struct udack_cfg cfg = udbed_cfg();
    udbed_init(&b, 2, &cfg);
    b.drop = 1u << 1;
    udbed_post(&b, 0, 1, 5500);
    udbed_settle(&b);
    IS(b.wire, "0 AB d0 m0.0 - a0\n"
               "0 AB d1 m0.1 - a0 x\n"
               "0 AB d2 m0.2 - a0\n"
               "0 AB d3 m0.3 - a0\n"
               "0 AB d4 m0.4 - a0\n"
               "0 AB d5 m0.5 L? a0\n"
               "1 BA a1\n"
               "1 BA a1 s1 !\n"
               "1 BA a1 s3 !\n"
               "1 BA a1 s7 !\n"
               "1 BA a1 sf !\n"
               "2 AB d1 m0.1 -?* a0\n"
               "3 BA a6\n");
    IS(b.got, "3 B m0 5500\n4 A 0 done\n");
    CU_ASSERT_EQUAL(udack_counts(b.end[0])->fast_recoveries, 1);
    CU_ASSERT_EQUAL(udack_counts(b.end[0])->data_retransmitted, 1);
    CU_ASSERT_EQUAL(udack_counts(b.end[0])->timeouts, 0);
    udbed_fini(&b);
}

/* The copy is lost as well, and nothing leaves after it. */
static void udack_send_selective_lost_copy_waits_for_the_timer(void)
{
    struct udack_cfg cfg = udbed_cfg();
    cfg.fast_after = 1;
    cfg.window = 4;
    udbed_init(&b, 2, &cfg);
    b.drop = 1u << 0 | 1u << 7; /* d0, and its copy */
    udbed_post(&b, 0, 1, 5500);
    udbed_settle(&b);
    IS(b.wire, "0 AB d0 m0.0 - a0 x\n"
               "0 AB d1 m0.1 - a0\n"
               "0 AB d2 m0.2 - a0\n"
               "0 AB d3 m0.3 -? a0\n"
               "1 BA a0 s1 !\n"
               "1 BA a0 s3 !\n"
               "1 BA a0 s7 !\n"
               "2 AB d0 m0.0 -?* a0 x\n"
               "102 AB d0 m0.0 -?* a0\n"
               "103 BA a4\n"
               "104 AB d4 m0.4 - a0\n"
               "104 AB d5 m0.5 L? a0\n"
               "105 BA a5\n"
               "105 BA a6\n");
    CU_ASSERT_EQUAL(udack_counts(b.end[0])->timeouts, 1);
    udbed_fini(&b);
}

/* d1 and d5 of 12 are lost: each goes once more, and no timer is needed. */
static void udack_send_selective_two_gaps_are_two_datagrams(void)
{
    struct udack_cfg cfg = udbed_cfg();
    cfg.window = 12;
    cfg.reorder = 11;
    udbed_init(&b, 2, &cfg);
    b.drop = 1u << 1 | 1u << 5;
    udbed_post(&b, 0, 1, 11500);
    udbed_settle(&b);
    IS(b.got, "3 B m0 11500\n4 A 0 done\n");
    CU_ASSERT_EQUAL(udack_counts(b.end[0])->data_sent, 14);
    CU_ASSERT_EQUAL(udack_counts(b.end[0])->timeouts, 0);
    udbed_fini(&b);
}

/* d0 is lost, and d4, the first of the next window. */
static void udack_send_selective_later_window_starts_clean(void)
{
    struct udack_cfg cfg = udbed_cfg();
    cfg.fast_after = 1;
    cfg.window = 4;
    udbed_init(&b, 2, &cfg);
    b.drop = 1u << 0 | 1u << 9; /* d0; d4 */
    udbed_post(&b, 0, 1, 7500);
    udbed_settle(&b);
    IS(b.wire, "0 AB d0 m0.0 - a0 x\n"
               "0 AB d1 m0.1 - a0\n"
               "0 AB d2 m0.2 - a0\n"
               "0 AB d3 m0.3 -? a0\n"
               "1 BA a0 s1 !\n"
               "1 BA a0 s3 !\n"
               "1 BA a0 s7 !\n"
               "2 AB d0 m0.0 -?* a0\n"
               "3 BA a4\n"
               "4 AB d4 m0.4 - a0 x\n"
               "4 AB d5 m0.5 - a0\n"
               "4 AB d6 m0.6 - a0\n"
               "4 AB d7 m0.7 L? a0\n"
               "5 BA a4 s1 !\n"
               "5 BA a4 s3 !\n"
               "5 BA a4 s7 !\n"
               "6 AB d4 m0.4 -?* a0\n"
               "7 BA a8\n");
    udbed_fini(&b);
}

/* Gaps in two windows: each is gone back for once. */
static void udack_send_go_back_n_goes_back_again_after_progress(void)
{
    struct udack_cfg cfg = go_back_n(1);
    cfg.window = 4;
    udbed_init(&b, 2, &cfg);
    b.drop = 1u << 0 | 1u << 15; /* d0; d4 */
    udbed_post(&b, 0, 1, 7500);
    udbed_settle(&b);
    CU_ASSERT_EQUAL(udack_counts(b.end[0])->fast_recoveries, 2);
    CU_ASSERT_EQUAL(udack_counts(b.end[0])->timeouts, 0);
    udbed_fini(&b);
}

/* Two acknowledgements must show the gap; one before and one after progress are not two. */
static void udack_send_go_back_n_counts_what_shows_the_gap(void)
{
    struct udack_cfg cfg = go_back_n(2);
    struct udack_hdr gap = {.flags = UDACK_ACK | UDACK_GAP};
    struct udack_tx tx;
    udbed_init(&b, 2, &cfg);
    udbed_post(&b, 0, 1, 3500);
    while (udack_pull(b.end[0], 0, &tx))
        ;
    udbed_arrive(&b, 1, 0, gap, 0);
    CU_ASSERT_FALSE(udack_pull(b.end[0], 0, &tx));
    gap.ack = 1;
    udbed_arrive(&b, 1, 0, gap, 0);
    CU_ASSERT_FALSE(udack_pull(b.end[0], 0, &tx));
    udbed_arrive(&b, 1, 0, gap, 0);
    CU_ASSERT_TRUE(udack_pull(b.end[0], 0, &tx) && tx.retransmit && tx.hdr.seq == 1);
    udbed_fini(&b);
}

/* Before what is lost could leave again, it turns out to have arrived: it does not leave. */
static void udack_send_late_news_cancel_what_waits(void)
{
    struct udack_cfg cfg = go_back_n(1);
    struct udack_hdr news = {.flags = UDACK_ACK | UDACK_GAP};
    struct udack_tx tx;
    udbed_init(&b, 2, &cfg);
    udbed_post(&b, 0, 1, 2500);
    while (udack_pull(b.end[0], 0, &tx))
        ;
    udbed_arrive(&b, 1, 0, news, 0);
    CU_ASSERT_EQUAL(udack_deadline(b.end[0]), TM_NEVER); /* runs again when d0 leaves */
    news = (struct udack_hdr){.flags = UDACK_ACK, .ack = 2};
    udbed_arrive(&b, 1, 0, news, 0);
    CU_ASSERT_TRUE(udack_pull(b.end[0], 0, &tx) && tx.hdr.seq == 2 && !tx.more);
    udbed_fini(&b);
}

static void udack_send_selective_late_news_cancel_what_waits(void)
{
    struct udack_cfg cfg = udbed_cfg();
    struct udack_hdr news = {.flags = UDACK_ACK | UDACK_GAP, .sack = 4}; /* d3 */
    struct udack_tx tx;
    cfg.fast_after = 1;
    udbed_init(&b, 2, &cfg);
    udbed_post(&b, 0, 1, 3500);
    while (udack_pull(b.end[0], 0, &tx))
        ;
    udbed_arrive(&b, 1, 0, news, 0); /* d0, d1, d2 are lost */
    CU_ASSERT_EQUAL(udack_deadline(b.end[0]), TM_NEVER);
    news.sack = 5; /* d1 was late */
    udbed_arrive(&b, 1, 0, news, 0);
    CU_ASSERT_TRUE(udack_pull(b.end[0], 0, &tx) && tx.hdr.seq == 0);
    CU_ASSERT_TRUE(udack_pull(b.end[0], 0, &tx) && tx.hdr.seq == 2 && !tx.more);
    udbed_fini(&b);
}

/* Nothing tells of a lost tail: the timer sends the oldest, whose acknowledgement tells of the rest. */
static void udack_send_selective_lost_tail_takes_one_timeout(void)
{
    struct udack_cfg cfg = udbed_cfg();
    udbed_init(&b, 2, &cfg);
    b.drop = 1u << 1 | 1u << 2 | 1u << 3;
    udbed_post(&b, 0, 1, 3500);
    udbed_settle(&b);
    IS(b.wire, "0 AB d0 m0.0 - a0\n"
               "0 AB d1 m0.1 - a0 x\n"
               "0 AB d2 m0.2 - a0 x\n"
               "0 AB d3 m0.3 L? a0 x\n"
               "1 BA a1\n"
               "102 AB d1 m0.1 -?* a0\n"
               "103 BA a2\n"
               "104 AB d2 m0.2 -* a0\n"
               "104 AB d3 m0.3 L?* a0\n"
               "105 BA a3\n"
               "105 BA a4\n");
    CU_ASSERT_EQUAL(udack_counts(b.end[0])->timeouts, 1);
    udbed_fini(&b);
}

static void udack_send_go_back_n_sends_all_from_the_gap(void)
{
    struct udack_cfg cfg = go_back_n(1);
    udbed_init(&b, 2, &cfg);
    b.drop = 1u << 1;
    udbed_post(&b, 0, 1, 3500);
    udbed_settle(&b);
    IS(b.wire, "0 AB d0 m0.0 - a0\n"
               "0 AB d1 m0.1 - a0 x\n"
               "0 AB d2 m0.2 - a0\n"
               "0 AB d3 m0.3 L? a0\n"
               "1 BA a1\n"
               "1 BA a1 !\n"
               "1 BA a1 !\n"
               "2 AB d1 m0.1 -* a0\n"
               "2 AB d2 m0.2 -* a0\n"
               "2 AB d3 m0.3 L?* a0\n"
               "3 BA a2\n"
               "3 BA a3\n"
               "3 BA a4\n");
    CU_ASSERT_EQUAL(udack_counts(b.end[0])->fast_recoveries, 1); /* the second ! is an echo */
    udbed_fini(&b);
}

/* As with those who have no negative acknowledgement: the timer alone. */
static void udack_send_go_back_n_by_timer_alone(void)
{
    struct udack_cfg cfg = go_back_n(0);
    udbed_init(&b, 2, &cfg);
    b.drop = 1u << 1;
    udbed_post(&b, 0, 1, 2500);
    udbed_settle(&b);
    IS(b.wire, "0 AB d0 m0.0 - a0\n"
               "0 AB d1 m0.1 - a0 x\n"
               "0 AB d2 m0.2 L? a0\n"
               "1 BA a1\n"
               "1 BA a1 !\n"
               "102 AB d1 m0.1 -* a0\n"
               "102 AB d2 m0.2 L?* a0\n"
               "103 BA a2\n"
               "103 BA a3\n");
    udbed_fini(&b);
}

/* The last acknowledgement is lost: the copy is not handed over again. */
static void udack_send_lost_acknowledgement_repeats_without_effect(void)
{
    struct udack_cfg cfg = udbed_cfg();
    udbed_init(&b, 2, &cfg);
    b.drop = 1u << 1;
    udbed_post(&b, 0, 1, 10);
    udbed_settle(&b);
    IS(b.wire, "0 AB d0 m0.0 L? a0\n"
               "1 BA a1 x\n"
               "100 AB d0 m0.0 L?* a0\n"
               "101 BA a1\n");
    IS(b.got, "1 B m0 10\n102 A 0 done\n");
    CU_ASSERT_EQUAL(udack_counts(b.end[1])->verdict[UDACK_DUPLICATE], 1);
    udbed_fini(&b);
}

/* The copy of d0 is lost too, but d4 left after it: its arrival proves that. */
static void udack_send_selective_later_datagram_proves_a_lost_copy(void)
{
    struct udack_cfg cfg = udbed_cfg();
    cfg.fast_after = 1;
    udbed_init(&b, 2, &cfg);
    b.drop = 1u << 1 | 1u << 6; /* d1, and its copy */
    udbed_post(&b, 0, 1, 2500);
    udbed_run(&b, TM_US);
    udbed_post(&b, 0, 1, 10);
    udbed_run(&b, 2 * TM_US);
    udbed_post(&b, 0, 1, 20);
    udbed_settle(&b);
    IS(b.wire, "0 AB d0 m0.0 - a0\n"
               "0 AB d1 m0.1 - a0 x\n"
               "0 AB d2 m0.2 L? a0\n"
               "1 BA a1\n"
               "1 BA a1 s1 !\n"
               "1 AB d3 m1.0 L? a0\n"
               "2 AB d1 m0.1 -?* a0 x\n"
               "2 BA a1 s3 !\n"
               "2 AB d4 m2.0 L? a0\n"
               "3 BA a1 s7 !\n"
               "4 AB d1 m0.1 -?* a0\n"
               "5 BA a5\n");
    CU_ASSERT_EQUAL(udack_counts(b.end[0])->timeouts, 0);
    udbed_fini(&b);
}

/* 2^24 - 3 datagrams have gone before: 6 more, one of them lost, cross the end of the circle. */
static void udack_send_sequence_numbers_wrap(void)
{
    struct udack_cfg cfg = udbed_cfg();
    struct udack_query q;
    udbed_init(&b, 2, &cfg);
    ua_session(b.end[0], 0)->next_seq = psn((1u << 24) - 3);
    ua_session(b.end[1], 0)->expected = psn((1u << 24) - 3);
    b.drop = 1u << 1;
    udbed_post(&b, 0, 1, 5500);
    udbed_settle(&b);
    IS(b.wire, "0 AB d16777213 m0.0 - a0\n"
               "0 AB d16777214 m0.1 - a0 x\n"
               "0 AB d16777215 m0.2 - a0\n"
               "0 AB d0 m0.3 - a0\n"
               "0 AB d1 m0.4 - a0\n"
               "0 AB d2 m0.5 L? a0\n"
               "1 BA a16777214\n"
               "1 BA a16777214 s1 !\n"
               "1 BA a16777214 s3 !\n"
               "1 BA a16777214 s7 !\n"
               "1 BA a16777214 sf !\n"
               "2 AB d16777214 m0.1 -?* a0\n"
               "3 BA a3\n");
    IS(b.got, "3 B m0 5500\n4 A 0 done\n");
    CU_ASSERT_EQUAL(udack_query(b.end[0], 0, &q), UDACK_OK);
    CU_ASSERT_EQUAL(q.next_seq, 3);
    udbed_fini(&b);
}

static const struct test tests[] = {TEST(udack_send_lengths_become_datagrams),
                                    TEST(udack_send_too_long_is_refused),
                                    TEST(udack_send_window_bounds_what_is_under_way),
                                    TEST(udack_send_sessions_take_turns),
                                    TEST(udack_send_selective_sends_the_lost_one_alone),
                                    TEST(udack_send_selective_lost_copy_waits_for_the_timer),
                                    TEST(udack_send_selective_later_datagram_proves_a_lost_copy),
                                    TEST(udack_send_selective_lost_tail_takes_one_timeout),
                                    TEST(udack_send_go_back_n_sends_all_from_the_gap),
                                    TEST(udack_send_go_back_n_by_timer_alone),
                                    TEST(udack_send_lost_acknowledgement_repeats_without_effect),
                                    TEST(udack_send_selective_two_gaps_are_two_datagrams),
                                    TEST(udack_send_selective_later_window_starts_clean),
                                    TEST(udack_send_go_back_n_goes_back_again_after_progress),
                                    TEST(udack_send_go_back_n_counts_what_shows_the_gap),
                                    TEST(udack_send_late_news_cancel_what_waits),
                                    TEST(udack_send_selective_late_news_cancel_what_waits),
                                    TEST(udack_send_sequence_numbers_wrap),
                                    TESTS_END};
const struct suite suite_udack_send = {"udack_send", tests};
