/*
 * Values in base units, as results.csv has them, in the units that a reader expects in a figure.
 */
#ifndef RUN_PLOT_NAMES_H
#define RUN_PLOT_NAMES_H

/*
 * The value of a column as the name of something: "100 Gb/s", "2.88 us", "64 KiB", "30 MB", "RC"; other
 * columns' values as they are.  g_free.
 */
char *plot_value_name(const char *column, const char *value);

/* "fabric.delay (ps)" for a key whose values have a unit; other columns as they are.  g_free. */
char *plot_column_label(const char *column);

#endif
