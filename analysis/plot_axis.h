/*
 * Axes of a figure: range and tics, worked out here so that a figure does not depend on the
 * drawing program's taste and small ranges on log axes still get readable numbers.
 */
#ifndef ANALYSIS_PLOT_AXIS_H
#define ANALYSIS_PLOT_AXIS_H

#include <stdbool.h>
#include <stdint.h>

#define PLOT_TICS_MAX 64

struct plot_tic {
    double at;
    char label[24]; /* in gnuplot's enhanced text; "" for a small tic */
};

struct plot_axis {
    bool log;
    double low, high;
    struct plot_tic tic[PLOT_TICS_MAX];
    uint32_t tics;
};

/*
 * An axis for values from `least` to `most` (on a log axis both positive).  from_zero: a linear axis of
 * non-negative values begins at 0.  pad: room left at the ends, a share of the range.
 */
void plot_axis_make(struct plot_axis *a, bool log, double least, double most, bool from_zero,
                    double pad);
/* Fixes an end that the user asked for; tics follow. */
void plot_axis_limit(struct plot_axis *a, double low, double high);
/* Tics at these values instead, if there are few enough to be read (log axes; sorted, distinct). */
void plot_axis_tics_at(struct plot_axis *a, const double *value, uint32_t n);

#endif
