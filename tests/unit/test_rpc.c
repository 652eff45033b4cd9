/*
 * Remote procedure calls over a pair: host 0 is the server unless said otherwise.
 *
 * A SEND of 64 bytes is 146 on the wire: 11 680 ps; with 1 us each way a request takes 1 011 680 ps, and
 * so does a response of 64 bytes.  A response right after its request waits for the request's
 * acknowledgement to leave: 86 bytes, 6 880 ps.
 */
#include "tests/suite.h"
#include "tests/unit/bed.h"

static struct bed_cfg calls(uint64_t messages, uint32_t depth)
{
    struct bed_cfg c = bed_cfg();
    c.load.pattern = LOAD_RPC;
    c.load.messages = messages;
    c.load.depth = depth;
    c.load.rpc.request_bytes = 64;
    c.load.rpc.response_bytes = 64;
    return c;
}

static void rpc_call_takes_both_ways_and_the_service(void)
{
    struct bed_cfg c = calls(5, 1);
    struct meter m = bed_result(&c);
    CU_ASSERT_EQUAL(m.rpc.count, 5);
    CU_ASSERT_EQUAL(m.rpc.min, 2 * 1011680 + 6880);
    /* So do all requests but the first, behind the acknowledgement of the response. */
    CU_ASSERT_EQUAL(m.rpc.max, 2 * 1011680 + 2 * 6880);
    c.load.rpc.service_ps = 3000000;
    m = bed_result(&c);
    CU_ASSERT_EQUAL(m.rpc.min, 2 * 1011680 + 3000000);
    CU_ASSERT_EQUAL(m.n.messages_posted, 10);
    CU_ASSERT_EQUAL(m.n.messages_delivered, 10);
    CU_ASSERT_EQUAL(m.n.recvs_completed, 10);
}

static void rpc_request_and_response_have_their_sizes(void)
{
    struct bed_cfg c = calls(1, 1);
    c.load.rpc.request_bytes = 164;
    struct meter m = bed_result(&c);
    CU_ASSERT_EQUAL(m.rpc.max, 2 * 1011680 + 6880 + 100 * 80);
    CU_ASSERT_EQUAL(m.n.bytes_delivered, 228);
    c.load.rpc.response_bytes = 264;
    m = bed_result(&c);
    CU_ASSERT_EQUAL(m.rpc.max, 2 * 1011680 + 6880 + 300 * 80);
    CU_ASSERT_EQUAL(m.n.bytes_delivered, 428);
}

/* A WRITE of 4096 bytes goes out first: 335 520 ps on the wire, and the response right behind it. */
static void rpc_data_is_written_before_the_response(void)
{
    struct bed_cfg c = calls(1, 1);
    c.load.rpc.data = LOAD_RPC_WRITE;
    struct meter m = bed_result(&c);
    CU_ASSERT_EQUAL(m.rpc.max, 2 * 1011680 + 6880 + 335520);
    CU_ASSERT_EQUAL(m.n.messages_delivered, 3);
    CU_ASSERT_EQUAL(m.n.bytes_delivered, 64 + 4096 + 64);
}

/* Three clients ask at the same time: one worker serves them 10 us each. */
static void rpc_requests_queue_for_one_worker(void)
{
    struct bed_cfg c = calls(1, 1);
    c.fab.topology = FAB_STAR;
    c.fab.hosts = 4;
    c.load.target = 2;
    c.load.rpc.service_ps = 10000000;
    struct bed *b = bed_new(&c);
    bed_run(b);
    tm_ps alone = b->sum.rpc.min;
    CU_ASSERT_EQUAL(b->sum.rpc.count, 3);
    CU_ASSERT(alone > 10000000 && alone < 15000000);
    CU_ASSERT(b->sum.rpc.max >= alone + 2 * 10000000 - 100000);
    CU_ASSERT(b->sum.rpc.max <= alone + 2 * 10000000);
    CU_ASSERT_EQUAL(bed_posted_by(b, 2), 0);
    CU_ASSERT_EQUAL(bed_flows(b), 3);
    bed_free(b);
}

/* Depth counts calls without a response, not requests without an acknowledgement. */
static void rpc_depth_counts_unanswered_requests(void)
{
    struct bed_cfg c = calls(0, 3);
    struct load_qp_row row;
    c.load.rpc.service_ps = 100000000;
    c.duration_ps = 350000000;
    struct bed *b = bed_new(&c);
    bed_run(b);
    load_qp_row(b->load, 1, &row);
    CU_ASSERT_EQUAL(row.host, 1);
    CU_ASSERT_EQUAL(row.succeeded, 3);
    CU_ASSERT_EQUAL(row.posted, 6);
    bed_free(b);
}

/* The receive of a request comes back when its service ends: with one, the second call is refused till then. */
static void rpc_server_reposts_after_the_service(void)
{
    struct bed_cfg c = calls(2, 2);
    c.qp.rq_depth = 1;
    c.load.rpc.service_ps = 8000000;
    struct meter m = bed_result(&c);
    CU_ASSERT_EQUAL(m.rpc.count, 2);
    CU_ASSERT(m.rpc.max > 12000000 + 8000000);
    CU_ASSERT(m.n.packets_retransmitted >= 1);
    c.qp.rq_depth = 2;
    CU_ASSERT_EQUAL(bed_result(&c).n.packets_retransmitted, 0);
}

static void rpc_open_loop_counts_from_the_arrival(void)
{
    struct bed_cfg c = calls(0, 0);
    c.load.load_ppm = 50000;
    c.load.rpc.service_ps = 1000;
    c.duration_ps = 1000ll * 204800; /* 128 bytes a call: 204 800 ps at a twentieth of 100 Gb/s */
    struct meter m = bed_result(&c);
    CU_ASSERT(m.rpc.count > 850 && m.rpc.count < 1100);
    CU_ASSERT(m.rpc.min >= 2 * 1011680 + 1000);
}

static void rpc_refuses_what_the_service_lacks(void)
{
    struct bed_cfg c = calls(1, 1);
    c.qp.service = XP_UC;
    struct bed *b = bed_new(&c);
    CU_ASSERT_PTR_NULL(b->load);
    CU_ASSERT_STRING_EQUAL(b->why, "pattern rpc needs a service that acknowledges and keeps order");
    bed_free(b);
}

static const struct test tests[] = {TEST(rpc_call_takes_both_ways_and_the_service),
                                    TEST(rpc_request_and_response_have_their_sizes),
                                    TEST(rpc_data_is_written_before_the_response),
                                    TEST(rpc_requests_queue_for_one_worker),
                                    TEST(rpc_depth_counts_unanswered_requests),
                                    TEST(rpc_server_reposts_after_the_service),
                                    TEST(rpc_open_loop_counts_from_the_arrival),
                                    TEST(rpc_refuses_what_the_service_lacks),
                                    TESTS_END};
const struct suite suite_rpc = {"rpc", tests};
