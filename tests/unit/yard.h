/*
 * Hosts without transport on a fabric: they send what a test tells them to, when the wire is free,
 * and write down what arrives.
 */
#ifndef TESTS_UNIT_YARD_H
#define TESTS_UNIT_YARD_H

#include "models/fabric/fab.h"

#define YARD_HOSTS_MAX 16
#define YARD_LOG_BYTES 2000

struct yard;

struct yard_host {
    struct yard *yard;
    uint32_t host;
    ev_id egress;
    struct pkt next;    /* PSN counts up, destination goes round if `spread` */
    uint64_t left;      /* packets still to send */
    uint32_t last_bytes; /* wire_bytes of the last one, 0 = as the others */
    bool spread;
    uint64_t arrived, hash; /* of what arrived and when */
    tm_ps last_at;
    struct psn24 last_psn;
    uint64_t steps_back; /* arrivals whose PSN was not after the one before */
    char log[YARD_LOG_BYTES]; /* "psn psn ", or "psn@ps " */
    size_t log_len;
};

struct yard {
    struct fab_cfg cfg;
    struct ev *ev;
    struct fab *fab;
    struct yard_host host[YARD_HOSTS_MAX];
    bool log_times;
};

/* What a test varies least. */
struct yard_opt {
    uint32_t domains; /* 0: 1 */
    uint64_t seed;
    tm_ps pre_ps, post_ps;
    const struct inject_list *rules;
    const struct fab_tap *tap;
};

/* 100 Gb/s, 1 us, no loss; hosts as said. */
struct fab_cfg yard_cfg(enum fab_topology topology, uint32_t hosts);
void yard_init(struct yard *r, const struct fab_cfg *cfg, const struct yard_opt *opt);
void yard_fini(struct yard *r);

/* A SEND_ONLY of 1000 bytes on the wire, RC, DestQP 17. */
struct pkt yard_packet(uint32_t from, uint32_t to, uint32_t psn_first);

/* The host sends `packets` copies of p, PSNs growing, from `at` on, each when the wire is free. */
void yard_blast(struct yard *r, const struct pkt *p, uint64_t packets, tm_ps at);

/* Runs to the end; counts into *out, whose balance fab_counts checks. */
void yard_run(struct yard *r, struct fab_counts *out);

#endif
