/*
 * Message sizes.
 */
#include "models/load/load.h"
#include "tests/suite.h"

#define ONE (1ull << 63)
#define DRAW(num, den) ((uint64_t)(((unsigned __int128)1 << 64) * (num) / (den)))

static void size_fixed_is_always_the_same(void)
{
    uint64_t bytes[1] = {777};
    struct load_size s = {LOAD_SIZE_FIXED, 1, bytes, NULL};
    CU_ASSERT_EQUAL(load_size_at(&s, 0, 0), 777);
    CU_ASSERT_EQUAL(load_size_at(&s, UINT64_MAX, 9), 777);
    CU_ASSERT_EQUAL(load_size_mean(&s), 777);
    CU_ASSERT_EQUAL(load_size_max(&s), 777);
}

static void size_list_goes_round_whatever_is_drawn(void)
{
    uint64_t bytes[3] = {10, 4000, 5};
    struct load_size s = {LOAD_SIZE_LIST, 3, bytes, NULL};
    static const uint64_t want[7] = {10, 4000, 5, 10, 4000, 5, 10};
    for (uint64_t n = 0; n < 7; n++)
        CU_ASSERT_EQUAL(load_size_at(&s, n * 0x123456789abcdefu, n), want[n]);
    CU_ASSERT_EQUAL(load_size_mean(&s), 1338); /* 4015 / 3 = 1338.3 */
    CU_ASSERT_EQUAL(load_size_max(&s), 4000);
}

/* Half are 100 bytes; a quarter between 100 and 200, a quarter between 200 and 1000. */
static void size_cdf_is_linear_between_points(void)
{
    uint64_t bytes[3] = {100, 200, 1000};
    uint64_t cumulative[3] = {ONE / 2, ONE / 4 * 3, ONE};
    struct load_size s = {LOAD_SIZE_CDF, 3, bytes, cumulative};
    CU_ASSERT_EQUAL(load_size_at(&s, 0, 0), 100);
    CU_ASSERT_EQUAL(load_size_at(&s, DRAW(1, 4), 0), 100);
    CU_ASSERT_EQUAL(load_size_at(&s, DRAW(1, 2), 0), 100);
    CU_ASSERT_EQUAL(load_size_at(&s, DRAW(5, 8), 0), 150);
    CU_ASSERT_EQUAL(load_size_at(&s, DRAW(3, 4), 0), 200);
    CU_ASSERT_EQUAL(load_size_at(&s, DRAW(7, 8), 0), 600);
    CU_ASSERT_EQUAL(load_size_at(&s, UINT64_MAX, 0), 999);
    CU_ASSERT_EQUAL(load_size_mean(&s), 237); /* 50 + 37.5 + 150 = 237.5 */
    CU_ASSERT_EQUAL(load_size_max(&s), 1000);
}

static void size_cdf_draws_at_least_one_byte(void)
{
    uint64_t bytes[2] = {0, 10};
    uint64_t cumulative[2] = {0, ONE};
    struct load_size s = {LOAD_SIZE_CDF, 2, bytes, cumulative};
    CU_ASSERT_EQUAL(load_size_at(&s, 0, 0), 1);
    CU_ASSERT_EQUAL(load_size_at(&s, DRAW(1, 2), 0), 5);
    CU_ASSERT_EQUAL(load_size_mean(&s), 5);
}

/* A step: two points of one size, or two of one probability. */
static void size_cdf_steps_do_not_divide_by_zero(void)
{
    uint64_t bytes[4] = {50, 50, 300, 400};
    uint64_t cumulative[4] = {0, ONE / 2, ONE / 2, ONE};
    struct load_size s = {LOAD_SIZE_CDF, 4, bytes, cumulative};
    CU_ASSERT_EQUAL(load_size_at(&s, DRAW(1, 4), 0), 50);
    CU_ASSERT_EQUAL(load_size_at(&s, DRAW(1, 2), 0), 300);
    CU_ASSERT_EQUAL(load_size_at(&s, DRAW(3, 4), 0), 350);
    CU_ASSERT_EQUAL(load_size_mean(&s), 200); /* 25 + 175 */
}

static const struct test tests[] = {
    TEST(size_fixed_is_always_the_same),        TEST(size_list_goes_round_whatever_is_drawn),
    TEST(size_cdf_is_linear_between_points),    TEST(size_cdf_draws_at_least_one_byte),
    TEST(size_cdf_steps_do_not_divide_by_zero), TESTS_END};
const struct suite suite_size = {"size", tests};
