/*
 * Packet lines against literals, read back from every opcode with random fields, and the lines
 * that the reader refuses.
 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "models/wire/text.h"
#include "tests/suite.h"
#include "tests/unit/wire_random.h"

/* Both ways: the packet gives the line, the line gives the packet. */
static void check_line(const struct wire_hdr *h, const struct wire_ext *e, const char *want)
{
    char line[WIRE_TEXT_MAX] = "";
    struct wire_hdr h2;
    struct wire_ext e2;
    CU_ASSERT_EQUAL(wire_text(h, e, line, sizeof line), strlen(want));
    CU_ASSERT_STRING_EQUAL(line, want);
    CU_ASSERT_TRUE(wire_text_parse(want, &h2, &e2));
    CU_ASSERT_TRUE(wire_hdr_equal(h, &h2));
    CU_ASSERT_TRUE(wire_ext_equal(e, &e2));
}

static void text_of_sends_and_acknowledgements(void)
{
    struct wire_ext e = {0};
    struct wire_hdr send = {.opcode = {0x02},
                            .flags = WIRE_MIGREQ | WIRE_ACKREQ,
                            .pkey = 0xffff,
                            .payload_bytes = 1024,
                            .dest_qp = 122,
                            .psn = {1003}};
    check_line(&send, &e, "RC_SEND_LAST psn=1003 qp=122 len=1024 ackreq");
    struct wire_hdr nak = {.opcode = {0x11},
                           .flags = WIRE_MIGREQ,
                           .syndrome = 0x60,
                           .pkey = 0xffff,
                           .dest_qp = 122,
                           .psn = {1000}};
    check_line(&nak, &e, "RC_ACKNOWLEDGE psn=1000 qp=122 NAK:PSN_SEQ msn=0");
    struct wire_hdr empty = {
        .opcode = {0x04}, .flags = WIRE_MIGREQ, .pkey = 0xffff, .dest_qp = 1, .psn = {0xffffff}};
    check_line(&empty, &e, "RC_SEND_ONLY psn=16777215 qp=1 len=0");
    struct wire_hdr response = {.opcode = {0x10},
                                .flags = WIRE_MIGREQ,
                                .syndrome = 0x1f,
                                .pkey = 0xffff,
                                .payload_bytes = 8,
                                .dest_qp = 3,
                                .psn = {4},
                                .msn = 2};
    check_line(&response, &e, "RC_READ_RESP_ONLY psn=4 qp=3 len=8 ACK:credit31 msn=2");
}

static void text_of_memory_operations(void)
{
    struct wire_ext e = {0};
    struct wire_hdr write = {.opcode = {0x06},
                             .flags = WIRE_MIGREQ,
                             .pkey = 0xffff,
                             .payload_bytes = 1024,
                             .dest_qp = 5,
                             .psn = {7},
                             .va = 0x1000,
                             .rkey = 0x12,
                             .dmalen = 4096};
    check_line(&write, &e, "RC_WRITE_FIRST psn=7 qp=5 len=1024 va=0x1000 rkey=0x12 dmalen=4096");
    struct wire_hdr swap = {.opcode = {0xb3},
                            .flags = WIRE_MIGREQ | WIRE_ACKREQ,
                            .pkey = 0xffff,
                            .dest_qp = 5,
                            .psn = {7},
                            .va = UINT64_MAX,
                            .rkey = UINT32_MAX};
    struct wire_ext swap_ext = {.srq = 77, .swap_or_add = 1, .compare = 0};
    check_line(&swap, &swap_ext,
               "XRC_CMP_SWAP psn=7 qp=5 ackreq srq=77 va=0xffffffffffffffff rkey=0xffffffff "
               "swap_add=0x1 compare=0x0");
    struct wire_hdr ack = {.opcode = {0x52},
                           .flags = WIRE_MIGREQ,
                           .syndrome = 0x00,
                           .pkey = 0xffff,
                           .dest_qp = 5,
                           .psn = {7},
                           .msn = 9};
    struct wire_ext ack_ext = {.eec = 6, .original = 0x1234};
    check_line(&ack, &ack_ext, "RD_ATOMIC_ACK psn=7 qp=5 eec=6 ACK:credit0 msn=9 orig=0x1234");
}

static void text_of_datagrams_immediates_and_the_unusual(void)
{
    struct wire_hdr ud = {.opcode = {0x65},
                          .flags = WIRE_SE,
                          .pkey = 0x7fff,
                          .dest_qp = 1,
                          .payload_bytes = 256,
                          .imm = 0xa0000000};
    struct wire_ext ud_ext = {.qkey = 0x80010000, .src_qp = 2};
    check_line(&ud, &ud_ext,
               "UD_SEND_ONLY_IMM psn=0 qp=1 len=256 pkey=0x7fff se mig0 qkey=0x80010000 sqpn=2 "
               "imm=0xa0000000");
    struct wire_ext none = {0};
    struct wire_hdr inv = {.opcode = {0x17}, .flags = WIRE_MIGREQ, .tver = 3, .imm = 0x55};
    check_line(&inv, &none, "RC_SEND_ONLY_INV psn=0 qp=0 len=0 pkey=0x0 tver=3 inv=0x55");
    struct wire_hdr cnp = {.opcode = {0x81},
                           .flags = WIRE_MIGREQ | WIRE_BECN,
                           .pkey = 0xffff,
                           .payload_bytes = 16,
                           .dest_qp = 9};
    check_line(&cnp, &none, "CNP psn=0 qp=9 len=16 becn");
    struct wire_hdr fat_ack = {
        .opcode = {0x11}, .flags = WIRE_MIGREQ, .pkey = 0xffff, .payload_bytes = 4};
    check_line(&fat_ack, &none, "RC_ACKNOWLEDGE psn=0 qp=0 len=4 ACK:credit0 msn=0");
}

static void text_of_ecn_bits_is_one_word(void)
{
    static const char *const want[] = {
        "UC_SEND_ONLY psn=1 qp=2 len=3", "UC_SEND_ONLY psn=1 qp=2 len=3 ect1",
        "UC_SEND_ONLY psn=1 qp=2 len=3 ect0", "UC_SEND_ONLY psn=1 qp=2 len=3 ce"};
    struct wire_ext e = {0};
    for (unsigned ecn = 0; ecn < 4; ecn++) {
        struct wire_hdr h = {.opcode = {0x24},
                             .flags = (uint8_t)(WIRE_MIGREQ | (ecn & 1 ? WIRE_ECN_LO : 0) |
                                                (ecn & 2 ? WIRE_ECN_HI : 0)),
                             .pkey = 0xffff,
                             .payload_bytes = 3,
                             .dest_qp = 2,
                             .psn = {1}};
        check_line(&h, &e, want[ecn]);
    }
}

static void text_of_every_opcode_reads_back(void)
{
    struct rng_stream s = rng_stream(6, RNG_RUN, 0, 1);
    size_t longest = 0;
    for (unsigned v = 0; v < 256; v++) {
        struct wire_opcode o = {(uint8_t)v};
        for (unsigned i = 0; i < 200 && wire_opcode_known(o); i++) {
            char line[WIRE_TEXT_MAX], again[WIRE_TEXT_MAX];
            struct wire_hdr h, h2;
            struct wire_ext e, e2;
            wire_random(&s, o, &h, &e);
            size_t len = wire_text(&h, &e, line, sizeof line);
            CU_ASSERT_TRUE(len > 0 && strlen(line) == len);
            CU_ASSERT_TRUE(wire_text_parse(line, &h2, &e2));
            CU_ASSERT_TRUE(wire_hdr_equal(&h, &h2));
            CU_ASSERT_TRUE(wire_ext_equal(&e, &e2));
            CU_ASSERT_EQUAL(wire_text(&h2, &e2, again, sizeof again), len);
            CU_ASSERT_STRING_EQUAL(again, line);
            longest = len > longest ? len : longest;
        }
    }
    CU_ASSERT_TRUE(longest < 240);
}

static void text_words_may_stand_in_any_order(void)
{
    struct wire_hdr h;
    struct wire_ext e;
    CU_ASSERT_TRUE(wire_text_parse("RC_ACKNOWLEDGE msn=0x10 mig0 RNR:12 qp=5 psn=0x7", &h, &e));
    struct wire_hdr want = {
        .opcode = {0x11}, .syndrome = 0x2c, .pkey = 0xffff, .dest_qp = 5, .psn = {7}, .msn = 16};
    CU_ASSERT_TRUE(wire_hdr_equal(&h, &want));
}

static void text_parse_refuses_what_is_no_line(void)
{
    static const char *const bad[] = {
        "",
        " ",
        "RC_FOO psn=1 qp=1",
        "XRC_READ_RESP_MIDDLE_AND_MUCH_MORE psn=1 qp=1 len=1",
        "XRC_READ_RESP_MIDDLE_ABC psn=1 qp=1 len=1", /* a name as long as the room */
        " RC_SEND_ONLY psn=1 qp=1 len=1",
        "RC_SEND_ONLY psn:1 qp=1 len=1",
        "RC_SEND_ONLY psn=1 qp=1 len=1 ",
        "RC_SEND_ONLY  psn=1 qp=1 len=1",
        "RC_SEND_ONLY psn=1 qp=1",                   /* no len */
        "RC_SEND_ONLY qp=1 len=1",                   /* no psn */
        "RC_SEND_ONLY psn=1 qp=1 len=1 len=1",       /* twice */
        "RC_SEND_ONLY psn=1 qp=1 len=1 se se",       /* twice */
        "RC_SEND_ONLY psn=1 qp=1 len=1 ect0 ce",     /* twice the same bits */
        "RC_SEND_ONLY psn=1 qp=1 len=1 msn=1",       /* no AETH */
        "RC_SEND_ONLY psn=1 qp=1 len=1 NAK:INV_REQ", /* no AETH */
        "RC_SEND_ONLY psn=1 qp=1 len=1 imm=1",       /* no ImmDt */
        "RC_SEND_ONLY psn=1 qp=1 len=1 srq=1",       /* no XRCETH */
        "RC_SEND_ONLY_INV psn=1 qp=1 len=1 imm=1",   /* IETH is inv */
        "RC_SEND_ONLY psn=16777216 qp=1 len=1",      /* 25 bits */
        "RC_SEND_ONLY psn=1 qp=0x1000000 len=1",     /* 25 bits */
        "RC_SEND_ONLY psn=1 qp=1 len=65536",         /* 17 bits */
        "RC_SEND_ONLY psn=1 qp=1 len=1 tver=16",     /* 5 bits */
        "RC_SEND_ONLY psn=1 qp=1 len=-1",
        "RC_SEND_ONLY psn= qp=1 len=1",
        "RC_SEND_ONLY psn=0x qp=1 len=1",
        "RC_SEND_ONLY psn=1a qp=1 len=1",
        "RC_SEND_ONLY psn=1 qp=1 len=1 foo=1",
        "RC_SEND_ONLY psn=1 qp=1 len=1 foo",
        "RC_SEND_ONLY psn=1 qp=1 len=1 s",
        "RC_SEND_ONLY psn=1 qp=1 len=1 see",
        "RC_SEND_ONLY psn=1 qp=1 len",
        "RC_SEND_ONLY psn=1 qp=1 len=1\n",
        "RC_ACKNOWLEDGE psn=1 qp=1 msn=1",       /* no syndrome */
        "RC_ACKNOWLEDGE psn=1 qp=1 NAK:INV_REQ", /* no MSN */
        "RC_ACKNOWLEDGE psn=1 qp=1 RNR:1 RNR:1 msn=1",
        "RC_READ_REQUEST psn=1 qp=1 va=0x10000000000000000 rkey=0x1 dmalen=1",
        "RC_READ_REQUEST psn=1 qp=1 va=18446744073709551616 rkey=0x1 dmalen=1",
        "RC_READ_REQUEST psn=1 qp=1 va=0x1 rkey=0x100000000 dmalen=1",
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct wire_hdr h;
        struct wire_ext e;
        size_t len = strlen(bad[i]);
        char *block = malloc(len + 1); /* exactly the line, for address sanitizers */
        memcpy(block, bad[i], len + 1);
        if (wire_text_parse(block, &h, &e))
            CU_FAIL("a bad line was taken");
        free(block);
    }
}

static void text_stays_within_its_room(void)
{
    struct wire_hdr h = {.opcode = {0x24}, .flags = WIRE_MIGREQ, .pkey = 0xffff};
    struct wire_ext e = {0};
    char out[40];
    memset(out, '#', sizeof out);
    CU_ASSERT_EQUAL(wire_text(&h, &e, out, 29), 0);
    CU_ASSERT_EQUAL(out[29], '#');
    CU_ASSERT_EQUAL(wire_text(&h, &e, out, 30), 29);
    CU_ASSERT_STRING_EQUAL(out, "UC_SEND_ONLY psn=0 qp=0 len=0");
    CU_ASSERT_EQUAL(out[30], '#');
    CU_ASSERT_EQUAL(wire_text(&h, &e, out, 0), 0);
    h.opcode.v = 0x1c;
    CU_ASSERT_EQUAL(wire_text(&h, &e, out, sizeof out), 0);
}

static void text_of_each_syndrome(void)
{
    static const struct {
        uint8_t syndrome;
        const char *want;
    } cases[] = {
        {0x00, "ACK:credit0"},   {0x1f, "ACK:credit31"}, {0x20, "RNR:0"},
        {0x2c, "RNR:12"},        {0x3f, "RNR:31"},       {0x40, "RESERVED:0"},
        {0x45, "RESERVED:5"},    {0x60, "NAK:PSN_SEQ"},  {0x61, "NAK:INV_REQ"},
        {0x62, "NAK:REM_ACC"},   {0x63, "NAK:REM_OP"},   {0x64, "NAK:INV_RD"},
        {0x65, "NAK:5"},         {0x7f, "NAK:31"},       {0x80, "SYNDROME:0x80"},
        {0xff, "SYNDROME:0xff"},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char out[16];
        CU_ASSERT_EQUAL(wire_syndrome_text(cases[i].syndrome, out, sizeof out),
                        strlen(cases[i].want));
        CU_ASSERT_STRING_EQUAL(out, cases[i].want);
    }
    char small[8];
    CU_ASSERT_EQUAL(wire_syndrome_text(0x2c, small, 6), 0);
    CU_ASSERT_EQUAL(wire_syndrome_text(0x2c, small, 7), 6);
}

static void text_of_all_256_syndromes_reads_back(void)
{
    for (unsigned v = 0; v < 256; v++) {
        char out[20];
        uint8_t back = (uint8_t)~v;
        CU_ASSERT_TRUE(wire_syndrome_text((uint8_t)v, out, sizeof out) > 0);
        CU_ASSERT_TRUE(wire_syndrome_parse(out, &back));
        CU_ASSERT_EQUAL(back, v);
    }
}

static void text_syndrome_parse_refuses_others(void)
{
    static const char *const bad[] = {
        "",         "ACK",           "ACK:31",         "ACK:credit32", "RNR:",
        "RNR:32",   "NAK:FOO",       "NAK:PSN",        "NAK:PSN_SEQX", "nak:1",
        "RESERVED", "SYNDROME:0x7f", "SYNDROME:0x100", "RNR:1 "};
    for (unsigned i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        uint8_t syndrome = 0xaa;
        CU_ASSERT_FALSE(wire_syndrome_parse(bad[i], &syndrome));
        CU_ASSERT_EQUAL(syndrome, 0xaa);
    }
}

static const struct test tests[] = {
    TEST(text_of_sends_and_acknowledgements),
    TEST(text_of_memory_operations),
    TEST(text_of_datagrams_immediates_and_the_unusual),
    TEST(text_of_ecn_bits_is_one_word),
    TEST(text_of_every_opcode_reads_back),
    TEST(text_words_may_stand_in_any_order),
    TEST(text_parse_refuses_what_is_no_line),
    TEST(text_stays_within_its_room),
    TEST(text_of_each_syndrome),
    TEST(text_of_all_256_syndromes_reads_back),
    TEST(text_syndrome_parse_refuses_others),
    TESTS_END,
};

const struct suite suite_text = {"text", tests};
