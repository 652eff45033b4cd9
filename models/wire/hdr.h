/*
 * Packet headers as values, and their bytes.
 *
 * `wire_hdr` holds what nearly every packet has (40 bytes: it lies by value in the rings of
 * links); `wire_ext` what few have.  Which fields mean something follows from the opcode
 * (wire_headers_of); the others are 0.  Bytes: IBA chapter 9, network order.
 *
 * Left out: Ethernet, IP, UDP and ICRC are frame.h's; payload bytes are the caller's.
 */
#ifndef WIRE_HDR_H
#define WIRE_HDR_H

#include <stddef.h>
#include <stdint.h>

#include "models/wire/op.h"
#include "sim/base/psn.h"

enum wire_flag { WIRE_SE = 1, WIRE_MIGREQ = 2, WIRE_ACKREQ = 4, WIRE_FECN = 8, WIRE_BECN = 16,
                 WIRE_ECN_LO = 32, WIRE_ECN_HI = 64 /* IP ECN bits as on the wire; both: CE */ };

struct wire_hdr {
    struct wire_opcode opcode;
    uint8_t flags;          /* enum wire_flag */
    uint8_t syndrome;       /* AETH */
    uint8_t tver;           /* BTH TVer; 0 */
    uint16_t pkey;
    uint16_t payload_bytes; /* without pad; the pad is what rounds it up to 4 */
    uint32_t dest_qp;       /* 24 bits */
    struct psn24 psn;
    uint32_t msn;           /* AETH, 24 bits */
    uint32_t imm;           /* ImmDt or IETH, host order of the 32-bit value */
    uint64_t va;            /* RETH, AtomicETH */
    uint32_t rkey;          /* RETH, AtomicETH */
    uint32_t dmalen;        /* RETH */
};
_Static_assert(sizeof(struct wire_hdr) == 40, "wire_hdr is part of the 64-byte packet");

struct wire_ext {
    uint32_t qkey, src_qp;  /* DETH */
    uint32_t eec;           /* RDETH */
    uint32_t srq;           /* XRCETH */
    uint64_t swap_or_add;   /* AtomicETH */
    uint64_t compare;       /* AtomicETH */
    uint64_t original;      /* AtomicAckETH */
};

/* Headers that live in wire_ext. */
#define WIRE_EXT_HEADERS (HDR_RDETH | HDR_DETH | HDR_XRCETH | HDR_ATOMICETH | HDR_ATOMICACKETH)

/* A CNP's payload: so many zeros; its payload_bytes says so. */
#define WIRE_CNP_PAYLOAD_BYTES 16

/* BTH and extension headers: at most this many bytes. */
#define WIRE_HDR_BYTES_MAX 60

static inline unsigned wire_pad(uint16_t payload_bytes) { return (0u - payload_bytes) & 3u; }

/* BTH + extension headers + payload + pad, without ICRC.  Of most packets the BTH alone. */
static inline unsigned wire_ib_bytes(const struct wire_hdr *h)
{
    const uint32_t bare = 1u << OP_SEND_FIRST | 1u << OP_SEND_MIDDLE | 1u << OP_SEND_LAST |
                          1u << OP_SEND_ONLY | 1u << OP_WRITE_MIDDLE | 1u << OP_WRITE_LAST |
                          1u << OP_READ_RESP_MIDDLE;
    bool is_bare = h->opcode.v < WIRE_RD << 5 && (bare >> (h->opcode.v & 31) & 1);
    bool is_ack = h->opcode.v == (WIRE_RC << 5 | OP_ACKNOWLEDGE);
    unsigned headers = is_bare ? 0 : is_ack ? 4 : wire_opcode_bytes(h->opcode);
    return 12 + headers + h->payload_bytes + wire_pad(h->payload_bytes);
}

/*
 * Writes BTH and extension headers to out (WIRE_HDR_BYTES_MAX bytes of room); returns their
 * length, 0 for an unknown opcode.  resv8a is written from FECN and BECN, reserved bits 0.
 * e may be NULL where the opcode has none of WIRE_EXT_HEADERS (CHECKed).
 */
unsigned wire_encode(const struct wire_hdr *h, const struct wire_ext *e, uint8_t *out);

enum wire_decoded { WIRE_OK, WIRE_SHORT, WIRE_UNKNOWN_OPCODE, WIRE_BAD_PAD };

/*
 * Reads BTH and extension headers from `len` bytes that end before the ICRC.  On WIRE_OK h and e
 * are whole, *header_bytes tells where the payload starts, h->payload_bytes its length without
 * pad.  ECN flags are not set (they are IP's).  Never reads outside bytes[0 .. len-1].
 * WIRE_BAD_PAD: the bytes after the headers are no multiple of 4, fewer than the pad, or more
 * than payload_bytes can say; h and e are whole but for payload_bytes, which is 0, so that a
 * responder can still refuse the packet.  Otherwise: BTH in h if there was one, all else 0.
 */
enum wire_decoded wire_decode(const uint8_t *bytes, size_t len, struct wire_hdr *h,
                              struct wire_ext *e, unsigned *header_bytes);

/* AETH syndromes, ib-transport "AETH syndrome". */
enum aeth_kind { AETH_ACK, AETH_RNR, AETH_RESERVED, AETH_NAK };
enum nak_code { NAK_PSN_SEQ, NAK_INV_REQ, NAK_REM_ACCESS, NAK_REM_OP, NAK_INV_RD };
#define AETH_CREDIT_NONE 31u
static inline uint8_t aeth_syndrome(enum aeth_kind k, unsigned low5)
{
    return (uint8_t)((unsigned)k << 5 | (low5 & 31u));
}
static inline enum aeth_kind aeth_kind(uint8_t syndrome)
{
    return (enum aeth_kind)(syndrome >> 5 & 3);
}
static inline unsigned aeth_low5(uint8_t syndrome) { return syndrome & 31u; }

#endif
