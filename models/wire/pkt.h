/*
 * The packet as links carry it: one cache line, by value, from ring to ring.
 *
 * `tag`, `msgno` and the like are the simulator's own notes on a packet (when its message was
 * posted), not bytes of the wire.  What few packets have beside, models/fabric/side.h carries.
 */
#ifndef WIRE_PKT_H
#define WIRE_PKT_H

#include "models/wire/hdr.h"
#include "sim/base/tm.h"

enum pkt_note { PKT_RETRANSMIT = 1, PKT_LAST_OF_MESSAGE = 2, PKT_CORRUPT = 4, PKT_HAS_EXT = 8,
                PKT_INJECTED = 16,
                PKT_HAS_HEAD = 32 /* a datagram's first 16 payload bytes lie in va, rkey and dmalen */ };

struct pkt {
    struct wire_hdr h;
    uint64_t tag;       /* tm_ps of the message's post; with PKT_HAS_EXT a block (models/fabric/side.h),
                           which holds it */
    uint32_t msgno;     /* the flow's message number */
    uint16_t dst_host;  /* from PKT_GROUP_FIRST on: a multicast group */
    uint16_t src_host;
    uint16_t entropy;   /* UDP source port: picks among equal paths */
    uint8_t note;       /* enum pkt_note */
    uint8_t hops;       /* links crossed so far */
    uint16_t wire_bytes; /* on the wire, all overhead in */
    uint16_t ip_id;      /* IPv4 identification; only where something looks at it (fabric) */
};
#define PKT_GROUP_FIRST 0xc000u
_Static_assert(sizeof(struct pkt) == 64, "a packet is one cache line");

#endif
