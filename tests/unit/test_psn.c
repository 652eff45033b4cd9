/* Arithmetic on the 24-bit circle, at the seam and half way round. */
#include "sim/base/psn.h"
#include "tests/suite.h"

static void psn_sums_wrap_at_24_bits(void)
{
    CU_ASSERT_EQUAL(psn(0x1000001).v, 1);
    CU_ASSERT_EQUAL(psn_add(psn(0xfffffe), 3).v, 1);
    CU_ASSERT_EQUAL(psn_sub(psn(1), 3).v, 0xfffffe);
    CU_ASSERT_TRUE(psn_eq(psn_add(psn(0xffffff), 1), psn(0)));
    CU_ASSERT_FALSE(psn_eq(psn(0), psn(1)));
}

static void psn_diff_is_signed_across_the_seam(void)
{
    CU_ASSERT_EQUAL(psn_diff(psn(2), psn(0xfffffe)), 4);
    CU_ASSERT_EQUAL(psn_diff(psn(0xfffffe), psn(2)), -4);
    CU_ASSERT_EQUAL(psn_diff(psn(77), psn(77)), 0);
}

static void psn_diff_ends_are_half_way_round(void)
{
    CU_ASSERT_EQUAL(psn_diff(psn(0x7fffff), psn(0)), 8388607);
    CU_ASSERT_EQUAL(psn_diff(psn(0x800000), psn(0)), -8388608);
    CU_ASSERT_EQUAL(psn_diff(psn(0), psn(0x800000)), -8388608);
}

static void psn_span_is_never_negative(void)
{
    CU_ASSERT_EQUAL(psn_span(psn(2), psn(0xfffffe)), 4);
    CU_ASSERT_EQUAL(psn_span(psn(0xfffffe), psn(2)), 0xfffffc);
    CU_ASSERT_EQUAL(psn_span(psn(0xffffff), psn(0)), 0xffffff);
}

static const struct test tests[] = {
    TEST(psn_sums_wrap_at_24_bits), TEST(psn_diff_is_signed_across_the_seam),
    TEST(psn_diff_ends_are_half_way_round), TEST(psn_span_is_never_negative), TESTS_END};
const struct suite suite_psn = {"psn", tests};
