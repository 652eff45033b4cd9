/*
 * Flows over one datagram QP a host.
 *
 * A SEND of 4096 bytes has 4186 bytes on the wire (8 more than RC's): 334 880 ps, and 1 us of delay.
 */
#include <string.h>

#include "tests/suite.h"
#include "tests/unit/bed.h"

static struct bed_cfg datagrams(uint32_t hosts, enum load_pattern pattern)
{
    struct bed_cfg c = hosts == 2 ? bed_cfg() : bed_star(hosts, pattern);
    c.qp.service = XP_UD;
    c.load.op = XP_WR_SEND;
    c.load.depth = 8;
    return c;
}

static void udends_datagrams_leave_back_to_back(void)
{
    struct bed_cfg c = datagrams(2, LOAD_PAIR);
    struct meter m = bed_result(&c);
    CU_ASSERT_EQUAL(m.n.messages_delivered, 10);
    CU_ASSERT_EQUAL(m.n.bytes_delivered, 40960);
    CU_ASSERT_EQUAL(m.n.recvs_completed, 10);
    CU_ASSERT_EQUAL(m.n.packets_sent, 10);
    CU_ASSERT_EQUAL(m.last_delivery_ps, 10 * 334880 + 1000000);
}

/* Twelve flows, four QPs; each end is told what came for it. */
static void udends_one_qp_speaks_with_all(void)
{
    struct bed_cfg c = datagrams(4, LOAD_ALL_TO_ALL);
    struct bed *b = bed_new(&c);
    bed_run(b);
    CU_ASSERT_EQUAL(b->sum.n.messages_delivered, 120);
    CU_ASSERT_EQUAL(load_real_qps(b->load), 4);
    CU_ASSERT_EQUAL(load_qp_count(b->load), 12);
    for (uint32_t i = 0; i < 12; i++) {
        struct load_qp_row row;
        load_qp_row(b->load, i, &row);
        CU_ASSERT(row.is_flow && row.is_session && row.session_state == XP_RTS);
        CU_ASSERT_STRING_EQUAL(row.session_service, "ud");
        CU_ASSERT_EQUAL(row.succeeded, 10);
        CU_ASSERT_EQUAL(row.got_messages, 10);
        CU_ASSERT_EQUAL(row.got_bytes, 40960);
        CU_ASSERT_EQUAL(row.got_end, 10);
    }
    bed_free(b);
}

/* The sender does not learn that its fourth datagram was lost. */
static void udends_lost_datagram_is_missing_at_its_flow(void)
{
    struct bed_cfg c = datagrams(2, LOAD_PAIR);
    struct load_qp_row row;
    c.rule[0] = bed_rule(INJ_DROP, 0, 1u << FAB_DATA, 1);
    c.rule[0].pick.skip = 3;
    c.rule_count = 1;
    struct bed *b = bed_new(&c);
    bed_run(b);
    load_qp_row(b->load, 0, &row);
    CU_ASSERT_EQUAL(row.succeeded, 10);
    CU_ASSERT_EQUAL(row.got_messages, 9);
    CU_ASSERT_EQUAL(row.got_end, 10);
    bed_free(b);
}

/* A copy is delivered again (IBA 9.8.3) and completes a receive; as a message it counts once. */
static void udends_copy_takes_a_receive_and_counts_once(void)
{
    struct bed_cfg c = datagrams(2, LOAD_PAIR);
    c.rule[0] = bed_rule(INJ_DUP, 0, 1u << FAB_DATA, 1);
    c.rule_count = 1;
    struct meter m = bed_result(&c);
    CU_ASSERT_EQUAL(m.n.messages_delivered, 10);
    CU_ASSERT_EQUAL(m.n.recvs_completed, 11);
}

/* Three senders, five receives, none replaced while it lasts. */
static void udends_flows_share_the_receives_of_their_host(void)
{
    struct bed_cfg c = datagrams(4, LOAD_INCAST);
    c.qp.rq_depth = 5;
    c.load.receiver.repost_ps = 1000000000;
    c.duration_ps = 900000000;
    struct meter m = bed_result(&c);
    CU_ASSERT_EQUAL(m.n.messages_delivered, 5);
    CU_ASSERT_EQUAL(m.n.messages_posted, 30);
}

static void udends_need_is_one_qp_with_the_sends_of_all_flows(void)
{
    struct load_qp_cfg qp = {.service = XP_UD, .sq_depth = 8, .rq_depth = 100};
    struct load_cfg cfg = {.pattern = LOAD_ALL_TO_ALL, .op = XP_WR_SEND, .qps = 1};
    struct load_need want = {5, 20, 1, 1, 32, 100, 0};
    struct load_need got = load_need(&cfg, &qp, 5);
    CU_ASSERT_EQUAL(memcmp(&got, &want, sizeof(got)), 0);
}

static void refused(const struct bed_cfg *c, const char *why)
{
    struct bed *b = bed_new(c);
    CU_ASSERT_PTR_NULL(b->load);
    CU_ASSERT_STRING_EQUAL(b->why, why);
    bed_free(b);
}

static void udends_what_is_no_datagram_is_refused(void)
{
    struct bed_cfg c = datagrams(2, LOAD_PAIR);
    c.bytes = 4097;
    refused(&c, "a datagram has 1 byte to an mtu");
    c.bytes = 0;
    refused(&c, "a datagram has 1 byte to an mtu");
    c.bytes = 1;
    CU_ASSERT_EQUAL(bed_result(&c).n.bytes_delivered, 10);
    c.load.op = XP_WR_WRITE;
    refused(&c, "the service does not offer the operation");
    c.load.op = XP_WR_SEND;
    c.act[c.act_count++] =
        (struct load_act){.kind = LOAD_ACT_DESTROY, .host = 0, .when.from_ps = 6000000};
    refused(&c, "an event destroys a QP, and flows of datagrams have none each");
}

static const struct test tests[] = {TEST(udends_datagrams_leave_back_to_back),
                                    TEST(udends_one_qp_speaks_with_all),
                                    TEST(udends_lost_datagram_is_missing_at_its_flow),
                                    TEST(udends_copy_takes_a_receive_and_counts_once),
                                    TEST(udends_flows_share_the_receives_of_their_host),
                                    TEST(udends_need_is_one_qp_with_the_sends_of_all_flows),
                                    TEST(udends_what_is_no_datagram_is_refused),
                                    TESTS_END};
const struct suite suite_udends = {"udends", tests};
