/*
 * The scene of an exploration: two ends joined by the in-memory loop, connected QPs, everything
 * posted, the ledger looking on.  A stage is a value: stage_clone makes a second one.
 *
 * Time goes on by instants.  Between two of them the packets that have just left wait for their
 * fate, one by one in the order of leaving; nothing of it is random.
 */
#ifndef EXPLORE_STAGE_H
#define EXPLORE_STAGE_H

#include "models/explore/fate.h"
#include "models/explore/ledger.h"
#include "models/explore/story.h"
#include "models/port/loop.h"

enum { STAGE_HELD = 8 };

struct stage_spec {
    enum xp_service_id service;
    struct xp_profile profile;
    uint16_t mtu;
    uint8_t timeout, retry_cnt, rnr_retry, min_rnr_timer;
    uint8_t max_rd_atomic, max_dest_rd_atomic;
    bool srq;           /* receives from shared queues; where requests name one they always are */
    struct psn24 first_psn;
    tm_ps delay_ps;     /* one way */
    tm_ps recv_late_ps; /* receives are posted then */
    tm_ps limit_ps;     /* all must be quiet by then */
    /* What a network or driver in error makes of a copy; NULL: the copy is one.  For tests. */
    void (*spoil_copy)(struct wire_hdr *h);
};

struct stage_flow {
    uint8_t from, to;
    uint32_t send_qp, recv_qp, send_cq, recv_cq;
    uint32_t srq; /* of the receiver; 0: none */
    uint32_t from_conn, to_conn; /* who has the numbers: the QPs, or contexts of theirs */
};

struct stage {
    const struct stage_spec *spec;
    const struct task *task;
    struct loop *loop;
    struct stage_flow flow[TASK_FLOWS];
    uint32_t key[TASK_ENDS];
    bool recvs_posted;
    uint64_t decided;                      /* order of the next packet without a fate */
    uint32_t sent[TASK_ENDS][TASK_ENDS];   /* packets with a fate, by direction */
    struct loop_packet held[STAGE_HELD];   /* each waits for the next of its direction */
    uint32_t helds;
    uint64_t events;
    struct story *story;                   /* what happens is told here; NULL: not */
    uint64_t timeouts[TASK_ENDS];          /* told so far */
    struct ledger ledger;
};

/* Does the service acknowledge (and so keep order and deliver once)? */
bool stage_is_acked(enum xp_service_id service);

/* Do QPs send through contexts that they share? */
bool stage_is_joined(enum xp_service_id service);

/* Is a receive its message's alone from the first packet on? */
bool stage_is_shared(const struct stage_spec *spec);

/* Bytes that its receives hold before the payload. */
uint32_t stage_head(enum xp_service_id service);

/*
 * All posted, the first packets on their way without a fate.  NULL with *why.  story: may be NULL;
 * a clone has none.
 */
struct stage *stage_new(const struct stage_spec *spec, const struct task *task,
                        struct story *story, const char **why);
struct stage *stage_clone(const struct stage *s);
void stage_free(struct stage *s);

/* The packet whose fate is to be decided; false: none. */
bool stage_pending(const struct stage *s, struct fault *which);
void stage_decide(struct stage *s, enum fate f);

/*
 * All that happens at the next moment at which something does.  false: nothing does any more, or
 * not before the limit; the ledger has then been closed.  Look at s->ledger.breach after either.
 */
bool stage_instant(struct stage *s);

/* Two stages with equal digests go on alike, given the same fates. */
uint64_t stage_digest(const struct stage *s);

#endif
