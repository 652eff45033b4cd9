/*
 * Result files: what one run leaves in its folder, and the tables that a sweep joins from them.
 *
 * A folder's summary.csv is written last: where it stands, the run is whole.  All files but
 * performance.csv are the same bytes for the same scenario and seed.
 */
#ifndef RUN_RESULTS_H
#define RUN_RESULTS_H

#include "models/fabric/inject.h"
#include "scenarios/run/csv_in.h"
#include "scenarios/run/metrics.h"
#include "scenarios/run/world.h"

/* Each writes DIR/<its name>.csv; false with "FILE: why" in err. */
bool results_summary_write(const char *dir, const struct metrics *m, char *err, uint32_t err_size);
bool results_buckets_write(const char *dir, const struct metrics *m, char *err, uint32_t err_size);
bool results_inject_write(const char *dir, const struct scenario *s, const uint64_t *fired,
                          char *err, uint32_t err_size);
bool results_performance_write(const char *dir, const struct run_performance *p, char *err,
                               uint32_t err_size);

/* Does DIR hold a summary.csv with the columns and the one row that this program writes? */
bool results_summary_whole(const char *dir);

/* One run of a sweep: its folder and what comes before the metrics. */
struct results_part {
    const char *const *swept; /* base units, one per swept column */
    uint64_t seed;
    const char *dir;
};
struct results_join {
    const char *out;     /* the file to write */
    const char *name;    /* file of each part: "summary.csv" */
    char *const *column; /* swept columns */
    uint32_t columns;
    const struct results_part *part;
    uint32_t parts;
};
/*
 * Writes the parts' rows one below the other, swept columns and seed in front.  No part: no file
 * (an old one is removed).
 * false with a message.
 */
bool results_join(const struct results_join *j, char *err, uint32_t err_size);

/* ---- reading results.csv back ------------------------------------------------------------------- */

/* Rows of one point stand together; repetitions are rows first .. first + count - 1. */
struct results_point {
    uint32_t first, count;
};
struct results {
    struct csv_table *t;
    char *dir;      /* that it was read from, with the runs below it; NULL: from a table */
    uint32_t swept; /* columns before `seed` */
    struct results_point *point;
    uint32_t points;
};
/* The table becomes the results' own, also on failure. */
bool results_from_table(struct csv_table *t, struct results *out, char *err, uint32_t err_size);
bool results_read(const char *path, struct results *out, char *err, uint32_t err_size);
void results_clear(struct results *r);
/* "fabric.hosts=4 qp.service=rc", "" without swept columns; g_free. */
char *results_point_text(const struct results *r, uint32_t point);

#endif
