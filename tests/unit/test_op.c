/*
 * The operation table against the opcodes of rdma-core's <infiniband/opcode.h> (where that is
 * installed: the literals beside them stand alone), and against the lists of IBA chapter 9.
 */
#include <string.h>

#include "models/wire/op.h"
#include "tests/suite.h"

/* clang-format off */
/* X(service, rdma-core's name, our name, opcode) */
#define OPCODES_OF_RDMA_CORE(X) \
    X(RC, SEND_FIRST, SEND_FIRST, 0x00)                         \
    X(RC, SEND_MIDDLE, SEND_MIDDLE, 0x01)                       \
    X(RC, SEND_LAST, SEND_LAST, 0x02)                           \
    X(RC, SEND_LAST_WITH_IMMEDIATE, SEND_LAST_IMM, 0x03)        \
    X(RC, SEND_ONLY, SEND_ONLY, 0x04)                           \
    X(RC, SEND_ONLY_WITH_IMMEDIATE, SEND_ONLY_IMM, 0x05)        \
    X(RC, RDMA_WRITE_FIRST, WRITE_FIRST, 0x06)                  \
    X(RC, RDMA_WRITE_MIDDLE, WRITE_MIDDLE, 0x07)                \
    X(RC, RDMA_WRITE_LAST, WRITE_LAST, 0x08)                    \
    X(RC, RDMA_WRITE_LAST_WITH_IMMEDIATE, WRITE_LAST_IMM, 0x09) \
    X(RC, RDMA_WRITE_ONLY, WRITE_ONLY, 0x0a)                    \
    X(RC, RDMA_WRITE_ONLY_WITH_IMMEDIATE, WRITE_ONLY_IMM, 0x0b) \
    X(RC, RDMA_READ_REQUEST, READ_REQUEST, 0x0c)                \
    X(RC, RDMA_READ_RESPONSE_FIRST, READ_RESP_FIRST, 0x0d)      \
    X(RC, RDMA_READ_RESPONSE_MIDDLE, READ_RESP_MIDDLE, 0x0e)    \
    X(RC, RDMA_READ_RESPONSE_LAST, READ_RESP_LAST, 0x0f)        \
    X(RC, RDMA_READ_RESPONSE_ONLY, READ_RESP_ONLY, 0x10)        \
    X(RC, ACKNOWLEDGE, ACKNOWLEDGE, 0x11)                       \
    X(RC, ATOMIC_ACKNOWLEDGE, ATOMIC_ACK, 0x12)                 \
    X(RC, COMPARE_SWAP, CMP_SWAP, 0x13)                         \
    X(RC, FETCH_ADD, FETCH_ADD, 0x14)                           \
    X(UC, SEND_FIRST, SEND_FIRST, 0x20)                         \
    X(UC, SEND_MIDDLE, SEND_MIDDLE, 0x21)                       \
    X(UC, SEND_LAST, SEND_LAST, 0x22)                           \
    X(UC, SEND_LAST_WITH_IMMEDIATE, SEND_LAST_IMM, 0x23)        \
    X(UC, SEND_ONLY, SEND_ONLY, 0x24)                           \
    X(UC, SEND_ONLY_WITH_IMMEDIATE, SEND_ONLY_IMM, 0x25)        \
    X(UC, RDMA_WRITE_FIRST, WRITE_FIRST, 0x26)                  \
    X(UC, RDMA_WRITE_MIDDLE, WRITE_MIDDLE, 0x27)                \
    X(UC, RDMA_WRITE_LAST, WRITE_LAST, 0x28)                    \
    X(UC, RDMA_WRITE_LAST_WITH_IMMEDIATE, WRITE_LAST_IMM, 0x29) \
    X(UC, RDMA_WRITE_ONLY, WRITE_ONLY, 0x2a)                    \
    X(UC, RDMA_WRITE_ONLY_WITH_IMMEDIATE, WRITE_ONLY_IMM, 0x2b) \
    X(RD, SEND_FIRST, SEND_FIRST, 0x40)                         \
    X(RD, SEND_MIDDLE, SEND_MIDDLE, 0x41)                       \
    X(RD, SEND_LAST, SEND_LAST, 0x42)                           \
    X(RD, SEND_LAST_WITH_IMMEDIATE, SEND_LAST_IMM, 0x43)        \
    X(RD, SEND_ONLY, SEND_ONLY, 0x44)                           \
    X(RD, SEND_ONLY_WITH_IMMEDIATE, SEND_ONLY_IMM, 0x45)        \
    X(RD, RDMA_WRITE_FIRST, WRITE_FIRST, 0x46)                  \
    X(RD, RDMA_WRITE_MIDDLE, WRITE_MIDDLE, 0x47)                \
    X(RD, RDMA_WRITE_LAST, WRITE_LAST, 0x48)                    \
    X(RD, RDMA_WRITE_LAST_WITH_IMMEDIATE, WRITE_LAST_IMM, 0x49) \
    X(RD, RDMA_WRITE_ONLY, WRITE_ONLY, 0x4a)                    \
    X(RD, RDMA_WRITE_ONLY_WITH_IMMEDIATE, WRITE_ONLY_IMM, 0x4b) \
    X(RD, RDMA_READ_REQUEST, READ_REQUEST, 0x4c)                \
    X(RD, RDMA_READ_RESPONSE_FIRST, READ_RESP_FIRST, 0x4d)      \
    X(RD, RDMA_READ_RESPONSE_MIDDLE, READ_RESP_MIDDLE, 0x4e)    \
    X(RD, RDMA_READ_RESPONSE_LAST, READ_RESP_LAST, 0x4f)        \
    X(RD, RDMA_READ_RESPONSE_ONLY, READ_RESP_ONLY, 0x50)        \
    X(RD, ACKNOWLEDGE, ACKNOWLEDGE, 0x51)                       \
    X(RD, ATOMIC_ACKNOWLEDGE, ATOMIC_ACK, 0x52)                 \
    X(RD, COMPARE_SWAP, CMP_SWAP, 0x53)                         \
    X(RD, FETCH_ADD, FETCH_ADD, 0x54)                           \
    X(UD, SEND_ONLY, SEND_ONLY, 0x64)                           \
    X(UD, SEND_ONLY_WITH_IMMEDIATE, SEND_ONLY_IMM, 0x65)

/* The opcodes that rdma-core does not list. */
static const struct named {
    const char *name;
    uint8_t opcode;
} other_opcodes[] = {
    {"RD_RESYNC", 0x55},          {"RC_SEND_LAST_INV", 0x16},    {"RC_SEND_ONLY_INV", 0x17},
    {"XRC_SEND_FIRST", 0xa0},     {"XRC_SEND_MIDDLE", 0xa1},     {"XRC_SEND_LAST", 0xa2},
    {"XRC_SEND_LAST_IMM", 0xa3},  {"XRC_SEND_ONLY", 0xa4},       {"XRC_SEND_ONLY_IMM", 0xa5},
    {"XRC_WRITE_FIRST", 0xa6},    {"XRC_WRITE_MIDDLE", 0xa7},    {"XRC_WRITE_LAST", 0xa8},
    {"XRC_WRITE_LAST_IMM", 0xa9}, {"XRC_WRITE_ONLY", 0xaa},      {"XRC_WRITE_ONLY_IMM", 0xab},
    {"XRC_READ_REQUEST", 0xac},   {"XRC_READ_RESP_FIRST", 0xad}, {"XRC_READ_RESP_MIDDLE", 0xae},
    {"XRC_READ_RESP_LAST", 0xaf}, {"XRC_READ_RESP_ONLY", 0xb0},  {"XRC_ACKNOWLEDGE", 0xb1},
    {"XRC_ATOMIC_ACK", 0xb2},     {"XRC_CMP_SWAP", 0xb3},        {"XRC_FETCH_ADD", 0xb4},
    {"XRC_SEND_LAST_INV", 0xb6},  {"XRC_SEND_ONLY_INV", 0xb7},   {"CNP", 0x81},
};
/* clang-format on */

#define NAMED(service, theirs, ours, value) {#service "_" #ours, value},
static const struct named rdma_core_opcodes[] = {OPCODES_OF_RDMA_CORE(NAMED)};

#if __has_include(<infiniband/opcode.h>)
#include <infiniband/opcode.h>
#define SAME(service, theirs, ours, value)                                                         \
    _Static_assert(IBV_OPCODE_##service##_##theirs == value, "opcode of rdma-core");
OPCODES_OF_RDMA_CORE(SAME)
#endif

#define COUNT(array) (sizeof array / sizeof array[0])

static void check_named(const struct named *list, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        char name[WIRE_OPCODE_NAME_MAX] = "";
        struct wire_opcode o = {0xff};
        CU_ASSERT_TRUE(wire_opcode_parse(list[i].name, &o));
        CU_ASSERT_EQUAL(o.v, list[i].opcode);
        CU_ASSERT_TRUE(wire_opcode_known((struct wire_opcode){list[i].opcode}));
        CU_ASSERT_TRUE(wire_opcode_name((struct wire_opcode){list[i].opcode}, name, sizeof name));
        CU_ASSERT_STRING_EQUAL(name, list[i].name);
    }
}

static void op_names_and_numbers_are_those_of_rdma_core(void)
{
    CU_ASSERT_EQUAL(COUNT(rdma_core_opcodes), 56);
    check_named(rdma_core_opcodes, COUNT(rdma_core_opcodes));
}

static void op_names_and_numbers_beyond_rdma_core_are_known(void)
{
    check_named(other_opcodes, COUNT(other_opcodes));
}

static void op_known_opcodes_are_those_two_lists_alone(void)
{
    unsigned known = 0;
    for (unsigned v = 0; v < 256; v++)
        known += wire_opcode_known((struct wire_opcode){(uint8_t)v});
    CU_ASSERT_EQUAL(known, COUNT(rdma_core_opcodes) + COUNT(other_opcodes));
}

static void op_unknown_opcode_has_no_row_name_or_headers(void)
{
    static const uint8_t unknown[] = {0x15, 0x18, 0x1c, 0x1d, 0x1f, 0x2c, 0x36, 0x56, 0x57, 0x5f,
                                      0x60, 0x66, 0x71, 0x80, 0x82, 0x9f, 0xb5, 0xb8, 0xc0, 0xff};
    for (unsigned i = 0; i < sizeof unknown; i++) {
        struct wire_opcode o = {unknown[i]};
        char name[WIRE_OPCODE_NAME_MAX];
        CU_ASSERT_FALSE(wire_opcode_known(o));
        CU_ASSERT_PTR_NULL(wire_op_row(o));
        CU_ASSERT_FALSE(wire_opcode_name(o, name, sizeof name));
        CU_ASSERT_EQUAL(wire_headers_of(o).set, 0);
    }
}

/* One bit per operation whose row says yes. */
#define OPS_WHOSE(member)                                                                          \
    ({                                                                                             \
        uint32_t ops = 0;                                                                          \
        for (unsigned i = 0; i < OP_COUNT; i++)                                                    \
            ops |= (uint32_t)(wire_op_table[i].member) << i;                                       \
        ops;                                                                                       \
    })
#define BIT(op) (1u << (op))

static void op_receive_is_taken_by_the_first_packet_of_a_send_or_with_immediate_of_a_write(void)
{
    CU_ASSERT_EQUAL(OPS_WHOSE(takes_recv),
                    BIT(0x00) | BIT(0x04) | BIT(0x05) | BIT(0x09) | BIT(0x0b) | BIT(0x17));
    CU_ASSERT_EQUAL(OPS_WHOSE(ends_recv), BIT(0x02) | BIT(0x03) | BIT(0x04) | BIT(0x05) |
                                              BIT(0x09) | BIT(0x0b) | BIT(0x16) | BIT(0x17));
}

static void op_responses_are_read_responses_and_acknowledgements(void)
{
    CU_ASSERT_EQUAL(OPS_WHOSE(response),
                    BIT(0x0d) | BIT(0x0e) | BIT(0x0f) | BIT(0x10) | BIT(0x11) | BIT(0x12));
}

static void op_payload_is_carried_by_sends_writes_and_read_responses(void)
{
    CU_ASSERT_EQUAL(OPS_WHOSE(payload), 0xfffu | 0x1e000u | BIT(0x16) | BIT(0x17));
}

static void op_class_and_position_of_each_row(void)
{
    static const char classes[] = "SSSSSSWWWWWWRrrrraAXXySS"; /* one letter a class */
    static const char letters[] = "SWRraXAyC";                /* in the order of enum wire_class */
    static const char positions[] = "FMLLOOFMLLOOOFMLOOOOOOLO";
    static const char position_letters[] = "OFML";
    for (unsigned i = 0; i < OP_COUNT; i++) {
        CU_ASSERT_EQUAL(letters[wire_op_table[i].cls], classes[i]);
        CU_ASSERT_EQUAL(position_letters[wire_op_table[i].position], positions[i]);
    }
}

static void op_cnp_has_a_row_of_its_own(void)
{
    const struct wire_op_row *row = wire_op_row((struct wire_opcode){WIRE_OPCODE_CNP});
    CU_ASSERT_PTR_NOT_NULL_FATAL(row);
    CU_ASSERT_EQUAL(row->cls, CLASS_CNP);
    CU_ASSERT_EQUAL(row->position, POS_ONLY);
    CU_ASSERT_FALSE(row->takes_recv || row->ends_recv || row->response);
    CU_ASSERT_TRUE(row->payload);
}

static void op_headers_of_each_service_are_those_of_the_specification(void)
{
    static const struct {
        uint8_t opcode;
        uint16_t headers;
        unsigned bytes;
    } want[] = {
        {0x00, 0, 0},
        {0x03, HDR_IMM, 4},
        {0x06, HDR_RETH, 16},
        {0x07, 0, 0},
        {0x0b, HDR_RETH | HDR_IMM, 20},
        {0x0c, HDR_RETH, 16},
        {0x0d, HDR_AETH, 4},
        {0x0e, 0, 0},
        {0x0f, HDR_AETH, 4},
        {0x10, HDR_AETH, 4},
        {0x11, HDR_AETH, 4},
        {0x12, HDR_AETH | HDR_ATOMICACKETH, 12},
        {0x13, HDR_ATOMICETH, 28},
        {0x14, HDR_ATOMICETH, 28},
        {0x16, HDR_IETH, 4},
        {0x17, HDR_IETH, 4},
        {0x2b, HDR_RETH | HDR_IMM, 20},
        {0x44, HDR_RDETH | HDR_DETH, 12},
        {0x4a, HDR_RDETH | HDR_DETH | HDR_RETH, 28},
        {0x4d, HDR_RDETH | HDR_AETH, 8},
        {0x4e, HDR_RDETH, 4},
        {0x51, HDR_RDETH | HDR_AETH, 8},
        {0x52, HDR_RDETH | HDR_AETH | HDR_ATOMICACKETH, 16},
        {0x53, HDR_RDETH | HDR_DETH | HDR_ATOMICETH, 40},
        {0x55, HDR_RDETH | HDR_DETH, 12},
        {0x64, HDR_DETH, 8},
        {0x65, HDR_DETH | HDR_IMM, 12},
        {0x81, 0, 0},
        {0xa1, HDR_XRCETH, 4},
        {0xab, HDR_XRCETH | HDR_RETH | HDR_IMM, 24},
        {0xac, HDR_XRCETH | HDR_RETH, 20},
        {0xae, 0, 0},
        {0xb1, HDR_AETH, 4},
        {0xb4, HDR_XRCETH | HDR_ATOMICETH, 32},
        {0xb7, HDR_XRCETH | HDR_IETH, 8},
    };
    for (size_t i = 0; i < COUNT(want); i++) {
        struct wire_headers h = wire_headers_of((struct wire_opcode){want[i].opcode});
        CU_ASSERT_EQUAL(h.set, want[i].headers);
        CU_ASSERT_EQUAL(wire_headers_bytes(h), want[i].bytes);
    }
}

static void op_parse_refuses_what_is_no_opcode(void)
{
    static const char *const bad[] = {
        "",
        "RC",
        "RC_",
        "_SEND_ONLY",
        "RC_FOO",
        "RC_SEND_ONL",
        "CNPX",
        "RC_RESYNC",
        "XRC_RESYNC",
        "RC_SEND_ONLYX",
        "SEND_ONLY",
        "UC_READ_REQUEST",
        "CNP_",
        "XRC",
        "RC_ SEND",
        "rc_send_only",
        "UD_SEND_FIRST",
        "XC_ACK",
        "RCX_ACK",
        "RD_SEND_LAST_INV",
    };
    for (size_t i = 0; i < COUNT(bad); i++) {
        struct wire_opcode o = {0x77};
        CU_ASSERT_FALSE(wire_opcode_parse(bad[i], &o));
        CU_ASSERT_EQUAL(o.v, 0x77);
    }
}

static void op_name_stays_within_its_room(void)
{
    char out[24];
    struct wire_opcode longest = {0xae};
    memset(out, '#', sizeof out);
    CU_ASSERT_FALSE(wire_opcode_name(longest, out, 0));
    CU_ASSERT_EQUAL(out[0], '#');
    CU_ASSERT_FALSE(wire_opcode_name(longest, out, 20));
    CU_ASSERT_EQUAL(out[20], '#');
    CU_ASSERT_TRUE(wire_opcode_name(longest, out, 21));
    CU_ASSERT_STRING_EQUAL(out, "XRC_READ_RESP_MIDDLE");
    CU_ASSERT_EQUAL(out[21], '#');
}

static void op_prefix_names_end_where_the_prefixes_do(void)
{
    CU_ASSERT_STRING_EQUAL(wire_prefix_name(WIRE_RC), "RC");
    CU_ASSERT_STRING_EQUAL(wire_prefix_name(WIRE_XRC), "XRC");
    CU_ASSERT_STRING_EQUAL(wire_prefix_name(WIRE_CNP), "CNP");
    CU_ASSERT_PTR_NULL(wire_prefix_name((enum wire_prefix)6));
    CU_ASSERT_PTR_NULL(wire_prefix_name((enum wire_prefix)7));
    CU_ASSERT_PTR_NULL(wire_prefix_name((enum wire_prefix)8));
}

static const struct test tests[] = {
    TEST(op_names_and_numbers_are_those_of_rdma_core),
    TEST(op_names_and_numbers_beyond_rdma_core_are_known),
    TEST(op_known_opcodes_are_those_two_lists_alone),
    TEST(op_unknown_opcode_has_no_row_name_or_headers),
    TEST(op_receive_is_taken_by_the_first_packet_of_a_send_or_with_immediate_of_a_write),
    TEST(op_responses_are_read_responses_and_acknowledgements),
    TEST(op_payload_is_carried_by_sends_writes_and_read_responses),
    TEST(op_class_and_position_of_each_row),
    TEST(op_cnp_has_a_row_of_its_own),
    TEST(op_headers_of_each_service_are_those_of_the_specification),
    TEST(op_parse_refuses_what_is_no_opcode),
    TEST(op_name_stays_within_its_room),
    TEST(op_prefix_names_end_where_the_prefixes_do),
    TESTS_END,
};

const struct suite suite_op = {"op", tests};
