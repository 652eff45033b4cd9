/* The recurrence against the simulation, to the picosecond, and on literals. */
#include <stdlib.h>

#include "tests/suite.h"
#include "tests/unit/yard.h"

#define MTU 1024

/* BTH and RETH, BTH; one test turns them round. */
static uint32_t first_headers = 28, other_headers = 12;

/* A host blasts the message's packets: when does the last one arrive? */
static tm_ps simulated(const struct fab_cfg *cfg, uint32_t to, uint64_t bytes)
{
    static struct yard r;
    struct fab_counts c;
    uint64_t packets = bytes ? (bytes + MTU - 1) / MTU : 1;
    uint64_t last = bytes - (packets - 1) * MTU, pad = (4 - last % 4) % 4;
    struct pkt p = yard_packet(0, to, 0);
    yard_init(&r, cfg, &(struct yard_opt){.pre_ps = 3, .post_ps = 70});
    p.wire_bytes = (uint16_t)(70 + first_headers + (packets > 1 ? MTU : last + pad));
    yard_blast(&r, &p, 1, 0);
    ev_run(r.ev, 0, NULL);
    if (packets > 1) {
        p.wire_bytes = (uint16_t)(70 + other_headers + MTU);
        p.h.psn = psn(1);
        r.host[0].last_bytes = (uint32_t)(70 + other_headers + last + pad);
        yard_blast(&r, &p, packets - 1, link_free_at(fab_uplink(r.fab, 0)));
    }
    yard_run(&r, &c);
    CU_ASSERT_EQUAL(r.host[to].arrived, packets);
    tm_ps at = r.host[to].last_at;
    yard_fini(&r);
    return at;
}

static tm_ps alone(const struct fab_cfg *cfg, uint32_t to, uint64_t bytes)
{
    struct ev *ev = ev_new(fab_entities(cfg), 1);
    struct fab *f = fab_new(cfg, 3, 70, NULL, ev, 0, NULL);
    tm_ps ps = fab_alone_ps(f, 0, to, bytes, MTU, first_headers, other_headers);
    fab_free(f);
    ev_free(ev);
    return ps;
}

static void fab_alone_one_packet_pays_each_hop_once(void)
{
    struct fab_cfg pair = yard_cfg(FAB_PAIR, 2), star = yard_cfg(FAB_STAR, 3);
    star.switch_delay_ps = 500;
    /* 70 + 28 + 100 bytes at 80 ps each, 1 us, host delays 73 ps */
    CU_ASSERT_EQUAL(alone(&pair, 1, 100), 198 * 80 + 1000000 + 73);
    CU_ASSERT_EQUAL(alone(&pair, 1, 99), 198 * 80 + 1000000 + 73); /* pad */
    CU_ASSERT_EQUAL(alone(&pair, 1, 0), 98 * 80 + 1000000 + 73);
    CU_ASSERT_EQUAL(alone(&star, 2, 100), 2 * 198 * 80 + 2000000 + 500 + 73);
}

static void fab_alone_many_packets_pay_the_rate_once(void)
{
    struct fab_cfg star = yard_cfg(FAB_STAR, 2);
    /* First 1122 bytes, then 999 of 1106; the second hop repeats the last packet alone, behind
     * the 16 bytes more of the first. */
    CU_ASSERT_EQUAL(alone(&star, 1, 1000 * MTU), (2 * 1122 + 999 * 1106) * 80 + 2000000 + 73);
}

static void fab_alone_equals_the_simulation(void)
{
    static const uint64_t bytes[] = {0,    1,     1023,  1024,  1025,   2048,    2049,
                                     5000, 65536, 66000, 66561, 131072, 1000001, 4194304};
    /* 99.93 and 3 Gb/s do not divide 8 * 10^12; the trunk is slower, faster, barely different. */
    static const uint64_t rate[] = {100000000000, 99930000000, 3000000000};
    static const uint64_t trunk[] = {0, 40000000000, 400000000000, 100010000000, 99990000000};
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 5; j++) {
            struct fab_cfg cfg = yard_cfg(FAB_DUMBBELL, 4);
            cfg.rate_bps = rate[i];
            cfg.trunk_rate_bps = trunk[j];
            cfg.switch_delay_ps = 12345;
            for (int k = 0; k < 14; k++) {
                CU_ASSERT_EQUAL(alone(&cfg, 3, bytes[k]), simulated(&cfg, 3, bytes[k]));
                CU_ASSERT_EQUAL(alone(&cfg, 1, bytes[k]), simulated(&cfg, 1, bytes[k]));
            }
        }
    }
}

/* The first packet is the smallest, and the trunk barely slower: its queue forms late. */
static void fab_alone_queue_may_form_after_many_packets(void)
{
    struct fab_cfg cfg = yard_cfg(FAB_DUMBBELL, 4);
    cfg.trunk_rate_bps = 99990000000;
    first_headers = 12;
    other_headers = 28;
    for (uint64_t packets = 2; packets < 70; packets++)
        CU_ASSERT_EQUAL(alone(&cfg, 3, packets * MTU - 500),
                        simulated(&cfg, 3, packets * MTU - 500));
    first_headers = 28;
    other_headers = 12;
}

/* 2^40 bytes: a loop over its packets would take seconds. */
static void fab_alone_is_linear_in_huge_messages(void)
{
    struct fab_cfg cfg = yard_cfg(FAB_DUMBBELL, 4);
    cfg.trunk_rate_bps = 40000000000;
    tm_ps small = alone(&cfg, 3, 1u << 20), huge = alone(&cfg, 3, UINT64_C(1) << 40);
    CU_ASSERT_EQUAL(huge - small, (tm_ps)((1 << 30) - (1 << 10)) * 1106 * 200);
}

static const struct test tests[] = {TEST(fab_alone_one_packet_pays_each_hop_once),
                                    TEST(fab_alone_many_packets_pay_the_rate_once),
                                    TEST(fab_alone_equals_the_simulation),
                                    TEST(fab_alone_queue_may_form_after_many_packets),
                                    TEST(fab_alone_is_linear_in_huge_messages),
                                    TESTS_END};
const struct suite suite_fab_alone = {"fab_alone", tests};
