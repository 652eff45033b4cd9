/*
 * All points and repetitions of a scenario, in worker processes: `sweep`, and `check` underneath.
 *
 * Each run has its folder points/NNNN/rR; results.csv (and buckets.csv, inject.csv) are joined from
 * the folders in order at the end, so they do not depend on which worker did what when.
 */
#ifndef RUN_SWEEP_RUN_H
#define RUN_SWEEP_RUN_H

#include <signal.h>

#include "scenarios/reader/scenario.h"

struct sweep_request {
    const struct sc_file *file;
    const struct sc_override *extra; /* --set, --seed */
    uint32_t extras;
    const char *stem, *dir;
    uint32_t workers, domains;
    bool check;  /* [check] applies */
    bool completions, trace; /* every run also writes completions.csv, packets.csv */
    bool resume; /* keep runs that are whole and have the same manifest */
    bool silent; /* no progress line */
    const volatile sig_atomic_t *stop;
};

struct sweep_report {
    uint32_t runs, points;
    uint32_t done, kept, failed; /* kept: by resume */
    bool stopped;
};

/*
 * Runs; failures of single runs are named on stderr with point and seed, the others go on.
 * Exit code: 0 all done, 2 mistake in the scenario or foreign folder, 3 something failed or was
 * stopped; err has the message for what is not a single run's.
 */
int sweep_run(const struct sweep_request *q, struct sweep_report *report, struct sc_error *err);

#endif
