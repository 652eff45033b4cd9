#include "tests/unit/wire_random.h"

#include <string.h>

static uint32_t bits(struct rng_stream *s, unsigned n)
{
    return (uint32_t)(rng_next(s) >> (64 - n));
}

static void random_ext(struct rng_stream *s, unsigned set, struct wire_ext *e)
{
    if (set & HDR_RDETH)
        e->eec = bits(s, 24);
    if (set & HDR_DETH) {
        e->qkey = bits(s, 32);
        e->src_qp = bits(s, 24);
    }
    if (set & HDR_XRCETH)
        e->srq = bits(s, 24);
    if (set & HDR_ATOMICETH) {
        e->swap_or_add = rng_next(s);
        e->compare = rng_next(s);
    }
    if (set & HDR_ATOMICACKETH)
        e->original = rng_next(s);
}

void wire_random(struct rng_stream *s, struct wire_opcode o, struct wire_hdr *h, struct wire_ext *e)
{
    unsigned set = wire_headers_of(o).set;
    memset(h, 0, sizeof *h);
    memset(e, 0, sizeof *e);
    h->opcode = o;
    h->flags = (uint8_t)bits(s, 7);
    h->tver = (uint8_t)bits(s, 4);
    h->pkey = (uint16_t)bits(s, 16);
    h->payload_bytes = (uint16_t)bits(s, 6);
    h->dest_qp = bits(s, 24);
    h->psn = psn(bits(s, 24));
    if (set & HDR_AETH) {
        h->syndrome = (uint8_t)bits(s, 8);
        h->msn = bits(s, 24);
    }
    if (set & (HDR_IMM | HDR_IETH))
        h->imm = bits(s, 32);
    if (set & (HDR_RETH | HDR_ATOMICETH)) {
        h->va = rng_next(s);
        h->rkey = bits(s, 32);
    }
    if (set & HDR_RETH)
        h->dmalen = bits(s, 32);
    random_ext(s, set, e);
}

bool wire_hdr_equal(const struct wire_hdr *a, const struct wire_hdr *b)
{
    return a->opcode.v == b->opcode.v && a->flags == b->flags && a->syndrome == b->syndrome &&
           a->tver == b->tver && a->pkey == b->pkey && a->payload_bytes == b->payload_bytes &&
           a->dest_qp == b->dest_qp && a->psn.v == b->psn.v && a->msn == b->msn &&
           a->imm == b->imm && a->va == b->va && a->rkey == b->rkey && a->dmalen == b->dmalen;
}

bool wire_ext_equal(const struct wire_ext *a, const struct wire_ext *b)
{
    return a->qkey == b->qkey && a->src_qp == b->src_qp && a->eec == b->eec && a->srq == b->srq &&
           a->swap_or_add == b->swap_or_add && a->compare == b->compare &&
           a->original == b->original;
}
