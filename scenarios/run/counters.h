/*
 * counters.csv (`--counters`): per host what its adapter would show, under the names of mlx5's
 * hw_counters, and beside it what really happened.
 */
#ifndef RUN_COUNTERS_H
#define RUN_COUNTERS_H

#include "scenarios/run/collect.h"

/* Writes DIR/counters.csv from a finished run, whole; false with err. */
bool counters_write(const struct world *w, const char *dir, struct sc_error *err);

#endif
