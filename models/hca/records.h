/*
 * What the driver keeps of a QP, which lies in reserved memory that a QP touches when it is used; and of packets.
 */
#ifndef HCA_RECORDS_H
#define HCA_RECORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "models/wire/pkt.h"

struct hca_qp {
    uint64_t bytes, delivered; /* distinct messages that arrived here */
    uint64_t last_msgno;       /* 1 + number of the last of them; 0: none */
    uint64_t seen;             /* bit i: number last_msgno - 1 - i has arrived */
};

/* READs and atomics that this QP has been answered; touched only by those. */
struct hca_rd {
    uint64_t bytes, done;
};

struct reserved {
    void *at;
    size_t bytes;
};

struct records {
    struct hca_qp *qp;
    struct hca_rd *rd;
    uint32_t room;
    struct reserved memory; /* of the core, these and the turns */
};

/* Turns at the wire: how many packets one has, and has had. */
struct arbiter {
    uint32_t how; /* enum hca_arbitration */
    uint32_t packets, used;
};

/* Selective repeat: packets that came too early, by place. */
struct held {
    struct pkt *pkt;  /* NULL: packets come in order or again */
    uint8_t *payload; /* MOVE_PAYLOAD_MAX each; NULL: payload is not moved */
    uint32_t count;
    struct waiting *early; /* before their QP was RTR; NULL: such packets are dropped */
};

/*
 * Is this the first delivery of that number?  32 bits of it travel; one that others have overtaken
 * by up to 63 numbers is told from a copy.
 */
static inline bool is_new(uint64_t *end, uint64_t *seen, uint32_t msgno)
{
    int32_t ahead = (int32_t)(msgno - (uint32_t)*end);
    if (ahead >= 0) {
        *seen = ahead < 63 ? *seen << (ahead + 1) | 1 : 1;
        *end += (uint64_t)ahead + 1;
        return true;
    }
    uint32_t back = (uint32_t)(-1 - ahead);
    if (back >= 64 || *seen >> back & 1)
        return false;
    *seen |= (uint64_t)1 << back;
    return true;
}

/* Has a message of that number been delivered? */
static inline bool has_come(const struct hca_qp *q, uint32_t msgno)
{
    uint64_t end = q->last_msgno, seen = q->seen;
    return !is_new(&end, &seen, msgno);
}

#endif
