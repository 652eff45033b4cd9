/* The transport core alone, timed: two cores joined by nothing but function calls. */
#ifndef RUN_BENCH_CORE_H
#define RUN_BENCH_CORE_H

#include "scenarios/reader/scenario.h"

/*
 * Nanoseconds of CPU for one request packet with all that it causes at both ends (its pull, its
 * receipt, its share of the ACK): `packets` request packets of the scenario's QP settings.
 * Negative if the scenario's service or operation cannot be driven so.
 */
double bench_core_ns_per_packet(const struct scenario *s, uint64_t packets);

#endif
