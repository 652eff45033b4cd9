/*
 * The block of a connection manager: layout, lists, the two lookups, timers.
 *
 * Behind struct cm lie the records, the timer heap's items and positions, and the heads of the
 * lookups' chains (index + 1, so that zeroed memory is empty).  Records are touched from the front:
 * a host with few connections uses little of a large block.
 */
#include <string.h>

#include "models/cm/cm_state.h"
#include "sim/base/check.h"
#include "sim/base/rng.h"

#define CONNS_MAX (1u << 24)

/* ---- layout ------------------------------------------------------------------------------------- */

static uint32_t key_mask(uint32_t conns)
{
    uint32_t mask = 1;
    while (mask < conns)
        mask = mask << 1 | 1;
    return mask;
}

static struct cm_layout layout_of(const struct cm_cfg *cfg)
{
    struct cm_layout l;
    l.conn = (sizeof(struct cm) + 7) / 8 * 8;
    l.item = l.conn + (size_t)cfg->conns * sizeof(struct conn);
    l.pos = l.item + (size_t)cfg->conns * sizeof(struct heap_item);
    l.head = l.pos + (size_t)cfg->conns * sizeof(uint32_t);
    l.end = l.head + (key_mask(cfg->conns) + (size_t)1) * CONN_KEYS * sizeof(uint32_t);
    return l;
}

static void *at(const struct cm *cm, size_t offset) { return (void *)((uintptr_t)cm + offset); }

size_t cm_size(const struct cm_cfg *cfg)
{
    if (cfg->conns < 1 || cfg->conns > CONNS_MAX || cfg->timeout > 31 || cfg->retries > 15 ||
        cfg->timewait_ps < 0)
        return 0;
    return layout_of(cfg).end;
}

static uint32_t generations(const struct cm *cm) { return UINT32_MAX / cm->cfg.conns - 1; }

struct cm *cm_init(void *block, size_t size, const struct cm_cfg *cfg, uint64_t seed)
{
    struct cm *cm = block;
    CHECK(cm_size(cfg) > 0 && size >= cm_size(cfg));
    cm->cfg = *cfg;
    cm->at = layout_of(cfg);
    cm->key_mask = key_mask(cfg->conns);
    cm->events = cm->sends = cm->waiting = cm->free = (struct list){NONE, NONE};
    cm->generation = (uint32_t)(rng_mix(seed) % generations(cm));
    return cm;
}

struct conn *cm__conn(const struct cm *cm, uint32_t index)
{
    CHECK(index < cm->used);
    return (struct conn *)at(cm, cm->at.conn) + index;
}

uint32_t cm__index(const struct cm *cm, const struct conn *c)
{
    return (uint32_t)(c - (const struct conn *)at(cm, cm->at.conn));
}

/* ---- lists --------------------------------------------------------------------------------------- */

static void append(struct cm *cm, struct list *l, enum conn_link link, struct conn *c)
{
    uint32_t i = cm__index(cm, c);
    c->next[link] = NONE;
    if (l->first == NONE)
        l->first = i;
    else
        cm__conn(cm, l->last)->next[link] = i;
    l->last = i;
}

static struct conn *take_first(struct cm *cm, struct list *l, enum conn_link link)
{
    if (l->first == NONE)
        return NULL;
    struct conn *c = cm__conn(cm, l->first);
    l->first = c->next[link];
    return c;
}

void cm__tell(struct cm *cm, struct conn *c, enum cm_event_kind what)
{
    if (c->events == 0)
        append(cm, &cm->events, LINK_EVENT, c);
    c->events |= (uint8_t)(1u << what);
}

void cm__send(struct cm *cm, struct conn *c, enum cm_kind what)
{
    if (c->sends == 0)
        append(cm, &cm->sends, LINK_SEND, c);
    c->sends |= (uint16_t)(1u << what);
}

void cm__wait_turn(struct cm *cm, struct conn *c) { append(cm, &cm->waiting, LINK_IDLE, c); }

struct conn *cm__next_turn(struct cm *cm) { return take_first(cm, &cm->waiting, LINK_IDLE); }

struct conn *cm__first_event(const struct cm *cm)
{
    return cm->events.first == NONE ? NULL : cm__conn(cm, cm->events.first);
}

struct conn *cm__first_send(const struct cm *cm)
{
    return cm->sends.first == NONE ? NULL : cm__conn(cm, cm->sends.first);
}

/* Nothing left to tell or to send: the record of a closed connection is free. */
static void free_if_over(struct cm *cm, struct conn *c)
{
    if (c->state != C_CLOSED || c->events || c->sends)
        return;
    c->state = C_FREE;
    for (unsigned by = 0; by < CONN_KEYS; by++)
        cm__key_remove(cm, c, (enum conn_key)by);
    append(cm, &cm->free, LINK_IDLE, c);
}

void cm__event_taken(struct cm *cm, struct conn *c, enum cm_event_kind what)
{
    CHECK(cm__first_event(cm) == c);
    c->events &= (uint8_t) ~(1u << what);
    if (c->events == 0)
        take_first(cm, &cm->events, LINK_EVENT);
    free_if_over(cm, c);
}

void cm__send_taken(struct cm *cm, struct conn *c, enum cm_kind what)
{
    CHECK(cm__first_send(cm) == c);
    c->sends &= (uint16_t) ~(1u << what);
    if (c->sends == 0)
        take_first(cm, &cm->sends, LINK_SEND);
    free_if_over(cm, c);
}

/* ---- records -------------------------------------------------------------------------------------- */

struct conn *cm__alloc(struct cm *cm)
{
    struct conn *c = take_first(cm, &cm->free, LINK_IDLE);
    uint32_t conns = cm->cfg.conns, generation = cm->generation;
    if (!c && cm->used == conns)
        return NULL;
    if (c)
        generation = c->local_id / conns % generations(cm);
    else
        c = cm__conn(cm, cm->used++);
    memset(c, 0, sizeof *c);
    c->local_id = cm__index(cm, c) + conns * (generation + 1);
    return c;
}

struct conn *cm__by_local_id(const struct cm *cm, uint32_t local_id)
{
    uint32_t i = local_id % cm->cfg.conns;
    if (i >= cm->used)
        return NULL;
    struct conn *c = cm__conn(cm, i);
    return c->state != C_FREE && c->local_id == local_id ? c : NULL;
}

/* ---- lookups -------------------------------------------------------------------------------------- */

static uint32_t number_of(const struct conn *c, enum conn_key by)
{
    return by == BY_ID ? c->remote_id : c->remote.qpn;
}

static uint32_t *chain(const struct cm *cm, enum conn_key by, uint32_t peer, uint32_t number)
{
    uint32_t *heads = at(cm, cm->at.head);
    uint32_t slot = (uint32_t)rng_mix((uint64_t)peer << 32 | number) & cm->key_mask;
    return &heads[slot * CONN_KEYS + by];
}

void cm__key_add(struct cm *cm, struct conn *c, enum conn_key by)
{
    if (c->keyed >> by & 1)
        return;
    uint32_t *head = chain(cm, by, c->peer, number_of(c, by));
    c->next_key[by] = *head;
    *head = cm__index(cm, c) + 1;
    c->keyed |= (uint8_t)(1u << by);
}

void cm__key_remove(struct cm *cm, struct conn *c, enum conn_key by)
{
    if (!(c->keyed >> by & 1))
        return;
    uint32_t *link = chain(cm, by, c->peer, number_of(c, by));
    while (*link != cm__index(cm, c) + 1) {
        CHECK(*link != 0);
        link = &cm__conn(cm, *link - 1)->next_key[by];
    }
    *link = c->next_key[by];
    c->keyed &= (uint8_t) ~(1u << by);
}

struct conn *cm__key_find(const struct cm *cm, enum conn_key by, uint32_t peer, uint32_t number)
{
    for (uint32_t i = *chain(cm, by, peer, number); i != 0;) {
        struct conn *c = cm__conn(cm, i - 1);
        if (c->peer == peer && number_of(c, by) == number)
            return c;
        i = c->next_key[by];
    }
    return NULL;
}

/* ---- timers ---------------------------------------------------------------------------------------- */

/* A heap's struct has pointers, so it is made for each use: the block has none. */
static struct heap timers(const struct cm *cm)
{
    return (struct heap){at(cm, cm->at.item), at(cm, cm->at.pos), cm->timers, cm->cfg.conns};
}

void cm__wait(struct cm *cm, struct conn *c, tm_ps until)
{
    struct heap h = timers(cm);
    uint32_t i = cm__index(cm, c);
    heap_set(&h, i, until, i);
    cm->timers = h.count;
}

void cm__wait_no_more(struct cm *cm, struct conn *c)
{
    struct heap h = timers(cm);
    heap_remove(&h, cm__index(cm, c));
    cm->timers = h.count;
}

tm_ps cm__wait_end(const struct cm *cm, const struct conn *c)
{
    struct heap h = timers(cm);
    uint32_t p = h.pos[cm__index(cm, c)];
    return p ? h.item[p - 1].at : TM_NEVER;
}

struct conn *cm__due(const struct cm *cm, tm_ps now)
{
    struct heap h = timers(cm);
    const struct heap_item *top = heap_top(&h);
    return top && top->at <= now ? cm__conn(cm, top->id) : NULL;
}

tm_ps cm_deadline(const struct cm *cm)
{
    struct heap h = timers(cm);
    const struct heap_item *top = heap_top(&h);
    return top ? top->at : TM_NEVER;
}
