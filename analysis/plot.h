/*
 * A figure as plain data, drawn by gnuplot.  Knows no model and no scenario.
 */
#ifndef ANALYSIS_PLOT_H
#define ANALYSIS_PLOT_H

#include <stdbool.h>
#include <stdint.h>

struct plot_point {
    double x, y;
    double y_low, y_high; /* error bar; equal to y: none */
};

struct plot_series {
    char *name; /* legend; "" for a single unnamed one */
    struct plot_point *point;
    uint32_t points;
    bool reference; /* a line from theory or a source: drawn dashed, no marks */
};

enum plot_kind { PLOT_LINES, PLOT_POINTS, PLOT_BARS, PLOT_STEPS };

struct plot {
    char *title;             /* the scenario's question */
    char *subtitle;          /* conditions, small; may be "" */
    char *x_label, *y_label; /* with units */
    bool x_log, y_log;
    bool has_y_min, has_y_max;
    double y_min, y_max;
    enum plot_kind kind;
    char **x_name; /* bars: a name per x position 0..; or NULL */
    uint32_t x_names;
    struct plot_series *series;
    uint32_t series_count;
};

/*
 * Writes PATH.FORMAT for each of the comma-separated formats ("svg,png,pdf"), PATH.gp and PATH.dat
 * beside them, each whole or not at all.  false with a message in err (gnuplot missing, disk
 * full, unknown format).  All text is escaped for gnuplot.
 */
bool plot_draw(const struct plot *p, const char *path, const char *formats, char *err,
               uint32_t err_size);

/* Are these formats that plot_draw knows?  false with a message in err. */
bool plot_formats_known(const char *formats, char *err, uint32_t err_size);

#endif
