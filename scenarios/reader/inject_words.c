/*
 * The words of an [inject] line: see inject_words.h.
 *
 * Two words share the name psn: with a + it selects packets (counted from the flow's first PSN), without
 * it sets the field.  In a forged packet there is nothing to select, and + counts likewise.
 */
#include "scenarios/reader/inject_words.h"

#include <glib.h>
#include <string.h>

#include "scenarios/reader/keys.h"
#include "scenarios/reader/nearest.h"
#include "scenarios/reader/value.h"

struct words words_split(const char *text, const struct inject_env *env)
{
    struct words w = {g_strsplit_set(text, " \t", -1), 0, 0, env, 0};
    for (char **p = w.part; *p; p++) {
        if (**p)
            w.part[w.count++] = *p;
        else
            g_free(*p);
    }
    w.part[w.count] = NULL;
    return w;
}

void words_clear(struct words *w) { g_strfreev(w->part); }

char *words_next(struct words *w) { return w->at < w->count ? w->part[w->at++] : NULL; }

const char *words_peek(const struct words *w) { return w->at < w->count ? w->part[w->at] : NULL; }

/* ---- plain values ------------------------------------------------------------------------------------- */

static bool word_u64(const char *text, uint64_t min, uint64_t max, const char *noun, uint64_t *out,
                     struct sc_error *err)
{
    uint64_t n;
    enum value_fault f = value_whole(text, &n);
    if (f != VALUE_OK || n < min || n > max)
        return sc_fail(err, "'%s' is not %s; give a whole number from %llu to %llu", text, noun,
                       (unsigned long long)min, (unsigned long long)max);
    *out = n;
    return true;
}

bool word_u32(const char *text, uint32_t min, uint32_t max, const char *noun, uint32_t *out,
              struct sc_error *err)
{
    uint64_t n;
    if (!word_u64(text, min, max, noun, &n, err))
        return false;
    *out = (uint32_t)n;
    return true;
}

bool word_time(const char *text, tm_ps *out, struct sc_error *err)
{
    uint64_t n;
    enum value_fault f = value_with_unit(text, &unit_time, &n);
    if (f == VALUE_OK && n >= (uint64_t)(8640000 * TM_S))
        f = VALUE_TOO_BIG;
    if (f != VALUE_OK)
        return sc_fail(err, "'%s' %s; give a time such as 10us (units: %s)", text,
                       value_fault_text(f), unit_time.names);
    *out = (tm_ps)n;
    return true;
}

bool word_span(const char *text, struct window *out, struct sc_error *err)
{
    char **part = g_strsplit(text, "..", 2);
    bool ok = part[0] && part[1];
    *out = (struct window){0, TM_NEVER, 0, 0};
    if (!ok)
        sc_fail(err, "'%s' is not a span of time; write 1ms..2ms, or 1ms.. for ever", text);
    ok = ok && word_time(part[0], &out->from_ps, err) &&
         (!part[1][0] || word_time(part[1], &out->until_ps, err));
    if (ok && out->from_ps >= out->until_ps)
        ok = sc_fail(err, "the span '%s' ends before it begins; give the earlier time first", text);
    g_strfreev(part);
    return ok;
}

bool word_host(const struct inject_env *env, const char *text, uint32_t *out, struct sc_error *err)
{
    uint32_t n;
    const char *digits = text[0] == 'h' ? text + 1 : text;
    if (!word_u32(digits, 0, UINT32_MAX, "a host", &n, err) || n >= env->hosts)
        return sc_fail(err, "'%s' is not a host of this fabric; give a number from 0 to %u", text,
                       env->hosts - 1);
    *out = n;
    return true;
}

/* ---- links -------------------------------------------------------------------------------------------- */

/* "3", "h3", "s0": hosts are numbered first, then switches. */
static bool read_node(const struct inject_env *env, const char *text, uint32_t *out)
{
    uint64_t n;
    bool is_host = text[0] == 'h', is_switch = text[0] == 's';
    if (value_whole(is_host || is_switch ? text + 1 : text, &n) != VALUE_OK)
        return false;
    if (is_host && n >= env->hosts)
        return false;
    if (n > UINT32_MAX)
        return false;
    n += is_switch ? env->hosts : 0;
    if (n >= (uint64_t)env->hosts + env->topo->switches)
        return false;
    *out = (uint32_t)n;
    return true;
}

static void link_examples(const struct inject_env *env, char *out, size_t size)
{
    const struct topo *t = env->topo;
    int n = snprintf(out, size, "%s", t->edges == 1 ? "the only link is " : "there are such as ");
    for (uint32_t e = 0; e < t->edges && e < 2; e++) {
        const struct topo_edge *c = &t->edge[e * (t->edges - 1)];
        bool a = c->a < t->hosts, b = c->b < t->hosts;
        n += snprintf(out + n, size - (size_t)n, "%s%c%u-%c%u", e == 0 ? "" : " and ", a ? 'h' : 's',
                      a ? c->a : c->a - t->hosts, b ? 'h' : 's', b ? c->b : c->b - t->hosts);
    }
}

bool word_link(const struct inject_env *env, const char *text, struct inject_match *m,
               struct sc_error *err)
{
    char **part = g_strsplit(text, "-", 2);
    uint32_t a, b;
    bool ok = part[0] && part[1] && read_node(env, part[0], &a) && read_node(env, part[1], &b) &&
              topo_joins(env->topo, a, b);
    g_strfreev(part);
    if (!ok) {
        char examples[64];
        link_examples(env, examples, sizeof examples);
        return sc_fail(err, "'%s' is not a link of this fabric; %s", text, examples);
    }
    m->link_a = (int32_t)a;
    m->link_b = (int32_t)b;
    return true;
}

/* ---- key=value words ------------------------------------------------------------------------------------ */

typedef bool word_reader(const struct inject_env *env, const char *value, struct inject_rule *r,
                         struct sc_error *err);

static bool take_from(const struct inject_env *env, const char *v, struct inject_rule *r,
                      struct sc_error *err)
{
    uint32_t host;
    if (r->match.from != INJECT_ANY)
        return sc_fail(err, "from stands beside dir; give one of them");
    if (!word_host(env, v, &host, err))
        return false;
    r->match.from = (int32_t)host;
    return true;
}

static bool take_to(const struct inject_env *env, const char *v, struct inject_rule *r,
                    struct sc_error *err)
{
    uint32_t host;
    if (r->match.to != INJECT_ANY)
        return sc_fail(err, "to stands beside dir; give one of them");
    if (!word_host(env, v, &host, err))
        return false;
    r->match.to = (int32_t)host;
    return true;
}

static bool take_dir(const struct inject_env *env, const char *v, struct inject_rule *r,
                     struct sc_error *err)
{
    bool forth = strcmp(v, "a2b") == 0;
    if (!forth && strcmp(v, "b2a") != 0)
        return sc_fail(err, "the direction '%s' is unknown; give a2b (host 0 to 1) or b2a", v);
    if (env->hosts != 2)
        return sc_fail(err, "dir needs a fabric of two hosts, this one has %u; give from and to",
                       env->hosts);
    if (r->match.from != INJECT_ANY || r->match.to != INJECT_ANY)
        return sc_fail(err, "dir stands beside from or to; give one of them");
    r->match.from = forth ? 0 : 1;
    r->match.to = forth ? 1 : 0;
    return true;
}

static bool take_class(const struct inject_env *env, const char *v, struct inject_rule *r,
                       struct sc_error *err)
{
    const struct key *k = key_find("fabric", "loss.class");
    struct value got;
    if (!key_parse(k, v, &got, err))
        return false;
    r->match.classes = (uint32_t)got.n;
    value_clear(&got);
    return true;
}

/* Where the operation begins in "RC_SEND_ONLY"; the text itself if no service stands before it. */
static const char *skip_prefix(const char *text)
{
    for (int p = 0; p < WIRE_PREFIXES; p++) {
        const char *name = wire_prefix_name((enum wire_prefix)p);
        size_t len = name ? strlen(name) : 0;
        if (len > 0 && strncmp(text, name, len) == 0 && text[len] == '_')
            return text + len + 1;
    }
    return text;
}

static bool refuse_op(const char *v, struct sc_error *err)
{
    const char *op = skip_prefix(v);
    struct nearest n = nearest_to(op);
    for (int i = 0; i < OP_COUNT; i++)
        nearest_try(&n, wire_op_table[i].name);
    if (n.best)
        return sc_fail(err, "the operation '%s' is unknown; did you mean '%.*s%s'?", v,
                       (int)(op - v), v, n.best);
    return sc_fail(err,
                   "the operation '%s' is unknown; give one such as RC_SEND_ONLY, or "
                   "SEND_ONLY for every service",
                   v);
}

/* "RC_SEND_ONLY" is a whole opcode, "SEND_ONLY" the operation of any service. */
static bool take_op(const struct inject_env *env, const char *v, struct inject_rule *r,
                    struct sc_error *err)
{
    struct wire_opcode whole;
    if (wire_opcode_parse(v, &whole)) {
        r->match.opcode = whole.v;
        return true;
    }
    for (int i = 0; i < OP_COUNT; i++)
        if (strcmp(wire_op_table[i].name, v) == 0) {
            r->match.op = i;
            return true;
        }
    return refuse_op(v, err);
}

static bool take_psn_match(const struct inject_env *env, const char *v, struct inject_rule *r,
                           struct sc_error *err)
{
    uint64_t n;
    if (v[0] != '+')
        return sc_fail(err, "psn counts from the flow's first one; write psn=+5");
    if (!word_u64(v + 1, 0, PSN_MASK, "a PSN", &n, err))
        return false;
    r->match.psn = (int64_t)n;
    r->match.has_psn = true;
    return true;
}

static bool take_qp(const struct inject_env *env, const char *v, struct inject_rule *r,
                    struct sc_error *err)
{
    uint64_t n;
    if (!word_u64(v, 0, PSN_MASK, "a QP number", &n, err))
        return false;
    r->match.qp = (int64_t)n;
    return true;
}

static bool take_tx(const struct inject_env *env, const char *v, struct inject_rule *r,
                    struct sc_error *err)
{
    return word_u32(v, 1, 1000000, "a transmission's number", &r->match.tx, err);
}

static bool take_link(const struct inject_env *env, const char *v, struct inject_rule *r,
                      struct sc_error *err)
{
    return word_link(env, v, &r->match, err);
}

static bool take_skip(const struct inject_env *env, const char *v, struct inject_rule *r,
                      struct sc_error *err)
{
    return word_u64(v, 0, (uint64_t)1 << 62, "a number of packets", &r->pick.skip, err);
}

static bool take_count(const struct inject_env *env, const char *v, struct inject_rule *r,
                       struct sc_error *err)
{
    r->pick.count = UINT64_MAX;
    return strcmp(v, "all") == 0 ||
           word_u64(v, 1, (uint64_t)1 << 62, "a number of packets or all", &r->pick.count, err);
}

static bool take_every(const struct inject_env *env, const char *v, struct inject_rule *r,
                       struct sc_error *err)
{
    return word_u64(v, 1, (uint64_t)1 << 62, "a number of packets", &r->pick.every, err);
}

/* As a key of [fabric] has it. */
static bool take_number(const char *key, const char *text, uint64_t *out, struct sc_error *err)
{
    struct value got;
    if (!key_parse(key_find("fabric", key), text, &got, err))
        return false;
    *out = got.n;
    value_clear(&got);
    return true;
}

static bool take_p(const struct inject_env *env, const char *v, struct inject_rule *r,
                   struct sc_error *err)
{
    return take_number("loss.rate", v, &r->pick.p_threshold, err);
}

static bool take_burst(const struct inject_env *env, const char *v, struct inject_rule *r,
                       struct sc_error *err)
{
    r->pick.loss.model = LOSS_GILBERT_ELLIOTT;
    return take_number("loss.burst", v, &r->pick.loss.burst_milli, err);
}

static bool take_ber(const struct inject_env *env, const char *v, struct inject_rule *r,
                     struct sc_error *err)
{
    r->pick.loss.model = LOSS_BER;
    return take_number("loss.ber", v, &r->pick.loss.ber, err);
}

/* LOW/MASK, or the whole number */
static bool take_ip_id(const struct inject_env *env, const char *v, struct inject_rule *r,
                       struct sc_error *err)
{
    uint32_t id = 0, mask = UINT16_MAX;
    if (!env->has_ip_id)
        return sc_fail(err, "only IPv4 has an identification; give fabric.encap = rocev2");
    char **part = g_strsplit(v, "/", 2);
    bool ok = word_u32(part[0] ? part[0] : "", 0, UINT16_MAX, "an IP identification", &id, err) &&
              (!part[1] || word_u32(part[1], 1, UINT16_MAX, "a mask", &mask, err));
    g_strfreev(part);
    if (ok && (id & ~mask))
        return sc_fail(err, "ip_id=%s never holds: the mask leaves out bits of the number", v);
    r->match.ip_id = (uint16_t)id;
    r->match.ip_mask = (uint16_t)mask;
    return ok;
}

static bool take_during(const struct inject_env *env, const char *v, struct inject_rule *r,
                        struct sc_error *err)
{
    return word_span(v, &r->when, err);
}

static bool take_period(const struct inject_env *env, const char *v, struct inject_rule *r,
                        struct sc_error *err)
{
    return word_time(v, &r->when.every_ps, err);
}

static bool take_times(const struct inject_env *env, const char *v, struct inject_rule *r,
                       struct sc_error *err)
{
    return strcmp(v, "all") == 0 ||
           word_u32(v, 1, UINT32_MAX, "a number of times or all", &r->when.count, err);
}

static bool take_byte(const struct inject_env *env, const char *v, struct inject_rule *r,
                      struct sc_error *err)
{
    return word_u32(v, 0, 9000, "a byte's offset from the BTH", &r->at_byte, err);
}

static bool take_when(const struct inject_env *env, const char *v, struct inject_rule *r,
                      struct sc_error *err)
{
    return word_time(v, &r->when.from_ps, err);
}

struct word {
    const char *key;
    uint32_t use;
    word_reader *take;
};
static const struct word word_table[] = {
    {"from", USE_MATCH | USE_ENDS, take_from},
    {"to", USE_MATCH | USE_ENDS, take_to},
    {"dir", USE_MATCH | USE_ENDS, take_dir},
    {"class", USE_MATCH, take_class},
    {"op", USE_MATCH, take_op},
    {"psn", USE_MATCH, take_psn_match},
    {"qp", USE_MATCH, take_qp},
    {"tx", USE_MATCH, take_tx},
    {"link", USE_MATCH, take_link},
    {"ip_id", USE_MATCH, take_ip_id},
    {"during", USE_MATCH, take_during},
    {"skip", USE_PICK, take_skip},
    {"count", USE_PICK, take_count},
    {"every", USE_PICK, take_every},
    {"p", USE_PICK, take_p},
    {"burst", USE_PICK, take_burst},
    {"ber", USE_PICK, take_ber},
    {"every", USE_AGAIN, take_period},
    {"count", USE_AGAIN, take_times},
    {"at", USE_BYTE, take_byte},
    {"at", USE_WHEN, take_when},
};

/* ---- fields that rewrite and forge set ------------------------------------------------------------------ */

struct field {
    const char *key;
    enum inject_field field;
    uint64_t max;
    bool is_signed; /* an amount to add */
};
static const struct field field_table[] = {
    {"opcode", INJF_OPCODE, 255, false},
    {"psn", INJF_PSN, PSN_MASK, false},
    {"psn_add", INJF_PSN_ADD, PSN_MASK, true},
    {"ackreq", INJF_ACKREQ, 1, false},
    {"syndrome", INJF_SYNDROME, 255, false},
    {"msn", INJF_MSN, PSN_MASK, false},
    {"dest_qp", INJF_DEST_QP, PSN_MASK, false},
    {"pkey", INJF_PKEY, 65535, false},
    {"tver", INJF_TVER, 15, false},
    {"va", INJF_VA, INT64_MAX, false},
    {"va_add", INJF_VA_ADD, INT64_MAX, true},
    {"rkey", INJF_RKEY, UINT32_MAX, false},
    {"dmalen", INJF_DMALEN, UINT32_MAX, false},
    {"se", INJF_SE, 1, false},
    {"ecn", INJF_ECN, 3, false},
    {"imm", INJF_IMM, UINT32_MAX, false},
    {"payload", INJF_PAYLOAD, 4096, false},
};
G_STATIC_ASSERT(G_N_ELEMENTS(field_table) == INJF_FIELDS);

static bool refuse_field(const struct field *f, const char *value, struct sc_error *err)
{
    if (f->is_signed)
        return sc_fail(err, "'%s' cannot be added in %s; give a whole number such as 5 or -5",
                       value, f->key);
    return sc_fail(err, "'%s' does not fit the field %s; give a whole number from 0 to %llu", value,
                   f->key, (unsigned long long)f->max);
}

static bool read_field(const struct inject_env *env, const struct field *f, const char *value,
                       int64_t *out, struct sc_error *err)
{
    struct wire_opcode whole;
    uint64_t n;
    bool minus = f->is_signed && value[0] == '-';
    bool relative = f->field == INJF_PSN && value[0] == '+';
    if (f->field == INJF_OPCODE && wire_opcode_parse(value, &whole)) {
        *out = whole.v;
        return true;
    }
    if (value_whole(value + (minus || relative || (f->is_signed && value[0] == '+')), &n) !=
            VALUE_OK ||
        n > f->max)
        return refuse_field(f, value, err);
    *out = minus ? -(int64_t)n : relative ? (int64_t)((env->first_psn + n) & PSN_MASK) : (int64_t)n;
    return true;
}

static bool take_field(const struct inject_env *env, const struct field *f, const char *value,
                       struct inject_rule *r, struct sc_error *err)
{
    struct inject_set s = {f->field, 0};
    if (r->sets == INJECT_SETS_MAX)
        return sc_fail(err, "a rule sets at most %d fields", INJECT_SETS_MAX);
    for (uint32_t i = 0; i < r->sets; i++)
        if (r->set[i].field == f->field)
            return sc_fail(err, "the field %s is set twice; set it once", f->key);
    if (!read_field(env, f, value, &s.value, err))
        return false;
    r->set[r->sets++] = s;
    return true;
}

/* ---- dispatch ------------------------------------------------------------------------------------------- */

static const struct word *find_word(const char *key, uint32_t uses)
{
    for (size_t i = 0; i < G_N_ELEMENTS(word_table); i++)
        if ((word_table[i].use & uses) && strcmp(word_table[i].key, key) == 0)
            return &word_table[i];
    return NULL;
}

static const struct field *find_field(const char *key, uint32_t uses)
{
    for (size_t i = 0; i < G_N_ELEMENTS(field_table) && (uses & USE_FIELD); i++)
        if (strcmp(field_table[i].key, key) == 0)
            return &field_table[i];
    return NULL;
}

bool words_seen(const struct words *w, const char *key)
{
    for (size_t i = 0; i < G_N_ELEMENTS(word_table); i++)
        if ((w->seen >> i & 1) && strcmp(word_table[i].key, key) == 0)
            return true;
    return false;
}

static bool refuse_word(const char *key, uint32_t uses, struct sc_error *err)
{
    struct nearest n = nearest_to(key);
    for (size_t i = 0; i < G_N_ELEMENTS(word_table); i++)
        if (word_table[i].use & uses)
            nearest_try(&n, word_table[i].key);
    for (size_t i = 0; i < G_N_ELEMENTS(field_table); i++)
        if (uses & USE_FIELD)
            nearest_try(&n, field_table[i].key);
    if (find_word(key, UINT32_MAX) || find_field(key, UINT32_MAX))
        return sc_fail(err, "%s= has no meaning with this action", key);
    if (n.best)
        return sc_fail(err, "there is no %s=; did you mean %s=?", key, n.best);
    return sc_fail(err, "there is no %s=; `rdmasim keys inject` lists what there is", key);
}

bool word_take(struct words *w, uint32_t uses, const char *key, const char *value,
               struct inject_rule *r, struct sc_error *err)
{
    const struct field *f = find_field(key, uses);
    const struct word *word = find_word(key, uses);
    if (f && word && value[0] != '+')
        word = NULL; /* psn=5 sets, psn=+5 selects */
    if (!word && f)
        return take_field(w->env, f, value, r, err);
    if (!word)
        return refuse_word(key, uses, err);
    uint64_t bit = (uint64_t)1 << (word - word_table);
    if (w->seen & bit)
        return sc_fail(err, "%s= stands twice; give it once", key);
    w->seen |= bit;
    return word->take(w->env, value, r, err);
}

static bool repeats_agree(const struct words *w, const struct window *when, struct sc_error *err)
{
    if (words_seen(w, "count") && !words_seen(w, "every"))
        return sc_fail(err, "count= says how often, and nothing from when to when; give every=T");
    if (words_seen(w, "every") && when->until_ps == TM_NEVER)
        return sc_fail(err, "what lasts for ever does not come again; give both times, or no every=");
    if (words_seen(w, "every") && when->every_ps <= when->until_ps - when->from_ps)
        return sc_fail(err, "it would begin again before it has ended; give a longer every=");
    return true;
}

static bool chances_agree(const struct words *w, const struct inject_pick *k, struct sc_error *err)
{
    if (words_seen(w, "ber") && (words_seen(w, "p") || words_seen(w, "burst")))
        return sc_fail(err, "ber stands beside p or burst; give one of them");
    if (words_seen(w, "burst") && !words_seen(w, "p"))
        return sc_fail(err, "burst= says how long bursts are, and nothing how much they hit; give p=P");
    const char *why = loss_refuse(&k->loss, k->p_threshold);
    return !why || sc_fail(err, "%s; give a smaller p or a longer burst", why);
}

bool words_agree(const struct words *w, const struct inject_rule *r, struct sc_error *err)
{
    bool is_event = r->action == INJ_LINK_DOWN || r->action == INJ_ACT;
    return is_event ? repeats_agree(w, &r->when, err) : chances_agree(w, &r->pick, err);
}
