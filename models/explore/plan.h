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
#ifndef EXPLORE_PLAN_H
#define EXPLORE_PLAN_H

#include <stdbool.h>
#include <stdint.h>

#include "models/transport/xp.h"

enum {
    PLAN_ENDS = 2,
    PLAN_FLOWS = 4,
    PLAN_MESSAGES = 12,
    PLAN_AREAS = 2 * PLAN_MESSAGES + PLAN_MESSAGES + PLAN_FLOWS,
    PLAN_ARENA = 32768,
    PLAN_GUARD = 32
};

struct plan_op {
    uint8_t op;   /* enum xp_wr_op */
    uint8_t flow;
    bool silent;  /* asks for no completion */
    uint32_t len; /* atomics: 8 */
};

struct plan_spec {
    bool acked;         /* the service acknowledges, keeps order and delivers once */
    uint32_t mtu;
    uint32_t head;      /* bytes that stand before the payload of each receive */
    uint32_t flows;
    struct plan_op op[PLAN_MESSAGES]; /* in the order of posting */
    uint32_t ops;
    struct {
        uint8_t from, to; /* ends */
    } flow[PLAN_FLOWS];
};

struct plan_area {
    uint8_t end;
    uint32_t at, len;
};

#define PLAN_NO_RECV 0xff

struct plan_message {
    uint8_t op, flow;
    bool signalled;
    uint8_t recv;           /* the receive that it takes if all is delivered in order */
    uint8_t atomic;         /* which of its flow's atomics */
    uint8_t local, remote;  /* areas; SEND has no remote one */
    uint32_t len, imm;
    uint32_t packets;       /* of the request */
    uint64_t operand;       /* add or swap */
    uint64_t compare;
};

struct plan_recv {
    uint8_t flow;
    uint8_t area;
};

struct plan {
    struct plan_spec spec;
    struct plan_message message[PLAN_MESSAGES];
    struct plan_recv recv[PLAN_MESSAGES]; /* in the order of posting */
    struct plan_area area[PLAN_AREAS];
    uint32_t recvs, areas;
    uint8_t word[PLAN_FLOWS];                        /* area that the flow's atomics work on */
    uint64_t value[PLAN_FLOWS][PLAN_MESSAGES + 1];   /* of the word after n atomics */
    uint32_t atomics[PLAN_FLOWS];
    uint32_t arena_bytes;                            /* of each end */
    uint8_t filled[PLAN_ENDS][PLAN_ARENA];           /* at the start */
    uint8_t used[PLAN_ENDS][PLAN_ARENA];             /* once the owner is done with an area */
};

/* NULL and *plan whole; or what cannot be: "message 3 is too long". */
const char *plan_make(const struct plan_spec *spec, struct plan *plan);

bool plan_takes_recv(const struct plan_message *m);
bool plan_is_write(const struct plan_message *m);
bool plan_is_atomic(const struct plan_message *m);

/* The bytes that a message must deliver, len of them. */
const uint8_t *plan_payload(const struct plan *p, const struct plan_message *m);

#endif
