/*
 * The event loop: a heap per domain, run in windows that no link between domains is shorter than.
 *
 * 1. The entity that runs keeps its entry at the root of its heap: nothing armed meanwhile can
 *    come before it, so when it returns one sift puts its next time in place.
 * 2. A window starts by letting the receiving sides of crossings take in what was sent to them.
 *    T is then the least time queued anywhere; whatever a domain sends from T on arrives at
 *    T + lookahead or later, so each domain may run all of its entries before that.
 * 3. Without crossings there is one window, and it never ends.
 *
 * Invariant: within a domain keys only grow, and no key reaches into a window already run.
 * Left out: threads; domains run one after the other.
 */
#include "sim/engine/ev.h"

#include <stdlib.h>

#include "sim/base/check.h"
#include "sim/base/heap.h"

#define ENTITY_BITS 29
#define STOP_EVERY 4096u
#define NOBODY UINT32_MAX
#define LINE_ITEMS 4u /* heap items in a cache line */

struct slot {
    ev_fire *fire;
    void *self;
};

/* Where an entity lives, by ev_id. */
struct place {
    uint32_t domain;
    uint32_t local; /* index in the domain's slots */
    uint32_t order;
};

struct domain {
    struct heap heap;
    void *item_memory; /* where heap.item lies in, see items_grow */
    struct slot *slot;
    uint32_t slots;
    uint32_t running; /* local index, NOBODY between entries */
    tm_ps last_at;    /* key that runs or ran last; -1 before any */
    uint32_t last_order;
    uint64_t count;
};

struct crossing {
    uint32_t domain;
    void (*drain)(void *self);
    void *self;
};

struct ev {
    struct domain *domain;
    struct place *place;
    struct crossing *crossing;
    struct domain *current; /* whose entry runs or whose crossing drains, NULL outside */
    uint32_t domains, entities, entities_max, crossings;
    tm_ps lookahead_ps; /* the least over crossings */
    tm_ps floor_ps;     /* crossings bring nothing before this */
};

static void *array_new(size_t count, size_t size)
{
    void *p = calloc(count ? count : 1, size);
    CHECK(p != NULL);
    return p;
}

/* Doubles an array that is full at `used`; what is new is zero. */
static void *array_grow(void *old, uint32_t used, uint32_t cap, size_t size)
{
    char *p = realloc(old, cap * size);
    CHECK(p != NULL);
    for (size_t i = used * size; i < cap * size; i++)
        p[i] = 0;
    return p;
}

struct ev *ev_new(uint32_t entities_max, uint32_t domains)
{
    CHECK(domains >= 1 && entities_max < 1u << ENTITY_BITS);
    struct ev *ev = array_new(1, sizeof *ev);
    ev->domains = domains;
    ev->entities_max = entities_max;
    ev->lookahead_ps = TM_NEVER;
    ev->domain = array_new(domains, sizeof *ev->domain);
    ev->place = array_new(entities_max, sizeof *ev->place);
    for (uint32_t i = 0; i < domains; i++) {
        ev->domain[i].running = NOBODY;
        ev->domain[i].last_at = -1;
    }
    return ev;
}

void ev_free(struct ev *ev)
{
    if (!ev)
        return;
    for (uint32_t i = 0; i < ev->domains; i++) {
        free(ev->domain[i].item_memory);
        free(ev->domain[i].heap.pos);
        free(ev->domain[i].slot);
    }
    free(ev->domain);
    free(ev->place);
    free(ev->crossing);
    free(ev);
}

/* Items start three quarters into a cache line: four children of a node then share one. */
static void items_grow(struct domain *d, uint32_t cap)
{
    struct heap *h = &d->heap;
    size_t bytes = (cap + LINE_ITEMS) * sizeof *h->item;
    char *memory = aligned_alloc(LINE_ITEMS * sizeof *h->item, bytes);
    CHECK(memory != NULL);
    struct heap_item *item = (struct heap_item *)memory + LINE_ITEMS - 1;
    for (uint32_t i = 0; i < h->count; i++)
        item[i] = h->item[i];
    free(d->item_memory);
    d->item_memory = memory;
    h->item = item;
}

static void domain_grow(struct domain *d)
{
    uint32_t used = d->slots, cap = used ? 2 * used : 16;
    items_grow(d, cap);
    d->heap.pos = array_grow(d->heap.pos, used, cap, sizeof *d->heap.pos);
    d->slot = array_grow(d->slot, used, cap, sizeof *d->slot);
    d->heap.cap = cap;
}

ev_id ev_add(struct ev *ev, uint32_t domain, enum ev_rank rank, ev_fire *fire, void *self)
{
    CHECK(ev->entities < ev->entities_max && domain < ev->domains);
    CHECK(ev->current == NULL);
    struct domain *d = &ev->domain[domain];
    if (d->slots == d->heap.cap)
        domain_grow(d);
    ev_id id = ev->entities++;
    ev->place[id] = (struct place){domain, d->slots, (uint32_t)rank << ENTITY_BITS | id};
    d->slot[d->slots++] = (struct slot){fire, self};
    return id;
}

void ev_arm(struct ev *ev, ev_id id, tm_ps at)
{
    CHECK(id < ev->entities);
    const struct place *p = &ev->place[id];
    struct domain *d = &ev->domain[p->domain];
    CHECK(p->local != d->running);
    CHECK(ev->current == d || ev->current == NULL);
    if (at == TM_NEVER)
        return;
    CHECK(at > d->last_at || (at == d->last_at && p->order > d->last_order));
    CHECK(at >= ev->floor_ps);
    uint32_t pos = d->heap.pos[p->local];
    if (pos == 0 || at < d->heap.item[pos - 1].at)
        heap_set(&d->heap, p->local, at, p->order);
}

void ev_disarm(struct ev *ev, ev_id id)
{
    CHECK(id < ev->entities);
    const struct place *p = &ev->place[id];
    struct domain *d = &ev->domain[p->domain];
    CHECK(p->local != d->running);
    CHECK(ev->current == d || ev->current == NULL);
    heap_remove(&d->heap, p->local);
}

void ev_add_crossing(struct ev *ev, uint32_t domain, tm_ps lookahead_ps, void (*drain)(void *self),
                     void *self)
{
    CHECK(lookahead_ps > 0 && domain < ev->domains);
    uint32_t n = ev->crossings++;
    ev->crossing = array_grow(ev->crossing, n, n + 1, sizeof *ev->crossing);
    ev->crossing[n] = (struct crossing){domain, drain, self};
    ev->lookahead_ps = tm_min(ev->lookahead_ps, lookahead_ps);
}

/* Runs the domain's entries before `end`; false when *stop was seen. */
static bool domain_run(struct domain *d, tm_ps end, const volatile sig_atomic_t *stop)
{
    struct heap *h = &d->heap;
    while (h->count > 0 && h->item[0].at < end) {
        struct heap_item top = h->item[0];
        d->last_at = top.at;
        d->last_order = top.order;
        d->running = top.id;
        tm_ps next = d->slot[top.id].fire(d->slot[top.id].self, top.at);
        d->running = NOBODY;
        if (next == TM_NEVER) {
            heap_remove(h, top.id);
        } else {
            CHECK(next > top.at);
            heap_delay_top(h, next);
        }
        if (++d->count % STOP_EVERY == 0 && stop && *stop)
            return false;
    }
    return true;
}

static void drain_all(struct ev *ev)
{
    for (uint32_t i = 0; i < ev->crossings; i++) {
        ev->current = &ev->domain[ev->crossing[i].domain];
        ev->crossing[i].drain(ev->crossing[i].self);
    }
    ev->current = NULL;
    ev->floor_ps = 0;
}

static tm_ps least_head(const struct ev *ev)
{
    tm_ps least = TM_NEVER;
    for (uint32_t i = 0; i < ev->domains; i++) {
        const struct heap_item *top = heap_top(&ev->domain[i].heap);
        if (top)
            least = tm_min(least, top->at);
    }
    return least;
}

/* One window in every domain; false when *stop was seen. */
static bool window_run(struct ev *ev, tm_ps end, const volatile sig_atomic_t *stop)
{
    bool whole = true;
    for (uint32_t i = 0; i < ev->domains && whole; i++) {
        ev->current = &ev->domain[i];
        whole = domain_run(ev->current, end, stop);
    }
    ev->current = NULL;
    ev->floor_ps = whole ? end : 0;
    return whole;
}

bool ev_run(struct ev *ev, tm_ps until, const volatile sig_atomic_t *stop)
{
    CHECK(ev->current == NULL);
    tm_ps past = tm_add(until, 1);
    for (;;) {
        drain_all(ev);
        tm_ps start = least_head(ev);
        if (start >= past || start == TM_NEVER)
            return true;
        if (!window_run(ev, tm_min(past, tm_add(start, ev->lookahead_ps)), stop))
            return false;
    }
}

/* ev_run ends with a drain, so nothing waits in a crossing. */
tm_ps ev_next(const struct ev *ev)
{
    CHECK(ev->current == NULL);
    return least_head(ev);
}

tm_ps ev_now(const struct ev *ev)
{
    tm_ps now = 0;
    for (uint32_t i = 0; i < ev->domains; i++)
        now = tm_max(now, ev->domain[i].last_at);
    return now;
}

uint64_t ev_count(const struct ev *ev)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < ev->domains; i++)
        count += ev->domain[i].count;
    return count;
}

uint32_t ev_domains(const struct ev *ev) { return ev->domains; }
