/*
 * Keys of [plot NAME] in a table: a name and what takes its value.
 */
#include <glib.h>
#include <string.h>

#include "scenarios/reader/nearest.h"
#include "scenarios/run/plot_spec.h"

#define WHY_MAX 700

/* Takes a value; false with what is wrong in why. */
typedef bool take_value(struct plot_spec *s, const char *value, char *why);

static bool complain(char *why, const char *what)
{
    snprintf(why, WHY_MAX, "%s", what);
    return false;
}

static void clear_quantities(struct plot_quantity *q, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        g_free(q[i].label);
        expr_free(q[i].expr);
    }
}

void plot_spec_clear(struct plot_spec *s)
{
    for (uint32_t i = 0; i < s->wheres; i++) {
        g_free(s->where[i].key);
        g_free(s->where[i].value);
    }
    clear_quantities(&s->x, 1);
    clear_quantities(s->y, s->y_count);
    clear_quantities(s->reference, s->reference_count);
    g_free(s->y);
    g_free(s->reference);
    g_free(s->where);
    g_strfreev(s->series);
    g_strfreev(s->names);
    g_free(s->title);
    g_free(s->subtitle);
    g_free(s->x_label);
    g_free(s->y_label);
    g_free(s->name);
    *s = (struct plot_spec){0};
}

/* ---- values ------------------------------------------------------------------------------------- */

static bool take_text(char **to, const char *value)
{
    g_free(*to);
    *to = g_strdup(value);
    return true;
}
static bool take_title(struct plot_spec *s, const char *v, char *why)
{
    return take_text(&s->title, v);
}
static bool take_subtitle(struct plot_spec *s, const char *v, char *why)
{
    return take_text(&s->subtitle, v);
}
static bool take_x_label(struct plot_spec *s, const char *v, char *why)
{
    return take_text(&s->x_label, v);
}
static bool take_y_label(struct plot_spec *s, const char *v, char *why)
{
    return take_text(&s->y_label, v);
}

/* A whole text as an expression. */
static bool parse_quantity(const char *label, const char *text, struct plot_quantity *out,
                           char *why)
{
    const char *at = text;
    struct expr *e = expr_parse(&at, why, WHY_MAX);
    if (e && *at) {
        snprintf(why, WHY_MAX, "'%s': the expression should have ended here", at);
        expr_free(e);
        e = NULL;
    }
    if (!e)
        return false;
    *out = (struct plot_quantity){g_strdup(label), e};
    return true;
}

static bool take_x(struct plot_spec *s, const char *value, char *why)
{
    return parse_quantity(value, value, &s->x, why);
}

static bool take_y(struct plot_spec *s, const char *value, char *why)
{
    char **part = g_strsplit(value, ";", -1);
    bool ok = true;
    s->y = g_new0(struct plot_quantity, g_strv_length(part) + 1);
    for (uint32_t i = 0; ok && part[i]; i++) {
        ok = parse_quantity(g_strstrip(part[i]), part[i], &s->y[s->y_count], why);
        s->y_count += ok;
    }
    g_strfreev(part);
    return ok;
}

/* LABEL: EXPR; without a label the expression is its own. */
static bool take_reference(struct plot_spec *s, const char *value, char *why)
{
    char **part = g_strsplit(value, ";", -1);
    bool ok = true;
    s->reference = g_new0(struct plot_quantity, g_strv_length(part) + 1);
    for (uint32_t i = 0; ok && part[i]; i++) {
        char *colon = strchr(part[i], ':');
        if (colon)
            *colon = 0;
        ok = parse_quantity(g_strstrip(part[i]), colon ? colon + 1 : part[i],
                            &s->reference[s->reference_count], why);
        s->reference_count += ok;
    }
    g_strfreev(part);
    return ok;
}

static char **split(const char *value, const char *at)
{
    char **part = g_strsplit(value, at, -1);
    for (uint32_t i = 0; part[i]; i++)
        g_strstrip(part[i]);
    return part;
}

static bool take_series(struct plot_spec *s, const char *value, char *why)
{
    s->series = split(value, ",");
    return true;
}

static bool take_names(struct plot_spec *s, const char *value, char *why)
{
    s->names = split(value, ";");
    return true;
}

static bool take_where(struct plot_spec *s, const char *value, char *why)
{
    char **part = split(value, ",");
    bool ok = true;
    s->where = g_new0(struct expr_select, g_strv_length(part) + 1);
    for (uint32_t i = 0; ok && part[i]; i++) {
        char **side = split(part[i], "=");
        ok = g_strv_length(side) == 2 ||
             complain(why, "key=value was expected, several separated by ','");
        if (ok)
            s->where[s->wheres++] = (struct expr_select){g_strdup(side[0]), g_strdup(side[1])};
        g_strfreev(side);
    }
    g_strfreev(part);
    return ok;
}

/* Index of value among the words (NULL-terminated); -1 with the list in why. */
static int choice(const char *value, const char *const *word, char *why)
{
    for (int i = 0; word[i]; i++)
        if (strcmp(value, word[i]) == 0)
            return i;
    char *all = g_strjoinv(", ", (char **)word);
    snprintf(why, WHY_MAX, "'%s': one of %s was expected", value, all);
    g_free(all);
    return -1;
}

static bool take_kind(struct plot_spec *s, const char *value, char *why)
{
    static const char *const word[] = {"lines", "points", "bars", "steps", NULL};
    int i = choice(value, word, why);
    s->kind = i < 0 ? PLOT_LINES : (enum plot_kind)i;
    return i >= 0;
}

static bool take_log(bool *log, const char *value, char *why)
{
    static const char *const word[] = {"linear", "log", NULL};
    int i = choice(value, word, why);
    *log = i == 1;
    return i >= 0;
}
static bool take_scale_x(struct plot_spec *s, const char *v, char *why)
{
    return take_log(&s->x_log, v, why);
}
static bool take_scale_y(struct plot_spec *s, const char *v, char *why)
{
    return take_log(&s->y_log, v, why);
}

static bool take_errors(struct plot_spec *s, const char *value, char *why)
{
    static const char *const word[] = {"minmax", "none", NULL};
    int i = choice(value, word, why);
    s->no_errors = i == 1;
    return i >= 0;
}

static bool take_file(struct plot_spec *s, const char *value, char *why)
{
    static const char *const word[] = {"results", "buckets", NULL};
    int i = choice(value, word, why);
    s->buckets = i == 1;
    return i >= 0;
}

static bool take_y_min(struct plot_spec *s, const char *value, char *why)
{
    s->has_y_min = text_number(value, &s->y_min);
    return s->has_y_min || complain(why, "a plain number was expected");
}

static bool take_y_max(struct plot_spec *s, const char *value, char *why)
{
    s->has_y_max = text_number(value, &s->y_max);
    return s->has_y_max || complain(why, "a plain number was expected");
}

/* ---- groups ------------------------------------------------------------------------------------- */

static const struct {
    const char *key;
    take_value *take;
} keys[] = {{"x", take_x},
            {"y", take_y},
            {"series", take_series},
            {"where", take_where},
            {"kind", take_kind},
            {"scale_x", take_scale_x},
            {"scale_y", take_scale_y},
            {"error", take_errors},
            {"file", take_file},
            {"title", take_title},
            {"subtitle", take_subtitle},
            {"x_label", take_x_label},
            {"y_label", take_y_label},
            {"y_min", take_y_min},
            {"y_max", take_y_max},
            {"names", take_names},
            {"reference", take_reference}};

static bool take_line(struct plot_spec *s, const struct sc_line *line, char *why)
{
    struct nearest n = nearest_to(line->key);
    for (uint32_t i = 0; i < G_N_ELEMENTS(keys); i++) {
        if (strcmp(keys[i].key, line->key) == 0)
            return keys[i].take(s, line->value, why);
        nearest_try(&n, keys[i].key);
    }
    snprintf(why, WHY_MAX, "unknown key%s%s%s", n.best ? "; did you mean '" : "",
             n.best ? n.best : "", n.best ? "'?" : "");
    return false;
}

bool plot_spec_parse(const struct sc_line *line, uint32_t n, const char *path,
                     struct plot_spec *out, struct sc_error *err)
{
    char why[WHY_MAX] = "";
    struct plot_spec s = {.path = path, .line = line[0].line};
    s.name = g_strstrip(g_strdup(line[0].group + strlen("plot")));
    uint32_t bad = 0;
    while (bad < n && take_line(&s, &line[bad], why))
        bad++;
    if (bad < n)
        snprintf(err->text, sizeof err->text, "%s:%d: [%s] %s: %s", path, line[bad].line,
                 line[bad].group, line[bad].key, why);
    else if (!s.x.expr || s.y_count == 0 || !*s.name || strchr(s.name, '/'))
        snprintf(err->text, sizeof err->text, "%s:%d: [%s]: %s", path, s.line, line[0].group,
                 !s.x.expr || s.y_count == 0 ? "both x and y are needed"
                                             : "a name without '/' was expected: [plot NAME]");
    else {
        *out = s;
        return true;
    }
    plot_spec_clear(&s);
    return false;
}
