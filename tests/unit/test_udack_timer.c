/*
 * Timeouts of acknowledged datagrams: fixed and measured, repetitions, the end of a session.
 */
#include "models/udack/udack_state.h"
#include "tests/suite.h"
#include "tests/unit/udbed.h"

static struct udbed b;

#define IS(text, expected) CU_ASSERT_STRING_EQUAL(text, expected)

static void udack_timer_idle_endpoint_has_no_deadline(void)
{
    struct udack_cfg cfg = udbed_cfg();
    udbed_init(&b, 2, &cfg);
    CU_ASSERT_EQUAL(udack_deadline(b.end[0]), TM_NEVER);
    udbed_post(&b, 0, 1, 10);
    CU_ASSERT_EQUAL(udack_deadline(b.end[0]), TM_NEVER); /* runs from the first datagram on */
    udbed_run(&b, 0);
    CU_ASSERT_EQUAL(udack_deadline(b.end[0]), 100 * TM_US);
    udbed_settle(&b);
    CU_ASSERT_EQUAL(udack_deadline(b.end[0]), TM_NEVER);
    udbed_fini(&b);
}

/* 2 retries: three transmissions, then the error, after three timeouts.  Nothing is lost silently. */
static void udack_timer_retries_run_out_and_are_reported(void)
{
    struct udack_cfg cfg = udbed_cfg();
    struct udack_query q;
    udbed_init(&b, 2, &cfg);
    b.drop = UINT64_MAX;
    udbed_post(&b, 0, 1, 10);
    udbed_run(&b, 0);
    udbed_post(&b, 0, 1, 1500);
    udbed_run(&b, 400 * TM_US);
    IS(b.wire, "0 AB d0 m0.0 L? a0 x\n"
               "0 AB d1 m1.0 - a0 x\n"
               "0 AB d2 m1.1 L? a0 x\n"
               "100 AB d0 m0.0 L?* a0 x\n"
               "200 AB d0 m0.0 L?* a0 x\n");
    IS(b.got, "300 A 0 retries exceeded\n300 A 1 flushed\n");
    CU_ASSERT_EQUAL(udack_query(b.end[0], 0, &q), UDACK_OK);
    CU_ASSERT_TRUE(q.failed && q.outstanding == 0);
    CU_ASSERT_EQUAL(udbed_post(&b, 0, 1, 10), UDACK_ESTATE);
    CU_ASSERT_EQUAL(udack_counts(b.end[0])->messages_failed, 2);
    CU_ASSERT_EQUAL(udack_outstanding(b.end[0]), 0);
    udbed_fini(&b);
}

static void udack_timer_failed_session_works_after_a_reset(void)
{
    struct udack_cfg cfg = udbed_cfg();
    cfg.retries = 0;
    udbed_init(&b, 2, &cfg);
    b.drop = 1;
    udbed_post(&b, 0, 1, 10);
    udbed_run(&b, 150 * TM_US);
    CU_ASSERT_EQUAL(udack_reset(b.end[0], 0, b.now), UDACK_OK);
    CU_ASSERT_EQUAL(udbed_post(&b, 0, 1, 20), UDACK_OK);
    udbed_settle(&b);
    IS(b.got, "100 A 0 retries exceeded\n151 B m0 20\n152 A 0 done\n");
    udbed_fini(&b);
}

/* One datagram in three arrives, yet with one retry the message gets through: progress counts anew. */
static void udack_timer_progress_forgives_repetitions(void)
{
    struct udack_cfg cfg = udbed_cfg();
    cfg.retries = 1;
    cfg.window = 1;
    udbed_init(&b, 2, &cfg);
    b.drop = 1u << 0 | 1u << 3 | 1u << 6;
    udbed_post(&b, 0, 1, 2500);
    udbed_settle(&b);
    IS(b.wire, "0 AB d0 m0.0 -? a0 x\n"
               "100 AB d0 m0.0 -?* a0\n"
               "101 BA a1\n"
               "102 AB d1 m0.1 -? a0 x\n"
               "202 AB d1 m0.1 -?* a0\n"
               "203 BA a2\n"
               "204 AB d2 m0.2 L? a0 x\n"
               "304 AB d2 m0.2 L?* a0\n"
               "305 BA a3\n");
    IS(b.got, "305 B m0 2500\n306 A 0 done\n");
    udbed_fini(&b);
}

static struct udack_cfg adaptive(void)
{
    struct udack_cfg cfg = udbed_cfg();
    cfg.adaptive = true;
    cfg.rto_min_ps = 5 * TM_US;
    return cfg;
}

/*
 * Round trips of 2 us: mean 2000 ns; deviation 1000, then 750, 562, 421 ns.  Mean + 4 deviations:
 * 6 us, 5 us, and from then on the lower bound of 5 us.
 */
static void udack_timer_adaptive_follows_round_trips(void)
{
    static const tm_ps expected[4] = {6 * TM_US, 5 * TM_US, 5 * TM_US, 5 * TM_US};
    struct udack_cfg cfg = adaptive();
    struct udack_query q;
    udbed_init(&b, 2, &cfg);
    CU_ASSERT_EQUAL(udack_query(b.end[0], 0, &q), UDACK_OK);
    CU_ASSERT_EQUAL(q.rto_ps, 100 * TM_US);
    for (int i = 0; i < 4; i++) {
        udbed_post(&b, 0, 1, 10);
        udbed_settle(&b);
        CU_ASSERT_EQUAL(udack_query(b.end[0], 0, &q), UDACK_OK);
        CU_ASSERT_EQUAL(q.rto_ps, expected[i]);
    }
    CU_ASSERT_EQUAL(ua_session(b.end[0], 0)->rttvar_ns, 421);
    udbed_fini(&b);
}

/* Nothing arrives: 6, 12, 24 us (bound 20), as measured once before. */
static void udack_timer_adaptive_doubles_up_to_its_bound(void)
{
    struct udack_cfg cfg = adaptive();
    cfg.rto_max_ps = 20 * TM_US;
    cfg.retries = 3;
    udbed_init(&b, 2, &cfg);
    udbed_post(&b, 0, 1, 10);
    udbed_run(&b, 100 * TM_US);
    b.wire[0] = b.got[0] = 0;
    b.drop = UINT64_MAX;
    udbed_post(&b, 0, 1, 10);
    udbed_run(&b, 200 * TM_US);
    IS(b.wire, "100 AB d1 m1.0 L? a0 x\n"
               "106 AB d1 m1.0 L?* a0 x\n"
               "118 AB d1 m1.0 L?* a0 x\n"
               "138 AB d1 m1.0 L?* a0 x\n");
    IS(b.got, "158 A 1 retries exceeded\n");
    udbed_fini(&b);
}

/* Whether the first or the copy was acknowledged cannot be told: it is not measured (Karn). */
static void udack_timer_adaptive_measures_no_copies(void)
{
    struct udack_cfg cfg = adaptive();
    struct udack_query q;
    udbed_init(&b, 2, &cfg);
    b.drop = 1;
    udbed_post(&b, 0, 1, 10);
    udbed_settle(&b);
    CU_ASSERT_EQUAL(udack_counts(b.end[0])->data_retransmitted, 1);
    CU_ASSERT_EQUAL(udack_query(b.end[0], 0, &q), UDACK_OK);
    CU_ASSERT_EQUAL(q.rto_ps, 100 * TM_US);
    udbed_fini(&b);
}

static const struct test tests[] = {TEST(udack_timer_idle_endpoint_has_no_deadline),
                                    TEST(udack_timer_retries_run_out_and_are_reported),
                                    TEST(udack_timer_failed_session_works_after_a_reset),
                                    TEST(udack_timer_progress_forgives_repetitions),
                                    TEST(udack_timer_adaptive_follows_round_trips),
                                    TEST(udack_timer_adaptive_doubles_up_to_its_bound),
                                    TEST(udack_timer_adaptive_measures_no_copies),
                                    TESTS_END};
const struct suite suite_udack_timer = {"udack_timer", tests};
