/*
 * Meters: what counts, what the warm-up leaves out, how two of them add up.
 */
#include <string.h>

#include "models/hca/meter.h"
#include "tests/suite.h"

static struct meter fresh(tm_ps warmup_ps)
{
    struct meter m;
    meter_init(&m, warmup_ps, NULL, 0);
    return m;
}

static void meter_fresh_has_no_times(void)
{
    struct meter m = fresh(0);
    CU_ASSERT_EQUAL(m.first_post_ps, TM_NEVER);
    CU_ASSERT_EQUAL(m.last_delivery_ps, -1);
    CU_ASSERT_EQUAL(m.n.messages_posted, 0);
}

static void meter_post_takes_the_earliest(void)
{
    struct meter m = fresh(0);
    meter_posted(&m, 700);
    meter_posted(&m, 300);
    meter_posted(&m, 500);
    CU_ASSERT_EQUAL(m.n.messages_posted, 3);
    CU_ASSERT_EQUAL(m.first_post_ps, 300);
}

static void meter_delivery_counts_bytes_and_latency(void)
{
    struct meter m = fresh(0);
    meter_delivered(&m, 100, 50, 80, 0);
    meter_delivered(&m, 4000, 60, 170, 0);
    CU_ASSERT_EQUAL(m.n.messages_delivered, 2);
    CU_ASSERT_EQUAL(m.n.bytes_delivered, 4100);
    CU_ASSERT_EQUAL(m.last_delivery_ps, 170);
    CU_ASSERT_EQUAL(m.latency.min, 30);
    CU_ASSERT_EQUAL(m.latency.max, 110);
    CU_ASSERT_EQUAL(m.slowdown.count, 0);
}

static void meter_slowdown_is_in_thousandths_rounded_half_up(void)
{
    struct meter m = fresh(0);
    meter_delivered(&m, 1, 0, 3000, 2000);
    CU_ASSERT_EQUAL(m.slowdown.max, 1500);
    meter_delivered(&m, 1, 0, 20001, 10000); /* 2000.1 */
    meter_delivered(&m, 1, 0, 4001, 2000);   /* 2000.5 */
    CU_ASSERT_EQUAL(m.slowdown.max, 2001);
    CU_ASSERT_EQUAL(m.slowdown.sum, 1500 + 2000 + 2001);
}

static void meter_bucket_edges_are_upper_and_a_class_is_added_for_the_rest(void)
{
    static const uint64_t edge[3] = {100, 1000, 10000};
    static const uint64_t bytes[6] = {1, 100, 101, 1000, 10000, 999999};
    struct meter m;
    meter_init(&m, 0, edge, 3);
    for (int i = 0; i < 6; i++)
        meter_delivered(&m, bytes[i], 0, 10, 10);
    CU_ASSERT_EQUAL(m.bucket[0].count, 2);
    CU_ASSERT_EQUAL(m.bucket[1].count, 2);
    CU_ASSERT_EQUAL(m.bucket[2].count, 1);
    CU_ASSERT_EQUAL(m.bucket_count, 4);
    CU_ASSERT_EQUAL(m.bucket_edge_bytes[3], 2147483648);
    CU_ASSERT_EQUAL(m.bucket[3].count, 1);
    meter_fini(&m);
    CU_ASSERT_PTR_NULL(m.bucket);
}

static void meter_completion_sorts_by_status(void)
{
    struct meter m = fresh(0);
    meter_completed(&m, 0, 10, 25);
    meter_completed(&m, 12, 10, 99);
    meter_completed(&m, 5, 10, 99);
    meter_completed(&m, 5, 10, 99);
    meter_implied(&m, 10);
    CU_ASSERT_EQUAL(m.n.messages_completed, 2);
    CU_ASSERT_EQUAL(m.n.messages_failed, 1);
    CU_ASSERT_EQUAL(m.n.messages_flushed, 2);
    CU_ASSERT_EQUAL(m.n.status[0], 1);
    CU_ASSERT_EQUAL(m.n.status[5], 2);
    CU_ASSERT_EQUAL(m.n.status[12], 1);
    CU_ASSERT_EQUAL(m.completion.count, 1);
    CU_ASSERT_EQUAL(m.completion.max, 15);
}

static void meter_receive_counts_successes_apart(void)
{
    struct meter m = fresh(0);
    meter_received(&m, 0);
    meter_received(&m, 5);
    CU_ASSERT_EQUAL(m.n.recvs_completed, 1);
    CU_ASSERT_EQUAL(m.n.status[0], 1);
    CU_ASSERT_EQUAL(m.n.status[5], 1);
    CU_ASSERT_EQUAL(m.n.messages_flushed, 0);
}

static void meter_warmup_leaves_out_what_was_posted_before(void)
{
    struct meter m = fresh(1000);
    for (tm_ps post = 999; post <= 1000; post++) {
        meter_posted(&m, post);
        meter_delivered(&m, 64, post, 2000, 500);
        meter_completed(&m, 0, post, 2000);
        meter_completed(&m, 12, post, 2000);
        meter_implied(&m, post);
        meter_failed(&m, post, 3000);
        meter_answered(&m, post, 4000);
    }
    CU_ASSERT_EQUAL(m.n.messages_posted, 1);
    CU_ASSERT_EQUAL(m.first_post_ps, 1000);
    CU_ASSERT_EQUAL(m.n.messages_delivered, 1);
    CU_ASSERT_EQUAL(m.n.bytes_delivered, 64);
    CU_ASSERT_EQUAL(m.n.messages_completed, 2);
    CU_ASSERT_EQUAL(m.n.messages_failed, 1);
    CU_ASSERT_EQUAL(m.slowdown.count, 1);
    CU_ASSERT_EQUAL(m.fail_time.count, 1);
    CU_ASSERT_EQUAL(m.fail_time.max, 2000);
    CU_ASSERT_EQUAL(m.rpc.count, 1);
    CU_ASSERT_EQUAL(m.rpc.max, 3000);
}

static void meter_stall_keeps_the_longest(void)
{
    struct meter m = fresh(0);
    meter_stalled(&m, 100, 150);
    meter_stalled(&m, 200, 290);
    meter_stalled(&m, 300, 310);
    CU_ASSERT_EQUAL(m.io_stall_max_ps, 90);
}

/* Whatever two meters took apart, one that took all holds the same. */
static void meter_merge_equals_one_meter_for_all(void)
{
    static const uint64_t edge[2] = {100, 1000};
    struct meter part[2], whole;
    meter_init(&part[0], 0, edge, 2);
    meter_init(&part[1], 0, edge, 2);
    meter_init(&whole, 0, edge, 2);
    for (int i = 0; i < 20; i++) {
        struct meter *to[2] = {&part[i % 2], &whole};
        for (int j = 0; j < 2; j++) {
            meter_posted(to[j], 10 * i);
            meter_delivered(to[j], 90 + (uint64_t)i, 10 * i, 1000 + 33 * i, 70);
            meter_completed(to[j], i % 7 ? 0 : 12, 10 * i, 2000 + i);
            meter_received(to[j], 0);
            meter_failed(to[j], i, 100);
            meter_answered(to[j], i, 200);
            meter_stalled(to[j], 0, 40 + i);
            to[j]->n.packets_sent += 3;
            to[j]->n.packets_retransmitted += 2;
            to[j]->n.reconnects += 4;
            to[j]->n.reconnect_give_ups += 5;
        }
    }
    meter_merge(&part[0], &part[1]);
    CU_ASSERT_EQUAL(memcmp(&part[0].n, &whole.n, sizeof(whole.n)), 0);
    CU_ASSERT_EQUAL(part[0].first_post_ps, whole.first_post_ps);
    CU_ASSERT_EQUAL(part[0].last_delivery_ps, whole.last_delivery_ps);
    CU_ASSERT_EQUAL(part[0].io_stall_max_ps, whole.io_stall_max_ps);
    CU_ASSERT_EQUAL(memcmp(&part[0].latency, &whole.latency, 5 * sizeof(whole.latency)), 0);
    CU_ASSERT_EQUAL(memcmp(part[0].bucket, whole.bucket, 2 * sizeof(*whole.bucket)), 0);
    meter_fini(&part[0]);
    meter_fini(&part[1]);
    meter_fini(&whole);
}

/* Times add up, the last of all counts; MADs are sums. */
static void meter_connections_merge(void)
{
    struct meter a = fresh(0), b = fresh(0);
    meter_connected(&a, 0, 700);
    meter_connected(&b, 100, 400);
    a.n.mads_sent = 3;
    b.n.mads_sent = 4;
    b.n.mads_repeated = 1;
    b.n.mads_received = 2;
    b.n.connects_failed = 5;
    meter_merge(&a, &b);
    CU_ASSERT_EQUAL(a.connect.count, 2);
    CU_ASSERT_EQUAL(a.connect.min, 300);
    CU_ASSERT_EQUAL(a.connect.max, 700);
    CU_ASSERT_EQUAL(a.setup_ps, 700);
    CU_ASSERT_EQUAL(a.n.mads_sent, 7);
    CU_ASSERT_EQUAL(a.n.mads_repeated, 1);
    CU_ASSERT_EQUAL(a.n.mads_received, 2);
    CU_ASSERT_EQUAL(a.n.connects_failed, 5);
}

static const struct test tests[] = {TEST(meter_fresh_has_no_times),
                                    TEST(meter_post_takes_the_earliest),
                                    TEST(meter_delivery_counts_bytes_and_latency),
                                    TEST(meter_slowdown_is_in_thousandths_rounded_half_up),
                                    TEST(meter_bucket_edges_are_upper_and_a_class_is_added_for_the_rest),
                                    TEST(meter_completion_sorts_by_status),
                                    TEST(meter_receive_counts_successes_apart),
                                    TEST(meter_warmup_leaves_out_what_was_posted_before),
                                    TEST(meter_stall_keeps_the_longest),
                                    TEST(meter_merge_equals_one_meter_for_all),
                                    TEST(meter_connections_merge),
    TESTS_END};
const struct suite suite_meter = {"meter", tests};
