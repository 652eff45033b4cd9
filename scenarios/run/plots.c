/*
 * The figures of a result folder, one group after the other; a figure that cannot be drawn stops none of
 * the others, but the exit code remembers it.
 */
#include <glib.h>
#include <stdio.h>
#include <string.h>

#include "scenarios/run/dry.h"
#include "scenarios/run/plot_fill.h"
#include "scenarios/run/plots.h"

/* Results and buckets of the folder, read when the first figure asks. */
struct tables {
    const char *dir;
    struct results r[2];
    bool read[2];
};

static const struct results *table(struct tables *t, bool buckets, struct sc_error *err)
{
    static const char *const name[] = {"results.csv", "buckets.csv"};
    if (t->read[buckets])
        return &t->r[buckets];
    char *path = g_build_filename(t->dir, name[buckets], NULL);
    t->read[buckets] = results_read(path, &t->r[buckets], err->text, sizeof err->text);
    g_free(path);
    return t->read[buckets] ? &t->r[buckets] : NULL;
}

static int draw_spec(const struct plot_spec *s, const struct sc_file *f, struct tables *t,
                     const char *formats, struct sc_error *err)
{
    struct plot p;
    const struct results *r = table(t, s->buckets, err);
    if (!r)
        return 3;
    if (!plot_fill(s, r, f, &p, err))
        return 2;
    char *path = g_build_filename(t->dir, s->name, NULL);
    char why[700];
    int code = plot_draw(&p, path, formats, why, sizeof why) ? 0 : 3;
    if (code)
        snprintf(err->text, sizeof err->text, "[plot %s]: %s", s->name, why);
    g_free(path);
    plot_fill_clear(&p);
    return code;
}

/* Lines of the group that begins at line[0]. */
static uint32_t group_length(const struct sc_line *line, uint32_t n)
{
    uint32_t i = 1;
    while (i < n && strcmp(line[i].group, line[0].group) == 0)
        i++;
    return i;
}

static int draw_group(const struct sc_line *line, uint32_t n, const struct sc_file *f,
                      struct tables *t, const char *formats, bool quiet, struct sc_error *err)
{
    struct plot_spec s;
    if (!plot_spec_parse(line, n, sc_file_path(f), &s, err))
        return 2;
    int code = draw_spec(&s, f, t, formats, err);
    if (code == 0 && !quiet)
        printf("%s/%s.{%s}\n", t->dir, s.name, formats);
    plot_spec_clear(&s);
    return code;
}

bool plots_wanted(const struct sc_file *f)
{
    const struct sc_line *line;
    return sc_lines(f, "plot", &line) > 0;
}

/* Can this figure be filled from results that look like those of the sweep? */
static bool try_spec(const struct plot_spec *s, const struct dry *dry, const struct sc_file *f,
                     struct sc_error *err)
{
    struct plot p;
    if (s->buckets) {
        if (dry->has_buckets)
            return true;
        snprintf(err->text, sizeof err->text,
                 "%s:%d: [plot %s] file: there is no buckets.csv without workload.buckets and "
                 "workload.slowdown = on",
                 s->path, s->line, s->name);
        return false;
    }
    bool ok = plot_fill(s, &dry->results, f, &p, err);
    plot_fill_clear(&p);
    return ok;
}

bool plots_check(const struct sc_file *f, const struct sc_override *ov, uint32_t ovs,
                 struct sc_error *err)
{
    const struct sc_line *line;
    uint32_t lines = sc_lines(f, "plot", &line), n;
    struct dry dry;
    if (!dry_make(f, ov, ovs, false, &dry, err))
        return false;
    bool ok = true;
    for (uint32_t i = 0; ok && i < lines; i += n) {
        struct plot_spec s;
        n = group_length(&line[i], lines - i);
        ok = plot_spec_parse(&line[i], n, sc_file_path(f), &s, err);
        if (ok) {
            ok = try_spec(&s, &dry, f, err);
            plot_spec_clear(&s);
        }
    }
    dry_clear(&dry);
    return ok;
}

int plots_draw(const struct sc_file *f, const char *dir, const char *formats, bool quiet,
               struct sc_error *err)
{
    struct tables t = {.dir = dir};
    const struct sc_line *line;
    uint32_t lines = sc_lines(f, "plot", &line), n;
    int worst = 0;
    for (uint32_t i = 0; i < lines; i += n) {
        struct sc_error one = {""};
        n = group_length(&line[i], lines - i);
        int code = draw_group(&line[i], n, f, &t, formats, quiet, &one);
        if (code > worst)
            *err = one;
        worst = MAX(worst, code);
    }
    for (uint32_t i = 0; i < 2; i++)
        if (t.read[i])
            results_clear(&t.r[i]);
    return worst;
}
