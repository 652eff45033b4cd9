/*
 * Queues of outstanding READs over one pool: a high-water mark and a free list, last in first out.
 *
 * The core refuses a request beyond its send WQEs, so the pool, as large as they, cannot run out.
 */
#include "models/hca/reads.h"

#include "sim/base/check.h"

size_t reads_bytes(uint32_t room) { return ((size_t)room + 1) * sizeof(struct reads_item); }

void reads_init(struct reads *r, void *memory, uint32_t room)
{
    *r = (struct reads){.item = memory, .room = room};
}

static uint32_t take_slot(struct reads *r)
{
    uint32_t slot = r->free;
    if (slot) {
        r->free = r->item[slot - 1].next;
        return slot;
    }
    CHECK(r->used < r->room);
    return ++r->used;
}

void reads_put(struct reads *r, struct reads_fifo *q, struct reads_item item)
{
    uint32_t slot = take_slot(r);
    item.next = 0;
    r->item[slot - 1] = item;
    if (q->tail)
        r->item[q->tail - 1].next = slot;
    else
        q->head = slot;
    q->tail = slot;
}

bool reads_take(struct reads *r, struct reads_fifo *q, struct reads_item *out)
{
    uint32_t slot = q->head;
    if (!slot)
        return false;
    *out = r->item[slot - 1];
    q->head = out->next;
    if (!q->head)
        q->tail = 0;
    r->item[slot - 1].next = r->free;
    r->free = slot;
    return true;
}

void reads_clear(struct reads *r, struct reads_fifo *q)
{
    struct reads_item dropped;
    while (reads_take(r, q, &dropped))
        continue;
}
