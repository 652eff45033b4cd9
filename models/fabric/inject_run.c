/*
 * Rules at work.
 *
 * A packet is matched, then picked: of the packets that match and that no earlier rule took, the
 * rule lets `skip` pass, then takes every `every`-th with probability p, `count` at most.  A rule
 * whose count is used up does not see packets any more.  `tx` is a property of the packet, not of
 * what reached the rule: transmissions are counted even where an earlier rule took the packet.
 *
 * Forged packets and copies (PKT_INJECTED) are no rule's prey: only a link that is down stops them.
 */
#include "models/fabric/inject_run.h"

#include <stdlib.h>
#include <string.h>

#include "models/fabric/fab.h"
#include "sim/base/check.h"
#include "sim/base/rng.h"

/* How often each (hosts, DestQP, PSN, operation) was sent: open addressing, at most half full. */
struct tx_entry {
    uint64_t hosts_psn; /* src 16, dst 16, psn 24, operation 8 */
    uint32_t dest_qp;
    uint32_t count; /* 0: empty */
};

struct tx_table {
    struct tx_entry *entry;
    uint32_t used, cap;
};

struct rule_state {
    uint64_t seen, fired;
    struct loss_state chance;
    struct loss_plan plan;
    struct tx_table tx;
};

struct inject_run {
    struct inject_list list;
    struct rule_state *state;
};

static void rule_begin(struct rule_state *s, const struct inject_pick *k, struct loss_state chance)
{
    s->chance = chance;
    loss_plan_init(&s->plan, &k->loss, k->p_threshold);
}

struct inject_run *inject_run_new(const struct inject_list *list, uint64_t seed)
{
    struct inject_run *r = calloc(1, sizeof *r);
    CHECK(r);
    if (!list || list->count == 0)
        return r;
    r->list = *list;
    r->list.rule = malloc(list->count * sizeof *list->rule);
    r->state = calloc(list->count, sizeof *r->state);
    CHECK(r->list.rule && r->state);
    memcpy(r->list.rule, list->rule, list->count * sizeof *list->rule);
    for (uint32_t i = 0; i < list->count; i++)
        rule_begin(&r->state[i], &list->rule[i].pick, loss_state(seed, RNG_RULE, i));
    return r;
}

void inject_run_free(struct inject_run *r)
{
    if (!r)
        return;
    for (uint32_t i = 0; i < r->list.count; i++) {
        free(r->state[i].tx.entry);
        loss_plan_fini(&r->state[i].plan);
    }
    free(r->list.rule);
    free(r->state);
    free(r);
}

const struct inject_list *inject_rules(const struct inject_run *r) { return &r->list; }
uint64_t inject_fired(const struct inject_run *r, uint32_t rule) { return r->state[rule].fired; }

/* ---- which links ----------------------------------------------------------------------------- */

static bool alters_packets(enum inject_action a) { return a <= INJ_REWRITE || a == INJ_LINK_DOWN; }

static bool has_link(const struct inject_match *m) { return m->link_a != INJECT_ANY; }

bool inject_looks_at(const struct inject_rule *rule, uint32_t from, uint32_t to, uint32_t hosts)
{
    const struct inject_match *m = &rule->match;
    int64_t a = m->link_a, b = m->link_b, f = from, t = to;
    if (!alters_packets(rule->action))
        return false;
    if (has_link(m))
        return (f == a && t == b) || (f == b && t == a);
    return from < hosts && (m->from == INJECT_ANY || m->from == f);
}

bool inject_reorders(const struct inject_rule *rule)
{
    return (rule->action == INJ_DELAY || rule->action == INJ_DUP) && rule->delay_ps > 0;
}

bool inject_asks_ip_id(const struct inject_rule *rule) { return rule->match.ip_mask != 0; }

static bool draws(const struct inject_pick *k)
{
    return k->p_threshold != UINT64_MAX || k->loss.model != LOSS_BERNOULLI;
}

bool inject_is_pinned(const struct inject_rule *rule)
{
    const struct inject_match *m = &rule->match;
    const struct inject_pick *k = &rule->pick;
    bool counts = k->skip > 0 || k->count != UINT64_MAX || k->every > 1 ||
                  draws(k) || m->tx > 0;
    return !alters_packets(rule->action) || rule->action == INJ_LINK_DOWN || !counts ||
           m->from != INJECT_ANY || (has_link(m) && m->to != INJECT_ANY);
}

/* ---- which packets --------------------------------------------------------------------------- */

static bool matches(const struct inject_match *m, const struct pkt *p, uint32_t first_psn)
{
    const struct wire_hdr *h = &p->h;
    return (m->from == INJECT_ANY || m->from == p->src_host) &&
           (m->to == INJECT_ANY || m->to == p->dst_host) &&
           (m->opcode == INJECT_ANY || m->opcode == h->opcode.v) &&
           (m->op == INJECT_ANY || m->op == (int32_t)wire_op_of(h->opcode)) &&
           (m->classes == 0 || (m->classes >> fab_class_of(h) & 1)) &&
           (m->qp == INJECT_ANY || m->qp == h->dest_qp) &&
           (m->ip_mask & p->ip_id) == m->ip_id &&
           (!m->has_psn || psn_eq(h->psn, psn(first_psn + (uint32_t)m->psn)));
}

static struct tx_entry *tx_slot(struct tx_entry *table, uint32_t cap, const struct tx_entry *key)
{
    uint32_t i = (uint32_t)rng_mix(key->hosts_psn ^ (uint64_t)key->dest_qp << 20);
    for (;; i++) {
        struct tx_entry *e = &table[i & (cap - 1)];
        if (e->count == 0 || (e->hosts_psn == key->hosts_psn && e->dest_qp == key->dest_qp))
            return e;
    }
}

static void tx_grow(struct tx_table *t)
{
    uint32_t cap = t->cap ? 2 * t->cap : 16;
    struct tx_entry *entry = calloc(cap, sizeof *entry);
    CHECK(entry);
    for (uint32_t i = 0; i < t->cap; i++) {
        if (t->entry[i].count > 0)
            *tx_slot(entry, cap, &t->entry[i]) = t->entry[i];
    }
    free(t->entry);
    t->entry = entry;
    t->cap = cap;
}

/* Which transmission of its kind this packet is, from 1. */
static uint32_t tx_count(struct tx_table *t, const struct pkt *p)
{
    struct tx_entry key = {(uint64_t)p->src_host << 48 | (uint64_t)p->dst_host << 32 |
                               (uint64_t)p->h.psn.v << 8 | p->h.opcode.v,
                           p->h.dest_qp, 0};
    if (2 * t->used >= t->cap)
        tx_grow(t);
    struct tx_entry *e = tx_slot(t->entry, t->cap, &key);
    if (e->count == 0) {
        *e = key;
        t->used++;
    }
    return ++e->count;
}

/* Of the packets that match, does the rule take this one? */
static bool picks(const struct inject_pick *k, struct rule_state *s, uint32_t wire_bytes)
{
    if (s->fired >= k->count)
        return false;
    s->seen++;
    if (s->seen <= k->skip || (s->seen - k->skip) % (k->every ? k->every : 1) != 0)
        return false;
    return !draws(k) || loss_hits(&s->plan, &s->chance, wire_bytes);
}

static bool is_down(const struct inject_rule *rule, tm_ps now, tm_ps until)
{
    return rule->action == INJ_LINK_DOWN && window_meets(&rule->when, now, until - 1);
}

/* Is this a time at which the rule looks at packets? */
static bool is_awake(const struct inject_rule *rule, tm_ps now)
{
    return rule->when.until_ps == 0 || window_meets(&rule->when, now, now);
}

const struct inject_rule *inject_judge(struct inject_run *r, const uint32_t *rule, uint32_t rules,
                                       const struct pkt *p, tm_ps now, tm_ps until)
{
    const struct inject_rule *acts = NULL;
    for (uint32_t i = 0; i < rules && !acts; i++) {
        const struct inject_rule *q = &r->list.rule[rule[i]];
        if (is_down(q, now, until)) {
            r->state[rule[i]].fired++;
            acts = q;
        }
    }
    for (uint32_t i = 0; i < rules && !(p->note & PKT_INJECTED); i++) {
        const struct inject_rule *q = &r->list.rule[rule[i]];
        struct rule_state *s = &r->state[rule[i]];
        if (q->action == INJ_LINK_DOWN || !matches(&q->match, p, r->list.first_psn))
            continue;
        if (q->match.tx > 0 && tx_count(&s->tx, p) != q->match.tx)
            continue;
        if (acts || !is_awake(q, now) || !picks(&q->pick, s, p->wire_bytes))
            continue;
        s->fired++;
        acts = q;
    }
    return acts;
}

/* ---- fields ---------------------------------------------------------------------------------- */

static uint8_t with_flag(uint8_t flags, unsigned flag, bool on)
{
    return (uint8_t)(on ? flags | flag : flags & ~flag);
}

static void set_field(struct wire_hdr *h, enum inject_field field, int64_t value)
{
    uint32_t v = (uint32_t)value;
    switch (field) {
    case INJF_OPCODE:
        h->opcode.v = (uint8_t)v;
        break;
    case INJF_PSN:
        h->psn = psn(v);
        break;
    case INJF_PSN_ADD:
        h->psn = psn_add(h->psn, v);
        break;
    case INJF_ACKREQ:
        h->flags = with_flag(h->flags, WIRE_ACKREQ, v != 0);
        break;
    case INJF_SYNDROME:
        h->syndrome = (uint8_t)v;
        break;
    case INJF_MSN:
        h->msn = v & 0xffffff;
        break;
    case INJF_DEST_QP:
        h->dest_qp = v & 0xffffff;
        break;
    case INJF_PKEY:
        h->pkey = (uint16_t)v;
        break;
    case INJF_TVER:
        h->tver = v & 15;
        break;
    case INJF_VA:
        h->va = (uint64_t)value;
        break;
    case INJF_VA_ADD:
        h->va += (uint64_t)value;
        break;
    case INJF_RKEY:
        h->rkey = v;
        break;
    case INJF_DMALEN:
        h->dmalen = v;
        break;
    case INJF_SE:
        h->flags = with_flag(h->flags, WIRE_SE, v != 0);
        break;
    case INJF_ECN:
        h->flags = with_flag(h->flags, WIRE_ECN_LO, (v & 1) != 0);
        h->flags = with_flag(h->flags, WIRE_ECN_HI, (v & 2) != 0);
        break;
    case INJF_IMM:
        h->imm = v;
        break;
    case INJF_PAYLOAD:
        h->payload_bytes = (uint16_t)v;
        break;
    case INJF_FIELDS:
        CHECK(!"a field");
        break;
    }
}

void inject_rewrite(const struct inject_rule *rule, struct pkt *p, enum wire_encap encap)
{
    for (uint32_t i = 0; i < rule->sets; i++)
        set_field(&p->h, rule->set[i].field, rule->set[i].value);
    p->wire_bytes = (uint16_t)wire_bytes(&p->h, encap);
}

/* What `match` names and no `set` does is a field of the packet too. */
void inject_forge(struct inject_run *r, uint32_t rule, enum wire_encap encap, struct pkt *out)
{
    const struct inject_rule *q = &r->list.rule[rule];
    const struct inject_match *m = &q->match;
    *out = (struct pkt){
        .note = PKT_INJECTED, .src_host = (uint16_t)m->from, .dst_host = (uint16_t)m->to};
    out->h.pkey = 0xffff;
    out->h.flags = WIRE_MIGREQ;
    out->h.psn = psn(r->list.first_psn + (m->has_psn ? (uint32_t)m->psn : 0));
    if (m->opcode != INJECT_ANY)
        out->h.opcode.v = (uint8_t)m->opcode;
    if (m->qp != INJECT_ANY)
        out->h.dest_qp = (uint32_t)m->qp & 0xffffff;
    inject_rewrite(q, out, encap);
    r->state[rule].fired++;
}
