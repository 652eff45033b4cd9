/*
 * The cache is direct-mapped over (source, headers, length); it forgets, it never errs.
 *
 * Headers: a first or only packet of a WRITE has a RETH; immediate data counts where the message is one packet.  On a longer message its four bytes in the last packet are
 * left out: at most 4 bytes' time in a latency of at least two packets.
 */
#include "models/hca/alone.h"

#include <stdlib.h>

#include "sim/base/check.h"
#include "sim/base/rng.h"

#define ALONE_ENTRIES 1024u
#define BTH_BYTES 12u
#define RETH_BYTES 16u
#define AETH_BYTES 4u

struct alone_entry {
    tm_ps ps;     /* 0: empty */
    uint64_t key; /* length, source, headers; one cache serves one destination */
};

struct alone {
    uint32_t mtu;
    struct alone_entry entry[ALONE_ENTRIES];
};

struct alone *alone_new(uint32_t mtu)
{
    struct alone *a = calloc(1, sizeof(*a));
    CHECK(a != NULL);
    a->mtu = mtu;
    return a;
}

void alone_free(struct alone *a) { free(a); }

/* BTH and extension headers of the message's first packet, told by its last one. */
static uint8_t first_headers_of(const struct pkt *p)
{
    struct wire_opcode opcode = p->h.opcode;
    const struct wire_op_row *row = &wire_op_table[wire_op_of(opcode)];
    if (row->position != POS_ONLY)
        opcode = wire_opcode(wire_prefix_of(opcode),
                             row->cls == CLASS_WRITE ? OP_WRITE_FIRST : OP_SEND_FIRST);
    return (uint8_t)(BTH_BYTES + wire_headers_bytes(wire_headers_of(opcode)));
}

static tm_ps cached(struct alone *a, const struct fab *fab, uint16_t src, uint16_t dst,
                    uint32_t bytes, uint8_t headers)
{
    uint64_t key = (uint64_t)bytes << 32 | (uint32_t)src << 16 | headers;
    struct alone_entry *e = &a->entry[rng_mix(key) % ALONE_ENTRIES];
    if (e->ps != 0 && e->key == key)
        return e->ps;
    e->key = key;
    e->ps = fab_alone_ps(fab, src, dst, bytes, a->mtu, headers, BTH_BYTES);
    return e->ps;
}

tm_ps alone_ps(struct alone *a, const struct fab *fab, const struct pkt *p, uint32_t bytes)
{
    return cached(a, fab, p->src_host, p->dst_host, bytes, first_headers_of(p));
}

tm_ps alone_read_ps(struct alone *a, const struct fab *fab, uint16_t reader, uint16_t owner,
                    uint32_t bytes)
{
    tm_ps request = fab_alone_ps(fab, reader, owner, 0, a->mtu, BTH_BYTES + RETH_BYTES, BTH_BYTES);
    return request + cached(a, fab, owner, reader, bytes, BTH_BYTES + AETH_BYTES);
}
