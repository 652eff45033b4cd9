/* Spans of time that come once or again. */
#include "sim/base/window.h"
#include "tests/suite.h"

static void window_once_holds_its_beginning_and_not_its_end(void)
{
    struct window w = {10, 20, 0, 0};
    static const tm_ps at[5] = {9, 10, 19, 20, 1000};
    static const tm_ps want[5] = {9, 20, 20, 20, 1000};
    for (int i = 0; i < 5; i++)
        CU_ASSERT_EQUAL(window_after(&w, at[i]), want[i]);
    CU_ASSERT_FALSE(window_meets(&w, 0, 9));
    CU_ASSERT_TRUE(window_meets(&w, 0, 10));
    CU_ASSERT_TRUE(window_meets(&w, 19, 30));
    CU_ASSERT_FALSE(window_meets(&w, 20, 30));
}

/* [10, 13), [17, 20), [24, 27) */
static void window_again_comes_count_times(void)
{
    struct window w = {10, 13, 7, 3};
    static const tm_ps at[8] = {0, 12, 13, 17, 23, 26, 27, 31};
    static const tm_ps want[8] = {0, 13, 13, 20, 23, 27, 27, 31};
    for (int i = 0; i < 8; i++)
        CU_ASSERT_EQUAL(window_after(&w, at[i]), want[i]);
    CU_ASSERT_FALSE(window_meets(&w, 13, 16));
    CU_ASSERT_TRUE(window_meets(&w, 13, 17));
    CU_ASSERT_TRUE(window_meets(&w, 20, 24));
    CU_ASSERT_FALSE(window_meets(&w, 27, 100));
}

static void window_without_count_goes_on(void)
{
    struct window w = {10, 13, 7, 0};
    CU_ASSERT_EQUAL(window_after(&w, 10 + 7 * TM_S), 13 + 7 * TM_S);
    CU_ASSERT_FALSE(window_meets(&w, 13 + 7 * TM_S, 16 + 7 * TM_S));
}

static void window_without_end_has_none(void)
{
    struct window w = {10, TM_NEVER, 0, 0};
    CU_ASSERT_EQUAL(window_after(&w, 9), 9);
    CU_ASSERT_EQUAL(window_after(&w, 10), TM_NEVER);
    CU_ASSERT_TRUE(window_meets(&w, TM_S, TM_S));
}

static const struct test tests[] = {
    TEST(window_once_holds_its_beginning_and_not_its_end), TEST(window_again_comes_count_times),
    TEST(window_without_count_goes_on), TEST(window_without_end_has_none), TESTS_END};
const struct suite suite_window = {"window", tests};
