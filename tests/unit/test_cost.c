/* Times of packets through an adapter's units, by hand. */
#include "models/fabric/side.h"
#include "models/hca/cost.h"
#include "tests/suite.h"

enum { NS = 1000, QP = 2 };

static struct pkt packet(enum wire_op op, uint32_t qpn, uint16_t payload)
{
    return (struct pkt){
        .h = {.opcode = wire_opcode(WIRE_RC, op), .dest_qp = qpn, .payload_bytes = payload}};
}

static tm_ps sent(struct cost *c, enum wire_op op, uint32_t qpn, uint16_t payload, tm_ps now)
{
    struct pkt p = packet(op, qpn, payload);
    struct xp_tx tx = {.hdr = p.h,
                       .seg = {.addr = 0x10000, .len = payload},
                       .response = wire_op_table[op].response};
    return cost_tx(c, qpn, &tx, &p, now);
}

static tm_ps came(struct cost *c, enum wire_op op, uint32_t qpn, uint16_t payload, tm_ps now)
{
    struct pkt p = packet(op, qpn, payload);
    return cost_rx(c, &p, now);
}

static void cost_without_units_is_none(void)
{
    CU_ASSERT_PTR_NULL(cost_new(&(struct hca_cost_cfg){.unit_time_ps = 1}, 8, 1));
}

/* Two units, 100 ns each: the third packet waits for the first.  The other direction has units of its own. */
static void cost_packets_wait_for_a_unit_of_their_direction(void)
{
    struct hca_cost_cfg cfg = {.units = 2, .unit_time_ps = 100 * NS, .ack_time_ps = 10 * NS};
    struct cost *c = cost_new(&cfg, 8, 1);
    CU_ASSERT_EQUAL(came(c, OP_WRITE_ONLY, 2, 64, 0), 100 * NS);
    CU_ASSERT_EQUAL(came(c, OP_WRITE_ONLY, 3, 64, 0), 100 * NS);
    CU_ASSERT_EQUAL(came(c, OP_WRITE_ONLY, 4, 64, 0), 200 * NS);
    CU_ASSERT_EQUAL(came(c, OP_ACKNOWLEDGE, 5, 0, 0), 110 * NS);
    CU_ASSERT_EQUAL(cost_tx_free_at(c), 0);
    CU_ASSERT_EQUAL(sent(c, OP_WRITE_ONLY, 2, 64, 0), 100 * NS);
    CU_ASSERT_EQUAL(cost_tx_free_at(c), 0);
    CU_ASSERT_EQUAL(sent(c, OP_ACKNOWLEDGE, 2, 0, 0), 100 * NS); /* behind its QP's first */
    CU_ASSERT_EQUAL(cost_tx_free_at(c), 10 * NS);
    cost_free(c);
}

/* A context that is missing keeps the unit; the next packet of the QP finds it. */
static void cost_missing_context_keeps_the_unit(void)
{
    struct hca_cost_cfg cfg = {.units = 1,
                               .unit_time_ps = 10 * NS,
                               .ctx = {.entries = 2},
                               .ctx_bytes = 256,
                               .fetch = {.latency_ps = 700 * NS}};
    struct cost *c = cost_new(&cfg, 8, 1);
    struct hca_cost_counts n;
    CU_ASSERT_EQUAL(came(c, OP_WRITE_ONLY, 2, 0, 0), 710 * NS);
    CU_ASSERT_EQUAL(came(c, OP_WRITE_ONLY, 2, 0, 0), 720 * NS);
    CU_ASSERT_EQUAL(came(c, OP_WRITE_ONLY, 3, 0, 0), 1430 * NS);
    /* sending touches the same contexts */
    CU_ASSERT_EQUAL(sent(c, OP_ACKNOWLEDGE, 3, 0, 2000 * NS), 2000 * NS);
    CU_ASSERT_EQUAL(sent(c, OP_ACKNOWLEDGE, 4, 0, 2000 * NS), 2700 * NS);
    CU_ASSERT_EQUAL(came(c, OP_WRITE_ONLY, 2, 0, 5000 * NS), 5710 * NS);
    cost_counts(c, &n);
    CU_ASSERT_EQUAL(n.ctx.touches, 6);
    CU_ASSERT_EQUAL(n.ctx.misses, 4);
    CU_ASSERT_EQUAL(n.pcie_read_bytes, 4 * 256);
    cost_free(c);
}

/* Fetches of several units go on side by side, as many as there may be. */
static void cost_fetches_are_bounded(void)
{
    struct hca_cost_cfg cfg = {
        .units = 4, .ctx = {.entries = 16}, .fetch = {.latency_ps = 700 * NS, .reads = 2}};
    struct cost *c = cost_new(&cfg, 16, 1);
    CU_ASSERT_EQUAL(came(c, OP_WRITE_ONLY, 2, 0, 0), 700 * NS);
    CU_ASSERT_EQUAL(came(c, OP_WRITE_ONLY, 3, 0, 0), 700 * NS);
    CU_ASSERT_EQUAL(came(c, OP_WRITE_ONLY, 4, 0, 0), 1400 * NS);
    CU_ASSERT_EQUAL(came(c, OP_WRITE_ONLY, 5, 0, 0), 1400 * NS);
    cost_free(c);
}

/*
 * A READ touches its place when it is asked for and when the last of its responses comes; its peer when the
 * request comes and when the first response goes.  Places of a QP are taken in turn.
 */
static void cost_reads_touch_their_places_twice_at_each_end(void)
{
    struct hca_cost_cfg cfg = {
        .units = 1, .read = {.entries = 8}, .read_fetch_ps = 100 * NS, .read_slots = 2};
    struct cost *c = cost_new(&cfg, 8, 1);
    CU_ASSERT_EQUAL(sent(c, OP_READ_REQUEST, QP, 0, 0), 100 * NS);
    CU_ASSERT_EQUAL(sent(c, OP_READ_REQUEST, QP, 0, 1000 * NS), 1100 * NS);
    CU_ASSERT_EQUAL(sent(c, OP_READ_REQUEST, QP, 0, 2000 * NS),
                    2000 * NS); /* the first place again */
    CU_ASSERT_EQUAL(came(c, OP_READ_RESP_FIRST, QP, 0, 3000 * NS), 3000 * NS);
    CU_ASSERT_EQUAL(came(c, OP_READ_RESP_LAST, QP, 0, 3000 * NS), 3000 * NS);
    /* the QP's part as a responder has places of its own */
    CU_ASSERT_EQUAL(came(c, OP_READ_REQUEST, QP, 0, 4000 * NS), 4100 * NS);
    CU_ASSERT_EQUAL(sent(c, OP_READ_RESP_ONLY, QP, 0, 5000 * NS), 5000 * NS);
    struct hca_cost_counts n;
    cost_counts(c, &n);
    CU_ASSERT_EQUAL(n.read.touches, 6);
    CU_ASSERT_EQUAL(n.read.misses, 3);
    cost_free(c);
}

/* WQE and payload are awaited behind the unit: it takes the next packet meanwhile. */
static void cost_memory_reads_do_not_keep_the_unit(void)
{
    struct hca_cost_cfg cfg = {.units = 1,
                               .unit_time_ps = 10 * NS,
                               .wqe_batch = 2,
                               .inline_bytes = 64,
                               .pcie = {.latency_ps = 500 * NS}};
    struct cost *c = cost_new(&cfg, 8, 1);
    /* WQE, then payload; one read brought the second WQE, too */
    CU_ASSERT_EQUAL(sent(c, OP_WRITE_ONLY, 2, 1024, 0), 1010 * NS);
    CU_ASSERT_EQUAL(cost_tx_free_at(c), 10 * NS);
    CU_ASSERT_EQUAL(sent(c, OP_WRITE_ONLY, 3, 64, 10 * NS),
                    520 * NS); /* its payload lies in the WQE */
    CU_ASSERT_EQUAL(sent(c, OP_WRITE_ONLY, 3, 64, 5000 * NS), 5010 * NS);
    CU_ASSERT_EQUAL(sent(c, OP_WRITE_ONLY, 3, 64, 6000 * NS), 6510 * NS);
    /* what goes on within a message needs no other WQE */
    CU_ASSERT_EQUAL(sent(c, OP_WRITE_MIDDLE, 3, 64, 7000 * NS), 7010 * NS);
    struct hca_cost_counts n;
    cost_counts(c, &n);
    CU_ASSERT_EQUAL(n.pcie_read_bytes, 1024 + 3 * 128);
    cost_free(c);
}

/* Two pages: of what is sent, and of what a WRITE or a READ names. */
static void cost_translations_are_those_of_the_pages_touched(void)
{
    struct hca_cost_cfg cfg = {
        .units = 1, .mtt = {.entries = 8}, .page_bytes = 4096, .fetch = {.latency_ps = 100 * NS}};
    struct cost *c = cost_new(&cfg, 8, 1);
    struct pkt p = packet(OP_WRITE_ONLY, QP, 256);
    p.h.va = 3 * 4096 - 1;
    p.h.dmalen = 256;
    CU_ASSERT_EQUAL(cost_rx(c, &p, 0), 200 * NS);
    CU_ASSERT_EQUAL(cost_rx(c, &p, 1000 * NS), 1000 * NS);
    CU_ASSERT_EQUAL(sent(c, OP_WRITE_ONLY, QP, 256, 2000 * NS),
                    2100 * NS); /* 0x10000: a third one */
    struct hca_cost_counts n;
    cost_counts(c, &n);
    CU_ASSERT_EQUAL(n.mtt.touches, 5);
    CU_ASSERT_EQUAL(n.mtt.misses, 3);
    cost_free(c);
}

/* Opcodes and QP numbers that do not exist cost a unit's time, and nothing else. */
static void cost_nonsense_from_the_wire_is_taken(void)
{
    struct hca_cost_cfg cfg = {
        .units = 1, .unit_time_ps = 10 * NS, .ctx = {.entries = 2}, .ctx_bytes = 256};
    struct cost *c = cost_new(&cfg, 8, 1);
    struct pkt p = packet(OP_WRITE_ONLY, 0xffffff, 0);
    CU_ASSERT_EQUAL(cost_rx(c, &p, 0), 10 * NS);
    p.h.opcode.v = 0x1f;
    CU_ASSERT_EQUAL(cost_rx(c, &p, 100 * NS), 110 * NS);
    struct hca_cost_counts n;
    cost_counts(c, &n);
    CU_ASSERT_EQUAL(n.ctx.touches, 0);
    cost_free(c);
}

/* A packet over a context that QPs share touches the QP's and the shared one. */
static void cost_shared_context_is_touched_beside_the_qps(void)
{
    struct hca_cost_cfg cfg = {
        .units = 1, .ctx = {.entries = 4}, .ctx_bytes = 256, .fetch = {.latency_ps = 700 * NS}};
    struct cost *c = cost_new(&cfg, 8, 1);
    struct pkt p = packet(OP_SEND_ONLY, 2, 0);
    struct wire_ext e = {.eec = 5};
    struct hca_cost_counts n;
    p.h.opcode = wire_opcode(WIRE_RD, OP_SEND_ONLY);
    side_attach(&p, &e, NULL, 0);
    CU_ASSERT_EQUAL(cost_rx(c, &p, 0), 1400 * NS);
    side_drop(&p);
    cost_counts(c, &n);
    CU_ASSERT_EQUAL(n.ctx.touches, 2);
    CU_ASSERT_EQUAL(n.ctx.misses, 2);
    cost_free(c);
}

static const struct test tests[] = {TEST(cost_without_units_is_none),
                                    TEST(cost_packets_wait_for_a_unit_of_their_direction),
                                    TEST(cost_missing_context_keeps_the_unit),
                                    TEST(cost_fetches_are_bounded),
                                    TEST(cost_reads_touch_their_places_twice_at_each_end),
                                    TEST(cost_memory_reads_do_not_keep_the_unit),
                                    TEST(cost_translations_are_those_of_the_pages_touched),
                                    TEST(cost_nonsense_from_the_wire_is_taken),
                                    TEST(cost_shared_context_is_touched_beside_the_qps),
                                    TESTS_END};
const struct suite suite_cost = {"cost", tests};
