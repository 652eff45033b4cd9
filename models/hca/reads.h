/*
 * Which READs of a QP are on their way: their numbers and times of posting.
 *
 * A READ is delivered where it was posted, but its response packets come from the other side and
 * carry nothing of the poster's.  Responses come in posting order, so one queue per QP tells.
 * Entries lie in memory that is reserved for all send WQEs and touched only when used.
 */
#ifndef HCA_READS_H
#define HCA_READS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct reads_item {
    uint64_t tag;
    uint32_t msgno;
    uint32_t next; /* index + 1; the list's own */
};

/* One QP's; zeroed = empty. */
struct reads_fifo {
    uint32_t head, tail; /* index + 1 */
};

struct reads {
    struct reads_item *item;
    uint32_t room, used; /* used: high-water mark */
    uint32_t free;       /* index + 1 */
};

size_t reads_bytes(uint32_t room);
/* memory: reads_bytes(room) of it, the caller's. */
void reads_init(struct reads *r, void *memory, uint32_t room);
void reads_put(struct reads *r, struct reads_fifo *q, struct reads_item item);
/* Takes the oldest; false if there is none. */
bool reads_take(struct reads *r, struct reads_fifo *q, struct reads_item *out);
void reads_clear(struct reads *r, struct reads_fifo *q);

#endif
