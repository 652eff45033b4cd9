/*
 * The event engine: which entity runs next, in one order that nothing can disturb.
 *
 * Key = (time, rank, entity).  An entity has at most one entry, so keys are unique and
 * need no sequence number: the order does not depend on who armed first, on stale entries
 * or on how the fabric is cut into domains.  Nothing arms at or before the key that runs.
 *
 * Domains: entities are spread over domains that meet only at links.  A window is as long
 * as the shortest such link, so domains can run a window one after the other (or side by
 * side) with the same result.
 *
 * Left out: what entities do, packets, statistics.
 */
#ifndef SIM_ENGINE_EV_H
#define SIM_ENGINE_EV_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "sim/base/tm.h"

/* Of two entries at one time the lower rank runs first. */
enum ev_rank { EV_DEPART, EV_ARRIVE, EV_TIMER, EV_LOAD };

struct ev;
typedef uint32_t ev_id; /* entity; ids are given in order of ev_add, whatever the domains */

/*
 * What an entity does when its time comes.  It returns when it wants to run next, TM_NEVER
 * for never; a time later than now (CHECKed).  During the call the entity must not arm itself.
 */
typedef tm_ps ev_fire(void *self, tm_ps now);

/* domains >= 1; entities_max bounds ev_add.  Freed by ev_free. */
struct ev *ev_new(uint32_t entities_max, uint32_t domains);
void ev_free(struct ev *ev);

ev_id ev_add(struct ev *ev, uint32_t domain, enum ev_rank rank, ev_fire *fire, void *self);

/*
 * The entity wants to run at `at`, or at the time it is already armed for if that is earlier
 * (a spurious early run is the entity's to ignore: timers move later lazily).
 * `at` must give a key after the one that runs; TM_NEVER arms nothing.
 */
void ev_arm(struct ev *ev, ev_id id, tm_ps at);

/* Forgets the entity's entry, if any.  Not for the entity that runs. */
void ev_disarm(struct ev *ev, ev_id id);

/*
 * A link between two domains: at the start of every window `drain(self)` runs in `domain`,
 * the receiving side, and takes in what the sending side left; what it arms lies in or after
 * that window.  `lookahead_ps` (> 0) = the least time from sending to arrival.
 */
void ev_add_crossing(struct ev *ev, uint32_t domain, tm_ps lookahead_ps, void (*drain)(void *self),
                     void *self);

/*
 * Runs until no entry is left at or before `until`, or *stop becomes non-zero (stop may be NULL;
 * looked at every few thousand events).  Returns false if stopped.  May be called again.
 */
bool ev_run(struct ev *ev, tm_ps until, const volatile sig_atomic_t *stop);

/* Time of the next entry, TM_NEVER if there is none.  Between calls of ev_run that returned true. */
tm_ps ev_next(const struct ev *ev);

/* Time of the last entry that ran (0 before any), and how many ran: for performance.csv alone. */
tm_ps ev_now(const struct ev *ev);
uint64_t ev_count(const struct ev *ev);

/* Domain of an entity, and how many there are. */
uint32_t ev_domains(const struct ev *ev);

#endif
