/*
 * A whole RoCEv2 frame: Ethernet, IPv4 or IPv6, UDP 4791, IB headers, payload, pad, ICRC;
 * and how many bytes a packet takes on the wire under each encapsulation.
 */
#ifndef WIRE_FRAME_H
#define WIRE_FRAME_H

#include <stddef.h>
#include <stdint.h>

#include "models/wire/hdr.h"

enum wire_encap { ENCAP_ROCEV2, ENCAP_ROCEV2_IPV6, ENCAP_INFINIBAND, ENCAP_COUNT };

/*
 * Bytes that a packet occupies a link for (formats.md "Wire").  RoCEv2: headers + payload + pad +
 * ICRC 4 + UDP 8 + IP 20 or 40 + Ethernet 14 + FCS 4 + preamble and gap 20.  InfiniBand:
 * LRH 8 + headers + payload + pad + ICRC 4 + VCRC 2.
 */
uint32_t wire_bytes(const struct wire_hdr *h, enum wire_encap encap);

/* What wire_bytes adds to wire_ib_bytes: 70, 90 and 14. */
uint32_t wire_overhead_bytes(enum wire_encap encap);

struct wire_addr {
    uint8_t dst_mac[6], src_mac[6];
    uint8_t src_ip[16], dst_ip[16]; /* IPv4: the first 4 bytes, the others 0 */
    uint16_t src_port;
    uint16_t ip_id;                 /* IPv4 */
    uint8_t tos, ttl;               /* IPv6: traffic class, hop limit */
    uint8_t dont_fragment;          /* IPv4 */
};

/*
 * Builds a frame (no FCS); payload may be NULL (zeros).  Returns its length, 0 if it does not
 * fit, the opcode is unknown or the encapsulation is not RoCEv2.  The ICRC is right; the UDP
 * checksum and the IPv6 flow label are 0.  The ECN bits are h->flags', the rest of TOS a->tos'.
 */
size_t wire_frame_build(const struct wire_hdr *h, const struct wire_ext *e, const uint8_t *payload,
                        const struct wire_addr *a, enum wire_encap encap, uint8_t *out,
                        size_t size);

enum wire_frame_fault { FRAME_OK, FRAME_SHORT, FRAME_NOT_ROCE, FRAME_BAD_HEADER, FRAME_BAD_ICRC };

/*
 * Takes a RoCEv2 frame apart (VLAN tag accepted).  *payload points into the frame.  On FRAME_OK
 * and FRAME_BAD_ICRC all is filled in, ECN bits in h->flags and a->tos; on FRAME_BAD_HEADER what
 * wire_decode left.  Never reads outside frame[0 .. len-1].
 */
enum wire_frame_fault wire_frame_parse(const uint8_t *frame, size_t len, struct wire_hdr *h,
                                       struct wire_ext *e, struct wire_addr *a,
                                       const uint8_t **payload);

#endif
