/*
 * The 16 bytes in front of every datagram.
 *
 * Four words: flags 4, session 20, incarnation 8 | seq 24, message 8 | ack 24, sack bits 0-7 |
 * fragment 24, sack bits 8-15.  An acknowledgement alone needs no seq, message and fragment: its
 * second word holds sack bits 16-47, the upper half of its fragment bits 48-63.
 */
#include "models/udack/udack_state.h"

static void put32(uint8_t *out, uint32_t v)
{
    out[0] = (uint8_t)(v >> 24);
    out[1] = (uint8_t)(v >> 16);
    out[2] = (uint8_t)(v >> 8);
    out[3] = (uint8_t)v;
}

static uint32_t get32(const uint8_t *in)
{
    return (uint32_t)in[0] << 24 | (uint32_t)in[1] << 16 | (uint32_t)in[2] << 8 | in[3];
}

void udack_pack(const struct udack_hdr *h, uint8_t out[UDACK_HDR_BYTES])
{
    bool alone = h->flags & UDACK_ACK;
    uint32_t second = alone ? (uint32_t)(h->sack >> 16) : h->seq << 8 | h->message;
    uint32_t fragment = alone ? (uint32_t)(h->sack >> 48) << 8 : h->fragment;
    put32(out, (uint32_t)h->flags << 28 | (h->session & 0xfffffu) << 8 | h->incarnation);
    put32(out + 4, second);
    put32(out + 8, h->ack << 8 | (uint32_t)(h->sack & 0xffu));
    put32(out + 12, fragment << 8 | (uint32_t)(h->sack >> 8 & 0xffu));
}

struct udack_hdr udack_unpack(const uint8_t in[UDACK_HDR_BYTES])
{
    uint32_t w[4] = {get32(in), get32(in + 4), get32(in + 8), get32(in + 12)};
    struct udack_hdr h = {
        .flags = (uint8_t)(w[0] >> 28),
        .session = w[0] >> 8 & 0xfffffu,
        .incarnation = (uint8_t)w[0],
        .ack = w[2] >> 8,
        .sack = (w[2] & 0xffu) | (w[3] & 0xffu) << 8,
    };
    if (h.flags & UDACK_ACK) {
        h.sack |= (uint64_t)w[1] << 16 | (uint64_t)(w[3] >> 16) << 48;
        return h;
    }
    h.seq = w[1] >> 8;
    h.message = (uint8_t)w[1];
    h.fragment = w[3] >> 8;
    return h;
}
