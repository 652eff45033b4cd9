/*
 * A table from CSV: libcsv calls back per cell and per row; the first row is the header.
 */
#include <csv.h>
#include <glib.h>
#include <stdio.h>
#include <string.h>

#include "scenarios/reader/fail.h"
#include "scenarios/run/csv_in.h"

struct reading {
    struct csv_table *t;
    GPtrArray *cells;      /* texts of all rows so far, header first */
    uint32_t in_row, rows; /* cells of the row being read; rows ended, header included */
    GArray *lines;         /* uint32_t: line of every row so far, header first */
    uint32_t line;         /* being read, from 1 */
    uint32_t bad_row;      /* first row of another width, 0: none (rows count from 1) */
};

static void on_cell(void *text, size_t len, void *self)
{
    struct reading *r = self;
    g_ptr_array_add(r->cells, g_strndup(text ? text : "", len));
    r->in_row++;
}

static void on_row(int terminator, void *self)
{
    struct reading *r = self;
    r->rows++;
    g_array_append_val(r->lines, r->line);
    if (r->rows == 1)
        r->t->columns = r->in_row;
    else if (r->in_row != r->t->columns && !r->bad_row)
        r->bad_row = r->rows;
    r->in_row = 0;
}

static bool parse_all(struct reading *r, const char *text)
{
    struct csv_parser p;
    if (csv_init(&p, CSV_STRICT | CSV_STRICT_FINI) != 0)
        return false;
    bool ok = true;
    for (const char *end; ok && *text; text = end) {
        end = strchr(text, '\n') ? strchr(text, '\n') + 1 : text + strlen(text);
        r->line++;
        ok = csv_parse(&p, text, (size_t)(end - text), on_cell, on_row, r) == (size_t)(end - text);
    }
    ok = csv_fini(&p, on_cell, on_row, r) == 0 && ok;
    csv_free(&p);
    return ok;
}

/* What is wrong with what was read, NULL if nothing. */
static char *trouble(const struct reading *r, bool parsed)
{
    if (!parsed)
        return g_strdup_printf("row %u: a quote is out of place or never closed", r->rows + 1);
    if (r->rows == 0)
        return g_strdup("it is empty; a header row was expected");
    if (r->bad_row)
        return g_strdup_printf("row %u has another number of cells than the header's %u",
                               r->bad_row, r->t->columns);
    return NULL;
}

static void take_cells(struct reading *r)
{
    struct csv_table *t = r->t;
    uint32_t all = r->cells->len;
    t->rows = r->rows - 1;
    t->name = g_new0(char *, t->columns);
    t->cell = g_new0(char *, all - t->columns + 1);
    t->line = g_new(uint32_t, t->rows + 1);
    memcpy(t->line, (uint32_t *)(void *)r->lines->data + 1, t->rows * sizeof *t->line);
    for (uint32_t i = 0; i < all; i++)
        *(i < t->columns ? &t->name[i] : &t->cell[i - t->columns]) = r->cells->pdata[i];
    g_ptr_array_set_free_func(r->cells, NULL);
}

struct csv_table *csv_table_parse(const char *text, const char *path, char *err, uint32_t err_size)
{
    struct reading r = {.t = g_new0(struct csv_table, 1),
                        .cells = g_ptr_array_new_with_free_func(g_free),
                        .lines = g_array_new(FALSE, FALSE, sizeof(uint32_t))};
    r.t->path = g_strdup(path);
    char *why = trouble(&r, parse_all(&r, text));
    if (!why)
        take_cells(&r);
    g_ptr_array_free(r.cells, TRUE);
    g_array_free(r.lines, TRUE);
    if (!why)
        return r.t;
    snprintf(err, err_size, "%s: %s", path, why);
    g_free(why);
    csv_table_free(r.t);
    return NULL;
}

struct csv_table *csv_table_read(const char *path, char *err, uint32_t err_size)
{
    char *text;
    GError *why = NULL;
    if (!g_file_get_contents(path, &text, NULL, &why)) {
        struct sc_error text_of = {""};
        sc_fail_unread(&text_of, path, why->code);
        snprintf(err, err_size, "%s", text_of.text);
        g_error_free(why);
        return NULL;
    }
    struct csv_table *t = csv_table_parse(text, path, err, err_size);
    g_free(text);
    return t;
}

void csv_table_free(struct csv_table *t)
{
    if (!t)
        return;
    for (uint32_t i = 0; t->name && i < t->columns; i++)
        g_free(t->name[i]);
    for (uint32_t i = 0; t->cell && i < t->rows * t->columns; i++)
        g_free(t->cell[i]);
    g_free(t->name);
    g_free(t->cell);
    g_free(t->line);
    g_free(t->path);
    g_free(t);
}

int csv_table_find(const struct csv_table *t, const char *name)
{
    for (uint32_t i = 0; i < t->columns; i++)
        if (strcmp(t->name[i], name) == 0)
            return (int)i;
    return -1;
}

const char *csv_table_at(const struct csv_table *t, uint32_t row, uint32_t column)
{
    return t->cell[row * t->columns + column];
}

bool text_number(const char *text, double *out)
{
    char *end;
    double v = g_ascii_strtod(text, &end);
    if (end == text || *end || v != v)
        return false;
    *out = v;
    return true;
}

bool text_same(const char *a, const char *b)
{
    double x, y;
    if (strcmp(a, b) == 0)
        return true;
    return text_number(a, &x) && text_number(b, &y) && x == y;
}

bool csv_table_number(const struct csv_table *t, uint32_t row, uint32_t column, double *out)
{
    return text_number(csv_table_at(t, row, column), out);
}
