/*
 * Sum, least and most, as values come.
 */
#include <math.h>

#include "analysis/stats.h"

void stats_add(struct stats *s, double value)
{
    if (isnan(value))
        return;
    s->least = s->count ? fmin(s->least, value) : value;
    s->most = s->count ? fmax(s->most, value) : value;
    s->sum += value;
    s->count++;
}

double stats_mean(const struct stats *s) { return s->count ? s->sum / s->count : NAN; }
