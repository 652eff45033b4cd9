/*
 * Files of expected rows: what completions.csv or packets.csv of a run must say, in order.
 *
 * A file's header is a subset of the result file's columns; only these are compared, as texts or,
 * where both are numbers, by value.  Of a trace only the rows count whose `kind` occurs in the file;
 * a file without that column is about what hosts put on the wire: send and drop at their own links.
 */
#ifndef RUN_EXPECT_ROWS_H
#define RUN_EXPECT_ROWS_H

#include "scenarios/reader/scenario.h"
#include "scenarios/run/csv_in.h"

/* The result file that is compared with: "packets.csv" or "completions.csv". */
const char *expect_rows_source(bool trace);

/*
 * Finds FILE beside the scenario, or in the folder `expected` there.  NULL with a message: missing,
 * no table, a column that the result file does not have, a trace without a row.
 */
struct csv_table *expect_rows_read(const struct sc_file *f, const char *name, bool trace, char *err,
                                   uint32_t err_size);
/* The same from a table at hand, which becomes its own: what is wrong with it. */
struct csv_table *expect_rows_take(struct csv_table *t, bool trace, char *err, uint32_t err_size);

/* The first difference, "FILE:LINE: ...", g_free; NULL: there is none. */
char *expect_rows_difference(const struct csv_table *want, const struct csv_table *got, bool trace);

#endif
