/*
 * Linear axes: steps of 1, 2 or 5 times a power of ten, four to seven of them.  Log axes: powers of
 * ten over two decades or more, 1-2-5 below that.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analysis/plot_axis.h"

#define TINY 1e-9

static void add_tic(struct plot_axis *a, double at, const char *label)
{
    double slack = a->log ? at * TINY : (a->high - a->low) * TINY;
    if (a->tics == PLOT_TICS_MAX || at < a->low - slack || at > a->high + slack)
        return;
    struct plot_tic *t = &a->tic[a->tics++];
    t->at = at;
    snprintf(t->label, sizeof t->label, "%s", label);
}

/* ---- linear ------------------------------------------------------------------------------------- */

static double nice_step(double span)
{
    double raw = span / 5, power = pow(10, floor(log10(raw))), lead = raw / power;
    return power * (lead < 1.5 ? 1 : lead < 3.5 ? 2 : lead < 7.5 ? 5 : 10);
}

/* Thousands and more are shortened: "20 k", "1.5 M". */
static void linear_label(double v, double biggest, double step, char *out, size_t size)
{
    static const struct {
        double unit;
        const char *suffix;
    } scale[] = {{1e12, " T"}, {1e9, " G"}, {1e6, " M"}, {1e3, " k"}, {1, ""}};
    uint32_t i = 0;
    if (biggest >= 1e4)
        while (scale[i].unit > biggest)
            i++;
    else
        i = 4;
    double small = log10(step / scale[i].unit);
    int decimals = small < -TINY ? (int)ceil(-small - TINY) : 0;
    if (v == 0)
        snprintf(out, size, "0");
    else
        snprintf(out, size, "%.*f%s", decimals, v / scale[i].unit, scale[i].suffix);
}

static void linear_tics(struct plot_axis *a)
{
    double step = nice_step(a->high - a->low);
    double biggest = fmax(fabs(a->low), fabs(a->high));
    for (double k = ceil(a->low / step - TINY); k * step <= a->high + step * TINY; k++) {
        char label[24];
        linear_label(k * step, biggest, step, label, sizeof label);
        add_tic(a, k * step, label);
    }
}

/* ---- log ---------------------------------------------------------------------------------------- */

static void plain_label(double v, char *out, size_t size) { snprintf(out, size, "%.6g", v); }

/* Small powers are read faster in full; beyond, all of the axis is written as 10^n. */
static void power_label(const struct plot_axis *a, int power, char *out, size_t size)
{
    if (a->low >= 0.0009 && a->high < 20000)
        plain_label(pow(10, power), out, size);
    else
        snprintf(out, size, "10^{%d}", power);
}

static void log_tics(struct plot_axis *a)
{
    int first = (int)floor(log10(a->low) - TINY), last = (int)ceil(log10(a->high) + TINY);
    bool narrow = log10(a->high / a->low) < 2;
    int every = (last - first) / 10 + 1;
    for (int power = first; power <= last; power++) {
        char label[24] = "";
        if (narrow)
            plain_label(pow(10, power), label, sizeof label);
        else if (power % every == 0)
            power_label(a, power, label, sizeof label);
        add_tic(a, pow(10, power), label);
        for (int lead = 2; lead < 10 && every == 1; lead++) {
            label[0] = 0;
            if (narrow && (lead == 2 || lead == 5))
                plain_label(lead * pow(10, power), label, sizeof label);
            add_tic(a, lead * pow(10, power), label);
        }
    }
}

/* ---- both --------------------------------------------------------------------------------------- */

static void make_tics(struct plot_axis *a)
{
    a->tics = 0;
    if (a->log)
        log_tics(a);
    else
        linear_tics(a);
}

static void log_range(struct plot_axis *a, double least, double most, double pad)
{
    double room = pow(most / least, pad);
    if (most / least < 2) /* one value, or nearly: give it something to stand in */
        room = 1.6;
    a->low = least / room;
    a->high = most * room;
}

static void linear_range(struct plot_axis *a, double least, double most, bool from_zero, double pad)
{
    if (from_zero && least >= 0)
        least = 0;
    if (least == 0 && most == 0)
        most = 1;
    double span = most - least;
    if (span <= 0) /* one value: give it something to stand in */
        span = fabs(most);
    a->low = from_zero && least == 0 ? 0 : least - span * pad;
    a->high = most + span * pad;
    if (a->high <= a->low)
        a->high = a->low + 1;
}

void plot_axis_make(struct plot_axis *a, bool log, double least, double most, bool from_zero,
                    double pad)
{
    memset(a, 0, sizeof *a);
    a->log = log;
    if (log)
        log_range(a, least, most, pad);
    else
        linear_range(a, least, most, from_zero, pad);
    make_tics(a);
}

void plot_axis_limit(struct plot_axis *a, double low, double high)
{
    a->low = low;
    a->high = high;
    make_tics(a);
}

void plot_axis_tics_at(struct plot_axis *a, const double *value, uint32_t n)
{
    double span = log10(a->high / a->low);
    bool readable = a->log && n > 1 && n <= 9 && value[n - 1] < 100000 && value[0] >= 0.001;
    for (uint32_t i = 1; readable && i < n; i++)
        readable = log10(value[i] / value[i - 1]) / span >= 0.08;
    if (!readable)
        return;
    a->tics = 0;
    for (uint32_t i = 0; i < n; i++) {
        char label[24];
        plain_label(value[i], label, sizeof label);
        add_tic(a, value[i], label);
    }
}
