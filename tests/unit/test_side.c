/* What travels beside a packet: it comes back as it was put there, and ends with its packet. */
#include "models/fabric/side.h"

#include <string.h>

#include "tests/suite.h"

static struct pkt packet(enum wire_prefix prefix, enum wire_op op)
{
    return (struct pkt){.h = {.opcode = wire_opcode(prefix, op), .psn = psn(7)},
                        .tag = 123456789,
                        .msgno = 42,
                        .note = PKT_LAST_OF_MESSAGE};
}

static const struct wire_ext every_field = {.qkey = 0x11111111,
                                            .src_qp = 0x222222,
                                            .eec = 0x333333,
                                            .srq = 0x444444,
                                            .swap_or_add = 5,
                                            .compare = 6,
                                            .original = 7};

/* Attaches every field; what comes back of it, the packet being as before. */
static struct wire_ext through(struct pkt p)
{
    struct pkt before = p, plain;
    struct wire_ext e;
    side_attach(&p, &every_field, NULL, 0);
    CU_ASSERT_PTR_NULL(side_look(&p, &plain, &e));
    CU_ASSERT_EQUAL(memcmp(&plain, &before, sizeof plain), 0);
    side_drop(&p);
    return e;
}

static void side_datagrams_and_xrc_need_no_block(void)
{
    struct pkt p = packet(WIRE_UD, OP_SEND_ONLY_IMM);
    side_attach(&p, &every_field, NULL, 0);
    CU_ASSERT_EQUAL(p.note, PKT_LAST_OF_MESSAGE);
    struct wire_ext e = through(packet(WIRE_UD, OP_SEND_ONLY_IMM));
    CU_ASSERT_EQUAL(e.qkey, 0x11111111);
    CU_ASSERT_EQUAL(e.src_qp, 0x222222);
    e = through(packet(WIRE_XRC, OP_WRITE_FIRST));
    CU_ASSERT_EQUAL(e.srq, 0x444444);
    p = packet(WIRE_XRC, OP_WRITE_FIRST);
    side_attach(&p, &every_field, NULL, 0);
    CU_ASSERT_EQUAL(p.note, PKT_LAST_OF_MESSAGE);
}

static void side_atomics_and_rd_come_back_whole(void)
{
    struct wire_ext e = through(packet(WIRE_RC, OP_CMP_SWAP));
    CU_ASSERT_EQUAL(e.swap_or_add, 5);
    CU_ASSERT_EQUAL(e.compare, 6);
    e = through(packet(WIRE_RC, OP_ATOMIC_ACK));
    CU_ASSERT_EQUAL(e.original, 7);
    e = through(packet(WIRE_XRC, OP_FETCH_ADD));
    CU_ASSERT_EQUAL(e.srq, 0x444444);
    CU_ASSERT_EQUAL(e.swap_or_add, 5);
    e = through(packet(WIRE_RD, OP_WRITE_ONLY));
    CU_ASSERT_EQUAL(e.eec, 0x333333);
    CU_ASSERT_EQUAL(e.src_qp, 0x222222);
}

static void side_of_what_has_none_is_zero(void)
{
    const struct wire_ext zero = {0};
    struct wire_ext e = through(packet(WIRE_XRC, OP_ACKNOWLEDGE));
    CU_ASSERT_EQUAL(memcmp(&e, &zero, sizeof e), 0);
    CU_ASSERT_FALSE(wire_may_have_ext(wire_opcode(WIRE_RC, OP_SEND_ONLY)));
    CU_ASSERT_FALSE(wire_may_have_ext(wire_opcode(WIRE_UC, OP_WRITE_ONLY_IMM)));
    CU_ASSERT_FALSE(wire_may_have_ext(wire_opcode(WIRE_RC, OP_SEND_ONLY_INV)));
    CU_ASSERT_TRUE(wire_may_have_ext(wire_opcode(WIRE_RC, OP_FETCH_ADD)));
    CU_ASSERT_TRUE(wire_may_have_ext(wire_opcode(WIRE_UD, OP_SEND_ONLY)));
}

static void side_copy_outlives_the_original(void)
{
    struct pkt p = packet(WIRE_UD, OP_SEND_ONLY), copy, plain;
    struct wire_ext e;
    side_attach(&p, &every_field, "payload", 8);
    copy = p;
    side_copy(&copy);
    side_drop(&p);
    const char *payload = side_look(&copy, &plain, &e);
    CU_ASSERT_STRING_EQUAL(payload, "payload");
    CU_ASSERT_EQUAL(side_bytes(&copy), 8);
    CU_ASSERT_EQUAL(e.qkey, 0x11111111);
    CU_ASSERT_EQUAL(plain.tag, 123456789);
    side_drop(&copy);
}

/* 16 bytes with a datagram travel in the packet itself, and survive its copy by value. */
static void side_head_of_a_datagram_needs_no_block(void)
{
    static const char head[] = "0123456789abcde"; /* and its 0 */
    struct pkt p = packet(WIRE_UD, OP_SEND_ONLY), before = p, plain, copy;
    struct wire_ext e;
    side_attach(&p, &every_field, head, 16);
    CU_ASSERT_EQUAL(p.note & PKT_HAS_EXT, 0);
    CU_ASSERT_EQUAL(p.tag, 123456789);
    copy = p;
    side_copy(&copy);
    side_drop(&p);
    memset(&p, 0, sizeof p);
    CU_ASSERT_STRING_EQUAL(side_look(&copy, &plain, &e), head);
    CU_ASSERT_EQUAL(side_bytes(&copy), 16);
    CU_ASSERT_EQUAL(memcmp(&plain, &before, sizeof plain), 0);
    CU_ASSERT_EQUAL(e.qkey, 0x11111111);
    CU_ASSERT_EQUAL(e.src_qp, 0x222222);
    side_drop(&copy);
}

/* Immediate data needs the place: a block, as for any payload. */
static void side_head_beside_immediate_data_is_a_block(void)
{
    struct pkt p = packet(WIRE_UD, OP_SEND_ONLY_IMM), plain;
    struct wire_ext e;
    p.h.imm = 99;
    side_attach(&p, &every_field, "0123456789abcde", 16);
    CU_ASSERT_EQUAL(p.note & PKT_HAS_EXT, PKT_HAS_EXT);
    CU_ASSERT_STRING_EQUAL(side_look(&p, &plain, &e), "0123456789abcde");
    CU_ASSERT_EQUAL(plain.h.imm, 99);
    CU_ASSERT_EQUAL(side_bytes(&p), 16);
    CU_ASSERT_EQUAL(e.src_qp, 0x222222);
    side_drop(&p);
}

static const struct test tests[] = {TEST(side_datagrams_and_xrc_need_no_block),
                                    TEST(side_atomics_and_rd_come_back_whole),
                                    TEST(side_of_what_has_none_is_zero),
                                    TEST(side_head_of_a_datagram_needs_no_block),
                                    TEST(side_head_beside_immediate_data_is_a_block),
                                    TEST(side_copy_outlives_the_original),
                                    TESTS_END};
const struct suite suite_side = {"side", tests};
