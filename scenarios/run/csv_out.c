/*
 * CSV writer: one line feed a row, quotes only where a reader needs them.
 */
#include <csv.h>
#include <inttypes.h>
#include <string.h>

#include "scenarios/run/csv_out.h"

static bool needs_quotes(const char *cell)
{
    size_t len = strlen(cell);
    return strpbrk(cell, ",\"\r\n") != NULL ||
           (len > 0 && (cell[0] == ' ' || cell[len - 1] == ' '));
}

bool csv_out_open(struct csv_out *c, const char *path, char *err, uint32_t err_size)
{
    c->row_begun = false;
    return file_whole_open(&c->file, path, err, err_size);
}

void csv_out_text(struct csv_out *c, const char *cell)
{
    if (c->row_begun)
        fputc(',', c->file.out);
    c->row_begun = true;
    if (needs_quotes(cell))
        csv_fwrite(c->file.out, cell, strlen(cell));
    else
        fputs(cell, c->file.out);
}

void csv_out_u64(struct csv_out *c, uint64_t cell)
{
    char text[24];
    snprintf(text, sizeof text, "%" PRIu64, cell);
    csv_out_text(c, text);
}

void csv_out_end_row(struct csv_out *c)
{
    fputc('\n', c->file.out);
    c->row_begun = false;
}

void csv_out_row(struct csv_out *c, const char *const *cell, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        csv_out_text(c, cell[i]);
    csv_out_end_row(c);
}

bool csv_out_commit(struct csv_out *c, char *err, uint32_t err_size)
{
    return file_whole_commit(&c->file, err, err_size);
}

void csv_out_drop(struct csv_out *c) { file_whole_drop(&c->file); }

bool file_whole(const char *path, const char *text, size_t len, struct sc_error *err)
{
    struct file_whole w;
    if (!file_whole_open(&w, path, err->text, sizeof err->text))
        return false;
    fwrite(text, 1, len, w.out);
    return file_whole_commit(&w, err->text, sizeof err->text);
}
