/*
 * The recorder's relay again: the first rule that matches and has something left to do wins, and
 * `skip` and `every` count only the packets that reach their rule.
 */
#include "tests/golden/relay.h"

#include <stdlib.h>
#include <string.h>

#include "sim/base/check.h"

void relay_init(struct relay *r, const struct capture *c)
{
    r->c = c;
    r->state = calloc(c->rules + 1, sizeof *r->state);
    CHECK(r->state != NULL);
    for (uint32_t i = 0; i < c->rules; i++)
        r->state[i] = (struct rule_state){.left = c->rule[i].count, .skip = c->rule[i].skip};
}

void relay_fini(struct relay *r) { free(r->state); }

#define BTH_BYTES 12

/* ---- which rule ------------------------------------------------------------------------------- */

static bool matches(const struct capture *c, const struct rule_match *m, const struct packet *p)
{
    uint32_t psn = (uint32_t)(p->col[COL_PSN_REL] + c->side[p->flow].sq_psn) & PSN_MASK;
    bool opcode = m->opcodes == 0, in_psns = m->psns == 0;

    for (uint32_t i = 0; i < m->opcodes; i++)
        opcode = opcode || m->opcode[i] == p->col[COL_OPCODE];
    for (uint32_t i = 0; i < m->psns; i++)
        in_psns = in_psns || m->psn[i] == psn;
    return (m->side < 0 || m->side == (int)p->from) && opcode && in_psns;
}

static bool hits(const struct capture *c, const struct rule *rule, struct rule_state *s,
                 const struct packet *p)
{
    if (s->seen < rule->after_nth) {
        s->seen += matches(c, &rule->after, p);
        return false;
    }
    if (!matches(c, &rule->match, p) || s->left == 0)
        return false;
    if (s->skip > 0) {
        s->skip--;
        return false;
    }
    if (rule->every && ++s->matched % rule->every)
        return false;
    if (s->left > 0)
        s->left--;
    return true;
}

const struct rule *relay_judge(struct relay *r, const struct packet *p)
{
    for (uint32_t i = 0; i < r->c->rules; i++)
        if (hits(r->c, &r->c->rule[i], &r->state[i], p))
            return &r->c->rule[i];
    return NULL;
}

/* ---- rewriting -------------------------------------------------------------------------------- */

static void put_flag(struct wire_hdr *h, unsigned flag, int64_t on)
{
    h->flags = (uint8_t)(on ? h->flags | flag : h->flags & ~flag);
}

/*
 * Another opcode over the same bytes: what follows the BTH is read anew.  An opcode that no packet has
 * leaves it all payload; headers that do not fit make the packet unreadable.
 */
static void set_opcode(struct flight *f, int64_t v)
{
    uint8_t bytes[WIRE_HDR_BYTES_MAX + PAYLOAD_MAX + 4];
    unsigned start, len = wire_encode(&f->h, &f->e, bytes);
    struct wire_hdr was = f->h;

    memcpy(bytes + len, f->payload, f->h.payload_bytes);
    memset(bytes + len + f->h.payload_bytes, 0, 4);
    bytes[0] = (uint8_t)v;
    len += f->h.payload_bytes + wire_pad(f->h.payload_bytes);
    enum wire_decoded d = wire_decode(bytes, len, &f->h, &f->e, &start);
    if (d == WIRE_UNKNOWN_OPCODE) {
        start = BTH_BYTES;
        f->h.payload_bytes = (uint16_t)(len - BTH_BYTES - wire_pad(was.payload_bytes));
    }
    if (d == WIRE_OK || d == WIRE_UNKNOWN_OPCODE)
        memmove(f->payload, bytes + start, f->h.payload_bytes);
    f->unreadable = d == WIRE_SHORT;
    f->h.flags |= was.flags & (WIRE_ECN_LO | WIRE_ECN_HI);
}

static void set_psn(struct flight *f, int64_t v) { f->h.psn = psn((uint32_t)v); }
static void add_psn(struct flight *f, int64_t v) { f->h.psn = psn_add(f->h.psn, (uint32_t)v); }
static void set_ackreq(struct flight *f, int64_t v) { put_flag(&f->h, WIRE_ACKREQ, v); }
static void set_fecn(struct flight *f, int64_t v) { put_flag(&f->h, WIRE_FECN, v); }
static void set_becn(struct flight *f, int64_t v) { put_flag(&f->h, WIRE_BECN, v); }
static void set_pkey(struct flight *f, int64_t v) { f->h.pkey = (uint16_t)v; }
static void set_tver(struct flight *f, int64_t v) { f->h.tver = (uint8_t)v; }
static void set_dqpn(struct flight *f, int64_t v) { f->h.dest_qp = (uint32_t)v; }
static void add_dqpn(struct flight *f, int64_t v) { f->h.dest_qp += (uint32_t)v; }
static void set_syndrome(struct flight *f, int64_t v) { f->h.syndrome = (uint8_t)v; }
static void set_msn(struct flight *f, int64_t v) { f->h.msn = (uint32_t)v; }
static void set_rkey(struct flight *f, int64_t v) { f->h.rkey = (uint32_t)v; }
static void add_va(struct flight *f, int64_t v) { f->h.va += (uint64_t)v; }
static void set_dmalen(struct flight *f, int64_t v) { f->h.dmalen = (uint32_t)v; }
static void set_qkey(struct flight *f, int64_t v) { f->e.qkey = (uint32_t)v; }
static void set_ecn(struct flight *f, int64_t v)
{
    put_flag(&f->h, WIRE_ECN_LO, v & 1);
    put_flag(&f->h, WIRE_ECN_HI, v & 2);
}
static void set_pad(struct flight *f, int64_t v)
{
    unsigned whole = f->h.payload_bytes + wire_pad(f->h.payload_bytes);
    f->h.payload_bytes = (uint16_t)(whole > v ? whole - v : 0);
}

static const struct {
    const char *name;
    void (*set)(struct flight *f, int64_t v);
} setters[] = {
    {"op", set_opcode},     {"psn", set_psn},   {"psn_add", add_psn}, {"ackreq", set_ackreq},
    {"pkey", set_pkey},     {"tver", set_tver}, {"pad", set_pad},     {"dqpn", set_dqpn},
    {"dqpn_add", add_dqpn}, {"fecn", set_fecn}, {"becn", set_becn},   {"ecn", set_ecn},
    {"syn", set_syndrome},  {"msn", set_msn},   {"rkey", set_rkey},   {"va_add", add_va},
    {"dmalen", set_dmalen}, {"qkey", set_qkey},
};

bool relay_rewrite(const struct capture *c, const struct rule *r, struct flight *f,
                   struct trouble *why)
{
    for (uint32_t i = 0; i < r->sets; i++) {
        size_t k = 0;
        while (k < sizeof setters / sizeof setters[0] && strcmp(setters[k].name, r->set[i].name))
            k++;
        if (k == sizeof setters / sizeof setters[0])
            return trouble_say(why, "inject: cannot rewrite the field \"%s\"", r->set[i].name);
        setters[k].set(f, r->set[i].value);
    }
    return true;
}
