/*
 * CSV files in, through libcsv's parser: a table of texts with a header row.
 *
 * Every row has as many cells as the header; anything else is an error that names file and line.
 */
#ifndef RUN_CSV_IN_H
#define RUN_CSV_IN_H

#include <stdbool.h>
#include <stdint.h>

struct csv_table {
    char *path;  /* for messages */
    char **name; /* header */
    uint32_t columns;
    char **cell; /* rows * columns */
    uint32_t *line; /* of the file, by row; where a row spans lines, the last of them */
    uint32_t rows;
};

/* Reads a file; NULL with "PATH…: why" in err. */
struct csv_table *csv_table_read(const char *path, char *err, uint32_t err_size);
/* The same from a text at hand; path is for messages. */
struct csv_table *csv_table_parse(const char *text, const char *path, char *err, uint32_t err_size);
void csv_table_free(struct csv_table *t);

/* Column of that name, -1 if there is none. */
int csv_table_find(const struct csv_table *t, const char *name);
const char *csv_table_at(const struct csv_table *t, uint32_t row, uint32_t column);
/* A cell as a number; false if it is empty or none. */
bool csv_table_number(const struct csv_table *t, uint32_t row, uint32_t column, double *out);
/* A text as a whole as a number ("1e-4"); false otherwise.  Independent of the locale. */
bool text_number(const char *text, double *out);
/* Same text, or the same number ("1e-4" and "0.0001"). */
bool text_same(const char *a, const char *b);

#endif
