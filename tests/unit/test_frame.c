/*
 * Whole frames against one captured from Linux Soft-RoCE, round trips over IPv4 and IPv6, what is
 * refused and how, and the bytes that a packet takes on the wire.
 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "models/wire/frame.h"
#include "tests/suite.h"
#include "tests/unit/wire_random.h"

/* An ACK of Soft-RoCE: syndrome 0x1f, MSN 1, PSN 1000, QP 158. */
#define ACK_BYTES 62
static const uint8_t ack_frame[ACK_BYTES] = {
    0x52, 0x54, 0x00, 0x00, 0x00, 0x01, 0x52, 0x54, 0x00, 0x00, 0x00, 0x02, 0x08, 0x00, 0x45, 0x00,
    0x00, 0x30, 0xda, 0x47, 0x40, 0x00, 0x40, 0x11, 0xdc, 0x71, 0xc0, 0x00, 0x02, 0x02, 0xc0, 0x00,
    0x02, 0x01, 0xe1, 0x85, 0x12, 0xb7, 0x00, 0x1c, 0x00, 0x00, 0x11, 0x00, 0xff, 0xff, 0x00, 0x00,
    0x00, 0x9e, 0x00, 0x00, 0x03, 0xe8, 0x1f, 0x00, 0x00, 0x01, 0x3a, 0x8c, 0x64, 0xa0};
static const struct wire_hdr ack_hdr = {
    .opcode = {0x11}, .syndrome = 0x1f, .pkey = 0xffff, .dest_qp = 158, .psn = {1000}, .msn = 1};
static const struct wire_addr ack_addr = {.dst_mac = {0x52, 0x54, 0, 0, 0, 1},
                                          .src_mac = {0x52, 0x54, 0, 0, 0, 2},
                                          .src_ip = {192, 0, 2, 2},
                                          .dst_ip = {192, 0, 2, 1},
                                          .src_port = 57733,
                                          .ip_id = 0xda47,
                                          .ttl = 64,
                                          .dont_fragment = 1};

/* What parsing a frame gives, from a block of exactly its size. */
struct parsed {
    struct wire_hdr h;
    struct wire_ext e;
    struct wire_addr a;
    enum wire_frame_fault fault;
    uint8_t payload[128];
};

static struct parsed parse(const uint8_t *frame, size_t len)
{
    struct parsed p;
    const uint8_t *payload;
    uint8_t *block = malloc(len + 1);
    memset(&p, 0, sizeof p);
    memcpy(block + 1, frame, len);
    p.fault = wire_frame_parse(block + 1, len, &p.h, &p.e, &p.a, &payload);
    if (payload && p.h.payload_bytes <= sizeof p.payload)
        memcpy(p.payload, payload, p.h.payload_bytes);
    free(block);
    return p;
}

/* The ACK frame with one byte replaced. */
static enum wire_frame_fault fault_with(unsigned at, uint8_t value)
{
    uint8_t frame[ACK_BYTES];
    memcpy(frame, ack_frame, ACK_BYTES);
    frame[at] = value;
    return parse(frame, ACK_BYTES).fault;
}

static void frame_wire_bytes_of_each_encapsulation(void)
{
    static const struct {
        uint8_t opcode;
        uint16_t payload;
        uint32_t want[ENCAP_COUNT]; /* RoCEv2, over IPv6, InfiniBand */
    } cases[] = {
        {0x04, 0, {82, 102, 26}},         {0x04, 1024, {1106, 1126, 1050}},
        {0x04, 1, {86, 106, 30}},         {0x0a, 4096, {4194, 4214, 4138}},
        {0x11, 0, {86, 106, 30}},         {0x0c, 0, {98, 118, 42}},
        {0x14, 0, {110, 130, 54}},        {0x64, 4096, {4186, 4206, 4130}},
        {0x44, 2048, {2142, 2162, 2086}}, {0xa4, 256, {342, 362, 286}},
        {0x81, 16, {98, 118, 42}},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct wire_hdr h = {.opcode = {cases[i].opcode}, .payload_bytes = cases[i].payload};
        for (unsigned encap = 0; encap < ENCAP_COUNT; encap++)
            CU_ASSERT_EQUAL(wire_bytes(&h, (enum wire_encap)encap), cases[i].want[encap]);
    }
    CU_ASSERT_EQUAL(wire_overhead_bytes(ENCAP_ROCEV2), 70);
    CU_ASSERT_EQUAL(wire_overhead_bytes(ENCAP_ROCEV2_IPV6), 90);
    CU_ASSERT_EQUAL(wire_overhead_bytes(ENCAP_INFINIBAND), 14);
}

static void frame_of_soft_roce_is_built_byte_for_byte(void)
{
    uint8_t out[ACK_BYTES];
    CU_ASSERT_EQUAL(wire_frame_build(&ack_hdr, NULL, NULL, &ack_addr, ENCAP_ROCEV2, out, ACK_BYTES),
                    ACK_BYTES);
    CU_ASSERT_EQUAL(memcmp(out, ack_frame, ACK_BYTES), 0);
}

static void frame_of_soft_roce_is_taken_apart(void)
{
    struct parsed p = parse(ack_frame, ACK_BYTES);
    CU_ASSERT_EQUAL(p.fault, FRAME_OK);
    CU_ASSERT_TRUE(wire_hdr_equal(&p.h, &ack_hdr));
    CU_ASSERT_EQUAL(memcmp(&p.a, &ack_addr, sizeof ack_addr), 0);
}

/* The literal part of an IPv6 frame: RC SEND_ONLY of the 5 bytes "hello", CE, DSCP 26. */
static void frame_over_ipv6_has_this_layout(void)
{
    static const uint8_t want[80] = {
        2,    0,    0,    0,    0, 1,  2,  0,   0,    0, 0, 2, 0x86, 0xdd, /* Ethernet */
        0x66, 0xb0, 0,    0,    0, 32, 17, 255, /* IPv6: 32 = 8 + 12 + 8 + 4 */
        0xfd, 0,    0,    0,    0, 0,  0,  0,   0,    0, 0, 0, 0,    0,    0, 1, /* source */
        0xfd, 0,    0,    0,    0, 0,  0,  0,   0,    0, 0, 0, 0,    0,    0, 2, /* destination */
        0xc0, 0,    0x12, 0xb7, 0, 32, 0,  0,                                    /* UDP */
        4,    0x30, 0xff, 0xff, 0, 0,  0,  3,   0x80, 0, 0, 4, 'h',  'e', /* BTH, payload, pad */
        'l',  'l'};
    struct wire_addr a = {.dst_mac = {2, 0, 0, 0, 0, 1},
                          .src_mac = {2, 0, 0, 0, 0, 2},
                          .src_ip = {0xfd, [15] = 1},
                          .dst_ip = {0xfd, [15] = 2},
                          .src_port = 0xc000,
                          .tos = 26 << 2,
                          .ttl = 255};
    struct wire_hdr h = {.opcode = {4},
                         .flags = WIRE_ACKREQ | WIRE_ECN_LO | WIRE_ECN_HI,
                         .pkey = 0xffff,
                         .payload_bytes = 5,
                         .dest_qp = 3,
                         .psn = {4}};
    uint8_t out[86];
    CU_ASSERT_EQUAL(wire_frame_build(&h, NULL, (const uint8_t *)"hello", &a, ENCAP_ROCEV2_IPV6, out,
                                     sizeof out),
                    86);
    CU_ASSERT_EQUAL(memcmp(out, want, 78), 0);
    CU_ASSERT_EQUAL(memcmp(out + 78, "o\0\0\0", 4), 0);
    struct parsed p = parse(out, sizeof out);
    CU_ASSERT_EQUAL(p.fault, FRAME_OK);
    CU_ASSERT_TRUE(wire_hdr_equal(&p.h, &h));
    CU_ASSERT_EQUAL(p.a.tos, 0x6b);
    CU_ASSERT_EQUAL(memcmp(p.a.src_ip, a.src_ip, 16), 0);
    CU_ASSERT_EQUAL(memcmp(p.payload, "hello", 5), 0);
}

static void random_addr(struct rng_stream *s, bool v6, struct wire_addr *a)
{
    memset(a, 0, sizeof *a);
    for (unsigned i = 0; i < 6; i++) {
        a->dst_mac[i] = (uint8_t)rng_next(s);
        a->src_mac[i] = (uint8_t)rng_next(s);
    }
    for (unsigned i = 0; i < (v6 ? 16 : 4); i++) {
        a->src_ip[i] = (uint8_t)rng_next(s);
        a->dst_ip[i] = (uint8_t)rng_next(s);
    }
    a->src_port = (uint16_t)rng_next(s);
    a->tos = (uint8_t)rng_next(s);
    a->ttl = (uint8_t)rng_next(s);
    a->ip_id = v6 ? 0 : (uint16_t)rng_next(s);
    a->dont_fragment = v6 ? 0 : (uint8_t)(rng_next(s) & 1);
}

static void check_round_trip(struct rng_stream *s, struct wire_opcode o, enum wire_encap encap)
{
    uint8_t frame[256], payload[64], again[256];
    struct wire_hdr h;
    struct wire_ext e;
    struct wire_addr a;
    wire_random(s, o, &h, &e);
    random_addr(s, encap == ENCAP_ROCEV2_IPV6, &a);
    a.tos = (uint8_t)((a.tos & 0xfc) | h.flags >> 5);
    for (unsigned i = 0; i < sizeof payload; i++)
        payload[i] = (uint8_t)rng_next(s);
    size_t len = wire_frame_build(&h, &e, payload, &a, encap, frame, sizeof frame);
    CU_ASSERT_EQUAL(len, wire_bytes(&h, encap) - 24); /* no FCS, preamble, gap */
    struct parsed p = parse(frame, len);
    CU_ASSERT_EQUAL(p.fault, FRAME_OK);
    CU_ASSERT_TRUE(wire_hdr_equal(&p.h, &h));
    CU_ASSERT_TRUE(wire_ext_equal(&p.e, &e));
    CU_ASSERT_EQUAL(memcmp(&p.a, &a, sizeof a), 0);
    CU_ASSERT_EQUAL(memcmp(p.payload, payload, h.payload_bytes), 0);
    CU_ASSERT_EQUAL(wire_frame_build(&p.h, &p.e, p.payload, &p.a, encap, again, sizeof again), len);
    CU_ASSERT_EQUAL(memcmp(again, frame, len), 0);
}

static void frame_of_every_opcode_reads_back_what_was_built(void)
{
    struct rng_stream s = rng_stream(4, RNG_RUN, 0, 1);
    for (unsigned v = 0; v < 256; v++) {
        struct wire_opcode o = {(uint8_t)v};
        for (unsigned i = 0; i < 50 && wire_opcode_known(o); i++) {
            check_round_trip(&s, o, ENCAP_ROCEV2);
            check_round_trip(&s, o, ENCAP_ROCEV2_IPV6);
        }
    }
}

static void frame_ecn_bits_come_from_the_flags_alone(void)
{
    struct wire_hdr h = ack_hdr;
    struct wire_addr a = ack_addr;
    uint8_t out[ACK_BYTES];
    a.tos = 0xff;
    h.flags = WIRE_ECN_HI;
    wire_frame_build(&h, NULL, NULL, &a, ENCAP_ROCEV2, out, sizeof out);
    CU_ASSERT_EQUAL(out[15], 0xfe);
    h.flags = WIRE_ECN_LO;
    a.tos = 0;
    wire_frame_build(&h, NULL, NULL, &a, ENCAP_ROCEV2, out, sizeof out);
    CU_ASSERT_EQUAL(out[15], 0x01);
}

static void frame_vlan_tag_and_bytes_after_the_packet_are_passed_over(void)
{
    uint8_t frame[ACK_BYTES + 4 + 6] = {0};
    memcpy(frame, ack_frame, 12);
    memcpy(frame + 12, (const uint8_t[]){0x81, 0x00, 0x60, 0x07}, 4);
    memcpy(frame + 16, ack_frame + 12, ACK_BYTES - 12);
    for (size_t extra = 0; extra <= 6; extra++) {
        struct parsed p = parse(frame, ACK_BYTES + 4 + extra);
        CU_ASSERT_EQUAL(p.fault, FRAME_OK);
        CU_ASSERT_TRUE(wire_hdr_equal(&p.h, &ack_hdr));
        CU_ASSERT_EQUAL(memcmp(&p.a, &ack_addr, sizeof ack_addr), 0);
    }
    frame[16] = 0x81; /* a second tag is nobody's */
    CU_ASSERT_EQUAL(parse(frame, sizeof frame).fault, FRAME_NOT_ROCE);
}

static void frame_of_another_protocol_is_not_roce(void)
{
    CU_ASSERT_EQUAL(fault_with(13, 0x06), FRAME_NOT_ROCE); /* ARP */
    CU_ASSERT_EQUAL(fault_with(14, 0x46), FRAME_NOT_ROCE); /* IPv4 with options */
    CU_ASSERT_EQUAL(fault_with(14, 0x65), FRAME_NOT_ROCE); /* version 6 under IPv4's type */
    CU_ASSERT_EQUAL(fault_with(20, 0x60), FRAME_NOT_ROCE); /* more fragments */
    CU_ASSERT_EQUAL(fault_with(21, 0x01), FRAME_NOT_ROCE); /* fragment offset */
    CU_ASSERT_EQUAL(fault_with(23, 6), FRAME_NOT_ROCE);    /* TCP */
    CU_ASSERT_EQUAL(fault_with(37, 0xb8), FRAME_NOT_ROCE); /* UDP port 4792 */
}

static void frame_whose_lengths_disagree_is_short(void)
{
    CU_ASSERT_EQUAL(fault_with(17, 49), FRAME_SHORT); /* IP says more than there is */
    CU_ASSERT_EQUAL(fault_with(17, 47), FRAME_SHORT); /* UDP does not fill the IP packet */
    CU_ASSERT_EQUAL(fault_with(17, 19), FRAME_SHORT); /* less than its own header */
    CU_ASSERT_EQUAL(fault_with(39, 27), FRAME_SHORT); /* UDP length */
    for (size_t len = 0; len < ACK_BYTES; len++)
        CU_ASSERT_EQUAL(parse(ack_frame, len).fault, FRAME_SHORT);
}

static void frame_over_ipv6_cut_short_is_short(void)
{
    uint8_t frame[ACK_BYTES + 20];
    CU_ASSERT_EQUAL_FATAL(
        wire_frame_build(&ack_hdr, NULL, NULL, &ack_addr, ENCAP_ROCEV2_IPV6, frame, sizeof frame),
        sizeof frame);
    for (size_t len = 0; len < sizeof frame; len++)
        CU_ASSERT_EQUAL(parse(frame, len).fault, FRAME_SHORT);
    CU_ASSERT_EQUAL(parse(frame, sizeof frame).fault, FRAME_OK);
}

static void frame_whose_datagram_has_no_room_for_an_icrc_is_short(void)
{
    uint8_t frame[ACK_BYTES];
    memcpy(frame, ack_frame, ACK_BYTES);
    for (uint8_t udp_bytes = 0; udp_bytes < 12; udp_bytes++) {
        frame[17] = (uint8_t)(20 + udp_bytes);
        frame[39] = udp_bytes;
        CU_ASSERT_EQUAL(parse(frame, 34u + udp_bytes).fault, FRAME_SHORT);
    }
    frame[17] = 32;
    frame[39] = 12;
    CU_ASSERT_EQUAL(parse(frame, ACK_BYTES).fault, FRAME_BAD_HEADER); /* an ICRC and no BTH */
}

static void frame_with_a_changed_bit_fails_its_icrc(void)
{
    for (unsigned at = 43; at < ACK_BYTES; at++)
        if (at != 46) /* resv8a is not covered */
            CU_ASSERT_EQUAL(fault_with(at, ack_frame[at] ^ 1), FRAME_BAD_ICRC);
    CU_ASSERT_EQUAL(fault_with(22, 1), FRAME_OK);    /* TTL */
    CU_ASSERT_EQUAL(fault_with(24, 0), FRAME_OK);    /* IP checksum */
    CU_ASSERT_EQUAL(fault_with(40, 0x12), FRAME_OK); /* UDP checksum */
    CU_ASSERT_EQUAL(fault_with(46, 0x80), FRAME_OK); /* FECN */
    uint8_t frame[ACK_BYTES];
    memcpy(frame, ack_frame, ACK_BYTES);
    frame[57] ^= 2;
    struct parsed p = parse(frame, ACK_BYTES);
    CU_ASSERT_EQUAL(p.fault, FRAME_BAD_ICRC);
    CU_ASSERT_EQUAL(p.h.psn.v, 1000);
    CU_ASSERT_EQUAL(p.h.msn, 3);
}

static void frame_that_does_not_decode_has_a_bad_header(void)
{
    CU_ASSERT_EQUAL(fault_with(42, 0x1c), FRAME_BAD_HEADER); /* unknown opcode */
    CU_ASSERT_EQUAL(fault_with(42, 0x13), FRAME_BAD_HEADER); /* too short for AtomicETH */
    CU_ASSERT_EQUAL(fault_with(43, 0x30), FRAME_BAD_HEADER); /* pad without payload */
}

static void frame_build_refuses_what_it_cannot_make(void)
{
    static uint8_t out[70000];
    struct wire_hdr h = ack_hdr;
    memset(out, 0xee, ACK_BYTES);
    CU_ASSERT_EQUAL(wire_frame_build(&h, NULL, NULL, &ack_addr, ENCAP_ROCEV2, out, 61), 0);
    CU_ASSERT_EQUAL(wire_frame_build(&h, NULL, NULL, &ack_addr, ENCAP_INFINIBAND, out, 70000), 0);
    h.opcode.v = 0x1c;
    CU_ASSERT_EQUAL(wire_frame_build(&h, NULL, NULL, &ack_addr, ENCAP_ROCEV2, out, 70000), 0);
    CU_ASSERT_EQUAL(out[0], 0xee);
}

static void frame_build_stops_at_the_largest_datagram(void)
{
    static uint8_t out[70000];
    struct wire_hdr h = ack_hdr;
    h.opcode.v = 0x04;
    h.payload_bytes = 65488; /* 20 + 8 + 12 + 65488 + 4 = 65532 */
    CU_ASSERT_EQUAL(wire_frame_build(&h, NULL, NULL, &ack_addr, ENCAP_ROCEV2, out, 70000), 65546);
    CU_ASSERT_EQUAL(parse(out, 65546).fault, FRAME_OK);
    h.payload_bytes = 65489;
    CU_ASSERT_EQUAL(wire_frame_build(&h, NULL, NULL, &ack_addr, ENCAP_ROCEV2, out, 70000), 0);
    h.payload_bytes = 65508; /* 8 + 12 + 65508 + 4 = 65532 */
    CU_ASSERT_EQUAL(wire_frame_build(&h, NULL, NULL, &ack_addr, ENCAP_ROCEV2_IPV6, out, 70000),
                    65586);
    CU_ASSERT_EQUAL(parse(out, 65586).fault, FRAME_OK);
    h.payload_bytes = 65509;
    CU_ASSERT_EQUAL(wire_frame_build(&h, NULL, NULL, &ack_addr, ENCAP_ROCEV2_IPV6, out, 70000), 0);
}

static void frame_without_payload_bytes_carries_zeros(void)
{
    static const uint8_t zeros[9] = {0};
    struct wire_hdr h = {.opcode = {0x04}, .payload_bytes = 9};
    uint8_t a[90], b[90];
    memset(a, 0xee, sizeof a);
    CU_ASSERT_EQUAL(wire_frame_build(&h, NULL, NULL, &ack_addr, ENCAP_ROCEV2, a, 90), 70);
    CU_ASSERT_EQUAL(wire_frame_build(&h, NULL, zeros, &ack_addr, ENCAP_ROCEV2, b, 90), 70);
    CU_ASSERT_EQUAL(memcmp(a, b, 70), 0);
    CU_ASSERT_EQUAL(a[70], 0xee);
}

static void frame_of_random_bytes_is_read_within_its_bounds(void)
{
    struct rng_stream s = rng_stream(5, RNG_RUN, 0, 1);
    unsigned faults[5] = {0};
    for (unsigned round = 0; round < 20000; round++) {
        uint8_t frame[ACK_BYTES];
        memcpy(frame, ack_frame, ACK_BYTES);
        for (uint64_t n = rng_below(&s, 4); n; n--)
            frame[12 + rng_below(&s, ACK_BYTES - 12)] = (uint8_t)rng_next(&s);
        size_t len = rng_below(&s, 4) ? ACK_BYTES : rng_below(&s, ACK_BYTES);
        faults[parse(frame, len).fault]++;
    }
    for (unsigned i = 0; i < 5; i++)
        CU_ASSERT_TRUE(faults[i] > 100);
}

static const struct test tests[] = {
    TEST(frame_wire_bytes_of_each_encapsulation),
    TEST(frame_of_soft_roce_is_built_byte_for_byte),
    TEST(frame_of_soft_roce_is_taken_apart),
    TEST(frame_over_ipv6_has_this_layout),
    TEST(frame_of_every_opcode_reads_back_what_was_built),
    TEST(frame_ecn_bits_come_from_the_flags_alone),
    TEST(frame_vlan_tag_and_bytes_after_the_packet_are_passed_over),
    TEST(frame_of_another_protocol_is_not_roce),
    TEST(frame_whose_lengths_disagree_is_short),
    TEST(frame_over_ipv6_cut_short_is_short),
    TEST(frame_whose_datagram_has_no_room_for_an_icrc_is_short),
    TEST(frame_with_a_changed_bit_fails_its_icrc),
    TEST(frame_that_does_not_decode_has_a_bad_header),
    TEST(frame_build_refuses_what_it_cannot_make),
    TEST(frame_build_stops_at_the_largest_datagram),
    TEST(frame_without_payload_bytes_carries_zeros),
    TEST(frame_of_random_bytes_is_read_within_its_bounds),
    TESTS_END,
};

const struct suite suite_frame = {"frame", tests};
