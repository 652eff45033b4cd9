/*
 * Rows to points.  The table is in the order of the sweep, and series appear in the order in which their
 * first row does, so a figure does not depend on anything but the table.
 */
#include <glib.h>
#include <math.h>
#include <string.h>

#include "analysis/stats.h"
#include "scenarios/run/plot_fill.h"
#include "scenarios/run/plot_names.h"

/* One point while rows are gathered. */
struct gather_point {
    double x;
    struct stats y;
    uint32_t point, row; /* of the first row */
};
struct gather_series {
    char *key; /* what makes it this series */
    char *name;
    GArray *point; /* struct gather_point */
};
struct filling {
    const struct plot_spec *s;
    const struct results *r;
    const struct sc_file *file;
    bool x_is_text, by_point; /* by_point: x is measured, so it does not tell points apart */
    GPtrArray *x_name;        /* of a text axis, in order of appearance */
    GPtrArray *series;        /* struct gather_series */
    char *why;
    uint32_t why_size;
};

/* ---- rows --------------------------------------------------------------------------------------- */

static bool is_swept(const struct results *r, const char *name)
{
    int c = csv_table_find(r->t, name);
    return c >= 0 && (uint32_t)c < r->swept;
}

/* Does every column in the expression belong to the sweep (and not to what was measured)? */
static bool is_of_sweep(const struct results *r, const struct expr *e)
{
    if (!e)
        return true;
    if (e->kind == EXPR_COLUMN)
        return is_swept(r, e->name);
    return is_of_sweep(r, e->left) && is_of_sweep(r, e->right);
}

static bool where_holds(struct filling *f, uint32_t row, bool *holds)
{
    *holds = true;
    for (uint32_t i = 0; i < f->s->wheres; i++) {
        const struct expr_select *w = &f->s->where[i];
        struct sc_error err = {""};
        char base[256];
        int c = csv_table_find(f->r->t, w->key);
        if (c < 0) {
            snprintf(f->why, f->why_size, "where: %s is not a column of %s", w->key, f->r->t->path);
            return false;
        }
        if (!is_swept(f->r, w->key))
            snprintf(base, sizeof base, "%s", w->value);
        else if (!sc_value_base(w->key, w->value, base, sizeof base, &err)) {
            snprintf(f->why, f->why_size, "where: %s", err.text);
            return false;
        }
        *holds = *holds && text_same(csv_table_at(f->r->t, row, (uint32_t)c), base);
    }
    return true;
}

/* "timeout = 8" for a number; what has a unit or is a word speaks for itself. */
static void add_value_name(GString *s, const char *column, const char *value)
{
    const char *dot = strrchr(column, '.');
    char *name = plot_value_name(column, value);
    double v;
    if (s->len)
        g_string_append(s, ", ");
    if (text_number(name, &v))
        g_string_append_printf(s, "%s = ", dot ? dot + 1 : column);
    g_string_append(s, name);
    g_free(name);
}

static bool series_name(struct filling *f, uint32_t row, uint32_t y, char **out)
{
    GString *s = g_string_new(NULL);
    bool ok = true;
    for (char **column = f->s->series; ok && column && *column; column++) {
        int c = csv_table_find(f->r->t, *column);
        ok = c >= 0;
        if (ok)
            add_value_name(s, *column, csv_table_at(f->r->t, row, (uint32_t)c));
        else
            snprintf(f->why, f->why_size, "series: %s is not a column of %s", *column,
                     f->r->t->path);
    }
    if (f->s->y_count > 1)
        g_string_append_printf(s, "%s%s", s->len ? ", " : "", f->s->y[y].label);
    *out = g_string_free(s, !ok);
    return ok;
}

/* The series of that name, made if it is new. */
static struct gather_series *series_of(struct filling *f, const char *name)
{
    for (uint32_t i = 0; i < f->series->len; i++) {
        struct gather_series *s = f->series->pdata[i];
        if (strcmp(s->key, name) == 0)
            return s;
    }
    struct gather_series *s = g_new0(struct gather_series, 1);
    s->key = g_strdup(name);
    s->point = g_array_new(FALSE, FALSE, sizeof(struct gather_point));
    g_ptr_array_add(f->series, s);
    return s;
}

/* Position of a name on a text axis. */
static double position(struct filling *f, const char *text)
{
    for (uint32_t i = 0; i < f->x_name->len; i++)
        if (strcmp(f->x_name->pdata[i], text) == 0)
            return i;
    g_ptr_array_add(f->x_name, g_strdup(text));
    return f->x_name->len - 1;
}

static struct expr_where where_of(const struct filling *f, uint32_t point, int rep)
{
    return (struct expr_where){.results = f->r, .file = f->file, .point = point, .rep = rep};
}

static bool x_of(struct filling *f, uint32_t point, uint32_t row, double *x)
{
    int rep = f->by_point ? -1 : (int)(row - f->r->point[point].first);
    struct expr_where w = where_of(f, point, rep);
    if (!f->x_is_text)
        return expr_eval(f->s->x.expr, &w, x, f->why, f->why_size);
    *x = position(
        f, csv_table_at(f->r->t, row, (uint32_t)csv_table_find(f->r->t, f->s->x.expr->name)));
    return true;
}

/* Two rows of one point of the figure must be repetitions of one point of the sweep. */
static bool same_sweep_point(struct filling *f, uint32_t a, uint32_t b)
{
    const struct csv_table *t = f->r->t;
    for (uint32_t c = 0; c < f->r->swept; c++) {
        if (strcmp(csv_table_at(t, a, c), csv_table_at(t, b, c)) == 0)
            continue;
        snprintf(f->why, f->why_size,
                 "points that differ in %s would be mixed; name it in series, or fix "
                 "it by `where = %s=...`",
                 t->name[c], t->name[c]);
        return false;
    }
    return true;
}

static bool add_row(struct filling *f, struct gather_series *s, uint32_t point, uint32_t row,
                    double x, double y)
{
    for (uint32_t i = 0; i < s->point->len; i++) {
        struct gather_point *p = &g_array_index(s->point, struct gather_point, i);
        if (f->by_point ? p->point != point : p->x != x)
            continue;
        stats_add(&p->y, y);
        return same_sweep_point(f, p->row, row);
    }
    struct gather_point p = {.x = x, .point = point, .row = row};
    stats_add(&p.y, y);
    g_array_append_val(s->point, p);
    return true;
}

static bool gather_row(struct filling *f, uint32_t point, uint32_t row)
{
    struct expr_where w = where_of(f, point, (int)(row - f->r->point[point].first));
    double x, y;
    bool wanted;
    if (!where_holds(f, row, &wanted) || !wanted)
        return !f->why[0];
    if (!x_of(f, point, row, &x))
        return false;
    for (uint32_t i = 0; i < f->s->y_count; i++) {
        char *name;
        if (!series_name(f, row, i, &name))
            return false;
        struct gather_series *s = series_of(f, name);
        g_free(name);
        if (!expr_eval(f->s->y[i].expr, &w, &y, f->why, f->why_size) ||
            !add_row(f, s, point, row, x, y))
            return false;
    }
    return true;
}

/* A bare column with a cell that is no number, and every bar chart, have names on the x axis. */
static bool has_text_axis(const struct plot_spec *s, const struct results *r)
{
    double v;
    int c = s->x.expr->kind == EXPR_COLUMN ? csv_table_find(r->t, s->x.expr->name) : -1;
    if (c < 0)
        return false;
    bool text = s->kind == PLOT_BARS;
    for (uint32_t row = 0; row < r->t->rows; row++)
        text = text || (*csv_table_at(r->t, row, (uint32_t)c) &&
                        !csv_table_number(r->t, row, (uint32_t)c, &v));
    return text;
}

static bool gather(struct filling *f)
{
    f->x_is_text = has_text_axis(f->s, f->r);
    f->by_point = !f->x_is_text && !f->s->buckets && !is_of_sweep(f->r, f->s->x.expr);
    for (uint32_t p = 0; p < f->r->points; p++)
        for (uint32_t i = 0; i < f->r->point[p].count; i++)
            if (!gather_row(f, p, f->r->point[p].first + i))
                return false;
    return true;
}

/* ---- figure ------------------------------------------------------------------------------------- */

static int by_x(const void *a, const void *b)
{
    double x = ((const struct plot_point *)a)->x, y = ((const struct plot_point *)b)->x;
    return (x > y) - (x < y);
}

static void fill_series(const struct filling *f, uint32_t index, struct plot_series *out)
{
    const struct gather_series *s = f->series->pdata[index];
    bool named = f->s->names && index < g_strv_length(f->s->names);
    out->name = g_strdup(named ? f->s->names[index] : s->key);
    out->points = s->point->len;
    out->point = g_new0(struct plot_point, out->points + 1);
    for (uint32_t i = 0; i < out->points; i++) {
        const struct gather_point *p = &g_array_index(s->point, struct gather_point, i);
        double y = stats_mean(&p->y);
        bool bar = !f->s->no_errors && p->y.count > 1;
        out->point[i] = (struct plot_point){p->x, y, bar ? p->y.least : y, bar ? p->y.most : y};
    }
    if (!f->by_point)
        qsort(out->point, out->points, sizeof *out->point, by_x);
}

/* Does the expression want nothing but numbers and x, so that it has a value everywhere? */
static bool is_formula(const struct expr *e)
{
    if (!e)
        return true;
    if (e->kind == EXPR_REF || (e->kind == EXPR_COLUMN && strcmp(e->name, "x") != 0))
        return false;
    return is_formula(e->left) && is_formula(e->right);
}

/* Least and greatest x that the axis can show over all series; false if there is none. */
static bool x_span(const struct filling *f, double *least, double *most)
{
    struct stats x = {0};
    for (uint32_t i = 0; i < f->series->len; i++) {
        const struct gather_series *s = f->series->pdata[i];
        for (uint32_t k = 0; k < s->point->len; k++) {
            double v = g_array_index(s->point, struct gather_point, k).x;
            if (!f->s->x_log || v > 0)
                stats_add(&x, v);
        }
    }
    *least = x.least;
    *most = x.most;
    return x.count > 0;
}

static bool reference_at(struct filling *f, const struct plot_quantity *q, uint32_t point, double x,
                         struct plot_point *out)
{
    struct expr_where w = where_of(f, point, -1);
    double y;
    w.x = &x;
    if (!expr_eval(q->expr, &w, &y, f->why, f->why_size))
        return false;
    *out = (struct plot_point){x, y, y, y};
    return true;
}

/* A formula is drawn as a curve over the whole axis, evenly as the eye sees it. */
static bool fill_curve(struct filling *f, const struct plot_quantity *q, struct plot_series *out)
{
    double least, most;
    if (!x_span(f, &least, &most))
        return true;
    out->points = PLOT_CURVE_POINTS;
    out->point = g_new0(struct plot_point, out->points);
    for (uint32_t i = 0; i < out->points; i++) {
        double share = (double)i / (PLOT_CURVE_POINTS - 1);
        double x = f->s->x_log ? least * pow(most / least, share) : least + (most - least) * share;
        if (!reference_at(f, q, 0, x, &out->point[i]))
            return false;
    }
    return true;
}

/* What needs a table or a measured value is taken where the first series has points. */
static bool fill_reference(struct filling *f, const struct plot_quantity *q,
                           struct plot_series *out)
{
    const struct gather_series *s = f->series->len ? f->series->pdata[0] : NULL;
    out->name = g_strdup(q->label);
    out->reference = true;
    if (is_formula(q->expr) && !f->x_is_text && !f->by_point && f->s->kind != PLOT_BARS)
        return fill_curve(f, q, out);
    out->points = s ? s->point->len : 0;
    out->point = g_new0(struct plot_point, out->points + 1);
    for (uint32_t i = 0; i < out->points; i++) {
        const struct gather_point *p = &g_array_index(s->point, struct gather_point, i);
        if (!reference_at(f, q, p->point, p->x, &out->point[i]))
            return false;
    }
    qsort(out->point, out->points, sizeof *out->point, by_x);
    return true;
}

static char *scenario_text(const struct sc_file *file, const char *key)
{
    const struct sc_line *line;
    uint32_t lines = sc_lines(file, "scenario", &line);
    for (uint32_t i = 0; i < lines; i++)
        if (strcmp(line[i].key, key) == 0)
            return g_strdup(line[i].value);
    return NULL;
}

static char *title_of(const struct filling *f)
{
    char *title = f->s->title ? g_strdup(f->s->title) : scenario_text(f->file, "question");
    if (!title)
        title = scenario_text(f->file, "title");
    return title ? title : g_strdup(f->s->name);
}

static char *given_or(const char *given, const char *otherwise)
{
    return g_strdup(given ? given : otherwise);
}

/* "goodput_gbps, iops": what the axis shows where the scenario does not say. */
static char *y_labels(const struct plot_spec *s)
{
    GString *all = g_string_new(s->y[0].label);
    for (uint32_t i = 1; i < s->y_count; i++)
        g_string_append_printf(all, ", %s", s->y[i].label);
    return g_string_free(all, FALSE);
}

static void fill_frame(const struct filling *f, struct plot *out)
{
    const struct plot_spec *s = f->s;
    *out = (struct plot){.x_log = s->x_log,
                         .y_log = s->y_log,
                         .has_y_min = s->has_y_min,
                         .has_y_max = s->has_y_max,
                         .y_min = s->y_min,
                         .y_max = s->y_max,
                         .kind = s->kind};
    out->title = title_of(f);
    out->subtitle = given_or(s->subtitle, "");
    out->x_label = s->x_label ? g_strdup(s->x_label) : plot_column_label(s->x.label);
    out->y_label = s->y_label ? g_strdup(s->y_label) : y_labels(s);
    if (!f->x_is_text)
        return;
    out->x_log = false; /* names have no logarithm */
    out->x_names = f->x_name->len;
    out->x_name = g_new0(char *, out->x_names + 1);
    for (uint32_t i = 0; i < out->x_names; i++)
        out->x_name[i] = plot_value_name(s->x.expr->name, f->x_name->pdata[i]);
}

static bool fill(struct filling *f, struct plot *out)
{
    fill_frame(f, out);
    out->series = g_new0(struct plot_series, f->series->len + f->s->reference_count + 1);
    for (uint32_t i = 0; i < f->series->len; i++)
        fill_series(f, i, &out->series[out->series_count++]);
    for (uint32_t i = 0; i < f->s->reference_count; i++)
        if (!fill_reference(f, &f->s->reference[i], &out->series[out->series_count++]))
            return false;
    return true;
}

static void free_series(void *self)
{
    struct gather_series *s = self;
    g_array_free(s->point, TRUE);
    g_free(s->key);
    g_free(s);
}

bool plot_fill(const struct plot_spec *s, const struct results *r, const struct sc_file *file,
               struct plot *out, struct sc_error *err)
{
    char why[600] = "";
    struct filling f = {.s = s,
                        .r = r,
                        .file = file,
                        .why = why,
                        .why_size = sizeof why,
                        .x_name = g_ptr_array_new_with_free_func(g_free),
                        .series = g_ptr_array_new_with_free_func(free_series)};
    *out = (struct plot){0};
    bool ok = gather(&f) && fill(&f, out);
    if (!ok) {
        snprintf(err->text, sizeof err->text, "%s:%d: [plot %s]: %s", s->path, s->line, s->name,
                 why);
        plot_fill_clear(out);
    }
    g_ptr_array_free(f.x_name, TRUE);
    g_ptr_array_free(f.series, TRUE);
    return ok;
}

void plot_fill_clear(struct plot *p)
{
    for (uint32_t i = 0; i < p->series_count; i++) {
        g_free(p->series[i].name);
        g_free(p->series[i].point);
    }
    for (uint32_t i = 0; i < p->x_names; i++)
        g_free(p->x_name[i]);
    g_free(p->x_name);
    g_free(p->series);
    g_free(p->title);
    g_free(p->subtitle);
    g_free(p->x_label);
    g_free(p->y_label);
    *p = (struct plot){0};
}
