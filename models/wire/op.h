/*
 * The operation table: what every packet of every service is, in 24 rows (RC has 23 of them).
 *
 * An opcode is a service prefix (bits 7:5) and an operation (bits 4:0).  From an operation's
 * row and its prefix follow the headers, the legal successor, whether it consumes a receive,
 * whether it may carry payload.  Nothing else in the project lists opcodes.
 */
#ifndef WIRE_OP_H
#define WIRE_OP_H

#include <stdbool.h>
#include <stdint.h>

/* bits 4:0, ib-transport "Opcodes" */
enum wire_op {
    OP_SEND_FIRST, OP_SEND_MIDDLE, OP_SEND_LAST, OP_SEND_LAST_IMM, OP_SEND_ONLY, OP_SEND_ONLY_IMM,
    OP_WRITE_FIRST, OP_WRITE_MIDDLE, OP_WRITE_LAST, OP_WRITE_LAST_IMM, OP_WRITE_ONLY,
    OP_WRITE_ONLY_IMM, OP_READ_REQUEST, OP_READ_RESP_FIRST, OP_READ_RESP_MIDDLE,
    OP_READ_RESP_LAST, OP_READ_RESP_ONLY, OP_ACKNOWLEDGE, OP_ATOMIC_ACK, OP_CMP_SWAP,
    OP_FETCH_ADD, OP_RESYNC, OP_SEND_LAST_INV, OP_SEND_ONLY_INV, OP_COUNT
};

/* bits 7:5; CNP is the lone opcode 0x81 */
enum wire_prefix { WIRE_RC, WIRE_UC, WIRE_RD, WIRE_UD, WIRE_CNP, WIRE_XRC, WIRE_PREFIXES = 8 };

enum wire_class { CLASS_SEND, CLASS_WRITE, CLASS_READ, CLASS_READ_RESP, CLASS_ACK,
                  CLASS_ATOMIC, CLASS_ATOMIC_ACK, CLASS_RESYNC, CLASS_CNP, CLASS_COUNT};

enum wire_position { POS_ONLY, POS_FIRST, POS_MIDDLE, POS_LAST };

/* Extension headers, in the order of the wire; a set of them is a struct, not a number. */
enum wire_header { HDR_RDETH = 1, HDR_DETH = 2, HDR_XRCETH = 4, HDR_RETH = 8, HDR_ATOMICETH = 16,
                   HDR_AETH = 32, HDR_ATOMICACKETH = 64, HDR_IMM = 128, HDR_IETH = 256 };
struct wire_headers {
    uint16_t set;
};

struct wire_op_row {
    const char *name;            /* "SEND_FIRST" */
    enum wire_class cls;
    enum wire_position position;
    uint16_t headers;            /* enum wire_header bits of the operation itself */
    bool response;               /* sent by the responder */
    bool takes_recv;             /* needs a receive WQE at this packet (SEND: first or only) */
    bool ends_recv;              /* completes a receive WQE */
    bool payload;                /* may carry payload */
};

extern const struct wire_op_row wire_op_table[OP_COUNT]; /* not for CNP: see wire_op_row */

struct wire_opcode {
    uint8_t v;
};
#define WIRE_OPCODE_CNP 0x81u
#define WIRE_OPCODE_MAD 0x64u /* a datagram in one packet: what management traffic is made of */

static inline struct wire_opcode wire_opcode(enum wire_prefix p, enum wire_op op)
{
    return (struct wire_opcode){(uint8_t)((unsigned)p << 5 | (unsigned)op)};
}
static inline enum wire_prefix wire_prefix_of(struct wire_opcode o)
{
    return (enum wire_prefix)(o.v >> 5);
}
static inline enum wire_op wire_op_of(struct wire_opcode o) { return (enum wire_op)(o.v & 31u); }

/* True for the opcodes of ib-transport's list: RC, XRC all but RESYNC, RD 00..15, UC, UD, CNP. */
bool wire_opcode_known(struct wire_opcode o);

/* The row of a known opcode, CNP's own included; NULL when unknown. */
const struct wire_op_row *wire_op_row(struct wire_opcode o);

/* The extension headers of a known opcode: the row's own, and what the prefix adds. */
struct wire_headers wire_headers_of(struct wire_opcode o);

/* wire_headers_bytes of wire_headers_of. */
unsigned wire_opcode_bytes(struct wire_opcode o);

/*
 * May it have headers that live in wire_ext (hdr.h)?  A quick look for the hot path: never false
 * where there are some, true also for a few that have none.
 */
static inline bool wire_may_have_ext(struct wire_opcode o)
{
    const uint32_t atomics = 1u << OP_ATOMIC_ACK | 1u << OP_CMP_SWAP | 1u << OP_FETCH_ADD;
    return o.v >= WIRE_RD << 5 || (atomics >> (o.v & 31) & 1);
}

/* Bytes that these headers take. */
unsigned wire_headers_bytes(struct wire_headers h);

/* Room for every opcode's name: "XRC_READ_RESP_MIDDLE" and the final 0. */
#define WIRE_OPCODE_NAME_MAX 24

/* "RC_SEND_FIRST", "CNP"; "0xNN" is not made here: NULL when unknown. */
const char *wire_prefix_name(enum wire_prefix p);
/* false: unknown, or no room */
bool wire_opcode_name(struct wire_opcode o, char *out, unsigned size);
bool wire_opcode_parse(const char *name, struct wire_opcode *out); /* "RC_SEND_ONLY" */

#endif
