/*
 * Links: the hot path of every run.
 *
 * A fixed-rate FIFO port knows at once when a packet will have left: start = max(now,
 * busy_until), then its serialisation.  Neither the departure nor the waiting before it is an
 * event; the buffer's fill is the time that the port is busy for, and a tail drop is a
 * comparison of times.
 *
 * Invariants: arrivals in a ring grow strictly; the link's entity is armed exactly while its ring
 * holds packets, at the head's arrival.
 */
#include <stdlib.h>
#include <string.h>

#include "models/fabric/link.h"
#include "models/fabric/side.h"
#include "sim/base/check.h"

#define RING_CAP_MIN 16u

static void ring_grow(struct ring *r)
{
    uint32_t cap = r->cap ? 2 * r->cap : RING_CAP_MIN, n = r->tail - r->head;
    CHECK(cap > r->cap);
    struct pkt *pkt = aligned_alloc(sizeof *pkt, cap * sizeof *pkt);
    tm_ps *at = malloc(cap * sizeof *at);
    CHECK(pkt && at);
    for (uint32_t i = 0; i < n; i++) {
        pkt[i] = r->pkt[(r->head + i) & (r->cap - 1)];
        at[i] = r->at[(r->head + i) & (r->cap - 1)];
    }
    free(r->pkt);
    free(r->at);
    *r = (struct ring){pkt, at, 0, n, cap};
}

static inline void ring_push(struct ring *r, const struct pkt *p, tm_ps at)
{
    if (__builtin_expect(r->tail - r->head == r->cap, 0))
        ring_grow(r);
    uint32_t i = r->tail++ & (r->cap - 1);
    r->pkt[i] = *p;
    r->at[i] = at;
}

static inline void enqueue(struct link *l, const struct pkt *p, tm_ps at)
{
    struct ring *r = l->out;
    bool idle = r->head == r->tail;
    ring_push(r, p, at);
    if (idle && r == &l->ring)
        ev_arm(l->ev, l->entity, at);
}

void link_enqueue(struct link *l, const struct pkt *p, tm_ps at) { enqueue(l, p, at); }

static void link_drop_full(struct link *l, const struct pkt *p, tm_ps now)
{
    if (l->watch & WATCH_TAP) {
        link_note(l, "send", "", p, now);
        link_note(l, "drop", fab_drop_name(FAB_DROP_BUFFER), p, now);
    }
    link_count_drop(l, p, FAB_DROP_BUFFER);
    side_drop(p);
}

static inline void send(struct link *l, struct pkt *p, tm_ps now)
{
    tm_ps ser = link_serialise(l, p->wire_bytes);
    tm_ps start = tm_max(now, l->busy_until);
    tm_ps backlog = start - now + ser;
    l->sent++;
    if (__builtin_expect(backlog > l->buffer_ps, 0)) {
        link_drop_full(l, p, now);
        return;
    }
    l->backlog_max_ps = tm_max(l->backlog_max_ps, backlog);
    l->busy_until = start + ser;
    l->sent_bytes += p->wire_bytes;
    tm_ps at = l->busy_until + l->extra_ps;
    if (__builtin_expect(l->watch != 0, 0) && !link_watch_send(l, p, at, now))
        return;
    enqueue(l, p, at);
}

void link_send(struct link *l, struct pkt *p, tm_ps now) { send(l, p, now); }

tm_ps link_free_at(const struct link *l) { return l->busy_until; }

const char *link_name(const struct link *l) { return l->cold->name; }

void link_note(const struct link *l, const char *kind, const char *reason, const struct pkt *p,
               tm_ps now)
{
    const struct fab_tap *tap = &l->fab->tap;
    tap->note(tap->self, kind, reason, l, p, now);
}

/* The far end refuses what reaches a dead host, and a host what fails its ICRC check. */
static bool end_refuses(struct link *l, const struct pkt *p, tm_ps now)
{
    enum fab_drop why = FAB_DROPS;
    if (l->end & END_DEAD) {
        why = FAB_DROP_DOWN;
        l->dead++;
        l->cold->dead_bytes += p->wire_bytes;
    } else if (!l->route && (p->note & PKT_CORRUPT)) {
        why = FAB_DROP_CORRUPT;
        l->corrupt++;
    }
    if (l->end & END_TAP)
        link_note(l, why == FAB_DROPS ? "arrive" : "drop",
                  why == FAB_DROPS ? "" : fab_drop_name(why), p, now);
    if (why != FAB_DROPS)
        side_drop(p);
    return why != FAB_DROPS;
}

static inline struct link *next_link(struct link *l, const struct pkt *p, tm_ps now)
{
    struct link *out = l->route[p->dst_host];
    return __builtin_expect(out != NULL, 1) ? out : route_pick(l, p, now);
}

static inline void deliver(struct link *l, struct pkt *p, tm_ps now)
{
    p->hops++;
    if (__builtin_expect(l->end != 0, 0) && end_refuses(l, p, now))
        return;
    l->arrived++;
    if (l->route && __builtin_expect(p->dst_host >= PKT_GROUP_FIRST, 0))
        link_replicate(l, p, now);
    else if (l->route)
        send(next_link(l, p, now), p, now);
    else
        l->arrive(l->host, p, now);
}

/*
 * The slot is free for use only after delivery: nobody sends on a link from its own arrival.  An
 * empty ring starts over, so that a link which was busy once does not walk through all of its memory
 * for ever; the next head is asked for early, because by its turn it has left the cache.
 */
tm_ps link_fire(void *self, tm_ps now)
{
    struct link *l = self;
    struct ring *r = &l->ring;
    deliver(l, &r->pkt[r->head & (r->cap - 1)], now);
    r->head++;
    if (r->head == r->tail) {
        r->head = r->tail = 0;
        return TM_NEVER;
    }
    __builtin_prefetch(&r->pkt[r->head & (r->cap - 1)]);
    return r->at[r->head & (r->cap - 1)];
}

/* ---- packets that others overtake ------------------------------------------------------------ */

static void late_grow(struct late *t)
{
    uint32_t cap = t->cap ? 2 * t->cap : RING_CAP_MIN;
    t->pkt = realloc(t->pkt, cap * sizeof *t->pkt);
    t->at = realloc(t->at, cap * sizeof *t->at);
    CHECK(t->pkt && t->at);
    t->cap = cap;
}

static void late_insert(struct link *l, const struct pkt *p, tm_ps at)
{
    struct late *t = &l->cold->late;
    CHECK(t->used);
    if (t->count == t->cap)
        late_grow(t);
    uint32_t i = t->count++;
    for (; i > 0 && t->at[i - 1] > at; i--) {
        t->pkt[i] = t->pkt[i - 1];
        t->at[i] = t->at[i - 1];
    }
    t->pkt[i] = *p;
    t->at[i] = at;
    if (i == 0)
        ev_arm(l->ev, t->entity, at);
}

void link_enqueue_late(struct link *l, const struct pkt *p, tm_ps at)
{
    if (l->out == &l->ring)
        late_insert(l, p, at);
    else
        ring_push(&l->cold->staged_late, p, at);
}

tm_ps link_late_fire(void *self, tm_ps now)
{
    struct link *l = self;
    struct late *t = &l->cold->late;
    while (t->count > 0 && t->at[0] <= now) {
        struct pkt p = t->pkt[0];
        t->count--;
        memmove(t->pkt, t->pkt + 1, t->count * sizeof *t->pkt);
        memmove(t->at, t->at + 1, t->count * sizeof *t->at);
        deliver(l, &p, now);
    }
    return t->count ? t->at[0] : TM_NEVER;
}

/* ---- between domains ------------------------------------------------------------------------- */

void link_drain(void *self)
{
    struct link *l = self;
    struct ring *in = &l->cold->staged, *r = &l->ring;
    if (in->head != in->tail && r->head == r->tail)
        ev_arm(l->ev, l->entity, in->at[in->head & (in->cap - 1)]);
    for (; in->head != in->tail; in->head++)
        ring_push(r, &in->pkt[in->head & (in->cap - 1)], in->at[in->head & (in->cap - 1)]);
    in = &l->cold->staged_late;
    for (; in->head != in->tail; in->head++)
        late_insert(l, &in->pkt[in->head & (in->cap - 1)], in->at[in->head & (in->cap - 1)]);
}

void link_fini(struct link *l)
{
    struct ring *ring[] = {&l->ring, &l->cold->staged, &l->cold->staged_late};
    for (int i = 0; i < 3; i++) {
        for (struct ring *r = ring[i]; r->head != r->tail; r->head++)
            side_drop(&r->pkt[r->head & (r->cap - 1)]);
        free(ring[i]->pkt);
        free(ring[i]->at);
    }
    for (uint32_t i = 0; i < l->cold->late.count; i++)
        side_drop(&l->cold->late.pkt[i]);
    free(l->cold->late.pkt);
    free(l->cold->late.at);
    free(l->cold->rule);
    free(l->cold->flowlet);
}
