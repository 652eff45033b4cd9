/*
 * The figures of a scenario: [plot NAME] groups, filled from the results of its sweep.
 *
 *   x         = EXPR                                            (needed)
 *   y         = EXPR [; EXPR]...   one series each (expr.h)     (needed)
 *   series    = swept keys, separated by commas: one series for each of their values
 *   where     = key=value, ...     only these points
 *   kind      = lines | points | bars | steps                   (lines)
 *   scale_x, scale_y = linear | log                             (linear)
 *   error     = minmax | none      over repetitions             (minmax)
 *   file      = results | buckets  which table                  (results)
 *   title, subtitle, x_label, y_label, y_min, y_max, names = A; B; ... (of the series)
 *   reference = LABEL: EXPR [; LABEL: EXPR]...   dashed, taken at the points of the first series;
 *               `x` in EXPR is the position; ref(FILE,x,COLUMN) takes the file's number there
 *
 * Points that differ in a swept key that is neither x nor series nor fixed by `where` would be mixed: an
 * error says so.
 */
#ifndef RUN_PLOTS_H
#define RUN_PLOTS_H

#include "scenarios/reader/scenario.h"

/* Does the scenario have [plot NAME] groups? */
bool plots_wanted(const struct sc_file *f);

/*
 * Parses the groups and tries them on made-up results of the sweep (dry.h): a mistake should show
 * before a long sweep, not after.  ov: the command line's.  false with err.
 */
bool plots_check(const struct sc_file *f, const struct sc_override *ov, uint32_t n,
                 struct sc_error *err);

/*
 * Draws every [plot NAME] of the scenario into DIR/NAME.<format>; drawn files are named on stdout unless
 * quiet.  0; 2: a mistake in a group (named with its line); 3: gnuplot or the disk.
 */
int plots_draw(const struct sc_file *f, const char *dir, const char *formats, bool quiet,
               struct sc_error *err);

#endif
