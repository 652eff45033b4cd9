/* Streams are functions of their names; literals pin what a seed means. */
#include "sim/base/rng.h"
#include "tests/suite.h"

/* splitmix64 from seed 0: the published first outputs of the generator whose finaliser this is. */
static void rng_mix_is_the_finaliser_of_splitmix64(void)
{
    CU_ASSERT_EQUAL(rng_mix(0x9e3779b97f4a7c15u), 0xe220a8397b1dcdafu);
    CU_ASSERT_EQUAL(rng_mix(2 * 0x9e3779b97f4a7c15u), 0x6e789e6aa1b965f4u);
    CU_ASSERT_EQUAL(rng_mix(3 * 0x9e3779b97f4a7c15u), 0x06c45d188009454fu);
}

static void rng_same_name_gives_the_same_draws(void)
{
    struct rng_stream a = rng_stream(7, RNG_LINK, 3, 1), b = rng_stream(7, RNG_LINK, 3, 1);
    uint64_t first = rng_next(&a);
    CU_ASSERT_EQUAL(rng_next(&b), first);
    CU_ASSERT_NOT_EQUAL(rng_next(&a), first);
    CU_ASSERT_EQUAL(a.n, 2);
}

static void rng_every_part_of_the_name_counts(void)
{
    struct rng_stream s[] = {rng_stream(7, RNG_LINK, 3, 1), rng_stream(8, RNG_LINK, 3, 1),
                             rng_stream(7, RNG_HOST, 3, 1), rng_stream(7, RNG_LINK, 4, 1),
                             rng_stream(7, RNG_LINK, 3, 2)};
    for (int i = 0; i < 5; i++) {
        for (int j = 0; j < i; j++)
            CU_ASSERT_NOT_EQUAL(s[i].key, s[j].key);
    }
}

static void rng_below_covers_its_range_evenly(void)
{
    struct rng_stream s = rng_stream(1, RNG_RUN, 0, 0);
    int seen[10] = {0};
    for (int i = 0; i < 10000; i++)
        seen[rng_below(&s, 10)]++;
    for (int i = 0; i < 10; i++)
        CU_ASSERT_TRUE(seen[i] > 850 && seen[i] < 1150); /* 5 standard deviations of 30 */
    CU_ASSERT_EQUAL(rng_below(&s, 1), 0);
}

static void rng_hits_follow_the_threshold(void)
{
    struct rng_stream s = rng_stream(1, RNG_RUN, 1, 0);
    int quarter = 0, never = 0, always = 0;
    for (int i = 0; i < 10000; i++)
        quarter += rng_hits(&s, UINT64_C(1) << 62);
    CU_ASSERT_TRUE(quarter > 2280 && quarter < 2720); /* 5 standard deviations of 43 */
    for (int i = 0; i < 100; i++) {
        always += rng_hits(&s, UINT64_MAX);
        never += rng_hits(&s, 0);
    }
    CU_ASSERT_EQUAL(always, 100);
    CU_ASSERT_EQUAL(never, 0);
    CU_ASSERT_EQUAL(s.n, 10100); /* a threshold of 0 draws nothing */
}

static const struct test tests[] = {
    TEST(rng_mix_is_the_finaliser_of_splitmix64), TEST(rng_same_name_gives_the_same_draws),
    TEST(rng_every_part_of_the_name_counts),      TEST(rng_below_covers_its_range_evenly),
    TEST(rng_hits_follow_the_threshold),          TESTS_END};
const struct suite suite_rng = {"rng", tests};
