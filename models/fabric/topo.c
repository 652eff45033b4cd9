/*
 * The topologies that have a name, each a builder that writes edges in a fixed order: the order
 * numbers links, and with it draws and ports.
 *
 * Hosts come first, each with its cable; then the trunks between switches.
 */
#include "models/fabric/topo.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "models/fabric/topo_grid.h"
#include "sim/base/check.h"

/* ---- hosts at switches in equal parts ---------------------------------------------------------- */

void topo_put(struct topo *t, const struct topo_edge *like, uint32_t a, uint32_t b)
{
    struct topo_edge *e = &t->edge[t->edges++];
    *e = *like;
    e->a = a;
    e->b = b;
}

/* The first hosts / leaves of them at the first switch, and so on. */
void topo_put_hosts(const struct topo_plan *p, struct topo *t, uint32_t leaves)
{
    for (uint32_t h = 0; h < p->hosts; h++)
        topo_put(t, &p->host_edge, h, p->hosts + (uint32_t)((uint64_t)h * leaves / p->hosts));
}

static bool divides(uint32_t hosts, uint64_t leaves, const char *what, char *why, size_t size)
{
    if (leaves > 0 && leaves <= hosts && hosts % leaves == 0)
        return true;
    snprintf(why, size, "%u hosts do not fit %llu %s; give a multiple of %llu", hosts,
             (unsigned long long)leaves, what, (unsigned long long)leaves);
    return false;
}

/* ---- pair, star, dumbbell ---------------------------------------------------------------------- */

static bool pair_fits(const struct topo_plan *p, char *why, size_t size)
{
    if (p->hosts == 2)
        return true;
    snprintf(why, size, "a pair has 2 hosts, not %u; give topology = star for more", p->hosts);
    return false;
}

static void build_pair(const struct topo_plan *p, struct topo *t)
{
    topo_put(t, &p->host_edge, 0, 1);
}

static void build_star(const struct topo_plan *p, struct topo *t) { topo_put_hosts(p, t, 1); }

static bool dumbbell_fits(const struct topo_plan *p, char *why, size_t size)
{
    if (p->hosts % 2 == 0)
        return true;
    snprintf(why, size, "a dumbbell has as many hosts left as right; give an even number, not %u",
             p->hosts);
    return false;
}

static void build_dumbbell(const struct topo_plan *p, struct topo *t)
{
    topo_put_hosts(p, t, 2);
    topo_put(t, &p->trunk_edge, p->hosts, p->hosts + 1);
}

/* ---- leaf-spine, ring ---------------------------------------------------------------------------- */

static bool leaf_spine_fits(const struct topo_plan *p, char *why, size_t size)
{
    return divides(p->hosts, p->dim[0], "leaves", why, size);
}

static void build_leaf_spine(const struct topo_plan *p, struct topo *t)
{
    uint32_t leaf = p->hosts, spine = p->hosts + p->dim[0];
    topo_put_hosts(p, t, p->dim[0]);
    for (uint32_t l = 0; l < p->dim[0]; l++)
        for (uint32_t s = 0; s < p->dim[1]; s++)
            topo_put(t, &p->trunk_edge, leaf + l, spine + s);
}

static bool ring_fits(const struct topo_plan *p, char *why, size_t size)
{
    if (p->dim[0] >= 3)
        return divides(p->hosts, p->dim[0], "switches", why, size);
    snprintf(why, size, "a ring has at least 3 switches, not %u", p->dim[0]);
    return false;
}

static void build_ring(const struct topo_plan *p, struct topo *t)
{
    topo_put_hosts(p, t, p->dim[0]);
    for (uint32_t s = 0; s < p->dim[0]; s++)
        topo_put(t, &p->trunk_edge, p->hosts + s, p->hosts + (s + 1) % p->dim[0]);
}

/* ---- fat tree: k pods of k/2 edge and k/2 aggregation switches, k^2/4 cores (Al-Fares 2008) ------- */

static bool fat_tree_fits(const struct topo_plan *p, char *why, size_t size)
{
    uint64_t k = p->dim[0], hosts = k * k * k / 4;
    if (k >= 2 && k % 2 == 0 && hosts == p->hosts)
        return true;
    if (k < 2 || k % 2 != 0)
        snprintf(why, size, "a fat tree's switches have an even number of ports, not %llu",
                 (unsigned long long)k);
    else
        snprintf(why, size, "a fat tree of %llu-port switches has %llu hosts (k^3/4), not %u",
                 (unsigned long long)k, (unsigned long long)hosts, p->hosts);
    return false;
}

static void build_fat_tree(const struct topo_plan *p, struct topo *t)
{
    uint32_t k = p->dim[0], half = k / 2, edge = p->hosts, agg = edge + k * half;
    uint32_t core = agg + k * half;
    topo_put_hosts(p, t, k * half);
    for (uint32_t pod = 0; pod < k; pod++)
        for (uint32_t e = 0; e < half; e++)
            for (uint32_t a = 0; a < half; a++)
                topo_put(t, &p->trunk_edge, edge + pod * half + e, agg + pod * half + a);
    for (uint32_t pod = 0; pod < k; pod++)
        for (uint32_t a = 0; a < half; a++)
            for (uint32_t c = 0; c < half; c++)
                topo_put(t, &p->trunk_edge, agg + pod * half + a, core + a * half + c);
}

/* ---- the table ------------------------------------------------------------------------------------ */

static uint64_t none(const struct topo_plan *p) { return 0; }
static uint64_t one(const struct topo_plan *p) { return 1; }
static uint64_t two(const struct topo_plan *p) { return 2; }
static uint64_t first(const struct topo_plan *p) { return p->dim[0]; }
static uint64_t sum(const struct topo_plan *p) { return (uint64_t)p->dim[0] + p->dim[1]; }
static uint64_t product(const struct topo_plan *p) { return (uint64_t)p->dim[0] * p->dim[1]; }
static uint64_t fat_tree_switches(const struct topo_plan *p)
{
    return (uint64_t)p->dim[0] * p->dim[0] * 5 / 4;
}
static uint64_t fat_tree_trunks(const struct topo_plan *p)
{
    return (uint64_t)p->dim[0] * p->dim[0] * p->dim[0] / 2;
}

struct shape {
    const char *dims;
    uint32_t least, most; /* numbers of dim that are given */
    uint64_t (*switches)(const struct topo_plan *p);
    uint64_t (*trunks)(const struct topo_plan *p);
    bool (*fits)(const struct topo_plan *p, char *why, size_t size);
    void (*build)(const struct topo_plan *p, struct topo *t);
};
static const struct shape shapes[FAB_FILE] = {
    [FAB_PAIR] = {NULL, 0, 0, none, none, pair_fits, build_pair},
    [FAB_STAR] = {NULL, 0, 0, one, none, NULL, build_star},
    [FAB_DUMBBELL] = {NULL, 0, 0, two, one, dumbbell_fits, build_dumbbell},
    [FAB_LEAF_SPINE] = {"leaves x spines, such as 8x4", 2, 2, sum, product, leaf_spine_fits,
                        build_leaf_spine},
    [FAB_FAT_TREE] = {"ports of a switch, such as 4", 1, 1, fat_tree_switches, fat_tree_trunks,
                      fat_tree_fits, build_fat_tree},
    [FAB_RING] = {"switches, such as 4", 1, 1, first, first, ring_fits, build_ring},
    [FAB_TORUS] = {"switches along each side, such as 4x4 or 3x3x3", 2, 3, grid_switches,
                   grid_trunks, grid_fits, grid_build},
    [FAB_DRAGONFLY] = {"switches of a group x links of each to other groups, such as 4x2", 2, 2,
                       dragonfly_switches, dragonfly_trunks, dragonfly_fits, dragonfly_build},
};

#define NODES_MAX (1u << 17) /* tables of routes and of links stay within what fits a machine */
#define EDGES_MAX (1u << 20)

static bool dims_fit(const struct topo_plan *p, char *why, size_t size)
{
    const struct shape *s = &shapes[p->topology];
    uint32_t given = 0;
    while (given < TOPO_DIMS && p->dim[given])
        given++;
    if (given >= s->least && given <= s->most)
        return true;
    if (s->most == 0)
        snprintf(why, size, "this topology takes no shape");
    else
        snprintf(why, size, "give %s", s->dims);
    return false;
}

bool topo_fits(const struct topo_plan *p, char *why, size_t size)
{
    CHECK(p->topology < FAB_FILE);
    const struct shape *s = &shapes[p->topology];
    if (!dims_fit(p, why, size))
        return false;
    for (uint32_t i = 0; i < TOPO_DIMS; i++) {
        if (p->dim[i] > UINT16_MAX) {
            snprintf(why, size, "%u is too large; give at most %u", p->dim[i], UINT16_MAX);
            return false;
        }
    }
    uint64_t nodes = p->hosts + s->switches(p), edges = p->hosts + s->trunks(p);
    if (nodes > NODES_MAX || edges > EDGES_MAX) {
        snprintf(why, size,
                 "%llu switches with %llu cables between them are more than this program holds "
                 "(%u hosts and switches, %u cables)",
                 (unsigned long long)(nodes - p->hosts), (unsigned long long)(edges - p->hosts),
                 NODES_MAX, EDGES_MAX);
        return false;
    }
    return !s->fits || s->fits(p, why, size);
}

const char *topo_dims_text(enum fab_topology topology)
{
    return topology < FAB_FILE ? shapes[topology].dims : NULL;
}

uint32_t topo_switches(const struct topo_plan *p)
{
    CHECK(p->topology < FAB_FILE);
    return (uint32_t)shapes[p->topology].switches(p);
}

uint32_t topo_edges(const struct topo_plan *p)
{
    CHECK(p->topology < FAB_FILE);
    return p->topology == FAB_PAIR ? 1 : p->hosts + (uint32_t)shapes[p->topology].trunks(p);
}

void topo_build(const struct topo_plan *p, struct topo *out)
{
    CHECK(p->topology < FAB_FILE && p->hosts >= 2 && p->hosts <= 1u << 16);
    uint32_t edges = topo_edges(p);
    *out = (struct topo){p->hosts, topo_switches(p), 0, calloc(edges, sizeof *out->edge)};
    CHECK(out->edge);
    shapes[p->topology].build(p, out);
    CHECK(out->edges == edges);
}

void topo_copy(const struct topo *from, struct topo *out)
{
    *out = *from;
    out->edge = calloc(from->edges, sizeof *out->edge);
    CHECK(out->edge);
    memcpy(out->edge, from->edge, from->edges * sizeof *out->edge);
}

void topo_clear(struct topo *t)
{
    free(t->edge);
    t->edge = NULL;
}

/* ---- is it whole? -------------------------------------------------------------------------------- */

static void node_text(const struct topo *t, uint32_t node, char out[16])
{
    snprintf(out, 16, "%c%u", node < t->hosts ? 'h' : 's',
             node < t->hosts ? node : node - t->hosts);
}

static bool cables_fit(const struct topo *t, char *why, size_t size)
{
    uint8_t *cables = calloc(t->hosts, 1);
    char name[16];
    bool ok = true;
    CHECK(cables);
    for (uint32_t e = 0; e < t->edges && ok; e++) {
        const struct topo_edge *c = &t->edge[e];
        node_text(t, c->a, name);
        ok = c->a != c->b;
        if (!ok)
            snprintf(why, size, "a cable leads from %s to itself", name);
        for (int end = 0; end < 2 && ok; end++) {
            uint32_t n = end ? c->b : c->a;
            node_text(t, n, name);
            ok = n >= t->hosts || cables[n]++ == 0;
            if (!ok)
                snprintf(why, size, "host %s has more than one cable; hosts have one port", name);
        }
    }
    for (uint32_t h = 0; h < t->hosts && ok; h++) {
        ok = cables[h] > 0;
        if (!ok)
            snprintf(why, size, "host h%u has no cable", h);
    }
    free(cables);
    return ok;
}

/* Nodes that node 0's part has, by repeated joining (union-find, the smaller number leads). */
static uint32_t leader(uint32_t *of, uint32_t n)
{
    for (; of[n] != n; n = of[n])
        of[n] = of[of[n]];
    return n;
}

static bool hosts_join(const struct topo *t, char *why, size_t size)
{
    uint32_t *of = calloc(t->hosts + t->switches, sizeof *of);
    bool ok = true;
    CHECK(of);
    for (uint32_t n = 0; n < t->hosts + t->switches; n++)
        of[n] = n;
    for (uint32_t e = 0; e < t->edges; e++) {
        uint32_t a = leader(of, t->edge[e].a), b = leader(of, t->edge[e].b);
        of[a > b ? a : b] = a > b ? b : a;
    }
    for (uint32_t h = 1; h < t->hosts && ok; h++) {
        ok = leader(of, h) == 0;
        if (!ok)
            snprintf(why, size, "no way leads from h0 to h%u", h);
    }
    free(of);
    return ok;
}

bool topo_is_whole(const struct topo *t, char *why, size_t size)
{
    return cables_fit(t, why, size) && hosts_join(t, why, size);
}

bool topo_joins(const struct topo *t, uint32_t a, uint32_t b)
{
    for (uint32_t e = 0; e < t->edges; e++) {
        const struct topo_edge *c = &t->edge[e];
        if ((c->a == a && c->b == b) || (c->a == b && c->b == a))
            return true;
    }
    return false;
}
