/*
 * The recorder's names of opcodes, syndromes, work requests and completions, and what they are
 * here.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "models/transport/xp.h"
#include "models/wire/text.h"
#include "tests/golden/capture.h"

const char *const column_name[COLUMNS] = {
    "opcode", "psn_rel",  "ackreq",  "se",   "paylen", "syndrome", "msn",  "roff", "rkey_ok",
    "dmalen", "swap_add", "compare", "orig", "imm",    "qkey",     "pkey", "mig",  "action"};
const char *const action_name[ACTIONS] = {"fwd",       "drop",     "dup",       "delay",
                                          "corrupt",   "rewrite",  "duplicate", "delayed",
                                          "corrupted", "rewritten"};
const char *const completion_field_name[CQE_FIELDS] = {"cq",       "wr_id", "status", "opcode",
                                                       "byte_len", "imm",   "src_ok"};
const char *const final_field_name[FINAL_FIELDS] = {"state", "sq_psn", "rq_psn"};
const char *const step_name[STEP_KINDS] = {"recv", "post", "set64", "err", "reset"};
const char *const wr_op_name[XP_WR_OPS] = {
    [XP_WR_SEND] = "SEND",           [XP_WR_SEND_IMM] = "SEND_IMM", [XP_WR_WRITE] = "WRITE",
    [XP_WR_WRITE_IMM] = "WRITE_IMM", [XP_WR_READ] = "READ",         [XP_WR_CMP_SWAP] = "CMP_SWAP",
    [XP_WR_FETCH_ADD] = "FETCH_ADD", [XP_WR_SEND_INV] = "SEND_INV",
};

static const struct {
    const char *theirs, *ours; /* behind the service's prefix */
} opcode_alias[] = {{"READ_REQ", "READ_REQUEST"}, {"ACK", "ACKNOWLEDGE"}, {"RESERVED", "RESYNC"}};

static const struct {
    const char *name;
    int op;
} completion_ops[] = {{"SEND", XP_WC_SEND},
                      {"RDMA_WRITE", XP_WC_WRITE},
                      {"RDMA_READ", XP_WC_READ},
                      {"COMP_SWAP", XP_WC_ATOMIC},
                      {"FETCH_ADD", XP_WC_ATOMIC},
                      {"RECV", XP_WC_RECV},
                      {"RECV_RDMA_WITH_IMM", XP_WC_RECV_WRITE_IMM}};

#define COUNT(table) ((int)(sizeof(table) / sizeof((table)[0])))

bool trouble_say(struct trouble *why, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(why->text, sizeof why->text, format, args);
    va_end(args);
    return false;
}

int name_index(const char *const *table, int count, const char *name)
{
    for (int i = 0; i < count; i++)
        if (table[i] && strcmp(table[i], name) == 0)
            return i;
    return -1;
}

/* The operation of that name, in whatever service; -1: none. */
static int operation_of(const char *bare)
{
    for (int i = 0; i < COUNT(opcode_alias); i++)
        if (strcmp(bare, opcode_alias[i].theirs) == 0)
            bare = opcode_alias[i].ours;
    for (int op = 0; op < OP_COUNT; op++)
        if (strcmp(bare, wire_op_table[op].name) == 0)
            return op;
    return -1;
}

/* Every operation under every service's prefix has a name there, also where no packet has it. */
bool opcode_of_name(const char *name, int64_t *opcode)
{
    const char *bare = strchr(name, '_');
    size_t prefix_bytes = bare ? (size_t)(bare - name) : 0;

    if (strncmp(name, "0x", 2) == 0) {
        *opcode = strtol(name, NULL, 16);
        return true;
    }
    if (strcmp(name, "CNP") == 0) {
        *opcode = WIRE_OPCODE_CNP;
        return true;
    }
    int op = bare ? operation_of(bare + 1) : -1;
    for (int p = 0; p < WIRE_PREFIXES && op >= 0; p++) {
        const char *prefix = wire_prefix_name((enum wire_prefix)p);
        if (prefix && strlen(prefix) == prefix_bytes && strncmp(name, prefix, prefix_bytes) == 0) {
            *opcode = wire_opcode((enum wire_prefix)p, (enum wire_op)op).v;
            return true;
        }
    }
    return false;
}

void opcode_name(int64_t opcode, char *out, size_t size)
{
    if (!wire_opcode_name((struct wire_opcode){(uint8_t)opcode}, out, (unsigned)size))
        snprintf(out, size, "0x%02x", (unsigned)opcode);
}

bool syndrome_of_name(const char *name, int64_t *syndrome)
{
    uint8_t v;
    if (strncmp(name, "RSVD:", 5) == 0) {
        *syndrome = strtol(name + 5, NULL, 16);
        return true;
    }
    if (!wire_syndrome_parse(name, &v))
        return false;
    *syndrome = v;
    return true;
}

int completion_op(const char *name)
{
    for (int i = 0; i < COUNT(completion_ops); i++)
        if (strcmp(completion_ops[i].name, name) == 0)
            return completion_ops[i].op;
    return -1;
}

static void value_text(enum column col, int64_t v, char *out, size_t size)
{
    if (col == COL_OPCODE)
        opcode_name(v, out, size);
    else if (col == COL_SYNDROME)
        wire_syndrome_text((uint8_t)v, out, size);
    else if (col == COL_ACTION)
        snprintf(out, size, "%s", action_name[v]);
    else
        snprintf(out, size, "%lld", (long long)v);
}

/* Shown only where it is unusual. */
static bool is_usual(enum column col, int64_t v)
{
    if (col == COL_PKEY)
        return v == 0xffff;
    if (col == COL_ACTION)
        return v == ACT_FWD;
    return (col == COL_ACKREQ || col == COL_SE || col == COL_MIG || col == COL_PAYLEN) && v == 0;
}

void packet_words(const struct packet *p, char *out, size_t size)
{
    size_t at = 0;
    for (int i = 0; i < COLUMNS && at < size; i++) {
        char v[40];
        bool bare = i == COL_OPCODE || i == COL_SYNDROME || i == COL_ACTION;
        if (p->col[i] == NONE || is_usual((enum column)i, p->col[i]))
            continue;
        value_text((enum column)i, p->col[i], v, sizeof v);
        at += (size_t)snprintf(out + at, size - at, "%s%s%s%s", at ? " " : "",
                               bare ? "" : column_name[i], bare ? "" : "=", v);
    }
}
