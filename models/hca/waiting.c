/* See waiting.h.  Invariant: the entity is armed while some packet is due. */
#include "models/hca/waiting.h"

#include <stdlib.h>
#include <string.h>

#include "models/fabric/side.h"
#include "models/hca/state.h"

static bool is_early(const struct hca *h, uint32_t qpn)
{
    struct xp_qp_query q;
    return xp_qp_query(h->core, qpn, &q) == XP_OK && q.state == XP_INIT;
}

bool waiting_take(struct hca *h, const struct pkt *p)
{
    struct waiting *w = h->held.early;
    if (w->count == w->room || !is_early(h, p->h.dest_qp))
        return false;
    w->pkt[w->count] = *p;
    w->due[w->count++] = false;
    return true;
}

void waiting_release(struct hca *h, uint32_t qpn, tm_ps now)
{
    struct waiting *w = h->held.early;
    bool any = false;
    for (uint32_t i = 0; i < w->count; i++) {
        w->due[i] |= w->pkt[i].h.dest_qp == qpn;
        any |= w->due[i];
    }
    if (any)
        ev_arm(h->ev, w->entity, now + 1);
}

static bool take_due(struct waiting *w, struct pkt *out)
{
    uint32_t i = 0;
    while (i < w->count && !w->due[i])
        i++;
    if (i == w->count)
        return false;
    *out = w->pkt[i];
    w->count--;
    memmove(&w->pkt[i], &w->pkt[i + 1], (w->count - i) * sizeof *w->pkt);
    memmove(&w->due[i], &w->due[i + 1], (w->count - i) * sizeof *w->due);
    return true;
}

static tm_ps fire(void *self, tm_ps now)
{
    struct hca *h = self;
    struct pkt p;
    while (take_due(h->held.early, &p))
        hca_arrive(h, &p, now);
    return TM_NEVER;
}

struct waiting *waiting_new(struct hca *h, uint32_t room)
{
    if (room == 0)
        return NULL;
    struct waiting *w = calloc(1, sizeof *w);
    CHECK(w != NULL);
    w->room = room;
    w->pkt = calloc(room, sizeof *w->pkt);
    w->due = calloc(room, sizeof *w->due);
    CHECK(w->pkt && w->due);
    w->entity = ev_add(h->ev, fab_domain(h->fab, h->host), EV_ARRIVE, fire, h);
    return w;
}

void waiting_free(struct waiting *w)
{
    if (!w)
        return;
    for (uint32_t i = 0; i < w->count; i++)
        side_drop(&w->pkt[i]);
    free(w->pkt);
    free(w->due);
    free(w);
}
