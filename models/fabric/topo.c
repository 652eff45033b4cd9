/*
 * Topologies as plain lists of edges, and routes over any of them.
 *
 * A topology is a builder that writes edges: everything else (links, names, routes, domains)
 * follows from the list.  Nodes are numbered hosts first, then switches; link 2e goes along edge e,
 * link 2e + 1 back.
 */
#include <stdlib.h>

#include "models/fabric/link.h"
#include "sim/base/check.h"

#define FAR UINT32_MAX

struct shape {
    uint32_t switches;
    uint32_t trunks; /* edges between switches */
    void (*build)(const struct fab_cfg *cfg, struct topo *t);
};

static void build_pair(const struct fab_cfg *cfg, struct topo *t)
{
    CHECK(cfg->hosts == 2);
    t->edge[0] = (struct topo_edge){0, 1, cfg->rate_bps};
}

static void build_star(const struct fab_cfg *cfg, struct topo *t)
{
    for (uint32_t h = 0; h < cfg->hosts; h++)
        t->edge[h] = (struct topo_edge){h, cfg->hosts, cfg->rate_bps};
}

static void build_dumbbell(const struct fab_cfg *cfg, struct topo *t)
{
    uint32_t left = cfg->hosts, right = cfg->hosts + 1;
    for (uint32_t h = 0; h < cfg->hosts; h++)
        t->edge[h] = (struct topo_edge){h, h < cfg->hosts / 2 ? left : right, cfg->rate_bps};
    t->edge[cfg->hosts] =
        (struct topo_edge){left, right, cfg->trunk_rate_bps ? cfg->trunk_rate_bps : cfg->rate_bps};
}

static const struct shape shapes[FAB_TOPOLOGIES] = {
    [FAB_PAIR] = {0, 0, build_pair},
    [FAB_STAR] = {1, 0, build_star},
    [FAB_DUMBBELL] = {2, 1, build_dumbbell},
};

uint32_t topo_edges(const struct fab_cfg *cfg)
{
    const struct shape *s = &shapes[cfg->topology];
    return s->switches ? cfg->hosts + s->trunks : 1;
}

void topo_build(const struct fab_cfg *cfg, struct topo *out)
{
    CHECK(cfg->topology < FAB_TOPOLOGIES && cfg->hosts >= 2 && cfg->hosts <= 1u << 16);
    const struct shape *s = &shapes[cfg->topology];
    *out = (struct topo){cfg->hosts, s->switches, topo_edges(cfg), NULL};
    out->edge = calloc(out->edges, sizeof *out->edge);
    CHECK(out->edge);
    s->build(cfg, out);
}

void topo_clear(struct topo *t)
{
    free(t->edge);
    t->edge = NULL;
}

/* ---- routes ---------------------------------------------------------------------------------- */

/* Links by the node they leave, in index order: link[first[n] .. first[n + 1] - 1]. */
struct adjacency {
    uint32_t *first, *link;
};

/* Scratch of one search, by node. */
struct search {
    uint32_t *dist, *queue;
};

static uint32_t link_from(const struct topo *t, uint32_t link)
{
    const struct topo_edge *e = &t->edge[link / 2];
    return link % 2 ? e->b : e->a;
}

static uint32_t link_to(const struct topo *t, uint32_t link) { return link_from(t, link ^ 1); }

static void adjacency_init(struct adjacency *adj, const struct topo *t)
{
    uint32_t nodes = t->hosts + t->switches, links = 2 * t->edges;
    adj->first = calloc(nodes + 2, sizeof *adj->first);
    adj->link = calloc(links, sizeof *adj->link);
    CHECK(adj->first && adj->link);
    for (uint32_t l = 0; l < links; l++)
        adj->first[link_from(t, l) + 2]++;
    for (uint32_t n = 2; n < nodes + 2; n++)
        adj->first[n] += adj->first[n - 1];
    for (uint32_t l = 0; l < links; l++)
        adj->link[adj->first[link_from(t, l) + 1]++] = l;
}

/* Distances to `host` over switches; edges go both ways, so the search runs outward from it. */
static void search_from(const struct topo *t, const struct adjacency *adj, uint32_t host,
                        struct search *s)
{
    uint32_t head = 0, tail = 0;
    for (uint32_t n = 0; n < t->hosts + t->switches; n++)
        s->dist[n] = FAR;
    s->dist[host] = 0;
    s->queue[tail++] = host;
    while (head < tail) {
        uint32_t n = s->queue[head++];
        for (uint32_t i = adj->first[n]; i < adj->first[n + 1]; i++) {
            uint32_t to = link_to(t, adj->link[i]);
            if (to < t->hosts || s->dist[to] != FAR)
                continue;
            s->dist[to] = s->dist[n] + 1;
            s->queue[tail++] = to;
        }
    }
}

/* The first link of switch n that leads one step nearer. */
static uint32_t nearer(const struct topo *t, const struct adjacency *adj, uint32_t n,
                       const struct search *s)
{
    if (s->dist[n] == FAR)
        return FAR;
    for (uint32_t i = adj->first[n]; i < adj->first[n + 1]; i++) {
        uint32_t to = link_to(t, adj->link[i]);
        if (s->dist[to] != FAR && s->dist[to] + 1 == s->dist[n])
            return adj->link[i];
    }
    return FAR;
}

void topo_route(const struct topo *t, uint32_t *next)
{
    struct adjacency adj;
    struct search s;
    uint32_t nodes = t->hosts + t->switches;
    adjacency_init(&adj, t);
    s.dist = calloc(nodes, sizeof *s.dist);
    s.queue = calloc(nodes, sizeof *s.queue);
    CHECK(s.dist && s.queue);
    for (uint32_t h = 0; h < t->hosts && t->switches > 0; h++) {
        search_from(t, &adj, h, &s);
        for (uint32_t n = t->hosts; n < nodes; n++)
            next[(n - t->hosts) * t->hosts + h] = nearer(t, &adj, n, &s);
    }
    free(s.dist);
    free(s.queue);
    free(adj.first);
    free(adj.link);
}
