/*
 * One [plot NAME] group, parsed (its keys: plots.h).
 */
#ifndef RUN_PLOT_SPEC_H
#define RUN_PLOT_SPEC_H

#include "analysis/plot.h"
#include "scenarios/run/expr.h"

struct plot_quantity {
    char *label; /* text of the expression, or a reference's label */
    struct expr *expr;
};

struct plot_spec {
    char *name;
    const char *path; /* the scenario file; with line: for messages */
    int line;
    char *title, *subtitle, *x_label, *y_label; /* NULL: not given */
    struct plot_quantity x;
    struct plot_quantity *y, *reference;
    uint32_t y_count, reference_count;
    char **series; /* columns; ends with NULL; may be NULL */
    char **names;  /* of the series; may be NULL */
    struct expr_select *where;
    uint32_t wheres;
    enum plot_kind kind;
    bool x_log, y_log, no_errors, buckets;
    bool has_y_min, has_y_max;
    double y_min, y_max;
};

/*
 * Parses the n lines of one group.  false with "FILE:LINE: [plot NAME] key: why" in err.  The path stays the
 * caller's.
 */
bool plot_spec_parse(const struct sc_line *line, uint32_t n, const char *path,
                     struct plot_spec *out, struct sc_error *err);
void plot_spec_clear(struct plot_spec *s);

#endif
