/*
 * Ways by breadth-first search outward from each host, in index order; hosts do not forward.
 *
 * Invariant: following any link of a way brings a packet one step nearer by the measure of the kind,
 * so no way ever closes a loop.
 */
#include "models/fabric/paths.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/check.h"

#define FAR UINT32_MAX

/* Links by the node they leave, in index order: link[first[n] .. first[n + 1] - 1]. */
struct adjacency {
    uint32_t *first, *link;
};

/* Scratch of a search, by node. */
struct search {
    const struct topo *t;
    struct adjacency adj;
    uint32_t nodes;
    uint32_t *dist;  /* to the host; up-down: by ways that only go down */
    uint32_t *legal; /* up-down: by any way that is allowed */
    uint32_t *queue;
    uint32_t *rank;    /* up-down: place in the order, 0 = top */
    uint32_t *by_rank; /* switches, from the top */
    uint32_t *last;    /* the set of links that was found last */
};

static void *array_new(size_t n, size_t size)
{
    void *p = calloc(n ? n : 1, size);
    CHECK(p);
    return p;
}

static uint32_t link_from(const struct topo *t, uint32_t link)
{
    const struct topo_edge *e = &t->edge[link / 2];
    return link % 2 ? e->b : e->a;
}

static uint32_t link_to(const struct topo *t, uint32_t link) { return link_from(t, link ^ 1); }

static void adjacency_init(struct adjacency *adj, const struct topo *t)
{
    uint32_t nodes = t->hosts + t->switches, links = 2 * t->edges;
    adj->first = array_new(nodes + 2, sizeof *adj->first);
    adj->link = array_new(links, sizeof *adj->link);
    for (uint32_t l = 0; l < links; l++)
        adj->first[link_from(t, l) + 2]++;
    for (uint32_t n = 2; n < nodes + 2; n++)
        adj->first[n] += adj->first[n - 1];
    for (uint32_t l = 0; l < links; l++)
        adj->link[adj->first[link_from(t, l) + 1]++] = l;
}

static void search_init(struct search *s, const struct topo *t)
{
    s->t = t;
    s->nodes = t->hosts + t->switches;
    adjacency_init(&s->adj, t);
    uint32_t **array[] = {&s->dist, &s->legal, &s->queue, &s->rank, &s->by_rank, &s->last};
    for (size_t i = 0; i < sizeof array / sizeof array[0]; i++)
        *array[i] = array_new(s->nodes, sizeof **array[i]);
}

static void search_fini(struct search *s)
{
    free(s->dist);
    free(s->legal);
    free(s->queue);
    free(s->rank);
    free(s->by_rank);
    free(s->last);
    free(s->adj.first);
    free(s->adj.link);
}

/* ---- distances ------------------------------------------------------------------------------------- */

typedef bool edge_counts(const struct search *s, uint32_t from, uint32_t to);

static bool any_edge(const struct search *s, uint32_t from, uint32_t to) { return true; }

static bool goes_down(const struct search *s, uint32_t from, uint32_t to)
{
    return to < s->t->hosts || s->rank[to] > s->rank[from];
}

/* Distances to the nodes in queue[0 .. tail - 1], whose distance is set, over switches. */
static void spread(struct search *s, uint32_t tail, edge_counts *counts)
{
    const struct topo *t = s->t;
    for (uint32_t head = 0; head < tail; head++) {
        uint32_t n = s->queue[head];
        for (uint32_t i = s->adj.first[n]; i < s->adj.first[n + 1]; i++) {
            uint32_t from = link_to(t, s->adj.link[i]);
            if (from < t->hosts || s->dist[from] != FAR || !counts(s, from, n))
                continue;
            s->dist[from] = s->dist[n] + 1;
            s->queue[tail++] = from;
        }
    }
}

static void forget(struct search *s)
{
    for (uint32_t n = 0; n < s->nodes; n++)
        s->dist[n] = FAR;
}

static void search_to(struct search *s, uint32_t host, edge_counts *counts)
{
    forget(s);
    s->dist[host] = 0;
    s->queue[0] = host;
    spread(s, 1, counts);
}

/* ---- the order of switches for up-down -------------------------------------------------------------- */

/* Far from hosts is up; equally far ones by their distance from the first of the farthest. */
static int above(const struct search *s, uint32_t a, uint32_t b)
{
    if (s->legal[a] != s->legal[b])
        return s->legal[a] > s->legal[b];
    return s->dist[a] != s->dist[b] ? s->dist[a] < s->dist[b] : a < b;
}

static void order_switches(struct search *s)
{
    const struct topo *t = s->t;
    uint32_t top = t->hosts;
    forget(s);
    for (uint32_t h = 0; h < t->hosts; h++) {
        s->dist[h] = 0;
        s->queue[h] = h;
    }
    spread(s, t->hosts, any_edge);
    memcpy(s->legal, s->dist, s->nodes * sizeof *s->dist);
    for (uint32_t n = t->hosts; n < s->nodes; n++)
        top = s->legal[n] != FAR && s->legal[n] > s->legal[top] ? n : top;
    search_to(s, top, any_edge);
    for (uint32_t i = 0; i < t->switches; i++) { /* insertion: thousands at most, mostly in order */
        uint32_t n = t->hosts + i, k = i;
        for (; k > 0 && above(s, n, s->by_rank[k - 1]); k--)
            s->by_rank[k] = s->by_rank[k - 1];
        s->by_rank[k] = n;
    }
    for (uint32_t k = 0; k < t->switches; k++)
        s->rank[s->by_rank[k]] = k;
}

/* dist holds the ways down; where there is none a packet goes up first.  Those above are done before. */
static void find_legal(struct search *s)
{
    for (uint32_t k = 0; k < s->t->switches; k++) {
        uint32_t n = s->by_rank[k];
        s->legal[n] = s->dist[n];
        if (s->dist[n] != FAR)
            continue;
        for (uint32_t i = s->adj.first[n]; i < s->adj.first[n + 1]; i++) {
            uint32_t to = link_to(s->t, s->adj.link[i]);
            bool up = to >= s->t->hosts && s->rank[to] < k;
            if (up && s->legal[to] != FAR && s->legal[to] + 1 < s->legal[n])
                s->legal[n] = s->legal[to] + 1;
        }
    }
}

/* ---- links that lead nearer --------------------------------------------------------------------------- */

static bool is_nearer(const struct search *s, enum fab_paths kind, uint32_t n, uint32_t to)
{
    bool down = s->dist[n] != FAR;
    if (down)
        return s->dist[to] != FAR && s->dist[to] + 1 == s->dist[n] &&
               (kind == PATHS_SHORTEST || goes_down(s, n, to));
    if (kind == PATHS_SHORTEST || to < s->t->hosts || goes_down(s, n, to))
        return false;
    return s->legal[n] != FAR && s->legal[to] != FAR && s->legal[to] + 1 == s->legal[n];
}

static void *room(void *array, uint32_t *cap, uint32_t need, size_t size)
{
    if (need <= *cap)
        return array;
    *cap = need > 2 * *cap ? need : 2 * *cap;
    array = realloc(array, *cap * size);
    CHECK(array);
    return array;
}

static bool set_is(const struct paths *p, uint32_t set, const uint32_t *hop, uint32_t count)
{
    return set < p->sets && p->set[set].count == count &&
           memcmp(p->hop + p->set[set].first, hop, count * sizeof *hop) == 0;
}

/* The set of these links: the switch's last one, another that is there already, or a new one. */
static uint32_t set_of(struct paths *p, uint32_t *last, const uint32_t *hop, uint32_t count)
{
    uint32_t set = *last;
    if (set_is(p, set, hop, count))
        return set;
    for (set = 0; set < p->sets && !set_is(p, set, hop, count); set++)
        ;
    *last = set;
    if (set < p->sets)
        return set;
    p->hop = room(p->hop, &p->hops_cap, p->hops + count, sizeof *p->hop);
    p->set = room(p->set, &p->sets_cap, p->sets + 1, sizeof *p->set);
    memcpy(p->hop + p->hops, hop, count * sizeof *hop);
    p->set[p->sets++] = (struct path_set){p->hops, count};
    p->hops += count;
    return set;
}

static uint32_t way_of(struct search *s, enum fab_paths kind, uint32_t n, struct paths *p,
                       uint32_t *hop)
{
    uint32_t count = 0;
    for (uint32_t i = s->adj.first[n]; i < s->adj.first[n + 1]; i++) {
        uint32_t link = s->adj.link[i];
        if (is_nearer(s, kind, n, link_to(s->t, link)))
            hop[count++] = link;
    }
    if (count == 0)
        return PATHS_NONE;
    return count == 1 ? hop[0] : PATHS_MANY | set_of(p, &s->last[n], hop, count);
}

void paths_find(const struct topo *t, enum fab_paths kind, struct paths *out)
{
    struct search s;
    *out = (struct paths){.of = array_new((size_t)t->switches * t->hosts, sizeof *out->of)};
    if (t->switches == 0)
        return;
    search_init(&s, t);
    uint32_t *hop = array_new(2 * t->edges, sizeof *hop);
    if (kind == PATHS_UP_DOWN)
        order_switches(&s);
    for (uint32_t h = 0; h < t->hosts; h++) {
        search_to(&s, h, kind == PATHS_UP_DOWN ? goes_down : any_edge);
        if (kind == PATHS_UP_DOWN)
            find_legal(&s);
        for (uint32_t n = t->hosts; n < s.nodes; n++)
            out->of[(size_t)(n - t->hosts) * t->hosts + h] = way_of(&s, kind, n, out, hop);
    }
    free(hop);
    search_fini(&s);
}

void paths_clear(struct paths *p)
{
    free(p->of);
    free(p->set);
    free(p->hop);
    *p = (struct paths){0};
}

bool paths_missing(const struct topo *t, const struct paths *p, uint32_t *from, uint32_t *host)
{
    for (uint32_t e = 0; e < t->edges; e++) {
        const struct topo_edge *c = &t->edge[e];
        uint32_t leaf = c->a < t->hosts ? c->b : c->a;
        if ((c->a < t->hosts) == (c->b < t->hosts))
            continue;
        for (uint32_t h = 0; h < t->hosts; h++) {
            if (p->of[(size_t)(leaf - t->hosts) * t->hosts + h] == PATHS_NONE) {
                *from = leaf;
                *host = h;
                return true;
            }
        }
    }
    return false;
}

uint32_t paths_reach(const struct topo *t)
{
    struct search s;
    uint32_t most = 0;
    search_init(&s, t);
    search_to(&s, 0, any_edge);
    for (uint32_t n = t->hosts; n < s.nodes; n++)
        most = s.dist[n] != FAR && s.dist[n] > most ? s.dist[n] : most;
    search_fini(&s);
    return most + 1;
}
