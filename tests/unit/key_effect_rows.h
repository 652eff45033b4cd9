/*
 * Two values of a key and what of the results must tell them apart.
 *
 * The tables are data of test_key_effect.c; that every key has a row is checked there.
 */
#ifndef TESTS_KEY_EFFECT_ROWS_H
#define TESTS_KEY_EFFECT_ROWS_H

#include <stddef.h>

#include "scenarios/run/metrics.h"

enum effect_how {
    EXACTLY, /* the metric reads want_a and want_b, as results.csv prints it */
    RISES,   /* more with b than with a */
    FALLS,
    DIFFERS /* another random draw: neither direction is the right one */
};

struct effect {
    const char *key; /* "group.name"; "inject.WORD" with whole lines as values */
    const char *a, *b;
    enum effect_how how;
    enum metric metric;
    const char *want_a, *want_b;
    const char *base; /* the rest of the scenario */
};

/* What no metric shows: a text in packets.csv, of run a alone and of run b alone. */
struct trace_effect {
    const char *key, *a, *b;
    const char *only_a, *only_b;
    const char *base;
};

/* Offered, but no result of this version shows it.  Two values, and why there is nothing to see. */
struct no_effect {
    const char *key, *a, *b;
    const char *base, *why;
};

extern const struct effect key_effects[];
extern const size_t key_effect_count;
extern const struct effect adapter_effects[];
extern const size_t adapter_effect_count;
extern const struct effect fault_effects[];
extern const size_t fault_effect_count;
extern const struct effect inject_effects[];
extern const size_t inject_effect_count;

/* One WRITE of a single packet of 1122 bytes: payload 1024, BTH 12, RETH 16, 70 of RoCEv2. */
#define ONE_WRITE "[workload]\nop = write\nsize = 1KiB\nmessages = 1\n"
/* Selective repeat: a message of four packets without its last, which the ACK timer alone can tell. */
#define LOST_TAIL                                                                                  \
    "[qp]\nrecovery = selective-repeat\n[workload]\nop = write\nsize = 4KiB\nmessages = 1\n"         \
    "[inject]\nr = drop psn=+3 tx=1\n"
#define ONE_SEND "[workload]\nop = send\nsize = 1KiB\nmessages = 1\n"
/* Nothing is tried again: what is lost shows. */
#define ONE_CHANCE "[qp]\ntimeout = 2\nretry_cnt = 0\n"

#endif
