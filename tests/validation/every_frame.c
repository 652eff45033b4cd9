/*
 * One frame of every opcode there is, over IPv4 and IPv6, as a capture; and, on the screen, the fields that
 * it was made of, for a dissector to agree with (tshark.sh).  The wire layer alone: no transport says
 * whether a service would send such a packet.
 *
 * Usage: every_frame FILE.pcap > FIELDS.csv
 *        every_frame --gap FILE.pcap > FIELDS.csv   RD alone, eight zeros behind the BTH: where tshark, which
 *                                                   takes RD for another transport, looks for its headers
 *        every_frame --names                        NUMBER,NAME of every opcode
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "models/wire/pcap.h"
#include "sim/base/rng.h"

/* Every byte of every field differs from its neighbours, and from frame to frame. */
static uint64_t value(uint32_t frame, uint32_t field) { return rng_mix(rng_mix(frame) + field); }

static void fill(uint32_t n, struct wire_hdr *h, struct wire_ext *e)
{
    uint16_t set = wire_headers_of(h->opcode).set;
    const struct wire_op_row *op = wire_op_row(h->opcode);
    static const uint8_t syndrome[] = {0x1f, 0x05, 0x2c, 0x60, 0x61, 0x62, 0x63, 0x64};

    h->psn = psn((uint32_t)value(n, 0));
    h->dest_qp = value(n, 1) & 0xffffff;
    h->pkey = 0xffff;
    h->flags =
        (uint8_t)((n & 1 && !op->response ? WIRE_ACKREQ : 0) | (n & 2 ? WIRE_SE : 0) | WIRE_MIGREQ);
    h->payload_bytes = op->cls == CLASS_CNP ? WIRE_CNP_PAYLOAD_BYTES
                       : op->payload        ? (uint16_t)(100 + n % 7)
                                            : 0;
    if (set & HDR_AETH) {
        h->syndrome = op->cls == CLASS_ACK ? syndrome[n % sizeof syndrome] : 0x1f;
        h->msn = value(n, 2) & 0xffffff;
    }
    if (set & (HDR_RETH | HDR_ATOMICETH)) {
        h->va = value(n, 3);
        h->rkey = (uint32_t)value(n, 4);
    }
    if (set & HDR_RETH)
        h->dmalen = (uint32_t)value(n, 5) & 0x7fffffff;
    if (set & (HDR_IMM | HDR_IETH))
        h->imm = (uint32_t)value(n, 6);
    if (set & HDR_DETH)
        *e = (struct wire_ext){.qkey = (uint32_t)value(n, 7), .src_qp = value(n, 8) & 0xffffff};
    if (set & HDR_RDETH)
        e->eec = value(n, 9) & 0xffffff;
    if (set & HDR_XRCETH)
        e->srq = value(n, 10) & 0xffffff;
    if (set & HDR_ATOMICETH) {
        e->swap_or_add = value(n, 11);
        e->compare = value(n, 12);
    }
    if (set & HDR_ATOMICACKETH)
        e->original = value(n, 13);
}

/* An empty cell where the packet has no such header. */
static void cell(bool there, uint64_t v)
{
    if (there)
        printf("%" PRIu64, v);
    putchar(',');
}

static void print_fields(const struct wire_hdr *h, const struct wire_ext *e)
{
    uint16_t set = wire_headers_of(h->opcode).set;

    printf("%u,%u,%u,%d,%d,%u,", h->opcode.v, h->psn.v, h->dest_qp, (h->flags & WIRE_ACKREQ) != 0,
           (h->flags & WIRE_SE) != 0, wire_pad(h->payload_bytes));
    cell(set & HDR_AETH, h->syndrome);
    cell(set & HDR_AETH, h->msn);
    cell(set & (HDR_RETH | HDR_ATOMICETH), h->va);
    cell(set & (HDR_RETH | HDR_ATOMICETH), h->rkey);
    cell(set & HDR_RETH, h->dmalen);
    cell(set & HDR_DETH, e->qkey);
    cell(set & HDR_DETH, e->src_qp);
    cell(set & HDR_RDETH, e->eec);
    cell(set & HDR_ATOMICETH, e->swap_or_add);
    cell(set & HDR_ATOMICETH, e->compare);
    cell(set & HDR_ATOMICACKETH, e->original);
    putchar('\n');
}

enum { IP_AT = 14, UDP_AT = 34, BTH_AT = 42, BTH_BYTES = 12, GAP = 8 };

static void add_to_length(uint8_t *at, unsigned n)
{
    unsigned v = (unsigned)(at[0] << 8 | at[1]) + n;
    at[0] = (uint8_t)(v >> 8);
    at[1] = (uint8_t)v;
}

/* Checksum and ICRC become wrong; a dissector that is not asked to look does not mind. */
static bool put_with_gap(struct wire_pcap_out *out, uint32_t n, const struct wire_hdr *h,
                         const struct wire_ext *e, const struct wire_addr *a)
{
    uint8_t frame[1024];
    size_t len = wire_frame_build(h, e, NULL, a, ENCAP_ROCEV2, frame, sizeof frame - GAP);
    uint8_t *behind = frame + BTH_AT + BTH_BYTES;

    memmove(behind + GAP, behind, len - BTH_AT - BTH_BYTES);
    memset(behind, 0, GAP);
    add_to_length(frame + IP_AT + 2, GAP);
    add_to_length(frame + UDP_AT + 4, GAP);
    wire_pcap_put_frame(out, n * TM_US, frame, len + GAP);
    return len > 0;
}

static bool put(struct wire_pcap_out *out, uint32_t n, uint8_t opcode, enum wire_encap encap,
                bool gap)
{
    struct wire_hdr h = {.opcode = {opcode}};
    struct wire_ext e = {0};
    struct wire_addr a = {.dst_mac = {2, 0, 0, 0, 0, 2},
                          .src_mac = {2, 0, 0, 0, 0, 1},
                          .src_port = 0xc001,
                          .ttl = 64};

    memcpy(a.src_ip, encap == ENCAP_ROCEV2 ? "\x0a\0\0\1" : "\xfd\0\0\0", 4);
    memcpy(a.dst_ip, encap == ENCAP_ROCEV2 ? "\x0a\0\0\2" : "\xfd\0\0\1", 4);
    fill(n, &h, &e);
    print_fields(&h, &e);
    if (gap)
        return put_with_gap(out, n, &h, &e, &a);
    return wire_pcap_put(out, n * TM_US, &h, &e, NULL, &a, encap);
}

static bool put_all(struct wire_pcap_out *out, bool gap)
{
    uint32_t n = 0;
    bool ok = true;

    for (unsigned round = 0; round < 8; round++)
        for (unsigned v = 0; ok && v < 256; v++) {
            struct wire_opcode o = {(uint8_t)v};
            if (wire_opcode_known(o) && (!gap || wire_prefix_of(o) == WIRE_RD))
                ok = put(out, n++, o.v, !gap && round & 1 ? ENCAP_ROCEV2_IPV6 : ENCAP_ROCEV2, gap);
        }
    return ok;
}

static int print_names(void)
{
    char name[WIRE_OPCODE_NAME_MAX];

    for (unsigned v = 0; v < 256; v++)
        if (wire_opcode_name((struct wire_opcode){(uint8_t)v}, name, sizeof name))
            printf("%u,%s\n", v, name);
    return 0;
}

int main(int argc, char **argv)
{
    bool gap = argc == 3 && strcmp(argv[1], "--gap") == 0;
    if (argc == 2 && strcmp(argv[1], "--names") == 0)
        return print_names();
    int fd = argc == 2 || gap ? open(argv[argc - 1], O_CREAT | O_TRUNC | O_WRONLY, 0666) : -1;
    struct wire_pcap_out *out = fd < 0 ? NULL : wire_pcap_out_new(fd);
    bool ok = out && put_all(out, gap);
    if (out)
        ok = wire_pcap_out_free(out) && ok;
    if (fd >= 0)
        ok = close(fd) == 0 && ok;
    return ok ? 0 : 1;
}
