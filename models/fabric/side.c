/* Blocks beside packets; see side.h.  malloc's order is seen by nobody: blocks are never compared. */
#include "models/fabric/side.h"

#include <stdlib.h>
#include <string.h>

#include "sim/base/check.h"

struct side {
    struct wire_ext e;
    uint64_t tag; /* the packet's own */
    size_t bytes;
    unsigned char payload[];
};

static struct side *side_of(const struct pkt *p)
{
    return p->note & PKT_HAS_EXT ? (struct side *)(uintptr_t)p->tag : NULL;
}

/* Extension headers that lie in unused fields of wire_hdr on the way. */
enum packed { PACKED_NOT, PACKED_DETH, PACKED_XRCETH };

_Static_assert(offsetof(struct wire_hdr, va) + SIDE_HEAD_BYTES == sizeof(struct wire_hdr),
               "va, rkey and dmalen hold a head");

static enum packed packed_as(struct wire_opcode o)
{
    uint16_t set = wire_headers_of(o).set;
    if ((set & WIRE_EXT_HEADERS) == HDR_DETH && !(set & HDR_RETH))
        return PACKED_DETH;
    return (set & WIRE_EXT_HEADERS) == HDR_XRCETH ? PACKED_XRCETH : PACKED_NOT;
}

static struct side *side_new(const struct wire_ext *e, uint64_t tag, const void *payload,
                             size_t bytes)
{
    struct side *s = malloc(sizeof *s + bytes);
    CHECK(s != NULL);
    s->e = *e;
    s->tag = tag;
    s->bytes = bytes;
    if (bytes)
        memcpy(s->payload, payload, bytes);
    return s;
}

static void hang_on(struct pkt *p, struct side *s)
{
    p->tag = (uint64_t)(uintptr_t)s;
    p->note |= PKT_HAS_EXT;
}

/* The DETH goes where immediate data and MSN would be. */
static void pack_head(struct pkt *p, const struct wire_ext *e, const void *head)
{
    p->h.imm = e->qkey;
    p->h.msn = e->src_qp;
    memcpy(&p->h.va, head, sizeof p->h.va);
    memcpy(&p->h.rkey, (const char *)head + 8, sizeof p->h.rkey);
    memcpy(&p->h.dmalen, (const char *)head + 12, sizeof p->h.dmalen);
    p->note |= PKT_HAS_HEAD;
}

static const void *unpack_head(const struct pkt *p, struct pkt *plain, struct wire_ext *e)
{
    *e = (struct wire_ext){.qkey = p->h.imm, .src_qp = p->h.msn};
    plain->h.imm = plain->h.msn = plain->h.rkey = plain->h.dmalen = 0;
    plain->h.va = 0;
    plain->note &= (uint8_t)~PKT_HAS_HEAD;
    return (const char *)p + offsetof(struct pkt, h) + offsetof(struct wire_hdr, va);
}

static bool is_head(struct wire_opcode o, size_t bytes)
{
    return bytes == SIDE_HEAD_BYTES && packed_as(o) == PACKED_DETH &&
           !(wire_headers_of(o).set & HDR_IMM);
}

void side_attach(struct pkt *p, const struct wire_ext *e, const void *payload, size_t bytes)
{
    enum packed how = bytes ? PACKED_NOT : packed_as(p->h.opcode);

    if (is_head(p->h.opcode, bytes)) {
        pack_head(p, e, payload);
    } else if (how == PACKED_DETH) {
        p->h.rkey = e->qkey;
        p->h.dmalen = e->src_qp;
    } else if (how == PACKED_XRCETH) {
        p->h.msn = e->srq;
    } else if (bytes || (wire_headers_of(p->h.opcode).set & WIRE_EXT_HEADERS)) {
        hang_on(p, side_new(e, p->tag, payload, bytes));
    }
}

const void *side_look(const struct pkt *p, struct pkt *plain, struct wire_ext *e)
{
    const struct side *s = side_of(p);

    *plain = *p;
    memset(e, 0, sizeof *e);
    if (s) {
        *e = s->e;
        plain->tag = s->tag;
        plain->note &= (uint8_t)~PKT_HAS_EXT;
        return s->bytes ? s->payload : NULL;
    }
    if (p->note & PKT_HAS_HEAD)
        return unpack_head(p, plain, e);
    switch (packed_as(p->h.opcode)) {
    case PACKED_NOT:
        break;
    case PACKED_DETH:
        *e = (struct wire_ext){.qkey = p->h.rkey, .src_qp = p->h.dmalen};
        plain->h.rkey = plain->h.dmalen = 0;
        break;
    case PACKED_XRCETH:
        e->srq = p->h.msn;
        plain->h.msn = 0;
        break;
    }
    return NULL;
}

size_t side_bytes(const struct pkt *p)
{
    const struct side *s = side_of(p);
    return s ? s->bytes : p->note & PKT_HAS_HEAD ? SIDE_HEAD_BYTES : 0;
}

void side_drop(const struct pkt *p) { free(side_of(p)); }

void side_copy(struct pkt *p)
{
    const struct side *s = side_of(p);
    if (s)
        hang_on(p, side_new(&s->e, s->tag, s->payload, s->bytes));
}
