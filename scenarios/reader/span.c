/*
 * Ranges of values: see span.h.
 *
 * A range is worked out in integers: base units, or 10^-18 for fractions.  Logarithmic points use
 * binary logarithms in fixed point, good to about 2^-57, then rounding; points of fractions are
 * rounded to six significant digits, so that 1e-5..1e-2 log 4 gives exactly 1e-4 and 1e-3.
 */
#include "scenarios/reader/span.h"

#include <ctype.h>
#include <string.h>

#include "scenarios/reader/sweep.h"

typedef unsigned __int128 u128;

#define FRACTION_ONE 1000000000000000000u /* fractions count 10^-18 */
#define LOG_BITS 57

/* ---- logarithms ----------------------------------------------------------------------------------- */

/* floor(sqrt(v)), below 2^64 */
static uint64_t root(u128 v)
{
    uint64_t r = 0;
    for (int bit = 63; bit >= 0; bit--) {
        uint64_t t = r | (uint64_t)1 << bit;
        if ((u128)t * t <= v)
            r = t;
    }
    return r;
}

/* log2(v) * 2^57, v > 0: squaring the mantissa (1 bit in front of 63) yields a bit at a time. */
static uint64_t log2_fixed(uint64_t v)
{
    int top = 63 - __builtin_clzll(v);
    uint64_t m = v << (63 - top);
    uint64_t log = (uint64_t)top;
    for (int i = 0; i < LOG_BITS; i++) {
        u128 square = (u128)m * m;
        int carry = (int)(square >> 127);
        m = (uint64_t)(square >> (carry ? 64 : 63));
        log = log << 1 | (uint64_t)carry;
    }
    return log;
}

/* 2^f * 2^63 for a fraction f in units of 2^-57: the product of the roots that its bits name. */
static uint64_t exp2_fixed(uint64_t f)
{
    u128 m = (u128)1 << 63;
    uint64_t factor = root((u128)1 << 127);
    for (int i = LOG_BITS - 1; i >= 0; i--) {
        if (f >> i & 1)
            m = (m * factor) >> 63;
        factor = root((u128)factor << 63);
    }
    return (uint64_t)m;
}

uint64_t span_log_point(uint64_t lo, uint64_t hi, uint32_t i, uint32_t n)
{
    if (i == 0 || lo == hi)
        return lo;
    if (i == n - 1)
        return hi;
    uint64_t log = (uint64_t)((u128)(log2_fixed(hi) - log2_fixed(lo)) * i / (n - 1));
    unsigned whole = (unsigned)(log >> LOG_BITS);
    u128 v = (u128)lo * exp2_fixed(log & (((uint64_t)1 << LOG_BITS) - 1));
    unsigned shift = 63 - whole;
    return (uint64_t)(shift == 0 ? v : (v + ((u128)1 << (shift - 1))) >> shift);
}

/* ---- numbers of a key ----------------------------------------------------------------------------- */

static bool is_fraction(const struct key *k)
{
    return k->kind == KIND_CHANCE || k->kind == KIND_SHARE || k->kind == KIND_FACTOR;
}

static const struct unit_family *family_of(const struct key *k)
{
    if (k->kind == KIND_TIME)
        return &unit_time;
    if (k->kind == KIND_RATE)
        return &unit_rate;
    return k->kind == KIND_SIZE || k->kind == KIND_SIZES ? &unit_size : NULL;
}

static enum value_fault number_of(const struct key *k, const char *text, uint64_t *out)
{
    const struct unit_family *u = family_of(k);
    struct dec d;
    if (u)
        return value_with_unit(text, u, out);
    if (!is_fraction(k))
        return value_whole(text, out);
    enum value_fault f = value_fraction(text, &d);
    return f != VALUE_OK ? f : dec_times(d, FRACTION_ONE, out);
}

static char *text_of(const struct key *k, uint64_t n)
{
    const struct unit_family *u = family_of(k);
    char text[128];
    struct dec d = {n, 18};
    if (!is_fraction(k))
        return g_strdup_printf("%llu%s", (unsigned long long)n, u ? u->unit->name : "");
    for (; d.m != 0 && d.m % 10 == 0; d.scale--)
        d.m /= 10;
    dec_print(d.m ? d : (struct dec){0, 0}, text, sizeof text);
    return g_strdup(text);
}

static uint64_t round_digits(uint64_t n, uint64_t limit)
{
    uint64_t unit = 1;
    while (n / unit >= limit)
        unit *= 10;
    return (n + unit / 2) / unit * unit;
}

/* ---- the grammar ------------------------------------------------------------------------------------ */

bool span_is(const char *text)
{
    const char *dots = strstr(text, "..");
    return dots && (strstr(dots, " step ") || strstr(dots, " log ") ||
                    (text[0] && isdigit((unsigned char)text[0]) && !strchr(text, '/')));
}

struct span {
    char *lo, *hi, *by; /* texts */
    bool is_log;
};

/* Cuts a copy of the text in place. */
static bool cut(char *text, struct span *s, struct sc_error *err)
{
    char *dots = strstr(text, "..");
    char *step = strstr(dots, " step "), *log = strstr(dots, " log ");
    if (!step && !log)
        return sc_fail(err,
                       "the range '%s' says neither step nor log; write lo..hi step S or "
                       "lo..hi log N",
                       text);
    s->is_log = log != NULL;
    s->by = (log ? log : step) + (log ? 5 : 6);
    *(log ? log : step) = 0;
    *dots = 0;
    s->lo = g_strstrip(text);
    s->hi = g_strstrip(dots + 2);
    g_strstrip(s->by);
    return true;
}

static bool read_number(const struct key *k, const char *text, uint64_t *out, struct sc_error *err)
{
    enum value_fault f = number_of(k, text, out);
    if (f == VALUE_OK)
        return true;
    GString *allowed = g_string_new(NULL);
    key_allowed(k, allowed);
    sc_fail(err, "'%s' %s; give %s", text, value_fault_text(f), allowed->str);
    g_string_free(allowed, TRUE);
    return false;
}

static bool add_steps(const struct key *k, uint64_t lo, uint64_t hi, uint64_t step, GPtrArray *out,
                      struct sc_error *err)
{
    if (step == 0)
        return sc_fail(err, "a step of 0 gets nowhere; give a larger one");
    if ((hi - lo) / step >= SWEEP_VALUES_MAX)
        return sc_fail(err, "the range has more than %u values; give a larger step",
                       SWEEP_VALUES_MAX);
    for (uint64_t i = 0; i <= (hi - lo) / step; i++)
        g_ptr_array_add(out, text_of(k, lo + i * step));
    return true;
}

static bool add_logs(const struct key *k, uint64_t lo, uint64_t hi, const char *by, GPtrArray *out,
                     struct sc_error *err)
{
    uint64_t n, last = 0;
    if (value_whole(by, &n) != VALUE_OK || n < 2 || n > SWEEP_VALUES_MAX)
        return sc_fail(err, "'%s' points cannot be laid; give a whole number from 2 to %u", by,
                       SWEEP_VALUES_MAX);
    if (lo == 0)
        return sc_fail(err, "a logarithmic range cannot begin at 0; begin higher");
    for (uint32_t i = 0; i < n; i++) {
        uint64_t v = span_log_point(lo, hi, i, (uint32_t)n);
        if (is_fraction(k) && i > 0 && i + 1 < n)
            v = round_digits(v, 1000000);
        if (v == last)
            return sc_fail(err, "%llu points give the same whole number twice; ask for fewer",
                           (unsigned long long)n);
        last = v;
        g_ptr_array_add(out, text_of(k, v));
    }
    return true;
}

static bool add_values(const struct key *k, const struct span *s, GPtrArray *out,
                       struct sc_error *err)
{
    uint64_t lo, hi, step;
    if (!read_number(k, s->lo, &lo, err) || !read_number(k, s->hi, &hi, err))
        return false;
    if (lo > hi)
        return sc_fail(err, "the range runs from '%s' down to '%s'; give the smaller first", s->lo,
                       s->hi);
    if (s->is_log)
        return add_logs(k, lo, hi, s->by, out, err);
    return read_number(k, s->by, &step, err) && add_steps(k, lo, hi, step, out, err);
}

bool span_values(const struct key *k, const char *text, GPtrArray *out, struct sc_error *err)
{
    struct span s = {0};
    if (!family_of(k) && !is_fraction(k) && k->kind != KIND_WHOLE)
        return sc_fail(err, "%s.%s takes no range; list its values with ; between", k->group,
                       k->name);
    char *copy = g_strdup(text);
    bool ok = cut(copy, &s, err) && add_values(k, &s, out, err);
    g_free(copy);
    return ok;
}
