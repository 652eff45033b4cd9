/*
 * Headers to bytes and back: BTH and the extension headers of every service.
 *
 * One pass in the order of the wire, steered by the set that the opcode implies; nothing here
 * knows a service.  Invariant: what wire_decode accepts, wire_encode writes back to the same
 * bytes, reserved bits aside.  Reserved bits are written 0 and ignored when read (IBA 9.2).
 */
#include "models/wire/hdr.h"

#include <string.h>

#include "sim/base/check.h"

#define BTH_BYTES 12
#define LOW24 0xffffffu

static uint8_t *put8(uint8_t *p, unsigned v)
{
    *p = (uint8_t)v;
    return p + 1;
}

static uint8_t *put32(uint8_t *p, uint32_t v)
{
    for (unsigned i = 0; i < 4; i++)
        p[i] = (uint8_t)(v >> (24 - 8 * i));
    return p + 4;
}

static uint8_t *put64(uint8_t *p, uint64_t v)
{
    return put32(put32(p, (uint32_t)(v >> 32)), (uint32_t)v);
}

static uint32_t get32(const uint8_t *p)
{
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static uint32_t get24(const uint8_t *p) { return get32(p) & LOW24; }

static uint64_t get64(const uint8_t *p) { return (uint64_t)get32(p) << 32 | get32(p + 4); }

static unsigned bit(const struct wire_hdr *h, enum wire_flag flag, unsigned value)
{
    return h->flags & flag ? value : 0;
}

static uint8_t *put_bth(uint8_t *p, const struct wire_hdr *h)
{
    p = put8(p, h->opcode.v);
    p = put8(p, bit(h, WIRE_SE, 0x80) | bit(h, WIRE_MIGREQ, 0x40) |
                    wire_pad(h->payload_bytes) << 4 | (h->tver & 15u));
    p = put8(p, h->pkey >> 8);
    p = put8(p, h->pkey);
    p = put32(p, (uint32_t)(bit(h, WIRE_FECN, 0x80) | bit(h, WIRE_BECN, 0x40)) << 24 |
                     (h->dest_qp & LOW24));
    return put32(p, (uint32_t)bit(h, WIRE_ACKREQ, 0x80) << 24 | (h->psn.v & LOW24));
}

/* The headers whose fields live in wire_ext. */
static uint8_t *put_rare_front(uint8_t *p, unsigned set, const struct wire_ext *e)
{
    if (set & HDR_RDETH)
        p = put32(p, e->eec & LOW24);
    if (set & HDR_DETH)
        p = put32(put32(p, e->qkey), e->src_qp & LOW24);
    if (set & HDR_XRCETH)
        p = put32(p, e->srq & LOW24);
    return p;
}

static uint8_t *put_atomics(uint8_t *p, unsigned set, const struct wire_hdr *h,
                            const struct wire_ext *e)
{
    if (set & HDR_ATOMICETH) {
        p = put32(put64(p, h->va), h->rkey);
        p = put64(put64(p, e->swap_or_add), e->compare);
    }
    return p;
}

unsigned wire_encode(const struct wire_hdr *h, const struct wire_ext *e, uint8_t *out)
{
    if (!wire_opcode_known(h->opcode))
        return 0;
    unsigned set = wire_headers_of(h->opcode).set;
    CHECK(e || !(set & WIRE_EXT_HEADERS));
    uint8_t *p = put_bth(out, h);
    p = put_rare_front(p, set, e);
    if (set & HDR_RETH)
        p = put32(put32(put64(p, h->va), h->rkey), h->dmalen);
    p = put_atomics(p, set, h, e);
    if (set & HDR_AETH)
        p = put32(p, (uint32_t)h->syndrome << 24 | (h->msn & LOW24));
    if (set & HDR_ATOMICACKETH)
        p = put64(p, e->original);
    if (set & (HDR_IMM | HDR_IETH))
        p = put32(p, h->imm);
    return (unsigned)(p - out);
}

static void get_bth(const uint8_t *b, struct wire_hdr *h)
{
    h->opcode.v = b[0];
    h->flags = (uint8_t)((b[1] & 0x80 ? WIRE_SE : 0) | (b[1] & 0x40 ? WIRE_MIGREQ : 0) |
                         (b[4] & 0x80 ? WIRE_FECN : 0) | (b[4] & 0x40 ? WIRE_BECN : 0) |
                         (b[8] & 0x80 ? WIRE_ACKREQ : 0));
    h->tver = b[1] & 15u;
    h->pkey = (uint16_t)(b[2] << 8 | b[3]);
    h->dest_qp = get24(b + 4);
    h->psn = psn(get24(b + 8));
}

static const uint8_t *get_rare_front(const uint8_t *p, unsigned set, struct wire_ext *e)
{
    if (set & HDR_RDETH) {
        e->eec = get24(p);
        p += 4;
    }
    if (set & HDR_DETH) {
        e->qkey = get32(p);
        e->src_qp = get24(p + 4);
        p += 8;
    }
    if (set & HDR_XRCETH) {
        e->srq = get24(p);
        p += 4;
    }
    return p;
}

/* RETH and AtomicETH begin alike; no operation has both. */
static const uint8_t *get_remote_memory(const uint8_t *p, unsigned set, struct wire_hdr *h,
                                        struct wire_ext *e)
{
    if (!(set & (HDR_RETH | HDR_ATOMICETH)))
        return p;
    h->va = get64(p);
    h->rkey = get32(p + 8);
    if (set & HDR_RETH) {
        h->dmalen = get32(p + 12);
        return p + 16;
    }
    e->swap_or_add = get64(p + 12);
    e->compare = get64(p + 20);
    return p + 28;
}

static void get_tail(const uint8_t *p, unsigned set, struct wire_hdr *h, struct wire_ext *e)
{
    if (set & HDR_AETH) {
        h->syndrome = p[0];
        h->msn = get24(p);
        p += 4;
    }
    if (set & HDR_ATOMICACKETH) {
        e->original = get64(p);
        p += 8;
    }
    if (set & (HDR_IMM | HDR_IETH))
        h->imm = get32(p);
}

enum wire_decoded wire_decode(const uint8_t *bytes, size_t len, struct wire_hdr *h,
                              struct wire_ext *e, unsigned *header_bytes)
{
    memset(h, 0, sizeof *h);
    memset(e, 0, sizeof *e);
    *header_bytes = 0;
    if (len < BTH_BYTES)
        return WIRE_SHORT;
    get_bth(bytes, h);
    if (!wire_opcode_known(h->opcode))
        return WIRE_UNKNOWN_OPCODE;
    struct wire_headers set = wire_headers_of(h->opcode);
    unsigned headers = BTH_BYTES + wire_headers_bytes(set);
    if (len < headers)
        return WIRE_SHORT;
    const uint8_t *p = get_rare_front(bytes + BTH_BYTES, set.set, e);
    p = get_remote_memory(p, set.set, h, e);
    get_tail(p, set.set, h, e);
    *header_bytes = headers;
    size_t rest = len - headers;
    unsigned pad = bytes[1] >> 4 & 3u;
    if (rest % 4 != 0 || pad > rest || rest - pad > UINT16_MAX)
        return WIRE_BAD_PAD;
    h->payload_bytes = (uint16_t)(rest - pad);
    return WIRE_OK;
}
