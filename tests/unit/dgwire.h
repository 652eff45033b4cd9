/*
 * Hosts joined by a wire for datagrams alone: a delay, a rate, losses by a number, buffers that run
 * out.  With it a load runs over acknowledged datagrams without any adapter.
 */
#ifndef TESTS_UNIT_DGWIRE_H
#define TESTS_UNIT_DGWIRE_H

#include "models/load/load.h"
#include "models/load/sessions.h"
#include "sim/base/rng.h"
#include "sim/engine/ev.h"

enum { DGWIRE_HOSTS = 8, DGWIRE_FLIGHTS = 8192 };

struct dgwire_cfg {
    struct load_qp_cfg qp;
    struct load_cfg load;
    uint32_t hosts;
    uint64_t bytes;   /* of a message, unless load.size says */
    tm_ps delay_ps;   /* between any two hosts */
    tm_ps slot_ps;    /* a host sends one datagram each */
    uint32_t loss_per_mille;
    uint64_t drop;    /* bit n: the n-th datagram sent is lost */
    struct load_act act;
    uint32_t act_count;
};

struct dgwire;
struct dgwire_host {
    struct dgwire *wire;
    uint32_t id;
    tm_ps free_ps;
    struct datagram got[DGWIRE_FLIGHTS]; /* arrived, not taken */
    uint32_t got_head, got_count;
    ev_id arrivals;
    struct dgwire_flight {
        tm_ps at;
        struct datagram d;
    } flight[DGWIRE_FLIGHTS]; /* towards this host, in order of arrival */
    uint32_t flight_head, flight_count;
    uint64_t no_buffer;
};

struct dgwire {
    struct dgwire_cfg cfg;
    struct ev *ev;
    struct dgwire_host host[DGWIRE_HOSTS];
    struct datagram_port port[DGWIRE_HOSTS];
    struct vb vb[DGWIRE_HOSTS];
    struct meter meter, *meter_of[DGWIRE_HOSTS];
    uint32_t domain[DGWIRE_HOSTS];
    struct rng_stream luck;
    struct load *load;
    const char *why;
    uint32_t sent;
};

/* A pair: 10 SENDs of 4000 bytes at depth 1, MTU 1016, 1 us, 100 ns a datagram; udack as udbed_cfg. */
struct dgwire_cfg dgwire_cfg(void);
struct dgwire *dgwire_new(const struct dgwire_cfg *cfg);
void dgwire_run(struct dgwire *w, tm_ps until);
void dgwire_free(struct dgwire *w);

#endif
