/*
 * What a load refuses of acknowledged datagrams, and what it needs for them.
 */
#include "tests/suite.h"
#include "tests/unit/bed.h"
#include "tests/unit/dgwire.h"

static const char *why(const struct dgwire_cfg *c)
{
    static const char *text;
    struct dgwire *w = dgwire_new(c);
    text = w->load ? "nothing" : w->why;
    dgwire_free(w);
    return text;
}

static void datagrams_refusals_say_why(void)
{
    struct dgwire_cfg ok = dgwire_cfg(), c = ok;
    CU_ASSERT_STRING_EQUAL(why(&ok), "nothing");
    c.load.op = XP_WR_WRITE;
    CU_ASSERT_STRING_EQUAL(why(&c), "the service does not offer the operation");
    c = ok, c.load.pattern = LOAD_RPC, c.load.rpc.data = LOAD_RPC_WRITE;
    CU_ASSERT_STRING_EQUAL(why(&c), "rpc data = write: the service does not offer WRITE");
    c = ok, c.qp.udack.cfg.window = 0;
    CU_ASSERT_STRING_EQUAL(why(&c), "the window is not in 1 .. 64 datagrams");
    c = ok, c.act = (struct load_act){.kind = LOAD_ACT_DESTROY}, c.act_count = 1;
    CU_ASSERT_STRING_EQUAL(
        why(&c), "an event destroys a QP, and flows of datagrams have none each");
}

/* One QP a host, whatever the number of its peers; queues of that one QP. */
static void datagrams_need_one_qp_a_host(void)
{
    struct dgwire_cfg c = dgwire_cfg();
    c.load.pattern = LOAD_ALL_TO_ALL;
    struct load_need n = load_need(&c.load, &c.qp, 100);
    CU_ASSERT_EQUAL(n.qps, 100);
    CU_ASSERT_EQUAL(n.qps_host_max, 1);
    CU_ASSERT_EQUAL(n.flows, 9900);
    CU_ASSERT_EQUAL(n.send_wqe_host_max, 16);
    CU_ASSERT_EQUAL(n.recv_wqe_host_max, 64);
    c.qp.udack.on = false;
    n = load_need(&c.load, &c.qp, 100);
    CU_ASSERT_EQUAL(n.qps, 9900);
    CU_ASSERT_EQUAL(n.recv_wqe_host_max, 99 * 64);
}

/*
 * 7 peers each: one QP of 256 + 16 * 64 + 64 * 16 bytes, and the sessions, of which as many had a
 * working block as were ever at work at one time.
 */
static void datagrams_memory_is_of_one_qp_and_sessions(void)
{
    struct dgwire_cfg c = dgwire_cfg();
    struct udack_limits idle = {7, 0, 0}, busy = {7, 7, 0};
    struct udack_cfg endpoint = c.qp.udack.cfg;
    c.hosts = 8;
    c.load.pattern = LOAD_ALL_TO_ALL;
    struct dgwire *w = dgwire_new(&c);
    uint64_t qp = 256 + 16 * 64 + 64 * 16, places = 7 * 8;
    CU_ASSERT_EQUAL(load_host_memory_bytes(w->load), qp + places + udack_size(&endpoint, &idle));
    dgwire_run(w, TM_S);
    CU_ASSERT_EQUAL(load_host_memory_bytes(w->load), qp + places + udack_size(&endpoint, &busy));
    dgwire_free(w);
}

/* 3 QPs a host of 256 + 16 * 64 + 16 * 16 bytes; WRITEs need no receives. */
static void datagrams_memory_of_connections_is_of_their_queues(void)
{
    struct bed_cfg c = bed_star(4, LOAD_ALL_TO_ALL);
    struct bed *b = bed_new(&c);
    CU_ASSERT_EQUAL(load_host_memory_bytes(b->load), 3 * (256 + 16 * 64));
    bed_free(b);
    c.load.op = XP_WR_SEND;
    b = bed_new(&c);
    CU_ASSERT_EQUAL(load_host_memory_bytes(b->load), 3 * (256 + 16 * 64 + 16 * 16));
    bed_free(b);
}

/* A pair of adapters at 100 Gb/s and 1 us; SENDs of 4000 bytes, each one datagram. */
static struct bed_cfg adapters(void)
{
    struct bed_cfg c = bed_cfg();
    bool there = load_datagram_service(&c.qp.service);
    CU_ASSERT_TRUE(there);
    c.qp.udack.on = true;
    c.qp.udack.cfg = dgwire_cfg().qp.udack.cfg;
    c.load.op = XP_WR_SEND;
    c.bytes = 4000;
    return c;
}

/*
 * 4000 bytes, 16 of header, 90 of UD and RoCEv2: 328.48 ns, and 1 us.  Back: 106 bytes, 8.48 ns, and
 * 1 us.  So a message takes 2 336 960 ps.
 */
static void datagrams_run_over_adapters(void)
{
    struct bed_cfg c = adapters();
    struct bed *b = bed_new(&c);
    struct load_qp_row row;
    bed_run(b);
    CU_ASSERT_EQUAL(b->sum.n.messages_delivered, 10);
    CU_ASSERT_EQUAL(b->sum.n.messages_completed, 10);
    CU_ASSERT_EQUAL(b->sum.n.bytes_delivered, 40000);
    CU_ASSERT_EQUAL(b->sum.n.packets_sent, 20);
    CU_ASSERT_EQUAL(b->sum.last_delivery_ps, 9 * 2336960 + 1328480);
    CU_ASSERT_EQUAL(b->sum.completion.max, 2336960);
    load_qp_row(b->load, 0, &row);
    CU_ASSERT_TRUE(row.is_session && row.session_state == XP_RTS && row.got_messages == 10 &&
                   row.got_bytes == 40000);
    CU_ASSERT_EQUAL(load_udack_counts(b->load, 1)->acks_alone, 10);
    bed_free(b);
}

/* The third message's receiver is dead: three timeouts of 100 us from its post. */
static void datagrams_to_a_dead_host_fail(void)
{
    struct bed_cfg c = adapters();
    struct load_qp_row row;
    c.act[0] = (struct load_act){.kind = LOAD_ACT_KILL, .host = 1, .when.from_ps = 2 * 2336960};
    c.act_count = 1;
    struct bed *b = bed_new(&c);
    bed_run(b);
    load_qp_row(b->load, 0, &row);
    CU_ASSERT_EQUAL(row.succeeded, 2);
    CU_ASSERT_EQUAL(row.first_error, XP_WC_RETRY_EXC_ERR);
    CU_ASSERT_EQUAL(row.first_error_ps, 2 * 2336960 + 300 * TM_US);
    CU_ASSERT_EQUAL(row.session_state, XP_ERR);
    bed_free(b);
}

/* A fifth of all packets is lost. */
static void datagrams_lost_on_the_fabric_come_again(void)
{
    struct bed_cfg c = adapters();
    c.fab.loss_threshold = UINT64_MAX / 5;
    c.fab.loss_classes = 1u << FAB_DATA;
    c.qp.udack.cfg.retries = 20;
    c.load.messages = 50;
    struct bed *b = bed_new(&c);
    bed_run(b);
    CU_ASSERT_EQUAL(b->sum.n.messages_delivered, 50);
    CU_ASSERT_EQUAL(b->sum.n.messages_completed, 50);
    CU_ASSERT_TRUE(b->sum.n.packets_retransmitted >= 10);
    CU_ASSERT_EQUAL(b->links.dropped[FAB_DROP_LOSS] > 0, true);
    bed_free(b);
}

static void datagrams_offer_send_alone(void)
{
    struct bed_cfg c = adapters();
    for (int op = 0; op < XP_WR_OPS; op++)
        CU_ASSERT_EQUAL(load_qp_offers(&c.qp, (enum xp_wr_op)op), op == XP_WR_SEND);
    CU_ASSERT_STRING_EQUAL(load_qp_service_name(&c.qp), "ud-ack");
    CU_ASSERT_TRUE(load_qp_is_acked(&c.qp));
    c.qp.udack.on = false;
    CU_ASSERT_FALSE(load_qp_offers(&c.qp, XP_WR_SEND_IMM));
    CU_ASSERT_FALSE(load_qp_is_acked(&c.qp));
}

static const struct test tests[] = {TEST(datagrams_refusals_say_why),
                                    TEST(datagrams_need_one_qp_a_host),
                                    TEST(datagrams_memory_is_of_one_qp_and_sessions),
                                    TEST(datagrams_memory_of_connections_is_of_their_queues),
                                    TEST(datagrams_offer_send_alone),
                                    TEST(datagrams_run_over_adapters),
                                    TEST(datagrams_to_a_dead_host_fail),
                                    TEST(datagrams_lost_on_the_fabric_come_again),
                                    TESTS_END};
const struct suite suite_datagrams = {"datagrams", tests};
