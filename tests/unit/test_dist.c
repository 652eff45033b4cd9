/*
 * The integer exponential against values worked out to 50 digits elsewhere.
 */
#include "models/load/dist.h"
#include "sim/base/rng.h"
#include "tests/suite.h"

/* -ln(u / 2^64) * 2^56, to the nearest integer; 2^-56 = 1.4e-17. */
static const struct {
    uint64_t u, want;
} known[] = {
    {1u, 3196577161300663915u},                  /* 44.361419555836 */
    {2u, 3146630643155341041u},                  /* 43.668272375277 */
    {4294967296u, 1598288580650331957u},         /* 22.180709777918 */
    {1311768467463790320u, 190485091469412827u}, /*  2.643511679965 */
    {1844674407370955161u, 165918741868749488u}, /*  2.302585092994 */
    {9223372036854775808u, 49946518145322874u},  /*  0.693147180560 */
    {13043817825332782211u, 24973259072661437u}, /*  0.346573590280: both sides of the place */
    {13043817825332782212u, 24973259072661437u}, /*  where the series changes its reading */
    {16602069666338596454u, 7592025264898397u},  /*  0.105360515658 */
    {18446744073709551615u, 0u},
};

static void dist_neg_ln_agrees_to_16_digits(void)
{
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        int64_t off = (int64_t)(load_neg_ln(known[i].u) - known[i].want);
        CU_ASSERT(off >= -4 && off <= 4);
    }
}

static void dist_neg_ln_of_0_is_that_of_1(void) { CU_ASSERT_EQUAL(load_neg_ln(0), load_neg_ln(1)); }

/* Falls as u grows, over every power of two and its neighbours. */
static void dist_neg_ln_never_rises(void)
{
    uint64_t before = load_neg_ln(1);
    for (int bit = 1; bit < 64; bit++) {
        uint64_t u = 1ull << bit;
        uint64_t below = load_neg_ln(u - 1), at = load_neg_ln(u), above = load_neg_ln(u + 1);
        CU_ASSERT(before >= below && below >= at && at >= above);
        before = above;
    }
}

/* Mean 1 ms = 2.56e11 / 256 ps. */
static void dist_exponential_scales_with_its_mean(void)
{
    CU_ASSERT_EQUAL(load_exponential(256000000000u, 9223372036854775808u),
                    693147180); /* the median */
    CU_ASSERT_EQUAL(load_exponential(256000000000u, 1844674407370955161u), 2302585092);
    CU_ASSERT_EQUAL(load_exponential(512000000000u, 9223372036854775808u), 1386294361);
    CU_ASSERT_EQUAL(load_exponential(256000000000u, UINT64_MAX), 0);
}

/* 200 000 draws: mean 1 within 1 %, and 1/e of them above the mean within 1 %. */
static void dist_exponential_has_its_mean_and_shape(void)
{
    struct rng_stream r = rng_stream(7, RNG_HOST, 3, 2);
    uint64_t above = 0;
    int64_t sum = 0;
    for (int i = 0; i < 200000; i++) {
        tm_ps t = load_exponential(256u * 1000000u, rng_next(&r));
        sum += t;
        above += t > 1000000;
    }
    CU_ASSERT(sum / 200000 > 990000 && sum / 200000 < 1010000);
    CU_ASSERT(above > 72800 && above < 74300); /* 73 576 */
}

static const struct test tests[] = {TEST(dist_neg_ln_agrees_to_16_digits),
                                    TEST(dist_neg_ln_of_0_is_that_of_1),
                                    TEST(dist_neg_ln_never_rises),
                                    TEST(dist_exponential_scales_with_its_mean),
                                    TEST(dist_exponential_has_its_mean_and_shape),
                                    TESTS_END};
const struct suite suite_dist = {"dist", tests};
