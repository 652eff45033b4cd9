/*
 * The transport core: RC, UC, UD, RD and XRC as a pure state machine.
 *
 * Packets, time and work requests go in; packets, completions and deadlines are pulled out.
 * The core calls nobody, reads no clock, draws no random number, allocates nothing and touches
 * no payload.  All state is one block without pointers: memcpy makes a second, independent core.
 *
 * Order of use: xp_size, xp_init; create and modify QPs; post; then, for ever:
 *   packet in  -> xp_recv        QPs with something to send -> xp_woken, xp_pull until it says so
 *   deadline   -> xp_expire      completions -> xp_poll_cq, events -> xp_take_event
 * `now` never decreases (CHECKed).
 *
 * Three kinds of trouble, never mixed: a caller's mistake is a negative enum xp_err; what a peer
 * does is a verdict inside; a mistake of the program fails a CHECK.  A pool that runs out is
 * neither: xp_exhausted names it, and the run is void.
 *
 * Facts and clauses: IBA chapter 9 (transport), 10.3 (QP states), 11 (verbs).
 */
#ifndef XP_H
#define XP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "models/transport/fault.h"
#include "models/transport/policy.h"
#include "models/transport/timing.h"
#include "models/wire/hdr.h"
#include "sim/base/tm.h"

struct xp;

/* ---- birth ---------------------------------------------------------------------------------- */

/*
 * Worst cases, fixed for life.  Memory is reserved for all of them and touched only when used.
 * active: QPs that have work, unacknowledged packets or a message half received at one time.
 */
struct xp_limits {
    uint32_t qp, cq;
    uint32_t mr;                 /* memory regions and windows */
    uint32_t send_wqe, recv_wqe; /* over all QPs; one more send for each EE context */
    uint32_t cqe;                /* over all CQs */
    uint32_t active;
    uint32_t answer;             /* acknowledgements and responses waiting to leave, over all QPs */
    uint32_t attr_set;           /* distinct combinations of QP attributes */
    uint32_t resource;           /* READs and atomics that responders keep, over all QPs */
    uint32_t srq;                /* shared receive queues; their receives count in recv_wqe */
    uint32_t mcast;              /* memberships of QPs in multicast groups */
    uint32_t sge;                /* segments of requests that have two or more, over all QPs; 0: none such */
    uint32_t hold;               /* packets kept out of order, over all QPs; 0: no selective repeat */
};

/*
 * What is sent again after a loss: all from the lost packet on; or all of its message, which the
 * responder takes anew (first-generation RoCE); or what is missing alone, since the responder keeps
 * what comes out of order and says so (after IRN; no part of the specification).
 */
enum xp_recovery { XP_GO_BACK_N, XP_GO_BACK_0, XP_SELECTIVE, XP_RECOVERIES };
/* With XP_SELECTIVE: packets from the expected one on that may be kept, and told apart. */
#define XP_SACK_MAX 256u

/*
 * A row of a service's table that an adapter has otherwise: what it does with a request that came to
 * a verdict, or with an answer.  As text (xp_override_parse):
 *   rc.recv_short: nak_rem_op receive=LOC_QP_OP_ERR error count=dropped
 *   rc.unsent: complete
 * which rows and deeds there are xp_override_help tells.
 */
struct xp_override {
    uint8_t service, row;
    bool is_answer;
    bool fatal;
    uint8_t deed, nak, status, event, count;
};
#define XP_OVERRIDES_MAX 32
#define XP_OVERRIDE_TEXT_MAX 128

/* *text moves behind the row and a ';' after it.  false: *why tells what is wrong at *text. */
bool xp_override_parse(const char **text, struct xp_override *out, const char **why);
/* The text that parses to *o; returns its length. */
size_t xp_override_print(const struct xp_override *o, char out[XP_OVERRIDE_TEXT_MAX]);

/* What an adapter has at most. */
struct xp_most {
    uint32_t qp_wr;  /* sq_depth and rq_depth */
    uint32_t srq_wr; /* receives of an SRQ */
    /* The next: 0 is as many as XP_SGE_MAX and xp_limits allow. */
    uint32_t sge;    /* max_send_sge and max_recv_sge */
    uint32_t qp, cq, mr, mw, srq;
    uint32_t cqe;    /* depth of a CQ */
    uint32_t inline_data; /* max_inline_data */
};

/* What an adapter does differently: numbers and named policies.  xp_profile_spec() is IBTA's. */
struct xp_profile {
    uint32_t ackreq_packets;     /* AckReq at least on every n-th packet of a message (and on its last) */
    bool ack_coalesce;           /* acknowledgements that wait to leave melt into one */
    uint32_t window_packets;     /* PSNs outstanding at most, 1 .. 2^23 - 1 */
    enum xp_recovery recovery;
    struct {                     /* XP_SELECTIVE */
        uint32_t bdp_cap_packets;    /* PSNs outstanding at most, 1 .. XP_SACK_MAX */
        tm_ps rto_low_ps;            /* the ACK timer of a QP with few outstanding; 0: as of any other */
        uint32_t rto_low_packets;    /* so few */
    } irn;
    uint32_t timer_slack_milli;  /* ACK timer fires at T * 1.000 .. 4.000, in thousandths: 1000 = T */
    tm_ps timer_floor_ps;        /* least ACK timeout; 0 = none */
    struct xp_timing timing;
    bool credits;                /* end-to-end flow control: AETH credit codes */
    bool migrated;               /* BTH MigReq sent as 1 (the normal state) */
    struct xp_most max;
    uint32_t port_mtu;           /* of datagrams: 256 .. 4096; 0: there are none */
    bool grh;                    /* datagrams bring a GRH (RoCE: always) */
    uint8_t max_rd_atomic, max_dest_rd_atomic; /* of a QP, at most */
    bool rd_atomic_pow2;         /* of a QP: rounded up to a power of two */
    uint8_t policy[XP_POLICIES];
    uint8_t endless_retry_cnt;   /* this retry_cnt never ends; 8: none does */
    uint8_t overrides;
    struct xp_override override[XP_OVERRIDES_MAX];
    struct xp_ladder ladder;
    struct xp_faults fault;
};
struct xp_profile xp_profile_spec(void);

/* Bytes that xp_init needs for these limits.  0: a limit is out of range. */
size_t xp_size(const struct xp_limits *lim);

/* Zeroed memory of xp_size bytes, 64-byte aligned, becomes a core.  The block stays the caller's. */
struct xp *xp_init(void *block, size_t size, const struct xp_limits *lim,
                   const struct xp_profile *profile, uint64_t seed);

/* Name of the pool that ran out ("send_wqe", "answer", …), NULL while none did. */
const char *xp_exhausted(const struct xp *x);

/* ---- consumer: queues, memory, work ------------------------------------------------------------ */

/* A protection domain is a number of the caller's choice; the core compares, and counts none. */

enum xp_err {
    XP_OK = 0,
    XP_EINVAL = -1,  /* attribute, transition or argument not allowed */
    XP_ENOMEM = -2,  /* queue full, or a limit reached */
    XP_EOPNOTSUPP = -3, /* the service does not offer the operation */
    XP_ESTATE = -4   /* not in this state of the QP */
};

/*
 * XP_EEC is an EE context: what RD QPs send through, made, modified, pulled and destroyed like a QP
 * and numbered among them.  It has no queues.  Its dest_qp is the other end's context; what it holds
 * is the connection, and nothing of the QPs whose messages it carries.
 */
enum xp_service_id { XP_RC, XP_UC, XP_UD, XP_XRC_INI, XP_XRC_TGT, XP_RD, XP_EEC, XP_SERVICES };
/* "rc" -> XP_RC; false if no such service is there. */
bool xp_service_parse(const char *name, enum xp_service_id *out);
const char *xp_service_name(enum xp_service_id id);
/* Its requests are served by QPs of this other service; false: by its own kind. */
bool xp_service_served_by(enum xp_service_id id, enum xp_service_id *other);
/* The word for it and its counterparts together: "xrc" */
const char *xp_service_family(enum xp_service_id id);
/* Its QPs send through contexts of this service; false: they have connections of their own, or none. */
bool xp_service_context(enum xp_service_id id, enum xp_service_id *context);

enum xp_state { XP_RESET, XP_INIT, XP_RTR, XP_RTS, XP_SQD, XP_SQE, XP_ERR, XP_STATES };
const char *xp_state_name(enum xp_state s); /* "RESET" … */

enum xp_access { XP_LOCAL_WRITE = 1, XP_REMOTE_WRITE = 2, XP_REMOTE_READ = 4, XP_REMOTE_ATOMIC = 8,
                 XP_MW_BIND = 16 /* of regions: windows may be bound to it */ };

/*
 * Where packets of a connection go: the driver's own, copied into every packet it pulls.  Hosts from
 * XP_GROUP_FIRST on are multicast groups.
 */
#define XP_GROUP_FIRST 0xc000u
#define XP_MULTICAST_QPN 0xffffffu
struct xp_path {
    uint16_t host;
    uint16_t entropy;
};

struct xp_qp_init {
    enum xp_service_id service;
    uint32_t pd, send_cq, recv_cq;
    uint32_t sq_depth, rq_depth;
    uint32_t srq;  /* receives come from there; 0: from a queue of its own */
    uint32_t xrcd; /* domain of an XRC target, 1 and up */
    uint32_t rdd;  /* reliable datagram domain of RD QPs and EE contexts, 1 and up */
    uint32_t max_send_sge, max_recv_sge; /* segments of one request; 0: one */
    uint32_t max_inline_data;            /* bytes of a request with XP_INLINE */
};

enum xp_attr_bit {
    XP_A_STATE = 1, XP_A_CUR_STATE = 2, XP_A_PKEY = 4, XP_A_PORT = 8, XP_A_ACCESS = 16, XP_A_AV = 32,
    XP_A_PATH_MTU = 64, XP_A_DEST_QP = 128, XP_A_RQ_PSN = 256, XP_A_MAX_DEST_RD = 512,
    XP_A_MIN_RNR = 1024, XP_A_SQ_PSN = 2048, XP_A_TIMEOUT = 4096, XP_A_RETRY_CNT = 8192,
    XP_A_RNR_RETRY = 16384, XP_A_MAX_RD = 32768, XP_A_QKEY = 65536, XP_A_ALT_PATH = 1 << 17,
    XP_A_MIG_STATE = 1 << 18, XP_A_SQD_NOTIFY = 1 << 19
};

struct xp_qp_attr {
    enum xp_state state, cur_state;
    struct xp_path path;
    uint32_t dest_qp;
    struct psn24 rq_psn, sq_psn;
    uint32_t access;          /* enum xp_access bits */
    uint32_t qkey;
    uint16_t path_mtu;        /* 256, 512, 1024, 2048, 4096 */
    uint16_t pkey;
    uint8_t port;
    uint8_t timeout;          /* 0 .. 31 */
    uint8_t retry_cnt, rnr_retry;           /* 0 .. 7 */
    uint8_t min_rnr_timer;    /* 0 .. 31 */
    uint8_t max_rd_atomic, max_dest_rd_atomic;
};

/* A CQ for up to `depth` completions.  A full one is an overflow: its QPs go to ERR. */
int xp_cq_create(struct xp *x, uint32_t depth, uint32_t *cq);
/* XP_EINVAL: the adapter does not allow it, or more completions wait than that. */
int xp_cq_resize(struct xp *x, uint32_t cq, uint32_t depth);
/* Its completions go with it.  XP_EINVAL: a QP or an SRQ uses it. */
int xp_cq_destroy(struct xp *x, uint32_t cq);

/* A QP in RESET.  *qpn is its number, 2 .. limits.qp + 1.  XP_EINVAL, XP_ENOMEM. */
int xp_qp_create(struct xp *x, const struct xp_qp_init *init, uint32_t *qpn);

/* Drops all its WQEs without completions; the number may be used again. */
int xp_qp_destroy(struct xp *x, uint32_t qpn, tm_ps now);

/*
 * The life cycle (IBA 11.2.5.2): [from][to] tells what must and may be given.  Anything else:
 * XP_EINVAL and nothing changes.  xp_modify_missing/-excess name the attributes at fault.
 */
int xp_qp_modify(struct xp *x, uint32_t qpn, const struct xp_qp_attr *attr, uint32_t mask, tm_ps now);

/* Attributes that the transition wants and `mask` lacks, and that it does not allow. */
struct xp_transition {
    bool valid;
    uint32_t missing, excess; /* enum xp_attr_bit */
};
struct xp_transition xp_transition_check(enum xp_service_id s, enum xp_state from, enum xp_state to,
                                         uint32_t mask);
const char *xp_attr_name(enum xp_attr_bit bit); /* "path_mtu" … */

/* What a QP gets that asks for so many READs and atomics at a time. */
uint8_t xp_rd_atomic(const struct xp_profile *p, uint8_t asked);

struct xp_qp_query {
    enum xp_state state;
    enum xp_service_id service;
    struct psn24 sq_psn; /* next new PSN */
    struct psn24 rq_psn; /* expected PSN */
    uint32_t msn;
    uint32_t sends_waiting, recvs_waiting;
    uint32_t dest_qp;
    struct xp_path path;
    bool holds_srq_recv; /* a message that is half received has one of the SRQ; RESET loses it */
};
int xp_qp_query(const struct xp *x, uint32_t qpn, struct xp_qp_query *out);

/*
 * A memory region; *key serves as lkey and rkey.  XP_EINVAL: len 0, or a right to write or do atomics
 * from afar without XP_LOCAL_WRITE.
 */
int xp_mr_add(struct xp *x, uint32_t pd, uint64_t addr, uint64_t len, uint32_t access,
              uint64_t tag, uint32_t *key);
/* Windows that are bound to it are bound to nothing from now on. */
int xp_mr_remove(struct xp *x, uint32_t key);

/*
 * Memory windows (IBA 10.6.7.2): keys for parts of regions, with rights of their own.  A window is
 * named by any key it has had.  Type 1 is bound by xp_mw_bind and open to all QPs of its PD; type 2
 * by XP_WR_BIND_MW and open to the QP of that request alone.  Only remote access goes through one.
 */
enum xp_mw_type { XP_MW_TYPE_1 = 1, XP_MW_TYPE_2 = 2 };
int xp_mw_alloc(struct xp *x, uint32_t pd, enum xp_mw_type type, uint32_t *key);
int xp_mw_free(struct xp *x, uint32_t key);

struct xp_mw_bind {
    uint32_t mr;     /* key of the region */
    uint32_t access; /* XP_REMOTE_WRITE, _READ, _ATOMIC */
    uint64_t addr, length;
};

enum xp_wr_op { XP_WR_SEND, XP_WR_SEND_IMM, XP_WR_WRITE, XP_WR_WRITE_IMM, XP_WR_READ,
                XP_WR_CMP_SWAP, XP_WR_FETCH_ADD, XP_WR_SEND_INV,
                /* no packets: they are carried out when their turn comes */
                XP_WR_BIND_MW, XP_WR_LOCAL_INV, XP_WR_OPS };
enum xp_wr_flag { XP_SIGNALED = 1, XP_SOLICITED = 2, XP_FENCE = 4, XP_INLINE = 8 };

struct xp_sge {
    uint64_t addr;
    uint32_t length; /* 0 .. 2^31 */
    uint32_t lkey;
};

/* Segments of one request at most. */
#define XP_SGE_MAX 32u

/*
 * The message is what its segments hold, one after the other: `sge`, then rest[0 .. rest_count - 1].
 * Empty segments are legal and their keys not looked at.  Atomics have one segment.
 */
struct xp_send_wr {
    uint64_t wr_id;
    struct xp_sge sge;
    const struct xp_sge *rest; /* copied by the post */
    uint32_t rest_count;
    uint64_t remote_addr;
    uint64_t tag;           /* travels with each packet of the message; the core does not read it */
    uint32_t rkey;          /* BIND_MW: the window's new key, its low 8 bits at choice */
    uint32_t imm;           /* SEND_INV, LOCAL_INV: the key to invalidate */
    uint32_t msgno;         /* like tag */
    uint8_t op;             /* enum xp_wr_op */
    uint8_t flags;          /* enum xp_wr_flag */
    uint64_t swap_or_add;   /* CMP_SWAP, FETCH_ADD */
    uint64_t compare;       /* CMP_SWAP */
    struct xp_path path;    /* datagrams: where to, to which QP, with which key (high bit: the QP's own) */
    uint32_t remote_qpn, remote_qkey;
    uint32_t srqn;          /* XRC: the other end's shared receive queue */
    uint32_t eecn;          /* RD: the EE context of this end; remote_qpn, remote_qkey as for datagrams */
    const struct xp_mw_bind *bind; /* BIND_MW; copied by the post */
};

struct xp_recv_wr {
    uint64_t wr_id;
    struct xp_sge sge;
    const struct xp_sge *rest;
    uint32_t rest_count;
};

/*
 * Posts one request (copied).  XP_ENOMEM: the queue is full, or more inline data than it takes.
 * XP_EOPNOTSUPP, XP_EINVAL (length over 2^31, more segments than the queue takes, XP_INLINE of a READ
 * or atomic).  XP_ESTATE: RESET; sends also INIT, RTR.  In ERR (sends: SQE) it is taken and flushes.
 *
 * XP_INLINE: local keys are not looked at.  The driver still reads the memory when the packet is
 * pulled.
 */
int xp_post_send(struct xp *x, uint32_t qpn, const struct xp_send_wr *wr, tm_ps now);
int xp_post_recv(struct xp *x, uint32_t qpn, const struct xp_recv_wr *wr, tm_ps now);

/*
 * Binds the type 1 window of wr->rkey as wr->bind says, by a request on the QP's send queue; length 0
 * unbinds.  *key is the window's key from when that is done.  Of *wr else only wr_id, tag, msgno and
 * flags matter.  Returns as xp_post_send; XP_EINVAL also if it is no type 1 window.
 */
int xp_mw_bind(struct xp *x, uint32_t qpn, const struct xp_send_wr *wr, tm_ps now, uint32_t *key);

/* Does the service have the operation at all? */
bool xp_service_offers(enum xp_service_id id, enum xp_wr_op op);
/* Are two of its QPs joined for good, each sending and receiving?  Otherwise sends name more. */
bool xp_service_pairs(enum xp_service_id id);
/* Is the operation's completion an answer of its own: READ, atomics? */
bool xp_wr_awaits_answer(enum xp_wr_op op);

/* ---- shared receive queues ---- */

struct xp_srq_init {
    uint32_t pd;
    uint32_t depth;
    uint32_t limit; /* event when fewer wait; 0: none */
    uint32_t cq;    /* XRC: where its receives complete; 0, not for XRC: on the QP's */
    uint32_t xrcd;  /* XRC: domain, 1 and up; 0: not for XRC */
    uint32_t max_sge; /* segments of a receive; 0: one */
};
struct xp_srq_query {
    uint32_t recvs_waiting, limit;
};
/* *srqn is its number, also in XRCETH.  XP_EINVAL, XP_ENOMEM. */
int xp_srq_create(struct xp *x, const struct xp_srq_init *init, uint32_t *srqn);
/* The limit event is armed anew; 0: disarmed. */
int xp_srq_arm(struct xp *x, uint32_t srqn, uint32_t limit);
/* XP_EINVAL: a QP is attached, or has a receive of it.  Those waiting go without completions. */
int xp_srq_destroy(struct xp *x, uint32_t srqn);
int xp_srq_query(const struct xp *x, uint32_t srqn, struct xp_srq_query *out);
int xp_srq_post_recv(struct xp *x, uint32_t srqn, const struct xp_recv_wr *wr);

/* ---- multicast groups ---- */

/* XP_EINVAL: no datagram QP, no group, attached already (not attached); XP_ENOMEM. */
int xp_mcast_attach(struct xp *x, uint32_t qpn, uint16_t group);
int xp_mcast_detach(struct xp *x, uint32_t qpn, uint16_t group);
/*
 * The members of a group, in the order they joined: *cursor is 0 first, then as it was left.  A
 * driver gives each a packet that came for XP_MULTICAST_QPN, with its number as DestQP.
 */
bool xp_mcast_next(const struct xp *x, uint16_t group, uint32_t *cursor, uint32_t *qpn);

/* ibv_wc_status */
enum xp_status {
    XP_WC_SUCCESS = 0, XP_WC_LOC_LEN_ERR, XP_WC_LOC_QP_OP_ERR, XP_WC_LOC_EEC_OP_ERR,
    XP_WC_LOC_PROT_ERR, XP_WC_WR_FLUSH_ERR, XP_WC_MW_BIND_ERR, XP_WC_BAD_RESP_ERR,
    XP_WC_LOC_ACCESS_ERR, XP_WC_REM_INV_REQ_ERR, XP_WC_REM_ACCESS_ERR, XP_WC_REM_OP_ERR,
    XP_WC_RETRY_EXC_ERR, XP_WC_RNR_RETRY_EXC_ERR, XP_WC_LOC_RDD_VIOL_ERR, XP_WC_REM_INV_RD_REQ_ERR,
    XP_WC_REM_ABORT_ERR, XP_WC_INV_EECN_ERR, XP_WC_INV_EEC_STATE_ERR, XP_WC_FATAL_ERR,
    XP_WC_RESP_TIMEOUT_ERR, XP_WC_GENERAL_ERR, XP_WC_STATUSES
};
const char *xp_status_name(enum xp_status s); /* "RETRY_EXC_ERR" … */

enum xp_wc_op { XP_WC_SEND, XP_WC_WRITE, XP_WC_READ, XP_WC_ATOMIC, XP_WC_RECV, XP_WC_RECV_WRITE_IMM,
                XP_WC_BIND_MW, XP_WC_LOCAL_INV };
enum xp_wc_flag { XP_WC_WITH_IMM = 1, XP_WC_WITH_INV = 2, XP_WC_GRH = 4 };

struct xp_wc {
    uint64_t wr_id;
    uint64_t tag;      /* sends: the request's */
    uint32_t qpn;
    uint32_t byte_len; /* receives */
    uint32_t imm;
    uint32_t msgno;    /* sends: the request's */
    uint32_t src_qp;   /* receives of datagrams, RD: who sent it */
    uint8_t status;    /* enum xp_status */
    uint8_t op;        /* enum xp_wc_op; sends in error too */
    uint8_t flags;
    uint8_t vendor_err; /* sends in error: the adapter's own code (fault.h) */
};

/* Takes up to max completions, oldest first; returns how many. */
int xp_poll_cq(struct xp *x, uint32_t cq, struct xp_wc *wc, int max);

/* Completions waiting over all CQs. */
uint32_t xp_completions(const struct xp *x);

enum xp_event_kind { XP_EV_COMM_EST, XP_EV_SQ_DRAINED, XP_EV_QP_REQ_ERR, XP_EV_QP_ACCESS_ERR,
                     XP_EV_QP_FATAL, XP_EV_CQ_ERR, XP_EV_LAST_WQE, XP_EV_SRQ_LIMIT };
struct xp_event {
    enum xp_event_kind kind;
    uint32_t qpn; /* or CQ number */
};
/* The oldest asynchronous event; false if there is none.  A bounded ring: the oldest fall out. */
bool xp_take_event(struct xp *x, struct xp_event *ev);
/* Events that wait to be taken. */
uint32_t xp_events(const struct xp *x);

/* ---- wire ----------------------------------------------------------------------------------- */

struct xp_seg {
    uint64_t tag;  /* the MR's */
    uint64_t addr;
    uint32_t len;
};

/*
 * A packet's payload is `seg` and then rest[0 .. segs - 2]; `segs` is 1 for nearly all packets, and
 * only segs - 1 entries of `rest` are written.
 *
 * XP_PLACE: put the payload there, in this order.  XP_PLACE_VALUE: the 8 bytes at seg become `value`.
 * XP_HOLD: keep the payload in place `slot`, 1 .. limits.hold, for xp_take_held.
 * XP_ATOMIC: the 8 bytes at seg, read as a number in host order, are compared and swapped or added
 * to; xp_atomic_done tells what they held.
 */
enum xp_deed { XP_NOTHING, XP_PLACE, XP_PLACE_VALUE, XP_ATOMIC, XP_HOLD };

/* What a received packet came to. */
struct xp_rx {
    enum xp_deed deed;
    struct xp_seg seg;
    uint32_t qpn;
    uint8_t verdict;        /* enum xp_verdict, for traces */
    bool message_done;      /* the last byte of a message has arrived and was accepted now */
    uint32_t message_bytes; /* then, or with read_done: its length */
    /* The last answer to a READ or atomic of this end has arrived; its request's tag and number. */
    bool read_done;
    uint32_t msgno;
    uint64_t tag;
    /* XP_ATOMIC: the request; XP_PLACE_VALUE: the answer. */
    bool is_cmp_swap;
    uint32_t conn; /* for xp_atomic_done */
    uint32_t slot; /* XP_HOLD */
    uint64_t swap_or_add, compare, value;
    uint32_t segs;
    struct xp_seg rest[XP_SGE_MAX - 1];
};

/*
 * A packet that arrived intact (ICRC right) at this core from `from`.  `e` may be NULL when the
 * opcode has none of its headers.
 */
void xp_recv(struct xp *x, const struct wire_hdr *h, const struct wire_ext *e,
             struct xp_path from, tm_ps now, struct xp_rx *out);

/* With XP_SELECTIVE, after each xp_recv until false: the packet kept in place *slot came to *out. */
bool xp_take_held(struct xp *x, tm_ps now, struct xp_rx *out, uint32_t *slot);

/*
 * The atomic that *rx asked for has been done; `original` is what the memory held before.  Comes
 * before any other call into this core.
 */
void xp_atomic_done(struct xp *x, const struct xp_rx *rx, uint64_t original);

enum xp_verdict { V_ACCEPT, V_DUPLICATE, V_GAP, V_GAP_AGAIN, V_AHEAD, V_BAD_ORDER, V_BAD_OPCODE, V_BAD_LENGTH,
                  V_NO_RIGHT, V_BAD_KEY, V_NO_RECV, V_RECV_SHORT, V_RECV_BAD_KEY, V_BAD_STATE, V_BAD_PKEY,
                  V_UNKNOWN_QP, V_WRONG_SERVICE, V_BAD_TVER,
                  /* READs and atomics: too many at a time; repeated: kept, no longer kept, key gone */
                  V_TOO_MANY_RD, V_REPLAY, V_REPLAY_GONE, V_REPLAY_BAD_KEY,
                  /* whole packets, but fewer than the RETH announced */
                  V_SHORT_WRITE,
                  /* unacknowledged services: a message begins while a SEND or a WRITE is in progress, or a
                     SEND with a receive of an SRQ */
                  V_RESTART, V_RESTART_WRITE, V_RESTART_SRQ,
                  V_BAD_QKEY, V_BAD_SRQ,
                  /* SEND_INV: its key cannot be invalidated */
                  V_BAD_INVALIDATE,
                  /* RD: no receiving QP of the domain; a message is given up; an answer for another QP */
                  V_BAD_RDD, V_RESYNC, V_ANSWER_ASTRAY,
                  /* answers, at the requester */
                  V_ANSWER, V_ANSWER_STALE, V_ANSWER_UNSENT, V_ANSWER_RESERVED, V_COUNT };
const char *xp_verdict_name(enum xp_verdict v);

/* One packet to send. */
struct xp_tx {
    struct wire_hdr hdr;
    struct wire_ext ext;    /* filled only if the opcode has such headers */
    struct xp_path path;
    struct xp_seg seg;      /* payload to gather; len 0: none */
    uint64_t tag;
    uint32_t msgno;
    bool response;          /* acknowledgement or response */
    bool retransmit;        /* a request whose PSN has been sent before on this connection */
    bool last_of_message;
    bool more;              /* the QP has another packet to pull now */
    uint32_t segs;
    struct xp_seg rest[XP_SGE_MAX - 1];
};

enum xp_pulled { XP_PULLED, XP_IDLE };

/*
 * The QP's next packet, responses before requests, in PSN order each.  XP_IDLE: nothing may leave
 * now.  After XP_IDLE, and after a packet with `more` false, xp_woken will name the QP when
 * something may leave again.  Starts the ACK timer when the oldest
 * unacknowledged packet leaves.
 */
enum xp_pulled xp_pull(struct xp *x, uint32_t qpn, tm_ps now, struct xp_tx *out);

/*
 * QPs that came to have something to pull since they were last named or fell idle; each once.  false: none left.
 */
bool xp_woken(struct xp *x, uint32_t *qpn);

/* The next time xp_expire has (or may have) something to do; TM_NEVER if none.  O(1). */
tm_ps xp_deadline(const struct xp *x);
void xp_expire(struct xp *x, tm_ps now);

/* ---- looking in -------------------------------------------------------------------------------- */

/*
 * A hash of the live state: two cores with equal digests behave alike from here on.  Times enter
 * relative to now; statistics and free pool entries do not.
 */
uint64_t xp_digest(const struct xp *x, tm_ps now);

/* Entries of pools in use (WQEs, CQEs, answers, held packets, active blocks): 0 when all is quiet. */
uint32_t xp_outstanding(const struct xp *x);

/*
 * Trace records: taken like everything else, off unless asked for (notes on).  Bounded: with notes
 * on, the driver drains them after every call.
 */
enum xp_note_kind { XP_N_TIMER_SET, XP_N_TIMER_FIRE, XP_N_STATE, XP_N_RETRY, XP_N_DROP };
struct xp_note {
    tm_ps at, until;         /* until: a timer's deadline */
    enum xp_note_kind kind;
    uint32_t qpn;
    uint32_t value;          /* new state, PSN retried from, verdict */
};
void xp_notes_enable(struct xp *x, bool on);
bool xp_take_note(struct xp *x, struct xp_note *note);

/* What has happened so far, in numbers. */
#include "models/transport/counts.h"

#endif
