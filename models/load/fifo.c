/*
 * A ring of things due.  It grows by doubling and never shrinks: a run that has reached its steady
 * state allocates nothing.
 */
#include "models/load/fifo.h"

#include <glib.h>

#include "sim/base/check.h"

static void grow(struct fifo *f)
{
    uint32_t room = f->room ? 2 * f->room : 8;
    struct due *item = g_new(struct due, room);
    for (uint32_t i = 0; i < f->count; i++)
        item[i] = f->item[(f->head + i) & (f->room - 1)];
    g_free(f->item);
    *f = (struct fifo){.item = item, .head = 0, .count = f->count, .room = room};
}

void fifo_put(struct fifo *f, struct due d)
{
    if (f->count == f->room)
        grow(f);
    uint32_t last = (f->head + f->count - 1) & (f->room - 1);
    CHECK(f->count == 0 || f->item[last].at <= d.at);
    f->item[(last + 1) & (f->room - 1)] = d;
    if (f->count++ == 0)
        f->head = (last + 1) & (f->room - 1);
}

bool fifo_take(struct fifo *f, tm_ps now, struct due *out)
{
    if (f->count == 0 || f->item[f->head].at > now)
        return false;
    *out = f->item[f->head];
    f->head = (f->head + 1) & (f->room - 1);
    f->count--;
    return true;
}

void fifo_fini(struct fifo *f)
{
    g_free(f->item);
    *f = (struct fifo){0};
}
