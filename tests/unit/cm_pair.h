/*
 * Two connection managers and a lossy way between them, in virtual time.
 *
 * Each end has a small table of QPs, numbered from 0x11; `user` of a connection is the index.  The
 * harness moves QPs as events say, answers REQUESTs by a policy and logs MADs and events as lines:
 * "0 A>B REQ", "1 B request 11", with times in microseconds; what is lost ends with " lost".
 * MADs are encoded and decoded on their way.
 */
#ifndef TESTS_CM_PAIR_H
#define TESTS_CM_PAIR_H

#include "models/cm/cm.h"
#include "sim/base/rng.h"

#define PAIR_QPS 64
#define PAIR_SERVICE 0x01060001u

enum pair_policy { PAIR_ACCEPT, PAIR_REJECT, PAIR_HOLD };

enum pair_qp_state { PQ_FREE, PQ_ASKED, PQ_RTR, PQ_RTS, PQ_LEFT, PQ_FAILED, PQ_CLOSED };

struct pair_qp {
    enum pair_qp_state state;
    uint32_t conn;
    bool active, ever_rts, timed_out;
    enum cm_reason reason;
    struct cm_attr attr;
};

struct pair_flight {
    tm_ps at;
    uint64_t order;
    uint32_t to;
    uint8_t bytes[CM_MAD_BYTES];
};

struct cm_pair {
    struct cm *cm[2];
    struct pair_qp qp[2][PAIR_QPS];
    uint32_t qps[2];
    enum pair_policy policy;
    uint8_t mra;          /* with HOLD: service timeout of an MRA that is sent at once; 0: none */
    uint32_t held;        /* the newest REQUEST's connection */
    bool slow_active;     /* the active side does not confirm by itself */
    tm_ps delay_ps, now;
    /* bit n: the n-th MAD is lost, comes twice, comes late_ps later */
    uint64_t drop_mask, dup_mask, late_mask;
    uint64_t drop, dup, late; /* chances; late: up to late_ps more */
    tm_ps late_ps;
    struct rng_stream draw;
    struct pair_flight flight[1024];
    uint32_t flights;
    uint64_t sent;
    bool quiet; /* no log */
    char log[8192];
};

/* The same configuration for both but for `handshakes`, which is A's.  Responder depths 4, 16. */
struct cm_pair *pair_new(const struct cm_cfg *cfg);
void pair_free(struct cm_pair *p);
/* A configuration: timeout code 4 (65.536 us), 2 retries, TIMEWAIT 1 ms, 32 connections. */
struct cm_cfg pair_cfg(void);

/* End `from` connects its next QP with the other end; returns the QP's index. */
uint32_t pair_connect(struct cm_pair *p, uint32_t from);
void pair_accept(struct cm_pair *p, uint32_t end, uint32_t conn);
/* Sends what waits, then lets all happen up to t. */
void pair_run(struct cm_pair *p, tm_ps until);
/* What waits at both ends. */
void pair_settle(struct cm_pair *p);
/* The log since the last call. */
const char *pair_log(struct cm_pair *p);

#endif
