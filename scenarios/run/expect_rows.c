/*
 * Reading files of expected rows, and the first row that is not as expected.
 */
#include "scenarios/run/expect_rows.h"

#include <glib.h>
#include <stdio.h>
#include <string.h>

#include "scenarios/reader/file.h"
#include "scenarios/run/completions.h"
#include "scenarios/run/observe.h"

struct comparing {
    const struct csv_table *want, *got;
    int *column;       /* of got, by column of want */
    GHashTable *kinds; /* that count; NULL: all rows do */
    int kind, where;   /* columns of got; where < 0: it does not matter */
};

const char *expect_rows_source(bool trace) { return trace ? "packets.csv" : "completions.csv"; }

/* ---- files ------------------------------------------------------------------------------------- */

static bool is_column(const char *name, bool trace)
{
    uint32_t n;
    const char *const *c = trace ? observe_packet_columns(&n) : completions_columns(&n);
    for (uint32_t i = 0; i < n; i++)
        if (strcmp(c[i], name) == 0)
            return true;
    return false;
}

/* What is wrong with the table, NULL if nothing. */
static char *trouble(const struct csv_table *t, bool trace)
{
    for (uint32_t i = 0; i < t->columns; i++) {
        if (!is_column(t->name[i], trace))
            return g_strdup_printf("%s has no column '%s'", expect_rows_source(trace), t->name[i]);
        if ((uint32_t)csv_table_find(t, t->name[i]) != i)
            return g_strdup_printf("column '%s' is there twice", t->name[i]);
    }
    if (trace && t->rows == 0)
        return g_strdup("it has no row: that is no trace");
    return NULL;
}

struct csv_table *expect_rows_take(struct csv_table *t, bool trace, char *err, uint32_t err_size)
{
    char *why = t ? trouble(t, trace) : NULL;
    if (!why)
        return t;
    snprintf(err, err_size, "%s: %s", t->path, why);
    g_free(why);
    csv_table_free(t);
    return NULL;
}

struct csv_table *expect_rows_read(const struct sc_file *f, const char *name, bool trace, char *err,
                                   uint32_t err_size)
{
    static const char *const endings[] = {"", ".csv", NULL};
    static const struct lookup how = {"expected", "file of expected rows", endings};
    struct sc_error why = {""};
    char *path = lookup_find(f, &how, name, &why);
    struct csv_table *t = NULL;
    if (path)
        t = expect_rows_take(csv_table_read(path, err, err_size), trace, err, err_size);
    else
        snprintf(err, err_size, "%s", why.text);
    g_free(path);
    return t;
}

/* ---- comparing ---------------------------------------------------------------------------------- */

static void choose_kinds(struct comparing *c)
{
    int kind = csv_table_find(c->want, "kind");
    c->kinds = g_hash_table_new(g_str_hash, g_str_equal);
    c->kind = csv_table_find(c->got, "kind");
    for (uint32_t i = 0; kind >= 0 && i < c->want->rows; i++)
        g_hash_table_add(c->kinds, (void *)csv_table_at(c->want, i, (uint32_t)kind));
    if (kind >= 0)
        return;
    c->where = csv_table_find(c->got, "where");
    g_hash_table_add(c->kinds, (void *)"send");
    g_hash_table_add(c->kinds, (void *)"drop");
}

/* Links are named by their ends, "h0-s0": an uplink begins at a host. */
static bool counts(const struct comparing *c, uint32_t row)
{
    if (!c->kinds)
        return true;
    if (!g_hash_table_contains(c->kinds, csv_table_at(c->got, row, (uint32_t)c->kind)))
        return false;
    return c->where < 0 || csv_table_at(c->got, row, (uint32_t)c->where)[0] == 'h';
}

/* The first row from `row` on that counts; got->rows: there is none. */
static uint32_t next_row(const struct comparing *c, uint32_t row)
{
    while (row < c->got->rows && !counts(c, row))
        row++;
    return row;
}

/* Column of want in which the rows differ, -1 if they are equal. */
static int differs(const struct comparing *c, uint32_t want, uint32_t got)
{
    for (uint32_t i = 0; i < c->want->columns; i++)
        if (!text_same(csv_table_at(c->want, want, i),
                       csv_table_at(c->got, got, (uint32_t)c->column[i])))
            return (int)i;
    return -1;
}

/* "t_us=1.5 kind=send": the cells of a row that are not empty; g_free. */
static char *row_text(const struct comparing *c, bool of_want, uint32_t row)
{
    GString *s = g_string_new(NULL);
    for (uint32_t i = 0; i < c->want->columns; i++) {
        const char *cell = of_want ? csv_table_at(c->want, row, i)
                                   : csv_table_at(c->got, row, (uint32_t)c->column[i]);
        if (*cell)
            g_string_append_printf(s, "%s%s=%s", s->len ? " " : "", c->want->name[i], cell);
    }
    return g_string_free(s, FALSE);
}

static char *say_difference(const struct comparing *c, uint32_t want, uint32_t got, bool trace)
{
    bool has_want = want < c->want->rows, has_got = got < c->got->rows;
    const char *source = expect_rows_source(trace), *path = c->want->path;
    char *wanted = has_want ? row_text(c, true, want) : NULL;
    char *found = has_got ? row_text(c, false, got) : NULL, *text;
    if (has_want && has_got)
        text = g_strdup_printf("%s:%u: %s differs: expected %s; found %s (%s:%u)", path,
                               c->want->line[want], c->want->name[differs(c, want, got)], wanted,
                               found, source, c->got->line[got]);
    else if (has_want)
        text = g_strdup_printf("%s:%u: missing: expected %s; %s has no more rows", path,
                               c->want->line[want], wanted, source);
    else
        text = g_strdup_printf("%s:%u: extra: expected no more rows; found %s (%s:%u)", path,
                               want ? c->want->line[want - 1] + 1 : 2, found, source,
                               c->got->line[got]);
    g_free(wanted);
    g_free(found);
    return text;
}

char *expect_rows_difference(const struct csv_table *want, const struct csv_table *got, bool trace)
{
    struct comparing c = {.want = want, .got = got, .where = -1};
    uint32_t w = 0, g;
    c.column = g_new(int, want->columns + 1);
    for (uint32_t i = 0; i < want->columns; i++)
        c.column[i] = csv_table_find(got, want->name[i]);
    if (trace)
        choose_kinds(&c);
    g = next_row(&c, 0);
    while (w < want->rows && g < got->rows && differs(&c, w, g) < 0) {
        w++;
        g = next_row(&c, g + 1);
    }
    char *text = w < want->rows || g < got->rows ? say_difference(&c, w, g, trace) : NULL;
    if (c.kinds)
        g_hash_table_destroy(c.kinds);
    g_free(c.column);
    return text;
}
