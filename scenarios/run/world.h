/*
 * One run: a scenario becomes engine, fabric, HCAs and load; runs; becomes metrics.
 */
#ifndef RUN_WORLD_H
#define RUN_WORLD_H

#include <signal.h>

#include "scenarios/reader/scenario.h"
#include "scenarios/run/metrics.h"

struct run_options {
    uint64_t seed;           /* of this repetition */
    uint32_t domains;        /* >= 1 */
    const char *dir;         /* where files on request go; NULL: none are written */
    bool completions;
    bool messages, qps, trace, ports, counters;
    const char *pcap;        /* where a capture goes (capture.h); NULL: none is taken.  One domain */
    tm_ps series_ps;         /* interval of series.csv; 0: none */
    bool progress;           /* a terminal wants to see how far the run is */
    const volatile sig_atomic_t *stop;
};

/* Wall clock and machine: performance.csv alone. */
struct run_performance {
    double wall_s, user_s;
    uint64_t events, packet_hops, endpoint_packets, peak_rss_bytes;
    double run_user_s;       /* CPU time inside ev_run alone */
    uint64_t built_rss_bytes; /* resident when all was connected and nothing had run */
};

enum run_outcome { RUN_DONE, RUN_STOPPED, RUN_FAILED };

/* Runs s; err says why on RUN_FAILED (a pool ran out, a file could not be written, a balance failed). */
enum run_outcome run_scenario(const struct scenario *s, const struct run_options *o, struct metrics *m,
                              uint64_t *inject_fired, struct run_performance *perf,
                              struct sc_error *err);

#endif
