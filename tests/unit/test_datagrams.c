/*
 * What a load refuses of acknowledged datagrams, and what it needs for them.
 */
#include "tests/suite.h"
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

/* RC: 99 QPs of 256 + 16 * 64 + 64 * 16 bytes.  Datagrams: one of them, and the sessions. */
static void datagrams_take_less_memory_than_connections(void)
{
    struct dgwire_cfg c = dgwire_cfg();
    struct udack_limits lim = {99, 99, 0};
    struct udack_cfg endpoint = c.qp.udack.cfg;
    endpoint.mtu_bytes = 1016;
    c.load.pattern = LOAD_ALL_TO_ALL;
    uint64_t sessions = load_host_memory_bytes(&c.load, &c.qp, 100);
    c.qp.udack.on = false;
    CU_ASSERT_EQUAL(load_host_memory_bytes(&c.load, &c.qp, 100), 99 * 2304);
    CU_ASSERT_EQUAL(sessions, 2304 + udack_size(&endpoint, &lim) + 99 * 8);
    CU_ASSERT_TRUE(sessions < 99 * 1000);
}

static const struct test tests[] = {TEST(datagrams_refusals_say_why),
                                    TEST(datagrams_need_one_qp_a_host),
                                    TEST(datagrams_take_less_memory_than_connections), TESTS_END};
const struct suite suite_datagrams = {"datagrams", tests};
