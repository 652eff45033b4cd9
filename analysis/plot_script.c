/*
 * A figure as a gnuplot script.
 *
 * Series differ in colour (Okabe and Ito's palette, safe for the colour-blind), in mark and in dash,
 * so a print in grey still tells them apart.  Fonts are large: the figure is meant to be read at
 * the width of a paper's column.  The legend stands below the plot, never over data.
 */
#include <glib.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/plot_axis.h"
#include "analysis/plot_script.h"

#define SHORT_NAME 22 /* longer ones are written smaller in the legend */
#define BAR_GROUP 0.8 /* of the distance between groups */

static const struct {
    const char *colour;
    const char *dash;
    int mark;
} looks[] = {
    {"#0072B2", "1", 7},           {"#D55E00", "(9,4)", 5},  {"#009E73", "(3,3)", 9},
    {"#CC79A7", "(12,4,3,4)", 13}, {"#E69F00", "(6,2)", 11}, {"#56B4E9", "(2,2,6,2)", 6},
    {"#000000", "(1,3)", 4},       {"#7F7F7F", "(14,3)", 8},
};
static const char *const reference_dash[] = {"(5,4)", "(1,3)", "(10,4,1,4)", "(14,6)"};

static const struct {
    const char *format, *terminal;
} terminals[] = {
    {"svg",
     "svg size 800,520 font 'Helvetica,Arial,sans-serif,20' linewidth 1.3 background '#FFFFFF'"},
    {"png", "pngcairo size 1600,1000 font 'Sans,28' linewidth 2.8 pointscale 2"},
    {"pdf", "pdfcairo size 12cm,7.6cm font 'Sans,10' linewidth 1.5 pointscale 0.6"},
};

/* What the script is made from, beside the plot itself. */
struct drawing {
    const struct plot *p;
    const char *name;
    struct plot_axis x, y;
    uint32_t shown;     /* series with something to draw */
    uint32_t left_out;  /* points that a log axis cannot show, or that have no value */
    uint32_t valueless; /* of them */
    bool low_cut;       /* error bars that reach 0 on a log axis */
    bool errors;        /* some error bar is not a point */
    bool clause_begun;  /* the plot command has a clause already */
    GString *script, *data;
};

/* ---- text --------------------------------------------------------------------------------------- */

/*
 * Inside single quotes gnuplot expands nothing; a quote is doubled.  What enhanced text
 * takes for markup gets a backslash, control characters a space.
 */
static void put_escaped(GString *s, const char *text)
{
    for (; *text; text++) {
        if (strchr("{}^_@&~\\", *text))
            g_string_append_c(s, '\\');
        if (*text == '\'')
            g_string_append_c(s, '\'');
        g_string_append_c(s, (unsigned char)*text < 32 ? ' ' : *text);
    }
}

static void put_quoted(GString *s, const char *text)
{
    g_string_append_c(s, '\'');
    put_escaped(s, text);
    g_string_append_c(s, '\'');
}

/* A file name: quoted as it is, it is no enhanced text. */
static void put_file(GString *s, const char *name, const char *suffix)
{
    char **part = g_strsplit(name, "'", -1);
    char *doubled = g_strjoinv("''", part);
    g_string_append_printf(s, "'%s.%s'", doubled, suffix);
    g_free(doubled);
    g_strfreev(part);
}

/*
 * The text as one or more quoted lines of about `most` characters, broken at spaces; no line is left
 * with a word or two.
 */
static void put_wrapped(GString *s, const char *text, glong most)
{
    glong length = g_utf8_strlen(text, -1), lines = (length + most - 1) / most;
    glong width = lines > 1 ? length / lines + 6 : most;
    char **word = g_strsplit(text, " ", -1);
    GString *line = g_string_new(NULL);
    bool first = true;
    for (uint32_t i = 0; word[i]; i++) {
        if (line->len && g_utf8_strlen(line->str, -1) + 1 + g_utf8_strlen(word[i], -1) > width) {
            if (!first)
                g_string_append(s, ".\"\\n\".");
            put_quoted(s, line->str);
            first = false;
            g_string_truncate(line, 0);
        }
        g_string_append_printf(line, "%s%s", line->len ? " " : "", word[i]);
    }
    if (!first)
        g_string_append(s, ".\"\\n\".");
    put_quoted(s, line->str);
    g_string_free(line, TRUE);
    g_strfreev(word);
}

/* A smaller line below another text. */
static void put_small_line(GString *s, const char *text)
{
    g_string_append(s, ".\"\\n\".'{/*0.75 ");
    put_escaped(s, text);
    g_string_append(s, "}'");
}

/* ---- what can be shown -------------------------------------------------------------------------- */

static bool can_show(const struct plot *p, const struct plot_point *at)
{
    return isfinite(at->x) && isfinite(at->y) && !(p->x_log && at->x <= 0) &&
           !(p->y_log && at->y <= 0);
}

struct extent {
    double least, most;
};

static void stretch(struct extent *e, double v)
{
    e->least = fmin(e->least, v);
    e->most = fmax(e->most, v);
}

static void measure_point(struct drawing *d, const struct plot_point *at, struct extent *x,
                          struct extent *y)
{
    bool low_ok = isfinite(at->y_low) && !(d->p->y_log && at->y_low <= 0);
    stretch(x, at->x);
    stretch(y, at->y);
    if (low_ok)
        stretch(y, at->y_low);
    else
        d->low_cut = true;
    stretch(y, at->y_high);
    d->errors = d->errors || at->y_low != at->y || at->y_high != at->y;
}

static void measure(struct drawing *d, struct extent *x, struct extent *y)
{
    const struct plot *p = d->p;
    *x = *y = (struct extent){INFINITY, -INFINITY};
    for (uint32_t i = 0; i < p->series_count; i++) {
        uint32_t before = d->left_out;
        const struct plot_series *s = &p->series[i];
        for (uint32_t k = 0; k < s->points; k++) {
            if (can_show(p, &s->point[k]))
                measure_point(d, &s->point[k], x, y);
            else {
                d->left_out++;
                d->valueless += !isfinite(s->point[k].x) || !isfinite(s->point[k].y);
            }
        }
        d->shown += s->points > d->left_out - before;
    }
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Tics of a log x axis at the values that were measured, if they are few. */
static void tics_at_values(struct drawing *d)
{
    GArray *v = g_array_new(FALSE, FALSE, sizeof(double));
    for (uint32_t i = 0; i < d->p->series_count; i++)
        for (uint32_t k = 0; k < d->p->series[i].points; k++)
            if (can_show(d->p, &d->p->series[i].point[k]))
                g_array_append_val(v, d->p->series[i].point[k].x);
    g_array_sort(v, by_value);
    uint32_t n = 0;
    double *value = (double *)(void *)v->data;
    for (uint32_t i = 0; i < v->len; i++)
        if (i == 0 || value[i] != value[n - 1])
            value[n++] = value[i];
    plot_axis_tics_at(&d->x, value, n);
    g_array_free(v, TRUE);
}

static bool make_axes(struct drawing *d, char *err, uint32_t err_size)
{
    const struct plot *p = d->p;
    struct extent x, y;
    measure(d, &x, &y);
    if (d->shown == 0) {
        snprintf(err, err_size, "there is nothing to draw: no point%s",
                 d->left_out ? " can be shown on these axes" : "");
        return false;
    }
    plot_axis_make(&d->x, p->x_log, x.least, x.most, false, p->kind == PLOT_STEPS ? 0 : 0.04);
    if (p->x_names)
        plot_axis_limit(&d->x, -0.6, p->x_names - 0.4);
    else if (p->x_log)
        tics_at_values(d);
    plot_axis_make(&d->y, p->y_log, y.least, y.most, true, 0.06);
    if (p->y_log && p->kind == PLOT_BARS) /* a bar needs a foot to stand on: a whole power of ten */
        plot_axis_limit(&d->y, pow(10, floor(log10(y.least) - 1e-9)), d->y.high);
    if (p->has_y_min || p->has_y_max)
        plot_axis_limit(&d->y, p->has_y_min ? p->y_min : d->y.low,
                        p->has_y_max ? p->y_max : d->y.high);
    if (d->y.low < d->y.high && !(p->y_log && d->y.low <= 0))
        return true;
    snprintf(err, err_size, "the y axis from %g to %g cannot be drawn", d->y.low, d->y.high);
    return false;
}

/* ---- data --------------------------------------------------------------------------------------- */

/* Series of a bar chart stand side by side around their position. */
static double bar_width(const struct drawing *d)
{
    uint32_t bars = 0;
    for (uint32_t i = 0; i < d->p->series_count; i++)
        bars += !d->p->series[i].reference;
    return BAR_GROUP / (bars ? bars : 1);
}

static double shift_of(const struct drawing *d, uint32_t series)
{
    double rank = 0, bars = 0;
    if (d->p->kind != PLOT_BARS || d->p->series[series].reference)
        return 0;
    for (uint32_t i = 0; i < d->p->series_count; i++) {
        rank += i < series && !d->p->series[i].reference;
        bars += !d->p->series[i].reference;
    }
    return (rank - (bars - 1) / 2) * bar_width(d);
}

static uint32_t put_points(struct drawing *d, uint32_t series)
{
    const struct plot_series *s = &d->p->series[series];
    uint32_t n = 0;
    for (uint32_t k = 0; k < s->points; k++) {
        const struct plot_point *at = &s->point[k];
        double low = isfinite(at->y_low) ? fmax(at->y_low, d->y.low) : at->y;
        if (!can_show(d->p, at))
            continue;
        if (n++ == 0)
            g_string_append_printf(d->data, "# %s\n# x y y_low y_high\n", s->name);
        g_string_append_printf(d->data, "%.12g %.12g %.12g %.12g\n", at->x + shift_of(d, series),
                               at->y, low, isfinite(at->y_high) ? at->y_high : at->y);
    }
    if (n)
        g_string_append(d->data, "\n\n");
    return n;
}

/* ---- script ------------------------------------------------------------------------------------- */

static void put_tics(GString *s, char axis, const struct plot_axis *a)
{
    g_string_append_printf(s, "set %crange [%.12g:%.12g]\n", axis, a->low, a->high);
    if (a->log)
        g_string_append_printf(s, "set logscale %c 10\n", axis);
    g_string_append_printf(s, "set %ctics nomirror (", axis);
    for (uint32_t i = 0; i < a->tics; i++)
        g_string_append_printf(s, "%s'%s' %.12g%s", i ? ", " : "", a->tic[i].label, a->tic[i].at,
                               *a->tic[i].label ? "" : " 1");
    g_string_append(s, ")\n");
}

/* Long names would run into each other: they stand aslant. */
static void put_named_tics(GString *s, const struct plot *p)
{
    size_t length = 0;
    for (uint32_t i = 0; i < p->x_names; i++)
        length += strlen(p->x_name[i]) + 2;
    g_string_append_printf(s, "set xrange [-0.6:%.12g]\nset xtics nomirror scale 0%s (",
                           p->x_names - 0.4, length > 64 ? " rotate by 30 right" : "");
    for (uint32_t i = 0; i < p->x_names; i++) {
        g_string_append(s, i ? ", " : "");
        put_quoted(s, p->x_name[i]);
        g_string_append_printf(s, " %u", i);
    }
    g_string_append(s, ")\n");
}

static uint32_t longest_name(const struct plot *p)
{
    glong most = 0;
    for (uint32_t i = 0; i < p->series_count; i++)
        most = MAX(most, g_utf8_strlen(p->series[i].name, -1));
    return (uint32_t)most;
}

/* Many short names stand right of the plot, others below it. */
static bool key_is_right(const struct drawing *d)
{
    return d->shown > 4 && longest_name(d->p) <= 16;
}

static void put_left_out(GString *s, uint32_t points, const char *why)
{
    if (points == 0)
        return;
    char *note = g_strdup_printf("%u point%s %s", points, points == 1 ? "" : "s", why);
    put_small_line(s, note);
    g_free(note);
}

static void put_labels(struct drawing *d)
{
    GString *s = d->script;
    g_string_append(s, "set title ");
    put_wrapped(s, d->p->title, 54);
    if (*d->p->subtitle)
        put_small_line(s, d->p->subtitle);
    g_string_append(s, "\nset xlabel ");
    put_quoted(s, d->p->x_label);
    put_left_out(s, d->left_out - d->valueless, "at or below zero, not shown on a log axis");
    put_left_out(s, d->valueless, "without a value, not shown");
    if (d->low_cut)
        put_small_line(s, "error bars that reach zero end at the axis");
    if (longest_name(d->p) > 0 && !key_is_right(d))
        put_small_line(s, " "); /* keeps the legend at a distance */
    g_string_append(s, "\nset ylabel ");
    put_quoted(s, d->p->y_label);
    g_string_append(s, "\n");
}

/*
 * Long names are written smaller before they cost the plot its height; gnuplot reserves room for
 * their full size, which `width` takes back.
 */
static void put_key(struct drawing *d)
{
    uint32_t longest = longest_name(d->p);
    GString *s = d->script;
    if (longest == 0)
        g_string_append(s, "set key off\n");
    else if (key_is_right(d) && d->shown > 10) /* a second column would cost the plot its width */
        g_string_append(s, "set key rmargin center vertical Left reverse samplen 2 spacing 1 "
                           "font ',12'\n");
    else if (key_is_right(d))
        g_string_append(s,
                        "set key rmargin center vertical Left reverse samplen 2.5 spacing 1.15\n");
    else if (longest > SHORT_NAME)
        g_string_append_printf(
            s,
            "set key bmargin center horizontal Left reverse samplen 2.5 spacing 0.95 "
            "width %d maxcols %u\n",
            -(int)longest / 5, longest > 40 ? 1 : 2);
    else
        g_string_append_printf(
            s,
            "set key bmargin center horizontal Left reverse samplen 2.5 spacing 1.15 "
            "maxcols %u\n",
            longest > 12 ? 3 : 4);
}

static void put_head(struct drawing *d)
{
    GString *s = d->script;
    g_string_append(s, "set encoding utf8\nset termoption enhanced\n"
                       "set border 3 linecolor '#404040' linewidth 0.8\n"
                       "set tics textcolor '#000000'\nset pointintervalbox 0\n");
    g_string_append_printf(s, "set grid %s linecolor '#DDDDDD' linewidth 0.6 linetype 1\n",
                           d->p->x_names ? "noxtics ytics" : "xtics ytics");
    put_labels(d);
    put_key(d);
    if (d->p->x_names)
        put_named_tics(s, d->p);
    else
        put_tics(s, 'x', &d->x);
    put_tics(s, 'y', &d->y);
    if (d->p->kind == PLOT_BARS)
        g_string_append(s, "set style fill solid 0.85 border linecolor '#303030'\n");
}

static void put_title_of(struct drawing *d, const char *name)
{
    bool small = longest_name(d->p) > SHORT_NAME;
    if (!*name) {
        g_string_append(d->script, " notitle");
        return;
    }
    g_string_append_printf(d->script, " title '%s", small ? "{/*0.8 " : "");
    put_escaped(d->script, name);
    g_string_append(d->script, small ? "}'" : "'");
}

static void put_begin(struct drawing *d, uint32_t index, const char *columns)
{
    g_string_append_printf(d->script, "%s     ", d->clause_begun ? ", \\\n" : "plot \\\n");
    d->clause_begun = true;
    put_file(d->script, d->name, "dat");
    g_string_append_printf(d->script, " index %u using %s", index, columns);
}

/* Bars from least to most: solid and without a mark, whatever the series looks like. */
static void put_error_bars(struct drawing *d, uint32_t index, const char *colour)
{
    put_begin(d, index, "1:2:3:4");
    g_string_append_printf(d->script,
                           " with yerrorbars linecolor '%s' linewidth 1 dashtype 1 "
                           "pointtype -1 notitle",
                           colour);
}

static void put_series(struct drawing *d, uint32_t index, uint32_t rank,
                       const struct plot_series *s)
{
    static const char *const with[] = {"linespoints", "points", "boxes", "steps"};
    uint32_t look = rank % G_N_ELEMENTS(looks);
    bool steps = d->p->kind == PLOT_STEPS;
    if (d->errors && !steps)
        put_error_bars(d, index, looks[look].colour);
    put_begin(d, index, "1:2");
    g_string_append_printf(d->script, " with %s linecolor '%s' linewidth 1.4 dashtype %s",
                           with[d->p->kind], looks[look].colour, looks[look].dash);
    if (!steps)
        g_string_append_printf(d->script, " pointtype %d pointsize 1", looks[look].mark);
    put_title_of(d, s->name);
}

static void put_bars(struct drawing *d, uint32_t index, uint32_t rank, const struct plot_series *s)
{
    char *columns =
        g_strdup_printf(d->errors ? "1:2:3:4:(%.12g)" : "1:2:(%.12g)", bar_width(d) * 0.92);
    put_begin(d, index, columns);
    g_free(columns);
    g_string_append_printf(d->script, " with %s linecolor '%s'",
                           d->errors ? "boxerrorbars" : "boxes",
                           looks[rank % G_N_ELEMENTS(looks)].colour);
    put_title_of(d, s->name);
}

static void put_reference(struct drawing *d, uint32_t index, uint32_t rank,
                          const struct plot_series *s)
{
    put_begin(d, index, "1:2");
    g_string_append_printf(d->script, " with lines linecolor '#505050' linewidth 1.2 dashtype %s",
                           reference_dash[rank % G_N_ELEMENTS(reference_dash)]);
    put_title_of(d, s->name);
}

/* The data and the plot command together: a series without points has no block and no clause. */
static void put_all_series(struct drawing *d)
{
    uint32_t index = 0, rank = 0, reference = 0;
    for (uint32_t i = 0; i < d->p->series_count; i++) {
        const struct plot_series *s = &d->p->series[i];
        uint32_t look = s->reference ? reference++ : rank++;
        if (put_points(d, i) == 0)
            continue;
        if (s->reference)
            put_reference(d, index++, look, s);
        else
            (d->p->kind == PLOT_BARS ? put_bars : put_series)(d, index++, look, s);
    }
    g_string_append_c(d->script, '\n');
}

static const char *terminal_of(const char *format)
{
    for (uint32_t i = 0; i < G_N_ELEMENTS(terminals); i++)
        if (strcmp(terminals[i].format, format) == 0)
            return terminals[i].terminal;
    return NULL;
}

/* Does format[i] stand in the list before?  Its file can be put in place only once. */
static bool is_among(char *const *format, uint32_t i)
{
    for (uint32_t k = 0; k < i; k++)
        if (strcmp(format[k], format[i]) == 0)
            return true;
    return false;
}

bool plot_formats_known(const char *formats, char *err, uint32_t err_size)
{
    char **format = g_strsplit(formats, ",", -1);
    bool known = format[0] != NULL;
    for (uint32_t i = 0; known && format[i]; i++)
        known = terminal_of(g_strstrip(format[i])) != NULL && !is_among(format, i);
    if (!known)
        snprintf(err, err_size, "'%s': formats are svg, png and pdf, separated by commas", formats);
    g_strfreev(format);
    return known;
}

/* The terminal comes first in gnuplot; the figure is drawn once and again for every other format. */
static void put_outputs(struct drawing *d, const char *formats)
{
    char **format = g_strsplit(formats, ",", -1);
    GString *head = d->script;
    d->script = g_string_new(NULL);
    for (uint32_t i = 0; format[i]; i++) {
        const char *name = g_strstrip(format[i]);
        g_string_append_printf(d->script, "set terminal %s\nset output ", terminal_of(name));
        put_file(d->script, d->name, name);
        g_string_append_printf(d->script, "\n%sunset output\n", i == 0 ? head->str : "replot\n");
    }
    g_string_free(head, TRUE);
    g_strfreev(format);
}

bool plot_script_make(const struct plot *p, const char *name, const char *formats, char **script,
                      char **data, char *err, uint32_t err_size)
{
    struct drawing d = {
        .p = p, .name = name, .script = g_string_new(NULL), .data = g_string_new(NULL)};
    bool ok = plot_formats_known(formats, err, err_size) && make_axes(&d, err, err_size);
    if (ok) {
        put_head(&d);
        put_all_series(&d);
        put_outputs(&d, formats);
    }
    *script = g_string_free(d.script, !ok);
    *data = g_string_free(d.data, !ok);
    return ok;
}
