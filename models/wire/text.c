/*
 * A packet as one line of text, written and read from the same two tables.
 *
 * A line is the opcode's name and then words: `key=number` for fields, a bare word for flags, one
 * for the AETH syndrome.  What is as it nearly always is (P_Key 0xffff, TVer 0, MigReq 1) is not
 * written.  The reader takes the words in any order, and refuses a word it does not know, one of
 * a header that the opcode lacks, one given twice, a missing one, and a number that the field
 * cannot hold: so equal lines mean equal packets.
 */
#include "models/wire/text.h"

#include <string.h>

#include "sim/base/check.h"

enum base { DEC, HEX };

/* A number of the line.  Header 0 is BTH, which every packet has. */
struct field {
    char key[12];
    uint16_t header; /* enum wire_header */
    uint8_t in_ext;  /* in wire_ext, else in wire_hdr */
    uint8_t offset;
    uint8_t bytes; /* of the member in memory */
    uint8_t bits;  /* that the wire has for it */
    uint8_t base;
    uint8_t odd_only; /* written only when it differs from the usual value */
};

#define IN_HDR(member) 0, offsetof(struct wire_hdr, member), sizeof(((struct wire_hdr *)0)->member)
#define IN_EXT(member) 1, offsetof(struct wire_ext, member), sizeof(((struct wire_ext *)0)->member)

/* In the order of the line; flags stand before F_EEC, the syndrome before F_MSN. */
enum {
    F_PSN,
    F_QP,
    F_LEN,
    F_PKEY,
    F_TVER,
    F_EEC,
    F_QKEY,
    F_SQPN,
    F_SRQ,
    F_VA,
    F_RKEY,
    F_DMALEN,
    F_SWAP_ADD,
    F_COMPARE,
    F_MSN,
    F_ORIG,
    F_IMM,
    F_INV,
    FIELDS
};

#define REMOTE (HDR_RETH | HDR_ATOMICETH)
static const struct field fields[FIELDS] = {
    [F_PSN] = {"psn", 0, IN_HDR(psn), 24, DEC, 0},
    [F_QP] = {"qp", 0, IN_HDR(dest_qp), 24, DEC, 0},
    [F_LEN] = {"len", 0, IN_HDR(payload_bytes), 16, DEC, 1},
    [F_PKEY] = {"pkey", 0, IN_HDR(pkey), 16, HEX, 1},
    [F_TVER] = {"tver", 0, IN_HDR(tver), 4, DEC, 1},
    [F_EEC] = {"eec", HDR_RDETH, IN_EXT(eec), 24, DEC, 0},
    [F_QKEY] = {"qkey", HDR_DETH, IN_EXT(qkey), 32, HEX, 0},
    [F_SQPN] = {"sqpn", HDR_DETH, IN_EXT(src_qp), 24, DEC, 0},
    [F_SRQ] = {"srq", HDR_XRCETH, IN_EXT(srq), 24, DEC, 0},
    [F_VA] = {"va", REMOTE, IN_HDR(va), 64, HEX, 0},
    [F_RKEY] = {"rkey", REMOTE, IN_HDR(rkey), 32, HEX, 0},
    [F_DMALEN] = {"dmalen", HDR_RETH, IN_HDR(dmalen), 32, DEC, 0},
    [F_SWAP_ADD] = {"swap_add", HDR_ATOMICETH, IN_EXT(swap_or_add), 64, HEX, 0},
    [F_COMPARE] = {"compare", HDR_ATOMICETH, IN_EXT(compare), 64, HEX, 0},
    [F_MSN] = {"msn", HDR_AETH, IN_HDR(msn), 24, DEC, 0},
    [F_ORIG] = {"orig", HDR_ATOMICACKETH, IN_EXT(original), 64, HEX, 0},
    [F_IMM] = {"imm", HDR_IMM, IN_HDR(imm), 32, HEX, 0},
    [F_INV] = {"inv", HDR_IETH, IN_HDR(imm), 32, HEX, 0},
};

#define PKEY_USUAL 0xffffu
#define ECN_FLAGS (WIRE_ECN_LO | WIRE_ECN_HI)

/* A word stands for `value` in the bits of `mask`; what has no word is the usual value. */
static const struct {
    char word[8];
    uint8_t mask, value;
} flag_words[] = {
    {"se", WIRE_SE, WIRE_SE},         {"ackreq", WIRE_ACKREQ, WIRE_ACKREQ},
    {"mig0", WIRE_MIGREQ, 0},         {"fecn", WIRE_FECN, WIRE_FECN},
    {"becn", WIRE_BECN, WIRE_BECN},   {"ect1", ECN_FLAGS, WIRE_ECN_LO},
    {"ect0", ECN_FLAGS, WIRE_ECN_HI}, {"ce", ECN_FLAGS, ECN_FLAGS},
};
#define FLAG_WORDS (sizeof flag_words / sizeof flag_words[0])

static const char nak_names[][8] = {
    [NAK_PSN_SEQ] = "PSN_SEQ", [NAK_INV_REQ] = "INV_REQ", [NAK_REM_ACCESS] = "REM_ACC",
    [NAK_REM_OP] = "REM_OP",   [NAK_INV_RD] = "INV_RD",
};
#define NAK_NAMES (sizeof nak_names / sizeof nak_names[0])

static const char syndrome_starts[][16] = {
    [AETH_ACK] = "ACK:credit",
    [AETH_RNR] = "RNR:",
    [AETH_RESERVED] = "RESERVED:",
    [AETH_NAK] = "NAK:",
};
#define SYNDROME_ODD "SYNDROME:" /* bit 7 set: the whole byte */

/* ---- writing ---------------------------------------------------------------------------- */

/* Counts on when the room is used up, so that the end sees that it did not fit. */
struct line {
    char *out;
    size_t size, len;
};

static void put_char(struct line *l, char c)
{
    if (l->len < l->size)
        l->out[l->len] = c;
    l->len++;
}

static void put_text(struct line *l, const char *text)
{
    for (; *text; text++)
        put_char(l, *text);
}

static void put_digits(struct line *l, uint64_t v, unsigned radix)
{
    char digits[20];
    unsigned n = 0;
    do {
        digits[n++] = "0123456789abcdef"[v % radix];
        v /= radix;
    } while (v);
    while (n)
        put_char(l, digits[--n]);
}

static void put_number(struct line *l, uint64_t v, enum base base)
{
    if (base == HEX)
        put_text(l, "0x");
    put_digits(l, v, base == HEX ? 16 : 10);
}

static size_t finish(struct line *l)
{
    put_char(l, 0);
    return l->len <= l->size ? l->len - 1 : 0;
}

static void put_syndrome(struct line *l, uint8_t syndrome)
{
    enum aeth_kind kind = aeth_kind(syndrome);
    unsigned low = aeth_low5(syndrome);
    if (syndrome & 0x80) {
        put_text(l, SYNDROME_ODD);
        put_number(l, syndrome, HEX);
        return;
    }
    put_text(l, syndrome_starts[kind]);
    if (kind == AETH_NAK && low < NAK_NAMES)
        put_text(l, nak_names[low]);
    else
        put_number(l, low, DEC);
}

size_t wire_syndrome_text(uint8_t syndrome, char *out, size_t size)
{
    struct line l = {out, size, 0};
    put_syndrome(&l, syndrome);
    return finish(&l);
}

static uint64_t load(const struct field *f, const struct wire_hdr *h, const struct wire_ext *e)
{
    const uint8_t *from = (f->in_ext ? (const uint8_t *)e : (const uint8_t *)h) + f->offset;
    uint64_t v8;
    uint32_t v4;
    uint16_t v2;
    switch (f->bytes) {
    case 8:
        memcpy(&v8, from, 8);
        return v8;
    case 4:
        memcpy(&v4, from, 4);
        return v4;
    case 2:
        memcpy(&v2, from, 2);
        return v2;
    }
    return *from;
}

/* The value that an odd_only field has unless the line says otherwise. */
static uint64_t usual(unsigned field) { return field == F_PKEY ? PKEY_USUAL : 0; }

static bool has_field(const struct field *f, struct wire_headers set)
{
    return f->header == 0 || (f->header & set.set);
}

/* Whether every line of this operation has the field. */
static bool always_written(unsigned field, const struct wire_op_row *row)
{
    return !fields[field].odd_only || (field == F_LEN && row->payload);
}

static void put_flags(struct line *l, uint8_t flags)
{
    for (unsigned i = 0; i < FLAG_WORDS; i++) {
        if ((flags & flag_words[i].mask) != flag_words[i].value)
            continue;
        put_char(l, ' ');
        put_text(l, flag_words[i].word);
    }
}

static void put_fields(struct line *l, unsigned from, unsigned to, const struct wire_hdr *h,
                       const struct wire_ext *e)
{
    struct wire_headers set = wire_headers_of(h->opcode);
    for (unsigned i = from; i < to; i++) {
        const struct field *f = &fields[i];
        if (!has_field(f, set))
            continue;
        uint64_t v = load(f, h, e);
        if (!always_written(i, wire_op_row(h->opcode)) && v == usual(i))
            continue;
        put_char(l, ' ');
        put_text(l, f->key);
        put_char(l, '=');
        put_number(l, v, f->base);
    }
}

size_t wire_text(const struct wire_hdr *h, const struct wire_ext *e, char *out, size_t size)
{
    struct line l = {out, size, 0};
    char name[WIRE_OPCODE_NAME_MAX];
    if (!wire_opcode_name(h->opcode, name, sizeof name))
        return 0;
    struct wire_headers set = wire_headers_of(h->opcode);
    CHECK(e || !(set.set & WIRE_EXT_HEADERS));
    put_text(&l, name);
    put_fields(&l, 0, F_EEC, h, e);
    put_flags(&l, h->flags);
    put_fields(&l, F_EEC, F_MSN, h, e);
    if (set.set & HDR_AETH) {
        put_char(&l, ' ');
        put_syndrome(&l, h->syndrome);
    }
    put_fields(&l, F_MSN, FIELDS, h, e);
    return finish(&l);
}

/* ---- reading ---------------------------------------------------------------------------- */

/* A piece of the line, without a final 0. */
struct word {
    const char *at;
    size_t len;
};

/* What has been read so far. */
struct reading {
    struct wire_hdr *h;
    struct wire_ext *e;
    struct wire_headers set;
    uint32_t seen;      /* one bit per field */
    uint8_t seen_flags; /* enum wire_flag */
    bool seen_syndrome;
};

/* Takes the word up to the next space or the end; steps over that space. */
static struct word take_word(const char **line)
{
    struct word w = {*line, 0};
    while (w.at[w.len] != 0 && w.at[w.len] != ' ')
        w.len++;
    *line = w.at + w.len + (w.at[w.len] == ' ' ? 1 : 0);
    return w;
}

static bool ends_line(struct word w) { return w.at[w.len] == 0; }

/* Whether w begins with `start`; *rest is then what follows. */
static bool begins(struct word w, const char *start, struct word *rest)
{
    size_t n = 0;
    for (; start[n]; n++)
        if (n == w.len || w.at[n] != start[n])
            return false;
    *rest = (struct word){w.at + n, w.len - n};
    return true;
}

static bool word_is(struct word w, const char *text)
{
    struct word rest;
    return begins(w, text, &rest) && rest.len == 0;
}

static unsigned digit(char c)
{
    if (c >= '0' && c <= '9')
        return (unsigned)(c - '0');
    return c >= 'a' && c <= 'f' ? (unsigned)(c - 'a') + 10 : 99;
}

/* A number in decimal, or in hexadecimal after 0x, of at most `bits` bits. */
static bool read_number(struct word w, unsigned bits, uint64_t *out)
{
    uint64_t v = 0;
    unsigned radix = begins(w, "0x", &w) ? 16 : 10;
    if (w.len == 0)
        return false;
    for (size_t i = 0; i < w.len; i++) {
        unsigned d = digit(w.at[i]);
        if (d >= radix || __builtin_mul_overflow(v, radix, &v) || __builtin_add_overflow(v, d, &v))
            return false;
    }
    *out = v;
    return bits == 64 || v >> bits == 0;
}

static bool read_nak_name(struct word w, uint64_t *low)
{
    for (unsigned i = 0; i < NAK_NAMES; i++) {
        if (word_is(w, nak_names[i])) {
            *low = i;
            return true;
        }
    }
    return false;
}

static bool read_syndrome(struct word w, uint8_t *out)
{
    struct word rest;
    uint64_t v;
    if (begins(w, SYNDROME_ODD, &rest)) {
        bool read = read_number(rest, 8, &v);
        *out = (uint8_t)v;
        return read && (v & 0x80);
    }
    for (unsigned kind = 0; kind < 4; kind++) {
        if (!begins(w, syndrome_starts[kind], &rest))
            continue;
        bool named = kind == AETH_NAK && read_nak_name(rest, &v);
        if (!named && !read_number(rest, 5, &v))
            return false;
        *out = aeth_syndrome((enum aeth_kind)kind, (unsigned)v);
        return true;
    }
    return false;
}

bool wire_syndrome_parse(const char *text, uint8_t *out)
{
    uint8_t syndrome;
    struct word w = take_word(&text);
    if (!ends_line(w) || !read_syndrome(w, &syndrome))
        return false;
    *out = syndrome;
    return true;
}

static void store(const struct field *f, uint64_t v, struct wire_hdr *h, struct wire_ext *e)
{
    uint8_t *to = (f->in_ext ? (uint8_t *)e : (uint8_t *)h) + f->offset;
    uint32_t v4 = (uint32_t)v;
    uint16_t v2 = (uint16_t)v;
    switch (f->bytes) {
    case 8:
        memcpy(to, &v, 8);
        return;
    case 4:
        memcpy(to, &v4, 4);
        return;
    case 2:
        memcpy(to, &v2, 2);
        return;
    }
    *to = (uint8_t)v;
}

static bool read_field(struct reading *r, struct word w)
{
    struct word rest;
    for (unsigned i = 0; i < FIELDS; i++) {
        const struct field *f = &fields[i];
        if (!begins(w, f->key, &rest) || rest.len == 0 || rest.at[0] != '=')
            continue;
        uint64_t v;
        struct word number = {rest.at + 1, rest.len - 1};
        if (!has_field(f, r->set) || (r->seen >> i & 1u) || !read_number(number, f->bits, &v))
            return false;
        r->seen |= 1u << i;
        store(f, v, r->h, r->e);
        return true;
    }
    return false;
}

static bool read_flag(struct reading *r, struct word w)
{
    for (unsigned i = 0; i < FLAG_WORDS; i++) {
        uint8_t mask = flag_words[i].mask;
        if (!word_is(w, flag_words[i].word))
            continue;
        if (r->seen_flags & mask)
            return false;
        r->seen_flags |= mask;
        r->h->flags = (uint8_t)((r->h->flags & ~mask) | flag_words[i].value);
        return true;
    }
    return false;
}

static bool read_word(struct reading *r, struct word w)
{
    if (read_field(r, w) || read_flag(r, w))
        return true;
    if (!(r->set.set & HDR_AETH) || r->seen_syndrome || !read_syndrome(w, &r->h->syndrome))
        return false;
    r->seen_syndrome = true;
    return true;
}

/* Whether all is there that wire_text would have written. */
static bool is_complete(const struct reading *r)
{
    const struct wire_op_row *row = wire_op_row(r->h->opcode);
    for (unsigned i = 0; i < FIELDS; i++)
        if (has_field(&fields[i], r->set) && always_written(i, row) && !(r->seen >> i & 1u))
            return false;
    return r->seen_syndrome || !(r->set.set & HDR_AETH);
}

static bool read_opcode(struct word w, struct wire_opcode *out)
{
    char name[WIRE_OPCODE_NAME_MAX];
    if (w.len >= sizeof name)
        return false;
    memcpy(name, w.at, w.len);
    name[w.len] = 0;
    return wire_opcode_parse(name, out);
}

bool wire_text_parse(const char *line, struct wire_hdr *h, struct wire_ext *e)
{
    struct reading r = {.h = h, .e = e};
    memset(h, 0, sizeof *h);
    memset(e, 0, sizeof *e);
    h->flags = WIRE_MIGREQ;
    h->pkey = PKEY_USUAL;
    struct word w = take_word(&line);
    if (!read_opcode(w, &h->opcode))
        return false;
    r.set = wire_headers_of(h->opcode);
    while (!ends_line(w)) {
        w = take_word(&line);
        if (!read_word(&r, w))
            return false;
    }
    return is_complete(&r);
}
