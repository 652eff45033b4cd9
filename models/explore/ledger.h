/*
 * The checker: what a consumer at either end may see, and must.
 *
 * It knows the task, is told of completions as they are polled, and looks at memory.  It knows
 * nothing of packets or of the transport core: what holds here holds for any implementation.
 * Once a message or a receive is done the ledger uses its memory for something else, as a consumer
 * would; a core that still touches it is caught.
 *
 * A breach is kept, the first only.  A ledger is a value: copies go on apart.
 */
#ifndef EXPLORE_LEDGER_H
#define EXPLORE_LEDGER_H

#include "models/explore/task.h"

enum ledger_rule {
    LEDGER_SOUND,
    LEDGER_ORDER,       /* delivered before its turn */
    LEDGER_TWICE,       /* delivered more often than it may be */
    LEDGER_FOREIGN,     /* a receive holds what nobody sent: length, immediate, kind */
    LEDGER_PAYLOAD,     /* delivered, but not with its bytes */
    LEDGER_STRAY,       /* memory changed that nothing may change now */
    LEDGER_COMPLETION,  /* a completion twice, out of turn, or of nothing posted */
    LEDGER_STATUS,      /* a status that nothing here can cause */
    LEDGER_GAVE_UP,     /* out of retries, though there are more of them than faults */
    LEDGER_UNDELIVERED, /* success, but not delivered */
    LEDGER_ATOMIC,      /* an atomic's target or result is wrong */
    LEDGER_RECV_KEPT,   /* a receive was used up without a message, or not at all */
    LEDGER_BACKWARDS,   /* a PSN or MSN went back, or beyond what was posted */
    LEDGER_RESOURCES,   /* a pool ran out, or entries are left when all is quiet */
    LEDGER_STUCK,       /* quiet, or out of time, with work that never completed */
    LEDGER_RULES
};
const char *ledger_rule_text(enum ledger_rule r);

enum ledger_area_state {
    AREA_FILLED, /* as at the start, and must stay so */
    AREA_OPEN,   /* may be written */
    AREA_USED    /* done with, and must stay so */
};

struct ledger {
    const struct task *task;
    uint8_t delivered[TASK_MESSAGES];
    uint8_t copies[TASK_MESSAGES];    /* extra packets of it that the network made */
    uint8_t received[TASK_RECVS];     /* receives: completed */
    uint8_t area[TASK_AREAS];         /* enum ledger_area_state */
    uint8_t posted[TASK_FLOWS];       /* messages of the flow */
    uint8_t completed[TASK_FLOWS];    /* messages of the flow up to its newest completion */
    uint8_t recvs_done[TASK_FLOWS];
    uint8_t executed[TASK_FLOWS];     /* atomics, at least */
    uint8_t newest[TASK_FLOWS];       /* 1 + message delivered last */
    bool failed[TASK_FLOWS], flushed[TASK_FLOWS], numbered[TASK_FLOWS];
    bool reordered;                   /* the network has put packets out of order or repeated one */
    struct psn24 sq_psn[TASK_FLOWS], rq_psn[TASK_FLOWS];
    uint32_t msn[TASK_FLOWS];
    enum ledger_rule breach;
    char what[160];                   /* of the breach, in words */
};

/* The memories are filled as the task says. */
void ledger_init(struct ledger *l, const struct task *p, uint8_t *const memory[TASK_ENDS]);

void ledger_posted(struct ledger *l, uint32_t message);
void ledger_recv_posted(struct ledger *l, uint32_t recv);

/* The network repeated a packet of a message, or let packets of its flow change places. */
void ledger_repeated(struct ledger *l, uint32_t message);
void ledger_reordered(struct ledger *l);

/* A completion of a flow's send queue, of a flow's receive queue.  wr_id: index in the task. */
void ledger_send_done(struct ledger *l, uint32_t flow, const struct xp_wc *wc,
                      uint8_t *const memory[TASK_ENDS]);
void ledger_recv_done(struct ledger *l, uint32_t flow, const struct xp_wc *wc,
                      uint8_t *const memory[TASK_ENDS]);

/* After every event: what may not change has not changed (before the completions are told), and
 * numbers only grow (after them). */
void ledger_look(struct ledger *l, uint8_t *const memory[TASK_ENDS]);
struct ledger_numbers {
    struct psn24 sq_psn, rq_psn; /* of the sender's send side, of the receiver's */
    uint32_t msn;                /* the receiver's */
};
void ledger_numbers(struct ledger *l, uint32_t flow, struct ledger_numbers n);

/* All is quiet: is everything done that must be?  recvs_left: receives that still wait, by flow. */
void ledger_finish(struct ledger *l, const uint32_t recvs_left[TASK_FLOWS]);

/* A breach that another found: a pool, the time. */
void ledger_breach(struct ledger *l, enum ledger_rule rule, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Of what will count from here on. */
uint64_t ledger_digest(const struct ledger *l);

#endif
