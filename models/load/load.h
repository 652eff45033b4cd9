/*
 * The load: who posts what to whom, when.
 *
 * One entity a host (rank EV_LOAD).  A host acts only on its own clock and its own completions;
 * its random draws are its own.  What connects hosts is decided before the run: connections,
 * permutations, trace flows.
 *
 * Left out: how a device works (vb.h), what is measured at delivery (meter.h).
 */
#ifndef LOAD_LOAD_H
#define LOAD_LOAD_H

#include <stdbool.h>
#include <stdint.h>

#include "models/udack/udack.h"
#include "models/verbs/vb.h"
#include "sim/base/window.h"

enum load_pattern { LOAD_PAIR, LOAD_INCAST, LOAD_ALL_TO_ALL, LOAD_PERMUTATION, LOAD_RING, LOAD_RPC,
                    LOAD_TRACE, LOAD_PATTERNS };
enum load_on_error { LOAD_STOP, LOAD_RECONNECT };
/* What is made anew: by a fixed time; the QP; everything from PD to QP; the driver, too. */
enum load_recovery { LOAD_RECOVER_DELAY, LOAD_RECOVER_QP, LOAD_RECOVER_OBJECTS, LOAD_RECOVER_DRIVER };
enum load_rpc_data { LOAD_RPC_NONE, LOAD_RPC_READ, LOAD_RPC_WRITE };

/* Message sizes: a number, a list taken in turn, or a distribution. */
enum load_size_kind { LOAD_SIZE_FIXED, LOAD_SIZE_LIST, LOAD_SIZE_CDF };
struct load_size {
    enum load_size_kind kind;
    uint32_t count;
    uint64_t *bytes;      /* fixed: 1; list: count; CDF: count points, ascending */
    uint64_t *cumulative; /* CDF: probability of each point as a fraction of 2^63; the last is 2^63 */
};
/* Mean size in bytes, rounded down. */
uint64_t load_size_mean(const struct load_size *s);
/* The largest it can be. */
uint64_t load_size_max(const struct load_size *s);
/* The size at a uniform 64-bit draw (CDF: linear between points, at least 1 byte); list: n-th in turn. */
uint64_t load_size_at(const struct load_size *s, uint64_t draw, uint64_t n);

/* A flow of a trace: one message. */
struct load_flow {
    uint32_t src, dst;
    uint64_t bytes;
    tm_ps start_ps;
};

struct load_receiver {
    tm_ps late_ps;        /* first receives are posted only then */
    tm_ps repost_ps;      /* from a receive's completion to its replacement (a slow consumer) */
    bool serial;          /* one replacement at a time: a server with one worker */
};

struct load_rpc {
    uint64_t request_bytes, response_bytes;
    enum load_rpc_data data; /* what the server does between: READ from or WRITE to the client */
    /* Open loop: one arrival stands for request, response and data. */
    tm_ps service_ps;     /* server's time per request, one worker: requests queue */
};

struct load_retry {
    enum load_on_error on_error;
    enum load_recovery recovery;
    tm_ps reconnect_ps;   /* LOAD_RECOVER_DELAY: from an error to a new connection */
    struct load_steps {   /* of the adapter: what the others take */
        tm_ps reset_ps, err_reset_ps; /* to RESET; from ERR */
        tm_ps ready_ps;               /* from RESET to RTS */
        tm_ps objects_ps, driver_ps;  /* all in all */
    } step;
    tm_ps give_up_ps;     /* no more attempts this long after a flow's first error without progress; 0 = never */
};

/* How connections come about. */
enum load_connect_mode { LOAD_CONNECT_INSTANT, LOAD_CONNECT_SIMULATED };
#define LOAD_NO_MRA 32
struct load_connect {
    enum load_connect_mode mode;
    uint8_t cm_timeout, cm_retries; /* code; times that a MAD is sent again */
    uint8_t mra;          /* service timeout code of an MRA that answers each REQ first; LOAD_NO_MRA */
    uint32_t handshakes;  /* that a host begins at once; 0: all */
    tm_ps accept_ps;      /* of the side that is asked, per REQ, one after the other */
    tm_ps rtr_late_ps;    /* its QP moves to RTR so long after the REP */
    tm_ps timewait_ps;
};

/* off: payload is counted; verify: moved with its packets, and compared. */
enum load_payload { LOAD_PAYLOAD_OFF, LOAD_PAYLOAD_VERIFY };

struct load_cfg {
    enum load_pattern pattern;
    enum xp_wr_op op;
    struct load_size size;
    uint32_t depth;       /* closed loop: messages outstanding per flow */
    uint32_t host_depth;  /* closed loop: per host, each on a flow drawn at random; 0: depth counts */
    uint64_t region_bytes; /* messages lie anywhere in so much memory of a host; 0: all at its beginning */
    uint64_t messages;    /* per flow; 0: until the duration */
    uint64_t load_ppm;    /* open loop: payload offered by a sending host, millionths of its link rate; 0 = closed */
    uint32_t qps;         /* connections per communicating pair */
    uint32_t target;      /* incast: the receiver; rpc: the server */
    bool bidirectional;   /* pair, permutation, ring: traffic both ways on each connection */
    tm_ps poll_every_ps;  /* completions are taken at multiples of it alone; 0: at once */
    tm_ps start_ps;       /* first post */
    tm_ps stagger_ps;     /* host h starts at start + h * stagger */
    uint32_t signal_every; /* every n-th request is signalled (and the last) */
    enum load_payload payload;
    struct load_receiver receiver;
    struct load_rpc rpc;
    struct load_retry retry;
    struct load_connect connect;
    struct load_flow *flow; /* trace */
    uint32_t flow_count;
};

/* Acknowledged datagrams in the place of connections: sessions over one datagram QP a host. */
struct load_udack {
    bool on;
    struct udack_cfg cfg; /* its mtu_bytes is the QPs' mtu */
    tm_ps cpu_ps;         /* of a host's processor, per datagram */
};

/* Attributes of every QP of the run. */
struct load_qp_cfg {
    enum xp_service_id service;
    uint16_t mtu;
    uint8_t timeout, retry_cnt, rnr_retry, min_rnr_timer;
    uint8_t max_rd_atomic, max_dest_rd_atomic;
    uint32_t sq_depth, rq_depth;
    uint32_t srq_depth;
    bool srq;             /* the QPs of a host share its receives, srq_depth of them */
    uint32_t sq_psn;      /* first PSN of every flow */
    struct load_udack udack;
};

#include "models/load/acts.h"

struct load;
struct meter;
struct ev;

struct datagram_port;
struct hca_head;
struct pkt;

/* What the load needs of each host; arrays of `hosts` entries, the caller's until load_free. */
struct load_env {
    struct ev *ev;
    uint32_t hosts;
    const struct vb *vb;
    const struct datagram_port *port; /* with udack: what datagrams go over; NULL: the vb's own QPs */
    struct meter *const *meter;
    const uint32_t *domain;
    uint64_t link_rate_bps;
    uint64_t seed;
    tm_ps duration_ps;    /* TM_NEVER: none */
    const struct load_act *act;
    uint32_t act_count;
    /* --messages: a completion at the sender; may be NULL */
    void (*completed)(void *self, uint32_t host, uint32_t peer, const struct xp_wc *wc, tm_ps now);
    /* --completions: a completion of a receive; may be NULL */
    void (*received)(void *self, uint32_t host, uint32_t peer, const struct xp_wc *wc, tm_ps now);
    /* --messages: a message over acknowledged datagrams was handed over; as hca_tap's; may be NULL */
    void (*delivered)(void *self, uint32_t host, const struct pkt *last, uint32_t qpn,
                      uint32_t bytes, tm_ps now);
    void *self;
};

/* From the error of a QP in this state to a new connection. */
tm_ps load_recovery_ps(const struct load_retry *r, enum xp_state state);
/* The least of these. */
tm_ps load_recovery_least_ps(const struct load_retry *r);

/* At most so many QP ends follow from this configuration; O(1), to be asked before load_need. */
uint64_t load_ends_bound(const struct load_cfg *cfg, uint32_t hosts);

struct load_need {
    uint32_t qps, flows;  /* QP ends and flows in all */
    uint32_t qps_host_max; /* on the busiest host */
    uint32_t active_host_max; /* QP ends that may have traffic at once on one host */
    uint64_t send_wqe_host_max, recv_wqe_host_max;
    uint64_t srqs_host_max;
};
/*
 * Connections, flows and pool sizes that this configuration makes; before anything is built.  With
 * acknowledged datagrams, one QP a host.
 */
struct load_need load_need(const struct load_cfg *cfg, const struct load_qp_cfg *qp, uint32_t hosts);

/* QP ends of one host; 0 for a host that is not there. */
uint32_t load_host_qps(const struct load_cfg *cfg, uint32_t hosts, uint32_t host);
/* How many QPs stand for one end of a connection: 2 where one sends and another serves. */
uint32_t load_qp_halves(const struct load_qp_cfg *qp);
/* Do its QPs send through contexts that those of a host share? */
bool load_qp_is_joined(const struct load_qp_cfg *qp);
/* Has a QP of the service one peer, that it is connected with? */
bool load_is_connected(enum xp_service_id service);
/*
 * Services by the words of a scenario: those of the core's that join two QPs, and datagrams, by their
 * numbers; behind them acknowledged datagrams, if the core has any to run them over.
 */
#define LOAD_SERVICES (XP_SERVICES + 1u)
bool load_service_is_offered(uint32_t i);
const char *load_service_name(uint32_t i);
bool load_service_parse(const char *name, uint32_t *out);
void load_service_store(struct load_qp_cfg *qp, uint32_t i);
/* The word for what these QPs are. */
const char *load_qp_service_name(const struct load_qp_cfg *qp);
/* Can a load post it on them? */
bool load_qp_offers(const struct load_qp_cfg *qp, enum xp_wr_op op);

/* The service that datagrams without connections have; false: the core offers none. */
bool load_datagram_service(enum xp_service_id *out);
/* Datagrams as they are: all flows of a host leave through one QP. */
bool load_qp_is_datagram(const struct load_qp_cfg *qp);
/* QPs of the adapters: those of ends, or one a host. */
uint32_t load_real_qps(const struct load *l);
/* Do messages of these QPs wait for acknowledgements, the adapter's or the host's own? */
bool load_qp_is_acked(const struct load_qp_cfg *qp);
/* Does the service wait for acknowledgements?  Asked of the core's life cycle; rpc needs it. */
bool load_is_acked(enum xp_service_id service);

/*
 * Creates CQs, MRs and QPs on every host and arms the hosts' first posts.  QPs are connected at time
 * 0 without a packet, or by connection management from time 0 on, and then each flow waits for its
 * connection.  *why names the trouble when NULL is returned.
 */
struct load *load_new(const struct load_cfg *cfg, const struct load_qp_cfg *qp,
                      const struct load_env *env, const char **why);
void load_free(struct load *l);
uint32_t load_entities(uint32_t hosts);
/* The entity of a host's load, for hca_set_notify. */
uint32_t load_entity(const struct load *l, uint32_t host);

/* What the host's HCA needs for acknowledged datagrams (hca_set_head); false: nothing. */
bool load_head(const struct load *l, uint32_t host, struct hca_head *out);

/* NULL, or why payload cannot be moved with this load. */
const char *load_payload_refuse(const struct load_cfg *cfg, const struct load_qp_cfg *qp,
                                uint32_t hosts);

struct hca_bytes;
/* The host's memory (hca_set_bytes); false: it has none. */
bool load_bytes(const struct load *l, uint32_t host, struct hca_bytes *out);
/* Bytes compared and right, messages that were wrong; 0 and 0 where payload is not moved. */
void load_verified(const struct load *l, uint64_t *bytes, uint64_t *mismatches);

/*
 * Bytes of WRITEs that failed that their responders' memory holds, from the first on, in words of 8; false:
 * payload is not moved, or none has failed.
 */
bool load_partial_bytes(const struct load *l, uint64_t *bytes);
/* How often each act of the environment has happened; its act_count numbers. */
void load_acts_fired(const struct load *l, uint64_t *fired);

/* Of the host's sessions; NULL: it has none. */
const struct udack_counts *load_udack_counts(const struct load *l, uint32_t host);

/*
 * Memory that the busiest host's connections take on a real one, as drivers allocate it: 256 bytes of context
 * for each QP (an mlx5 context has 232), 64 for each entry of its send queue, 16 of its receive
 * queue or of the one that they share.  Acknowledged datagrams: of one QP, and what its sessions have taken so far.  Completion
 * queues and buffers for payload come on top.
 */
uint64_t load_host_memory_bytes(const struct load *l);

/* The run has ended: flows that still had work have stalled since their last progress. */
void load_settle(struct load *l, tm_ps now);

/* One end of a connection, for qps.csv and for flow totals. */
struct load_qp_row {
    uint32_t host, qpn, peer, peer_qpn; /* peer_qpn: the one that serves what this end sends */
    uint32_t serving_qpn;       /* another QP of this end, which serves what the peer sends; 0: none */
    uint64_t posted, succeeded; /* messages of the flow that starts here (0: none) */
    uint8_t first_error;        /* first status that is neither 0 nor 5; 0 = none */
    uint8_t first_vendor_err;   /* its */
    uint64_t first_error_wr;
    tm_ps first_error_ps;
    bool is_flow;
    /* A session of acknowledged datagrams, or an end of plain ones: what the peer was handed, which its HCA does not know. */
    bool is_session;
    enum xp_state session_state;
    const char *session_service;
    uint64_t got_messages, got_bytes, got_end; /* end: 1 + number of the last, as far as that bounds losses */
};
uint32_t load_qp_count(const struct load *l);
void load_qp_row(const struct load *l, uint32_t i, struct load_qp_row *out);

#endif
