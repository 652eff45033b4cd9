/* Rules by time, by chance with a memory, and by the number that a host gives its packets. */
#include <string.h>

#include "models/fabric/inject_run.h"
#include "tests/suite.h"
#include "tests/unit/yard.h"

static struct yard r;
static struct fab_counts counts;
static uint64_t fired[2];
static uint16_t ids[8]; /* of the first packets that were sent */
static uint32_t noted;

static struct inject_rule rule_all(enum inject_action action)
{
    return (struct inject_rule){
        .action = action,
        .match = {.from = INJECT_ANY,
                  .to = INJECT_ANY,
                  .opcode = INJECT_ANY,
                  .op = INJECT_ANY,
                  .qp = INJECT_ANY,
                  .link_a = INJECT_ANY,
                  .link_b = INJECT_ANY},
        .pick = {.count = UINT64_MAX, .every = 1, .p_threshold = UINT64_MAX}};
}

static struct inject_rule down(tm_ps from, tm_ps until, uint32_t a, uint32_t b)
{
    struct inject_rule q = rule_all(INJ_LINK_DOWN);
    q.match.link_a = (int32_t)a;
    q.match.link_b = (int32_t)b;
    q.when = (struct window){from, until, 0, 0};
    return q;
}

static void note_id(void *self, const char *kind, const char *reason, const struct link *where,
                    const struct pkt *p, tm_ps now)
{
    if (strcmp(kind, "send") == 0 && p->hops == 0 && noted < 8)
        ids[noted++] = p->ip_id;
}

/* n packets of 1000 bytes (80 ns) from host 0 to host 1 under the rules; what arrives. */
static const char *flow(struct inject_rule *q, uint32_t rules, enum fab_topology topology,
                        uint32_t n, const struct yard_opt *opt)
{
    struct fab_cfg cfg = yard_cfg(topology, 2);
    struct inject_list list = {q, rules, 0};
    struct yard_opt with = *opt;
    struct pkt p = yard_packet(0, 1, 0);
    with.rules = &list;
    with.seed = 1;
    yard_init(&r, &cfg, &with);
    yard_blast(&r, &p, n, 0);
    yard_run(&r, &counts);
    CU_ASSERT_EQUAL(counts.in_flight, 0);
    fab_inject_fired(r.fab, fired);
    yard_fini(&r);
    return r.host[1].log;
}
static const struct yard_opt plain = {0};

/* ---- by time --------------------------------------------------------------------------------- */

/* Down for 80 ns every 240 ns, three times from 1.5 us on: packets on the wire for 1.08 us each. */
static void inject_chance_flaps_hit_each_time(void)
{
    struct inject_rule q = down(5000000, 5080000, 0, 1);
    CU_ASSERT_STRING_EQUAL(flow(&q, 1, FAB_PAIR, 3, &plain), "0 1 2 ");
    flow(&q, 1, FAB_PAIR, 500, &plain);
    /* what is sent from 5000000 - 1080000 on, less than a packet after it, up to 5080000 */
    CU_ASSERT_EQUAL(fired[0], 14);
    q.when.every_ps = 10000000;
    q.when.count = 3;
    flow(&q, 1, FAB_PAIR, 500, &plain);
    CU_ASSERT_EQUAL(fired[0], 3 * 14);
    CU_ASSERT_EQUAL(counts.dropped[FAB_DROP_DOWN], 3 * 14);
    CU_ASSERT_EQUAL(r.host[1].arrived, 500 - 3 * 14);
}

/* The last bit is there at 1080000, at the host 500000 later; it left its own host 200000 late. */
static void inject_chance_adapters_are_no_part_of_the_link(void)
{
    struct yard_opt opt = {.pre_ps = 200000, .post_ps = 500000};
    struct inject_rule q = down(1279999, 1280001, 0, 1);
    CU_ASSERT_STRING_EQUAL(flow(&q, 1, FAB_PAIR, 1, &opt), "");
    q.when.from_ps = 1280000;
    CU_ASSERT_STRING_EQUAL(flow(&q, 1, FAB_PAIR, 1, &opt), "0 ");
    q.when = (struct window){0, 200001, 0, 0};
    CU_ASSERT_STRING_EQUAL(flow(&q, 1, FAB_PAIR, 1, &opt), "");
    q.when.until_ps = 200000;
    CU_ASSERT_STRING_EQUAL(flow(&q, 1, FAB_PAIR, 1, &opt), "0 ");
}

/* From the switch at twice the delay: the second link is down while the first is not. */
static void inject_chance_other_links_stay_up(void)
{
    struct inject_rule q = down(0, 1080000, 2, 1);
    CU_ASSERT_STRING_EQUAL(flow(&q, 1, FAB_STAR, 2, &plain), "0 1 ");
    q.when.until_ps = 1080001;
    CU_ASSERT_STRING_EQUAL(flow(&q, 1, FAB_STAR, 2, &plain), "1 ");
}

static void inject_chance_during_looks_at_its_time_alone(void)
{
    struct inject_rule q = rule_all(INJ_DROP);
    q.when = (struct window){160000, 320000, 0, 0};
    CU_ASSERT_STRING_EQUAL(flow(&q, 1, FAB_PAIR, 6, &plain), "0 1 4 5 ");
    q.pick.every = 2; /* of the packets in that time */
    CU_ASSERT_STRING_EQUAL(flow(&q, 1, FAB_PAIR, 6, &plain), "0 1 2 4 5 ");
}

/* ---- by chance ------------------------------------------------------------------------------- */

static void inject_chance_burst_takes_neighbours(void)
{
    struct inject_rule q = rule_all(INJ_DROP);
    q.pick.p_threshold = UINT64_MAX / 100;
    q.pick.loss = (struct loss_cfg){
        .model = LOSS_GILBERT_ELLIOTT, .burst_milli = 10000, .in_bad = UINT64_MAX};
    flow(&q, 1, FAB_PAIR, 200000, &plain);
    /* 2000 in the long run, in 200 bursts of 10: the deviation is 10 * 14 * 1.4 */
    CU_ASSERT_TRUE(fired[0] > 1300 && fired[0] < 2700);
    CU_ASSERT_EQUAL(counts.dropped[FAB_DROP_INJECT], fired[0]);
}

/* 8000 bits at 1e-5: 7.69 %; 640 bits of what rewrites make short before: 0.64 %. */
static void inject_chance_ber_asks_for_the_length(void)
{
    struct inject_rule q = rule_all(INJ_DROP);
    q.pick.loss = (struct loss_cfg){.model = LOSS_BER, .ber = UINT64_MAX / 100000};
    flow(&q, 1, FAB_PAIR, 20000, &plain);
    CU_ASSERT_TRUE(fired[0] > 1538 - 190 && fired[0] < 1538 + 190);
}

static bool pinned(struct inject_pick k)
{
    struct inject_rule q = rule_all(INJ_DROP);
    q.pick = k;
    return inject_is_pinned(&q);
}

/* What draws needs one order of the packets that it draws for; a number of the packet needs none. */
static void inject_chance_that_draws_is_pinned_to_a_sender(void)
{
    struct inject_rule q = rule_all(INJ_DROP);
    struct inject_pick k = q.pick;
    CU_ASSERT_TRUE(pinned(k));
    k.loss.model = LOSS_BER;
    CU_ASSERT_FALSE(pinned(k));
    k.loss.model = LOSS_GILBERT_ELLIOTT;
    CU_ASSERT_FALSE(pinned(k));
    q.match.ip_mask = 0xff;
    CU_ASSERT_TRUE(inject_is_pinned(&q));
}

/* ---- by number ------------------------------------------------------------------------------- */

static void inject_chance_ip_id_counts_the_hosts_packets(void)
{
    struct inject_rule q = rule_all(INJ_DROP);
    q.match.ip_id = 3;
    q.match.ip_mask = 7;
    CU_ASSERT_STRING_EQUAL(flow(&q, 1, FAB_PAIR, 12, &plain), "0 1 2 4 5 6 7 8 9 10 ");
    q.match.ip_mask = 0xffff;
    CU_ASSERT_STRING_EQUAL(flow(&q, 1, FAB_PAIR, 12, &plain), "0 1 2 4 5 6 7 8 9 10 11 ");
    q.match.link_a = 2; /* from the switch to host 1: the number stays with the packet */
    q.match.link_b = 1;
    CU_ASSERT_STRING_EQUAL(flow(&q, 1, FAB_STAR, 12, &plain), "0 1 2 4 5 6 7 8 9 10 11 ");
    CU_ASSERT_EQUAL(counts.arrived, 12 + 11);
}

/* What a rule takes has had its number; so has a copy, which is its original's. */
static void inject_chance_ip_id_goes_on_whatever_happens(void)
{
    struct inject_rule q[2] = {rule_all(INJ_DROP), rule_all(INJ_DUP)};
    struct fab_tap tap = {note_id, NULL};
    struct yard_opt opt = {.tap = &tap};
    q[0].pick.count = q[1].pick.count = 1;
    noted = 0;
    CU_ASSERT_STRING_EQUAL(flow(q, 2, FAB_PAIR, 4, &opt), "1 1 2 3 ");
    for (uint16_t i = 0; i < 4; i++)
        CU_ASSERT_EQUAL(ids[i], i);
    CU_ASSERT_EQUAL(noted, 4);
}

static const struct test tests[] = {TEST(inject_chance_flaps_hit_each_time),
                                    TEST(inject_chance_adapters_are_no_part_of_the_link),
                                    TEST(inject_chance_other_links_stay_up),
                                    TEST(inject_chance_during_looks_at_its_time_alone),
                                    TEST(inject_chance_burst_takes_neighbours),
                                    TEST(inject_chance_ber_asks_for_the_length),
                                    TEST(inject_chance_that_draws_is_pinned_to_a_sender),
                                    TEST(inject_chance_ip_id_counts_the_hosts_packets),
                                    TEST(inject_chance_ip_id_goes_on_whatever_happens),
                                    TESTS_END};
const struct suite suite_inject_chance = {"inject_chance", tests};
