#include <math.h>

#include "analysis/stats.h"
#include "tests/suite.h"

static void stats_few_values_give_mean_least_and_most(void)
{
    struct stats s = {0};
    stats_add(&s, 4);
    stats_add(&s, -2);
    stats_add(&s, 7);
    CU_ASSERT_EQUAL(s.count, 3);
    CU_ASSERT_EQUAL(stats_mean(&s), 3);
    CU_ASSERT_EQUAL(s.least, -2);
    CU_ASSERT_EQUAL(s.most, 7);
}

static void stats_missing_values_do_not_count(void)
{
    struct stats s = {0};
    CU_ASSERT_TRUE(isnan(stats_mean(&s)));
    stats_add(&s, NAN);
    CU_ASSERT_TRUE(isnan(stats_mean(&s)));
    stats_add(&s, 5);
    CU_ASSERT_EQUAL(stats_mean(&s), 5);
    CU_ASSERT_EQUAL(s.least, 5);
}

static const struct test tests[] = {TEST(stats_few_values_give_mean_least_and_most),
                                    TEST(stats_missing_values_do_not_count), TESTS_END};
const struct suite suite_stats = {"stats", tests};
