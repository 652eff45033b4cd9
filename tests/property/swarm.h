/*
 * A seeded storm over one connected pair: random requests, sizes, losses, copies, delays, late or
 * scarce receives.  Which of these a run has at all is drawn first (swarm testing: a run without
 * losses goes deeper into something else than one with a little of everything).
 *
 * The model is a list: what was posted, in order.  Every message has a slot of its own at either
 * end, every receive one of its own, so what arrived can be compared byte for byte afterwards.
 */
#ifndef TESTS_SWARM_H
#define TESTS_SWARM_H

#include "tests/unit/rig.h"

enum { SWARM_MESSAGES = 28, SWARM_SLOT = 4096 };

struct swarm_message {
    enum xp_wr_op op;
    uint32_t len, imm;
    bool signalled;
};

struct swarm_received {
    uint32_t byte_len, imm, slot;
    bool with_imm, is_write;
};

enum swarm_receives { RECV_READY, RECV_LATE, RECV_SCARCE };

struct swarm {
    uint32_t seed;
    char where[48];
    struct rig *r;
    struct rng_stream draw;
    struct swarm_message m[SWARM_MESSAGES];
    uint32_t messages, posted, recvs_posted, recvs_wanted;
    enum swarm_receives receives;
    bool reorders;                  /* copies or delays towards B */
    uint8_t status[SWARM_MESSAGES]; /* 0xff: none seen */
    uint32_t completions, successes;
    int64_t last_completed; /* message, -1: none */
    struct swarm_received got[SWARM_MESSAGES];
    uint32_t received;
};

/* Plays this seed to the end; completions are checked for order and number on the way. */
struct swarm *swarm_run(enum xp_service_id service, uint32_t seed);
void swarm_free(struct swarm *s);

bool swarm_takes_receive(const struct swarm_message *m);
/* Do message i's bytes stand where its request (WRITE) or that receive (SEND) put them? */
bool swarm_intact(const struct swarm *s, uint32_t i, uint32_t recv_slot);

#endif
