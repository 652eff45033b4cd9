/* Names, routes and domains of the built-in topologies; routes over one that no builder makes. */
#include <stdio.h>
#include <string.h>

#include "models/fabric/link.h"
#include "tests/suite.h"
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
    CU_ASSERT_STRING_EQUAL(names(FAB_DUMBBELL, 3),
                           "h0-s0 s0-h0 h1-s1 s1-h1 h2-s1 s1-h2 s0-s1 s1-s0 ");
}

static void topo_star_and_dumbbell_route_by_the_shortest_path(void)
{
    struct fab_cfg star = yard_cfg(FAB_STAR, 3), bell = yard_cfg(FAB_DUMBBELL, 4);
    struct topo t;
    uint32_t next[8];
    static const uint32_t by_star[] = {1, 3, 5}, by_bell[] = {1, 3, 8, 8, 9, 9, 5, 7};
    topo_build(&star, &t);
    topo_route(&t, next);
    CU_ASSERT_EQUAL(memcmp(next, by_star, sizeof by_star), 0);
    topo_clear(&t);
    topo_build(&bell, &t);
    topo_route(&t, next);
    CU_ASSERT_EQUAL(memcmp(next, by_bell, sizeof by_bell), 0);
    topo_clear(&t);
}

/*
 * Hosts 0 1 2 at switches 3 4 5 of a ring of four; switch 6 has no host, and between 3 and 5 there
 * are two ways of two steps: the one whose link comes first is taken.
 */
static void topo_ring_takes_the_first_of_equal_paths(void)
{
    struct topo_edge edge[] = {{0, 3, 1}, {1, 4, 1}, {2, 5, 1}, {3, 4, 1},
                               {4, 5, 1}, {5, 6, 1}, {6, 3, 1}};
    struct topo t = {3, 4, 7, edge};
    static const uint32_t want[] = {
        1,  6,  6,  /* switch 3: host 0 here, 1 and 2 by 3-4 */
        7,  3,  8,  /* switch 4 */
        9,  9,  5,  /* switch 5: host 0 by 5-4 */
        12, 11, 11, /* switch 6: host 1 is two steps away either way, 6-5 comes first */
    };
    uint32_t next[12];
    topo_route(&t, next);
    CU_ASSERT_EQUAL(memcmp(next, want, sizeof want), 0);
}

/* A path through a host would be shorter: hosts do not forward. */
static void topo_hosts_do_not_forward(void)
{
    struct topo_edge edge[] = {{0, 2, 1}, {0, 3, 1}, {1, 3, 1}, {2, 4, 1}, {4, 5, 1}, {5, 3, 1}};
    struct topo t = {2, 4, 6, edge};
    uint32_t next[8];
    topo_route(&t, next);
    CU_ASSERT_EQUAL(next[0 * 2 + 1], 6); /* switch 2 to host 1: by 2-4, not by 2-0 */
    CU_ASSERT_EQUAL(next[1 * 2 + 0], 3);
}

static void topo_every_host_reaches_every_other(void)
{
    static struct yard r;
    static const enum fab_topology topology[] = {FAB_STAR, FAB_DUMBBELL};
    for (int i = 0; i < 2; i++) {
        struct fab_cfg cfg = yard_cfg(topology[i], 7);
        struct fab_counts c;
        yard_init(&r, &cfg, &(struct yard_opt){0});
        for (uint32_t h = 0; h < 7; h++) {
            struct pkt p = yard_packet(h, (h + 1) % 7, 0);
            r.host[h].spread = true;
            yard_blast(&r, &p, 6, 0);
        }
        yard_run(&r, &c);
        for (uint32_t h = 0; h < 7; h++)
            CU_ASSERT_EQUAL(r.host[h].arrived, 6);
        /* dumbbell 3 + 4: 2 * 3 * 4 of 42 cross the trunk */
        CU_ASSERT_EQUAL(c.arrived, topology[i] == FAB_STAR ? 84 : 84 + 24);
        yard_fini(&r);
    }
}

static void topo_trunk_has_its_own_rate(void)
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
}

static void topo_domains_are_contiguous_groups(void)
{
    struct fab_cfg cfg = yard_cfg(FAB_DUMBBELL, 5);
    struct ev *ev = ev_new(fab_entities(&cfg), 2);
    struct fab *f = fab_new(&cfg, 0, 0, NULL, ev, 0, NULL);
    static const uint32_t want[] = {0, 0, 0, 1, 1, 0, 0}; /* s1's first host is 2 */
    for (uint32_t n = 0; n < 5; n++)
        CU_ASSERT_EQUAL(fab_domain(f, n), want[n]);
    CU_ASSERT_EQUAL(memcmp(f->domain_of, want, sizeof want), 0);
    fab_free(f);
    ev_free(ev);
}

static const struct test tests[] = {TEST(topo_links_are_named_after_their_ends),
                                    TEST(topo_star_and_dumbbell_route_by_the_shortest_path),
                                    TEST(topo_ring_takes_the_first_of_equal_paths),
                                    TEST(topo_hosts_do_not_forward),
                                    TEST(topo_every_host_reaches_every_other),
                                    TEST(topo_trunk_has_its_own_rate),
                                    TEST(topo_domains_are_contiguous_groups),
                                    TESTS_END};
const struct suite suite_topo = {"topo", tests};
