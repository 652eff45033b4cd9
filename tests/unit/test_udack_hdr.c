/*
 * The 16 bytes in front of a datagram.
 */
#include <string.h>

#include "models/udack/udack.h"
#include "sim/base/rng.h"
#include "tests/suite.h"

static bool same(const struct udack_hdr *a, const struct udack_hdr *b)
{
    return a->session == b->session && a->seq == b->seq && a->ack == b->ack &&
           a->fragment == b->fragment && a->sack == b->sack && a->message == b->message &&
           a->incarnation == b->incarnation && a->flags == b->flags;
}

static void udack_hdr_data_has_these_bytes(void)
{
    static const uint8_t expected[16] = {0x61, 0x23, 0x45, 0x07, 0xab, 0xcd, 0xef, 0x42,
                                         0x01, 0x02, 0x03, 0xcd, 0x00, 0x10, 0x01, 0xab};
    struct udack_hdr h = {.flags = UDACK_LAST | UDACK_ASK,
                          .session = 0x12345,
                          .incarnation = 7,
                          .seq = 0xabcdef,
                          .message = 0x42,
                          .ack = 0x010203,
                          .fragment = 0x1001,
                          .sack = 0xabcd};
    uint8_t bytes[16];
    udack_pack(&h, bytes);
    CU_ASSERT_EQUAL(memcmp(bytes, expected, 16), 0);
    struct udack_hdr back = udack_unpack(bytes);
    CU_ASSERT_TRUE(same(&h, &back));
}

static void udack_hdr_acknowledgement_has_these_bytes(void)
{
    static const uint8_t expected[16] = {0x90, 0x00, 0x01, 0xff, 0x22, 0x33, 0x44, 0x55,
                                         0xff, 0xff, 0xff, 0x77, 0x00, 0x11, 0x00, 0x66};
    struct udack_hdr h = {.flags = UDACK_ACK | UDACK_GAP,
                          .session = 1,
                          .incarnation = 255,
                          .ack = 0xffffff,
                          .sack = 0x0011223344556677u};
    uint8_t bytes[16];
    udack_pack(&h, bytes);
    /* 16 bits in front, 32 in the second word, the upper 16 in the fourth */
    CU_ASSERT_EQUAL(memcmp(bytes, expected, 4), 0);
    CU_ASSERT_EQUAL(memcmp(bytes + 4, expected + 4, 4), 0);
    CU_ASSERT_EQUAL(memcmp(bytes + 8, expected + 8, 8), 0);
    struct udack_hdr back = udack_unpack(bytes);
    CU_ASSERT_TRUE(same(&h, &back));
}

/* Whatever 16 bytes arrive are a header, and those of the meaningful fields come back. */
static void udack_hdr_any_bytes_come_back(void)
{
    struct rng_stream r = rng_stream(1, RNG_RUN, 0, 77);
    for (int n = 0; n < 20000; n++) {
        uint64_t draw[2] = {rng_next(&r), rng_next(&r)};
        uint8_t in[16], out[16];
        memcpy(in, draw, 16);
        if (in[0] & UDACK_ACK << 4)
            in[14] = 0; /* without meaning in an acknowledgement alone */
        struct udack_hdr h = udack_unpack(in);
        udack_pack(&h, out);
        CU_ASSERT_EQUAL_FATAL(memcmp(in, out, 16), 0);
    }
}

static const struct test tests[] = {TEST(udack_hdr_data_has_these_bytes),
                                    TEST(udack_hdr_acknowledgement_has_these_bytes),
                                    TEST(udack_hdr_any_bytes_come_back), TESTS_END};
const struct suite suite_udack_hdr = {"udack_hdr", tests};
