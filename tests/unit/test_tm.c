/* Serialisation times as literals, and sums that stop at the end of time. */
#include "sim/base/tm.h"
#include "tests/suite.h"

static void tm_serialise_usual_rates_are_whole(void)
{
    CU_ASSERT_EQUAL(tm_serialise(1, 400000000000), 20);
    CU_ASSERT_EQUAL(tm_serialise(1, 100000000000), 80);
    CU_ASSERT_EQUAL(tm_serialise(1, 25000000000), 320);
    CU_ASSERT_EQUAL(tm_serialise(4178, 100000000000), 334240);
    CU_ASSERT_EQUAL(tm_serialise(82, 10000000000), 65600);
    CU_ASSERT_EQUAL(tm_serialise(0, 10000000000), 0);
}

static void tm_serialise_rounds_up(void)
{
    CU_ASSERT_EQUAL(tm_serialise(1, 3000000000), 2667);
    CU_ASSERT_EQUAL(tm_serialise(3, 3000000000), 8000);
    CU_ASSERT_EQUAL(tm_serialise(1, 7), 1142857142858);
}

/* 2^40 bytes * 8 * 10^12 needs 83 bits. */
static void tm_serialise_product_needs_more_than_64_bits(void)
{
    CU_ASSERT_EQUAL(tm_serialise(1099511627776, 100000000000), 87960930222080);
}

static void tm_sum_stops_at_never(void)
{
    CU_ASSERT_EQUAL(tm_add(2, 3), 5);
    CU_ASSERT_EQUAL(tm_add(TM_NEVER, 0), TM_NEVER);
    CU_ASSERT_EQUAL(tm_add(TM_NEVER, 1), TM_NEVER);
    CU_ASSERT_EQUAL(tm_add(TM_NEVER - 5, 6), TM_NEVER);
    CU_ASSERT_EQUAL(tm_add(TM_NEVER - 5, 4), TM_NEVER - 1);
}

static void tm_units_are_powers_of_1000(void)
{
    CU_ASSERT_EQUAL(TM_S, 1000000000000);
    CU_ASSERT_EQUAL(TM_MS * 1000, TM_S);
    CU_ASSERT_EQUAL(TM_US * 1000, TM_MS);
    CU_ASSERT_EQUAL(TM_NS * 1000, TM_US);
    CU_ASSERT_EQUAL(tm_min(3, TM_NEVER), 3);
    CU_ASSERT_EQUAL(tm_max(3, TM_NEVER), TM_NEVER);
}

static const struct test tests[] = {TEST(tm_serialise_usual_rates_are_whole),
                                    TEST(tm_serialise_rounds_up),
                                    TEST(tm_serialise_product_needs_more_than_64_bits),
                                    TEST(tm_sum_stops_at_never),
                                    TEST(tm_units_are_powers_of_1000),
                                    TESTS_END};
const struct suite suite_tm = {"tm", tests};
