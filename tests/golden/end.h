/*
 * One end of a capture: a transport core with the QP, the memory and the work requests that the
 * capture gives it.
 *
 * Whoever drives it hands it packets, steps and time, and pulls its packets one by one; completions
 * are gathered as they come.  The peer's QP number and keys are taken from an end of the peer's own.
 */
#ifndef GOLDEN_END_H
#define GOLDEN_END_H

#include "models/transport/xp.h"
#include "tests/golden/capture.h"

#define PAYLOAD_MAX 4096

/* A packet with its bytes. */
struct flight {
    struct wire_hdr h;
    struct wire_ext e;
    uint8_t payload[PAYLOAD_MAX + WIRE_HDR_BYTES_MAX]; /* or headers behind an unknown opcode */
    bool unreadable; /* too short for its headers: no end takes notice */
};

struct end {
    const struct capture *c;
    unsigned side;
    const struct end *peer;
    void *block;
    struct xp *core;
    uint8_t *arena;
    uint32_t qpn, cq[CQS];
    uint32_t srqn; /* 0: receives of its own */
    bool paired;   /* the service joins two QPs; otherwise sends name the other */
    uint32_t key[REGIONS_MAX];
    uint64_t base[REGIONS_MAX];
    bool ready;       /* a pull may give something */
    bool not_offered; /* a step asked for what the core does not offer */
    struct completion *done;
    uint32_t dones, room;
};

/* Both ends of a capture; false with *why: the core does not offer what it needs. */
bool ends_init(struct end end[SIDES], const struct capture *c, const struct xp_profile *profile,
               struct trouble *why);
void ends_fini(struct end end[SIDES]);

/* Work that the capture asks for; false with *why: refused, or (not_offered) not offered. */
bool end_do(struct end *e, const struct step *s, tm_ps now, struct trouble *why);

/* A packet arrives; its payload is placed, an atomic done. */
void end_deliver(struct end *e, const struct flight *f, tm_ps now);

/* The next packet; false: none may leave now. */
bool end_pull(struct end *e, tm_ps now, struct flight *out);

/* Lets timers that are due go off, and takes completions. */
void end_expire(struct end *e, tm_ps now);

/* What events.csv would say of the packet; action fwd. */
struct packet end_describe(const struct end *from, const struct flight *f);

/*
 * A recorded packet as it arrives at `to`: addresses, keys and QP numbers are those that its end and
 * its peer have here.  false: it has no headers that could be read.
 */
bool end_translate(const struct end *to, const struct packet *p, struct flight *out);

#endif
