/* The progress of a single run: its line, and that stopping to look changes nothing. */
#include <string.h>

#include "scenarios/run/run_progress.h"
#include "tests/suite.h"

static const char *line_of(double share, double spent_s, tm_ps now)
{
    static char out[120];
    run_progress_text(share, spent_s, now, out, sizeof out);
    return out;
}

static void run_progress_line_estimates_what_is_left(void)
{
    CU_ASSERT_STRING_EQUAL(line_of(0.25, 5, 250 * TM_MS),
                           "simulated 250 ms, 25 %, about 15 s left");
    CU_ASSERT_STRING_EQUAL(line_of(0.01, 60, TM_MS), "simulated 1 ms, 1 %, about 99 min left");
}

static void run_progress_line_is_empty_in_the_first_second(void)
{
    CU_ASSERT_STRING_EQUAL(line_of(0.5, 0.9, TM_MS), "");
}

static void run_progress_line_without_a_share_tells_the_time(void)
{
    CU_ASSERT_STRING_EQUAL(line_of(-1, 2, 12345678 * TM_US), "simulated 12345.7 ms");
}

/* An entity that runs every microsecond and keeps the processor busy for a while. */
struct ticker {
    uint64_t ticks, sum;
};

static tm_ps tick(void *self, tm_ps now)
{
    struct ticker *t = self;
    t->ticks++;
    for (int i = 0; i < 2000; i++)
        t->sum = t->sum * 6364136223846793005u + (uint64_t)now;
    return now + TM_US;
}

static double half(void *self) { return 0.5; }

static void run_progress_looking_up_changes_nothing(void)
{
    struct ticker seen = {0}, plain = {0};
    struct ev *a = ev_new(1, 1), *b = ev_new(1, 1);
    ev_arm(a, ev_add(a, 0, EV_TIMER, tick, &seen), TM_US);
    ev_arm(b, ev_add(b, 0, EV_TIMER, tick, &plain), TM_US);
    CU_ASSERT_TRUE(run_progress(a, 200 * TM_MS, NULL, half, NULL));
    CU_ASSERT_TRUE(ev_run(b, 200 * TM_MS, NULL));
    CU_ASSERT_EQUAL(seen.ticks, 200000);
    CU_ASSERT_EQUAL(memcmp(&seen, &plain, sizeof seen), 0);
    ev_free(a);
    ev_free(b);
}

static void run_progress_stop_ends_the_run(void)
{
    static const volatile sig_atomic_t stop = 1;
    struct ticker seen = {0};
    struct ev *a = ev_new(1, 1);
    ev_arm(a, ev_add(a, 0, EV_TIMER, tick, &seen), TM_US);
    CU_ASSERT_FALSE(run_progress(a, TM_NEVER - 1, &stop, half, NULL));
    ev_free(a);
}

static const struct test tests[] = {TEST(run_progress_line_estimates_what_is_left),
                                    TEST(run_progress_line_is_empty_in_the_first_second),
                                    TEST(run_progress_line_without_a_share_tells_the_time),
                                    TEST(run_progress_looking_up_changes_nothing),
                                    TEST(run_progress_stop_ends_the_run),
                                    TESTS_END};
const struct suite suite_run_progress = {"run_progress", tests};
