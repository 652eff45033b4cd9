/* "Did you mean": what is near enough to be suggested. */
#include "scenarios/reader/nearest.h"
#include "tests/suite.h"

static const char *best_of(const char *word)
{
    static const char *const known[] = {"timeout", "retry_cnt", "rnr_retry", "mtu", "delay"};
    struct nearest n = nearest_to(word);
    for (int i = 0; i < 5; i++)
        nearest_try(&n, known[i]);
    return n.best ? n.best : "nothing";
}

static void nearest_distance_counts_edits(void)
{
    CU_ASSERT_EQUAL(nearest_distance("timeout", "timeout"), 0);
    CU_ASSERT_EQUAL(nearest_distance("timeuot", "timeout"), 1);
    CU_ASSERT_EQUAL(nearest_distance("TIMEOUT", "timeout"), 0);
    CU_ASSERT_EQUAL(nearest_distance("timeot", "timeout"), 1);
    CU_ASSERT_EQUAL(nearest_distance("kitten", "sitting"), 3);
    CU_ASSERT_EQUAL(nearest_distance("", "abc"), 3);
}

static void nearest_word_with_typo_is_found(void)
{
    CU_ASSERT_STRING_EQUAL(best_of("timeuot"), "timeout");
    CU_ASSERT_STRING_EQUAL(best_of("retrycnt"), "retry_cnt");
    CU_ASSERT_STRING_EQUAL(best_of("retry"), "retry_cnt");
    CU_ASSERT_STRING_EQUAL(best_of("mut"), "mtu");
}

static void nearest_word_far_away_is_not_suggested(void)
{
    CU_ASSERT_STRING_EQUAL(best_of("bandwidth"), "nothing");
    CU_ASSERT_STRING_EQUAL(best_of(""), "nothing");
    CU_ASSERT_STRING_EQUAL(best_of("x"), "nothing");
    CU_ASSERT_STRING_EQUAL(best_of("a_word_that_is_much_longer_than_any_key_could_ever_be"),
                           "nothing");
}

static const struct test tests[] = {
    TEST(nearest_distance_counts_edits),
    TEST(nearest_word_with_typo_is_found),
    TEST(nearest_word_far_away_is_not_suggested),
    TESTS_END,
};
const struct suite suite_nearest = {"nearest", tests};
