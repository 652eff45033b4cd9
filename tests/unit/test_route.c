/* Which of several equal links a packet takes: by flow, by draw, after a pause, by the shortest queue. */
#include <string.h>

#include "models/fabric/link.h"
#include "tests/suite.h"
#include "tests/unit/yard.h"

#define PACKETS 400u
#define SPINES 4u

static struct yard yard;

/* Two leaves of two hosts; links 8 .. 14 lead from the first leaf to the four spines. */
static struct fab_cfg two_leaves(enum fab_spread spread)
{
    struct fab_cfg cfg = yard_cfg(FAB_LEAF_SPINE, 4);
    cfg.dim[0] = 2;
    cfg.dim[1] = SPINES;
    cfg.spread = spread;
    cfg.flowlet_gap_ps = TM_US;
    return cfg;
}

static void sent_up(uint64_t sent[SPINES])
{
    for (uint32_t i = 0; i < SPINES; i++) {
        struct link_counts c;
        fab_link_counts(yard.fab, 8 + 2 * i, &c);
        sent[i] = c.sent;
    }
}

/* `flows` flows of host 0 to host 2, told apart by their source ports; packets each by each, a gap between. */
static void run(enum fab_spread spread, uint32_t flows, tm_ps gap_ps, uint64_t seed,
                uint64_t sent[SPINES])
{
    struct fab_cfg cfg = two_leaves(spread);
    struct fab_counts c;
    yard_init(&yard, &cfg, &(struct yard_opt){.seed = seed});
    for (uint32_t i = 0; i < PACKETS; i++) {
        struct pkt p = yard_packet(0, 2, i);
        p.entropy = (uint16_t)(49152 + i % flows);
        link_send(fab_uplink(yard.fab, 0), &p, ev_now(yard.ev));
        ev_run(yard.ev, ev_now(yard.ev) + gap_ps, NULL);
    }
    yard_run(&yard, &c);
    sent_up(sent);
    CU_ASSERT_EQUAL(yard.host[2].arrived, PACKETS);
}

static uint32_t used(const uint64_t sent[SPINES])
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < SPINES; i++)
        n += sent[i] > 0;
    return n;
}

static void route_ecmp_keeps_a_flow_on_its_way(void)
{
    uint64_t sent[SPINES];
    run(FAB_ECMP, 1, TM_US, 1, sent);
    CU_ASSERT_EQUAL(used(sent), 1);
    CU_ASSERT_EQUAL(yard.host[2].steps_back, 0);
    yard_fini(&yard);
    run(FAB_ECMP, 100, TM_US, 1, sent);
    CU_ASSERT_EQUAL(used(sent), SPINES);
    for (uint32_t i = 0; i < SPINES; i++) /* 25 flows of 4 packets each on the mean; 4 sigma */
        CU_ASSERT(sent[i] % 4 == 0 && sent[i] >= 32 && sent[i] <= 168);
    yard_fini(&yard);
}

/* 100 on the mean; the standard deviation is 8.7. */
static void route_spray_draws_for_each_packet(void)
{
    uint64_t sent[SPINES], again[SPINES], other[SPINES];
    run(FAB_SPRAY, 1, TM_US, 1, sent);
    for (uint32_t i = 0; i < SPINES; i++)
        CU_ASSERT(sent[i] > 65 && sent[i] < 135);
    yard_fini(&yard);
    run(FAB_SPRAY, 1, TM_US, 1, again);
    yard_fini(&yard);
    run(FAB_SPRAY, 1, TM_US, 2, other);
    yard_fini(&yard);
    CU_ASSERT_EQUAL(memcmp(sent, again, sizeof sent), 0);
    CU_ASSERT_NOT_EQUAL(memcmp(sent, other, sizeof sent), 0);
}

static void route_flowlet_draws_after_a_pause(void)
{
    uint64_t sent[SPINES];
    run(FAB_FLOWLET, 1, TM_US, 1, sent);
    CU_ASSERT_EQUAL(used(sent), 1);
    yard_fini(&yard);
    run(FAB_FLOWLET, 1, 2 * TM_US, 1, sent);
    for (uint32_t i = 0; i < SPINES; i++)
        CU_ASSERT(sent[i] > 65 && sent[i] < 135);
    yard_fini(&yard);
}

/* All at once: 80 ns each on the host's link, 80 ns up: one link is always free, the flow's own. */
static void route_adaptive_takes_the_shortest_queue(void)
{
    uint64_t sent[SPINES];
    struct fab_cfg cfg = two_leaves(FAB_ADAPTIVE);
    struct fab_counts c;
    cfg.trunk_rate_bps = 25000000000; /* 320 ns up: four links together are as fast as the host's */
    yard_init(&yard, &cfg, &(struct yard_opt){0});
    struct pkt p = yard_packet(0, 2, 0);
    yard_blast(&yard, &p, PACKETS, 0);
    yard_run(&yard, &c);
    sent_up(sent);
    for (uint32_t i = 0; i < SPINES; i++)
        CU_ASSERT_EQUAL(sent[i], PACKETS / SPINES);
    CU_ASSERT_EQUAL(c.queue_bytes_max, 1000);
    yard_fini(&yard);
}

/* Nothing waits anywhere: every flow goes where its hash alone would send it. */
static void route_adaptive_of_equal_queues_takes_the_flows_own(void)
{
    uint64_t by_hash[SPINES], by_queue[SPINES];
    run(FAB_ECMP, 100, TM_US, 1, by_hash);
    yard_fini(&yard);
    run(FAB_ADAPTIVE, 100, TM_US, 1, by_queue);
    yard_fini(&yard);
    CU_ASSERT(!memcmp(by_hash, by_queue, sizeof(by_hash)));
}

static const struct test tests[] = {TEST(route_ecmp_keeps_a_flow_on_its_way),
                                    TEST(route_spray_draws_for_each_packet),
                                    TEST(route_flowlet_draws_after_a_pause),
                                    TEST(route_adaptive_takes_the_shortest_queue),
                                    TEST(route_adaptive_of_equal_queues_takes_the_flows_own), TESTS_END};
const struct suite suite_route = {"route", tests};
