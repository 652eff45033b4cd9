/* Names, shapes and edges of the topologies that have a name; what does not fit is told. */
#include <stdio.h>
#include <string.h>

#include "models/fabric/link.h"
#include "tests/suite.h"
#include "tests/unit/edges.h"
#include "tests/unit/yard.h"

static const char *names(enum fab_topology topology, uint32_t hosts)
{
    static char out[400];
    struct fab_cfg cfg = yard_cfg(topology, hosts);
    struct ev *ev = ev_new(fab_entities(&cfg), 1);
    struct fab *f = fab_new(&cfg, 0, 0, NULL, ev, 0, NULL);
    out[0] = 0;
    for (uint32_t i = 0; i < f->links; i++) {
        strcat(out, link_name(&f->link[i]));
        strcat(out, " ");
    }
    fab_free(f);
    ev_free(ev);
    return out;
}

static void topo_links_are_named_after_their_ends(void)
{
    CU_ASSERT_STRING_EQUAL(names(FAB_PAIR, 2), "h0-h1 h1-h0 ");
    CU_ASSERT_STRING_EQUAL(names(FAB_STAR, 3), "h0-s0 s0-h0 h1-s0 s0-h1 h2-s0 s0-h2 ");
    CU_ASSERT_STRING_EQUAL(names(FAB_DUMBBELL, 4),
                           "h0-s0 s0-h0 h1-s0 s0-h1 h2-s1 s1-h2 h3-s1 s1-h3 s0-s1 s1-s0 ");
}

/* Edges as "h0-s1": the nodes' names, each with a blank behind it. */
static const char *edges_of(enum fab_topology topology, uint32_t hosts, uint32_t x, uint32_t y,
                            uint32_t z)
{
    static char out[2000];
    struct topo_plan p = {.topology = topology, .hosts = hosts, .dim = {x, y, z}};
    struct topo t;
    size_t n = 0;
    if (!topo_fits(&p, out, sizeof out))
        return out;
    topo_build(&p, &t);
    n += (size_t)snprintf(out, sizeof out, "%u:", t.switches);
    for (uint32_t e = 0; e < t.edges; e++) {
        bool is_host = t.edge[e].a < hosts;
        n += (size_t)snprintf(out + n, sizeof out - n, " %c%u-s%u", is_host ? 'h' : 's',
                              is_host ? t.edge[e].a : t.edge[e].a - hosts, t.edge[e].b - hosts);
    }
    CU_ASSERT_EQUAL(t.edges, topo_edges(&p));
    topo_clear(&t);
    return out;
}

static void topo_leaf_spine_joins_each_leaf_with_each_spine(void)
{
    CU_ASSERT_STRING_EQUAL(edges_of(FAB_LEAF_SPINE, 4, 2, 3, 0),
                           "5: h0-s0 h1-s0 h2-s1 h3-s1 s0-s2 s0-s3 s0-s4 s1-s2 s1-s3 s1-s4");
    CU_ASSERT_STRING_EQUAL(edges_of(FAB_LEAF_SPINE, 5, 2, 3, 0),
                           "5 hosts do not fit 2 leaves; give a multiple of 2");
    CU_ASSERT_STRING_EQUAL(edges_of(FAB_LEAF_SPINE, 4, 2, 0, 0),
                           "give leaves x spines, such as 8x4");
}

/* k = 2: two pods of one edge and one aggregation switch, and one core. */
static void topo_fat_tree_has_pods_and_cores(void)
{
    CU_ASSERT_STRING_EQUAL(edges_of(FAB_FAT_TREE, 2, 2, 0, 0),
                           "5: h0-s0 h1-s1 s0-s2 s1-s3 s2-s4 s3-s4");
    CU_ASSERT_STRING_EQUAL(
        edges_of(FAB_FAT_TREE, 16, 4, 0, 0),
        "20: h0-s0 h1-s0 h2-s1 h3-s1 h4-s2 h5-s2 h6-s3 h7-s3 h8-s4 h9-s4 h10-s5 h11-s5 h12-s6 "
        "h13-s6 h14-s7 h15-s7 s0-s8 s0-s9 s1-s8 s1-s9 s2-s10 s2-s11 s3-s10 s3-s11 s4-s12 s4-s13 "
        "s5-s12 s5-s13 s6-s14 s6-s15 s7-s14 s7-s15 s8-s16 s8-s17 s9-s18 s9-s19 s10-s16 s10-s17 "
        "s11-s18 s11-s19 s12-s16 s12-s17 s13-s18 s13-s19 s14-s16 s14-s17 s15-s18 s15-s19");
    CU_ASSERT_STRING_EQUAL(edges_of(FAB_FAT_TREE, 17, 4, 0, 0),
                           "a fat tree of 4-port switches has 16 hosts (k^3/4), not 17");
    CU_ASSERT_STRING_EQUAL(edges_of(FAB_FAT_TREE, 17, 3, 0, 0),
                           "a fat tree's switches have an even number of ports, not 3");
}

static void topo_ring_and_torus_close_their_sides(void)
{
    CU_ASSERT_STRING_EQUAL(edges_of(FAB_RING, 3, 3, 0, 0),
                           "3: h0-s0 h1-s1 h2-s2 s0-s1 s1-s2 s2-s0");
    CU_ASSERT_STRING_EQUAL(edges_of(FAB_TORUS, 6, 3, 2, 0),
                           "6: h0-s0 h1-s1 h2-s2 h3-s3 h4-s4 h5-s5 s0-s1 s1-s2 s2-s0 s3-s4 s4-s5 "
                           "s5-s3 s0-s3 s1-s4 s2-s5");
    CU_ASSERT_STRING_EQUAL(edges_of(FAB_TORUS, 8, 2, 2, 2),
                           "8: h0-s0 h1-s1 h2-s2 h3-s3 h4-s4 h5-s5 h6-s6 h7-s7 s0-s1 s2-s3 s4-s5 "
                           "s6-s7 s0-s2 s1-s3 s4-s6 s5-s7 s0-s4 s1-s5 s2-s6 s3-s7");
    CU_ASSERT_STRING_EQUAL(edges_of(FAB_TORUS, 10, 3, 3, 0),
                           "10 hosts do not fit 9 switches; give a multiple of 9");
    CU_ASSERT_STRING_EQUAL(edges_of(FAB_TORUS, 3, 3, 1, 0),
                           "a side of a torus has at least 2 switches");
    CU_ASSERT_STRING_EQUAL(edges_of(FAB_RING, 2, 2, 0, 0), "a ring has at least 3 switches, not 2");
}

/* Two switches a group, one link of each outside: three groups, one cable between any two. */
static void topo_dragonfly_joins_any_two_groups(void)
{
    CU_ASSERT_STRING_EQUAL(edges_of(FAB_DRAGONFLY, 6, 2, 1, 0),
                           "6: h0-s0 h1-s1 h2-s2 h3-s3 h4-s4 h5-s5 s0-s1 s2-s3 s4-s5 s0-s3 s1-s4 "
                           "s2-s5");
}

static void topo_of_a_million_ports_is_refused(void)
{
    CU_ASSERT_STRING_EQUAL(edges_of(FAB_TORUS, 49152, 60000, 60000, 0),
                           "3600000000 switches with 7200000000 cables between them are more than "
                           "this program holds (131072 hosts and switches, 1048576 cables)");
    CU_ASSERT_STRING_EQUAL(edges_of(FAB_STAR, 4, 2, 0, 0), "this topology takes no shape");
}

static const char *whole(struct topo_edge *edge, uint32_t hosts, uint32_t switches, uint32_t edges)
{
    static char why[200];
    struct topo t = {hosts, switches, edges, edge};
    return topo_is_whole(&t, why, sizeof why) ? "whole" : why;
}

static void topo_that_falls_apart_is_told(void)
{
    CU_ASSERT_STRING_EQUAL(whole((struct topo_edge[]){EDGE(0, 2), EDGE(1, 2)}, 2, 1, 2), "whole");
    CU_ASSERT_STRING_EQUAL(whole((struct topo_edge[]){EDGE(0, 2), EDGE(1, 3)}, 2, 2, 2),
                           "no way leads from h0 to h1");
    CU_ASSERT_STRING_EQUAL(whole((struct topo_edge[]){EDGE(0, 2), EDGE(2, 3)}, 2, 2, 2),
                           "host h1 has no cable");
    CU_ASSERT_STRING_EQUAL(whole((struct topo_edge[]){EDGE(0, 2), EDGE(1, 2), EDGE(1, 2)}, 2, 1, 3),
                           "host h1 has more than one cable; hosts have one port");
    CU_ASSERT_STRING_EQUAL(whole((struct topo_edge[]){EDGE(0, 2), EDGE(1, 2), EDGE(2, 2)}, 2, 1, 3),
                           "a cable leads from s0 to itself");
}

static void topo_every_host_reaches_every_other(void)
{
    static struct yard r;
    /* hops: two host links for each of n (n - 1) packets, and the links between switches */
    static const struct {
        enum fab_topology topology;
        uint32_t hosts, dim[TOPO_DIMS];
        uint64_t hops;
    } cases[] = {
        {FAB_STAR, 7, {0}, 42 * 2},
        {FAB_DUMBBELL, 8, {0}, 56 * 2 + 2 * 4 * 4},
        {FAB_LEAF_SPINE, 8, {4, 3}, 56 * 2 + (56 - 8) * 2},
        {FAB_FAT_TREE, 16, {4}, 240 * 2 + 16 * 2 * 2 + 16 * 12 * 4},
        {FAB_RING, 5, {5}, 20 * 2 + 10 * 1 + 10 * 2},
        {FAB_TORUS, 9, {3, 3}, 72 * 2 + 9 * 4 * 1 + 9 * 4 * 2},
        {FAB_TORUS, 8, {2, 2, 2}, 56 * 2 + 8 * 3 * 1 + 8 * 3 * 2 + 8 * 1 * 3},
        /* three groups of two: 6 in the group; over one cable 1 hop, and one more at each end off it */
        {FAB_DRAGONFLY, 6, {2, 1}, 30 * 2 + 6 * 1 + 6 * 1 + 12 * 2 + 6 * 3},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct fab_cfg cfg = yard_cfg(cases[i].topology, cases[i].hosts);
        uint32_t hosts = cases[i].hosts;
        struct fab_counts c;
        memcpy(cfg.dim, cases[i].dim, sizeof cfg.dim);
        yard_init(&r, &cfg, &(struct yard_opt){0});
        for (uint32_t h = 0; h < hosts; h++) {
            struct pkt p = yard_packet(h, (h + 1) % hosts, 0);
            r.host[h].spread = true;
            yard_blast(&r, &p, hosts - 1, 0);
        }
        yard_run(&r, &c);
        for (uint32_t h = 0; h < hosts; h++)
            CU_ASSERT_EQUAL(r.host[h].arrived, hosts - 1);
        CU_ASSERT_EQUAL(c.arrived, cases[i].hops);
        yard_fini(&r);
    }
}

static void topo_trunk_has_its_own_rate_and_delay(void)
{
    static struct yard r;
    struct fab_cfg cfg = yard_cfg(FAB_DUMBBELL, 4);
    struct fab_counts c;
    struct pkt p = yard_packet(0, 3, 0);
    cfg.trunk_rate_bps = 40000000000;
    yard_init(&r, &cfg, &(struct yard_opt){0});
    yard_blast(&r, &p, 2, 0);
    yard_run(&r, &c);
    /* 80 ns on the host links, 200 ns on the trunk, which the second waits for */
    CU_ASSERT_EQUAL(r.host[3].last_at, 80000 + 2 * 200000 + 80000 + 3000000);
    yard_fini(&r);
    cfg.trunk_delay_ps = 5000000;
    yard_init(&r, &cfg, &(struct yard_opt){0});
    yard_blast(&r, &p, 2, 0);
    yard_run(&r, &c);
    CU_ASSERT_EQUAL(r.host[3].last_at, 80000 + 2 * 200000 + 80000 + 7000000);
    yard_fini(&r);
}

static void topo_domains_are_contiguous_groups(void)
{
    struct fab_cfg cfg = yard_cfg(FAB_DUMBBELL, 4);
    struct ev *ev = ev_new(fab_entities(&cfg), 3);
    struct fab *f = fab_new(&cfg, 0, 0, NULL, ev, 0, NULL);
    static const uint32_t want[] = {0, 0, 1, 2, 0, 1}; /* s1's first host is 2 */
    for (uint32_t n = 0; n < 4; n++)
        CU_ASSERT_EQUAL(fab_domain(f, n), want[n]);
    CU_ASSERT_EQUAL(memcmp(f->domain_of, want, sizeof want), 0);
    fab_free(f);
    ev_free(ev);
}

static const struct test tests[] = {TEST(topo_links_are_named_after_their_ends),
                                    TEST(topo_leaf_spine_joins_each_leaf_with_each_spine),
                                    TEST(topo_fat_tree_has_pods_and_cores),
                                    TEST(topo_ring_and_torus_close_their_sides),
                                    TEST(topo_dragonfly_joins_any_two_groups),
                                    TEST(topo_of_a_million_ports_is_refused),
                                    TEST(topo_that_falls_apart_is_told),
                                    TEST(topo_every_host_reaches_every_other),
                                    TEST(topo_trunk_has_its_own_rate_and_delay),
                                    TEST(topo_domains_are_contiguous_groups),
                                    TESTS_END};
const struct suite suite_topo = {"topo", tests};
