/*
 * Models of random loss: their long-run figures against arithmetic, and draws that stay what they are.
 */
#include "models/fabric/loss.h"
#include "tests/suite.h"

#define ONE_IN(n) (UINT64_MAX / (n))
#define PACKETS 2000000

static struct loss_state state;

/* What becomes of a long sequence: losses, and runs of them. */
struct tally {
    uint64_t lost, bursts, longest;
};

static struct tally run(const struct loss_cfg *cfg, uint64_t rate, uint64_t seed, uint32_t bytes)
{
    struct loss_plan plan;
    struct tally t = {0};
    uint64_t here = 0;
    loss_plan_init(&plan, cfg, rate);
    state = loss_state(seed, RNG_LINK, 0);
    for (int i = 0; i < PACKETS; i++) {
        bool hit = loss_hits(&plan, &state, bytes);
        t.lost += hit;
        t.bursts += hit && here == 0;
        here = hit ? here + 1 : 0;
        t.longest = here > t.longest ? here : t.longest;
    }
    loss_plan_fini(&plan);
    return t;
}

static bool near(double got, double want, double percent)
{
    return got > want * (1 - percent / 100) && got < want * (1 + percent / 100);
}

static void loss_bernoulli_bursts_are_chance(void)
{
    struct loss_cfg cfg = {0};
    struct tally t = run(&cfg, ONE_IN(100), 1, 1000);
    CU_ASSERT_TRUE(near((double)t.lost, 20000, 3));
    CU_ASSERT_TRUE(near((double)t.lost / (double)t.bursts, 1 / 0.99, 1));
}

/* Rate 1 %, 8 packets: 2500 bursts; the mean of 2500 geometric lengths is good to 8 / 50 = 2 %. */
static void loss_burst_and_rate_are_what_comes_out(void)
{
    struct loss_cfg cfg = {
        .model = LOSS_GILBERT_ELLIOTT, .burst_milli = 8000, .in_bad = UINT64_MAX};
    struct tally t = run(&cfg, ONE_IN(100), 1, 1000);
    CU_ASSERT_TRUE(near((double)t.lost, 20000, 9));
    CU_ASSERT_TRUE(near((double)t.lost / (double)t.bursts, 8, 6));
    CU_ASSERT_TRUE(t.longest > 40);
}

/* p 1 %, r 10 %, a tenth lost in good and half in bad: (0.1 * 0.1 + 0.01 * 0.5) / 0.11 = 13.64 %. */
static void loss_states_have_chances_of_their_own(void)
{
    struct loss_cfg cfg = {.model = LOSS_GILBERT_ELLIOTT,
                           .p = ONE_IN(100),
                           .r = ONE_IN(10),
                           .in_good = ONE_IN(10),
                           .in_bad = ONE_IN(2)};
    CU_ASSERT_TRUE(near((double)run(&cfg, 0, 1, 1000).lost, 0.13636 * PACKETS, 1));
}

/* The same chain by rate and burst: (rate - good) / (bad - rate) of good to bad. */
static void loss_rate_counts_the_good_state_too(void)
{
    struct loss_cfg cfg = {.model = LOSS_GILBERT_ELLIOTT,
                           .burst_milli = 10000,
                           .in_good = ONE_IN(10),
                           .in_bad = ONE_IN(2)};
    struct loss_plan plan;
    uint64_t rate = UINT64_MAX / 22 * 3;
    loss_plan_init(&plan, &cfg, rate);
    CU_ASSERT_TRUE(near((double)plan.p, (double)ONE_IN(100), 0.0001));
    CU_ASSERT_TRUE(near((double)plan.r, (double)ONE_IN(10), 0.0001));
    CU_ASSERT_TRUE(near((double)plan.share_bad, (double)ONE_IN(11), 0.0001));
    loss_plan_fini(&plan);
}

/* The first packet meets the bad state as often as any: over 20000 beginnings 9.09 %. */
static void loss_first_packet_is_like_any_other(void)
{
    struct loss_cfg cfg = {
        .model = LOSS_GILBERT_ELLIOTT, .p = ONE_IN(1000), .r = ONE_IN(100), .in_bad = UINT64_MAX};
    struct loss_plan plan;
    uint64_t lost = 0;
    loss_plan_init(&plan, &cfg, 0);
    for (uint64_t link = 0; link < 20000; link++) {
        state = loss_state(7, RNG_LINK, link);
        lost += loss_hits(&plan, &state, 1000);
    }
    loss_plan_fini(&plan);
    CU_ASSERT_TRUE(near((double)lost, 20000 / 11.0, 7));
}

/* 1 - (1 - 1e-6)^(8 * 1106) = 0.0088089760, and of 86 bytes 0.00068776373, in units of 2^-64. */
static void loss_ber_grows_with_the_length(void)
{
    struct loss_cfg cfg = {.model = LOSS_BER, .ber = UINT64_MAX / 1000000};
    struct loss_plan plan;
    loss_plan_init(&plan, &cfg, 0);
    CU_ASSERT_EQUAL(plan.by_bytes[0], 0);
    CU_ASSERT_TRUE(near((double)plan.by_bytes[1106], 162496926293769435.0, 1e-9));
    CU_ASSERT_TRUE(near((double)plan.by_bytes[86], 12687001437275898.0, 1e-9));
    loss_plan_fini(&plan);
    CU_ASSERT_TRUE(near((double)run(&cfg, 0, 1, 1106).lost, 0.008808976 * PACKETS, 3));
}

static void loss_ber_of_all_takes_all(void)
{
    struct loss_cfg cfg = {.model = LOSS_BER, .ber = UINT64_MAX};
    struct loss_plan plan;
    loss_plan_init(&plan, &cfg, 0);
    CU_ASSERT_EQUAL(plan.by_bytes[1], UINT64_MAX);
    CU_ASSERT_EQUAL(plan.by_bytes[LOSS_BYTES_MAX], UINT64_MAX);
    loss_plan_fini(&plan);
}

static void loss_refuses_bursts_that_cannot_be(void)
{
    struct loss_cfg cfg = {
        .model = LOSS_GILBERT_ELLIOTT, .burst_milli = 1000, .in_bad = UINT64_MAX};
    CU_ASSERT_PTR_NULL(loss_refuse(&cfg, UINT64_MAX / 2));
    CU_ASSERT_STRING_EQUAL(loss_refuse(&cfg, UINT64_MAX / 10 * 6),
                           "so much loss leaves no room between bursts that are so short");
    cfg.burst_milli = 2000;
    CU_ASSERT_PTR_NULL(loss_refuse(&cfg, UINT64_MAX / 10 * 6));
    cfg.in_good = ONE_IN(100);
    CU_ASSERT_STRING_EQUAL(loss_refuse(&cfg, ONE_IN(101)),
                           "less is lost on the whole than in the good state");
    cfg.in_bad = ONE_IN(10);
    CU_ASSERT_STRING_EQUAL(loss_refuse(&cfg, ONE_IN(10)),
                           "not less is lost on the whole than in the bad state");
    cfg.burst_milli = 0;
    CU_ASSERT_PTR_NULL(loss_refuse(&cfg, 0));
    cfg.p = 1;
    CU_ASSERT_STRING_EQUAL(loss_refuse(&cfg, 0), "nothing ends the bad state");
    cfg.model = LOSS_BERNOULLI;
    CU_ASSERT_PTR_NULL(loss_refuse(&cfg, 0));
}

static bool may_hit(struct loss_cfg cfg, uint64_t rate)
{
    struct loss_plan plan;
    loss_plan_init(&plan, &cfg, rate);
    bool may = loss_may_hit(&plan);
    loss_plan_fini(&plan);
    return may;
}

static void loss_that_never_hits_is_none(void)
{
    const enum loss_model ge = LOSS_GILBERT_ELLIOTT;
    CU_ASSERT_FALSE(may_hit((struct loss_cfg){0}, 0));
    CU_ASSERT_TRUE(may_hit((struct loss_cfg){0}, 1));
    CU_ASSERT_FALSE(may_hit((struct loss_cfg){.model = ge, .in_bad = UINT64_MAX}, 0));
    CU_ASSERT_FALSE(may_hit((struct loss_cfg){.model = ge, .p = 1, .r = 1}, 1));
    CU_ASSERT_TRUE(may_hit((struct loss_cfg){.model = ge, .in_good = 1}, 0));
    CU_ASSERT_TRUE(may_hit((struct loss_cfg){.model = ge, .p = 1, .r = 1, .in_bad = 1}, 0));
    CU_ASSERT_FALSE(may_hit((struct loss_cfg){.model = LOSS_BER}, UINT64_MAX));
    CU_ASSERT_TRUE(may_hit((struct loss_cfg){.model = LOSS_BER, .ber = 1}, 0));
}

/* Worked out from rng_mix alone: another machine, another compiler, the same losses. */
static void loss_of_a_seed_is_the_same_everywhere(void)
{
    struct loss_cfg cfg = {
        .model = LOSS_GILBERT_ELLIOTT, .burst_milli = 3500, .in_bad = UINT64_MAX};
    struct tally ge = run(&cfg, ONE_IN(30), 5, 1000);
    cfg = (struct loss_cfg){.model = LOSS_BER, .ber = UINT64_MAX / 1000000};
    struct tally ber = run(&cfg, 0, 5, 1106);
    CU_ASSERT_EQUAL(ge.lost, 66689);
    CU_ASSERT_EQUAL(ge.bursts, 18984);
    CU_ASSERT_EQUAL(ber.lost, 17645);
}

static const struct test tests[] = {TEST(loss_bernoulli_bursts_are_chance),
                                    TEST(loss_burst_and_rate_are_what_comes_out),
                                    TEST(loss_states_have_chances_of_their_own),
                                    TEST(loss_rate_counts_the_good_state_too),
                                    TEST(loss_first_packet_is_like_any_other),
                                    TEST(loss_ber_grows_with_the_length),
                                    TEST(loss_ber_of_all_takes_all),
                                    TEST(loss_refuses_bursts_that_cannot_be),
                                    TEST(loss_that_never_hits_is_none),
                                    TEST(loss_of_a_seed_is_the_same_everywhere),
                                    TESTS_END};
const struct suite suite_loss = {"loss", tests};
