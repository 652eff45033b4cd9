/* Buckets, ranks and sums of the log histogram, on values small enough to count by hand. */
#include <string.h>

#include "sim/base/hist.h"
#include "tests/suite.h"

static struct hist a, b; /* 58 KiB each: not on the stack */

static void fill(struct hist *h, const int64_t *value, int n)
{
    memset(h, 0, sizeof *h);
    for (int i = 0; i < n; i++)
        hist_add(h, value[i]);
}

static void hist_empty_answers_0(void)
{
    fill(&a, NULL, 0);
    CU_ASSERT_EQUAL(hist_quantile(&a, 99, 100), 0);
    CU_ASSERT_EQUAL(hist_mean(&a), 0);
}

static void hist_nearest_rank_is_exact_below_128(void)
{
    int64_t v[100];
    for (int i = 0; i < 100; i++)
        v[i] = i + 1;
    fill(&a, v, 100);
    CU_ASSERT_EQUAL(hist_quantile(&a, 50, 100), 50);
    CU_ASSERT_EQUAL(hist_quantile(&a, 99, 100), 99);
    CU_ASSERT_EQUAL(hist_quantile(&a, 999, 1000), 100);
    CU_ASSERT_EQUAL(hist_quantile(&a, 501, 1000), 51); /* ceil(50.1) */
    CU_ASSERT_EQUAL(hist_quantile(&a, 0, 1), 1);
    CU_ASSERT_EQUAL(hist_quantile(&a, 1, 1), 100);
}

static void hist_quantile_is_the_upper_edge_of_its_bucket(void)
{
    /* The octave 512 .. 1023 has steps of 4: 1000 .. 1003 is one bucket, 1004 .. 1007 the next. */
    static const int64_t v[] = {1000, 1001, 1003, 1004, 5000};
    fill(&a, v, 5);
    CU_ASSERT_EQUAL(hist_quantile(&a, 1, 5), 1003);
    CU_ASSERT_EQUAL(hist_quantile(&a, 3, 5), 1003);
    CU_ASSERT_EQUAL(hist_quantile(&a, 4, 5), 1007);
    CU_ASSERT_EQUAL(hist_quantile(&a, 5, 5), 5000); /* edge 5023, clamped to max */
}

static void hist_one_value_is_every_quantile(void)
{
    static const int64_t v[] = {123456789};
    fill(&a, v, 1);
    CU_ASSERT_EQUAL(hist_quantile(&a, 1, 1000), 123456789);
    CU_ASSERT_EQUAL(hist_quantile(&a, 999, 1000), 123456789);
    CU_ASSERT_EQUAL(hist_mean(&a), 123456789);
}

/* Two values around every bucket edge: the quantile of the lower is at most 1 % above it. */
static void hist_buckets_are_at_most_one_percent_wide(void)
{
    int bad = 0;
    for (int bit = 7; bit < 62; bit++) {
        for (int64_t step = 128; step < 256; step += 13) {
            int64_t v[2] = {step << (bit - 7), INT64_MAX};
            fill(&a, v, 2);
            int64_t edge = hist_quantile(&a, 1, 2);
            bad += edge < v[0] || (edge - v[0]) > v[0] / 100;
            v[0] = edge; /* the edge itself is in the bucket, the next value is not */
            fill(&a, v, 2);
            bad += hist_quantile(&a, 1, 2) != edge;
            v[0] = edge + 1;
            fill(&a, v, 2);
            bad += hist_quantile(&a, 1, 2) <= edge;
        }
    }
    CU_ASSERT_EQUAL(bad, 0);
}

static void hist_largest_values_fit(void)
{
    static const int64_t v[] = {INT64_MAX, INT64_MAX, INT64_MAX - 1};
    fill(&a, v, 3);
    CU_ASSERT_EQUAL(hist_quantile(&a, 1, 2), INT64_MAX);
    CU_ASSERT_EQUAL(hist_mean(&a), INT64_MAX); /* a third below rounds up */
}

static void hist_mean_rounds_half_up(void)
{
    static const int64_t up[] = {1, 2}, down[] = {1, 1, 2}, zero[] = {0, 0, 1};
    fill(&a, up, 2);
    CU_ASSERT_EQUAL(hist_mean(&a), 2);
    fill(&a, down, 3);
    CU_ASSERT_EQUAL(hist_mean(&a), 1);
    fill(&a, zero, 3);
    CU_ASSERT_EQUAL(hist_mean(&a), 0);
}

static void hist_merged_equals_added_in_one(void)
{
    static const int64_t all[] = {7, 900, 12345678, 3, 900, 44}, one[] = {7, 900, 12345678};
    static struct hist whole;
    fill(&whole, all, 6);
    fill(&a, one, 3);
    fill(&b, all + 3, 3);
    hist_merge(&a, &b);
    CU_ASSERT_EQUAL(memcmp(&a, &whole, sizeof a), 0);
    CU_ASSERT_EQUAL(a.min, 3);
    CU_ASSERT_EQUAL(a.max, 12345678);
    CU_ASSERT_EQUAL((int64_t)a.sum, 7 + 900 + 12345678 + 3 + 900 + 44);
}

static void hist_merging_an_empty_one_changes_nothing(void)
{
    static const int64_t v[] = {5, 6};
    fill(&a, v, 2);
    fill(&b, NULL, 0);
    hist_merge(&a, &b);
    CU_ASSERT_EQUAL(a.min, 5);
    CU_ASSERT_EQUAL(a.count, 2);
    hist_merge(&b, &a);
    CU_ASSERT_EQUAL(memcmp(&a, &b, sizeof a), 0);
}

static const struct test tests[] = {TEST(hist_empty_answers_0),
                                    TEST(hist_nearest_rank_is_exact_below_128),
                                    TEST(hist_quantile_is_the_upper_edge_of_its_bucket),
                                    TEST(hist_one_value_is_every_quantile),
                                    TEST(hist_buckets_are_at_most_one_percent_wide),
                                    TEST(hist_largest_values_fit),
                                    TEST(hist_mean_rounds_half_up),
                                    TEST(hist_merged_equals_added_in_one),
                                    TEST(hist_merging_an_empty_one_changes_nothing),
                                    TESTS_END};
const struct suite suite_hist = {"hist", tests};
