/* Ways: shortest ones, several equal ones, and those that never go up after they went down. */
#include <stdio.h>
#include <string.h>

#include "models/fabric/paths.h"
#include "tests/suite.h"
#include "tests/unit/edges.h"

/* The ways of switch s to host h as link numbers, "6 9 ". */
static const char *ways(const struct topo *t, const struct paths *p, uint32_t s, uint32_t h)
{
    static char out[200];
    uint32_t of = p->of[(s - t->hosts) * t->hosts + h];
    size_t n = 0;
    out[0] = 0;
    if (of == PATHS_NONE)
        return "none";
    if (!(of & PATHS_MANY)) {
        snprintf(out, sizeof out, "%u ", of);
        return out;
    }
    const struct path_set *set = &p->set[of & ~PATHS_MANY];
    for (uint32_t i = 0; i < set->count; i++)
        n += (size_t)snprintf(out + n, sizeof out - n, "%u ", p->hop[set->first + i]);
    return out;
}

/*
 * Hosts 0 1 2 at switches 3 4 5 of a ring of four; switch 6 has no host.  Between 3 and 5 there are two
 * ways of two steps.
 */
static struct topo_edge ring_edge[] = {EDGE(0, 3), EDGE(1, 4), EDGE(2, 5), EDGE(3, 4),
                                       EDGE(4, 5), EDGE(5, 6), EDGE(6, 3)};
static const struct topo ring = {3, 4, 7, ring_edge};

static void paths_of_equal_length_are_all_found(void)
{
    struct paths p;
    paths_find(&ring, PATHS_SHORTEST, &p);
    CU_ASSERT_STRING_EQUAL(ways(&ring, &p, 3, 0), "1 ");
    CU_ASSERT_STRING_EQUAL(ways(&ring, &p, 3, 1), "6 ");
    CU_ASSERT_STRING_EQUAL(ways(&ring, &p, 3, 2), "6 13 ");
    CU_ASSERT_STRING_EQUAL(ways(&ring, &p, 5, 0), "9 10 ");
    CU_ASSERT_STRING_EQUAL(ways(&ring, &p, 6, 1), "11 12 ");
    paths_clear(&p);
}

/* A path through a host would be shorter: hosts do not forward. */
static void paths_do_not_lead_through_hosts(void)
{
    struct topo_edge edge[] = {EDGE(0, 2), EDGE(0, 3), EDGE(1, 3),
                               EDGE(2, 4), EDGE(4, 5), EDGE(5, 3)};
    struct topo t = {2, 4, 6, edge};
    struct paths p;
    paths_find(&t, PATHS_SHORTEST, &p);
    CU_ASSERT_STRING_EQUAL(ways(&t, &p, 2, 1), "6 "); /* by 2-4, not by 2-0 */
    CU_ASSERT_STRING_EQUAL(ways(&t, &p, 3, 0), "3 ");
    paths_clear(&p);
}

/*
 * Switch 6 has no host: it is the top.  3 and 5 are next to it, 4 is below both: from 3 to 5 only the way over
 * 6 goes up first and down last; the one over 4 would go down, then up.
 */
static void paths_up_down_do_not_go_up_after_down(void)
{
    struct paths p;
    paths_find(&ring, PATHS_UP_DOWN, &p);
    CU_ASSERT_STRING_EQUAL(ways(&ring, &p, 3, 2), "13 ");
    CU_ASSERT_STRING_EQUAL(ways(&ring, &p, 5, 0), "10 ");
    CU_ASSERT_STRING_EQUAL(ways(&ring, &p, 3, 1), "6 ");
    CU_ASSERT_STRING_EQUAL(ways(&ring, &p, 6, 1), "11 12 ");
    CU_ASSERT_STRING_EQUAL(ways(&ring, &p, 4, 0), "7 ");
    paths_clear(&p);
}

/* A ring of five with a host each, first switch on top: between 2 and 3, the lowest, no way leads down. */
static void paths_up_down_of_a_ring_go_over_the_top(void)
{
    struct topo_edge edge[] = {EDGE(0, 5), EDGE(1, 6), EDGE(2, 7), EDGE(3, 8), EDGE(4, 9),
                               EDGE(5, 6), EDGE(6, 7), EDGE(7, 8), EDGE(8, 9), EDGE(9, 5)};
    struct topo t = {5, 5, 10, edge};
    struct paths p;
    paths_find(&t, PATHS_UP_DOWN, &p);
    CU_ASSERT_STRING_EQUAL(ways(&t, &p, 6, 4), "11 "); /* 1 to 4: over 0 */
    CU_ASSERT_STRING_EQUAL(ways(&t, &p, 7, 3),
                           "14 "); /* 2 to 3: 3 comes after 2 in the order: down */
    CU_ASSERT_STRING_EQUAL(ways(&t, &p, 8, 1), "15 "); /* 3 to 1: up to 2, up to 1 */
    CU_ASSERT_STRING_EQUAL(ways(&t, &p, 7, 4), "13 "); /* 2 to 4: not by 3, from there it is up */
    paths_clear(&p);
}

/* In a leaf-spine the leaves share one set of ways up each: sets are kept once. */
static void paths_keep_equal_sets_once(void)
{
    struct topo_plan plan = {.topology = FAB_LEAF_SPINE, .hosts = 8, .dim = {4, 3}};
    struct topo t;
    struct paths p;
    uint32_t from, host;
    topo_build(&plan, &t);
    paths_find(&t, PATHS_SHORTEST, &p);
    CU_ASSERT_EQUAL(p.sets, 4);
    CU_ASSERT_EQUAL(p.hops, 12);
    CU_ASSERT_FALSE(paths_missing(&t, &p, &from, &host));
    paths_clear(&p);
    topo_clear(&t);
}

/* Two tops that are not joined but by leaves: each leaf hangs on one of them alone, and 2 on both. */
static void paths_that_up_down_forbids_are_missing(void)
{
    struct topo_edge edge[] = {EDGE(0, 3), EDGE(1, 4), EDGE(2, 5), EDGE(3, 6),
                               EDGE(5, 6), EDGE(5, 7), EDGE(4, 7)};
    struct topo t = {3, 5, 7, edge};
    struct paths p;
    uint32_t from = 0, host = 9;
    paths_find(&t, PATHS_UP_DOWN, &p);
    CU_ASSERT_TRUE(paths_missing(&t, &p, &from, &host));
    CU_ASSERT_EQUAL(from, 3);
    CU_ASSERT_EQUAL(host, 1);
    paths_clear(&p);
}

static const struct test tests[] = {TEST(paths_of_equal_length_are_all_found),
                                    TEST(paths_do_not_lead_through_hosts),
                                    TEST(paths_up_down_do_not_go_up_after_down),
                                    TEST(paths_up_down_of_a_ring_go_over_the_top),
                                    TEST(paths_keep_equal_sets_once),
                                    TEST(paths_that_up_down_forbids_are_missing),
                                    TESTS_END};
const struct suite suite_paths = {"paths", tests};
