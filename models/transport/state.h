/*
 * The core's state: one block without pointers, made of a header (struct xp) and pools.
 *
 * A pool hands out indices from 1; 0 means none, so zeroed memory is a valid empty core and
 * nothing needs an initialising loop.  A fresh entry comes from the high-water mark, a returned
 * one from a LIFO list threaded through its first four bytes.
 *
 * An idle QP is struct xp_qp alone, one cache line.  What only a QP with work needs (struct
 * xp_active) is taken at the first need and returned as soon as the QP is quiet; attributes that
 * many QPs share are interned (struct xp_attrs).  Between calls, for each active QP:
 *     una <= cursor <= sent_end <= next_psn   on the PSN circle.
 */
#ifndef XP_STATE_H
#define XP_STATE_H

#include "models/transport/remedy.h"
#include "models/transport/xp.h"
#include "sim/base/check.h"
#include "sim/base/heap.h"
#include "sim/base/psn.h"

enum xp_pool_id {
    POOL_QP,
    POOL_CQ,
    POOL_MR,
    POOL_SEND_WQE,
    POOL_RECV_WQE,
    POOL_CQE,
    POOL_ACTIVE,
    POOL_ANSWER,
    POOL_ATTR_SET,
    POOL_RESOURCE,
    POOL_SRQ,
    POOL_MCAST,
    POOL_SGE,
    POOL_HOLD,
    POOLS
};

struct xp_pool {
    uint64_t at;     /* offset of entry 0 in the block */
    uint32_t stride; /* bytes per entry */
    uint32_t cap;    /* highest index */
    uint32_t high;   /* highest index ever handed out */
    uint32_t free;   /* newest returned entry */
    uint32_t used;
};

/* QP numbers 0 and 1 belong to the management QPs. */
#define XP_FIRST_QPN 2u

/*
 * Answers that wait on one connection before acknowledgements melt even without coalescing, and what
 * cannot melt is left to the requester's timer.  READs, atomics and the NAK that ends the connection
 * come on top.
 */
#define XP_ANSWERS_MAX 64u

#define XP_MESSAGE_MAX (1u << 31)
#define XP_ATOMIC_BYTES 8u
#define XP_GRH_BYTES 40u

/* PSNs that may be outstanding, and that one READ may take: together less than half the circle. */
#define XP_PSNS_MAX (1u << 22)

/* What both ends of a connection must agree on; outlives every message. */
struct xp_conn {
    struct psn24 next_psn; /* of the next request to begin */
    struct psn24 epsn;     /* expected from the peer */
    uint32_t msn;
    uint32_t dest_qp;
    struct xp_path path;
};

enum xp_qp_flag { QP_USED = 1, QP_COMM_EST = 2, QP_DRAINING = 4 };

/* Where a QP stands in the driver's eyes. */
enum xp_wake { WAKE_ASLEEP, WAKE_LISTED, WAKE_NAMED };

struct xp_qp {
    _Alignas(64) struct xp_conn conn;
    uint32_t attr;   /* POOL_ATTR_SET */
    uint32_t active; /* POOL_ACTIVE, 0: quiet */
    uint32_t recv_head, recv_tail, recv_count;
    uint32_t timer_draws; /* randomised timeouts so far */
    uint32_t kept;        /* newest READ or atomic kept to be repeated, in a ring: its next is the oldest */
    struct psn24 acked;   /* newest SEND, WRITE or atomic packet executed */
    uint8_t state;        /* enum xp_state */
    uint8_t service;      /* enum xp_service_id */
    uint8_t wake;         /* enum xp_wake; survives destruction: it is the driver's view */
    uint8_t flags;        /* enum xp_qp_flag */
};
_Static_assert(sizeof(struct xp_qp) == 64, "an idle QP is one cache line");

/* Attributes of a QP that others are likely to share.  No padding: compared as bytes. */
struct xp_attrs {
    uint32_t pd, send_cq, recv_cq;
    uint32_t sq_depth, rq_depth;
    uint32_t access;
    uint32_t qkey;
    uint16_t pkey;
    uint8_t mtu_shift;
    uint8_t port;
    uint8_t timeout;
    uint8_t retry_cnt, rnr_retry;
    uint8_t min_rnr_timer;
    uint8_t max_rd_atomic, max_dest_rd_atomic;
    uint8_t max_send_sge, max_recv_sge;
    uint32_t srq, xrcd;
    uint32_t max_inline_data;
    uint32_t rdd;
};
_Static_assert(sizeof(struct xp_attrs) == 56, "attributes are compared as bytes");

struct xp_attr_set {
    uint32_t next; /* in the bucket; first: the free list's link too */
    uint32_t refs;
    struct xp_attrs a;
};

/* A flag of the core's own in struct xp_send_wqe, beside enum xp_wr_flag. */
#define WQE_LIST 0x80u

/*
 * With two or more segments (WQE_LIST), lkey is the first of a list of POOL_SGE and addr unused; the
 * length is the sum in any case.
 */
struct xp_send_wqe {
    uint32_t next;
    struct psn24 first_psn; /* once begun */
    uint64_t wr_id, addr, remote_addr, tag;
    uint32_t length, lkey, rkey, imm, msgno;
    uint8_t op, flags;
    bool begun; /* has its PSNs */
};
_Static_assert(sizeof(struct xp_send_wqe) == 64, "a send WQE is one cache line");

/* What few sends have; beside the WQE, so that the others do not touch it. */
struct xp_send_ext {
    uint64_t swap_or_add, compare;
    struct xp_path path;
    uint32_t remote_qpn, remote_qkey;
    uint32_t srqn;
    uint32_t eecn;
    uint32_t pd; /* with a context: of the QP that has lent it */
};

struct xp_recv_wqe {
    uint32_t next;
    uint32_t length;
    uint64_t wr_id, addr;
    uint32_t lkey;
    bool list; /* as WQE_LIST */
};

/* One segment of a request that has more than one; none is empty. */
struct xp_sge_item {
    uint32_t next;
    struct xp_sge sge;
};

struct xp_srq {
    uint32_t next; /* free list */
    uint32_t head, tail, count, depth, limit;
    uint32_t pd, cq, xrcd;
    uint32_t users;   /* QPs attached, messages that have taken a receive */
    uint32_t max_sge; /* of a receive */
    bool used;
};

/* A QP in a multicast group. */
struct xp_mcast {
    uint32_t next;
    uint32_t qpn;
    uint16_t group;
};

struct xp_cqe {
    uint32_t next;
    struct xp_wc wc;
};

struct xp_cq {
    uint32_t head, tail, count;
    uint32_t depth;     /* 0: there is no such CQ */
    bool overrun;       /* for good: nothing enters any more */
    bool overrun_fresh; /* its QPs have still to be failed */
};

/* A right that regions have and windows have not. */
#define XP_LOCAL_READ (1u << 31)

enum xp_region_kind { REGION_MR, REGION_MW1, REGION_MW2 };

/* A region or a window. */
struct xp_mr {
    _Alignas(64) uint32_t next; /* free list */
    uint32_t key;               /* whole key while valid; its low byte survives removal */
    uint32_t pd;
    uint32_t access;
    uint64_t addr, len, tag;
    bool valid;      /* the key may be used; windows: bound */
    uint8_t kind;    /* enum xp_region_kind */
    uint8_t newest;  /* type 1: low byte of the newest key handed out */
    uint32_t parent; /* windows: the region they are bound to, POOL_MR */
    uint32_t bound;  /* regions: windows bound to it */
    uint32_t qpn;    /* the only QP that may use it; 0: all of the PD */
};
_Static_assert(sizeof(struct xp_mr) == 64, "a region is one cache line");

/* End-to-end credits of one QP's requester; used only where the profile has them. */
struct xp_credit {
    uint32_t ssn; /* sends begun */
    uint32_t lsn; /* the newest that the responder has a receive for */
    bool limited; /* by lsn */
};

/* A READ or an atomic that has been executed, kept to be answered again. */
struct xp_resource {
    uint32_t next;
    struct psn24 first_psn;
    uint64_t va;
    uint64_t original; /* atomics */
    uint32_t rkey, length;
    uint32_t count; /* in the newest: how many are kept */
    uint8_t op;     /* enum wire_op */
};

/* A packet that came before its turn; the driver keeps its payload. */
struct xp_hold {
    uint32_t next;
    bool has_ext;
    struct wire_hdr h;
    struct wire_ext e;
};

/* Such packets, by PSN: POOL_HOLD. */
struct xp_held {
    uint32_t head, tail;
};

/* What a requester of a selective service knows beyond `una`, by place of its active entry. */
struct xp_sack {
    uint64_t got[XP_SACK_MAX / 64]; /* by PSN modulo XP_SACK_MAX: it is at the other end */
    uint64_t come[XP_SACK_MAX / 64]; /* as those: this response is here, in `held` */
    struct xp_held held;
    struct psn24 next, lost_end;    /* what lies between and has not been got is sent again */
    struct psn24 missed;            /* responses from `next` to here that have not come are asked for again */
    struct psn24 recover;           /* acknowledged up to here: nothing is missing any more */
    struct psn24 acked;             /* acknowledged up to here, but for a READ or atomic before it */
    bool on;                        /* something is */
    bool forced, extended; /* the oldest is sent again anyway; the ACK timer runs on to its long interval */
    tm_ps rto_high_ps;              /* the long interval of the timer that runs */
};

enum xp_answer_kind { XP_ANSWER_ACK, XP_ANSWER_READ, XP_ANSWER_ATOMIC };

/* An answer that waits to leave: one packet, or the rest of the responses of a READ. */
struct xp_answer {
    uint32_t next;
    struct psn24 psn; /* of the next packet */
    uint64_t value;   /* READ: address of the next byte; atomic: the original */
    uint32_t length;  /* READ: bytes to go */
    uint32_t rkey, pd;
    uint32_t msn;
    uint32_t qpn; /* READ: whose rights it has */
    uint32_t to;  /* of a context: the QP that asked */
    uint8_t syndrome;
    uint8_t kind;   /* enum xp_answer_kind */
    bool starts;    /* READ: its next packet is a FIRST or an ONLY */
    bool repeated;  /* answers a duplicate */
};

/* FAULT: the send at the head has failed; its completion is due. */
enum xp_timer { TIMER_OFF, TIMER_ACK, TIMER_RNR, TIMER_FAULT };

struct xp_requester {
    uint32_t head, tail, count; /* send queue, oldest unfinished first */
    uint32_t cur;               /* WQE of the next packet; 0: all are sent */
    struct psn24 una;           /* oldest unacknowledged PSN */
    struct psn24 cursor;        /* PSN of the next packet */
    struct psn24 sent_end;      /* one past the newest PSN ever sent */
    uint32_t until_ackreq;      /* packets of this message up to the next AckReq */
    tm_ps deadline;             /* of the timer that runs */
    tm_ps rnr_until, ack_due;   /* with TIMER_RNR: end of the wait; the ACK timer beside it */
    uint8_t timer;              /* enum xp_timer */
    uint8_t retry_left, rnr_left, rung; /* rung: see early.c */
    uint8_t fault, status; /* of TIMER_FAULT: enum xp_fault, xp_status; fault stays for the completion */
    bool nak_seen; /* a sequence NAK for `una` has started a retry already */
    bool resumed;  /* a READ has been asked for again from `resume` */
    uint8_t rd_count;     /* READs and atomics begun and not done */
    uint32_t rd_first;    /* the oldest of them */
    struct psn24 resume;
    bool faulty;   /* `cur` cannot be sent: fails once it is the oldest */
};

/* A message of which some packets have been executed. */
struct xp_msg {
    uint64_t va;
    uint32_t received, total; /* bytes; total: the RETH's */
    uint32_t rkey;
    uint32_t recv; /* receive WQE; stays in its queue until the message ends */
    uint32_t srq;  /* unless it has been taken from this one */
    uint32_t to;   /* of a context: the QP that it is for */
    uint8_t cls;   /* enum wire_class */
    bool open;
    bool handed;   /* `recv` has left the queue of `to` */
    struct psn24 first_psn;
};

struct xp_responder {
    struct xp_msg msg;
    uint16_t rd_waiting; /* READs and atomics accepted whose answer has not left */
    bool silent; /* a NAK or RNR NAK went out: no further one until ePSN arrives */
    struct xp_held held;
};

enum turn_phase { TURN_NONE, TURN_LINED_UP, TURN_LENT, TURN_SUSPENDED };

/* An RD QP's oldest send on its way. */
struct xp_turn {
    uint32_t eecn; /* the context that it has gone to */
    uint32_t next; /* in line there: a QPN */
    uint32_t lent; /* the send that is there */
    uint8_t phase; /* enum turn_phase */
    bool started;  /* it had begun, before it was suspended */
    bool in_doubt; /* suspended by an RNR NAK that may have been overtaken: RESYNC will tell */
    uint32_t msn;  /* of that NAK */
};

/* What an EE context carries. */
struct xp_carrier {
    uint32_t first, last; /* QPNs in line */
    uint32_t owner;       /* QPN whose message is on its way, or was given up */
    uint32_t msn;         /* of the newest answer */
    bool held;            /* in the middle of an entry point's work */
};

struct xp_active {
    uint32_t qpn;
    uint32_t woken_prev, woken_next;
    uint32_t answer_head, answer_tail, answer_count;
    struct xp_requester req;
    struct xp_responder resp;
    struct xp_turn turn;       /* RD QPs */
    struct xp_carrier carrier; /* EE contexts */
};

#define XP_EVENTS 64u
#define XP_NOTES 256u

struct xp_event_ring {
    uint32_t first, count, qpn[XP_EVENTS];
    uint8_t kind[XP_EVENTS]; /* enum xp_event_kind */
};

/* Offsets of what is not a pool. */
struct xp_layout {
    uint64_t send_ext, credit, sack, heap_item, heap_pos, qp_counts, notes, buckets, size;
};

struct xp {
    struct xp_pool pool[POOLS];
    struct xp_layout at;
    struct xp_profile profile;
    struct xp_counts counts;
    uint64_t seed;
    tm_ps now;
    uint32_t ackreq_every; /* never more than the window: one AckReq is always on its way */
    uint32_t heap_count;
    uint32_t timers; /* that run; the heap may hold entries of others still */
    uint32_t bucket_mask;
    uint32_t woken_head, woken_tail;
    uint32_t windows;     /* allocated */
    uint32_t bound_to_qp; /* windows that one QP alone may use */
    uint32_t mcast_head;
    uint32_t ready_held; /* QPN whose oldest held packet has its turn; 0: none */
    uint32_t note_first, note_count;
    uint8_t exhausted; /* 1 + enum xp_pool_id */
    bool notes_on;
    bool cq_overrun; /* some CQ has overrun_fresh */
    struct xp_event_ring events;
    struct remedy remedy[XP_SERVICES][V_COUNT];
    struct answer_remedy answers[XP_SERVICES][ANSWER_KINDS];
};
_Static_assert(sizeof(struct xp) <= 4096, "xp_init touches one page");

static inline void *xp__base(const struct xp *x, uint64_t at)
{
    return (void *)((uintptr_t)x + at);
}
static inline struct xp_qp *xp__qp(const struct xp *x, uint32_t i)
{
    return (struct xp_qp *)xp__base(x, x->pool[POOL_QP].at) + i;
}
static inline struct xp_cq *xp__cq(const struct xp *x, uint32_t i)
{
    return (struct xp_cq *)xp__base(x, x->pool[POOL_CQ].at) + i;
}
static inline bool xp__is_cq(const struct xp *x, uint32_t i)
{
    return i && i <= x->pool[POOL_CQ].high && xp__cq(x, i)->depth;
}
static inline struct xp_mr *xp__mr(const struct xp *x, uint32_t i)
{
    return (struct xp_mr *)xp__base(x, x->pool[POOL_MR].at) + i;
}
static inline struct xp_send_wqe *xp__send(const struct xp *x, uint32_t i)
{
    return (struct xp_send_wqe *)xp__base(x, x->pool[POOL_SEND_WQE].at) + i;
}
static inline struct xp_send_ext *xp__send_ext(const struct xp *x, uint32_t i)
{
    return (struct xp_send_ext *)xp__base(x, x->at.send_ext) + i;
}
static inline struct xp_resource *xp__resource(const struct xp *x, uint32_t i)
{
    return (struct xp_resource *)xp__base(x, x->pool[POOL_RESOURCE].at) + i;
}
static inline struct xp_recv_wqe *xp__recv(const struct xp *x, uint32_t i)
{
    return (struct xp_recv_wqe *)xp__base(x, x->pool[POOL_RECV_WQE].at) + i;
}
static inline struct xp_sge_item *xp__sge(const struct xp *x, uint32_t i)
{
    return (struct xp_sge_item *)xp__base(x, x->pool[POOL_SGE].at) + i;
}
static inline struct xp_srq *xp__srq(const struct xp *x, uint32_t i)
{
    return (struct xp_srq *)xp__base(x, x->pool[POOL_SRQ].at) + i;
}
static inline struct xp_mcast *xp__mcast(const struct xp *x, uint32_t i)
{
    return (struct xp_mcast *)xp__base(x, x->pool[POOL_MCAST].at) + i;
}
static inline struct xp_cqe *xp__cqe(const struct xp *x, uint32_t i)
{
    return (struct xp_cqe *)xp__base(x, x->pool[POOL_CQE].at) + i;
}
static inline struct xp_active *xp__active(const struct xp *x, uint32_t i)
{
    return (struct xp_active *)xp__base(x, x->pool[POOL_ACTIVE].at) + i;
}
static inline struct xp_answer *xp__answer(const struct xp *x, uint32_t i)
{
    return (struct xp_answer *)xp__base(x, x->pool[POOL_ANSWER].at) + i;
}
static inline struct xp_attr_set *xp__attr_set(const struct xp *x, uint32_t i)
{
    return (struct xp_attr_set *)xp__base(x, x->pool[POOL_ATTR_SET].at) + i;
}
static inline const struct xp_attrs *xp__attrs(const struct xp *x, const struct xp_qp *qp)
{
    return &xp__attr_set(x, qp->attr)->a;
}
static inline struct xp_qp_counts *xp__qp_counts(const struct xp *x, uint32_t qpn)
{
    return (struct xp_qp_counts *)xp__base(x, x->at.qp_counts) + qpn;
}
static inline uint32_t xp__qpn(const struct xp *x, const struct xp_qp *qp)
{
    return (uint32_t)(qp - xp__qp(x, 0));
}
static inline struct xp_credit *xp__credit(const struct xp *x, const struct xp_qp *qp)
{
    return (struct xp_credit *)xp__base(x, x->at.credit) + xp__qpn(x, qp);
}
/* NULL when the QP is quiet. */
static inline struct xp_active *xp__active_of(const struct xp *x, const struct xp_qp *qp)
{
    return qp->active ? xp__active(x, qp->active) : 0;
}
/* NULL when there is no such QP. */
static inline struct xp_qp *xp__qp_find(const struct xp *x, uint32_t qpn)
{
    if (qpn < XP_FIRST_QPN || qpn > x->pool[POOL_QP].high)
        return 0;
    struct xp_qp *qp = xp__qp(x, qpn);
    return qp->flags & QP_USED ? qp : 0;
}

/* For what a caller creates: a limit reached is the caller's news, not the end of the run. */
static inline bool xp__has_room(const struct xp *x, enum xp_pool_id id)
{
    return x->pool[id].free || x->pool[id].high < x->pool[id].cap;
}

/* An entry's index; 0 and a name for xp_exhausted when there is none. */
static inline uint32_t xp__take(struct xp *x, enum xp_pool_id id)
{
    struct xp_pool *p = &x->pool[id];
    uint32_t i = p->free;
    if (i) {
        p->free = *(const uint32_t *)xp__base(x, p->at + (uint64_t)i * p->stride);
    } else if (p->high < p->cap) {
        i = ++p->high;
    } else {
        if (!x->exhausted)
            x->exhausted = (uint8_t)(1 + id);
        return 0;
    }
    p->used++;
    return i;
}

static inline void xp__give(struct xp *x, enum xp_pool_id id, uint32_t i)
{
    struct xp_pool *p = &x->pool[id];
    *(uint32_t *)xp__base(x, p->at + (uint64_t)i * p->stride) = p->free;
    p->free = i;
    p->used--;
}

static inline void xp__tick(struct xp *x, tm_ps now)
{
    CHECK(now >= x->now);
    x->now = now;
}

#endif
