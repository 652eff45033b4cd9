/*
 * Whole runs: one scenario in, every figure out, compared with arithmetic done by hand.
 */
#include <string.h>

#include "tests/suite.h"
#include "tests/unit/run_text.h"

#define PAIR "[fabric]\ntopology = pair\nrate = 100Gbps\ndelay = 1us\n"
#define ONE_WRITE "[workload]\npattern = pair\nop = write\nsize = 4096B\ndepth = 1\nmessages = 1\n"

static void world_one_write_latency_is_serialisation_plus_delay(void)
{
    struct text_run r;

    /* 4096 payload + BTH 12 + RETH 16 + ICRC 4 + UDP 8 + IP 20 + Ethernet 14 + FCS 4 + 20 = 4194 bytes
       at 80 ps a byte: 335.520 ns, and 1 us on the way. */
    run_text(PAIR "[qp]\nservice = rc\nmtu = 4096\n" ONE_WRITE, 1, NULL, &r);
    CU_ASSERT_STRING_EQUAL(r.err.text, "");
    CU_ASSERT_EQUAL(r.outcome, RUN_DONE);
    CU_ASSERT_STRING_EQUAL(metric_of(&r, METRIC_latency_min_us), "1.335520");
    CU_ASSERT_STRING_EQUAL(metric_of(&r, METRIC_goodput_gbps), "24.535761");
    /* The ACK: BTH 12 + AETH 4 + 4 + 8 + 20 + 14 + 4 + 20 = 86 bytes = 6.880 ns, and 1 us. */
    CU_ASSERT_STRING_EQUAL(metric_of(&r, METRIC_completion_min_us), "2.342400");
    CU_ASSERT_STRING_EQUAL(metric_of(&r, METRIC_packets_sent), "2");
    CU_ASSERT_STRING_EQUAL(metric_of(&r, METRIC_packet_hops), "2");
    CU_ASSERT_STRING_EQUAL(metric_of(&r, METRIC_acks), "1");
    CU_ASSERT_STRING_EQUAL(metric_of(&r, METRIC_qps), "2");
    CU_ASSERT_STRING_EQUAL(metric_of(&r, METRIC_flows), "1");
    CU_ASSERT_STRING_EQUAL(metric_of(&r, METRIC_messages_lost), "0");
    CU_ASSERT_STRING_EQUAL(metric_of(&r, METRIC_jain_index), "1.000000");
}

static void world_uc_drop_loses_one_message_in_silence(void)
{
    struct text_run r;

    run_text(PAIR "[qp]\nservice = uc\nmtu = 4096\n"
                  "[workload]\npattern = pair\nop = write\nsize = 8192B\ndepth = 1\nmessages = 3\n"
                  "[inject]\ngone = drop dir=a2b psn=+3\n",
             1, NULL, &r);
    CU_ASSERT_STRING_EQUAL(r.err.text, "");
    CU_ASSERT_STRING_EQUAL(metric_of(&r, METRIC_messages_completed), "3");
    CU_ASSERT_STRING_EQUAL(metric_of(&r, METRIC_messages_delivered), "2");
    CU_ASSERT_STRING_EQUAL(metric_of(&r, METRIC_messages_lost), "1");
    CU_ASSERT_STRING_EQUAL(metric_of(&r, METRIC_dropped_inject), "1");
    CU_ASSERT_EQUAL(r.fired[0], 1);
}

static void world_rc_silent_peer_fails_after_all_retries(void)
{
    struct text_run r;

    run_text(PAIR "[qp]\nservice = rc\ntimeout = 8\nretry_cnt = 2\n" ONE_WRITE
                  "[inject]\nsilence = drop dir=a2b count=all\n",
             1, NULL, &r);
    CU_ASSERT_STRING_EQUAL(r.err.text, "");
    /* 3 * 4.096 us * 256 */
    CU_ASSERT_STRING_EQUAL(metric_of(&r, METRIC_fail_time_max_us), "3145.728000");
    CU_ASSERT_STRING_EQUAL(metric_of(&r, METRIC_completions_12), "1");
    CU_ASSERT_STRING_EQUAL(metric_of(&r, METRIC_ack_timeouts), "3");
    CU_ASSERT_STRING_EQUAL(metric_of(&r, METRIC_qps_in_error), "1");
    CU_ASSERT_STRING_EQUAL(metric_of(&r, METRIC_latency_min_us), "");
}

/* The ACK is lost: after the timeout the request comes again, and its answer too. */
static void world_lost_ack_is_repeated_once(void)
{
    struct text_run r;

    run_text(PAIR "[qp]\nservice = rc\ntimeout = 8\n[workload]\nop = write\nsize = 64B\n"
                  "messages = 1\n[inject]\nmute = drop class=ack count=1 from=1\n",
             1, NULL, &r);
    CU_ASSERT_STRING_EQUAL(r.err.text, "");
    CU_ASSERT_STRING_EQUAL(metric_of(&r, METRIC_packets_retransmitted), "1");
    CU_ASSERT_STRING_EQUAL(metric_of(&r, METRIC_responses_repeated), "1");
    CU_ASSERT_STRING_EQUAL(metric_of(&r, METRIC_acks), "2");
    CU_ASSERT_STRING_EQUAL(metric_of(&r, METRIC_messages_delivered), "1");
}

#define STAR_LOSSY                                                                                 \
    "[fabric]\ntopology = star\nhosts = 7\nrate = 25Gbps\ndelay = 500ns\nloss.rate = 2e-3\n"       \
    "[qp]\nservice = rc\nmtu = 1024\ntimeout = 8\n"                                                \
    "[workload]\npattern = all-to-all\nop = send\nsize = 20KiB\ndepth = 2\nmessages = 20\n"

static void world_domains_1_2_5_give_equal_metrics(void)
{
    struct text_run one, two, five;

    run_text(STAR_LOSSY, 1, NULL, &one);
    run_text(STAR_LOSSY, 2, NULL, &two);
    run_text(STAR_LOSSY, 5, NULL, &five);
    CU_ASSERT_STRING_EQUAL(one.err.text, "");
    CU_ASSERT_STRING_EQUAL(metric_of(&one, METRIC_messages_completed), "840");
    CU_ASSERT(one.m.v[METRIC_packets_retransmitted] > 0);
    CU_ASSERT_EQUAL(memcmp(&one.m, &two.m, sizeof one.m), 0);
    CU_ASSERT_EQUAL(memcmp(&one.m, &five.m, sizeof one.m), 0);
    CU_ASSERT_EQUAL(one.perf.packet_hops, five.perf.packet_hops);
}

/*
 * A user found that with slack all senders of an incast still fired at the same picosecond: every host's first
 * QP has the same number, and all cores had the same seed.
 */
static void world_timer_slack_differs_between_hosts(void)
{
    struct text_run r;

    run_text("[fabric]\ntopology = star\nhosts = 3\n[hca]\ntimer_slack = 4\n"
             "[qp]\ntimeout = 8\nretry_cnt = 0\n"
             "[workload]\npattern = incast\nop = write\nsize = 64B\ndepth = 1\nmessages = 1\n"
             "[inject]\nsilence = drop class=data count=all\n",
             1, NULL, &r);
    CU_ASSERT_STRING_EQUAL(metric_of(&r, METRIC_completions_12), "2");
    CU_ASSERT(r.m.v[METRIC_fail_time_max_us] > r.m.v[METRIC_fail_time_min_us]);
    CU_ASSERT(r.m.v[METRIC_fail_time_min_us] >= 4096 * 256 * (int64_t)1000);
    CU_ASSERT(r.m.v[METRIC_fail_time_max_us] <= 4 * 4096 * 256 * (int64_t)1000);
}

static void world_seed_changes_what_is_lost(void)
{
    struct text_run a, b;

    run_text("[scenario]\nseed = 1\n" STAR_LOSSY, 1, NULL, &a);
    run_text("[scenario]\nseed = 2\n" STAR_LOSSY, 1, NULL, &b);
    CU_ASSERT_NOT_EQUAL(a.m.v[METRIC_dropped_loss], b.m.v[METRIC_dropped_loss]);
}

static const struct test tests[] = {
    TEST(world_one_write_latency_is_serialisation_plus_delay),
    TEST(world_uc_drop_loses_one_message_in_silence),
    TEST(world_rc_silent_peer_fails_after_all_retries),
    TEST(world_lost_ack_is_repeated_once),
    TEST(world_domains_1_2_5_give_equal_metrics),
    TEST(world_timer_slack_differs_between_hosts),
    TEST(world_seed_changes_what_is_lost),
    TESTS_END,
};
const struct suite suite_world = {"world", tests};
