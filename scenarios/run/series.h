/*
 * series.csv (`--series T`): what happened in each interval T of a run; with --ports also
 * series_ports.csv, the same per port.
 */
#ifndef RUN_SERIES_H
#define RUN_SERIES_H

#include "scenarios/run/collect.h"

#define SERIES_ROWS_MAX UINT64_C(10000000) /* of a file */

/* Would the files stay within SERIES_ROWS_MAX?  Without a duration nobody knows yet: true. */
bool series_fits(const struct scenario *s, const struct run_options *o, struct sc_error *err);

/*
 * Runs the engine up to `until`, as one ev_run would, in steps of o->series_ps (> 0), and writes
 * the files into o->dir.  RUN_FAILED with err; unless RUN_DONE no file is left.
 */
enum run_outcome series_run(const struct world *w, tm_ps until, const struct run_options *o,
                            struct sc_error *err);

#endif
