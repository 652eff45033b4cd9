/*
 * A run that shows a terminal how far it has come: a line on stderr after a second, with an estimate.
 *
 * The engine is stopped by a timer of the operating system, looked at, and goes on where it was;
 * results are the same as without.
 */
#ifndef RUN_RUN_PROGRESS_H
#define RUN_RUN_PROGRESS_H

#include <signal.h>
#include <stdbool.h>
#include <stdio.h>

#include "sim/engine/ev.h"

/* How much of the run is done, 0 .. 1; negative: it cannot be told. */
typedef double run_share(void *self);

/* Runs ev to `until`, true; or until *stop, false. */
bool run_progress(struct ev *ev, tm_ps until, const volatile sig_atomic_t *stop, run_share *share,
                  void *self);

/* The line for a share done after spent_s seconds, at `now` of simulated time; "" while it is early. */
void run_progress_text(double share, double spent_s, tm_ps now, char *out, size_t size);

#endif
