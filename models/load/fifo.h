/*
 * What a host has to do later, in order of time: rings that grow to the most that ever waits.
 *
 * Every use adds a constant delay to a clock that only moves forward, so arrivals are in order and
 * no heap is needed (CHECKed).
 */
#ifndef LOAD_FIFO_H
#define LOAD_FIFO_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/base/tm.h"

struct due {
    tm_ps at;
    uint32_t end;        /* index of the QP end it is for */
    uint32_t from, qpn;  /* mail: host and QP number of the sender */
    uint16_t generation; /* of the connection it belongs to */
};

struct fifo {
    struct due *item;
    uint32_t head, count, room; /* room: a power of 2, or 0 */
};

void fifo_put(struct fifo *f, struct due d);
/* Takes the oldest if its time has come. */
bool fifo_take(struct fifo *f, tm_ps now, struct due *out);
void fifo_fini(struct fifo *f);

/* Time of the oldest, TM_NEVER if there is none. */
static inline tm_ps fifo_at(const struct fifo *f)
{
    return f->count ? f->item[f->head].at : TM_NEVER;
}

#endif
