/*
 * What comes before the first regular interval of the ACK timer: see timing.h.
 *
 * A requester's `rung` counts what has been climbed of the ladder since the last progress; RUNG_OVER: the
 * timer runs in whole intervals.  It is set back wherever retry_left is.
 *
 * Left out: that the schedule of real adapters depends on what happened before the fault.
 */
#include "models/transport/service.h"
#include "sim/base/rng.h"

#define RUNG_OVER UINT8_MAX
enum { PURPOSE_FIRST_EXPIRY = 2 };

tm_ps xp__timer_base(const struct xp_profile *p, unsigned timeout)
{
    return tm_max(XP_TIMEOUT_UNIT_PS << timeout, p->timer_floor_ps);
}

/* From one rung to the next, `rung` have been climbed. */
static tm_ps step(const struct xp_ladder *l, unsigned rung)
{
    return l->at_ps[rung] - (rung ? l->at_ps[rung - 1] : 0);
}

static bool goes_on(const struct xp_profile *p, unsigned timeout, unsigned rung)
{
    return rung < p->ladder.rungs && step(&p->ladder, rung) <= xp__timer_base(p, timeout);
}

tm_ps xp_timer_least(const struct xp_profile *p, unsigned timeout)
{
    tm_ps interval = xp__timer_base(p, timeout) * p->timing.factor;

    if (p->timing.first.high_milli)
        return tm_min(interval, tm_milli(interval, p->timing.first.low_milli));
    tm_ps least = interval;
    for (unsigned rung = 0; goes_on(p, timeout, rung); rung++)
        least = tm_min(least, step(&p->ladder, rung));
    return least;
}

static tm_ps silent_interval(struct xp *x, struct xp_qp *qp, tm_ps interval)
{
    const struct xp_first *t = &x->profile.timing.first;
    struct rng_stream s = rng_stream(x->seed, RNG_QP, xp__qpn(x, qp), PURPOSE_FIRST_EXPIRY);

    s.n = qp->timer_draws++;
    uint64_t range = t->high_milli - t->low_milli + 1;
    return tm_milli(interval, t->low_milli + (uint32_t)rng_below(&s, range));
}

tm_ps xp__early_interval(struct xp *x, struct xp_qp *qp, unsigned rung, tm_ps interval)
{
    const struct xp_profile *p = &x->profile;

    if (rung == RUNG_OVER)
        return interval;
    if (p->timing.first.high_milli)
        return silent_interval(x, qp, interval);
    if (goes_on(p, xp__attrs(x, qp)->timeout, rung))
        return step(&p->ladder, rung);
    bool leaves_a_step = rung > 0 && rung < p->ladder.rungs;
    return leaves_a_step ? tm_min(step(&p->ladder, rung), interval) : interval;
}

enum xp_expiry xp__early_expiry(const struct xp *x, const struct xp_qp *qp, uint8_t *rung)
{
    const struct xp_profile *p = &x->profile;
    unsigned timeout = xp__attrs(x, qp)->timeout, at = *rung;

    if (at == RUNG_OVER)
        return EXPIRY_REGULAR;
    if (!goes_on(p, timeout, at)) {
        *rung = RUNG_OVER;
        return p->timing.first.high_milli ? EXPIRY_SILENT : EXPIRY_REGULAR;
    }
    ++*rung;
    return goes_on(p, timeout, at + 1) ? EXPIRY_EARLY : EXPIRY_LAST_EARLY;
}
