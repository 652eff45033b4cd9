/*
 * What the files of the endpoint share.
 *
 * A session's record is all that it costs while idle; windows and timers are in a block that it
 * has only while at work.  Indices are stored plus one, so that zeroed memory says "none".
 *
 * Invariants of a working session: datagrams from `una` to next_seq are unacknowledged, at
 * most `window`; bit i of `sacked` and `lost` is una + i; bit i of `held` is expected + i; a session
 * is in the ready list if it has something to send (and may be if it has not).
 */
#ifndef UDACK_STATE_H
#define UDACK_STATE_H

#include "models/udack/udack.h"
#include "sim/base/check.h"
#include "sim/base/heap.h"
#include "sim/base/psn.h"

struct ua_session {
    uint32_t peer, remote;
    uint32_t active; /* index + 1 */
    struct psn24 next_seq, expected;
    uint32_t posted, delivered; /* messages */
    uint32_t srtt_ns, rttvar_ns; /* 0: never measured */
    uint8_t incarnation;
    bool failed;
};
_Static_assert(sizeof(struct ua_session) <= 40, "memory of an idle session");

struct ua_message {
    uint64_t id;
    uint32_t session, number, bytes;
    uint32_t next; /* in its session, the list of completions or of free ones; index + 1 */
    uint8_t status; /* enum udack_status, once complete */
};

/* A datagram sent and not acknowledged. */
struct ua_sent {
    tm_ps at;          /* of its latest transmission */
    uint32_t order;    /* of that, among all of the session */
    uint32_t message;  /* index + 1 */
    uint32_t fragment;
    bool again, last;
};

struct ua_out {
    struct psn24 una;
    struct psn24 repair_end; /* while repairing: until `una` is here, order may prove more losses */
    uint64_t sacked, lost;
    uint32_t head, tail;        /* messages; index + 1 */
    uint32_t sending, fragment; /* what is new to send: message, and its next fragment */
    uint32_t order, newest;     /* of the latest transmission; of the newest that arrived */
    uint32_t order_at_timeout;
    uint32_t gaps_shown;
    tm_ps rto_at;
    uint8_t retries;
    bool went_back, repairing;
};

/* A datagram arrived and not taken. */
struct ua_arrived {
    uint32_t buffer, fragment;
    uint16_t bytes;
    bool last;
};

struct ua_in {
    uint64_t held;
    uint32_t message_bytes; /* of the message that is half here */
    tm_ps ack_at;
    uint8_t unacked;
    bool ack_now, gap, inside; /* gap: since the last acknowledgement; inside: a message */
};

struct ua_active {
    uint32_t session; /* index + 1; 0: free */
    uint32_t next;    /* in the ready list or among the free; index + 1 */
    bool ready;
    struct ua_out out;
    struct ua_in in;
};

/* Ends of a list; index + 1. */
struct ua_list {
    uint32_t head, tail;
};

/* Entries of a kind: `free` is a list (index + 1), all above `high` were never used. */
struct ua_pool {
    uint32_t high, free, used;
};

/* Where in the block what lies, in units of 8 bytes: limits may be large. */
struct ua_layout {
    uint32_t session, active, message, sent, arrived, item, pos, freed;
};

struct udack {
    struct udack_cfg cfg;
    struct udack_limits lim;
    struct udack_counts counts;
    uint32_t payload_bytes;           /* of a full datagram */
    uint32_t sent_mask, arrived_mask; /* rings of a session: sizes - 1 */
    uint32_t sessions;                /* open */
    struct ua_pool active, message;
    uint32_t heap_count;
    uint32_t taking; /* session whose pieces are to be taken; index + 1 */
    uint32_t freed_count;
    struct ua_list ready, done;
    struct ua_layout at;
};

static inline void *ua_at(const struct udack *u, uint32_t at)
{
    return (char *)(uintptr_t)u + (size_t)at * 8u;
}
static inline struct ua_session *ua_session(const struct udack *u, uint32_t s)
{
    return (struct ua_session *)ua_at(u, u->at.session) + s;
}
static inline struct ua_active *ua_active(const struct udack *u, uint32_t one_based)
{
    return (struct ua_active *)ua_at(u, u->at.active) + (one_based - 1);
}
static inline struct ua_message *ua_message(const struct udack *u, uint32_t one_based)
{
    return (struct ua_message *)ua_at(u, u->at.message) + (one_based - 1);
}
static inline struct ua_session *ua_session_of(const struct udack *u, const struct ua_active *a)
{
    return ua_session(u, a->session - 1);
}
static inline struct ua_sent *ua_sent(const struct udack *u, const struct ua_active *a,
                                      struct psn24 seq)
{
    size_t ring = (size_t)(a - ua_active(u, 1)) * (u->sent_mask + 1);
    return (struct ua_sent *)ua_at(u, u->at.sent) + ring + (seq.v & u->sent_mask);
}
static inline struct ua_arrived *ua_arrived(const struct udack *u, const struct ua_active *a,
                                            struct psn24 seq)
{
    size_t ring = (size_t)(a - ua_active(u, 1)) * (u->arrived_mask + 1);
    return (struct ua_arrived *)ua_at(u, u->at.arrived) + ring + (seq.v & u->arrived_mask);
}
static inline uint32_t ua_outstanding(const struct ua_session *s, const struct ua_active *a)
{
    return psn_span(s->next_seq, a->out.una);
}
/* Bits 0 .. n-1. */
static inline uint64_t ua_ones(uint32_t n) { return n >= 64 ? UINT64_MAX : ((uint64_t)1 << n) - 1; }
static inline uint64_t ua_shift(uint64_t bits, uint32_t n) { return n >= 64 ? 0 : bits >> n; }

/* ---- udack.c ---------------------------------------------------------------------------------- */

/* The session's working block, made if it has none; NULL: `active` are in use. */
struct ua_active *ua_wake(struct udack *u, uint32_t session);
/* After every change: ready list, timer, and the block's return when nothing is left to do. */
void ua_settle(struct udack *u, struct ua_active *a);
/* The incarnation's end: messages complete as RESET, what was held is freed. */
void ua_begin_incarnation(struct udack *u, struct ua_active *a, uint8_t incarnation);

/* ---- udack_send.c ------------------------------------------------------------------------------- */

bool ua_can_send(const struct udack *u, const struct ua_active *a);
/* What the peer says of our datagrams. */
void ua_acked(struct udack *u, struct ua_active *a, const struct udack_hdr *h, tm_ps now);
/* All messages complete: the oldest with `first`, the others with `rest`. */
void ua_give_up(struct udack *u, struct ua_active *a, enum udack_status first,
                enum udack_status rest);

/* ---- udack_timer.c ------------------------------------------------------------------------------ */

void ua_measured(struct udack *u, struct ua_session *s, tm_ps round_trip_ps);
/* Timeout without repetitions; after `retries` of them. */
tm_ps ua_rto(const struct udack *u, const struct ua_session *s);
tm_ps ua_rto_after(const struct udack *u, const struct ua_session *s, uint8_t retries);

#endif
