/*
 * CSV files out, through libcsv's writer, whole or not at all (analysis/file_whole.h).
 *
 * A cell that needs no quotes gets none, so that result files read well in a pager and in awk.
 */
#ifndef RUN_CSV_OUT_H
#define RUN_CSV_OUT_H

#include <stddef.h>

#include "analysis/file_whole.h"
#include "scenarios/reader/scenario.h"

struct csv_out {
    struct file_whole file;
    bool row_begun;
};

/* false with "PATH: why" in err.  Afterwards exactly one of csv_out_commit or csv_out_drop. */
bool csv_out_open(struct csv_out *c, const char *path, char *err, uint32_t err_size);
void csv_out_text(struct csv_out *c, const char *cell);
void csv_out_u64(struct csv_out *c, uint64_t cell);
void csv_out_end_row(struct csv_out *c);
/* A whole row of texts: n cells. */
void csv_out_row(struct csv_out *c, const char *const *cell, uint32_t n);
bool csv_out_commit(struct csv_out *c, char *err, uint32_t err_size);
void csv_out_drop(struct csv_out *c);

/* A text file (manifest, man page) whole or not at all; false with err. */
bool file_whole(const char *path, const char *text, size_t len, struct sc_error *err);

#endif
