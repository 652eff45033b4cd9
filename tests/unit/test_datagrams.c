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
        why(&c), "an event destroys a QP, and sessions of acknowledged datagrams have none each");
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

static const struct test tests[] = {
    TEST(datagrams_refusals_say_why), TEST(datagrams_need_one_qp_a_host),
    TEST(datagrams_memory_is_of_one_qp_and_sessions),
    TEST(datagrams_memory_of_connections_is_of_their_queues), TESTS_END};
const struct suite suite_datagrams = {"datagrams", tests};
