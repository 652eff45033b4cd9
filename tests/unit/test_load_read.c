/*
 * READs and atomics as a load posts them: when they are delivered, and where that is counted.
 *
 * At 100 Gb/s a byte takes 80 ps, a link 1 us; 70 bytes lie around BTH and what follows it.
 */
#include "tests/suite.h"
#include "tests/unit/bed.h"

static struct bed_cfg reads(enum xp_wr_op op, uint64_t bytes)
{
    struct bed_cfg c = bed_cfg();
    c.load.op = op;
    c.bytes = bytes;
    c.slowdown = true;
    return c;
}

/* The request is of 98 bytes, the response of 70 + 12 + 4 + 1024. */
static void load_read_is_delivered_where_it_is_asked(void)
{
    struct bed_cfg c = reads(XP_WR_READ, 1024);
    struct bed *b = bed_new(&c);
    bed_run(b);
    CU_ASSERT_EQUAL(b->sum.n.messages_delivered, 10);
    CU_ASSERT_EQUAL(b->sum.n.bytes_delivered, 10240);
    CU_ASSERT_EQUAL(b->sum.latency.min, 2000000 + (98 + 1110) * 80);
    CU_ASSERT_EQUAL(b->sum.latency.max, 2000000 + (98 + 1110) * 80);
    CU_ASSERT_EQUAL(b->sum.slowdown.max, 1000);
    CU_ASSERT_EQUAL(hca_qp_reads(b->hca[0], 2), 10);
    CU_ASSERT_EQUAL(hca_qp_read_bytes(b->hca[0], 2), 10240);
    CU_ASSERT_EQUAL(hca_qp_delivered(b->hca[1], 2), 0);
    bed_free(b);
}

/* 70 + 12 + 28 bytes there, 70 + 12 + 4 + 8 back. */
static void load_atomic_takes_a_round_trip(void)
{
    struct bed_cfg c = reads(XP_WR_FETCH_ADD, 8);
    struct meter m = bed_result(&c);
    CU_ASSERT_EQUAL(m.n.messages_delivered, 10);
    CU_ASSERT_EQUAL(m.latency.max, 2000000 + (110 + 94) * 80);
    c.load.op = XP_WR_CMP_SWAP;
    CU_ASSERT_EQUAL(bed_result(&c).latency.max, 2000000 + (110 + 94) * 80);
}

/* Losses on both ways: every READ arrives once, whole. */
static void load_read_survives_loss(void)
{
    struct bed_cfg c = reads(XP_WR_READ, 20000);
    c.load.messages = 200;
    c.load.depth = 4;
    c.qp.mtu = 1024;
    c.qp.timeout = 1;
    c.fab.loss_classes = 1u << FAB_DATA | 1u << FAB_READ_RESP;
    c.fab.loss_threshold = UINT64_MAX / 50;
    struct meter m = bed_result(&c);
    CU_ASSERT_EQUAL(m.n.messages_delivered, 200);
    CU_ASSERT_EQUAL(m.n.bytes_delivered, 200 * 20000);
    CU_ASSERT(m.n.packets_retransmitted > 0);
}

/* The response is fenced: it leaves only when the data is there. */
static void load_rpc_reads_before_it_responds(void)
{
    struct bed_cfg c = reads(XP_WR_SEND, 1024);
    c.load.pattern = LOAD_RPC;
    c.load.messages = 1;
    c.load.rpc.request_bytes = c.load.rpc.response_bytes = 64;
    c.load.rpc.data = LOAD_RPC_READ;
    struct meter m = bed_result(&c);
    CU_ASSERT_EQUAL(m.rpc.count, 1);
    /* request of 146 bytes; its ACK of 86, then the READ of 98 and 1110; response of 146 */
    CU_ASSERT_EQUAL(m.rpc.max, 4000000 + (146 + 86 + 98 + 1110 + 146) * 80);
}

static const struct test tests[] = {
    TEST(load_read_is_delivered_where_it_is_asked), TEST(load_atomic_takes_a_round_trip),
    TEST(load_read_survives_loss), TEST(load_rpc_reads_before_it_responds), TESTS_END};
const struct suite suite_load_read = {"load_read", tests};
