/*
 * The ICRC against the specification's sample packet, a frame of Linux Soft-RoCE, a bitwise CRC
 * written here, and the list of what it must and must not depend on.
 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "models/wire/icrc.h"
#include "tests/suite.h"

/* IBA vol. 1, 7.8: the sample packet with a local route header, up to the end of its pad. */
static const uint8_t local_packet[52] = {
    0x70, 0x12, 0x37, 0x5c, 0x00, 0x0e, 0x17, 0xd2, 0x0a, 0x20, 0x24, 0x87, 0x00,
    0x87, 0xb1, 0xb3, 0x00, 0x0d, 0xec, 0x2a, 0x01, 0x71, 0x0a, 0x1c, 0x01, 0x5d,
    0x40, 0x02, 0x38, 0xf2, 0x7a, 0x05, 0x00, 0x00, 0x00, 0x0e, 0xbb, 0x88, 0x4d,
    0x85, 0xfd, 0x5c, 0xfb, 0xa4, 0x72, 0x8b, 0xc0, 0x69, 0x0e, 0xd4, 0x00, 0x00};

/* An RC ACK of Soft-RoCE from its IPv4 header to the end of the AETH; ICRC_OF_ACK follows it. */
static const uint8_t ipv4_packet[44] = {
    0x45, 0x00, 0x00, 0x30, 0xda, 0x47, 0x40, 0x00, 0x40, 0x11, 0xdc, 0x71, 0xc0, 0x00, 0x02,
    0x02, 0xc0, 0x00, 0x02, 0x01, 0xe1, 0x85, 0x12, 0xb7, 0x00, 0x1c, 0x00, 0x00, 0x11, 0x00,
    0xff, 0xff, 0x00, 0x00, 0x00, 0x9e, 0x00, 0x00, 0x03, 0xe8, 0x1f, 0x00, 0x00, 0x01};
#define ICRC_OF_ACK 0xa0648c3au

/* The same ACK in IPv6, hop limit 64, traffic class 0x28, flow label 0x12345. */
static const uint8_t ipv6_packet[64] = {
    0x62, 0x81, 0x23, 0x45, 0x00, 0x1c, 0x11, 0x40, 0xfd, 0x00, 0,    0,    0,    0,    0, 0,   0,
    0,    0,    0,    0,    0,    0x00, 0x01, 0xfd, 0x00, 0,    0,    0,    0,    0,    0, 0,   0,
    0,    0,    0,    0,    0x00, 0x02, 0xc0, 0x01, 0x12, 0xb7, 0x00, 0x1c, 0xab, 0xcd, /* UDP */
    0x11, 0x00, 0xff, 0xff, 0x00, 0x00, 0x00, 0x9e, 0,    0,    0x03, 0xe8, 0x1f, 0,    0, 0x01};

/* The LRH of the sample with LNH 3, a GRH like the IPv6 header, BTH and AETH. */
#define GLOBAL_BYTES 64
static void make_global(uint8_t *out)
{
    memcpy(out, local_packet, 8);
    out[1] |= 3;
    memcpy(out + 8, ipv6_packet, 40);
    memcpy(out + 48, ipv6_packet + 48, 16);
}

/* Bit by bit, as the polynomial says: no table, no library. */
static uint32_t naive_crc(uint32_t crc, const uint8_t *bytes, size_t len)
{
    for (size_t i = 0; i < 8 * len; i++) {
        uint32_t bit = (crc ^ (uint32_t)(bytes[i / 8] >> (i % 8))) & 1u;
        crc = crc >> 1 ^ (bit ? 0xedb88320u : 0);
    }
    return crc;
}

static void icrc_of_the_specifications_sample_packet(void)
{
    CU_ASSERT_EQUAL(wire_icrc_ib(local_packet, sizeof local_packet), 0x5ab72596); /* 96 25 b7 5a */
}

static void icrc_of_a_soft_roce_ack(void)
{
    CU_ASSERT_EQUAL(wire_icrc_ip(ipv4_packet, sizeof ipv4_packet), ICRC_OF_ACK);
}

static void icrc_after_the_eight_bytes_of_ones_is_the_known_state(void)
{
    static const uint8_t ones[8] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff};
    CU_ASSERT_EQUAL(naive_crc(0xffffffff, ones, 8), 0xdebb20e3);
    CU_ASSERT_EQUAL(wire_icrc_ip(ones, 0), 0xffffffff ^ 0xdebb20e3);
}

static void icrc_of_ipv6_is_the_bitwise_crc_of_the_masked_bytes(void)
{
    uint8_t masked[sizeof ipv6_packet];
    memcpy(masked, ipv6_packet, sizeof masked);
    memset(masked, 0xff, 4);
    masked[0] = 0x6f;
    masked[7] = 0xff;
    masked[46] = masked[47] = 0xff;
    masked[52] = 0xff;
    uint32_t want = ~naive_crc(0xdebb20e3, masked, sizeof masked);
    CU_ASSERT_EQUAL(wire_icrc_ip(ipv6_packet, sizeof ipv6_packet), want);
}

static void icrc_of_a_global_packet_is_the_bitwise_crc_of_the_masked_bytes(void)
{
    uint8_t packet[GLOBAL_BYTES], masked[GLOBAL_BYTES];
    make_global(packet);
    make_global(masked);
    masked[0] |= 0xf0;
    masked[8] |= 0x0f;
    masked[9] = masked[10] = masked[11] = masked[15] = 0xff;
    masked[52] = 0xff;
    uint32_t want = ~naive_crc(0xffffffff, masked, GLOBAL_BYTES);
    CU_ASSERT_EQUAL(wire_icrc_ib(packet, GLOBAL_BYTES), want);
}

/* Flips every bit in turn: the ICRC changes unless that bit is in `free_bits`. */
static void check_cover(uint32_t (*icrc)(const uint8_t *, size_t), const uint8_t *packet,
                        const uint8_t *free_bits, size_t len)
{
    uint8_t copy[96];
    uint32_t before = icrc(packet, len);
    memcpy(copy, packet, len);
    for (size_t i = 0; i < 8 * len; i++) {
        uint8_t bit = (uint8_t)(1u << (i % 8));
        copy[i / 8] ^= bit;
        bool changed = icrc(copy, len) != before;
        CU_ASSERT_EQUAL(changed, !(free_bits[i / 8] & bit));
        copy[i / 8] ^= bit;
    }
}

static void icrc_of_ipv4_ignores_what_routers_change_and_nothing_else(void)
{
    static const uint8_t free_bits[44] = {
        [1] = 0xff, [8] = 0xff, [10] = 0xff, [11] = 0xff, [26] = 0xff, [27] = 0xff, [32] = 0xff};
    check_cover(wire_icrc_ip, ipv4_packet, free_bits, 44);
}

static void icrc_of_ipv6_ignores_what_routers_change_and_nothing_else(void)
{
    static const uint8_t free_bits[64] = {[0] = 0x0f, [1] = 0xff,  [2] = 0xff,  [3] = 0xff,
                                          [7] = 0xff, [46] = 0xff, [47] = 0xff, [52] = 0xff};
    check_cover(wire_icrc_ip, ipv6_packet, free_bits, 64);
}

static void icrc_of_infiniband_ignores_the_virtual_lane(void)
{
    static const uint8_t free_bits[52] = {[0] = 0xf0, [12] = 0xff};
    check_cover(wire_icrc_ib, local_packet, free_bits, 52);
}

static void icrc_of_a_packet_cut_short_reads_nothing_outside(void)
{
    uint8_t global[GLOBAL_BYTES];
    make_global(global);
    for (size_t len = 0; len < 44; len++) {
        uint8_t *block = malloc(len + 1);
        CU_ASSERT_PTR_NOT_NULL_FATAL(block);
        memcpy(block + 1, ipv4_packet, len);
        CU_ASSERT_NOT_EQUAL(wire_icrc_ip(block + 1, len), ICRC_OF_ACK);
        memcpy(block + 1, ipv6_packet, len);
        CU_ASSERT_NOT_EQUAL(wire_icrc_ip(block + 1, len), ICRC_OF_ACK);
        memcpy(block + 1, global, len);
        CU_ASSERT_NOT_EQUAL(wire_icrc_ib(block + 1, len), ICRC_OF_ACK);
        free(block);
    }
}

static const struct test tests[] = {
    TEST(icrc_of_the_specifications_sample_packet),
    TEST(icrc_of_a_soft_roce_ack),
    TEST(icrc_after_the_eight_bytes_of_ones_is_the_known_state),
    TEST(icrc_of_ipv6_is_the_bitwise_crc_of_the_masked_bytes),
    TEST(icrc_of_a_global_packet_is_the_bitwise_crc_of_the_masked_bytes),
    TEST(icrc_of_ipv4_ignores_what_routers_change_and_nothing_else),
    TEST(icrc_of_ipv6_ignores_what_routers_change_and_nothing_else),
    TEST(icrc_of_infiniband_ignores_the_virtual_lane),
    TEST(icrc_of_a_packet_cut_short_reads_nothing_outside),
    TESTS_END,
};

const struct suite suite_icrc = {"icrc", tests};
