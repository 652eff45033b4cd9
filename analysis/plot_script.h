/*
 * The two texts that make a figure: data blocks and a gnuplot script.  No date, no path: the
 * same figure is the same bytes, and the script runs again in the folder it lies in.
 */
#ifndef ANALYSIS_PLOT_SCRIPT_H
#define ANALYSIS_PLOT_SCRIPT_H

#include "analysis/plot.h"

/* formats: comma-separated.  Both texts are the caller's, g_free.  false with a message in err. */
bool plot_script_make(const struct plot *p, const char *name, const char *formats, char **script,
                      char **data, char *err, uint32_t err_size);

#endif
