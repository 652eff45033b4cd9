/*
 * The load as a whole: how much is posted when, and what each key of its configuration changes.
 *
 * A WRITE of 4096 bytes takes a pair 335 520 ps on the wire, 1 us, 6 880 ps for its acknowledgement
 * and 1 us again: 2 342 400 ps a message at depth 1 (see test_run_e2e.c).
 */
#include <string.h>

#include "tests/suite.h"
#include "tests/unit/bed.h"

/* ---- closed loop ---------------------------------------------------------------------------------- */

/* Cut at any time, an endless flow has exactly its depth unfinished. */
static void load_closed_loop_keeps_its_depth(void)
{
    static const tm_ps cut[4] = {1, 2342399, 5000000, 99999999};
    for (uint32_t depth = 1; depth <= 16; depth *= 4) {
        for (int i = 0; i < 4; i++) {
            struct bed_cfg c = bed_cfg();
            struct load_qp_row row;
            c.load.messages = 0;
            c.load.depth = depth;
            c.duration_ps = cut[i];
            struct bed *b = bed_new(&c);
            bed_run(b);
            load_qp_row(b->load, 0, &row);
            CU_ASSERT_EQUAL(row.posted - row.succeeded, depth);
            bed_free(b);
        }
    }
}

static void load_depth_is_bounded_by_the_send_queue(void)
{
    struct bed_cfg c = bed_cfg();
    struct load_qp_row row;
    c.load.messages = 0;
    c.load.depth = 1000;
    c.duration_ps = 99999999;
    struct bed *b = bed_new(&c);
    bed_run(b);
    load_qp_row(b->load, 0, &row);
    CU_ASSERT_EQUAL(row.posted - row.succeeded, 16);
    bed_free(b);
}

static void load_messages_bound_each_flow(void)
{
    struct bed_cfg c = bed_star(4, LOAD_RING);
    c.load.messages = 3;
    CU_ASSERT_EQUAL(bed_result(&c).n.messages_delivered, 12);
    c.load.messages = 5;
    CU_ASSERT_EQUAL(bed_result(&c).n.messages_delivered, 20);
}

static void load_duration_ends_posting(void)
{
    struct bed_cfg c = bed_cfg();
    c.load.messages = 0;
    c.duration_ps = 10 * 2342400; /* the 11th would be posted then: no more */
    CU_ASSERT_EQUAL(bed_result(&c).n.messages_posted, 10);
    c.duration_ps = 10 * 2342400 + 1;
    CU_ASSERT_EQUAL(bed_result(&c).n.messages_posted, 11);
}

static void load_depth_hides_the_round_trip(void)
{
    struct bed_cfg c = bed_cfg();
    CU_ASSERT_EQUAL(bed_result(&c).last_delivery_ps, 9 * 2342400 + 1335520);
    c.load.depth = 2;
    CU_ASSERT_EQUAL(bed_result(&c).last_delivery_ps, 4 * 2342400 + 1335520 + 335520);
}

/* ---- who posts when --------------------------------------------------------------------------------- */

static void load_start_and_stagger_delay_first_posts(void)
{
    struct bed_cfg c = bed_star(4, LOAD_RING);
    c.load.messages = 1;
    CU_ASSERT_EQUAL(bed_result(&c).first_post_ps, 0);
    tm_ps at_once = bed_result(&c).last_delivery_ps;
    c.load.start_ps = 5000000;
    CU_ASSERT_EQUAL(bed_result(&c).first_post_ps, 5000000);
    CU_ASSERT_EQUAL(bed_result(&c).last_delivery_ps, 5000000 + at_once);
    c.load.stagger_ps = 7000000;
    CU_ASSERT_EQUAL(bed_result(&c).first_post_ps, 5000000);
    CU_ASSERT_EQUAL(bed_result(&c).last_delivery_ps, 5000000 + 3 * 7000000 + at_once);
}

static void load_target_receives_all(void)
{
    for (uint32_t target = 0; target < 5; target++) {
        struct bed_cfg c = bed_star(5, LOAD_INCAST);
        c.load.target = target;
        struct bed *b = bed_new(&c);
        bed_run(b);
        for (uint32_t h = 0; h < 5; h++)
            CU_ASSERT_EQUAL(bed_posted_by(b, h), h == target ? 0 : 10);
        bed_free(b);
    }
}

static void load_bidirectional_adds_the_reverse_flow(void)
{
    struct bed_cfg c = bed_cfg();
    c.load.bidirectional = true;
    struct bed *b = bed_new(&c);
    bed_run(b);
    CU_ASSERT_EQUAL(load_qp_count(b->load), 2);
    CU_ASSERT_EQUAL(bed_flows(b), 2);
    CU_ASSERT_EQUAL(bed_posted_by(b, 1), 10);
    CU_ASSERT_EQUAL(b->sum.n.messages_delivered, 20);
    bed_free(b);
}

static void load_qps_multiply_connections(void)
{
    struct bed_cfg c = bed_star(4, LOAD_ALL_TO_ALL);
    c.load.qps = 3;
    struct bed *b = bed_new(&c);
    bed_run(b);
    CU_ASSERT_EQUAL(load_qp_count(b->load), 36);
    CU_ASSERT_EQUAL(bed_flows(b), 36);
    CU_ASSERT_EQUAL(b->sum.n.messages_delivered, 360);
    bed_free(b);
}

static void load_rows_name_both_sides(void)
{
    struct bed_cfg c = bed_star(3, LOAD_RING);
    struct load_qp_row row;
    struct bed *b = bed_new(&c);
    bed_run(b);
    CU_ASSERT_EQUAL(load_qp_count(b->load), 6);
    /* 0>1 1>2 2>0: host 1's QPs are 2 (from 0) and 3 (to 2) */
    load_qp_row(b->load, 3, &row);
    CU_ASSERT_EQUAL(row.host, 1);
    CU_ASSERT_EQUAL(row.qpn, 3);
    CU_ASSERT_EQUAL(row.peer, 2);
    CU_ASSERT_EQUAL(row.peer_qpn, 2);
    CU_ASSERT_EQUAL(row.posted, 10);
    CU_ASSERT_EQUAL(row.succeeded, 10);
    CU_ASSERT_EQUAL(row.first_error, 0);
    CU_ASSERT_TRUE(row.is_flow);
    load_qp_row(b->load, 2, &row);
    CU_ASSERT_EQUAL(row.peer, 0);
    CU_ASSERT_EQUAL(row.posted, 0);
    CU_ASSERT_FALSE(row.is_flow);
    bed_free(b);
}

/* ---- what is posted ------------------------------------------------------------------------------------- */

static void load_operations_take_receives_or_not(void)
{
    static const struct {
        enum xp_wr_op op;
        uint64_t recvs;
        tm_ps latency_ps; /* headers: BTH 12; RETH 16; immediate data 4; 80 ps a byte */
    } row[] = {
        {XP_WR_SEND, 10, 1335520 - 16 * 80},
        {XP_WR_SEND_IMM, 10, 1335520 - 12 * 80},
        {XP_WR_WRITE, 0, 1335520},
        {XP_WR_WRITE_IMM, 10, 1335520 + 4 * 80},
    };
    for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
        struct bed_cfg c = bed_cfg();
        c.load.op = row[i].op;
        struct meter m = bed_result(&c);
        CU_ASSERT_EQUAL(m.n.messages_delivered, 10);
        CU_ASSERT_EQUAL(m.n.recvs_completed, row[i].recvs);
        CU_ASSERT_EQUAL(m.latency.min, row[i].latency_ps);
    }
}

static void load_sizes_come_in_turn(void)
{
    static uint64_t bytes[3] = {1, 20, 300};
    struct bed_cfg c = bed_cfg();
    c.load.size = (struct load_size){LOAD_SIZE_LIST, 3, bytes, NULL};
    CU_ASSERT_EQUAL(bed_result(&c).n.bytes_delivered, 3 * 321 + 1);
}

static void load_drawn_sizes_follow_the_seed(void)
{
    static uint64_t bytes[2] = {1, 100000}, cumulative[2] = {0, 1ull << 63};
    struct bed_cfg c = bed_cfg();
    c.load.size = (struct load_size){LOAD_SIZE_CDF, 2, bytes, cumulative};
    uint64_t first = bed_result(&c).n.bytes_delivered;
    CU_ASSERT_EQUAL(bed_result(&c).n.bytes_delivered, first);
    c.seed = 2;
    CU_ASSERT_NOT_EQUAL(bed_result(&c).n.bytes_delivered, first);
    c.load.messages = 2000;
    c.load.depth = 16;
    uint64_t mean = bed_result(&c).n.bytes_delivered / 2000;
    CU_ASSERT(mean > 48000 && mean < 52000);
}

/* Unsignalled successes are known from the signalled one behind them, but have no time. */
static void load_signal_every_thins_completions(void)
{
    static const struct {
        uint32_t every;
        uint64_t signalled; /* of 100, at depth 16: half a queue (8) is the most that is left out */
    } row[] = {{1, 100}, {2, 50}, {5, 20}, {8, 13}, {100, 13}};
    for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
        struct bed_cfg c = bed_cfg();
        c.load.messages = 100;
        c.load.depth = 16;
        c.load.signal_every = row[i].every;
        struct meter m = bed_result(&c);
        CU_ASSERT_EQUAL(m.n.messages_completed, 100);
        CU_ASSERT_EQUAL(m.completion.count, row[i].signalled);
        CU_ASSERT_EQUAL(m.n.status[XP_WC_SUCCESS], row[i].signalled);
    }
}

/* Depth 1 with every 100th signalled would wait for ever if nothing else were. */
static void load_signal_every_never_stops_a_short_loop(void)
{
    struct bed_cfg c = bed_cfg();
    c.load.signal_every = 100;
    for (c.load.depth = 1; c.load.depth <= 4; c.load.depth++)
        CU_ASSERT_EQUAL(bed_result(&c).n.messages_completed, 10);
    c.qp.sq_depth = 1;
    CU_ASSERT_EQUAL(bed_result(&c).n.messages_completed, 10);
}

/* ---- what the QPs are like --------------------------------------------------------------------------------- */

static void load_mtu_cuts_messages(void)
{
    struct bed_cfg c = bed_cfg();
    CU_ASSERT_EQUAL(bed_result(&c).n.packets_sent, 20);
    c.qp.mtu = 1024;
    CU_ASSERT_EQUAL(bed_result(&c).n.packets_sent, 50);
}

static void load_timeout_and_retries_set_the_time_to_fail(void)
{
    struct bed_cfg c = bed_cfg();
    c.rule[c.rule_count++] = bed_rule(INJ_DROP, 0, 0, UINT64_MAX);
    c.qp.timeout = 5;
    c.qp.retry_cnt = 3;
    CU_ASSERT_EQUAL(bed_result(&c).fail_time.max, 4 * 131072000);
    c.qp.timeout = 6;
    CU_ASSERT_EQUAL(bed_result(&c).fail_time.max, 4 * 262144000);
    c.qp.retry_cnt = 1;
    CU_ASSERT_EQUAL(bed_result(&c).fail_time.max, 2 * 262144000);
}

static void note_psn(void *self, const char *kind, const char *reason, const struct link *where,
                     const struct pkt *p, tm_ps now)
{
    (void)reason, (void)where, (void)now;
    if (p->src_host == 0 && strcmp(kind, "send") == 0)
        *(uint32_t *)self = p->h.psn.v;
}

static void load_sq_psn_is_where_flows_begin(void)
{
    uint32_t last = 0;
    struct fab_tap tap = {note_psn, &last};
    struct bed_cfg c = bed_cfg();
    c.fab_tap = &tap;
    bed_result(&c);
    CU_ASSERT_EQUAL(last, 9);
    c.qp.sq_psn = 0xfffffe;
    bed_result(&c);
    CU_ASSERT_EQUAL(last, 7);
}

/* ---- warm-up, stalls ------------------------------------------------------------------------------------------ */

static void load_warmup_leaves_out_early_messages(void)
{
    struct bed_cfg c = bed_cfg();
    c.warmup_ps = 3 * 2342400;
    struct meter m = bed_result(&c);
    CU_ASSERT_EQUAL(m.n.messages_posted, 7);
    CU_ASSERT_EQUAL(m.n.messages_delivered, 7);
    CU_ASSERT_EQUAL(m.n.messages_completed, 7);
    CU_ASSERT_EQUAL(m.first_post_ps, 3 * 2342400);
}

static void load_io_stall_is_the_longest_wait_for_progress(void)
{
    struct bed_cfg c = bed_cfg();
    CU_ASSERT_EQUAL(bed_result(&c).io_stall_max_ps, 2342400);
    c.qp.timeout = 8;
    c.rule[c.rule_count++] = bed_rule(INJ_DROP, 1, 0, 1);
    CU_ASSERT_EQUAL(bed_result(&c).io_stall_max_ps, 1048576000 + 2342400);
}

/* A flow that never gets anywhere has stalled until the end. */
static void load_io_stall_reaches_to_the_end(void)
{
    struct bed_cfg c = bed_cfg();
    c.qp.timeout = 20;
    c.duration_ps = 50000000;
    c.load.start_ps = 10000000;
    c.rule[c.rule_count++] = bed_rule(INJ_DROP, 0, 0, UINT64_MAX);
    CU_ASSERT_EQUAL(bed_result(&c).io_stall_max_ps, 40000000);
}

static const struct test tests[] = {TEST(load_closed_loop_keeps_its_depth),
                                    TEST(load_depth_is_bounded_by_the_send_queue),
                                    TEST(load_messages_bound_each_flow),
                                    TEST(load_duration_ends_posting),
                                    TEST(load_depth_hides_the_round_trip),
                                    TEST(load_start_and_stagger_delay_first_posts),
                                    TEST(load_target_receives_all),
                                    TEST(load_bidirectional_adds_the_reverse_flow),
                                    TEST(load_qps_multiply_connections),
                                    TEST(load_rows_name_both_sides),
                                    TEST(load_operations_take_receives_or_not),
                                    TEST(load_sizes_come_in_turn),
                                    TEST(load_drawn_sizes_follow_the_seed),
                                    TEST(load_signal_every_thins_completions),
                                    TEST(load_signal_every_never_stops_a_short_loop),
                                    TEST(load_mtu_cuts_messages),
                                    TEST(load_timeout_and_retries_set_the_time_to_fail),
                                    TEST(load_sq_psn_is_where_flows_begin),
                                    TEST(load_warmup_leaves_out_early_messages),
                                    TEST(load_io_stall_is_the_longest_wait_for_progress),
                                    TEST(load_io_stall_reaches_to_the_end),
                                    TESTS_END};
const struct suite suite_load = {"load", tests};
