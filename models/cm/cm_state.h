/*
 * Inside of the connection manager: the block and what its files share.
 *
 * A connection is a record in an array; lists are indices (NONE ends them).  A record is in at most
 * one list of each kind: events to be taken, MADs to be pulled, connections waiting to begin (or
 * free ones).  What is to be sent and told are bits of the record, so neither can overflow.
 *
 * Communication ids: index + conns * generation, so that what was meant for an earlier user of the
 * record is told from what is meant for this one.
 */
#ifndef CM_CM_STATE_H
#define CM_CM_STATE_H

#include "models/cm/cm.h"
#include "sim/base/heap.h"

#define NONE UINT32_MAX
#define STRAYS 64 /* answers to MADs of no connection; when more wait, the newest are not given */

enum conn_state { C_FREE, C_WAITING, C_REQ_SENT, C_REQ_RCVD, C_REP_SENT, C_REP_RCVD, C_ESTABLISHED,
                  C_SIDR_SENT, C_DREQ_SENT, C_TIMEWAIT, C_CLOSED, C_STATES };

/* Finding a connection by what the other side calls it, or by its QP. */
enum conn_key { BY_ID, BY_QPN, CONN_KEYS };

/* Lists that a record may be in: with events, with MADs, waiting to begin or free. */
enum conn_link { LINK_EVENT, LINK_SEND, LINK_IDLE, LINKS };

enum conn_flag { CF_ACTIVE = 1, CF_TIMED_OUT = 2, CF_MRA_SENT = 4 };

struct conn {
    tm_ps begun_ps;
    uint64_t service_id, tid;
    struct cm_offer own, remote;
    struct cm_ask ask; /* active: as given; passive: what the REQ said */
    uint32_t user, peer;
    uint32_t local_id, remote_id; /* remote_id 0: not known yet */
    uint32_t next[LINKS], next_key[CONN_KEYS];
    uint16_t sends; /* 1 << enum cm_kind */
    uint16_t sent;  /* so far, likewise */
    uint16_t reason;
    uint8_t keyed; /* 1 << enum conn_key */
    uint8_t events; /* 1 << enum cm_event_kind */
    uint8_t state, flags;
    uint8_t tries_left, wait_code; /* of this side's waits */
    uint8_t rej_of;
    struct cm_mra mra; /* that was sent */
    uint8_t note[CM_NOTE_BYTES]; /* the other side's */
};

struct list {
    uint32_t first, last;
};

/* An answer that no connection stands behind. */
struct stray {
    uint64_t tid;
    uint32_t peer, local_id, remote_id;
    uint16_t reason;
    uint8_t kind, of;
    uint8_t status; /* SIDR_REP: of the service at this index, if it is valid */
    uint8_t service;
    uint64_t service_id;
};

struct stray_ring {
    struct stray item[STRAYS];
    uint32_t head, tail;
};

/* Offsets from the block's start. */
struct cm_layout {
    size_t conn, item, pos, head, end;
};

struct cm {
    struct cm_cfg cfg;
    struct cm_layout at;
    struct cm_counts counts;
    struct stray_ring stray;
    struct {
        uint64_t service_id;
        uint8_t transport;
    } listen[CM_LISTEN_MAX];
    struct {
        uint64_t service_id;
        uint32_t qpn, qkey;
    } serve[CM_LISTEN_MAX];
    struct list events, sends, waiting, free;
    uint32_t listens, serves, used; /* records touched so far */
    uint32_t running;       /* active handshakes */
    uint32_t generation, key_mask;
    uint32_t timers; /* in the heap */
    tm_ps now;
};

/* ---- cm_block.c -------------------------------------------------------------------------------- */

struct conn *cm__conn(const struct cm *cm, uint32_t index);
uint32_t cm__index(const struct cm *cm, const struct conn *c);
/* A record with a communication id of its own; NULL: all are in use. */
struct conn *cm__alloc(struct cm *cm);
/* The connection that we call so; NULL: it is none of today's. */
struct conn *cm__by_local_id(const struct cm *cm, uint32_t local_id);

/* Under the number that the other side gave; a record must be taken out before the number changes. */
void cm__key_add(struct cm *cm, struct conn *c, enum conn_key by);
void cm__key_remove(struct cm *cm, struct conn *c, enum conn_key by);
struct conn *cm__key_find(const struct cm *cm, enum conn_key by, uint32_t peer, uint32_t number);

void cm__wait(struct cm *cm, struct conn *c, tm_ps until);
void cm__wait_no_more(struct cm *cm, struct conn *c);
tm_ps cm__wait_end(const struct cm *cm, const struct conn *c); /* TM_NEVER: it does not wait */
struct conn *cm__due(const struct cm *cm, tm_ps now);          /* NULL: nobody is */

void cm__tell(struct cm *cm, struct conn *c, enum cm_event_kind what);
void cm__send(struct cm *cm, struct conn *c, enum cm_kind what);
void cm__wait_turn(struct cm *cm, struct conn *c);
struct conn *cm__next_turn(struct cm *cm); /* NULL: nobody waits */
struct conn *cm__first_event(const struct cm *cm);
struct conn *cm__first_send(const struct cm *cm);
void cm__event_taken(struct cm *cm, struct conn *c, enum cm_event_kind what);
void cm__send_taken(struct cm *cm, struct conn *c, enum cm_kind what);

/* ---- cm.c: what becomes of a connection ---------------------------------------------------------- */

/* The active handshake no longer counts: the next begins. */
void cm__handshake_over(struct cm *cm, struct conn *c, tm_ps now);
void cm__fail(struct cm *cm, struct conn *c, enum cm_reason why, tm_ps now);
void cm__to_timewait(struct cm *cm, struct conn *c, tm_ps now);
void cm__close(struct cm *cm, struct conn *c); /* at once */
void cm__established(struct cm *cm, struct conn *c);
/* Waits for an answer. */
void cm__await(struct cm *cm, struct conn *c, tm_ps now);

#endif
