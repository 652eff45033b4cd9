/*
 * Units come from the key table; columns of result files say theirs in their names.
 */
#include <glib.h>
#include <math.h>
#include <string.h>

#include "scenarios/reader/keys.h"
#include "scenarios/run/csv_in.h"
#include "scenarios/run/plot_names.h"

struct name_unit {
    double size;
    const char *name;
};

/* Greatest first; the last takes what is left. */
static const struct name_unit times[] = {
    {1e12, "s"}, {1e9, "ms"}, {1e6, "us"}, {1e3, "ns"}, {1, "ps"}};
static const struct name_unit rates[] = {
    {1e12, "Tb/s"}, {1e9, "Gb/s"}, {1e6, "Mb/s"}, {1e3, "kb/s"}, {1, "b/s"}};
static const struct name_unit decimal_sizes[] = {{1e9, "GB"}, {1e6, "MB"}, {1e3, "kB"}, {1, "B"}};
static const struct name_unit binary_sizes[] = {
    {1 << 30, "GiB"}, {1 << 20, "MiB"}, {1 << 10, "KiB"}, {1, "B"}};

static char *in_units(double v, const struct name_unit *unit)
{
    while (unit->size > 1 && fabs(v) < unit->size)
        unit++;
    return g_strdup_printf("%.6g %s", v / unit->size, unit->name);
}

/* Powers of two read better in KiB, round decimal sizes in kB. */
static char *size_name(double v)
{
    bool binary = v >= 1024 && fmod(v, 1024) == 0;
    return in_units(v, binary ? binary_sizes : decimal_sizes);
}

static bool is_bytes(const struct key *k, const char *column)
{
    return k ? k->kind == KIND_SIZE || k->kind == KIND_SIZES : g_str_has_suffix(column, "_bytes");
}

char *plot_value_name(const char *column, const char *value)
{
    const struct key *k = strchr(column, '.') ? key_find_dotted(column) : NULL;
    double v;
    if (k && k->kind == KIND_SERVICE)
        return g_ascii_strup(value, -1);
    if (!text_number(value, &v))
        return g_strdup(value);
    if (is_bytes(k, column))
        return size_name(v);
    if (k && k->kind == KIND_TIME)
        return in_units(v, times);
    if (k && k->kind == KIND_RATE)
        return in_units(v, rates);
    return g_strdup(value);
}

char *plot_column_label(const char *column)
{
    const struct key *k = strchr(column, '.') ? key_find_dotted(column) : NULL;
    const char *unit = NULL;
    if (k && k->kind == KIND_TIME)
        unit = "ps";
    else if (k && k->kind == KIND_RATE)
        unit = "b/s";
    else if (k && is_bytes(k, column))
        unit = "B";
    return unit ? g_strdup_printf("%s (%s)", column, unit) : g_strdup(column);
}
