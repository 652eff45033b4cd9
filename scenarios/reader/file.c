/*
 * Loading a file: bytes -> scan (lines) -> GKeyFile (values) -> lines in order.
 *
 * What is checked here needs one line at a time: that groups and keys exist, that values can be read, that
 * the lines of [check], [sweep] and [plot] are well formed.
 */
#include "scenarios/reader/file.h"

#include <glib.h>
#include <string.h>

#include "scenarios/reader/keys.h"
#include "scenarios/reader/nearest.h"
#include "scenarios/reader/scan.h"
#include "scenarios/reader/sweep.h"

bool file_fail_at(const struct sc_file *f, const struct sc_line *l, struct sc_error *err)
{
    return sc_fail_at(err, "%s:%d: [%s] %s: ", f->path, l->line, l->group, l->key);
}

/* ---- groups -------------------------------------------------------------------------------------- */

/* Keys of [plot NAME]; those with choices take nothing else. */
struct plot_key {
    const char *name;
    const char *choices[5];
};
static const struct plot_key plot_keys[] = {
    {"x", {0}},
    {"y", {0}},
    {"series", {0}},
    {"kind", {"lines", "points", "bars", "steps"}},
    {"scale_x", {"linear", "log"}},
    {"scale_y", {"linear", "log"}},
    {"title", {0}},
    {"subtitle", {0}},
    {"x_label", {0}},
    {"y_label", {0}},
    {"y_min", {0}},
    {"y_max", {0}},
    {"names", {0}},
    {"error", {"minmax", "none"}},
    {"where", {0}},
    {"file", {"results", "buckets"}},
    {"reference", {0}},
};

static bool check_plot_value(const struct plot_key *k, const char *value, struct sc_error *err)
{
    GString *all = g_string_new(NULL);
    bool ok = k->choices[0] == NULL;
    for (const char *const *c = k->choices; *c; c++) {
        ok = ok || strcmp(*c, value) == 0;
        g_string_append_printf(all, "%s%s", c == k->choices ? "" : c[1] ? ", " : " or ", *c);
    }
    if (!ok)
        sc_fail(err, "'%s' is not one of the choices; give %s", value, all->str);
    g_string_free(all, TRUE);
    return ok;
}

static bool check_plot(const struct sc_line *l, struct sc_error *err)
{
    struct nearest n = nearest_to(l->key);
    for (size_t i = 0; i < G_N_ELEMENTS(plot_keys); i++) {
        if (strcmp(plot_keys[i].name, l->key) == 0)
            return check_plot_value(&plot_keys[i], l->value, err);
        nearest_try(&n, plot_keys[i].name);
    }
    if (n.best)
        return sc_fail(err, "a plot has no such key; did you mean '%s'?", n.best);
    return sc_fail(err, "a plot has no such key; `rdmasim keys plot` lists those there are");
}

static bool check_key(const struct sc_line *l, struct sc_error *err)
{
    const struct key *k = key_find(l->group, l->key);
    struct value v;
    if (!k)
        return key_unknown(l->group, l->key, err);
    if (!key_parse(k, l->value, &v, err))
        return false;
    value_clear(&v);
    return true;
}

static bool check_override(const struct sc_line *l, struct sc_error *err)
{
    const struct key *k = key_find_dotted(l->key);
    struct value v;
    if (!k)
        return key_unknown_dotted(l->key, err);
    if (!key_parse(k, l->value, &v, err))
        return false;
    value_clear(&v);
    return true;
}

static bool check_sweep(const struct sc_line *l, struct sc_error *err)
{
    struct sweep_axis a;
    if (!sweep_axis_parse(l->key, l->value, &a, err))
        return false;
    sweep_axis_clear(&a);
    return true;
}

/* Rules need the fabric, expectations the metrics: others read them. */
static bool check_later(const struct sc_line *l, struct sc_error *err) { return true; }

struct group {
    const char *name;
    bool is_named;  /* [plot NAME] */
    uint32_t roles; /* 1 << enum file_role */
    bool (*check)(const struct sc_line *l, struct sc_error *err);
};
#define ALL_ROLES (1u << FILE_SCENARIO | 1u << FILE_PROFILE | 1u << FILE_PRESET)
static const struct group groups[] = {
    {"scenario", false, 1u << FILE_SCENARIO, check_key},
    {"fabric", false, 1u << FILE_SCENARIO, check_key},
    {"hca", false, 1u << FILE_SCENARIO | 1u << FILE_PROFILE, check_key},
    {"qp", false, ALL_ROLES, check_key},
    {"udack", false, 1u << FILE_SCENARIO, check_key},
    {"workload", false, 1u << FILE_SCENARIO, check_key},
    {"connect", false, 1u << FILE_SCENARIO, check_key},
    {"explore", false, 1u << FILE_SCENARIO, check_key},
    {"inject", false, 1u << FILE_SCENARIO, check_later},
    {"check", false, 1u << FILE_SCENARIO, check_override},
    {"sweep", false, 1u << FILE_SCENARIO, check_sweep},
    {"plot", true, 1u << FILE_SCENARIO, check_plot},
    {"expect", false, 1u << FILE_SCENARIO, check_later},
    {"expect full", false, 1u << FILE_SCENARIO, check_later},
};

/* "plot goodput" belongs to the group plot, which must have a name; others must not. */
static const struct group *find_group(const char *name, enum file_role role)
{
    for (size_t i = 0; i < G_N_ELEMENTS(groups); i++) {
        size_t len = strlen(groups[i].name);
        bool same = strncmp(name, groups[i].name, len) == 0 &&
                    (groups[i].is_named ? name[len] == ' ' && name[len + 1] : name[len] == 0);
        if (same && (groups[i].roles >> role & 1))
            return &groups[i];
    }
    return NULL;
}

static bool refuse_group(const struct sc_file *f, const char *name, int line, struct sc_error *err)
{
    static const char *const role_name[FILE_ROLES] = {"a scenario", "a profile", "a preset"};
    struct nearest n = nearest_to(name);
    for (size_t i = 0; i < G_N_ELEMENTS(groups); i++)
        if (groups[i].roles >> f->role & 1)
            nearest_try(&n, groups[i].name);
    if (strcmp(name, "plot") == 0)
        return sc_fail(err, "%s:%d: a plot needs a name; write [plot goodput]", f->path, line);
    if (n.best)
        return sc_fail(err, "%s:%d: %s has no group [%s]; did you mean [%s]?", f->path, line,
                       role_name[f->role], name, n.best);
    return sc_fail(err, "%s:%d: %s has no group [%s]; `rdmasim keys` lists those there are",
                   f->path, line, role_name[f->role], name);
}

static bool check_line(const struct sc_file *f, const struct sc_line *l, struct sc_error *err)
{
    const struct key *k = key_find(l->group, l->key);
    bool is_base = f->role == FILE_PROFILE && strcmp(l->key, "profile") == 0;
    if (f->role != FILE_SCENARIO && k && k->kind == KIND_NAME && !is_base) {
        sc_error_set(err, "only a scenario may name one");
        return file_fail_at(f, l, err);
    }
    return find_group(l->group, f->role)->check(l, err) || file_fail_at(f, l, err);
}

/* ---- loading --------------------------------------------------------------------------------------- */

/* Lines are numbered by where their group, and groups of the same first word, first came. */
struct order {
    uint32_t family, group, line;
    uint32_t from; /* index before sorting */
};

static int compare_order(const void *a, const void *b)
{
    const struct order *x = a, *y = b;
    if (x->family != y->family)
        return x->family < y->family ? -1 : 1;
    if (x->group != y->group)
        return x->group < y->group ? -1 : 1;
    return x->line < y->line ? -1 : x->line > y->line;
}

static bool same_family(const char *a, const char *b)
{
    size_t len = strcspn(a, " ");
    return strcspn(b, " ") == len && strncmp(a, b, len) == 0;
}

static struct order order_of(const struct sc_line *l, uint32_t i)
{
    struct order o = {i, i, i, i};
    for (uint32_t j = i; j-- > 0;) {
        if (same_family(l[j].group, l[i].group))
            o.family = j;
        if (strcmp(l[j].group, l[i].group) == 0)
            o.group = j;
    }
    return o;
}

static void sort_lines(struct sc_file *f)
{
    struct order *o = g_new(struct order, f->count + 1);
    struct sc_line *sorted = g_new(struct sc_line, f->count + 1);
    for (uint32_t i = 0; i < f->count; i++)
        o[i] = order_of(f->line, i);
    qsort(o, f->count, sizeof *o, compare_order);
    for (uint32_t i = 0; i < f->count; i++)
        sorted[i] = f->line[o[i].from];
    g_free(o);
    g_free(f->line);
    f->line = sorted;
}

static bool check_groups(const struct sc_file *f, const struct scan *s, struct sc_error *err)
{
    for (uint32_t i = 0; i < s->count; i++)
        if (!s->entry[i].key && !find_group(s->entry[i].group, f->role))
            return refuse_group(f, s->entry[i].group, s->entry[i].line, err);
    return true;
}

static bool take_values(struct sc_file *f, const struct scan *s, GKeyFile *values,
                        struct sc_error *err)
{
    f->line = g_new0(struct sc_line, s->count + 1);
    for (uint32_t i = 0; i < s->count; i++) {
        const struct scan_entry *e = &s->entry[i];
        if (!e->key)
            continue;
        char *value = g_key_file_get_value(values, e->group, e->key, NULL);
        if (!value)
            return sc_fail(err, "%s:%d: [%s] %s: this line cannot be read", f->path, e->line,
                           e->group, e->key);
        f->line[f->count++] =
            (struct sc_line){g_strdup(e->group), g_strdup(e->key), g_strstrip(value), e->line};
    }
    return true;
}

static bool parse(struct sc_file *f, const char *data, size_t len, struct sc_error *err)
{
    struct scan s;
    GError *trouble = NULL;
    if (!scan_text(f->path, data, len, &s, err))
        return false;
    GKeyFile *values = g_key_file_new();
    bool ok = len - s.skip == 0 || g_key_file_load_from_data(values, data + s.skip, len - s.skip,
                                                             G_KEY_FILE_NONE, &trouble);
    if (ok)
        ok = check_groups(f, &s, err) && take_values(f, &s, values, err);
    else
        sc_fail(err, "%s: %s", f->path, trouble->message);
    g_clear_error(&trouble);
    g_key_file_free(values);
    scan_clear(&s);
    return ok;
}

static bool check_lines(struct sc_file *f, struct sc_error *err)
{
    for (uint32_t i = 0; i < f->count; i++)
        if (!check_line(f, &f->line[i], err))
            return false;
    sort_lines(f);
    f->origin = g_new0(char *, f->count + 1);
    for (uint32_t i = 0; i < f->count; i++)
        f->origin[i] = g_strdup_printf("%s:%d: [%s]", f->path, f->line[i].line, f->line[i].group);
    return true;
}

struct sc_file *file_load(const char *path, enum file_role role, struct sc_error *err)
{
    char *data = NULL;
    gsize len = 0;
    GError *trouble = NULL;
    if (!g_file_get_contents(path, &data, &len, &trouble)) {
        sc_fail_unread(err, path, trouble->code);
        g_error_free(trouble);
        return NULL;
    }
    struct sc_file *f = g_new0(struct sc_file, 1);
    f->path = g_strdup(path);
    f->dir = g_path_get_dirname(path);
    f->role = role;
    bool ok = parse(f, data, len, err) && check_lines(f, err);
    g_free(data);
    if (ok && f->count == 0)
        ok = sc_fail(err, "%s: the file holds no keys", path);
    if (ok)
        return f;
    sc_file_free(f);
    return NULL;
}

struct sc_file *sc_file_load(const char *path, struct sc_error *err)
{
    return file_load(path, FILE_SCENARIO, err);
}

void sc_file_free(struct sc_file *f)
{
    if (!f)
        return;
    for (uint32_t i = 0; i < f->count; i++) {
        g_free(f->line[i].group);
        g_free(f->line[i].key);
        g_free(f->line[i].value);
        if (f->origin)
            g_free(f->origin[i]);
    }
    g_free(f->line);
    g_free(f->origin);
    g_free(f->path);
    g_free(f->dir);
    g_free(f);
}

const char *sc_file_path(const struct sc_file *f) { return f->path; }

/* The group itself, or any group that goes on with a space. */
static bool in_group(const char *have, const char *group)
{
    size_t len = strlen(group);
    return strncmp(have, group, len) == 0 && (have[len] == 0 || have[len] == ' ');
}

uint32_t sc_lines(const struct sc_file *f, const char *group, const struct sc_line **out)
{
    uint32_t first = 0, n = 0;
    while (first < f->count && !in_group(f->line[first].group, group))
        first++;
    while (first + n < f->count && in_group(f->line[first + n].group, group))
        n++;
    *out = f->line + first;
    return n;
}
