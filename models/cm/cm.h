/*
 * Connection management: the state machine of one host, for many connections at once.
 *
 * Like the transport core it is pure: MADs and time go in, MADs and events are pulled out.  It calls
 * nobody, allocates nothing and moves no QP: it says when a QP must be moved, and with which
 * attributes.  All state is one block without pointers: memcpy makes a second, independent one.
 *
 * Order of use: cm_size, cm_init, cm_listen; then, for ever:
 *   MAD in -> cm_recv      deadline -> cm_expire      what happened -> cm_take_event until it is empty
 *   MADs to send -> cm_pull until it is empty, after the events: a REP must not leave before its QP
 *   is ready.
 * Active side:  cm_connect; TO_RTR, TO_RTS; cm_confirm (the RTU goes).
 * Passive side: REQUEST; cm_accept, cm_reject or first cm_delay (MRA); TO_RTR (the REP goes); TO_RTS
 *   with the RTU, or with cm_comm_est when the first data was there before it.
 * Either side:  cm_disconnect, or DISCONNECTED; then TIMEWAIT.
 * Every connection ends with CLOSED: its QP number may be used again only then.
 *
 * Datagrams need no connection, only a QP's number and Q_Key: cm_resolve asks for them (SIDR), and
 * RESOLVED brings them; cm_serve says what is answered.
 *
 * IBA chapters 12.9 and 12.11.  Left out: LAP and APR, several ports, RD.
 */
#ifndef CM_CM_H
#define CM_CM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "models/cm/mad.h"
#include "sim/base/tm.h"

struct cm;

#define CM_LISTEN_MAX 4
#define CM_NOTE_BYTES 16 /* of private data that this model carries, in REQ and REP */

/* 4.096 us * 2^code. */
static inline tm_ps cm_wait_ps(unsigned code) { return (tm_ps)4096000 << (code & 31u); }

/* Fixed for life. */
struct cm_cfg {
    uint32_t conns;      /* connections at once, those in TIMEWAIT included; 1 .. 2^24 */
    uint32_t handshakes; /* active ones at once, the others wait in order; 0: no limit */
    uint8_t timeout;     /* code of the wait for every answer; proposed to the other side too */
    uint8_t retries;     /* times that a REQ, REP or DREQ is sent again, 0 .. 15 */
    uint64_t guid;
    tm_ps timewait_ps;
};

enum cm_err { CM_OK = 0, CM_EINVAL = -1, CM_ENOMEM = -2, CM_ESTATE = -3 };

/* Bytes of a block; 0: a limit is out of range. */
size_t cm_size(const struct cm_cfg *cfg);
/* Zeroed memory of cm_size bytes, 8-byte aligned, becomes a CM.  seed: where its numbers start. */
struct cm *cm_init(void *block, size_t size, const struct cm_cfg *cfg, uint64_t seed);

/* REQs for this service are presented; others are rejected.  CM_ENOMEM: CM_LISTEN_MAX are there. */
int cm_listen(struct cm *cm, uint64_t service_id, enum cm_transport transport);

/* What a side brings along for its QP. */
struct cm_own {
    uint32_t user; /* comes back in events */
    uint32_t qpn, psn;
    uint8_t responder_resources, initiator_depth; /* at most */
    uint8_t rnr_retry;
    uint8_t note[CM_NOTE_BYTES]; /* private data */
};

/* What the active side decides for both. */
struct cm_ask {
    uint32_t peer; /* host */
    uint64_t service_id;
    uint8_t transport; /* enum cm_transport */
    uint8_t mtu;       /* 1 .. 5 */
    uint8_t timeout;   /* of the QP, code */
    uint8_t retry_cnt;
    struct cm_own own;
};

/* Starts a connection, or puts it behind those that have not begun.  *conn names it until CLOSED. */
int cm_connect(struct cm *cm, const struct cm_ask *ask, tm_ps now, uint32_t *conn);

/*
 * The answers to REQUEST; cm_reject also to TO_RTR and TO_RTS on the active side.  CM_ESTATE: the
 * connection is no longer one that can be answered so.
 */
int cm_accept(struct cm *cm, uint32_t conn, const struct cm_own *own, tm_ps now);
int cm_reject(struct cm *cm, uint32_t conn, enum cm_reason why, tm_ps now);
/* After REQUEST or, on the active side, TO_RTS: an MRA tells the other side to wait that long. */
int cm_delay(struct cm *cm, uint32_t conn, uint8_t service_timeout, tm_ps now);

/* The active side's QP is in RTS: the connection is established, the RTU goes. */
int cm_confirm(struct cm *cm, uint32_t conn, tm_ps now);
/* Data came to the passive side's QP before the RTU (IBV_EVENT_COMM_EST).  CM_ESTATE: known already. */
int cm_comm_est(struct cm *cm, uint32_t conn, tm_ps now);
/* Sends a DREQ.  The QP takes no more packets from now on. */
int cm_disconnect(struct cm *cm, uint32_t conn, tm_ps now);

/* SIDR_REQs for this service are answered with this QP.  CM_ENOMEM: CM_LISTEN_MAX are there. */
int cm_serve(struct cm *cm, uint64_t service_id, uint32_t qpn, uint32_t qkey);
/* Asks `peer` for the service's QP: RESOLVED or FAILED, then CLOSED. */
int cm_resolve(struct cm *cm, uint32_t peer, uint64_t service_id, uint32_t user, tm_ps now,
               uint32_t *conn);

/* A MAD arrived from that host. */
void cm_recv(struct cm *cm, uint32_t from, const struct cm_mad *m, tm_ps now);

struct cm_tx {
    uint32_t peer;
    bool again; /* the same MAD has been sent before */
    struct cm_mad mad;
};
/* The next MAD to send; false: none. */
bool cm_pull(struct cm *cm, struct cm_tx *out);

/* Is there something to take or to pull? */
bool cm_is_busy(const struct cm *cm);

/* When cm_expire has to be called; TM_NEVER: nothing waits. */
tm_ps cm_deadline(const struct cm *cm);
void cm_expire(struct cm *cm, tm_ps now);

/* In the order in which those of one connection come. */
enum cm_event_kind {
    CM_EV_REQUEST,      /* note and service_id are the REQ's */
    CM_EV_TO_RTR,       /* move the QP to RTR with attr */
    CM_EV_TO_RTS,       /* and to RTS */
    CM_EV_RESOLVED,     /* attr.dest_qpn and qkey */
    CM_EV_DISCONNECTED, /* by the other side: the QP takes no more packets */
    CM_EV_FAILED,       /* reason; ours if `timed_out` */
    CM_EV_CLOSED,       /* TIMEWAIT, if there was one, is over */
    CM_EVENTS
};

/* Attributes of this side's QP, where both have been heard. */
struct cm_attr {
    uint32_t peer, dest_qpn;
    uint32_t rq_psn, sq_psn;
    uint8_t mtu; /* 1 .. 5 */
    uint8_t timeout, retry_cnt, rnr_retry;
    uint8_t max_rd_atomic, max_dest_rd_atomic;
};

/* Of a connection whose other side is known; false: there is none of that number. */
bool cm_attributes(const struct cm *cm, uint32_t conn, struct cm_attr *out);

struct cm_event {
    enum cm_event_kind kind;
    uint32_t conn, user; /* user: 0 before cm_accept */
    bool active;
    bool timed_out;
    enum cm_reason reason;
    uint64_t service_id;
    uint8_t note[CM_NOTE_BYTES]; /* of the other side */
    tm_ps begun_ps;              /* cm_connect, or the REQ's arrival */
    uint32_t qkey;
    struct cm_attr attr;
};
/* The oldest event; false: none.  After CLOSED the connection's number is free. */
bool cm_take_event(struct cm *cm, struct cm_event *out);

struct cm_counts {
    uint64_t sent[CM_KINDS], again[CM_KINDS]; /* again: of those sent, repetitions */
    uint64_t received[CM_KINDS];
    uint64_t stray; /* received and of no connection here, or not to be expected in its state */
    uint64_t established, failed;
};
const struct cm_counts *cm_counts(const struct cm *cm);

#endif
