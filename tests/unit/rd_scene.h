/* What tests of reliable datagrams share: a rig of service RD, and requests of any of its QPs. */
#ifndef TESTS_RD_SCENE_H
#define TESTS_RD_SCENE_H

#include "tests/unit/rig.h"

/* A QP and a context on each end, all in RTS; of the RIG_RDD. */
struct rig *rd_scene(void);

struct rd_op {
    uint32_t from; /* QP of A's; 0: the rig's */
    uint32_t to;   /* QP of B's; 0: the rig's */
    uint32_t eecn; /* 0: the rig's */
    uint32_t qkey; /* 0: the right one */
    struct rig_op op;
};
int rd_post(struct rig *r, struct rd_op o);
/* A SEND of `len` bytes, CHECKed. */
void rd_send(struct rig *r, uint64_t id, uint32_t from, uint32_t to, uint32_t len);
/* A receive of a further QP of B's. */
void rd_recv(struct rig *r, uint32_t qpn, uint64_t id, uint32_t len);
enum xp_state rd_state(const struct rig *r, int end, uint32_t qpn);
int rd_modify(struct rig *r, int end, uint32_t qpn, enum xp_state to);
/*
 * Who sent what: "a:SEND_FIRST.100 a:SEND_LAST.101 0:SEND_ONLY.102 b:ack.102"; a, b: the rig's QPs,
 * a digit: a further one of that end; of answers: whom they are for.  "x": lost.
 */
const char *rd_packets(struct rig *r);

#endif
