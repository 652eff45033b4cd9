/*
 * Parsing and judging [expect] lines.
 */
#include <glib.h>
#include <math.h>
#include <string.h>

#include "scenarios/run/expect.h"
#include "scenarios/run/expect_rows.h"

#define EQUAL_WITHIN 1e-9

/* Longer signs first: "<" must not win over "<=". */
static const struct {
    const char *sign;
    enum expect_rel rel;
} signs[] = {{"<=", EXPECT_LESS_EQUAL}, {">=", EXPECT_MORE_EQUAL}, {"<", EXPECT_LESS},
             {">", EXPECT_MORE},        {"=", EXPECT_EQUAL},       {"~", EXPECT_ABOUT}};

void expect_clear(struct expectation *x)
{
    g_free(x->name);
    g_free(x->text);
    g_free(x->path);
    expr_free(x->left);
    expr_free(x->right);
    csv_table_free(x->rows);
    *x = (struct expectation){0};
}

static const char *skip(const char *at)
{
    while (*at == ' ' || *at == '\t')
        at++;
    return at;
}

static bool parse_rel(const char **at, enum expect_rel *rel)
{
    for (uint32_t i = 0; i < G_N_ELEMENTS(signs); i++) {
        if (!g_str_has_prefix(*at, signs[i].sign))
            continue;
        *at += strlen(signs[i].sign);
        *rel = signs[i].rel;
        return true;
    }
    return false;
}

static bool parse_tolerance(const char **at, struct expectation *x, const char **why)
{
    char *end;
    x->tolerance = g_ascii_strtod(skip(*at + 2), &end);
    x->has_tolerance = true;
    *why = "a tolerance is '+- X' or '+- X%', X not negative";
    bool is_number = end != skip(*at + 2) && x->tolerance >= 0;
    *at = skip(end);
    x->percent = **at == '%';
    if (x->percent)
        *at = skip(*at + 1);
    return is_number;
}

/* Everything behind NAME; *why (or err) says what is wrong. */
static bool parse_comparison(struct expectation *x, const char **why, char *err, uint32_t err_size)
{
    const char *at = x->text;
    *why = err;
    if (!(x->left = expr_parse(&at, err, err_size)))
        return false;
    *why = "a relation was expected: one of = < <= > >= ~";
    if (!parse_rel(&at, &x->rel))
        return false;
    *why = err;
    if (!(x->right = expr_parse(&at, err, err_size)))
        return false;
    if (g_str_has_prefix(at, "+-") && !parse_tolerance(&at, x, why))
        return false;
    *why = "something stands behind the comparison";
    if (*at)
        return false;
    *why = "'~' needs a tolerance: +- X or +- X%";
    return x->rel != EXPECT_ABOUT || x->has_tolerance;
}

/* What follows the first word if that is `word`, NULL otherwise. */
static const char *behind(const char *text, const char *word)
{
    size_t len = strlen(word);
    bool is_it = strncmp(text, word, len) == 0 && (text[len] == ' ' || text[len] == '\t');
    return is_it ? skip(text + len) : NULL;
}

static bool parse_any(struct expectation *x, const char **why, char *err, uint32_t err_size)
{
    const char *completions = behind(skip(x->text), "completions");
    const char *trace = behind(skip(x->text), "trace");
    if (!completions && !trace)
        return parse_comparison(x, why, err, err_size);
    x->form = trace ? EXPECT_TRACE : EXPECT_COMPLETIONS;
    x->left = expr_parse_file(trace ? trace : completions, err, err_size);
    *why = err;
    return x->left != NULL;
}

bool expect_parse(const struct sc_line *line, const char *path, struct expectation *out,
                  struct sc_error *err)
{
    char detail[600] = "";
    const char *why = NULL;
    struct expectation x = {.name = g_strdup(line->key),
                            .text = g_strdup(line->value),
                            .path = g_strdup(path),
                            .line = line->line};
    if (parse_any(&x, &why, detail, sizeof detail)) {
        *out = x;
        return true;
    }
    snprintf(err->text, sizeof err->text, "%s:%d: [expect] %s: %.300s: %s", path, x.line, x.name,
             x.text, why);
    expect_clear(&x);
    return false;
}

bool expect_load(struct expectation *x, const struct sc_file *file, struct sc_error *err)
{
    char detail[600] = "";
    if (x->form == EXPECT_COMPARISON || x->rows)
        return true;
    x->rows = expect_rows_read(file, x->left->name, x->form == EXPECT_TRACE, detail, sizeof detail);
    if (!x->rows)
        snprintf(err->text, sizeof err->text, "%s:%d: [expect] %s: %s", x->path, x->line, x->name,
                 detail);
    return x->rows != NULL;
}

/* ---- judging ------------------------------------------------------------------------------------ */

static bool holds(const struct expectation *x, double left, double right)
{
    double slack = 0;
    if (isnan(left) || isnan(right))
        return false;
    if (x->has_tolerance)
        slack = x->percent ? fabs(right) * x->tolerance / 100 : x->tolerance;
    else if (x->rel == EXPECT_EQUAL)
        slack = fabs(right) * EQUAL_WITHIN;
    switch (x->rel) {
    case EXPECT_EQUAL:
    case EXPECT_ABOUT:
        return fabs(left - right) <= slack;
    case EXPECT_LESS:
        return left < right + slack;
    case EXPECT_LESS_EQUAL:
        return left <= right + slack;
    case EXPECT_MORE:
        return left > right - slack;
    case EXPECT_MORE_EQUAL:
        return left >= right - slack;
    }
    return false;
}

static bool depends(const struct expectation *x, const struct results *r, uint32_t column)
{
    const char *name = r->t->name[column];
    return expr_depends(x->left, r, name) || expr_depends(x->right, r, name);
}

/* Does an earlier point have the same values in all columns that x depends on? */
static bool seen_before(const struct expectation *x, const struct results *r, uint32_t point)
{
    for (uint32_t p = 0; p < point; p++) {
        bool same = true;
        for (uint32_t c = 0; same && c < r->swept; c++)
            same = !depends(x, r, c) || strcmp(csv_table_at(r->t, r->point[p].first, c),
                                               csv_table_at(r->t, r->point[point].first, c)) == 0;
        if (same)
            return true;
    }
    return false;
}

static char *point_text(const struct expectation *x, const struct results *r, uint32_t point)
{
    GString *s = g_string_new(NULL);
    for (uint32_t c = 0; c < r->swept; c++)
        if (depends(x, r, c))
            g_string_append_printf(s, "%s%s=%s", s->len ? " " : "", r->t->name[c],
                                   csv_table_at(r->t, r->point[point].first, c));
    return g_string_free(s, FALSE);
}

static char *relation_text(const struct expectation *x)
{
    const char *sign = "";
    for (uint32_t i = 0; i < G_N_ELEMENTS(signs); i++)
        if (signs[i].rel == x->rel)
            sign = signs[i].sign;
    if (!x->has_tolerance)
        return g_strdup(sign);
    return g_strdup_printf("%s +- %g%s", sign, x->tolerance, x->percent ? "%" : "");
}

/* What the first repetition of a point wrote; NULL with a message. */
static struct csv_table *rows_of_point(const struct results *r, uint32_t point, bool trace,
                                       char *err, uint32_t err_size)
{
    char *path = g_strdup_printf("%s/points/%04u/r0/%s", r->dir, point, expect_rows_source(trace));
    struct csv_table *t = csv_table_read(path, err, err_size);
    g_free(path);
    return t;
}

static bool judge_rows(const struct expectation *x, const struct expr_where *w,
                       struct expect_verdict *v, char *err, uint32_t err_size)
{
    bool trace = x->form == EXPECT_TRACE;
    struct csv_table *got = NULL;
    uint32_t at;
    if (expr_point(x->left, w, &at, err, err_size))
        got = rows_of_point(w->results, at, trace, err, err_size);
    if (!got)
        return false;
    v->note = expect_rows_difference(x->rows, got, trace);
    v->ok = v->note == NULL;
    if (v->ok)
        v->note = g_strdup_printf("%u rows as in %s", x->rows->rows, x->left->name);
    v->name = g_strdup(x->name);
    v->point = point_text(x, w->results, w->point);
    csv_table_free(got);
    return true;
}

static bool judge(const struct expectation *x, const struct expr_where *w, struct expect_verdict *v,
                  char *err, uint32_t err_size)
{
    if (x->form != EXPECT_COMPARISON)
        return judge_rows(x, w, v, err, err_size);
    if (!expr_eval(x->left, w, &v->left, err, err_size) ||
        !expr_eval(x->right, w, &v->right, err, err_size))
        return false;
    v->ok = holds(x, v->left, v->right);
    v->name = g_strdup(x->name);
    v->relation = relation_text(x);
    v->point = point_text(x, w->results, w->point);
    return true;
}

static void verdict_clear(struct expect_verdict *v)
{
    g_free(v->name);
    g_free(v->point);
    g_free(v->relation);
    g_free(v->note);
}

bool expect_evaluate(const struct expectation *x, const struct results *r,
                     const struct sc_file *file, struct expect_verdicts *out, struct sc_error *err)
{
    char detail[600];
    for (uint32_t p = 0; p < r->points; p++) {
        struct expect_verdict v = {0};
        struct expr_where w = {.results = r, .file = file, .point = p, .rep = -1};
        if (seen_before(x, r, p))
            continue;
        if (!judge(x, &w, &v, detail, sizeof detail)) {
            snprintf(err->text, sizeof err->text, "%s:%d: [expect] %s: %s", x->path, x->line,
                     x->name, detail);
            return false;
        }
        out->v = g_renew(struct expect_verdict, out->v, out->count + 1);
        out->v[out->count++] = v;
    }
    return true;
}

void expect_verdicts_clear(struct expect_verdicts *v)
{
    for (uint32_t i = 0; i < v->count; i++)
        verdict_clear(&v->v[i]);
    g_free(v->v);
    *v = (struct expect_verdicts){0};
}

static const char *number_text(double x, char *out, size_t size)
{
    if (isnan(x))
        return "(nothing measured)";
    snprintf(out, size, "%.10g", x);
    return out;
}

char *expect_verdict_text(const struct expect_verdict *v)
{
    char left[40], right[40];
    if (v->note)
        return g_strdup_printf("%-4s %s%s%s%s: %s", v->ok ? "ok" : "FAIL", v->name,
                               *v->point ? " [" : "", v->point, *v->point ? "]" : "", v->note);
    size_t sign = strcspn(v->relation, " ");
    return g_strdup_printf("%-4s %s%s%s%s: %s %.*s %s%s", v->ok ? "ok" : "FAIL", v->name,
                           *v->point ? " [" : "", v->point, *v->point ? "]" : "",
                           number_text(v->left, left, sizeof left), (int)sign, v->relation,
                           number_text(v->right, right, sizeof right), v->relation + sign);
}
