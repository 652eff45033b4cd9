/*
 * Header layouts against literal bytes, round trips over every opcode, and decoding of what is
 * too short or random.  Inputs of the decoder lie in blocks of exactly their size, so that a
 * build with -fsanitize=address sees a read outside.
 */
#include <stdlib.h>
#include <string.h>

#include "models/wire/hdr.h"
#include "tests/suite.h"
#include "tests/unit/wire_random.h"

#define ECN_FLAGS (WIRE_ECN_LO | WIRE_ECN_HI)

/* Encodes and compares with the literal; decodes the literal and compares with the structs. */
static void check_layout(const struct wire_hdr *h, const struct wire_ext *e, const uint8_t *want,
                         unsigned len)
{
    uint8_t out[WIRE_HDR_BYTES_MAX];
    struct wire_hdr h2;
    struct wire_ext e2;
    unsigned header_bytes;
    memset(out, 0xee, sizeof out);
    CU_ASSERT_EQUAL(wire_encode(h, e, out), len);
    CU_ASSERT_EQUAL(memcmp(out, want, len), 0);
    CU_ASSERT_EQUAL(wire_decode(want, len, &h2, &e2, &header_bytes), WIRE_OK);
    CU_ASSERT_EQUAL(header_bytes, len);
    CU_ASSERT_TRUE(wire_hdr_equal(h, &h2));
    CU_ASSERT_TRUE(wire_ext_equal(e, &e2));
}

static void hdr_bth_bits_lie_where_the_specification_has_them(void)
{
    static const uint8_t plain[12] = {0x04, 0x00, 0x12, 0x34, 0, 0xab, 0xcd, 0xef, 0, 1, 2, 3};
    static const struct {
        uint8_t flag, at, bit;
    } flags[] = {{WIRE_SE, 1, 0x80},
                 {WIRE_MIGREQ, 1, 0x40},
                 {WIRE_FECN, 4, 0x80},
                 {WIRE_BECN, 4, 0x40},
                 {WIRE_ACKREQ, 8, 0x80}};
    struct wire_hdr h = {.opcode = {0x04}, .pkey = 0x1234, .dest_qp = 0xabcdef, .psn = {0x010203}};
    struct wire_ext e = {0};
    check_layout(&h, &e, plain, 12);
    for (unsigned i = 0; i < 5; i++) {
        uint8_t want[12];
        memcpy(want, plain, 12);
        want[flags[i].at] |= flags[i].bit;
        h.flags = flags[i].flag;
        check_layout(&h, &e, want, 12);
    }
    static const uint8_t with_tver[12] = {0x04, 0x0b, 0x12, 0x34, 0, 0xab, 0xcd, 0xef, 0, 1, 2, 3};
    h.flags = 0;
    h.tver = 11;
    check_layout(&h, &e, with_tver, 12);
}

static void hdr_pad_count_is_what_completes_a_word(void)
{
    static const uint8_t second_byte[] = {0x00, 0x30, 0x20, 0x10, 0x00};
    for (uint16_t n = 0; n < 5; n++) {
        struct wire_hdr h = {.opcode = {0x04}, .payload_bytes = n};
        uint8_t out[WIRE_HDR_BYTES_MAX];
        CU_ASSERT_EQUAL(wire_encode(&h, NULL, out), 12);
        CU_ASSERT_EQUAL(out[1], second_byte[n]);
    }
}

static void hdr_rd_atomic_layout_is_rdeth_deth_atomiceth(void)
{
    static const uint8_t want[52] = {
        0x53, 0x40, 0xff, 0xff, 0,    0,    0,    7,    0x80, 0,    0,    9,    /* BTH */
        0,    0x0a, 0x0b, 0x0c,                                                 /* RDETH */
        0x11, 0x22, 0x33, 0x44, 0,    0x55, 0x66, 0x77,                         /* DETH */
        0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08, 0xa0, 0xa1, 0xa2, 0xa3, /* VA, R_Key */
        0xb0, 0xb1, 0xb2, 0xb3, 0xb4, 0xb5, 0xb6, 0xb7,                         /* swap */
        0xc0, 0xc1, 0xc2, 0xc3, 0xc4, 0xc5, 0xc6, 0xc7};                        /* compare */
    struct wire_hdr h = {.opcode = {0x53},
                         .flags = WIRE_MIGREQ | WIRE_ACKREQ,
                         .pkey = 0xffff,
                         .dest_qp = 7,
                         .psn = {9},
                         .va = 0x0102030405060708,
                         .rkey = 0xa0a1a2a3};
    struct wire_ext e = {.eec = 0x0a0b0c,
                         .qkey = 0x11223344,
                         .src_qp = 0x556677,
                         .swap_or_add = 0xb0b1b2b3b4b5b6b7,
                         .compare = 0xc0c1c2c3c4c5c6c7};
    check_layout(&h, &e, want, 52);
}

static void hdr_rd_atomic_ack_layout_is_rdeth_aeth_original(void)
{
    static const uint8_t want[28] = {0x52, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3, /* BTH */
                                     0,    0, 0, 4,                         /* RDETH */
                                     0x1f, 0, 1, 2,                         /* AETH */
                                     1,    2, 3, 4, 5, 6, 7, 8};            /* original */
    struct wire_hdr h = {
        .opcode = {0x52}, .pkey = 1, .dest_qp = 2, .psn = {3}, .syndrome = 0x1f, .msn = 0x0102};
    struct wire_ext e = {.eec = 4, .original = 0x0102030405060708};
    check_layout(&h, &e, want, 28);
}

static void hdr_xrc_write_layout_is_xrceth_reth_immediate(void)
{
    static const uint8_t want[36] = {
        0xab, 0x80, 0xff, 0xff, 0, 0,    0,    5,    0, 0, 0, 6, /* BTH */
        0,    0x12, 0x34, 0x56,                                  /* XRCETH */
        8,    7,    6,    5,    4, 3,    2,    1,                /* VA */
        0xde, 0xad, 0xbe, 0xef, 0, 0x01, 0x00, 0x00,             /* R_Key, DMALen */
        0xca, 0xfe, 0xba, 0xbe};                                 /* ImmDt */
    struct wire_hdr h = {.opcode = {0xab},
                         .flags = WIRE_SE,
                         .pkey = 0xffff,
                         .dest_qp = 5,
                         .psn = {6},
                         .va = 0x0807060504030201,
                         .rkey = 0xdeadbeef,
                         .dmalen = 65536,
                         .imm = 0xcafebabe};
    struct wire_ext e = {.srq = 0x123456};
    check_layout(&h, &e, want, 36);
}

static void hdr_invalidate_and_datagram_layouts(void)
{
    static const uint8_t invalidate[16] = {0x17, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 2, 0x80, 1, 2, 3};
    struct wire_hdr h = {.opcode = {0x17}, .dest_qp = 1, .psn = {2}, .imm = 0x80010203};
    struct wire_ext e = {0};
    check_layout(&h, &e, invalidate, 16);
    static const uint8_t datagram[24] = {0x65, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 2,
                                         0x80, 1, 0, 0, 0, 0, 0, 9, 0, 0, 0, 3};
    h = (struct wire_hdr){.opcode = {0x65}, .dest_qp = 1, .psn = {2}, .imm = 3};
    e = (struct wire_ext){.qkey = 0x80010000, .src_qp = 9};
    check_layout(&h, &e, datagram, 24);
}

static void hdr_ib_bytes_count_headers_payload_and_pad(void)
{
    static const struct {
        uint8_t opcode;
        uint16_t payload;
        unsigned want;
    } cases[] = {{0x04, 0, 12},       {0x04, 1, 16}, {0x04, 1024, 1036}, {0x06, 4096, 4124},
                 {0x11, 0, 16},       {0x12, 0, 24}, {0x13, 0, 40},      {0x0e, 255, 268},
                 {0x64, 100, 120},    {0x53, 0, 52}, {0xab, 3, 40},      {0x81, 16, 28},
                 {0x04, 65535, 65548}};
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct wire_hdr h = {.opcode = {cases[i].opcode}, .payload_bytes = cases[i].payload};
        CU_ASSERT_EQUAL(wire_ib_bytes(&h), cases[i].want);
    }
}

/* Decodes from a block of exactly len bytes. */
static enum wire_decoded decode_exact(const uint8_t *bytes, size_t len, struct wire_hdr *h,
                                      struct wire_ext *e, unsigned *header_bytes)
{
    uint8_t *block = malloc(len ? len : 1);
    memcpy(block, bytes, len);
    enum wire_decoded got = wire_decode(block + (len ? 0 : 1), len, h, e, header_bytes);
    free(block);
    return got;
}

static void hdr_every_opcode_reads_back_what_was_written(void)
{
    struct rng_stream s = rng_stream(1, RNG_RUN, 0, 1);
    for (unsigned v = 0; v < 256; v++) {
        struct wire_opcode o = {(uint8_t)v};
        if (!wire_opcode_known(o))
            continue;
        for (unsigned i = 0; i < 200; i++) {
            uint8_t bytes[WIRE_HDR_BYTES_MAX + 64] = {0};
            struct wire_hdr h, h2;
            struct wire_ext e, e2;
            unsigned header_bytes;
            wire_random(&s, o, &h, &e);
            h.flags &= (uint8_t)~ECN_FLAGS;
            unsigned written = wire_encode(&h, &e, bytes);
            CU_ASSERT_EQUAL(written, 12 + wire_headers_bytes(wire_headers_of(o)));
            enum wire_decoded got = decode_exact(bytes, wire_ib_bytes(&h), &h2, &e2, &header_bytes);
            CU_ASSERT_EQUAL(got, WIRE_OK);
            CU_ASSERT_EQUAL(header_bytes, written);
            CU_ASSERT_TRUE(wire_hdr_equal(&h, &h2));
            CU_ASSERT_TRUE(wire_ext_equal(&e, &e2));
        }
    }
}

static void hdr_every_truncated_header_is_short(void)
{
    struct rng_stream s = rng_stream(2, RNG_RUN, 0, 1);
    for (unsigned v = 0; v < 256; v++) {
        struct wire_opcode o = {(uint8_t)v};
        if (!wire_opcode_known(o))
            continue;
        uint8_t bytes[WIRE_HDR_BYTES_MAX] = {0};
        struct wire_hdr h;
        struct wire_ext e;
        unsigned header_bytes;
        wire_random(&s, o, &h, &e);
        h.payload_bytes = 0;
        unsigned whole = wire_encode(&h, &e, bytes);
        for (unsigned len = 0; len < whole; len++)
            CU_ASSERT_EQUAL(decode_exact(bytes, len, &h, &e, &header_bytes), WIRE_SHORT);
        CU_ASSERT_EQUAL(decode_exact(bytes, whole, &h, &e, &header_bytes), WIRE_OK);
    }
}

static void hdr_unknown_opcode_keeps_the_bth(void)
{
    static const uint8_t bytes[12] = {0x1c, 0, 0xff, 0xff, 0, 0, 0, 5, 0, 0, 0, 6};
    struct wire_hdr h;
    struct wire_ext e;
    unsigned header_bytes;
    CU_ASSERT_EQUAL(wire_decode(bytes, 12, &h, &e, &header_bytes), WIRE_UNKNOWN_OPCODE);
    CU_ASSERT_EQUAL(h.dest_qp, 5);
    CU_ASSERT_EQUAL(h.psn.v, 6);
    uint8_t out[WIRE_HDR_BYTES_MAX];
    CU_ASSERT_EQUAL(wire_encode(&h, &e, out), 0);
}

static void hdr_wrong_pad_is_told_and_the_headers_kept(void)
{
    uint8_t bytes[20] = {0x04, 0x30, 0, 0, 0, 0, 0, 5, 0, 0, 0, 6};
    struct wire_hdr h;
    struct wire_ext e;
    unsigned header_bytes;
    CU_ASSERT_EQUAL(wire_decode(bytes, 12, &h, &e, &header_bytes), WIRE_BAD_PAD);
    CU_ASSERT_EQUAL(h.dest_qp, 5);
    CU_ASSERT_EQUAL(h.psn.v, 6);
    CU_ASSERT_EQUAL(h.payload_bytes, 0);
    for (unsigned len = 13; len < 20; len++) {
        enum wire_decoded want = len == 16 ? WIRE_OK : WIRE_BAD_PAD;
        CU_ASSERT_EQUAL(wire_decode(bytes, len, &h, &e, &header_bytes), want);
        CU_ASSERT_EQUAL(h.payload_bytes, len == 16 ? 1 : 0);
    }
}

static void hdr_payload_beyond_16_bits_is_refused(void)
{
    uint8_t *bytes = calloc(1, 12 + 65540);
    struct wire_hdr h;
    struct wire_ext e;
    unsigned header_bytes;
    CU_ASSERT_PTR_NOT_NULL_FATAL(bytes);
    bytes[0] = 0x04;
    CU_ASSERT_EQUAL(wire_decode(bytes, 12 + 65536, &h, &e, &header_bytes), WIRE_BAD_PAD);
    bytes[1] = 0x10;
    CU_ASSERT_EQUAL(wire_decode(bytes, 12 + 65536, &h, &e, &header_bytes), WIRE_OK);
    CU_ASSERT_EQUAL(h.payload_bytes, 65535);
    free(bytes);
}

/* Clears the bits that a packet has for the specification's use alone. */
static void clear_reserved(uint8_t *b, const struct wire_hdr *h)
{
    unsigned set = wire_headers_of(h->opcode).set;
    unsigned at = 12;
    b[4] &= 0xc0;
    b[8] &= 0x80;
    if (set & HDR_RDETH) {
        b[at] = 0;
        at += 4;
    }
    if (set & HDR_DETH)
        b[at + 4] = 0;
    if (set & HDR_XRCETH)
        b[at] = 0;
}

static void hdr_random_bytes_decode_to_what_encodes_them(void)
{
    struct rng_stream s = rng_stream(3, RNG_RUN, 0, 1);
    unsigned decoded[4] = {0};
    for (unsigned round = 0; round < 20000; round++) {
        uint8_t bytes[96], out[WIRE_HDR_BYTES_MAX];
        struct wire_hdr h;
        struct wire_ext e;
        unsigned header_bytes;
        size_t len = rng_below(&s, sizeof bytes + 1);
        for (size_t i = 0; i < len; i++)
            bytes[i] = (uint8_t)rng_next(&s);
        enum wire_decoded got = decode_exact(bytes, len, &h, &e, &header_bytes);
        decoded[got]++;
        if (got != WIRE_OK)
            continue;
        clear_reserved(bytes, &h);
        CU_ASSERT_EQUAL(wire_encode(&h, &e, out), header_bytes);
        CU_ASSERT_EQUAL(memcmp(out, bytes, header_bytes), 0);
        CU_ASSERT_EQUAL(wire_ib_bytes(&h), len);
    }
    for (unsigned i = 0; i < 4; i++)
        CU_ASSERT_TRUE(decoded[i] > 500);
}

static void hdr_aeth_syndrome_splits_into_kind_and_five_bits(void)
{
    CU_ASSERT_EQUAL(aeth_syndrome(AETH_ACK, AETH_CREDIT_NONE), 0x1f);
    CU_ASSERT_EQUAL(aeth_syndrome(AETH_RNR, 12), 0x2c);
    CU_ASSERT_EQUAL(aeth_syndrome(AETH_NAK, NAK_PSN_SEQ), 0x60);
    CU_ASSERT_EQUAL(aeth_syndrome(AETH_NAK, NAK_INV_RD), 0x64);
    CU_ASSERT_EQUAL(aeth_kind(0x45), AETH_RESERVED);
    CU_ASSERT_EQUAL(aeth_low5(0x45), 5);
    CU_ASSERT_EQUAL(aeth_kind(0x7f), AETH_NAK);
    CU_ASSERT_EQUAL(aeth_low5(0x7f), 31);
}

static const struct test tests[] = {
    TEST(hdr_bth_bits_lie_where_the_specification_has_them),
    TEST(hdr_pad_count_is_what_completes_a_word),
    TEST(hdr_rd_atomic_layout_is_rdeth_deth_atomiceth),
    TEST(hdr_rd_atomic_ack_layout_is_rdeth_aeth_original),
    TEST(hdr_xrc_write_layout_is_xrceth_reth_immediate),
    TEST(hdr_invalidate_and_datagram_layouts),
    TEST(hdr_ib_bytes_count_headers_payload_and_pad),
    TEST(hdr_every_opcode_reads_back_what_was_written),
    TEST(hdr_every_truncated_header_is_short),
    TEST(hdr_unknown_opcode_keeps_the_bth),
    TEST(hdr_wrong_pad_is_told_and_the_headers_kept),
    TEST(hdr_payload_beyond_16_bits_is_refused),
    TEST(hdr_random_bytes_decode_to_what_encodes_them),
    TEST(hdr_aeth_syndrome_splits_into_kind_and_five_bits),
    TESTS_END,
};

const struct suite suite_hdr = {"hdr", tests};
