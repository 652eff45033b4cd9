/*
 * What an exploration posts, and what memory must hold for it: fixed before anything runs, shared
 * by all states of the search, never changed.
 *
 * A flow is one send queue and the receives that its messages take.  Each message and each receive
 * has areas of memory of its own, with guards between them; two images tell what an area holds: as
 * it was filled, and after its owner has used it up.  All bytes differ from place to place, so that
 * a payload in the wrong place, of the wrong message or of the wrong time shows.
 *
 * Left out: SGE lists (one area is one segment), messages that share an area.
 */
#ifndef EXPLORE_TASK_H
#define EXPLORE_TASK_H

#include <stdbool.h>
#include <stdint.h>

#include "models/transport/xp.h"

enum {
    TASK_ENDS = 2,
    TASK_FLOWS = 4,
    TASK_MESSAGES = 12,
    TASK_SPARE = 6,
    TASK_RECVS = TASK_MESSAGES + TASK_FLOWS * TASK_SPARE,
    TASK_AREAS = 2 * TASK_MESSAGES + TASK_RECVS + TASK_FLOWS,
    TASK_ARENA = 32768,
    TASK_GUARD = 32
};

struct task_op {
    uint8_t op;   /* enum xp_wr_op */
    uint8_t flow;
    bool silent;  /* asks for no completion */
    uint32_t len; /* atomics: 8 */
    bool fence;   /* waits for the READs and atomics before it */
    uint8_t of;   /* READ: 1 + the WRITE before it whose target it reads; 0: memory of its own */
};

struct task_spec {
    bool acked;         /* the service acknowledges, keeps order and delivers once */
    bool steadfast;     /* there are retries enough: no request may give up */
    bool restarts;      /* after a loss a message may start anew at the responder, too */
    bool joined;        /* flows of one direction share a connection, and one's failure ends it for all */
    bool shared;        /* receives from a shared queue: they belong to a message from its first packet */
    uint32_t spare;     /* receives of each flow beyond its messages': some may break off; TASK_SPARE at most */
    uint32_t mtu;
    uint32_t head;      /* bytes that stand before the payload of each receive */
    uint32_t flows;
    struct task_op op[TASK_MESSAGES]; /* in the order of posting */
    uint32_t ops;
    struct {
        uint8_t from, to; /* ends */
    } flow[TASK_FLOWS];
};

struct task_area {
    uint8_t end;
    uint32_t at, len;
};

#define TASK_NO_RECV 0xff

struct task_message {
    uint8_t op, flow;
    bool signalled, fence;
    uint8_t of;             /* as in task_op */
    uint8_t recv;           /* the receive that it takes if all is delivered in order */
    uint8_t atomic;         /* which of its flow's atomics */
    uint8_t local, remote;  /* areas; SEND has no remote one */
    uint32_t len, imm;
    uint32_t packets;       /* of the request */
    uint64_t operand;       /* add or swap */
    uint64_t compare;
};

struct task_recv {
    uint8_t flow;
    uint8_t area;
};

struct task {
    struct task_spec spec;
    struct task_message message[TASK_MESSAGES];
    struct task_recv recv[TASK_RECVS]; /* in the order of posting */
    struct task_area area[TASK_AREAS];
    uint32_t recvs, areas;
    uint8_t word[TASK_FLOWS];                        /* area that the flow's atomics work on */
    uint64_t value[TASK_FLOWS][TASK_MESSAGES + 1];   /* of the word after n atomics */
    uint32_t atomics[TASK_FLOWS];
    uint32_t arena_bytes;                            /* of each end */
    uint8_t filled[TASK_ENDS][TASK_ARENA];           /* at the start */
    uint8_t used[TASK_ENDS][TASK_ARENA];             /* once the owner is done with an area */
};

/* NULL and *task whole; or what cannot be: "message 3 is too long". */
const char *task_make(const struct task_spec *spec, struct task *task);

bool task_takes_recv(const struct task_message *m);
bool task_is_write(const struct task_message *m);
bool task_is_atomic(const struct task_message *m);

/* The bytes that a message must deliver, len of them. */
const uint8_t *task_payload(const struct task *p, const struct task_message *m);

#endif
