/*
 * A test bed: engine, fabric, HCAs and load from literals, without a scenario file.
 *
 * Every run of a bed ends with the meters of all domains added up.
 */
#ifndef TESTS_UNIT_BED_H
#define TESTS_UNIT_BED_H

#include "models/hca/hca.h"
#include "models/load/load.h"

#define BED_ACTS_MAX 4
#define BED_RULES_MAX 4

struct bed_cfg {
    struct fab_cfg fab;
    struct hca_cfg hca;
    struct load_qp_cfg qp;
    struct load_cfg load;
    uint64_t bytes; /* the size of load.size, unless that has its own */
    uint32_t domains;
    uint64_t seed;
    tm_ps duration_ps, warmup_ps;
    bool slowdown;
    struct load_act act[BED_ACTS_MAX];
    uint32_t act_count;
    struct inject_rule rule[BED_RULES_MAX];
    uint32_t rule_count;
    void (*completed)(void *self, uint32_t host, uint32_t peer, const struct xp_wc *wc, tm_ps now);
    struct hca_tap tap;
    const struct fab_tap *fab_tap;
    void *self;
    uint32_t own_qps; /* room on each host for QPs that a test makes itself, 8 WQEs a queue */
};

struct bed {
    struct bed_cfg cfg;
    struct ev *ev;
    struct fab *fab;
    struct hca **hca;
    struct vb *vb;
    struct meter *meter;     /* one a domain */
    struct meter **meter_of; /* by host */
    uint32_t *domain_of;
    struct load *load;
    const char *why; /* load_new's */
    struct meter sum;
    struct fab_counts links;
};

/*
 * RC over a pair at 100 Gb/s and 1 us: 10 WRITEs of 4096 bytes, MTU 4096, depth 1, every one
 * signalled; timeout 14, all retry counts 7; queues of 16.
 */
struct bed_cfg bed_cfg(void);
/* The same over a star of so many hosts with a pattern. */
struct bed_cfg bed_star(uint32_t hosts, enum load_pattern pattern);

/* A rule for packets from host `from` (INJECT_ANY), of the given classes, `count` of them. */
struct inject_rule bed_rule(enum inject_action action, int32_t from, uint32_t classes,
                            uint64_t count);

struct bed *bed_new(const struct bed_cfg *cfg);
/* Until nothing is left or the duration; fills sum and links. */
void bed_run(struct bed *b);
void bed_free(struct bed *b);

/* The whole in one: what the meters hold in the end. */
struct meter bed_result(const struct bed_cfg *cfg);

/* Rows of all QP ends whose flow starts there: in all, and per host. */
uint32_t bed_flows(const struct bed *b);
uint64_t bed_posted_by(const struct bed *b, uint32_t host);

#endif
