/*
 * Finding and reading reference files.
 */
#include <glib.h>
#include <stdio.h>
#include <string.h>

#include "scenarios/reader/file.h"
#include "scenarios/run/ref_file.h"

struct csv_table *ref_file_read(const struct sc_file *f, const char *name, char *err,
                                uint32_t err_size)
{
    static const char *const endings[] = {"", ".csv", NULL};
    static const struct lookup how = {"reference", "reference file", endings};
    struct sc_error why = {""};
    char *path = lookup_find(f, &how, name, &why);
    struct csv_table *t = NULL;
    if (path)
        t = csv_table_read(path, err, err_size);
    else
        snprintf(err, err_size, "%s", why.text);
    g_free(path);
    return t;
}

static int find_row(const struct csv_table *t, const char *row)
{
    double n;
    if (row[0] == '#' && text_number(row + 1, &n) && n >= 1 && n <= t->rows)
        return (int)n - 1;
    for (uint32_t i = 0; i < t->rows; i++)
        if (text_same(csv_table_at(t, i, 0), row))
            return (int)i;
    return -1;
}

bool ref_file_number(const struct csv_table *t, const char *row, const char *column, double *out,
                     char *err, uint32_t err_size)
{
    int c = csv_table_find(t, column), r = find_row(t, row);
    if (r < 0)
        snprintf(err, err_size, "%s: no row '%s'", t->path, row);
    else if (c < 0)
        snprintf(err, err_size, "%s: no column '%s'", t->path, column);
    else if (!csv_table_number(t, (uint32_t)r, (uint32_t)c, out))
        snprintf(err, err_size, "%s: row '%s', column '%s' is no number", t->path, row, column);
    else
        return true;
    return false;
}
