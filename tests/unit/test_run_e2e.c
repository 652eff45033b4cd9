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

const struct suite suite_run_e2e = {"run_e2e", (const struct test[]){
    TEST(run_e2e_pair_depth_1_takes_a_round_trip_each),
    TEST(run_e2e_pair_deep_fills_the_wire),
    TEST(run_e2e_incast_delivers_everything),
    TESTS_END}};
