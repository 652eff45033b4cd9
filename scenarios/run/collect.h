/* From a finished run's counts to its metrics. */
#ifndef RUN_COLLECT_H
#define RUN_COLLECT_H

#include "scenarios/run/world.h"

struct observe;

/* The parts of a run; internal to world.c, collect.c and observe.c. */
struct world {
    uint32_t hosts, domains;
    uint64_t seed;
    bool quiet;              /* runs until no event is left */
    struct ev *ev;
    struct fab *fab;
    struct hca **hca;        /* by host */
    struct vb *vb;           /* by host */
    struct meter *meter;     /* by domain */
    struct meter **meter_of_host;
    uint32_t *domain_of_host;
    struct load *load;
    struct observe *observe;
};

/* Fills every metric of the table; METRIC_NONE where there was nothing to measure. */
void collect_metrics(const struct world *w, const struct scenario *s, struct metrics *m);

/* Packets that end points handled: sent plus received. */
uint64_t collect_endpoint_packets(const struct world *w);

#endif
