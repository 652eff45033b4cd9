/*
 * The in-memory driver of the transport core: a few cores joined by FIFO channels in virtual time.
 *
 * It drives tests, golden traces and exploration, where the event engine, links and adapters would
 * only be in the way.  Payload is real: each end has an arena, addresses of memory regions are
 * offsets into it, bytes are gathered when a packet is pulled and placed when it arrives.
 *
 * Datagrams to a multicast group go to every end and are given to each member there.
 *
 * At one instant everything that can leave leaves first (ends in order, QPs in turn), then arrivals
 * come in by (time, order of sending), then deadlines expire: a run depends on nothing but its
 * inputs.  A loop holds no global state; loop_clone makes a second one that goes on alike.
 *
 * Left out: line rates (gap_ps is a plain pause between packets), switches, congestion, ICRC bytes.
 */
#ifndef PORT_LOOP_H
#define PORT_LOOP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "models/transport/xp.h"
#include "sim/base/rng.h"

#define LOOP_ENDS_MAX 4
#define LOOP_FAULTS_MAX 32
#define LOOP_HOLD_BYTES 4096u

struct loop_config {
    uint32_t ends;             /* 1 .. LOOP_ENDS_MAX; xp_path.host is the index of an end */
    struct xp_limits limits;   /* of each core */
    struct xp_profile profile; /* of each core */
    uint64_t seed;
    size_t arena_bytes; /* of each end */
    tm_ps delay_ps;     /* of each direction; at least 1 */
    tm_ps gap_ps;       /* least time between two packets of one end; 0: all at once */
};

/* CORRUPT is what a wrong ICRC comes to: the packet never reaches the core. */
enum loop_action { LOOP_DROP, LOOP_DUP, LOOP_DELAY, LOOP_CORRUPT, LOOP_REWRITE };

/* What happens to the n-th packet of a direction (0: its first).  Several may hit one packet. */
struct loop_fault {
    uint16_t from, to;
    uint64_t nth;
    enum loop_action action;
    tm_ps delay_ps; /* DELAY: added; DUP: the copy comes this much later */
    void (*rewrite)(struct wire_hdr *h, struct wire_ext *e);
};

/* Chances of a packet, as thresholds on 64 bits (sim/base/rng.h). */
struct loop_chance {
    uint64_t drop, dup, delay;
    tm_ps delay_max_ps; /* a delayed packet or a copy comes 1 .. this much later */
};

struct loop_direction {
    tm_ps delay_ps;
    uint64_t drop_mask; /* bit n: the n-th packet is lost, n < 64 */
    uint64_t sent;      /* packets so far */
    struct loop_chance chance;
    struct rng_stream draw;
};

enum loop_fate {
    LOOP_SENT = 0,
    LOOP_LOST = 1,
    LOOP_CORRUPTED = 2,
    LOOP_DOUBLED = 4,
    LOOP_LATE = 8,
    LOOP_REWRITTEN = 16
};

/* One pulled packet, as it left (after a rewrite). */
struct loop_record {
    tm_ps at;
    uint16_t from, to;
    uint8_t fate; /* enum loop_fate bits */
    bool retransmit, response;
    struct wire_hdr h;
    struct wire_ext e;
};

struct loop_packet {
    tm_ps at;       /* arrival */
    uint64_t order; /* breaks ties */
    uint16_t from, to;
    uint16_t group; /* or the end itself */
    uint16_t entropy;
    struct wire_hdr h;
    struct wire_ext e;
    uint8_t *payload; /* its own; NULL when there is none */
};

struct loop_end {
    void *block; /* the core's memory */
    size_t size;
    struct xp *core;
    uint8_t *arena;
    uint32_t *ready; /* QPs to pull, the next first */
    uint32_t ready_count, ready_cap;
    tm_ps free_at; /* no packet leaves before */
    uint64_t bytes_placed;
    uint8_t *hold; /* payloads of packets out of turn, LOOP_HOLD_BYTES each; NULL: limits.hold is 0 */
    size_t hold_bytes;
    struct xp_rx rx; /* what the newest arrival came to */
};

struct loop {
    tm_ps now;
    tm_ps gap_ps;
    uint32_t ends;
    size_t arena_bytes;
    struct loop_end end[LOOP_ENDS_MAX];
    struct loop_direction dir[LOOP_ENDS_MAX][LOOP_ENDS_MAX]; /* [from][to] */
    struct loop_fault fault[LOOP_FAULTS_MAX];
    uint32_t faults;
    struct loop_packet *flight; /* in order of arrival */
    uint32_t flights, flight_cap;
    uint64_t order;
    bool recording;
    struct loop_record *record;
    uint32_t records, record_cap;
};

/* NULL: the core refused the limits, or memory ran out.  The caller frees it. */
struct loop *loop_new(const struct loop_config *cfg);

/* An independent copy, records left out: it behaves from here on as the original does. */
struct loop *loop_clone(const struct loop *l);
void loop_free(struct loop *l);

/* Adds a fault to the script.  Room is CHECKed. */
void loop_script(struct loop *l, struct loop_fault f);

/* Random faults from here on, drawn from `seed`. */
void loop_set_chance(struct loop *l, uint16_t from, uint16_t to, struct loop_chance c,
                     uint64_t seed);

/*
 * Lets what is due leave; then the next arrival or deadline not after `limit` happens.  false:
 * there is none; the time stays.
 */
bool loop_step(struct loop *l, tm_ps limit);

/* All that happens up to and at t; the time is t afterwards. */
void loop_run_until(struct loop *l, tm_ps t);

/* Until nothing is left to happen (true) or the next thing would come after limit (false). */
bool loop_run_quiet(struct loop *l, tm_ps limit);

/* A record as a line: "12000 0>1 RC_SEND_ONLY psn=7", then " lost" or the like; as wire_text. */
size_t loop_record_text(const struct loop_record *r, char *out, size_t size);

#endif
