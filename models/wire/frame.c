/*
 * RoCEv2 frames, built and taken apart, and the size of a packet on a wire.
 *
 * IBA annex A17: IPv4 without options, IPv6 without extension headers, one UDP datagram that is
 * never fragmented, destination port 4791.  IP and UDP checksums are not verified: a capture at
 * the sender shows them before the adapter has filled them in, and the ICRC guards the rest.
 * Left out: frames of native InfiniBand, whose LIDs struct wire_addr does not hold.
 */
#include "models/wire/frame.h"

#include <string.h>

#include "models/wire/icrc.h"

#define ETH_BYTES 14
#define VLAN_BYTES 4
#define IPV4_BYTES 20
#define IPV6_BYTES 40
#define UDP_BYTES 8
#define ICRC_BYTES 4
#define FCS_BYTES 4
#define PREAMBLE_AND_GAP_BYTES 20
#define LRH_BYTES 8
#define VCRC_BYTES 2

#define ROCE_PORT 4791
#define PROTOCOL_UDP 17
#define ETHERTYPE_IPV4 0x0800
#define ETHERTYPE_IPV6 0x86dd
#define ETHERTYPE_VLAN 0x8100
#define ECN_MASK 3u

static const uint8_t overhead_bytes[ENCAP_COUNT] = {
    [ENCAP_ROCEV2] =
        ICRC_BYTES + UDP_BYTES + IPV4_BYTES + ETH_BYTES + FCS_BYTES + PREAMBLE_AND_GAP_BYTES,
    [ENCAP_ROCEV2_IPV6] =
        ICRC_BYTES + UDP_BYTES + IPV6_BYTES + ETH_BYTES + FCS_BYTES + PREAMBLE_AND_GAP_BYTES,
    [ENCAP_INFINIBAND] = LRH_BYTES + ICRC_BYTES + VCRC_BYTES,
};

uint32_t wire_overhead_bytes(enum wire_encap encap) { return overhead_bytes[encap]; }

uint32_t wire_bytes(const struct wire_hdr *h, enum wire_encap encap)
{
    return wire_ib_bytes(h) + overhead_bytes[encap];
}

static void put16(uint8_t *p, uint32_t v)
{
    p[0] = (uint8_t)(v >> 8);
    p[1] = (uint8_t)v;
}

static uint32_t get16(const uint8_t *p) { return (uint32_t)p[0] << 8 | p[1]; }

static uint8_t ecn_of(uint8_t flags)
{
    return (uint8_t)((flags & WIRE_ECN_LO ? 1 : 0) | (flags & WIRE_ECN_HI ? 2 : 0));
}

static uint8_t flags_of_ecn(uint8_t tos)
{
    return (uint8_t)((tos & 1 ? WIRE_ECN_LO : 0) | (tos & 2 ? WIRE_ECN_HI : 0));
}

/* The ones' complement sum of RFC 791 over a header whose checksum field is 0. */
static uint32_t ipv4_checksum(const uint8_t *ip)
{
    uint32_t sum = 0;
    for (unsigned i = 0; i < IPV4_BYTES; i += 2)
        sum += get16(ip + i);
    sum = (sum & 0xffff) + (sum >> 16);
    sum = (sum & 0xffff) + (sum >> 16);
    return ~sum & 0xffff;
}

static void put_eth(uint8_t *p, const struct wire_addr *a, uint32_t ethertype)
{
    memcpy(p, a->dst_mac, 6);
    memcpy(p + 6, a->src_mac, 6);
    put16(p + 12, ethertype);
}

static void put_ipv4(uint8_t *p, const struct wire_addr *a, uint8_t tos, size_t udp_bytes)
{
    memset(p, 0, IPV4_BYTES);
    p[0] = 0x45;
    p[1] = tos;
    put16(p + 2, (uint32_t)(IPV4_BYTES + udp_bytes));
    put16(p + 4, a->ip_id);
    p[6] = a->dont_fragment ? 0x40 : 0;
    p[8] = a->ttl;
    p[9] = PROTOCOL_UDP;
    memcpy(p + 12, a->src_ip, 4);
    memcpy(p + 16, a->dst_ip, 4);
    put16(p + 10, ipv4_checksum(p));
}

static void put_ipv6(uint8_t *p, const struct wire_addr *a, uint8_t tos, size_t udp_bytes)
{
    p[0] = (uint8_t)(0x60 | tos >> 4);
    p[1] = (uint8_t)(tos << 4);
    put16(p + 2, 0);
    put16(p + 4, (uint32_t)udp_bytes);
    p[6] = PROTOCOL_UDP;
    p[7] = a->ttl;
    memcpy(p + 8, a->src_ip, 16);
    memcpy(p + 24, a->dst_ip, 16);
}

static void put_udp(uint8_t *p, const struct wire_addr *a, size_t udp_bytes)
{
    put16(p, a->src_port);
    put16(p + 2, ROCE_PORT);
    put16(p + 4, (uint32_t)udp_bytes);
    put16(p + 6, 0);
}

/* Payload, pad and ICRC, from p on; `ip` is where the ICRC begins. */
static void put_payload(uint8_t *p, const struct wire_hdr *h, const uint8_t *payload,
                        const uint8_t *ip)
{
    size_t padded = h->payload_bytes + wire_pad(h->payload_bytes);
    memset(p, 0, padded);
    if (payload && h->payload_bytes)
        memcpy(p, payload, h->payload_bytes);
    p += padded;
    uint32_t icrc = wire_icrc_ip(ip, (size_t)(p - ip));
    for (unsigned i = 0; i < ICRC_BYTES; i++)
        p[i] = (uint8_t)(icrc >> (8 * i));
}

size_t wire_frame_build(const struct wire_hdr *h, const struct wire_ext *e, const uint8_t *payload,
                        const struct wire_addr *a, enum wire_encap encap, uint8_t *out, size_t size)
{
    if (encap == ENCAP_INFINIBAND || !wire_opcode_known(h->opcode))
        return 0;
    bool v6 = encap == ENCAP_ROCEV2_IPV6;
    size_t udp_bytes = UDP_BYTES + wire_ib_bytes(h) + ICRC_BYTES;
    size_t ip_bytes = v6 ? IPV6_BYTES : IPV4_BYTES;
    size_t frame_bytes = ETH_BYTES + ip_bytes + udp_bytes;
    size_t length_field = udp_bytes + (v6 ? 0 : IPV4_BYTES); /* 16 bits; IPv4 counts its header */
    if (frame_bytes > size || length_field > UINT16_MAX)
        return 0;
    uint8_t tos = (uint8_t)((a->tos & ~ECN_MASK) | ecn_of(h->flags));
    uint8_t *ip = out + ETH_BYTES;
    put_eth(out, a, v6 ? ETHERTYPE_IPV6 : ETHERTYPE_IPV4);
    if (v6)
        put_ipv6(ip, a, tos, udp_bytes);
    else
        put_ipv4(ip, a, tos, udp_bytes);
    put_udp(ip + ip_bytes, a, udp_bytes);
    uint8_t *bth = ip + ip_bytes + UDP_BYTES;
    put_payload(bth + wire_encode(h, e, bth), h, payload, ip);
    return frame_bytes;
}

/* What taking off a layer leaves: the bytes from `at` on, `len` of them. */
struct rest {
    const uint8_t *at;
    size_t len;
};

/* Strips Ethernet and at most one VLAN tag. */
static enum wire_frame_fault strip_eth(struct rest *r, struct wire_addr *a, uint32_t *ethertype)
{
    if (r->len < ETH_BYTES)
        return FRAME_SHORT;
    memcpy(a->dst_mac, r->at, 6);
    memcpy(a->src_mac, r->at + 6, 6);
    size_t eth_bytes = ETH_BYTES;
    if (get16(r->at + 12) == ETHERTYPE_VLAN)
        eth_bytes += VLAN_BYTES;
    if (r->len < eth_bytes)
        return FRAME_SHORT;
    *ethertype = get16(r->at + eth_bytes - 2);
    r->at += eth_bytes;
    r->len -= eth_bytes;
    return FRAME_OK;
}

/* Cuts r to the IP packet (Ethernet may have padded it) and tells the header's length. */
static enum wire_frame_fault read_ipv4(struct rest *r, struct wire_addr *a, size_t *ip_bytes)
{
    if (r->len < IPV4_BYTES)
        return FRAME_SHORT;
    const uint8_t *ip = r->at;
    bool fragment = (get16(ip + 6) & 0x3fff) != 0;
    if (ip[0] != 0x45 || fragment || ip[9] != PROTOCOL_UDP)
        return FRAME_NOT_ROCE;
    size_t total = get16(ip + 2);
    if (total > r->len || total < IPV4_BYTES)
        return FRAME_SHORT;
    a->tos = ip[1];
    a->ip_id = (uint16_t)get16(ip + 4);
    a->dont_fragment = ip[6] >> 6 & 1;
    a->ttl = ip[8];
    memcpy(a->src_ip, ip + 12, 4);
    memcpy(a->dst_ip, ip + 16, 4);
    r->len = total;
    *ip_bytes = IPV4_BYTES;
    return FRAME_OK;
}

static enum wire_frame_fault read_ipv6(struct rest *r, struct wire_addr *a, size_t *ip_bytes)
{
    if (r->len < IPV6_BYTES)
        return FRAME_SHORT;
    const uint8_t *ip = r->at;
    if (ip[0] >> 4 != 6 || ip[6] != PROTOCOL_UDP)
        return FRAME_NOT_ROCE;
    size_t total = IPV6_BYTES + get16(ip + 4);
    if (total > r->len)
        return FRAME_SHORT;
    a->tos = (uint8_t)(ip[0] << 4 | ip[1] >> 4);
    a->ttl = ip[7];
    memcpy(a->src_ip, ip + 8, 16);
    memcpy(a->dst_ip, ip + 24, 16);
    r->len = total;
    *ip_bytes = IPV6_BYTES;
    return FRAME_OK;
}

static enum wire_frame_fault read_ip(struct rest *r, uint32_t ethertype, struct wire_addr *a,
                                     size_t *ip_bytes)
{
    if (ethertype == ETHERTYPE_IPV4)
        return read_ipv4(r, a, ip_bytes);
    if (ethertype == ETHERTYPE_IPV6)
        return read_ipv6(r, a, ip_bytes);
    return FRAME_NOT_ROCE;
}

/* `udp` is the whole UDP datagram. */
static enum wire_frame_fault read_udp(struct rest udp, struct wire_addr *a)
{
    if (udp.len < UDP_BYTES)
        return FRAME_SHORT;
    if (get16(udp.at + 2) != ROCE_PORT)
        return FRAME_NOT_ROCE;
    if (get16(udp.at + 4) != udp.len || udp.len < UDP_BYTES + ICRC_BYTES)
        return FRAME_SHORT;
    a->src_port = (uint16_t)get16(udp.at);
    return FRAME_OK;
}

static bool icrc_is_right(struct rest ip)
{
    const uint8_t *icrc = ip.at + ip.len - ICRC_BYTES;
    uint32_t want = wire_icrc_ip(ip.at, ip.len - ICRC_BYTES);
    for (unsigned i = 0; i < ICRC_BYTES; i++)
        if (icrc[i] != (uint8_t)(want >> (8 * i)))
            return false;
    return true;
}

enum wire_frame_fault wire_frame_parse(const uint8_t *frame, size_t len, struct wire_hdr *h,
                                       struct wire_ext *e, struct wire_addr *a,
                                       const uint8_t **payload)
{
    struct rest r = {frame, len};
    uint32_t ethertype;
    size_t ip_bytes;
    memset(h, 0, sizeof *h);
    memset(e, 0, sizeof *e);
    memset(a, 0, sizeof *a);
    *payload = 0;
    enum wire_frame_fault fault = strip_eth(&r, a, &ethertype);
    if (fault == FRAME_OK)
        fault = read_ip(&r, ethertype, a, &ip_bytes);
    if (fault != FRAME_OK)
        return fault;
    fault = read_udp((struct rest){r.at + ip_bytes, r.len - ip_bytes}, a);
    if (fault != FRAME_OK)
        return fault;
    const uint8_t *bth = r.at + ip_bytes + UDP_BYTES;
    size_t ib_bytes = r.len - ip_bytes - UDP_BYTES - ICRC_BYTES;
    unsigned header_bytes;
    enum wire_decoded decoded = wire_decode(bth, ib_bytes, h, e, &header_bytes);
    h->flags |= flags_of_ecn(a->tos);
    if (decoded != WIRE_OK)
        return FRAME_BAD_HEADER;
    *payload = bth + header_bytes;
    return icrc_is_right(r) ? FRAME_OK : FRAME_BAD_ICRC;
}
