/*
 * CSV files with numbers from elsewhere (measurements, published figures) that a scenario compares
 * with: found beside it, in $RDMASIM_PATH, in the folder `reference` of the scenario library.
 */
#ifndef RUN_REF_FILE_H
#define RUN_REF_FILE_H

#include "scenarios/reader/scenario.h"
#include "scenarios/run/csv_in.h"

/* NULL with a message that says where it was looked for, or what is wrong in it. */
struct csv_table *ref_file_read(const struct sc_file *f, const char *name, char *err,
                                uint32_t err_size);

/*
 * A number of the table.  row: "#N" for the N-th data row, or what stands in the first column (the same
 * text or the same number).  false with a message.
 */
bool ref_file_number(const struct csv_table *t, const char *row, const char *column, double *out,
                     char *err, uint32_t err_size);

#endif
