/*
 * The ACK timer and retry_cnt: after how long, to the picosecond, a silent peer is given up, what
 * restarts the timer, what restores the count.  T = 4.096 us * 2^timeout.
 */
#include <stdio.h>

#include "sim/base/check.h"
#include "tests/unit/rig.h"

#define T14 ((tm_ps)67108864000)

/* The time at which the requester gave up on a peer in RESET, -1 if it did not. */
static tm_ps time_to_12(uint8_t timeout, uint8_t retry_cnt, uint64_t *sent)
{
    struct rig_spec s = rig_spec();
    s.timeout = timeout;
    s.retry_cnt = retry_cnt;
    s.state_b = XP_RESET;
    struct rig *r = rig_new(&s);
    rig_run_for(r, 123456789);
    tm_ps start = r->loop->now, end = -1;
    rig_sends(r, 1, 2, 300);
    while (end < 0 && loop_step(r->loop, 100000 * TM_S))
        if (rig_state_of(r, A) == XP_ERR)
            end = r->loop->now - start;
    *sent = xp_counts(r->loop->end[A].core)->request_packets;
    TEXT_IS(rig_wcs(r, A), end < 0 ? "" : "1:12 2:5");
    rig_free(r);
    return end;
}

static void rc_timer_silent_peer_is_given_up_after_retries_plus_one_timeouts(void)
{
    static const struct {
        uint8_t timeout, retry_cnt;
        tm_ps after;
        uint64_t packets; /* two messages of two packets, each time from the start */
    } rows[] = {
        {1, 0, 8192000, 4},           {1, 7, 65536000, 32},           {4, 1, 131072000, 8},
        {8, 7, 8388608000, 32},       {14, 0, 67108864000, 4},        {14, 1, 134217728000, 8},
        {14, 7, 536870912000, 32},    {18, 3, 4294967296000, 16},     {20, 7, 34359738368000, 32},
        {31, 0, 8796093022208000, 4}, {31, 7, 70368744177664000, 32},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char where[40];
        uint64_t sent;
        snprintf(where, sizeof where, "timeout %u retry_cnt %u", rows[i].timeout,
                 rows[i].retry_cnt);
        ROW_INT(where, time_to_12(rows[i].timeout, rows[i].retry_cnt, &sent), rows[i].after);
        ROW_INT(where, sent, rows[i].packets);
    }
}

static void rc_timer_timeout_zero_waits_for_ever(void)
{
    struct rig_spec s = rig_spec();
    s.timeout = 0;
    struct rig *r = rig_new(&s);
    r->loop->dir[A][B].drop_mask = 1;
    rig_recvs(r, 11, 1, 100);
    rig_sends(r, 1, 1, 100);
    rig_run(r); /* is quiet: no timer runs */
    INT_IS(r->loop->now, 0);
    TEXT_IS(rig_wcs(r, A), "");
    INT_IS(rig_state_of(r, A), XP_RTS);
    INT_IS(xp_deadline(r->loop->end[A].core), TM_NEVER);
    rig_free(r);
}

static void rc_timer_starts_with_the_pull_not_with_the_post(void)
{
    struct rig_spec s = rig_spec();
    struct rig *r = rig_new(&s);
    struct xp *x = r->loop->end[A].core;
    struct xp_tx tx;
    rig_sends(r, 1, 2, 100);
    INT_IS(xp_deadline(x), TM_NEVER);
    INT_IS(xp_pull(x, r->qp[A], 1000, &tx), XP_PULLED);
    INT_IS(xp_deadline(x), T14 + 1000);
    INT_IS(xp_pull(x, r->qp[A], 5000, &tx), XP_PULLED);
    INT_IS(xp_deadline(x), T14 + 1000); /* the oldest left at 1000 */
    INT_IS(xp_pull(x, r->qp[A], 5000, &tx), XP_IDLE);
    r->loop->now = 5000;
    rig_free(r);
}

static void rc_timer_is_restarted_by_progress_and_stopped_by_the_last_ack(void)
{
    struct rig_spec s = rig_spec();
    struct rig *r = rig_new(&s);
    struct xp *x = r->loop->end[A].core;
    r->loop->dir[B][A].drop_mask = UINT64_MAX;
    rig_sends(r, 1, 3, 100);
    rig_run_for(r, 10 * TM_US);
    rig_inject(r, A, rig_answer(r, 0x1f, 100, 1));
    rig_run_for(r, T14 - 1); /* without the restart it would have fired by now */
    INT_IS(xp_counts(x)->ack_timeouts, 0);
    rig_inject(r, A, rig_answer(r, 0x1f, 100, 1)); /* no progress: no restart */
    rig_run_for(r, 1);
    INT_IS(xp_counts(x)->ack_timeouts, 1);
    rig_inject(r, A, rig_answer(r, 0x1f, 102, 3));
    TEXT_IS(rig_wcs(r, A), "1:0 2:0 3:0");
    INT_IS(xp_deadline(x), TM_NEVER);
    rig_free(r);
}

static void rc_timer_expiry_before_the_deadline_does_nothing(void)
{
    struct rig_spec s = rig_spec();
    struct rig *r = rig_new(&s);
    struct xp *x = r->loop->end[A].core;
    rig_sends(r, 1, 1, 100);
    rig_run_for(r, TM_NS);
    tm_ps at = xp_deadline(x);
    INT_IS(at, T14);
    xp_expire(x, at - 1);
    INT_IS(xp_deadline(x), at);
    INT_IS(xp_counts(x)->ack_timeouts, 0);
    xp_expire(x, at);
    INT_IS(xp_counts(x)->ack_timeouts, 1);
    r->loop->now = at;
    rig_free(r);
}

/* The next interval then runs from the late call: no second expiry lies behind it. */
static void rc_timer_driver_that_is_late_gets_one_expiry(void)
{
    struct rig_spec s = rig_spec();
    struct rig *r = rig_new(&s);
    struct xp *x = r->loop->end[A].core;
    rig_sends(r, 1, 1, 100);
    rig_run_for(r, TM_NS);
    xp_expire(x, 4 * T14);
    INT_IS(xp_counts(x)->ack_timeouts, 1);
    INT_IS(xp_deadline(x), 5 * T14);
    r->loop->now = 4 * T14;
    rig_free(r);
}

static void rc_timer_slack_and_floor_come_from_the_profile(void)
{
    static const struct {
        uint32_t slack_milli;
        tm_ps floor_ps, after;
    } rows[] = {{1000, 0, 2 * T14}, {1000, 100 * TM_MS, 200 * TM_MS}, {1000, 50 * TM_MS, 2 * T14}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char where[20];
        snprintf(where, sizeof where, "row %d", (int)i);
        struct rig_spec s = rig_spec();
        s.retry_cnt = 1;
        s.state_b = XP_RESET;
        s.profile.timer_slack_milli = rows[i].slack_milli;
        s.profile.timer_floor_ps = rows[i].floor_ps;
        struct rig *r = rig_new(&s);
        rig_sends(r, 1, 1, 100);
        rig_run(r);
        ROW_INT(where, r->loop->now, rows[i].after);
        ROW_TEXT(where, rig_wcs(r, A), "1:12");
        rig_free(r);
    }
}

static void rc_timer_slack_of_four_stays_within_one_and_four(void)
{
    struct rig_spec s = rig_spec();
    s.retry_cnt = 3;
    s.state_b = XP_RESET;
    s.profile.timer_slack_milli = 4000;
    struct rig *r = rig_new(&s);
    rig_sends(r, 1, 1, 100);
    rig_run(r);
    CU_ASSERT_TRUE(r->loop->now >= 4 * T14 && r->loop->now <= 16 * T14);
    TEXT_IS(rig_wcs(r, A), "1:12");
    rig_free(r);
}

/* Each message's first transmission is lost; with retry_cnt 1 only restored counts survive it. */
static void rc_timer_progress_restores_retry_cnt(void)
{
    struct rig_spec s = rig_spec();
    s.retry_cnt = 1;
    struct rig *r = rig_new(&s);
    r->loop->dir[A][B].drop_mask = 1 << 0 | 1 << 2 | 1 << 4;
    for (uint64_t i = 1; i <= 3; i++) {
        rig_recvs(r, 11, 1, 100);
        rig_sends(r, i, 1, 100);
        rig_run(r);
    }
    TEXT_IS(rig_wcs(r, A), "1:0 2:0 3:0");
    INT_IS(xp_counts(r->loop->end[A].core)->ack_timeouts, 3);
    rig_free(r);
}

static void rc_timer_partial_progress_restores_retry_cnt(void)
{
    struct rig_spec s = rig_spec();
    s.retry_cnt = 1;
    struct rig *r = rig_new(&s);
    /* 100 and 101 arrive, 102 is lost twice, its third transmission arrives */
    r->loop->dir[A][B].drop_mask = 1 << 2;
    r->loop->dir[B][A].drop_mask = 1 << 0 | 1 << 1;
    rig_recvs(r, 11, 3, 100);
    rig_sends(r, 1, 3, 100);
    /* time out: 100 101 102 again; the last is lost once more, acks of the duplicates come */
    r->loop->dir[A][B].drop_mask |= 1 << 5;
    rig_run(r);
    TEXT_IS(rig_wcs(r, A), "1:0 2:0 3:0");
    INT_IS(xp_counts(r->loop->end[A].core)->ack_timeouts, 2);
    rig_free(r);
}

static void rc_timer_retry_cnt_seven_is_seven(void)
{
    struct rig_spec s = rig_spec();
    struct rig *r = rig_new(&s);
    r->loop->dir[A][B].drop_mask = 0x7f; /* seven lost: the eighth transmission arrives */
    rig_recvs(r, 11, 2, 100);
    rig_sends(r, 1, 1, 100);
    rig_run(r);
    TEXT_IS(rig_wcs(r, A), "1:0");
    rig_free(r);

    r = rig_new(&s);
    r->loop->dir[A][B].drop_mask = 0xff;
    rig_recvs(r, 11, 2, 100);
    rig_sends(r, 1, 1, 100);
    rig_run(r);
    TEXT_IS(rig_wcs(r, A), "1:12");
    INT_IS(r->loop->now, 8 * T14);
    INT_IS(xp_counts(r->loop->end[A].core)->request_packets, 8);
    INT_IS(xp_counts(r->loop->end[A].core)->retry_exceeded, 1);
    rig_free(r);
}

/* Each NAK names the next packet: it acknowledges one more and so gives back what it takes. */
static void rc_timer_naks_with_progress_restore_retry_cnt(void)
{
    struct rig_spec s = rig_spec();
    s.retry_cnt = 1;
    struct rig *r = rig_new(&s);
    /* rounds 100..104, 101..104, 102..104, 103..104: the second of each is lost */
    r->loop->dir[A][B].drop_mask = 1 << 1 | 1 << 6 | 1 << 10;
    rig_recvs(r, 11, 5, 100);
    rig_sends(r, 1, 5, 100);
    rig_run(r);
    TEXT_IS(rig_packets(r, SHOW_ANSWERS),
            "ack.100/1 nak0.101/1 ack.101/2 nak0.102/2 ack.102/3 nak0.103/3 ack.103/4 ack.104/5");
    TEXT_IS(rig_wcs(r, A), "1:0 2:0 3:0 4:0 5:0");
    INT_IS(xp_counts(r->loop->end[A].core)->ack_timeouts, 0);
    rig_free(r);
}

/* A NAK and a timeout draw on one count. */
static void rc_timer_naks_and_timeouts_share_the_count(void)
{
    struct rig_spec s = rig_spec();
    s.retry_cnt = 1;
    struct rig *r = rig_new(&s);
    r->loop->dir[A][B].drop_mask = 1 << 0 | 1 << 2; /* 100 lost, NAK, 100 lost again */
    rig_recvs(r, 11, 2, 100);
    rig_sends(r, 1, 2, 100);
    rig_run(r);
    TEXT_IS(rig_wcs(r, A), "1:12 2:5");
    INT_IS(r->loop->now, 2 * RIG_DELAY + T14);
    rig_free(r);
}

static const struct test tests[] = {
    TEST(rc_timer_silent_peer_is_given_up_after_retries_plus_one_timeouts),
    TEST(rc_timer_timeout_zero_waits_for_ever),
    TEST(rc_timer_starts_with_the_pull_not_with_the_post),
    TEST(rc_timer_is_restarted_by_progress_and_stopped_by_the_last_ack),
    TEST(rc_timer_expiry_before_the_deadline_does_nothing),
    TEST(rc_timer_driver_that_is_late_gets_one_expiry),
    TEST(rc_timer_slack_and_floor_come_from_the_profile),
    TEST(rc_timer_slack_of_four_stays_within_one_and_four),
    TEST(rc_timer_progress_restores_retry_cnt),
    TEST(rc_timer_partial_progress_restores_retry_cnt),
    TEST(rc_timer_retry_cnt_seven_is_seven),
    TEST(rc_timer_naks_with_progress_restore_retry_cnt),
    TEST(rc_timer_naks_and_timeouts_share_the_count),
    TESTS_END};
const struct suite suite_rc_timer = {"rc_timer", tests};
