/*
 * From a parsed [plot NAME] and a table of results to a figure.
 */
#ifndef RUN_PLOT_FILL_H
#define RUN_PLOT_FILL_H

#include "scenarios/run/plot_spec.h"

/* A reference that is a formula of x alone is drawn through this many points. */
#define PLOT_CURVE_POINTS 61

/*
 * Rows that share series and x become one point: mean, least and most over them.  file: for ref() and
 * for the default title.  false with a message that names the group; *out is cleared by
 * plot_fill_clear.
 */
bool plot_fill(const struct plot_spec *s, const struct results *r, const struct sc_file *file,
               struct plot *out, struct sc_error *err);
void plot_fill_clear(struct plot *p);

#endif
