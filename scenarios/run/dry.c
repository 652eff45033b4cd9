/*
 * The table is written and read as a sweep's would be, so that what holds for one holds for the other.
 */
#include "scenarios/run/dry.h"

#include <glib.h>
#include <string.h>

/* A cell as results.csv would quote it: lists of sizes hold commas. */
static void put_cell(GString *text, const char *cell)
{
    if (strpbrk(cell, ",\""))
        g_string_append_printf(text, "\"%s\",", cell);
    else
        g_string_append_printf(text, "%s,", cell);
}

static void put_header(GString *text, const struct sc_plan *plan)
{
    for (uint32_t i = 0; i < plan->columns; i++)
        put_cell(text, plan->column[i]);
    g_string_append(text, "seed");
    for (uint32_t i = 0; i < metric_count; i++)
        g_string_append_printf(text, ",%s", metric_table[i].name);
    g_string_append_c(text, '\n');
}

static bool put_point(GString *text, const struct sc_plan *plan, const struct sc_point *at,
                      struct sc_error *err)
{
    char base[256];
    for (uint32_t i = 0; i < plan->columns; i++) {
        if (!sc_value_base(at->set[i].name, at->set[i].value, base, sizeof base, err))
            return false;
        put_cell(text, base);
    }
    g_string_append(text, "1");
    for (uint32_t i = 0; i < metric_count; i++)
        g_string_append(text, ",1");
    g_string_append_c(text, '\n');
    return true;
}

static bool make_table(const struct sc_plan *plan, struct dry *out, struct sc_error *err)
{
    GString *text = g_string_new(NULL);
    bool ok = true;
    put_header(text, plan);
    for (uint32_t i = 0; ok && i < plan->points; i++)
        ok = put_point(text, plan, &plan->point[i], err);
    if (ok) {
        struct csv_table *t =
            csv_table_parse(text->str, "results.csv", err->text, sizeof err->text);
        ok = t && results_from_table(t, &out->results, err->text, sizeof err->text);
    }
    g_string_free(text, TRUE);
    return ok;
}

static bool find_buckets(const struct sc_file *f, const struct sc_plan *plan, struct dry *out,
                         struct sc_error *err)
{
    struct scenario s = {0};
    if (!sc_resolve(f, plan->point[0].set, plan->point[0].sets, &s, err))
        return false;
    out->has_buckets = s.bucket_count > 0;
    scenario_clear(&s);
    return true;
}

bool dry_make(const struct sc_file *f, const struct sc_override *ov, uint32_t n, bool check,
              struct dry *out, struct sc_error *err)
{
    struct sc_plan plan = {0};
    memset(out, 0, sizeof *out);
    bool ok = sc_plan_make(f, ov, n, check, &plan, err) && find_buckets(f, &plan, out, err) &&
              make_table(&plan, out, err);
    sc_plan_clear(&plan);
    return ok;
}

void dry_clear(struct dry *d) { results_clear(&d->results); }
