/*
 * Which of several equally good links a packet takes.
 *
 * A flow is (source, destination, UDP source port), as hashes of switches see it; each switch salts
 * its hash, so that choices at one do not repeat at the next.  Draws belong to the link that a packet
 * came by: the order in which they are taken is that link's alone, whatever domains there are.
 *
 * Invariant: ecmp keeps a flow on one way, so nothing overtakes within it; the others may not.
 */
#include <stdlib.h>

#include "models/fabric/link.h"
#include "sim/base/check.h"

#define FLOWLETS 4096u /* flows of one ingress that are told apart, a power of two */

struct flowlet {
    tm_ps last; /* when a packet of it came; TM_NEVER: none yet */
    uint32_t pick;
};

static uint64_t hash_of(const struct link *in, const struct pkt *p)
{
    uint64_t flow = (uint64_t)p->src_host << 32 | (uint64_t)p->dst_host << 16 | p->entropy;
    return rng_mix(rng_mix(flow + 0x9e3779b97f4a7c15u) ^ in->cold->to);
}

/* 0 .. n - 1 from 64 uniform bits, without a division. */
static uint32_t scale(uint64_t bits, uint32_t n) { return (uint32_t)((bits >> 32) * n >> 32); }

static uint32_t flowlet_of(struct link *in, uint64_t hash, uint32_t n, tm_ps now)
{
    struct link_cold *c = in->cold;
    if (!c->flowlet) {
        c->flowlet = malloc(FLOWLETS * sizeof *c->flowlet);
        CHECK(c->flowlet);
        for (uint32_t i = 0; i < FLOWLETS; i++)
            c->flowlet[i] = (struct flowlet){TM_NEVER, 0};
    }
    struct flowlet *f = &c->flowlet[hash % FLOWLETS];
    bool is_new = f->last == TM_NEVER || now - f->last > in->fab->cfg.flowlet_gap_ps;
    if (is_new)
        f->pick = scale(rng_next(&c->pick), UINT32_MAX);
    f->last = now;
    return scale((uint64_t)f->pick << 32, n);
}

/* The shortest wait; the flow's own link among equal ones. */
static uint32_t shortest(const struct link *in, const uint32_t *hop, uint32_t n, uint32_t first,
                         tm_ps now)
{
    const struct link *links = in->fab->link;
    uint32_t best = first;
    tm_ps least = TM_NEVER;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t at = first + i < n ? first + i : first + i - n;
        tm_ps wait = link_wait(&links[hop[at]], now);
        if (wait < least) {
            least = wait;
            best = at;
        }
    }
    return best;
}

static const struct path_set *ways(const struct link *in, uint32_t dst)
{
    const struct fab *f = in->fab;
    size_t at = (size_t)(in->cold->to - f->cfg.hosts) * f->cfg.hosts + dst;
    CHECK(dst < f->cfg.hosts && f->paths.of[at] != PATHS_NONE);
    return &f->paths.set[f->paths.of[at] & ~PATHS_MANY];
}

const struct link *route_first(const struct link *in, uint32_t dst)
{
    return &in->fab->link[in->fab->paths.hop[ways(in, dst)->first]];
}

struct link *route_pick(struct link *in, const struct pkt *p, tm_ps now)
{
    struct fab *f = in->fab;
    const struct path_set *set = ways(in, p->dst_host);
    const uint32_t *hop = f->paths.hop + set->first;
    uint64_t hash = hash_of(in, p);
    switch (f->cfg.spread) {
    case FAB_ECMP:
        return &f->link[hop[scale(hash, set->count)]];
    case FAB_SPRAY:
        return &f->link[hop[scale(rng_next(&in->cold->pick), set->count)]];
    case FAB_FLOWLET:
        return &f->link[hop[flowlet_of(in, hash, set->count, now)]];
    case FAB_ADAPTIVE:
        return &f->link[hop[shortest(in, hop, set->count, scale(hash, set->count), now)]];
    }
    CHECK(false);
    return NULL;
}
