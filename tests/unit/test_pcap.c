/* Captures: what is written reads back; what others write is read or counted; torn files say so. */
#include <glib.h>
#include <pcap/pcap.h>
#include <string.h>
#include <unistd.h>

#include "models/wire/pcap.h"
#include "sim/base/rng.h"
#include "tests/suite.h"

static char path[64];

static int new_file(void)
{
    strcpy(path, "/tmp/rdmasim-pcap-XXXXXX");
    return mkstemp(path);
}

/* A random packet of a random opcode: only fields that its headers have. */
static void draw(struct rng_stream *r, struct wire_hdr *h, struct wire_ext *e)
{
    memset(h, 0, sizeof *h);
    memset(e, 0, sizeof *e);
    do
        h->opcode.v = (uint8_t)rng_next(r);
    while (!wire_opcode_known(h->opcode));
    uint16_t set = wire_headers_of(h->opcode).set;
    h->flags = (uint8_t)rng_next(r) & (WIRE_SE | WIRE_MIGREQ | WIRE_ACKREQ | WIRE_FECN | WIRE_BECN |
                                       WIRE_ECN_LO | WIRE_ECN_HI);
    h->pkey = (uint16_t)rng_next(r);
    h->psn = psn((uint32_t)rng_next(r));
    h->dest_qp = rng_next(r) & 0xffffff;
    if (wire_op_row(h->opcode)->payload)
        h->payload_bytes = rng_next(r) % 4097;
    if (set & HDR_AETH)
        h->syndrome = (uint8_t)rng_next(r), h->msn = rng_next(r) & 0xffffff;
    if (set & (HDR_RETH | HDR_ATOMICETH))
        h->va = rng_next(r), h->rkey = (uint32_t)rng_next(r);
    if (set & HDR_RETH)
        h->dmalen = (uint32_t)rng_next(r);
    if (set & (HDR_IMM | HDR_IETH))
        h->imm = (uint32_t)rng_next(r);
    if (set & HDR_DETH)
        e->qkey = (uint32_t)rng_next(r), e->src_qp = rng_next(r) & 0xffffff;
    if (set & HDR_RDETH)
        e->eec = rng_next(r) & 0xffffff;
    if (set & HDR_XRCETH)
        e->srq = rng_next(r) & 0xffffff;
    if (set & HDR_ATOMICETH)
        e->swap_or_add = rng_next(r), e->compare = rng_next(r);
    if (set & HDR_ATOMICACKETH)
        e->original = rng_next(r);
}

static struct wire_addr address(struct rng_stream *r, bool v6)
{
    struct wire_addr a = {.src_port = (uint16_t)rng_next(r), .ttl = 64};
    for (unsigned i = 0; i < (v6 ? 16 : 4); i++) {
        a.src_ip[i] = (uint8_t)rng_next(r);
        a.dst_ip[i] = (uint8_t)rng_next(r);
    }
    return a;
}

enum { PACKETS = 2000 };

static void write_random(uint8_t *payload)
{
    struct rng_stream r = rng_stream(7, RNG_RUN, 0, 0);
    struct wire_hdr h;
    struct wire_ext e;
    int fd = new_file();
    struct wire_pcap_out *out = wire_pcap_out_new(fd);
    CU_ASSERT_PTR_NOT_NULL_FATAL(out);
    for (uint32_t i = 0; i < PACKETS; i++) {
        bool v6 = i & 1;
        draw(&r, &h, &e);
        struct wire_addr a = address(&r, v6);
        CU_ASSERT_TRUE(wire_pcap_put(out, 5 * TM_S + i * 1234567, &h, &e, payload, &a,
                                     v6 ? ENCAP_ROCEV2_IPV6 : ENCAP_ROCEV2));
    }
    CU_ASSERT_TRUE(wire_pcap_out_free(out));
    close(fd);
}

static void pcap_random_packets_read_back_equal(void)
{
    struct rng_stream r = rng_stream(7, RNG_RUN, 0, 0);
    uint8_t payload[4096];
    char err[300] = "";
    struct wire_captured c;
    struct wire_hdr h;
    struct wire_ext e;
    uint32_t wrong = 0;
    for (unsigned i = 0; i < sizeof payload; i++)
        payload[i] = (uint8_t)(i * 7);
    write_random(payload);
    struct wire_pcap_in *in = wire_pcap_in_new(path, err, sizeof err);
    CU_ASSERT_PTR_NOT_NULL_FATAL(in);
    for (uint32_t i = 0; i < PACKETS; i++) {
        draw(&r, &h, &e);
        struct wire_addr a = address(&r, i & 1);
        CU_ASSERT_EQUAL_FATAL(wire_pcap_next(in, &c, err, sizeof err), WIRE_PCAP_FRAME);
        wrong += c.fault != FRAME_OK || c.is_ipv6 != (i & 1) || c.is_cut;
        wrong += memcmp(&c.h, &h, sizeof h) != 0 || memcmp(&c.e, &e, sizeof e) != 0;
        wrong += memcmp(c.a.src_ip, a.src_ip, 16) != 0 || c.a.src_port != a.src_port;
        wrong += c.at != i * (tm_ps)1234567 / TM_NS * TM_NS;
        wrong += memcmp(c.payload, payload, h.payload_bytes) != 0;
    }
    CU_ASSERT_EQUAL(wrong, 0);
    CU_ASSERT_EQUAL(wire_pcap_next(in, &c, err, sizeof err), WIRE_PCAP_END);
    wire_pcap_in_free(in);
    unlink(path);
}

/* One frame of ours, changed, under another link type. */
static size_t our_frame(uint8_t *frame, size_t size)
{
    struct wire_hdr h = {.opcode = wire_opcode(WIRE_RC, OP_SEND_ONLY), .payload_bytes = 100};
    struct wire_addr a = {.src_ip = {10, 0, 0, 1}, .dst_ip = {10, 0, 0, 2}, .ttl = 64};
    h.psn = psn(77);
    return wire_frame_build(&h, NULL, NULL, &a, ENCAP_ROCEV2, frame, size);
}

static struct wire_captured read_one(int dlt, const uint8_t *bytes, size_t kept, size_t len)
{
    struct wire_captured c = {0};
    char err[300] = "";
    close(new_file());
    pcap_t *dead = pcap_open_dead(dlt, 65535);
    pcap_dumper_t *d = pcap_dump_open(dead, path);
    struct pcap_pkthdr head = {
        .ts = {1700000000, 5}, .caplen = (bpf_u_int32)kept, .len = (bpf_u_int32)len};
    pcap_dump((u_char *)d, &head, bytes);
    pcap_dump_close(d);
    pcap_close(dead);
    struct wire_pcap_in *in = wire_pcap_in_new(path, err, sizeof err);
    CU_ASSERT_PTR_NOT_NULL_FATAL(in);
    CU_ASSERT_EQUAL(wire_pcap_next(in, &c, err, sizeof err), WIRE_PCAP_FRAME);
    wire_pcap_in_free(in);
    unlink(path);
    return c;
}

static void pcap_other_link_types_are_read(void)
{
    uint8_t frame[300], other[340] = {0};
    size_t len = our_frame(frame, sizeof frame);
    struct wire_captured c = read_one(DLT_EN10MB, frame, len, len);
    CU_ASSERT_EQUAL(c.fault, FRAME_OK);
    CU_ASSERT_EQUAL(c.at, 5 * TM_US); /* of a clock that counts from 1970 */
    c = read_one(DLT_RAW, frame + 14, len - 14, len - 14);
    CU_ASSERT_EQUAL(c.fault, FRAME_OK);
    CU_ASSERT_EQUAL(c.h.psn.v, 77);
    memcpy(other + 14, frame + 12, len - 12);
    c = read_one(DLT_LINUX_SLL, other, len + 2, len + 2);
    CU_ASSERT_EQUAL(c.fault, FRAME_OK);
    CU_ASSERT_EQUAL(c.h.psn.v, 77);
    memcpy(other, frame, 12);
    memcpy(other + 12, "\x81\x00\x00\x07", 4);
    memcpy(other + 16, frame + 12, len - 12);
    c = read_one(DLT_EN10MB, other, len + 4, len + 4);
    CU_ASSERT_EQUAL(c.fault, FRAME_OK);
    CU_ASSERT_EQUAL(c.h.psn.v, 77);
}

static void pcap_foreign_spoiled_and_cut_frames_are_told_apart(void)
{
    uint8_t frame[300];
    size_t len = our_frame(frame, sizeof frame);
    struct wire_captured c = read_one(DLT_EN10MB, frame, 80, len);
    CU_ASSERT_TRUE(c.is_cut);
    CU_ASSERT_EQUAL(c.h.psn.v, 77);
    CU_ASSERT_EQUAL(c.h.payload_bytes, 100);
    CU_ASSERT_EQUAL(c.frame_bytes, len);
    CU_ASSERT_EQUAL(read_one(DLT_EN10MB, frame, 10, 10).fault, FRAME_SHORT);
    frame[60] ^= 1;
    CU_ASSERT_EQUAL(read_one(DLT_EN10MB, frame, len, len).fault, FRAME_BAD_ICRC);
    frame[36] ^= 1; /* UDP port */
    CU_ASSERT_EQUAL(read_one(DLT_EN10MB, frame, len, len).fault, FRAME_NOT_ROCE);
}

static void pcap_torn_and_strange_files_say_why(void)
{
    uint8_t payload[4096] = {0};
    char err[300] = "";
    struct wire_captured c;
    uint32_t n = 0;
    CU_ASSERT_PTR_NULL(wire_pcap_in_new("/nonexistent.pcap", err, sizeof err));
    CU_ASSERT_PTR_NOT_NULL(strstr(err, "/nonexistent.pcap: No such file"));
    CU_ASSERT_PTR_NULL(wire_pcap_in_new("Makefile", err, sizeof err));
    CU_ASSERT_PTR_NOT_NULL(strstr(err, "Makefile: "));
    write_random(payload);
    CU_ASSERT_EQUAL(truncate(path, 100000), 0);
    struct wire_pcap_in *in = wire_pcap_in_new(path, err, sizeof err);
    CU_ASSERT_PTR_NOT_NULL_FATAL(in);
    enum wire_pcap_got got;
    while ((got = wire_pcap_next(in, &c, err, sizeof err)) == WIRE_PCAP_FRAME)
        n++;
    CU_ASSERT_TRUE(n > 10);
    CU_ASSERT_EQUAL(got, WIRE_PCAP_BROKEN);
    CU_ASSERT_PTR_NOT_NULL(strstr(err, "truncated"));
    wire_pcap_in_free(in);
    unlink(path);
}

static void pcap_frames_that_are_none_are_refused(void)
{
    struct wire_hdr h = {.opcode = {0xff}};
    struct wire_addr a = {0};
    int fd = new_file();
    struct wire_pcap_out *out = wire_pcap_out_new(fd);
    CU_ASSERT_PTR_NOT_NULL_FATAL(out);
    CU_ASSERT_FALSE(wire_pcap_put(out, 0, &h, NULL, NULL, &a, ENCAP_ROCEV2));
    h.opcode = wire_opcode(WIRE_RC, OP_SEND_ONLY);
    CU_ASSERT_FALSE(wire_pcap_put(out, 0, &h, NULL, NULL, &a, ENCAP_INFINIBAND));
    CU_ASSERT_TRUE(wire_pcap_out_free(out));
    close(fd);
    unlink(path);
    CU_ASSERT_PTR_NULL(wire_pcap_out_new(-1));
}

static const struct test tests[] = {TEST(pcap_random_packets_read_back_equal),
                                    TEST(pcap_other_link_types_are_read),
                                    TEST(pcap_foreign_spoiled_and_cut_frames_are_told_apart),
                                    TEST(pcap_torn_and_strange_files_say_why),
                                    TEST(pcap_frames_that_are_none_are_refused),
                                    TESTS_END};
const struct suite suite_pcap = {"pcap", tests};
