/*
 * What a key of each kind accepts, stores and prints.
 *
 * One function a kind and direction; parsing touches no scenario and storing cannot fail, so a
 * scenario is filled only after every text was found right.
 */
#include <string.h>

#include "scenarios/reader/fault_text.h"
#include "scenarios/reader/keys.h"
#include "scenarios/reader/nearest.h"
#include "sim/base/check.h"

#define LIST_MAX 12
_Static_assert(METER_BUCKETS_MAX == LIST_MAX && XP_RUNGS_MAX == LIST_MAX, "lists of either kind");

void value_clear(struct value *v)
{
    g_free(v->list);
    g_free(v->text);
    *v = (struct value){0};
}

/* "'5 apples' has an unknown unit; give a size such as ...; advice" */
static bool refuse(const struct key *k, const char *text, const char *what, struct sc_error *err)
{
    GString *allowed = g_string_new(NULL);
    key_allowed(k, allowed);
    sc_fail(err, "'%.200s' %s; give %s%s%s", text, what, allowed->str, k->advice ? " (" : "",
            k->advice ? k->advice : "");
    if (k->advice)
        g_strlcat(err->text, ")", sizeof err->text);
    g_string_free(allowed, TRUE);
    return false;
}

/* Words such as "none" stand beside numbers; true if text is one. */
static bool parse_word(const struct key *k, const char *text, struct value *out)
{
    for (const struct choice *c = k->choice; c && c->name; c++)
        if (strcmp(c->name, text) == 0 && !c->later) {
            out->n = c->value;
            return true;
        }
    return false;
}

static const char *word_of(const struct key *k, uint64_t n)
{
    for (const struct choice *c = k->choice; c && c->name; c++)
        if (!c->later && c->value == n)
            return c->name;
    return NULL;
}

static bool in_range(const struct key *k, uint64_t n, const char *text, struct sc_error *err)
{
    if (n < k->min || n > k->max)
        return refuse(k, text, "is out of range", err);
    return true;
}

/* ---- parsing --------------------------------------------------------------------------------- */

static bool parse_text(const struct key *k, const char *text, struct value *out,
                       struct sc_error *err)
{
    out->text = g_strdup(text);
    return true;
}

static bool parse_name(const struct key *k, const char *text, struct value *out,
                       struct sc_error *err)
{
    if (strlen(text) > 200)
        return refuse(k, text, "is too long for a name", err);
    if (k->kind == KIND_NAME && strchr(text, '/'))
        return refuse(k, text, "is a path", err);
    if (k->kind == KIND_NAME && g_str_has_suffix(text, ".ini"))
        return refuse(k, text, "is a file's name", err);
    out->text = g_strdup(text);
    return true;
}

static const struct unit_family *family_of(const struct key *k)
{
    if (k->kind == KIND_TIME || k->kind == KIND_LADDER)
        return &unit_time;
    return k->kind == KIND_RATE ? &unit_rate : &unit_size;
}

static bool parse_unit(const struct key *k, const char *text, struct value *out,
                       struct sc_error *err)
{
    if (parse_word(k, text, out))
        return true;
    enum value_fault f = value_with_unit(text, family_of(k), &out->n);
    if (f != VALUE_OK)
        return refuse(k, text, value_fault_text(f), err);
    return in_range(k, out->n, text, err);
}

static bool parse_whole(const struct key *k, const char *text, struct value *out,
                        struct sc_error *err)
{
    if (parse_word(k, text, out))
        return true;
    enum value_fault f = value_whole(text, &out->n);
    if (f == VALUE_TOO_FINE)
        return refuse(k, text, "is not a whole number", err);
    if (f != VALUE_OK)
        return refuse(k, text, value_fault_text(f), err);
    return in_range(k, out->n, text, err);
}

static bool parse_bool(const struct key *k, const char *text, struct value *out,
                       struct sc_error *err)
{
    out->n = strcmp(text, "on") == 0;
    if (!out->n && strcmp(text, "off") != 0)
        return refuse(k, text, "is neither on nor off", err);
    return true;
}

/* "'cnp' is not offered yet (it comes with congestion control); give ..." */
static bool refuse_later(const struct key *k, const struct choice *c, struct sc_error *err)
{
    char what[100];
    g_snprintf(what, sizeof what, "is not offered yet%s%s%s", *c->later ? " (it comes with " : "",
               c->later, *c->later ? ")" : "");
    return refuse(k, c->name, what, err);
}

static bool refuse_choice(const struct key *k, const char *text, struct sc_error *err)
{
    struct nearest n = nearest_to(text);
    for (const struct choice *c = k->choice; c && c->name; c++) {
        if (c->later && strcmp(c->name, text) == 0)
            return refuse_later(k, c, err);
        if (!c->later)
            nearest_try(&n, c->name);
    }
    refuse(k, text, "is not one of the choices", err);
    if (n.best && strcspn(n.best, "0123456789") > 0) {
        g_strlcat(err->text, "; did you mean '", sizeof err->text);
        g_strlcat(err->text, n.best, sizeof err->text);
        g_strlcat(err->text, "'?", sizeof err->text);
    }
    return false;
}

static bool parse_choice(const struct key *k, const char *text, struct value *out,
                         struct sc_error *err)
{
    return parse_word(k, text, out) || refuse_choice(k, text, err);
}

/* Of what is offered. */
static uint64_t all_bits(const struct key *k)
{
    uint64_t all = 0;
    for (const struct choice *c = k->choice; c->name; c++)
        all |= c->later ? 0 : (uint64_t)1 << c->value;
    return all;
}

static bool parse_set(const struct key *k, const char *text, struct value *out,
                      struct sc_error *err)
{
    struct value one = {0};
    bool ok = true;
    if (strcmp(text, "all") == 0) {
        out->n = all_bits(k);
        return true;
    }
    char **part = g_strsplit(text, ",", -1);
    for (char **p = part; *p && ok; p++) {
        ok = parse_choice(k, g_strstrip(*p), &one, err);
        out->n |= (uint64_t)1 << one.n;
    }
    g_strfreev(part);
    return ok;
}

static bool parse_service(const struct key *k, const char *text, struct value *out,
                          struct sc_error *err)
{
    uint32_t id;
    if (!load_service_parse(text, &id))
        return refuse(k, text, "is not a service that is offered", err);
    out->n = id;
    return true;
}

static bool parse_chance(const struct key *k, const char *text, struct value *out,
                         struct sc_error *err)
{
    enum value_fault f = value_fraction(text, &out->dec);
    if (f != VALUE_OK)
        return refuse(k, text, value_fault_text(f), err);
    if (dec_compare(out->dec, (struct dec){1, 0}) > 0)
        return refuse(k, text, "is out of range", err);
    out->n = dec_threshold(out->dec, 64);
    if (out->n == 0 && out->dec.m != 0)
        return refuse(k, text, "is less than 2^-65 and would never happen", err);
    return true;
}

/* Shares and factors: fixed-point numbers with a few decimals. */
static bool parse_fixed(const struct key *k, const char *text, struct value *out,
                        struct sc_error *err)
{
    uint64_t one = k->kind == KIND_SHARE ? 1000000 : 1000;
    if (parse_word(k, text, out))
        return true;
    enum value_fault f = value_fraction(text, &out->dec);
    if (f == VALUE_OK)
        f = dec_times(out->dec, one, &out->n);
    if (f == VALUE_TOO_FINE)
        return refuse(k, text, "has too many decimals", err);
    if (f != VALUE_OK)
        return refuse(k, text, value_fault_text(f), err);
    return in_range(k, out->n, text, err);
}

static bool is_file_name(const char *text)
{
    return g_str_has_suffix(text, ".csv") || g_str_has_suffix(text, ".cdf") ||
           g_str_has_suffix(text, ".txt") || !strchr("0123456789.+-", text[0]);
}

/* Sizes or times. */
static bool parse_list(const struct key *k, const char *text, struct value *out,
                       struct sc_error *err)
{
    char **part = g_strsplit(text, ",", -1);
    bool ok = true;
    out->list = g_new0(uint64_t, g_strv_length(part) + 1);
    for (char **p = part; *p && ok; p++) {
        struct value one = {0};
        ok = parse_unit(k, g_strstrip(*p), &one, err);
        out->list[out->count++] = one.n;
    }
    g_strfreev(part);
    return ok;
}

static bool parse_sizes(const struct key *k, const char *text, struct value *out,
                        struct sc_error *err)
{
    if (text[0] && is_file_name(text))
        return parse_name(k, text, out, err);
    return parse_list(k, text, out, err);
}

static bool parse_ascending(const struct key *k, const char *text, struct value *out,
                            struct sc_error *err)
{
    if (parse_word(k, text, out))
        return true;
    if (!parse_list(k, text, out, err))
        return false;
    if (out->count > LIST_MAX)
        return refuse(k, text,
                      k->kind == KIND_LADDER ? "has more than 12 times" : "has more than 12 sizes",
                      err);
    for (uint32_t i = 1; i < out->count; i++)
        if (out->list[i] <= out->list[i - 1])
            return refuse(k, text, "does not ascend", err);
    return true;
}

/* "0.5..1.16"; the text is kept as the factors print. */
static bool parse_range(const struct key *k, const char *text, struct value *out,
                        struct sc_error *err)
{
    struct key one = *k;
    struct value end;
    one.kind = KIND_FACTOR;
    one.choice = NULL;
    if (parse_word(k, text, out))
        return true;
    char **part = g_strsplit(text, "..", 2);
    GString *seen = g_string_new(NULL);
    bool ok = g_strv_length(part) == 2;
    if (!ok)
        refuse(k, text, "has no low and high end with '..' between", err);
    out->list = g_new0(uint64_t, 2);
    for (char **p = part; ok && *p; p++) {
        ok = key_parse(&one, g_strstrip(*p), &end, err);
        if (!ok)
            break;
        out->list[out->count++] = end.n;
        g_string_append(seen, p == part ? "" : "..");
        key_print(&one, &end, false, seen);
    }
    g_strfreev(part);
    out->text = g_string_free(seen, FALSE);
    if (ok && out->list[1] < out->list[0])
        return refuse(k, text, "goes down", err);
    return ok;
}

/* Up to XP_OVERRIDES_MAX (32) rows; the parsed ones are kept in out->text. */
static bool parse_rows(const struct key *k, const char *text, struct value *out,
                       struct sc_error *err)
{
    const char *at = text, *why;
    struct xp_override o;
    if (parse_word(k, text, out)) {
        out->text = g_strdup("");
        return true;
    }
    for (uint32_t n = 0; *at; n++) {
        char rest[60];
        if (n == XP_OVERRIDES_MAX)
            return refuse(k, text, "has more than 32 rows", err);
        if (xp_override_parse(&at, &o, &why))
            continue;
        g_strlcpy(rest, at, sizeof rest);
        return sc_fail(err, "at '%s': %s", rest, why);
    }
    out->text = g_strdup(text);
    return true;
}

/* The text is kept. */
static bool parse_faults(const struct key *k, const char *text, struct value *out,
                         struct sc_error *err)
{
    struct xp_faults f;
    if (!fault_text_parse(text, &f, err))
        return false;
    out->text = g_strdup(text);
    return true;
}

/* ---- storing --------------------------------------------------------------------------------- */

static void store_number(const struct key *k, const struct value *v, void *field)
{
    uint8_t n8 = (uint8_t)v->n;
    uint16_t n16 = (uint16_t)v->n;
    uint32_t n32 = (uint32_t)v->n;
    const void *from = k->width == 1 ? (void *)&n8 : k->width == 2 ? (void *)&n16 : (void *)&n32;
    CHECK(k->width == 1 || k->width == 2 || k->width == 4 || k->width == 8);
    memcpy(field, k->width == 8 ? (const void *)&v->n : from, k->width);
}

static void store_text(const struct key *k, const struct value *v, void *field)
{
    char *copy = g_strdup(v->text);
    g_free(*(char **)field);
    memcpy(field, &copy, sizeof copy);
}

/* The one key of this kind is a QP's: the field lies in its struct. */
static void store_service(const struct key *k, const struct value *v, void *field)
{
    void *qp = (char *)field - offsetof(struct load_qp_cfg, service);
    load_service_store(qp, (uint32_t)v->n);
}

static void store_sizes(const struct key *k, const struct value *v, void *field)
{
    struct load_size *s = field;
    if (v->count == 0)
        return;
    g_free(s->bytes);
    s->kind = v->count == 1 ? LOAD_SIZE_FIXED : LOAD_SIZE_LIST;
    s->count = v->count;
    s->bytes = g_memdup2(v->list, v->count * sizeof *v->list);
}

static void store_rows(const struct key *k, const struct value *v, void *field)
{
    struct scenario *s = (struct scenario *)(void *)((char *)field - k->offset);
    struct xp_profile *p = &s->hca.xp;
    const char *at = v->text, *why;
    for (p->overrides = 0; *at; p->overrides++)
        CHECK(xp_override_parse(&at, &p->override[p->overrides], &why));
}

static void store_faults(const struct key *k, const struct value *v, void *field)
{
    struct sc_error err;
    CHECK(fault_text_parse(v->text, field, &err));
}

static void store_buckets(const struct key *k, const struct value *v, void *field)
{
    struct scenario *s = (struct scenario *)(void *)((char *)field - k->offset);
    s->bucket_count = v->count;
    if (v->count > 0)
        memcpy(field, v->list, v->count * sizeof *v->list);
}

static void store_ladder(const struct key *k, const struct value *v, void *field)
{
    struct xp_ladder *l = field;
    *l = (struct xp_ladder){.rungs = v->count};
    for (uint32_t i = 0; i < v->count; i++)
        l->at_ps[i] = (tm_ps)v->list[i];
}

static void store_range(const struct key *k, const struct value *v, void *field)
{
    const uint32_t ends[2] = {v->count ? (uint32_t)v->list[0] : 0,
                              v->count ? (uint32_t)v->list[1] : 0};
    memcpy(field, ends, sizeof ends);
}

static void store_nothing(const struct key *k, const struct value *v, void *field) {}

/* ---- printing -------------------------------------------------------------------------------- */

static void print_text(const struct key *k, const struct value *v, bool unit, GString *out)
{
    g_string_append(out, v->text);
}

/* A path of this machine has no place in a manifest: the name of the file is left. */
static void print_name(const struct key *k, const struct value *v, bool unit, GString *out)
{
    if (g_path_is_absolute(v->text)) {
        char *base = g_path_get_basename(v->text);
        g_string_append(out, base);
        g_free(base);
    } else {
        g_string_append(out, v->text);
    }
}

static void print_whole(const struct key *k, const struct value *v, bool unit, GString *out)
{
    const char *word = word_of(k, v->n);
    if (word)
        g_string_append(out, word);
    else
        g_string_append_printf(out, "%llu", (unsigned long long)v->n);
}

static void print_unit(const struct key *k, const struct value *v, bool unit, GString *out)
{
    const char *base = unit ? family_of(k)->unit->name : "";
    const char *word = word_of(k, v->n);
    if (word)
        g_string_append(out, word);
    else
        g_string_append_printf(out, "%llu%s", (unsigned long long)v->n, base);
}

static void print_bool(const struct key *k, const struct value *v, bool unit, GString *out)
{
    g_string_append(out, v->n ? "on" : "off");
}

static void print_set(const struct key *k, const struct value *v, bool unit, GString *out)
{
    const char *between = "";
    if (v->n == all_bits(k)) {
        g_string_append(out, "all");
        return;
    }
    for (const struct choice *c = k->choice; c->name; c++)
        if (!c->later && (v->n >> c->value & 1)) {
            g_string_append_printf(out, "%s%s", between, c->name);
            between = unit ? ", " : " ";
        }
}

static void print_service(const struct key *k, const struct value *v, bool unit, GString *out)
{
    g_string_append(out, load_service_name((uint32_t)v->n));
}

static void print_dec(const struct key *k, const struct value *v, bool unit, GString *out)
{
    char text[128];
    const char *word = v->dec.m == 0 ? word_of(k, v->n) : NULL;
    dec_print(v->dec, text, sizeof text);
    g_string_append(out, word ? word : text);
}

static void print_sizes(const struct key *k, const struct value *v, bool unit, GString *out)
{
    if (v->count == 0 && v->text)
        print_name(k, v, unit, out);
    else if (v->count == 0)
        g_string_append(out, word_of(k, v->n));
    for (uint32_t i = 0; i < v->count; i++)
        g_string_append_printf(out, "%s%llu%s",
                               i == 0 ? ""
                               : unit ? ", "
                                      : " ",
                               (unsigned long long)v->list[i],
                               unit ? family_of(k)->unit->name : "");
}

static void print_range(const struct key *k, const struct value *v, bool unit, GString *out)
{
    g_string_append(out, v->count ? v->text : word_of(k, v->n));
}

static void print_rows(const struct key *k, const struct value *v, bool unit, GString *out)
{
    const char *at = v->text, *why;
    struct xp_override o;
    char row[XP_OVERRIDE_TEXT_MAX];
    if (!*at)
        g_string_append(out, "none");
    for (bool first = true; *at; first = false) {
        CHECK(xp_override_parse(&at, &o, &why));
        xp_override_print(&o, row);
        g_string_append_printf(out, "%s%s", first ? "" : "; ", row);
    }
}

static void print_faults(const struct key *k, const struct value *v, bool unit, GString *out)
{
    struct xp_faults f;
    struct sc_error err;
    CHECK(fault_text_parse(v->text, &f, &err));
    fault_text_print(&f, out);
}

/* ---- the table --------------------------------------------------------------------------------- */

struct kind {
    bool (*parse)(const struct key *k, const char *text, struct value *out, struct sc_error *err);
    void (*store)(const struct key *k, const struct value *v, void *field);
    void (*print)(const struct key *k, const struct value *v, bool unit, GString *out);
};

static const struct kind kinds[KINDS] = {
    [KIND_TEXT] = {parse_text, store_text, print_text},
    [KIND_NAME] = {parse_name, store_text, print_name},
    [KIND_TIME] = {parse_unit, store_number, print_unit},
    [KIND_RATE] = {parse_unit, store_number, print_unit},
    [KIND_SIZE] = {parse_unit, store_number, print_unit},
    [KIND_WHOLE] = {parse_whole, store_number, print_whole},
    [KIND_BOOL] = {parse_bool, store_number, print_bool},
    [KIND_CHOICE] = {parse_choice, store_number, print_whole},
    [KIND_SET] = {parse_set, store_number, print_set},
    [KIND_SERVICE] = {parse_service, store_service, print_service},
    [KIND_CHANCE] = {parse_chance, store_number, print_dec},
    [KIND_SHARE] = {parse_fixed, store_number, print_dec},
    [KIND_FACTOR] = {parse_fixed, store_number, print_dec},
    [KIND_SIZES] = {parse_sizes, store_sizes, print_sizes},
    [KIND_BUCKETS] = {parse_ascending, store_buckets, print_sizes},
    [KIND_LADDER] = {parse_ascending, store_ladder, print_sizes},
    [KIND_RANGE] = {parse_range, store_range, print_range},
    [KIND_FLOWS] = {parse_name, store_nothing, print_name},
    [KIND_ROWS] = {parse_rows, store_rows, print_rows},
    [KIND_FAULTS] = {parse_faults, store_faults, print_faults},
};

bool key_parse(const struct key *k, const char *text, struct value *out, struct sc_error *err)
{
    struct value v = {0};
    if (!kinds[k->kind].parse(k, text, &v, err)) {
        value_clear(&v);
        return false;
    }
    *out = v;
    return true;
}

void key_store(const struct key *k, const struct value *v, struct scenario *s)
{
    kinds[k->kind].store(k, v, (char *)s + k->offset);
}

void key_print(const struct key *k, const struct value *v, bool unit, GString *out)
{
    kinds[k->kind].print(k, v, unit, out);
}
