/*
 * Values of expressions at a point of the results.
 */
#include <glib.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "scenarios/run/expr.h"
#include "scenarios/run/ref_file.h"

struct eval {
    struct expr_where w;
    char *err;
    uint32_t err_size;
};

static bool value_of(struct eval *v, const struct expr *e, double *out);

/* ---- points ------------------------------------------------------------------------------------- */

static int swept_column(const struct results *r, const char *key)
{
    int i = csv_table_find(r->t, key);
    return i >= 0 && (uint32_t)i < r->swept ? i : -1;
}

/* The values that the point sought has in the selected columns, in base units. */
static bool wanted_values(struct eval *v, const struct expr *e, char **wanted)
{
    const struct results *r = v->w.results;
    for (uint32_t i = 0; i < e->selects; i++) {
        struct sc_error err;
        char base[256];
        int column = swept_column(r, e->select[i].key);
        if (column < 0) {
            snprintf(v->err, v->err_size, "%s[%s=...]: %s is not swept here", e->name,
                     e->select[i].key, e->select[i].key);
            return false;
        }
        if (!sc_value_base(e->select[i].key, e->select[i].value, base, sizeof base, &err)) {
            snprintf(v->err, v->err_size, "%s[%s=%s]: %s", e->name, e->select[i].key,
                     e->select[i].value, err.text);
            return false;
        }
        g_free(wanted[column]);
        wanted[column] = g_strdup(base);
    }
    return true;
}

/* The first point with the values that are wanted, NULL: any; *found: how many there are. */
static uint32_t find_point(const struct results *r, char *const *wanted, uint32_t *found)
{
    uint32_t first = 0;
    *found = 0;
    for (uint32_t p = r->points; p-- > 0;) {
        bool same = true;
        for (uint32_t c = 0; same && c < r->swept; c++)
            same = !wanted[c] || text_same(csv_table_at(r->t, r->point[p].first, c), wanted[c]);
        if (same) {
            first = p;
            ++*found;
        }
    }
    return first;
}

/* What is not selected is as at the point at hand. */
static uint32_t find_beside(const struct results *r, uint32_t point, char *const *wanted,
                            uint32_t *found)
{
    char **whole = g_new0(char *, r->swept + 1);
    for (uint32_t c = 0; c < r->swept; c++)
        whole[c] = g_strdup(wanted[c] ? wanted[c] : csv_table_at(r->t, r->point[point].first, c));
    uint32_t p = find_point(r, whole, found);
    g_strfreev(whole);
    return p;
}

/*
 * The point that a column is taken at: the one at hand, or the one beside it that the selectors tell; where keys
 * vary together there may be none beside it, and the only one with these values is meant.
 */
static bool point_of(struct eval *v, const struct expr *e, uint32_t *point)
{
    const struct results *r = v->w.results;
    *point = v->w.point;
    if (e->selects == 0)
        return true;
    char **wanted = g_new0(char *, r->swept + 1);
    uint32_t found = 0;
    bool ok = wanted_values(v, e, wanted);
    if (ok)
        *point = find_beside(r, v->w.point, wanted, &found);
    if (ok && found == 0)
        *point = find_point(r, wanted, &found);
    if (ok && found != 1) {
        char many[64];
        snprintf(many, sizeof many, "%u points have this; select by more keys", found);
        snprintf(v->err, v->err_size, "%s[%s=%s%s]: %s", e->name, e->select[0].key,
                 e->select[0].value, e->selects > 1 ? ",..." : "",
                 found ? many : "no such point among the results");
        ok = false;
    }
    for (uint32_t c = 0; c < r->swept; c++)
        g_free(wanted[c]);
    g_free(wanted);
    return ok;
}

/* ---- leaves ------------------------------------------------------------------------------------- */

static double cell(const struct results *r, uint32_t row, int column)
{
    double x;
    return csv_table_number(r->t, row, (uint32_t)column, &x) ? x : NAN;
}

static bool column_value(struct eval *v, const struct expr *e, double *out)
{
    const struct results *r = v->w.results;
    int column = csv_table_find(r->t, e->name);
    uint32_t at;
    if (v->w.x && strcmp(e->name, "x") == 0) {
        *out = *v->w.x;
        return true;
    }
    if (column < 0) {
        snprintf(v->err, v->err_size, "'%s' is neither a metric nor a swept key", e->name);
        return false;
    }
    if (!point_of(v, e, &at))
        return false;
    const struct results_point *p = &r->point[at];
    if (v->w.rep >= 0) {
        *out = (uint32_t)v->w.rep < p->count ? cell(r, p->first + (uint32_t)v->w.rep, column) : NAN;
        return true;
    }
    double sum = 0;
    for (uint32_t i = 0; i < p->count; i++)
        sum += cell(r, p->first + i, column);
    *out = sum / p->count;
    return true;
}

static bool ref_value(struct eval *v, const struct expr *e, double *out)
{
    struct csv_table *t = ref_file_read(v->w.file, e->name, v->err, v->err_size);
    char row[40];
    if (v->w.x)
        snprintf(row, sizeof row, "%.12g", *v->w.x);
    const char *wanted = v->w.x && strcmp(e->row, "x") == 0 ? row : e->row;
    bool ok = t && ref_file_number(t, wanted, e->column, out, v->err, v->err_size);
    csv_table_free(t);
    return ok;
}

/* ---- nodes -------------------------------------------------------------------------------------- */

/* Repetitions of all the points that the expression looks at: those of the point at hand. */
static bool over_repetitions(struct eval *v, const struct expr *e, double *out)
{
    uint32_t count = v->w.results->point[v->w.point].count;
    double sum = 0, least = INFINITY, most = -INFINITY;
    if (v->w.rep >= 0)
        return value_of(v, e->left, out);
    for (uint32_t i = 0; i < count; i++) {
        struct eval one = *v;
        double x;
        one.w.rep = (int)i;
        if (!value_of(&one, e->left, &x))
            return false;
        sum += x;
        least = fmin(least, x);
        most = fmax(most, x);
    }
    if (e->kind == EXPR_MEAN || isnan(sum)) /* one repetition without a value: no value */
        *out = sum / count;
    else
        *out = e->kind == EXPR_MIN ? least : most;
    return true;
}

static bool binary_value(struct eval *v, const struct expr *e, double *out)
{
    double a, b;
    if (!value_of(v, e->left, &a) || !value_of(v, e->right, &b))
        return false;
    if (e->kind == EXPR_ADD)
        *out = a + b;
    else if (e->kind == EXPR_SUBTRACT)
        *out = a - b;
    else if (e->kind == EXPR_MULTIPLY)
        *out = a * b;
    else if (e->kind == EXPR_DIVIDE)
        *out = b == 0 ? NAN : a / b;
    else
        *out = pow(a, b);
    if (isinf(*out)) /* an overflow is above every bound: it must not satisfy one */
        *out = NAN;
    return true;
}

static bool value_of(struct eval *v, const struct expr *e, double *out)
{
    switch (e->kind) {
    case EXPR_NUMBER:
        *out = e->number;
        return true;
    case EXPR_COLUMN:
        return column_value(v, e, out);
    case EXPR_REF:
        return ref_value(v, e, out);
    case EXPR_NEGATE:
        if (!value_of(v, e->left, out))
            return false;
        *out = -*out;
        return true;
    case EXPR_ADD:
    case EXPR_SUBTRACT:
    case EXPR_MULTIPLY:
    case EXPR_DIVIDE:
    case EXPR_POWER:
        return binary_value(v, e, out);
    case EXPR_MEAN:
    case EXPR_MIN:
    case EXPR_MAX:
        return over_repetitions(v, e, out);
    }
    return false;
}

bool expr_eval(const struct expr *e, const struct expr_where *w, double *out, char *err,
               uint32_t err_size)
{
    struct eval v = {.w = *w, .err = err, .err_size = err_size};
    return value_of(&v, e, out);
}

bool expr_point(const struct expr *column, const struct expr_where *w, uint32_t *point, char *err,
                uint32_t err_size)
{
    struct eval v = {.w = *w, .err = err, .err_size = err_size};
    return point_of(&v, column, point);
}

static bool selects(const struct expr *e, const char *key)
{
    for (uint32_t i = 0; i < e->selects; i++)
        if (strcmp(e->select[i].key, key) == 0)
            return true;
    return false;
}

/* Do the selectors of the column tell one point, whichever is at hand? */
static bool is_fixed(const struct expr *e, const struct results *r)
{
    if (!r || e->selects == 0)
        return false;
    char err[8];
    struct eval v = {.w = {.results = r}, .err = err, .err_size = sizeof err};
    char **wanted = g_new0(char *, r->swept + 1);
    uint32_t found = 0;
    if (wanted_values(&v, e, wanted))
        find_point(r, wanted, &found);
    for (uint32_t c = 0; c < r->swept; c++)
        g_free(wanted[c]);
    g_free(wanted);
    return found == 1;
}

bool expr_depends(const struct expr *e, const struct results *r, const char *swept_name)
{
    if (!e)
        return false;
    if (e->kind == EXPR_COLUMN)
        return !selects(e, swept_name) && !is_fixed(e, r);
    return expr_depends(e->left, r, swept_name) || expr_depends(e->right, r, swept_name);
}
