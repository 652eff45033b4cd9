/* The comparison of packets: what is free, and that nothing else is. */
#include <stdlib.h>
#include <string.h>

#include "tests/golden/compare.h"
#include "tests/suite.h"

/* Packets that differ by their PSN alone, one a millisecond: "abab" is 0 1 0 1. */
static struct trace trace_of(const char *letters)
{
    struct trace t = {0};
    for (uint32_t i = 0; letters[i]; i++) {
        struct packet p = {.at = (1 + i) * TM_MS};
        for (int k = 0; k < COLUMNS; k++)
            p.col[k] = NONE;
        p.col[COL_PSN_REL] = letters[i] - 'a';
        p.col[COL_ACTION] = ACT_FWD;
        trace_add(&t, &p);
    }
    return t;
}

static bool same_with(const struct capture *c, const char *want, const char *got)
{
    struct trouble why;
    struct trace w = trace_of(want), g = trace_of(got);
    bool ok = compare_packets(c, &w, &g, &why);
    trace_clear(&w);
    trace_clear(&g);
    return ok;
}

/* A capture whose step is done at so many ms, in which `want` was recorded. */
static bool same_with_step(int64_t ms, const char *want, const char *got)
{
    struct step s = {.at = ms * TM_MS, .done = ms * TM_MS};
    struct capture c = {.step = &s, .steps = 1};
    return same_with(&c, want, got);
}

static bool same_without_step(const char *want, const char *got)
{
    struct capture c = {.steps = 0};
    return same_with(&c, want, got);
}

static void golden_compare_equal_packets_are_the_same(void)
{
    CU_ASSERT_TRUE(same_without_step("abc", "abc"));
    CU_ASSERT_TRUE(same_without_step("", ""));
}

static void golden_compare_another_packet_is_noticed(void)
{
    CU_ASSERT_FALSE(same_without_step("abc", "abd"));
    CU_ASSERT_FALSE(same_without_step("abc", "ab"));
    CU_ASSERT_FALSE(same_without_step("abc", "abcc"));
    CU_ASSERT_FALSE(same_without_step("ab", "ba"));
}

static void golden_compare_rounds_that_nothing_ends_are_counted(void)
{
    CU_ASSERT_TRUE(same_without_step("aaab", "aaab"));
    CU_ASSERT_FALSE(same_without_step("aaab", "aab"));
    CU_ASSERT_FALSE(same_without_step("aaab", "aaaab"));
}

static void golden_compare_rounds_that_a_step_ends_are_free(void)
{
    CU_ASSERT_TRUE(same_with_step(3, "aaab", "ab"));
    CU_ASSERT_TRUE(same_with_step(3, "aaab", "aaaaaab"));
    CU_ASSERT_TRUE(same_with_step(3, "xaaa", "xaa"));
    CU_ASSERT_TRUE(same_with_step(6, "xababababy", "xababy"));
    CU_ASSERT_TRUE(same_with_step(6, "xababababy", "xababababababy"));
}

static void golden_compare_a_round_comes_at_least_once_and_whole(void)
{
    CU_ASSERT_FALSE(same_with_step(3, "aaab", "b"));
    CU_ASSERT_FALSE(same_with_step(6, "xababababy", "xabababay"));
    CU_ASSERT_FALSE(same_with_step(6, "xababababy", "xabcababy"));
}

static void golden_compare_a_step_elsewhere_frees_nothing(void)
{
    CU_ASSERT_FALSE(same_with_step(7, "aaabcd", "aabcd"));
    CU_ASSERT_FALSE(same_with_step(6, "aaabc", "aabc"));
    CU_ASSERT_FALSE(same_with_step(3, "ab", "aab"));
    CU_ASSERT_FALSE(same_with_step(5, "xaaa", "xaa"));
}

static void golden_compare_rounds_to_the_end_of_the_recording_are_free(void)
{
    struct capture endless = {.cut_off = true}, ended = {.cut_off = false};
    CU_ASSERT_TRUE(same_with(&endless, "abbb", "abb"));
    CU_ASSERT_TRUE(same_with(&endless, "abbb", "abbbbb"));
    CU_ASSERT_FALSE(same_with(&endless, "abbb", "abbbc"));
    CU_ASSERT_FALSE(same_with(&ended, "abbb", "abb"));
}

static void golden_compare_every_column_counts(void)
{
    struct trace one = trace_of("a"), two = trace_of("a");
    for (int k = 0; k < COLUMNS; k++) {
        two.packet[0] = one.packet[0];
        two.packet[0].col[k] = 77;
        CU_ASSERT_EQUAL((int)packet_difference(&one.packet[0], &two.packet[0], true), k);
    }
    two.packet[0].col[COL_ACTION] = ACT_DROP;
    CU_ASSERT_EQUAL(packet_difference(&one.packet[0], &two.packet[0], false), COLUMNS);
    trace_clear(&one);
    trace_clear(&two);
}

static const struct test tests[] = {
    TEST(golden_compare_equal_packets_are_the_same),
    TEST(golden_compare_another_packet_is_noticed),
    TEST(golden_compare_rounds_that_nothing_ends_are_counted),
    TEST(golden_compare_rounds_that_a_step_ends_are_free),
    TEST(golden_compare_a_round_comes_at_least_once_and_whole),
    TEST(golden_compare_a_step_elsewhere_frees_nothing),
    TEST(golden_compare_rounds_to_the_end_of_the_recording_are_free),
    TEST(golden_compare_every_column_counts),
    TESTS_END,
};
const struct suite suite_golden_compare = {"golden_compare", tests};
