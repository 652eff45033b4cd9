/*
 * What the files of the load share: hosts, QP ends and flows.
 *
 * An end is one side of a connection; its record is all that an idle QP costs here.  A flow is the
 * traffic that an end sends: its record lies in reserved memory that is touched when it first has
 * work.  Ends are numbered over all hosts, a host's own ones in a row, in the order of their QPs.
 *
 * Invariants of a flow: messages carry consecutive numbers; those from `first` to `made` are in
 * the list, those before `posted` are in the send queue or beyond, those before `done` have left it.
 */
#ifndef LOAD_HOST_H
#define LOAD_HOST_H

#include "models/hca/meter.h"
#include "models/load/contexts.h"
#include "models/load/fifo.h"
#include "models/load/halves.h"
#include "models/load/dgport.h"
#include "models/load/load.h"
#include "models/load/sessions.h"
#include "models/load/udends.h"
#include "sim/base/rng.h"
#include "sim/engine/ev.h"

/* Every host has one memory region, here; no bytes stand behind it. */
#define LOAD_MR_ADDR 0x10000u
#define LOAD_PD 1u

enum end_role { END_FLOW = 1, END_SENDS = 2, END_RECEIVES = 4, END_CLIENT = 8, END_SERVER = 16,
                END_ASKS = 32 /* for the connection, where it has to be asked for */ };
/* JOINING: its QP takes receives, the connection is not established yet. */
enum end_state { END_UP, END_BROKEN, END_DOWN, END_JOINING };

struct end {
    uint32_t qpn;
    uint32_t peer;     /* host */
    uint32_t peer_end; /* index */
    uint32_t peer_qpn;
    uint16_t generation; /* of the connection: how often it was made anew */
    uint8_t role;
    uint8_t state : 2;
    uint8_t filled : 1; /* its receives have been posted */
};
_Static_assert(sizeof(struct end) <= 24, "memory of an idle QP end");

/* A message from its post until it is known to have succeeded (RPC requests: until answered). */
struct message {
    tm_ps post_ps;
    uint32_t bytes;
    uint32_t next; /* index + 1 */
    uint8_t op;    /* enum xp_wr_op */
    uint8_t flags; /* enum xp_wr_flag that it needs itself */
};

struct messages {
    struct message *item;
    uint32_t room, used, free; /* free: index + 1 */
    uint32_t listed;           /* that have not succeeded, over all flows */
};

struct flow_error {
    uint64_t wr;
    tm_ps at;
    uint32_t bytes; /* of its message */
    uint8_t status; /* 0: none */
    uint8_t vendor_err;
};

struct flow {
    uint64_t first, made, posted, done;
    uint64_t succeeded;
    uint64_t quota;            /* trace: its number of messages */
    uint64_t answered;         /* server: requests served */
    uint32_t head, tail, next; /* index + 1: oldest, newest, first not posted */
    uint32_t unsignalled;      /* posted since the last signalled one */
    struct flow_error error;
    tm_ps progress_ps; /* last success, or when the list became non-empty */
    tm_ps trouble_ps;  /* first error since the last success */
    tm_ps broken_ps;   /* when its connection was given up last */
    bool in_trouble;
};

struct host_rng {
    struct rng_stream size, gap, whom;
};

struct host_ends {
    uint32_t first, count;
    uint32_t first_qpn;
    uint32_t flow_first, flow_count; /* in load.flow_end */
    uint32_t srq;        /* 0: every QP has receives of its own */
    bool srq_filled;
    struct udends *udends; /* plain datagrams; NULL: other services */
    struct contexts *contexts; /* QPs that share them; NULL: they do not */
    struct halves *halves; /* QPs that are two; NULL: they are one */
    struct joins *joins; /* NULL: connections are there from the start */
};

/* A range of the sorted acts, or trace flows; `next` is the first that has not happened. */
struct host_range {
    uint32_t first, next, end;
};

/* When the workers of a host have nothing to do: the one that posts receives, the one that serves requests. */
struct host_free {
    tm_ps recv_ps, server_ps;
};

struct host_life {
    bool started, dead;
    bool exiting; /* its process is gone, and not yet all that it had */
};

struct host {
    struct load *load;
    struct vb vb;
    struct meter *meter;
    struct sessions *sessions; /* NULL: connections */
    struct dgport *dgport;     /* theirs; NULL also if another port was given */
    struct messages messages;
    struct host_ends ends;
    struct host_rng rng;
    struct host_range acts, trace;
    struct fifo reposts, served, own, mail; /* receives; requests; reconnects planned here, there */
    tm_ps start_ps, arrival_ps, fill_ps;    /* first post; open loop; receives wait till then */
    tm_ps poll_ps;                          /* completions may be there that wait for this time */
    struct host_free free;
    uint32_t id, cq, key;
    uint32_t bare_key; /* of a second region, without rights; 0: nobody asks for it */
    ev_id entity;
    struct host_life is;
};

/* Messages to hosts of another domain (or of the same: one path), until its next window. */
struct outbox {
    struct letter {
        uint32_t host;
        struct due due;
    } * letter;
    uint32_t count, room;
};

/* What setting up and posting need again and again. */
struct load_plan {
    uint32_t mask[3];       /* of RESET->INIT, INIT->RTR, RTR->RTS */
    uint32_t recv_bytes[2]; /* room of a receive; at a server */
    uint64_t region_bytes;
    uint64_t gap_ps256; /* open loop: mean time between arrivals at a host, 1/256 ps; 0: closed */
    uint32_t cq_depth;
};

struct load {
    struct load_cfg cfg;
    struct load_qp_cfg qp;
    struct load_env env;
    struct load_plan plan;
    struct host *host;
    struct end *end;
    struct flow *flow;  /* as end */
    uint32_t *flow_end; /* ends with a flow, host by host */
    uint32_t ends, flows;
    struct load_act *act;  /* by host, then time; their numbers in the environment */
    uint32_t acts;
    struct spoils *spoils; /* NULL: none */
    uint64_t *act_fired;   /* by number in the environment */
    uint32_t *trace_order; /* trace flows by source, then start */
    uint32_t *trace_end;   /* end that a trace flow is posted on */
    struct outbox *outbox; /* [to * domains + from] */
    struct mailbox *mailbox;
    uint32_t *datagram_qpn; /* by host; NULL: connections */
    struct bytes *bytes;    /* NULL: payload is counted, not moved */
    uint32_t domains;
};

/* ---- conn.c: who is connected with whom ----------------------------------------------------- */

struct conn {
    uint32_t a, b;
    bool forward, backward; /* a flow a -> b, b -> a */
};
/* Visits every connection in the order in which QPs are made. */
void conn_each(const struct load_cfg *cfg, uint32_t hosts, uint64_t seed,
               void (*visit)(void *self, const struct conn *c), void *self);
/* Roles of both sides. */
void conn_roles(const struct load_cfg *cfg, const struct conn *c, uint8_t *a, uint8_t *b);
/* Does this operation take a receive at the other side? */
bool conn_takes_recv(enum xp_wr_op op);
/* Host `h`'s successor in the random cycle over all hosts; out: hosts entries. */
void conn_cycle(uint32_t hosts, uint64_t seed, uint32_t *out);

/* ---- setup.c ---------------------------------------------------------------------------------- */

/* What is wrong with the configuration, NULL if nothing. */
const char *setup_refuse(const struct load_cfg *cfg, const struct load_qp_cfg *qp,
                         const struct load_env *env);
/* Lays out the ends and makes every QP.  NULL, or what the device refused. */
const char *setup_build(struct load *l);
void setup_free(struct load *l);
/* Bytes of the host's region. */
uint64_t setup_region(const struct load *l, const struct host *h);
/* INIT, RTR, RTS with the end's peer and generation. */
int setup_connect(struct load *l, struct host *h, uint32_t e, tm_ps now);
int setup_qp(struct load *l, struct host *h, uint32_t e);
/* The attributes that follow from the configuration; one step of the path, with those given. */
struct xp_qp_attr setup_attributes(const struct load *l, uint32_t e);
int setup_move(struct load *l, struct host *h, uint32_t e, struct xp_qp_attr *attr,
               enum xp_state to, tm_ps now);

/* ---- join.c: connection management --------------------------------------------------------------- */

void join_init(struct load *l);
void join_fini(struct load *l);
void join_step(struct host *h, tm_ps now);
tm_ps join_next(const struct host *h);
/* The connection does not work any more: a DREQ says so. */
void join_leave(struct host *h, uint32_t e, tm_ps now);

/* ---- datagrams.c: acknowledged datagrams ------------------------------------------------------- */

/* What is wrong with the configuration, NULL if nothing. */
const char *datagrams_refuse(const struct load_cfg *cfg, const struct load_qp_cfg *qp,
                             uint32_t hosts);
/* The host's sessions, in the place of its device.  NULL, or what is in the way. */
const char *datagrams_begin(struct load *l, struct host *h);
/* The same for datagrams that nobody acknowledges. */
const char *datagrams_begin_plain(struct load *l, struct host *h);
void datagrams_end(struct load *l);

/* ---- source.c: messages --------------------------------------------------------------------------- */

static inline struct flow *flow_of(struct load *l, uint32_t e) { return &l->flow[e]; }

/* A new message of the flow, posted at post_ps (not later than now). */
void flow_add(struct host *h, uint32_t e, struct message m, tm_ps now);
/* Hands messages to the send queue while there is room. */
void flow_push(struct host *h, uint32_t e, tm_ps now);
/* Closed loop: new messages up to the depth; then flow_push. */
void flow_refill(struct host *h, uint32_t e, tm_ps now);
/* Takes the oldest message off the list and counts it as a success. */
void flow_succeed(struct host *h, uint32_t e, tm_ps now);
/* Forgets all messages that have not succeeded. */
void flow_drop(struct host *h, uint32_t e);
/* All that have not succeeded are to be posted again. */
void flow_rewind(struct host *h, uint32_t e);
uint32_t flow_draw_bytes(struct host *h, uint64_t n);
/* First posts, open-loop arrivals. */
void source_step(struct host *h, tm_ps now);
tm_ps source_next(const struct host *h);

/* ---- poll.c: completions -------------------------------------------------------------------------- */

/* Takes all completions that are there, or sees to it that this is done as soon as the host looks. */
void poll_step(struct host *h, tm_ps now);
tm_ps poll_next(const struct host *h);
/* The host's end that has this QP. */
uint32_t load_end_of(const struct host *h, uint32_t qpn);

/* ---- recv.c: receives -------------------------------------------------------------------------------- */

/* Posts the end's receives, now or when they may be. */
void recv_fill(struct host *h, uint32_t e, tm_ps now);
/* A receive was used; its replacement follows at base or later. */
void recv_consumed(struct host *h, uint32_t e, tm_ps base, tm_ps now);
/* Of a shared queue: a receive was used for nothing, and is replaced. */
void recv_wasted(struct host *h, uint32_t e, tm_ps now);
/* Before the end's QP goes to RESET or away: what it holds of a shared queue is replaced. */
void recv_rescue(struct host *h, uint32_t e, tm_ps now);
void recv_step(struct host *h, tm_ps now);
tm_ps recv_next(const struct host *h);

/* ---- rpc.c ---------------------------------------------------------------------------------------------- */

void rpc_request(struct host *h, uint32_t e, tm_ps now);  /* at the server */
void rpc_response(struct host *h, uint32_t e, tm_ps now); /* at the client */
void rpc_step(struct host *h, tm_ps now);

/* ---- reconnect.c ------------------------------------------------------------------------------------------ */

/* The connection does not work any more: the flow stops, or both sides make it anew. */
void reconnect_break(struct host *h, uint32_t e, tm_ps now);
void reconnect_step(struct host *h, tm_ps now);
/* The end's flow is over: nothing will connect it any more. */
void reconnect_end(struct host *h, uint32_t e, tm_ps now);
/* A closed connection's QP is made ready to be joined anew.  False: that is given up. */
bool reconnect_rejoin(struct host *h, uint32_t e, tm_ps now);
void reconnect_init(struct load *l);
void reconnect_fini(struct load *l);

/* ---- act.c -------------------------------------------------------------------------------------------------- */

void act_init(struct load *l);
void act_step(struct host *h, tm_ps now);
tm_ps act_next(const struct host *h);
/* t, or the end of the stall that t lies in. */
tm_ps act_after_stall(const struct host *h, tm_ps t);
/* The same for times without polling. */
tm_ps act_after_nopoll(const struct host *h, tm_ps t);
/* t, or when the process goes on that is stopped at t; TM_NEVER: it is gone. */
tm_ps act_after_stop(const struct host *h, tm_ps t);
void act_fini(struct load *l);

/* ---- spoil.c: work requests with something wrong ----------------------------------------------- */

void spoil_init(struct load *l);
void spoil_fini(struct load *l);
/* Must hosts have a region without rights? */
bool spoil_wants_bare(const struct load_env *env);
/* The end's request, as it is to be posted. */
void spoil_wr(struct host *h, uint32_t e, struct xp_send_wr *wr, tm_ps now);
/* Where the request was aimed at; false: it was not spoiled so. */
bool spoil_place(const struct load *l, uint32_t e, uint64_t wr, uint64_t *remote);

/* ---- trace.c ----------------------------------------------------------------------------------------------------- */

void trace_init(struct load *l);
void trace_step(struct host *h, tm_ps now);
tm_ps trace_next(const struct host *h);

#endif
