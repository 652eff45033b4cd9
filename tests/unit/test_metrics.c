/* Metrics print exactly, from integers. */
#include <string.h>

#include "scenarios/run/metrics.h"
#include "tests/suite.h"

static const char *text_of(enum metric metric, int64_t v)
{
    static char text[32];
    metric_text(&metric_table[metric], v, text, sizeof text);
    return text;
}

static void metrics_millionths_print_six_decimals(void)
{
    CU_ASSERT_STRING_EQUAL(text_of(METRIC_latency_p99_us, 12345678), "12.345678");
    CU_ASSERT_STRING_EQUAL(text_of(METRIC_latency_p99_us, 1), "0.000001");
    CU_ASSERT_STRING_EQUAL(text_of(METRIC_latency_p99_us, 0), "0.000000");
    CU_ASSERT_STRING_EQUAL(text_of(METRIC_goodput_gbps, -1500000), "-1.500000");
    CU_ASSERT_STRING_EQUAL(text_of(METRIC_iops, INT64_MAX), "9223372036854.775807");
}

static void metrics_counts_print_as_integers(void)
{
    CU_ASSERT_STRING_EQUAL(text_of(METRIC_messages_posted, 7), "7");
    CU_ASSERT_STRING_EQUAL(text_of(METRIC_bytes_delivered, 9007199254740993), "9007199254740993");
}

static void metrics_none_is_an_empty_cell(void)
{
    CU_ASSERT_STRING_EQUAL(text_of(METRIC_latency_p99_us, METRIC_NONE), "");
    CU_ASSERT_STRING_EQUAL(text_of(METRIC_acks, METRIC_NONE), "");
}

static void metrics_find_agrees_with_the_indices(void)
{
    CU_ASSERT_EQUAL(metric_find("messages_posted"), 0);
    CU_ASSERT_EQUAL(metric_find("completions_13"), METRIC_completions_13);
    CU_ASSERT_EQUAL(metric_find("rpc_p999_us"), METRIC_rpc_p999_us);
    CU_ASSERT_EQUAL(metric_find("rpc_p999"), -1);
}

/* world.c fills the six values of a time from its first index on. */
static void metrics_times_stand_in_order(void)
{
    static const char *const name[] = {"latency_min_us", "latency_mean_us", "latency_p50_us",
                                       "latency_p99_us", "latency_p999_us", "latency_max_us"};
    for (int i = 0; i < 6; i++)
        CU_ASSERT_STRING_EQUAL(metric_table[METRIC_latency_min_us + i].name, name[i]);
}

static void metrics_names_are_distinct(void)
{
    for (uint32_t i = 0; i < metric_count; i++)
        CU_ASSERT_EQUAL(metric_find(metric_table[i].name), (int)i);
}

static void metrics_completion_says_when_unacknowledged_sends_complete(void)
{
    CU_ASSERT_STRING_EQUAL(metric_table[METRIC_completion_mean_us].meaning,
                           "mean time from post to successful completion (of an unacknowledged "
                           "send: to its last packet's hand-over to the wire), us");
}

static const struct test tests[] = {
    TEST(metrics_completion_says_when_unacknowledged_sends_complete),
    TEST(metrics_millionths_print_six_decimals),
    TEST(metrics_counts_print_as_integers),
    TEST(metrics_none_is_an_empty_cell),
    TEST(metrics_find_agrees_with_the_indices),
    TEST(metrics_times_stand_in_order),
    TEST(metrics_names_are_distinct),
    TESTS_END};
const struct suite suite_metrics = {"metrics", tests};
