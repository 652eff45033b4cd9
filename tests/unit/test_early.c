/*
 * What adapters do before, and with, the first interval of the ACK timer: measured times as literals
 * (github.com/unionxic/rdma-fault-characterization, harness/ack_timeout; a silent peer).
 */
#include <stdio.h>

#include "tests/unit/rig.h"

#define FLOOR_16 ((tm_ps)268435456000) /* 4.096 us * 2^16 */

/* ConnectX-6 as shipped. */
static struct xp_profile with_ladder(void)
{
    struct xp_profile p = xp_profile_spec();
    p.timer_floor_ps = FLOOR_16;
    p.timing.factor = 2;
    p.ladder =
        (struct xp_ladder){.rungs = 10,
                           .at_ps = {20700 * TM_US, 37700 * TM_US, 71400 * TM_US, 138400 * TM_US,
                                     239100 * TM_US, 440400 * TM_US, 977270 * TM_US,
                                     1782570 * TM_US, 3930050 * TM_US, 8225010 * TM_US}};
    return p;
}

static struct rig *rig_silent(const struct xp_profile *p, uint8_t timeout, uint8_t retry_cnt)
{
    struct rig_spec s = rig_spec();
    s.timeout = timeout;
    s.retry_cnt = retry_cnt;
    s.state_b = XP_RESET;
    s.profile = *p;
    struct rig *r = rig_new(&s);
    rig_sends(r, 1, 1, 64);
    rig_run_for(r, 1000 * TM_S);
    return r;
}

struct silence {
    uint8_t timeout, retry_cnt;
    tm_ps after;
    uint64_t sent, early, timeouts;
};

static void row_is(const struct xp_profile *p, const struct silence *w)
{
    struct rig_spec s = rig_spec();
    char where[40];
    s.timeout = w->timeout;
    s.retry_cnt = w->retry_cnt;
    s.state_b = XP_RESET;
    s.profile = *p;
    struct rig *r = rig_new(&s);
    struct xp *x = r->loop->end[A].core;
    snprintf(where, sizeof where, "timeout %u retry_cnt %u", w->timeout, w->retry_cnt);
    rig_sends(r, 1, 1, 64);
    while (rig_state_of(r, A) != XP_ERR && loop_step(r->loop, 1000 * TM_S))
        ;
    ROW_INT(where, r->loop->now, w->after);
    ROW_TEXT(where, rig_wcs(r, A), "1:12");
    ROW_INT(where, xp_counts(x)->request_packets, w->sent);
    ROW_INT(where, xp_counts(x)->early_retransmissions, w->early);
    ROW_INT(where, xp_counts(x)->ack_timeouts, w->timeouts);
    rig_free(r);
}

/* ConnectX-2: 536, 1074, 1612 ms up to timeout 16; 2.15, 4.30, 6.45 s at 18. */
static void early_factor_multiplies_what_the_floor_leaves(void)
{
    static const struct silence rows[] = {
        {1, 0, 536870912000, 1, 0, 1},   {14, 1, 1073741824000, 2, 0, 2},
        {16, 2, 1610612736000, 3, 0, 3}, {17, 0, 1073741824000, 1, 0, 1},
        {18, 0, 2147483648000, 1, 0, 1}, {18, 2, 6442450944000, 3, 0, 3},
    };
    struct xp_profile p = xp_profile_spec();
    p.timer_floor_ps = FLOOR_16;
    p.timing.factor = 2;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        row_is(&p, &rows[i]);
}

/*
 * Measured: T 14 and 16 3661.8 ms, 17 7151.7, 18 14667.8, 19 29700.8, 20 59766.3; T 14 and retry_cnt 1 .. 5
 * 440.6, 977.6, 1514.3, 2051.4, 2588.2 ms.
 */
static void early_ladder_gives_the_measured_times(void)
{
    static const struct silence rows[] = {
        {14, 7, 3661624560000, 12, 6, 6},  {16, 7, 3661624560000, 12, 6, 6},
        {17, 7, 7151279120000, 13, 7, 6},  {18, 7, 14667468240000, 14, 8, 6},
        {19, 7, 29699846480000, 15, 9, 6}, {20, 7, 59764617552000, 16, 10, 6},
        {14, 1, 440400000000, 6, 6, 0},    {14, 2, 977270000000, 7, 6, 1},
        {14, 3, 1514140912000, 8, 6, 2},   {14, 4, 2051011824000, 9, 6, 3},
        {14, 5, 2587882736000, 10, 6, 4},  {17, 1, 977270000000, 7, 7, 0},
        {17, 2, 1782570000000, 8, 7, 1},
    };
    struct xp_profile p = with_ladder();
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        row_is(&p, &rows[i]);
}

/* Where the first step is longer than M there is no ladder, and retry_cnt is what it is elsewhere. */
static void early_ladder_that_cannot_begin_changes_nothing(void)
{
    struct xp_profile p = with_ladder();
    p.timer_floor_ps = 0;
    row_is(&p, &(struct silence){8, 1, 4194304000, 2, 0, 2}); /* 4 * 4.096 us * 2^8 */
    p.timing.factor = 1;
    row_is(&p, &(struct silence){12, 0, 16777216000, 1, 0, 1});
}

/* What follows the last rung is the next step, or an interval if that is shorter. */
static void early_ladder_ends_with_the_step_or_the_interval(void)
{
    struct xp_profile p = xp_profile_spec();
    p.ladder = (struct xp_ladder){.rungs = 3, .at_ps = {8 * TM_US, 16 * TM_US, 36 * TM_US}};
    /* T 1: 8.192 us; the third step is of 20 us, an interval of 8.192 */
    row_is(&p, &(struct silence){1, 2, 24192000, 3, 2, 1});
    /* factor 4: of 20 us before one of 32.768 */
    p.timing.factor = 4;
    row_is(&p, &(struct silence){1, 3, 68768000, 4, 2, 2});
    /* all climbed: an interval of 131.072 us follows */
    row_is(&p, &(struct silence){3, 2, 167072000, 4, 3, 1});
}

static void early_retransmissions_come_at_the_rungs(void)
{
    struct xp_profile p = xp_profile_spec();
    p.ladder = (struct xp_ladder){.rungs = 3, .at_ps = {3 * TM_US, 5 * TM_US, 9 * TM_US}};
    struct rig *r = rig_silent(&p, 1, 3);
    TEXT_IS(rig_packets(r, SHOW_REQUESTS | SHOW_TIME),
            "0 SEND_ONLY.100+64 3000000 SEND_ONLY.100+64r 5000000 SEND_ONLY.100+64r "
            "9000000 SEND_ONLY.100+64r 17192000 SEND_ONLY.100+64r");
    rig_free(r);
}

/* What is acknowledged sets it back to its first rung; a ladder that is not ended costs nothing. */
static void early_ladder_begins_again_with_progress(void)
{
    struct rig_spec s = rig_spec();
    s.timeout = 4; /* 65.536 us */
    s.retry_cnt = 1;
    s.profile.ladder = (struct xp_ladder){.rungs = 2, .at_ps = {10 * TM_US, 30 * TM_US}};
    struct rig *r = rig_new(&s);
    struct xp *x = r->loop->end[A].core;
    r->loop->dir[A][B].drop_mask = 1 << 0 | 1 << 2;
    for (uint64_t i = 1; i <= 2; i++) {
        rig_recvs(r, 11, 1, 100);
        rig_sends(r, i, 1, 100);
        rig_run(r);
        INT_IS(r->loop->now, (tm_ps)i * 12 * TM_US); /* a rung and a round trip */
    }
    TEXT_IS(rig_wcs(r, A), "1:0 2:0");
    INT_IS(xp_counts(x)->early_retransmissions, 2);
    INT_IS(xp_counts(x)->ack_timeouts, 0);
    struct xp_qp_counts n;
    xp_qp_counts(x, r->qp[A], &n);
    INT_IS(n.roce_adp_retrans, 2);
    INT_IS(n.local_ack_timeout_err, 0);
    rig_free(r);
}

static void early_ladder_begins_again_while_more_is_on_its_way(void)
{
    struct rig_spec s = rig_spec();
    s.timeout = 4;
    s.profile.ladder = (struct xp_ladder){.rungs = 2, .at_ps = {10 * TM_US, 30 * TM_US}};
    struct rig *r = rig_new(&s);
    struct xp *x = r->loop->end[A].core;
    r->loop->dir[A][B].drop_mask = UINT64_MAX;
    rig_sends(r, 1, 2, 100);
    rig_run_for(r, 12 * TM_US);
    INT_IS(xp_deadline(x), 30 * TM_US); /* one rung has been climbed */
    rig_inject(r, A, rig_answer(r, 0x1f, 100, 1));
    INT_IS(xp_counts(x)->early_retransmissions, 1);
    rig_run_for(r, 10 * TM_US);
    INT_IS(xp_counts(x)->early_retransmissions, 2);
    INT_IS(xp_deadline(x), 42 * TM_US);
    rig_free(r);
}

/* t1 + (R + 1) intervals, R + 1 transmissions, R + 2 expiries; here t1 is of one length. */
static void early_silent_expiry_sends_nothing_and_costs_no_retry(void)
{
    struct xp_profile p = xp_profile_spec();
    p.timing.first = (struct xp_first){750, 750};
    row_is(&p, &(struct silence){8, 7, 9175040000, 8, 0, 9});
    row_is(&p, &(struct silence){8, 0, 1835008000, 1, 0, 2});
}

/* 0.5 .. 1.16 of 67.108864 ms, another at each QP and each time. */
static void early_silent_expiry_is_drawn_from_its_range(void)
{
    struct xp_profile p = xp_profile_spec();
    tm_ps least = TM_NEVER, most = 0;
    p.timing.first = (struct xp_first){500, 1160};
    struct rig_spec s = rig_spec();
    s.profile = p;
    struct rig *r = rig_new(&s);
    struct xp *x = r->loop->end[A].core;
    for (uint64_t i = 0; i < 200; i++) {
        struct xp_tx tx;
        rig_sends(r, i, 1, 100);
        CU_ASSERT_EQUAL(xp_pull(x, r->qp[A], r->loop->now, &tx), XP_PULLED);
        tm_ps t = xp_deadline(x) - r->loop->now;
        least = tm_min(least, t);
        most = tm_max(most, t);
        rig_inject(r, A, rig_answer(r, 0x1f, 100 + (uint32_t)i, (uint32_t)i + 1));
    }
    CU_ASSERT_TRUE(least >= 33554432000 && least < 34900000000);
    CU_ASSERT_TRUE(most <= 77846282240 && most > 76500000000);
    rig_free(r);
}

static void early_least_time_is_what_can_come_first(void)
{
    struct xp_profile p = xp_profile_spec();
    INT_IS(xp_timer_least(&p, 14), 67108864000);
    p.timing.first = (struct xp_first){500, 1160};
    INT_IS(xp_timer_least(&p, 14), 33554432000);
    p.timing.first = (struct xp_first){1100, 1160};
    INT_IS(xp_timer_least(&p, 14), 67108864000);
    p = with_ladder();
    INT_IS(xp_timer_least(&p, 14), 17 * TM_MS);
    p.ladder.rungs = 0;
    INT_IS(xp_timer_least(&p, 14), 536870912000);
}

static const struct test tests[] = {TEST(early_factor_multiplies_what_the_floor_leaves),
                                    TEST(early_ladder_gives_the_measured_times),
                                    TEST(early_ladder_that_cannot_begin_changes_nothing),
                                    TEST(early_ladder_ends_with_the_step_or_the_interval),
                                    TEST(early_retransmissions_come_at_the_rungs),
                                    TEST(early_ladder_begins_again_with_progress),
                                    TEST(early_ladder_begins_again_while_more_is_on_its_way),
                                    TEST(early_silent_expiry_sends_nothing_and_costs_no_retry),
                                    TEST(early_silent_expiry_is_drawn_from_its_range),
                                    TEST(early_least_time_is_what_can_come_first),
                                    TESTS_END};
const struct suite suite_early = {"early", tests};
