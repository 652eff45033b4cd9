/*
 * One run and its folder: resolve, run, write.
 */
#ifndef RUN_ONE_RUN_H
#define RUN_ONE_RUN_H

#include "scenarios/run/world.h"

struct one_run {
    const struct sc_file *file;
    const struct sc_override *ov; /* the seed of this run is among them */
    uint32_t ovs;
    const char *manifest;       /* text for manifest.ini */
    const char *dir;            /* exists */
    struct run_options options; /* seed and dir are set by one_run */
};

/*
 * Runs and writes manifest.ini, inject.csv, performance.csv, buckets.csv (if asked for) and, last,
 * summary.csv.  An old summary.csv is removed first.  RUN_FAILED with a message in err.
 */
enum run_outcome one_run(const struct one_run *r, struct metrics *m, struct run_performance *perf,
                         struct sc_error *err);

#endif
