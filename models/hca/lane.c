/* See lane.h. */
#include "models/hca/lane.h"

#include <stdlib.h>

#include "models/fabric/side.h"
#include "sim/base/check.h"

#define ROOM_MIN 16u

static bool is_before(const struct lane_item *a, const struct lane_item *b)
{
    return a->at != b->at ? a->at < b->at : a->order < b->order;
}

static void grow(struct lane *l)
{
    uint32_t room = l->room ? 2 * l->room : ROOM_MIN;
    l->item = realloc(l->item, room * sizeof *l->item);
    l->pkt = realloc(l->pkt, room * sizeof *l->pkt);
    l->unused = realloc(l->unused, room * sizeof *l->unused);
    CHECK(l->item && l->pkt && l->unused);
    for (uint32_t i = 0; i < room - l->room; i++)
        l->unused[i] = room - 1 - i;
    l->room = room;
}

static void rise(struct lane *l, uint32_t i, struct lane_item it)
{
    for (; i > 0 && is_before(&it, &l->item[(i - 1) / 2]); i = (i - 1) / 2)
        l->item[i] = l->item[(i - 1) / 2];
    l->item[i] = it;
}

static void sink(struct lane *l, struct lane_item it)
{
    uint32_t i = 0, child;
    while ((child = 2 * i + 1) < l->count) {
        if (child + 1 < l->count && is_before(&l->item[child + 1], &l->item[child]))
            child++;
        if (!is_before(&l->item[child], &it))
            break;
        l->item[i] = l->item[child];
        i = child;
    }
    l->item[i] = it;
}

void lane_put(struct lane *l, const struct pkt *p, tm_ps at)
{
    if (l->count == l->room)
        grow(l);
    uint32_t slot = l->unused[l->room - l->count - 1];
    l->pkt[slot] = *p;
    l->bytes += p->wire_bytes;
    rise(l, l->count++, (struct lane_item){at, l->put++, slot});
}

bool lane_take(struct lane *l, tm_ps now, struct pkt *out)
{
    if (l->count == 0 || l->item[0].at > now)
        return false;
    uint32_t slot = l->item[0].slot;
    *out = l->pkt[slot];
    l->bytes -= out->wire_bytes;
    l->count--;
    l->unused[l->room - l->count - 1] = slot;
    if (l->count > 0)
        sink(l, l->item[l->count]);
    return true;
}

void lane_fini(struct lane *l)
{
    struct pkt p;
    while (lane_take(l, TM_NEVER, &p))
        side_drop(&p);
    free(l->item);
    free(l->pkt);
    free(l->unused);
}
