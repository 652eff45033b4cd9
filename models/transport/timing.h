/*
 * Where adapters' retransmission timers differ from the specification's.  Part of xp.h, which includes it.
 *
 * M is the larger of 4.096 us * 2^timeout and the profile's timer_floor_ps; the ACK timer's interval is
 * factor * M.  Two things may come before the first interval, from the last progress on:
 *
 * - early retransmissions, at the times of a ladder.  It goes on while the step to its next rung is at most
 *   M.  All of them together use up one unit of retry_cnt, at the last rung that is climbed; the timer then runs
 *   for the next step, an interval at most, and for whole intervals from there on.  The QP fails with the
 *   retry_cnt-th unit (without a ladder: with one more).
 * - one silent expiry, at a random point, which sends nothing and uses up nothing.
 */
#ifndef XP_TIMING_H
#define XP_TIMING_H

#include <stdint.h>

#include "sim/base/tm.h"

struct xp_timing {
    uint32_t factor; /* 1 and up */
    struct xp_first {
        uint32_t low_milli,
            high_milli; /* the silent expiry, in thousandths of an interval; 0: none */
    } first;
    tm_ps rnr_slack_ps; /* the wait that an RNR NAK asks for is this much longer */
    uint32_t sge_packets; /* of a send that leaves its region: on the wire before that is found */
    tm_ps tick_ps;      /* timers fire on ticks of a clock this coarse; 0: at once */
};

#define XP_RUNGS_MAX 12u
struct xp_ladder {
    uint32_t rungs;            /* 0: none */
    tm_ps at_ps[XP_RUNGS_MAX]; /* ascending, from the last progress on */
};

struct xp_profile;
/* The least time after which the ACK timer of a QP with this timeout (1 .. 31) fires. */
tm_ps xp_timer_least(const struct xp_profile *p, unsigned timeout);

#endif
