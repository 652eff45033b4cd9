/*
 * The table of metrics and their text.
 */
#include <inttypes.h>
#include <string.h>

#include "scenarios/run/metrics.h"

#define METRIC_ROW(name, micro, meaning) {#name, micro, meaning},
const struct metric_def metric_table[] = {METRIC_LIST(METRIC_ROW)};
#undef METRIC_ROW
const uint32_t metric_count = METRICS;

_Static_assert(METRICS <= METRICS_MAX, "struct metrics holds every metric");

int metric_find(const char *name)
{
    for (uint32_t i = 0; i < metric_count; i++)
        if (strcmp(metric_table[i].name, name) == 0)
            return (int)i;
    return -1;
}

void metric_text_micro(int64_t v, char *out, size_t size)
{
    uint64_t size_of_v = v < 0 ? 0 - (uint64_t)v : (uint64_t)v;
    if (v == METRIC_NONE)
        snprintf(out, size, "%s", "");
    else
        snprintf(out, size, "%s%" PRIu64 ".%06" PRIu64, v < 0 ? "-" : "", size_of_v / 1000000,
                 size_of_v % 1000000);
}

void metric_text(const struct metric_def *d, int64_t v, char *out, size_t size)
{
    if (d->micro || v == METRIC_NONE)
        metric_text_micro(v, out, size);
    else
        snprintf(out, size, "%" PRId64, v);
}
