/*
 * What is done to hosts, QPs and work requests from outside: the events of [inject].  Part of load.h, which
 * includes it.
 *
 *   stall HOST T1..T2      no receives are posted
 *   nopoll HOST T1..T2     no completions are taken
 *   stop HOST T1..T2       the process is stopped: it neither posts nor polls, and its adapter works on
 *   kill HOST T            the host dies; with an order, its process alone does, and its QPs or its memory
 *                          region go first, the rest a while later
 *   destroy HOST:QP T      the QP is destroyed
 *   error HOST:QP T        the QP is moved to ERR
 *   rights HOST:QP T ...   the QP's access rights become these
 *   spoil HOST:QP ...      one work request names memory that it must not
 */
#ifndef LOAD_ACTS_H
#define LOAD_ACTS_H

#include <stdint.h>

#include "sim/base/tm.h"
#include "sim/base/window.h"

enum load_act_kind { LOAD_ACT_STALL, LOAD_ACT_NOPOLL, LOAD_ACT_KILL, LOAD_ACT_DESTROY, LOAD_ACT_STOP,
                     LOAD_ACT_ERROR, LOAD_ACT_RIGHTS, LOAD_ACT_SPOIL, LOAD_ACT_EXIT_REST /* of a kill: act.c's own */ };
enum load_order { LOAD_ORDER_HOST, LOAD_ORDER_QP, LOAD_ORDER_MR };

/* What is wrong with a spoiled work request. */
enum load_spoil {
    LOAD_SPOIL_LKEY,          /* the local key is none */
    LOAD_SPOIL_SGE,           /* the local segment leaves its region */
    LOAD_SPOIL_LOCAL_WRITE,   /* the local region may not be written */
    LOAD_SPOIL_RKEY,          /* the remote key is none */
    LOAD_SPOIL_RANGE,         /* the remote range leaves its region */
    LOAD_SPOIL_REMOTE_ACCESS, /* the remote region may not be accessed from afar */
    LOAD_SPOILS
};

#define LOAD_ACT_NAME_MAX 48
#define LOAD_INSIDE_MOST UINT64_MAX /* all but the last byte */
#define LOAD_WR_BY_TIME UINT64_MAX
struct load_act {
    enum load_act_kind kind;
    uint32_t host;
    uint32_t qp; /* ordinal of the QP on its host, from 0 */
    struct window when; /* what happens once: from_ps */
    enum load_order order; /* kill */
    tm_ps gap_ps;          /* kill with an order: until the rest goes */
    uint32_t rights;       /* rights: enum xp_access */
    enum load_spoil spoil;
    uint64_t wr;           /* spoil: number of the message on its flow; LOAD_WR_BY_TIME: the first from from_ps on */
    uint64_t inside_bytes; /* sge, range: so much of the message lies within the region */
    uint32_t rule;         /* packet rules before it in the file */
    char name[LOAD_ACT_NAME_MAX];
};

#endif
