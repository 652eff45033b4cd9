/*
 * Any bytes into the three readers of models/wire: packet headers, whole frames, lines of text.
 * What a reader accepts must go through its writer and come back the same (CHECKed); a read
 * outside the input is for the address sanitizer to see.
 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "models/wire/frame.h"
#include "models/wire/text.h"
#include "sim/base/check.h"
#include "tests/fuzz/replay.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool same_hdr(const struct wire_hdr *a, const struct wire_hdr *b)
{
    return a->opcode.v == b->opcode.v && a->flags == b->flags && a->syndrome == b->syndrome &&
           a->tver == b->tver && a->pkey == b->pkey && a->payload_bytes == b->payload_bytes &&
           a->dest_qp == b->dest_qp && a->psn.v == b->psn.v && a->msn == b->msn &&
           a->imm == b->imm && a->va == b->va && a->rkey == b->rkey && a->dmalen == b->dmalen;
}

static bool same_ext(const struct wire_ext *a, const struct wire_ext *b)
{
    return a->qkey == b->qkey && a->src_qp == b->src_qp && a->eec == b->eec && a->srq == b->srq &&
           a->swap_or_add == b->swap_or_add && a->compare == b->compare &&
           a->original == b->original;
}

/* The packet as a line gives the packet again. */
static void check_text(const struct wire_hdr *h, const struct wire_ext *e)
{
    char line[WIRE_TEXT_MAX];
    struct wire_hdr h2;
    struct wire_ext e2;
    CHECK(wire_text(h, e, line, sizeof line) > 0);
    CHECK(wire_text_parse(line, &h2, &e2));
    CHECK(same_hdr(h, &h2) && same_ext(e, &e2));
}

static void try_headers(const uint8_t *data, size_t size)
{
    struct wire_hdr h, h2;
    struct wire_ext e, e2;
    unsigned header_bytes, header_bytes2;
    uint8_t again[WIRE_HDR_BYTES_MAX];
    if (wire_decode(data, size, &h, &e, &header_bytes) != WIRE_OK)
        return;
    CHECK(header_bytes <= size && wire_ib_bytes(&h) == size);
    CHECK(wire_encode(&h, &e, again) == header_bytes);
    /* Without the payload: only the pad count would miss it. */
    again[1] &= 0xcf;
    CHECK(wire_decode(again, header_bytes, &h2, &e2, &header_bytes2) == WIRE_OK);
    h2.payload_bytes = h.payload_bytes;
    CHECK(header_bytes2 == header_bytes && same_hdr(&h, &h2) && same_ext(&e, &e2));
    check_text(&h, &e);
}

static void try_frame(const uint8_t *data, size_t size)
{
    static uint8_t again[1 << 17];
    struct wire_hdr h, h2;
    struct wire_ext e, e2;
    struct wire_addr a, a2;
    const uint8_t *payload, *payload2;
    enum wire_frame_fault fault = wire_frame_parse(data, size, &h, &e, &a, &payload);
    if (fault != FRAME_OK && fault != FRAME_BAD_ICRC)
        return;
    CHECK(payload >= data && payload + h.payload_bytes <= data + size);
    size_t type_at = data[12] == 0x81 ? 16 : 12; /* behind the VLAN tag, if there is one */
    enum wire_encap encap = data[type_at] == 0x86 ? ENCAP_ROCEV2_IPV6 : ENCAP_ROCEV2;
    size_t len = wire_frame_build(&h, &e, payload, &a, encap, again, sizeof again);
    CHECK(len > 0 && len <= size);
    CHECK(wire_frame_parse(again, len, &h2, &e2, &a2, &payload2) == FRAME_OK);
    CHECK(same_hdr(&h, &h2) && same_ext(&e, &e2) && memcmp(&a, &a2, sizeof a) == 0);
    CHECK(memcmp(payload, payload2, h.payload_bytes) == 0);
    check_text(&h, &e);
}

static void try_text(const uint8_t *data, size_t size)
{
    struct wire_hdr h;
    struct wire_ext e;
    uint8_t syndrome;
    char *text = malloc(size + 1);
    CHECK(text);
    memcpy(text, data, size);
    text[size] = 0;
    if (wire_text_parse(text, &h, &e))
        check_text(&h, &e);
    if (wire_syndrome_parse(text, &syndrome)) {
        char again[32];
        uint8_t syndrome2;
        CHECK(wire_syndrome_text(syndrome, again, sizeof again) > 0);
        CHECK(wire_syndrome_parse(again, &syndrome2) && syndrome == syndrome2);
    }
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    try_headers(data, size);
    try_frame(data, size);
    try_text(data, size);
    return 0;
}

FUZZ_MAIN
