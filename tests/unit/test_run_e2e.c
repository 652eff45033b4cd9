/*
 * Fabric, HCAs and load together against arithmetic: what a whole run must come to.
 */
#include <string.h>

#include "tests/suite.h"
#include "tests/unit/bed.h"

/*
 * One WRITE of 4096 bytes is 4194 bytes on the wire (payload, BTH 12, RETH 16, 70 of RoCEv2):
 * 335 520 ps at 100 Gb/s.  Its acknowledgement has 86 bytes: 6 880 ps.  Depth 1: a message every
 * 335 520 + 1 us + 6 880 + 1 us.
 */
static void run_e2e_pair_depth_1_takes_a_round_trip_each(void)
{
    struct bed_cfg c = bed_cfg();
    struct meter m = bed_result(&c);
    CU_ASSERT_EQUAL(m.n.messages_delivered, 10);
    CU_ASSERT_EQUAL(m.n.bytes_delivered, 40960);
    CU_ASSERT_EQUAL(m.first_post_ps, 0);
    CU_ASSERT_EQUAL(m.last_delivery_ps, 9 * 2342400 + 1335520);
    CU_ASSERT_EQUAL(m.completion.min, 2342400);
    CU_ASSERT_EQUAL(m.completion.max, 2342400);
}

/* Depth 16 covers the round trip: packets leave back to back. */
static void run_e2e_pair_deep_fills_the_wire(void)
{
    struct bed_cfg c = bed_cfg();
    c.load.depth = 16;
    c.load.messages = 1000;
    struct meter m = bed_result(&c);
    CU_ASSERT_EQUAL(m.n.messages_delivered, 1000);
    CU_ASSERT_EQUAL(m.last_delivery_ps, 1000 * 335520 + 1000000);
    CU_ASSERT_EQUAL(m.n.packets_sent, 2000);
}

static void run_e2e_incast_delivers_everything(void)
{
    struct bed_cfg c = bed_star(9, LOAD_INCAST);
    c.load.op = XP_WR_SEND;
    c.load.depth = 4;
    c.load.messages = 50;
    struct meter m = bed_result(&c);
    CU_ASSERT_EQUAL(m.n.messages_posted, 400);
    CU_ASSERT_EQUAL(m.n.messages_delivered, 400);
    CU_ASSERT_EQUAL(m.n.messages_completed, 400);
    CU_ASSERT_EQUAL(m.n.recvs_completed, 400);
    CU_ASSERT_EQUAL(m.n.messages_failed, 0);
}

/* ---- loss and domains --------------------------------------------------------------------------- */

/* What must not differ between two runs of the same thing. */
static bool same(const struct meter *a, const struct meter *b)
{
    return memcmp(a, b, sizeof(*a)) == 0;
}

/* UC: what is lost stays lost; every sender believes it sent everything. */
static void run_e2e_uc_with_loss_delivers_what_was_not_lost(void)
{
    struct bed_cfg c = bed_star(6, LOAD_RING);
    c.qp.service = XP_UC;
    c.load.messages = 500;
    c.load.depth = 8;
    c.fab.loss_threshold = UINT64_MAX / 50;
    struct bed *b = bed_new(&c);
    bed_run(b);
    uint64_t lost = b->links.dropped[FAB_DROP_LOSS];
    CU_ASSERT(lost > 60 && lost < 200); /* 3000 messages of one packet over two links at 2 % each */
    CU_ASSERT_EQUAL(b->sum.n.messages_completed, 3000);
    CU_ASSERT_EQUAL(b->sum.n.messages_delivered + lost, 3000);
    bed_free(b);
}

static void run_e2e_rc_with_loss_delivers_everything_once(void)
{
    struct bed_cfg c = bed_star(6, LOAD_ALL_TO_ALL);
    c.load.messages = 100;
    c.load.depth = 8;
    c.load.op = XP_WR_SEND;
    c.bytes = 20000;
    c.qp.mtu = 1024;
    c.qp.timeout = 8;
    c.fab.loss_threshold = UINT64_MAX / 100;
    c.fab.loss_classes = 1u << FAB_DATA | 1u << FAB_ACK | 1u << FAB_NAK;
    struct meter m = bed_result(&c);
    CU_ASSERT_EQUAL(m.n.messages_delivered, 3000);
    CU_ASSERT_EQUAL(m.n.bytes_delivered, 3000ull * 20000);
    CU_ASSERT_EQUAL(m.n.messages_completed, 3000);
    CU_ASSERT_EQUAL(m.n.recvs_completed, 3000);
    CU_ASSERT(m.n.packets_retransmitted > 1000);
}

/* Each pattern and service, lossy and open: one, two and five domains hold the same meters. */
static void run_e2e_domains_do_not_change_results(void)
{
    static const uint32_t domains[3] = {1, 2, 5};
    for (enum load_pattern p = LOAD_PAIR; p < LOAD_TRACE; p++) {
        for (int service = XP_RC; service <= (p == LOAD_RPC ? XP_RC : XP_UC); service++) {
            struct meter m[3];
            for (int i = 0; i < 3; i++) {
                struct bed_cfg c = bed_star(7, p);
                c.qp.service = (enum xp_service_id)service;
                c.qp.timeout = 6;
                c.load.op = XP_WR_WRITE_IMM;
                c.load.messages = 0;
                c.load.load_ppm = 300000;
                c.load.rpc = (struct load_rpc){64, 64, LOAD_RPC_WRITE, 100000};
                c.duration_ps = 300000000;
                c.fab.loss_threshold = UINT64_MAX / 100;
                c.domains = domains[i];
                m[i] = bed_result(&c);
            }
            CU_ASSERT(m[0].n.messages_delivered > 50);
            CU_ASSERT_TRUE(same(&m[0], &m[1]));
            CU_ASSERT_TRUE(same(&m[0], &m[2]));
        }
    }
}

static void run_e2e_again_is_the_same_and_another_seed_is_not(void)
{
    struct bed_cfg c = bed_star(5, LOAD_PERMUTATION);
    c.load.messages = 0;
    c.load.load_ppm = 500000;
    c.duration_ps = 100000000;
    struct meter first = bed_result(&c), again = bed_result(&c);
    CU_ASSERT_TRUE(same(&first, &again));
    c.seed = 2;
    again = bed_result(&c);
    CU_ASSERT_FALSE(same(&first, &again));
}

/* The encapsulation changes nothing but the bytes on the wire: 20 more with IPv6, 56 fewer on InfiniBand. */
static void run_e2e_encapsulation_is_paid_on_the_wire(void)
{
    struct bed_cfg c = bed_cfg();
    c.load.messages = 1;
    CU_ASSERT_EQUAL(bed_result(&c).latency.max, 1335520);
    c.fab.encap = ENCAP_ROCEV2_IPV6;
    CU_ASSERT_EQUAL(bed_result(&c).latency.max, 1335520 + 20 * 80);
    c.fab.encap = ENCAP_INFINIBAND;
    CU_ASSERT_EQUAL(bed_result(&c).latency.max, 1335520 - 56 * 80);
}

static void run_e2e_host_delays_count_on_each_crossing(void)
{
    struct bed_cfg c = bed_cfg();
    c.load.messages = 1;
    c.hca.tx_delay_ps = 100000;
    CU_ASSERT_EQUAL(bed_result(&c).latency.max, 1435520);
    CU_ASSERT_EQUAL(bed_result(&c).completion.max, 2342400 + 200000);
    c.hca.rx_delay_ps = 30000;
    CU_ASSERT_EQUAL(bed_result(&c).latency.max, 1465520);
    CU_ASSERT_EQUAL(bed_result(&c).completion.max, 2342400 + 260000);
}

/* UC takes a whole message that comes late: a delay of 50 us makes it late, not lost. */
static void run_e2e_uc_message_that_others_overtake_is_delivered_once(void)
{
    struct bed_cfg c = bed_cfg();
    c.qp.service = XP_UC;
    c.load.depth = 4;
    c.rule[c.rule_count++] = bed_rule(INJ_DELAY, 0, 0, 1);
    c.rule[0].delay_ps = 50000000;
    struct meter m = bed_result(&c);
    CU_ASSERT_EQUAL(m.n.messages_delivered, 10);
    c.rule[0].action = INJ_DUP;
    m = bed_result(&c);
    CU_ASSERT_EQUAL(m.n.messages_delivered, 10);
}

static const struct test tests[] = {TEST(run_e2e_uc_message_that_others_overtake_is_delivered_once),
                                    TEST(run_e2e_pair_depth_1_takes_a_round_trip_each),
                                    TEST(run_e2e_pair_deep_fills_the_wire),
                                    TEST(run_e2e_incast_delivers_everything),
                                    TEST(run_e2e_uc_with_loss_delivers_what_was_not_lost),
                                    TEST(run_e2e_rc_with_loss_delivers_everything_once),
                                    TEST(run_e2e_domains_do_not_change_results),
                                    TEST(run_e2e_again_is_the_same_and_another_seed_is_not),
                                    TEST(run_e2e_encapsulation_is_paid_on_the_wire),
                                    TEST(run_e2e_host_delays_count_on_each_crossing),
                                    TESTS_END};
const struct suite suite_run_e2e = {"run_e2e", tests};
