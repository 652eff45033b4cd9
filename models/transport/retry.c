/*
 * Timers and retries of the requester (IBA 9.7.5.1.4, 9.9.2.1).
 *
 * A QP has one timer: for acknowledgements, or for the wait that an RNR NAK asks for, during
 * which the other stands still.  The heap holds at most one entry per QP and is lazy: a deadline
 * that moves later leaves its entry, which finds out when it comes to the top.
 *
 * The ACK timer runs from the pull of the oldest unacknowledged packet.  After an expiry it runs
 * from that expiry, as if the repetition had left at once: a dead peer is noticed after
 * (retry_cnt + 1) intervals exactly, unless the adapter's timer begins otherwise (early.c).
 */
#include "models/transport/service.h"
#include "sim/base/rng.h"

#define RNR_UNIT_PS (10 * TM_US)

enum { PURPOSE_ACK_TIMER = 1 };

/* IBA table 45, in units of 10 us. */
static const uint16_t rnr_units[32] = {
    0,   1,   2,   3,   4,    6,    8,    12,   16,   24,   32,   48,    64,    96,    128,   192,
    256, 384, 512, 768, 1024, 1536, 2048, 3072, 4096, 6144, 8192, 12288, 16384, 24576, 32768, 49152,
};
#define RNR_UNITS_CODE_0 65536

static struct heap heap_open(const struct xp *x)
{
    return (struct heap){
        .item = xp__base(x, x->at.heap_item),
        .pos = xp__base(x, x->at.heap_pos),
        .count = x->heap_count,
        .cap = x->pool[POOL_QP].cap,
    };
}

void xp__timer_set(struct xp *x, struct xp_qp *qp, struct xp_active *a, enum xp_timer kind,
                   tm_ps at)
{
    struct heap h = heap_open(x);
    uint32_t qpn = a->qpn;

    x->timers += a->req.timer == TIMER_OFF;
    a->req.timer = (uint8_t)kind;
    a->req.deadline = at;
    /* A lone timer's entry follows at once; among many a later deadline waits for its turn. */
    if (h.count == 1 && h.item[0].id == qpn) {
        h.item[0].at = at;
    } else if (!heap_has(&h, qpn) || h.item[h.pos[qpn] - 1].at > at) {
        heap_set(&h, qpn, at, qpn);
        x->heap_count = h.count;
    }
    xp__note(x, XP_N_TIMER_SET, qpn, at, kind);
}

void xp__timer_off(struct xp *x, struct xp_active *a)
{
    x->timers -= a->req.timer != TIMER_OFF;
    a->req.timer = TIMER_OFF;
}

/* The interval of the ACK timer; 0: it is off. */
static tm_ps ack_interval(struct xp *x, struct xp_qp *qp)
{
    const struct xp_profile *p = &x->profile;
    unsigned code = xp__attrs(x, qp)->timeout;

    if (code == 0)
        return 0;
    tm_ps t = xp__timer_base(p, code) * p->timing.factor;
    if (p->timer_slack_milli == 1000)
        return t;
    struct rng_stream s = rng_stream(x->seed, RNG_QP, xp__qpn(x, qp), PURPOSE_ACK_TIMER);
    s.n = qp->timer_draws++;
    return tm_milli(t, 1000 + (uint32_t)rng_below(&s, p->timer_slack_milli - 1000 + 1));
}

/*
 * A coarse clock: a timer of n ticks fires on the tick after n whole ones have passed.  Long ones
 * are rounded up to 8, 64, … ticks, as a timer wheel of 64 slots a level does.
 */
#define WHEEL_SLOTS 64
#define WHEEL_STEP 8

static tm_ps due_at(const struct xp *x, tm_ps from, tm_ps interval, bool round_up)
{
    tm_ps tick = x->profile.timing.tick_ps;

    if (tick == 0)
        return from + interval;
    tm_ps n = interval / tick + (round_up && interval % tick);
    n = tm_max(n, 1);
    for (tm_ps step = WHEEL_STEP, slots = WHEEL_SLOTS; n >= slots; slots *= WHEEL_STEP) {
        n = (n + step - 1) / step * step;
        step *= WHEEL_STEP;
    }
    return (from / tick + n + 1) * tick;
}

void xp__timer_start(struct xp *x, struct xp_qp *qp, struct xp_active *a, tm_ps from)
{
    tm_ps t = ack_interval(x, qp);
    if (t && xp__begins_early(x))
        t = xp__early_interval(x, qp, a->req.rung, t);
    if (t && xp__is_selective(x))
        t = xp__sack_interval(x, qp, t);
    if (t)
        xp__timer_set(x, qp, a, TIMER_ACK, due_at(x, from, t, false));
}

void xp__progress(struct xp *x, struct xp_qp *qp, struct xp_active *a)
{
    struct xp_requester *r = &a->req;
    const struct xp_attrs *at = xp__attrs(x, qp);

    r->retry_left = at->retry_cnt;
    r->rnr_left = at->rnr_retry;
    r->rung = 0;
    r->nak_seen = false;
    if (r->timer == TIMER_RNR)
        return;
    if (psn_eq(r->una, r->sent_end) || !at->timeout)
        xp__timer_off(x, a);
    else
        xp__timer_start(x, qp, a, x->now);
}

/* Takes one of the retries; false: there is none. */
static bool use_retry(const struct xp *x, const struct xp_qp *qp, struct xp_requester *r)
{
    if (xp__attrs(x, qp)->retry_cnt == x->profile.endless_retry_cnt)
        return true;
    if (r->retry_left == 0)
        return false;
    r->retry_left--;
    return true;
}

static void retries_used_up(struct xp *x, struct xp_qp *qp)
{
    x->counts.retry_exceeded++;
    xp__fault(x, qp, xp__active_of(x, qp), XP_WC_RETRY_EXC_ERR, XP_F_RETRY);
}

/* By enum xp_policy_nak_progress: any retry holds back those of NAKs until something is acknowledged. */
static const bool nak_waits[] = {
    [XP_NAK_PROGRESS_RESTORES] = false,
    [XP_NAK_PROGRESS_NONE] = true,
};

/* All from `una` again, the timer running from `from`. */
static void repeat(struct xp *x, struct xp_qp *qp, struct xp_active *a, tm_ps from, bool implied)
{
    a->req.nak_seen |= nak_waits[x->profile.policy[XP_P_NAK_PROGRESS]];
    if (xp__is_selective(x) && implied)
        xp__sack_oldest(x, qp, a);
    else
        xp__restart(x, qp, a);
    xp__note(x, XP_N_RETRY, a->qpn, TM_NEVER, a->req.una.v);
    xp__timer_start(x, qp, a, from);
}

/* The same, if there is a retry left; or the end. */
static void retry(struct xp *x, struct xp_qp *qp, struct xp_active *a, tm_ps from, bool implied)
{
    if (use_retry(x, qp, &a->req))
        repeat(x, qp, a, from, implied);
    else
        retries_used_up(x, qp);
}

void xp__retry_nak(struct xp *x, struct xp_qp *qp, struct xp_active *a, bool implied)
{
    struct xp_qp_counts *n = xp__qp_counts(x, a->qpn);

    if (a->req.retry_left || a->req.nak_seen)
        ++*(implied ? &n->implied_nak_seq_err : &n->packet_seq_err);
    if (a->req.nak_seen || a->req.timer == TIMER_RNR)
        return;
    a->req.nak_seen = true;
    xp__timer_off(x, a);
    retry(x, qp, a, x->now, implied);
}

/* By enum xp_policy_rnr_timer. */
static const bool rnr_timer_runs[] = {
    [XP_RNR_TIMER_STOPS] = false,
    [XP_RNR_TIMER_RUNS] = true,
};

/* The ACK timer goes on beside the wait where the profile says so. */
void xp__wait_for_receiver(struct xp *x, struct xp_qp *qp, struct xp_active *a, unsigned code)
{
    struct xp_requester *r = &a->req;
    tm_ps units = code ? rnr_units[code] : RNR_UNITS_CODE_0;
    tm_ps wait = units * RNR_UNIT_PS + x->profile.timing.rnr_slack_ps;
    tm_ps until = due_at(x, x->now, wait, true);

    if (r->timer != TIMER_RNR) {
        bool runs = rnr_timer_runs[x->profile.policy[XP_P_RNR_TIMER]] && r->timer == TIMER_ACK;
        r->ack_due = runs ? r->deadline : TM_NEVER;
    }
    r->rnr_until = until;
    xp__timer_set(x, qp, a, TIMER_RNR, tm_min(until, r->ack_due));
}

void xp__rnr_nak(struct xp *x, struct xp_qp *qp, struct xp_active *a, unsigned code, bool fresh)
{
    /* During a wait nothing is sent: a NAK for the same packet is a copy of the first. */
    if (a->req.timer == TIMER_RNR && !fresh)
        return;
    xp__qp_counts(x, a->qpn)->rnr_nak_retry_err++;
    if (xp__attrs(x, qp)->rnr_retry != 7) {
        if (a->req.rnr_left == 0) {
            x->counts.rnr_exceeded++;
            xp__fault(x, qp, a, XP_WC_RNR_RETRY_EXC_ERR, XP_F_RNR_RETRY);
            return;
        }
        a->req.rnr_left--;
    }
    xp__go_back(x, qp, a);
    xp__wait_for_receiver(x, qp, a, code);
}

static void count_timeout(struct xp *x, const struct xp_active *a)
{
    x->counts.ack_timeouts++;
    xp__qp_counts(x, a->qpn)->local_ack_timeout_err++;
}

/* The wait is over; or the ACK timer beside it has run out, which costs a retry but sends nothing. */
static void fire_in_wait(struct xp *x, struct xp_qp *qp, struct xp_active *a, tm_ps due)
{
    struct xp_requester *r = &a->req;

    /* A late acknowledgement may have left nothing that the ACK timer could be about. */
    if (psn_eq(r->una, r->sent_end))
        r->ack_due = TM_NEVER;
    else if (due == r->ack_due) {
        count_timeout(x, a);
        if (!use_retry(x, qp, r)) {
            retries_used_up(x, qp);
            return;
        }
        r->ack_due = TM_NEVER; /* the next packet that leaves starts it again */
    }
    if (due < r->rnr_until)
        xp__timer_set(x, qp, a, TIMER_RNR, tm_min(r->rnr_until, r->ack_due));
    else if (r->ack_due != TM_NEVER)
        xp__timer_set(x, qp, a, TIMER_ACK, r->ack_due);
    else if (xp__is_selective(x) && !psn_eq(r->una, r->sent_end))
        xp__timer_start(x, qp, a, x->now); /* it may be that nothing leaves that would start it */
}

/* It goes on from the short interval to the long one. */
static bool extends(struct xp *x, struct xp_qp *qp, struct xp_active *a, tm_ps due)
{
    tm_ps more = xp__is_selective(x) ? xp__sack_extension(x, qp, a) : 0;

    if (more)
        xp__timer_set(x, qp, a, TIMER_ACK, due_at(x, due, more, false));
    return more != 0;
}

static void count_early(struct xp *x, const struct xp_active *a)
{
    x->counts.early_retransmissions++;
    xp__qp_counts(x, a->qpn)->roce_adp_retrans++;
}

/* The ACK timer has run out, the next one runs from `from`. */
static void expire_ack(struct xp *x, struct xp_qp *qp, struct xp_active *a, tm_ps from)
{
    enum xp_expiry e =
        xp__begins_early(x) ? xp__early_expiry(x, qp, &a->req.rung) : EXPIRY_REGULAR;

    switch (e) {
    case EXPIRY_EARLY:
        count_early(x, a);
        repeat(x, qp, a, from, false);
        break;
    case EXPIRY_LAST_EARLY:
        /* The first of retry_cnt expiries that count; elsewhere one more counts: so it takes two. */
        count_early(x, a);
        if (use_retry(x, qp, &a->req))
            retry(x, qp, a, from, false);
        else
            retries_used_up(x, qp);
        break;
    case EXPIRY_SILENT:
        count_timeout(x, a);
        xp__timer_start(x, qp, a, from);
        break;
    case EXPIRY_REGULAR:
        count_timeout(x, a);
        retry(x, qp, a, from, false);
        break;
    }
}

static void fire(struct xp *x, struct xp_qp *qp, struct xp_active *a)
{
    tm_ps due = a->req.deadline;
    enum xp_timer kind = (enum xp_timer)a->req.timer;

    xp__note(x, XP_N_TIMER_FIRE, a->qpn, due, kind);
    xp__timer_off(x, a);
    if (kind == TIMER_RNR) {
        fire_in_wait(x, qp, a, due);
        if (xp__has_trait(qp, TRAIT_VIA_CONTEXT))
            xp__turn_resume(x, qp);
    } else if (kind == TIMER_FAULT) {
        xp__fault_due(x, qp, a);
    } else if (kind == TIMER_ACK && extends(x, qp, a, due)) {
        return;
    } else if (kind == TIMER_ACK) {
        /* A driver that comes more than an interval late gets no burst of expiries. */
        tm_ps interval = XP_TIMEOUT_UNIT_PS << xp__attrs(x, qp)->timeout;
        expire_ack(x, qp, a, x->now - due >= interval ? x->now : due);
    }
}

tm_ps xp_deadline(const struct xp *x)
{
    struct heap h = heap_open(x);
    const struct heap_item *top = heap_top(&h);
    return x->timers ? top->at : TM_NEVER;
}

/* The entry of `qpn` has come to the top. */
static void expire_one(struct xp *x, uint32_t qpn)
{
    struct heap h = heap_open(x);
    struct xp_qp *qp = xp__qp(x, qpn);
    struct xp_active *a = xp__active_of(x, qp);
    bool runs = a && a->req.timer != TIMER_OFF;

    if (runs && a->req.deadline > x->now) {
        heap_delay_top(&h, a->req.deadline);
        return;
    }
    heap_remove(&h, qpn);
    x->heap_count = h.count;
    if (!runs)
        return;
    fire(x, qp, a);
    xp__settle(x, qp);
}

void xp_expire(struct xp *x, tm_ps now)
{
    xp__tick(x, now);
    while (xp_deadline(x) <= now) {
        struct heap h = heap_open(x);
        expire_one(x, heap_top(&h)->id);
    }
    xp__fail_overrun(x);
}
