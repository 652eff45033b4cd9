/*
 * Multicast: a packet for a group leaves a switch once on each port behind which there are members, and
 * never on the one it came by.  Groups use one tree of the fabric's links, the shortest ways to the first
 * switch: every member is reached once.
 *
 * Who is a member is fixed before anything runs.  Left out: joining over the network, pruning of hosts that
 * leave, trees that differ by group.
 */
#include <stdlib.h>
#include <string.h>

#include "models/fabric/link.h"
#include "models/fabric/side.h"
#include "sim/base/check.h"

struct fab_group {
    uint16_t id;
    struct link **out; /* [switch * ports]: the ports that lead to members, then NULL */
};

static struct fab_group *group_of(const struct fab *f, uint16_t id)
{
    for (uint32_t i = 0; i < f->groups; i++)
        if (f->group[i].id == id)
            return &f->group[i];
    return NULL;
}

/* A switch has no more ports than there are links. */
static uint32_t ports(const struct fab *f) { return f->links + 1; }

static struct fab_group *group_add(struct fab *f, uint16_t id)
{
    f->group = realloc(f->group, (f->groups + 1) * sizeof *f->group);
    CHECK(f->group != NULL);
    struct fab_group *g = &f->group[f->groups++];
    *g = (struct fab_group){.id = id};
    g->out = calloc((size_t)f->switches * ports(f) + 1, sizeof *g->out);
    CHECK(g->out != NULL);
    return g;
}

/* up[s]: the link of switch s towards the first switch, by whole levels of distance; NULL there. */
static struct link **tree_new(const struct fab *f)
{
    uint32_t *level = calloc(f->switches + 1, sizeof *level);
    struct link **up = calloc(f->switches + 1, sizeof(struct link *));
    CHECK(level && up);
    bool grew = f->switches > 1;
    level[0] = 1;
    for (uint32_t at = 1; grew; at++) {
        grew = false;
        for (uint32_t i = 0; i < f->links; i++) {
            const struct link_cold *c = f->link[i].cold;
            uint32_t from = c->from - f->cfg.hosts, to = c->to - f->cfg.hosts;
            if (c->from < f->cfg.hosts || c->to < f->cfg.hosts || level[to] != at || level[from])
                continue;
            level[from] = at + 1;
            up[from] = &f->link[i];
            grew = true;
        }
    }
    free(level);
    return up;
}

static void group_port(const struct fab *f, struct fab_group *g, uint32_t s, struct link *to)
{
    struct link **out = g->out + (size_t)s * ports(f);
    while (*out && *out != to)
        out++;
    *out = to;
}

void fab_join(struct fab *f, uint16_t group, uint32_t host)
{
    CHECK(group >= PKT_GROUP_FIRST && host < f->cfg.hosts);
    struct fab_group *g = group_of(f, group);
    if (!g)
        g = group_add(f, group);
    if (f->switches == 0)
        return;
    struct link **up = tree_new(f), **down = calloc(f->switches, sizeof *down);
    CHECK(down);
    struct link *to = &f->link[(f->uplink[host] - f->link) ^ 1];
    for (uint32_t s = f->uplink[host]->cold->to - f->cfg.hosts;; s = up[s]->cold->to - f->cfg.hosts) {
        down[s] = to;
        if (!up[s])
            break;
        to = &f->link[(up[s] - f->link) ^ 1];
    }
    for (uint32_t s = 0; s < f->switches; s++)
        if (down[s] || up[s])
            group_port(f, g, s, down[s] ? down[s] : up[s]);
    free(up);
    free(down);
}

void link_replicate(struct link *l, const struct pkt *p, tm_ps now)
{
    struct fab *f = l->fab;
    const struct fab_group *g = group_of(f, p->dst_host);
    uint32_t at = l->cold->to - f->cfg.hosts;
    const struct link *back = &f->link[(l - f->link) ^ 1];
    for (struct link **out = g ? g->out + (size_t)at * ports(f) : NULL; out && *out; out++) {
        if (*out == back)
            continue;
        struct pkt copy = *p;
        side_copy(&copy);
        link_send(*out, &copy, now);
    }
    side_drop(p);
}

void groups_fini(struct fab *f)
{
    for (uint32_t i = 0; i < f->groups; i++)
        free(f->group[i].out);
    free(f->group);
}
