/*
 * Writing the files of a run, joining and reading back those of a sweep.
 */
#include <glib.h>
#include <string.h>
#include <unistd.h>

#include "scenarios/run/csv_out.h"
#include "scenarios/run/results.h"

static bool open_in(struct csv_out *c, const char *dir, const char *name, char *err,
                    uint32_t err_size)
{
    char *path = g_build_filename(dir, name, NULL);
    bool ok = csv_out_open(c, path, err, err_size);
    g_free(path);
    return ok;
}

bool results_summary_write(const char *dir, const struct metrics *m, char *err, uint32_t err_size)
{
    struct csv_out c;
    char text[32];
    if (!open_in(&c, dir, "summary.csv", err, err_size))
        return false;
    for (uint32_t i = 0; i < metric_count; i++)
        csv_out_text(&c, metric_table[i].name);
    csv_out_end_row(&c);
    for (uint32_t i = 0; i < metric_count; i++) {
        metric_text(&metric_table[i], m->v[i], text, sizeof text);
        csv_out_text(&c, text);
    }
    csv_out_end_row(&c);
    return csv_out_commit(&c, err, err_size);
}

static void write_bucket(struct csv_out *c, const struct metric_bucket *b)
{
    const int64_t slowdown[] = {b->slowdown_mean, b->slowdown_p50, b->slowdown_p99};
    char text[32];
    csv_out_u64(c, b->min_bytes);
    csv_out_u64(c, b->max_bytes);
    csv_out_u64(c, b->messages);
    for (uint32_t i = 0; i < 3; i++) {
        metric_text_micro(slowdown[i], text, sizeof text);
        csv_out_text(c, text);
    }
    csv_out_end_row(c);
}

bool results_buckets_write(const char *dir, const struct metrics *m, char *err, uint32_t err_size)
{
    static const char *const head[] = {"min_bytes",     "max_bytes",    "messages",
                                       "slowdown_mean", "slowdown_p50", "slowdown_p99"};
    struct csv_out c;
    if (!open_in(&c, dir, "buckets.csv", err, err_size))
        return false;
    csv_out_row(&c, head, 6);
    for (uint32_t i = 0; i < m->buckets; i++)
        write_bucket(&c, &m->bucket[i]);
    return csv_out_commit(&c, err, err_size);
}

static void write_fired(struct csv_out *c, const char *name, uint64_t times)
{
    csv_out_text(c, name);
    csv_out_u64(c, times);
    csv_out_end_row(c);
}

bool results_inject_write(const char *dir, const struct scenario *s, const uint64_t *fired,
                          char *err, uint32_t err_size)
{
    static const char *const head[] = {"rule", "fired"};
    struct csv_out c;
    uint32_t acts = 0;
    if (!open_in(&c, dir, "inject.csv", err, err_size))
        return false;
    csv_out_row(&c, head, 2);
    for (uint32_t i = 0; i <= s->inject.count; i++) {
        for (; acts < s->act_count && s->act[acts].rule <= i; acts++)
            write_fired(&c, s->act[acts].name, fired[s->inject.count + acts]);
        if (i < s->inject.count)
            write_fired(&c, s->inject.rule[i].name, fired[i]);
    }
    return csv_out_commit(&c, err, err_size);
}

bool results_performance_write(const char *dir, const struct run_performance *p, char *err,
                               uint32_t err_size)
{
    static const char *const head[] = {"wall_s",      "user_s",           "run_user_s",    "events",
                                       "packet_hops", "endpoint_packets", "peak_rss_bytes"};
    const double seconds[] = {p->wall_s, p->user_s, p->run_user_s};
    const uint64_t count[] = {p->events, p->packet_hops, p->endpoint_packets, p->peak_rss_bytes};
    struct csv_out c;
    char text[32];
    if (!open_in(&c, dir, "performance.csv", err, err_size))
        return false;
    csv_out_row(&c, head, 7);
    for (uint32_t i = 0; i < 3; i++) {
        snprintf(text, sizeof text, "%.6f", seconds[i]);
        csv_out_text(&c, text);
    }
    for (uint32_t i = 0; i < 4; i++)
        csv_out_u64(&c, count[i]);
    csv_out_end_row(&c);
    return csv_out_commit(&c, err, err_size);
}

static struct csv_table *read_in(const char *dir, const char *name, char *err, uint32_t err_size)
{
    char *path = g_build_filename(dir, name, NULL);
    struct csv_table *t = csv_table_read(path, err, err_size);
    g_free(path);
    return t;
}

bool results_summary_whole(const char *dir)
{
    char err[512];
    struct csv_table *t = read_in(dir, "summary.csv", err, sizeof err);
    bool whole = t && t->rows == 1 && t->columns == metric_count;
    double v;
    for (uint32_t i = 0; whole && i < metric_count; i++)
        whole = strcmp(t->name[i], metric_table[i].name) == 0 &&
                (!*csv_table_at(t, 0, i) || csv_table_number(t, 0, i, &v));
    csv_table_free(t);
    return whole;
}

/* ---- joining ------------------------------------------------------------------------------------ */

static void join_head(struct csv_out *c, const struct results_join *j, const struct csv_table *t)
{
    for (uint32_t i = 0; i < j->columns; i++)
        csv_out_text(c, j->column[i]);
    csv_out_text(c, "seed");
    csv_out_row(c, (const char *const *)t->name, t->columns);
}

static void join_rows(struct csv_out *c, const struct results_join *j, const struct results_part *p,
                      const struct csv_table *t)
{
    for (uint32_t row = 0; row < t->rows; row++) {
        for (uint32_t i = 0; i < j->columns; i++)
            csv_out_text(c, p->swept[i]);
        csv_out_u64(c, p->seed);
        csv_out_row(c, (const char *const *)&t->cell[row * t->columns], t->columns);
    }
}

bool results_join(const struct results_join *j, char *err, uint32_t err_size)
{
    struct csv_out c;
    uint32_t width = 0;
    if (j->parts == 0) { /* what an earlier sweep left would be taken for this one's */
        unlink(j->out);
        return true;
    }
    if (!csv_out_open(&c, j->out, err, err_size))
        return false;
    for (uint32_t i = 0; i < j->parts; i++) {
        struct csv_table *t = read_in(j->part[i].dir, j->name, err, err_size);
        if (t && i == 0) {
            width = t->columns;
            join_head(&c, j, t);
        }
        bool fits = t && t->columns == width;
        if (t && !fits)
            snprintf(err, err_size, "%s: other columns than in the runs before", t->path);
        if (fits)
            join_rows(&c, j, &j->part[i], t);
        csv_table_free(t);
        if (!fits) {
            csv_out_drop(&c);
            return false;
        }
    }
    return csv_out_commit(&c, err, err_size);
}

/* ---- reading back ------------------------------------------------------------------------------- */

static bool same_point(const struct csv_table *t, uint32_t swept, uint32_t a, uint32_t b)
{
    for (uint32_t i = 0; i < swept; i++)
        if (strcmp(csv_table_at(t, a, i), csv_table_at(t, b, i)) != 0)
            return false;
    return true;
}

bool results_from_table(struct csv_table *t, struct results *out, char *err, uint32_t err_size)
{
    int seed = csv_table_find(t, "seed");
    if (seed < 0) {
        snprintf(err, err_size, "%s: no column named seed: not the results of a sweep", t->path);
        csv_table_free(t);
        return false;
    }
    *out = (struct results){.t = t, .swept = (uint32_t)seed};
    out->point = g_new0(struct results_point, t->rows + 1);
    for (uint32_t row = 0; row < t->rows; row++) {
        if (row == 0 || !same_point(t, out->swept, row - 1, row))
            out->point[out->points++].first = row;
        out->point[out->points - 1].count++;
    }
    return true;
}

bool results_read(const char *path, struct results *out, char *err, uint32_t err_size)
{
    struct csv_table *t = csv_table_read(path, err, err_size);
    if (!t || !results_from_table(t, out, err, err_size))
        return false;
    out->dir = g_path_get_dirname(path);
    return true;
}

void results_clear(struct results *r)
{
    csv_table_free(r->t);
    g_free(r->point);
    g_free(r->dir);
    *r = (struct results){0};
}

char *results_point_text(const struct results *r, uint32_t point)
{
    GString *s = g_string_new(NULL);
    for (uint32_t i = 0; i < r->swept; i++)
        g_string_append_printf(s, "%s%s=%s", i ? " " : "", r->t->name[i],
                               csv_table_at(r->t, r->point[point].first, i));
    return g_string_free(s, FALSE);
}
