/* Worker processes: every end that a job can have, and stopping. */
#include <glib.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "scenarios/run/pool.h"
#include "tests/suite.h"

struct log {
    enum pool_end end[32];
    char message[32][300];
    uint32_t ended;
    volatile sig_atomic_t stop;
};

static void note(void *self, uint32_t job, enum pool_end end, const char *message)
{
    struct log *l = self;
    l->end[job] = end;
    snprintf(l->message[job], sizeof l->message[job], "%s", message);
    l->ended++;
}

static enum pool_end odd_ends(void *self, uint32_t job, char *message, uint32_t size)
{
    switch (job) {
    case 1:
        snprintf(message, size, "the disk is full");
        return POOL_FAILED;
    case 2:
        signal(SIGTERM, SIG_DFL);
        raise(SIGTERM);
        return POOL_DONE;
    case 3:
        _exit(77);
    default:
        return POOL_DONE;
    }
}

static void pool_each_end_is_reported_and_others_go_on(void)
{
    char err[300] = "";
    for (uint32_t workers = 1; workers <= 4; workers += 3) {
        struct log l = {.stop = 0};
        struct pool p = {
            .jobs = 6, .workers = workers, .self = &l, .work = odd_ends, .ended = note};
        CU_ASSERT_TRUE(pool_run(&p, err, sizeof err));
        CU_ASSERT_EQUAL(l.ended, 6);
        CU_ASSERT_EQUAL(l.end[0], POOL_DONE);
        CU_ASSERT_EQUAL(l.end[1], POOL_FAILED);
        CU_ASSERT_STRING_EQUAL(l.message[1], "the disk is full");
        CU_ASSERT_EQUAL(l.end[2], POOL_FAILED);
        CU_ASSERT_STRING_EQUAL(l.message[2],
                               "the worker process was killed by signal 15 (Terminated)");
        CU_ASSERT_EQUAL(l.end[3], POOL_FAILED);
        CU_ASSERT_STRING_EQUAL(l.message[3], "the worker process ended with exit code 77");
        CU_ASSERT_EQUAL(l.end[4], POOL_DONE);
        CU_ASSERT_EQUAL(l.end[5], POOL_DONE);
    }
}

/* A job that only a signal ends; the first one asks for the stop. */
static enum pool_end long_job(void *self, uint32_t job, char *message, uint32_t size)
{
    if (job == 0)
        return POOL_DONE;
    signal(SIGTERM, SIG_DFL);
    for (;;)
        pause();
}

static void stop_after_first(void *self, uint32_t job, enum pool_end end, const char *message)
{
    struct log *l = self;
    note(self, job, end, message);
    l->stop = 1;
}

static void pool_stop_ends_the_running_and_starts_no_more(void)
{
    char err[300] = "";
    struct log l = {.stop = 0};
    struct pool p = {.jobs = 20,
                     .workers = 3,
                     .self = &l,
                     .work = long_job,
                     .ended = stop_after_first,
                     .stop = &l.stop};
    CU_ASSERT_TRUE(pool_run(&p, err, sizeof err));
    CU_ASSERT_EQUAL(l.ended, 3);
    CU_ASSERT_EQUAL(l.end[0], POOL_DONE);
    CU_ASSERT_EQUAL(l.end[1], POOL_STOPPED);
    CU_ASSERT_EQUAL(l.end[2], POOL_STOPPED);
}

static void pool_no_jobs_is_done_at_once(void)
{
    char err[300] = "";
    struct log l = {.stop = 0};
    struct pool p = {.jobs = 0, .workers = 2, .self = &l, .work = odd_ends, .ended = note};
    CU_ASSERT_TRUE(pool_run(&p, err, sizeof err));
    CU_ASSERT_EQUAL(l.ended, 0);
}

static const struct test tests[] = {TEST(pool_each_end_is_reported_and_others_go_on),
                                    TEST(pool_stop_ends_the_running_and_starts_no_more),
                                    TEST(pool_no_jobs_is_done_at_once), TESTS_END};
const struct suite suite_pool = {"pool", tests};
