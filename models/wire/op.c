/*
 * The operation table and what follows from it: headers, names, which opcodes exist.
 *
 * A row says what an operation is under every service; the only thing that a service prefix
 * changes is the headers it puts in front (prefix_headers below) and which rows it has
 * (operations_of below).  Both are IBA 9.2 and 9.4 with annexes A14 (XRC) and A17 (CNP).
 * Left out: FLUSH and ATOMIC_WRITE (operations 1c and 1d).
 */
#include "models/wire/op.h"

#define S CLASS_SEND
#define W CLASS_WRITE
#define R CLASS_READ_RESP

/* name, class, position, headers, response, takes_recv, ends_recv, payload */
const struct wire_op_row wire_op_table[OP_COUNT] = {
    [OP_SEND_FIRST] = {"SEND_FIRST", S, POS_FIRST, 0, false, true, false, true},
    [OP_SEND_MIDDLE] = {"SEND_MIDDLE", S, POS_MIDDLE, 0, false, false, false, true},
    [OP_SEND_LAST] = {"SEND_LAST", S, POS_LAST, 0, false, false, true, true},
    [OP_SEND_LAST_IMM] = {"SEND_LAST_IMM", S, POS_LAST, HDR_IMM, false, false, true, true},
    [OP_SEND_ONLY] = {"SEND_ONLY", S, POS_ONLY, 0, false, true, true, true},
    [OP_SEND_ONLY_IMM] = {"SEND_ONLY_IMM", S, POS_ONLY, HDR_IMM, false, true, true, true},
    [OP_WRITE_FIRST] = {"WRITE_FIRST", W, POS_FIRST, HDR_RETH, false, false, false, true},
    [OP_WRITE_MIDDLE] = {"WRITE_MIDDLE", W, POS_MIDDLE, 0, false, false, false, true},
    [OP_WRITE_LAST] = {"WRITE_LAST", W, POS_LAST, 0, false, false, false, true},
    [OP_WRITE_LAST_IMM] = {"WRITE_LAST_IMM", W, POS_LAST, HDR_IMM, false, true, true, true},
    [OP_WRITE_ONLY] = {"WRITE_ONLY", W, POS_ONLY, HDR_RETH, false, false, false, true},
    [OP_WRITE_ONLY_IMM] = {"WRITE_ONLY_IMM", W, POS_ONLY, HDR_RETH | HDR_IMM, false, true, true,
                           true},
    [OP_READ_REQUEST] = {"READ_REQUEST", CLASS_READ, POS_ONLY, HDR_RETH, false, false, false,
                         false},
    [OP_READ_RESP_FIRST] = {"READ_RESP_FIRST", R, POS_FIRST, HDR_AETH, true, false, false, true},
    [OP_READ_RESP_MIDDLE] = {"READ_RESP_MIDDLE", R, POS_MIDDLE, 0, true, false, false, true},
    [OP_READ_RESP_LAST] = {"READ_RESP_LAST", R, POS_LAST, HDR_AETH, true, false, false, true},
    [OP_READ_RESP_ONLY] = {"READ_RESP_ONLY", R, POS_ONLY, HDR_AETH, true, false, false, true},
    [OP_ACKNOWLEDGE] = {"ACKNOWLEDGE", CLASS_ACK, POS_ONLY, HDR_AETH, true, false, false, false},
    [OP_ATOMIC_ACK] = {"ATOMIC_ACK", CLASS_ATOMIC_ACK, POS_ONLY, HDR_AETH | HDR_ATOMICACKETH, true,
                       false, false, false},
    [OP_CMP_SWAP] = {"CMP_SWAP", CLASS_ATOMIC, POS_ONLY, HDR_ATOMICETH, false, false, false, false},
    [OP_FETCH_ADD] = {"FETCH_ADD", CLASS_ATOMIC, POS_ONLY, HDR_ATOMICETH, false, false, false,
                      false},
    [OP_RESYNC] = {"RESYNC", CLASS_RESYNC, POS_ONLY, 0, false, false, false, false},
    [OP_SEND_LAST_INV] = {"SEND_LAST_INV", S, POS_LAST, HDR_IETH, false, false, true, true},
    [OP_SEND_ONLY_INV] = {"SEND_ONLY_INV", S, POS_ONLY, HDR_IETH, false, true, true, true},
};

/* The lone opcode that is not a prefix and an operation. */
static const struct wire_op_row cnp_row = {"CNP", CLASS_CNP, POS_ONLY, 0,
                                           false, false,     false,    true};

#define OPS_TO(last) ((2u << (last)) - 1)
#define OP_BIT(op) (1u << (op))

/* One bit per operation; CNP's prefix has none, for 0x81 is tested as a whole. */
static const uint32_t operations_of[WIRE_PREFIXES] = {
    [WIRE_RC] = OPS_TO(OP_SEND_ONLY_INV) & ~OP_BIT(OP_RESYNC),
    [WIRE_UC] = OPS_TO(OP_WRITE_ONLY_IMM),
    [WIRE_RD] = OPS_TO(OP_RESYNC),
    [WIRE_UD] = OP_BIT(OP_SEND_ONLY) | OP_BIT(OP_SEND_ONLY_IMM),
    [WIRE_XRC] = OPS_TO(OP_SEND_ONLY_INV) & ~OP_BIT(OP_RESYNC),
};

/* What a prefix puts before the operation's own headers. */
static const struct {
    uint16_t request, response;
} prefix_headers[WIRE_PREFIXES] = {
    [WIRE_RD] = {HDR_RDETH | HDR_DETH, HDR_RDETH},
    [WIRE_UD] = {HDR_DETH, 0},
    [WIRE_XRC] = {HDR_XRCETH, 0},
};

/* By bit number of enum wire_header. */
static const uint8_t header_bytes[16] = {4, 8, 4, 16, 28, 4, 8, 4, 4};

static const char *const prefix_names[WIRE_PREFIXES] = {
    [WIRE_RC] = "RC", [WIRE_UC] = "UC",   [WIRE_RD] = "RD",
    [WIRE_UD] = "UD", [WIRE_CNP] = "CNP", [WIRE_XRC] = "XRC",
};

bool wire_opcode_known(struct wire_opcode o)
{
    return o.v == WIRE_OPCODE_CNP || (operations_of[wire_prefix_of(o)] >> wire_op_of(o) & 1u);
}

const struct wire_op_row *wire_op_row(struct wire_opcode o)
{
    if (o.v == WIRE_OPCODE_CNP)
        return &cnp_row;
    return wire_opcode_known(o) ? &wire_op_table[wire_op_of(o)] : 0;
}

struct wire_headers wire_headers_of(struct wire_opcode o)
{
    const struct wire_op_row *row = wire_op_row(o);
    if (!row)
        return (struct wire_headers){0};
    enum wire_prefix p = wire_prefix_of(o);
    uint16_t front = row->response ? prefix_headers[p].response : prefix_headers[p].request;
    return (struct wire_headers){(uint16_t)(row->headers | front)};
}

unsigned wire_opcode_bytes(struct wire_opcode o)
{
    return wire_headers_bytes(wire_headers_of(o));
}

unsigned wire_headers_bytes(struct wire_headers h)
{
    unsigned bytes = 0;
    for (unsigned set = h.set; set; set &= set - 1)
        bytes += header_bytes[__builtin_ctz(set)];
    return bytes;
}

const char *wire_prefix_name(enum wire_prefix p)
{
    return (unsigned)p < WIRE_PREFIXES ? prefix_names[p] : 0;
}

/* Copies text to out + at with its final 0; returns where that 0 is, size when it does not fit. */
static unsigned append(char *out, unsigned size, unsigned at, const char *text)
{
    for (; at < size; at++) {
        out[at] = *text;
        if (*text++ == 0)
            return at;
    }
    return size;
}

bool wire_opcode_name(struct wire_opcode o, char *out, unsigned size)
{
    const struct wire_op_row *row = wire_op_row(o);
    if (!row)
        return false;
    unsigned at = 0;
    if (o.v != WIRE_OPCODE_CNP) {
        at = append(out, size, at, prefix_names[wire_prefix_of(o)]);
        at = append(out, size, at, "_");
    }
    return append(out, size, at, row->name) < size;
}

/* The part of text after `start`, NULL when text does not begin with it. */
static const char *after(const char *text, const char *start)
{
    for (; *start; start++)
        if (*text++ != *start)
            return 0;
    return text;
}

static bool equal(const char *a, const char *b)
{
    const char *rest = after(a, b);
    return rest && *rest == 0;
}

/* The operation of prefix p that is called `name`. */
static bool find_op(enum wire_prefix p, const char *name, struct wire_opcode *out)
{
    for (unsigned op = 0; op < OP_COUNT; op++) {
        struct wire_opcode o = wire_opcode(p, (enum wire_op)op);
        if (equal(name, wire_op_table[op].name) && wire_opcode_known(o)) {
            *out = o;
            return true;
        }
    }
    return false;
}

bool wire_opcode_parse(const char *name, struct wire_opcode *out)
{
    if (equal(name, cnp_row.name)) {
        *out = (struct wire_opcode){WIRE_OPCODE_CNP};
        return true;
    }
    for (unsigned p = 0; p < WIRE_PREFIXES; p++) {
        const char *rest = operations_of[p] ? after(name, prefix_names[p]) : 0;
        if (rest && *rest == '_')
            return find_op((enum wire_prefix)p, rest + 1, out);
    }
    return false;
}
