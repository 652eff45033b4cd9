/*
 * Where the files that a scenario names are found: beside it, then in $RDMASIM_PATH (folders
 * separated by ':'), then in the installed share folder.
 */
#ifndef RUN_LOOKUP_H
#define RUN_LOOKUP_H

#include "scenarios/run/csv_in.h"

/* The CSV file `name`; beside: the scenario's folder.  NULL with a message that names what was tried. */
struct csv_table *lookup_table(const char *name, const char *beside, char *err, uint32_t err_size);

#endif
