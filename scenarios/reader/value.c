/*
 * Numbers with units, exactly: see value.h.
 *
 * Everything is a product or quotient of integers in 128 bits; what would not come out
 * whole is a fault with a name, not a rounding.  The one rounding is dec_threshold's.
 */
#include "scenarios/reader/value.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

typedef unsigned __int128 u128;

#define DIGITS_MAX 18
#define SCALE_MAX 60

static const struct unit time_units[] = {
    {"ps", 1}, {"ns", 1000}, {"us", 1000000}, {"ms", 1000000000}, {"s", 1000000000000u}, {NULL, 0},
};
static const struct unit rate_units[] = {
    {"bps", 1},           {"kbps", 1000},           {"Mbps", 1000000},
    {"Gbps", 1000000000}, {"Tbps", 1000000000000u}, {NULL, 0},
};
static const struct unit size_units[] = {
    {"B", 1},          {"KB", 1000},      {"MB", 1000000},   {"GB", 1000000000},
    {"KiB", 1u << 10}, {"MiB", 1u << 20}, {"GiB", 1u << 30}, {NULL, 0},
};
const struct unit_family unit_time = {"a time", "1us", "ps, ns, us, ms, s", time_units};
const struct unit_family unit_rate = {"a rate", "100Gbps", "bps, kbps, Mbps, Gbps, Tbps",
                                      rate_units};
const struct unit_family unit_size = {"a size", "4KiB", "B, KB, MB, GB, KiB, MiB, GiB", size_units};

static const char *const fault_text[VALUE_FAULTS] = {
    [VALUE_OK] = "is right",
    [VALUE_EMPTY] = "is empty",
    [VALUE_NOT_NUMBER] = "is not a number",
    [VALUE_NEGATIVE] = "is negative",
    [VALUE_NO_UNIT] = "has no unit",
    [VALUE_BAD_UNIT] = "has an unknown unit",
    [VALUE_HAS_UNIT] = "is not a plain number",
    [VALUE_TOO_LONG] = "has more than 18 digits",
    [VALUE_TOO_FINE] = "is not a whole number of the smallest unit",
    [VALUE_TOO_BIG] = "is too large",
};

const char *value_fault_text(enum value_fault f) { return fault_text[f]; }

/* ---- digits ------------------------------------------------------------------------------ */

static struct dec dec_normal(struct dec d)
{
    if (d.m == 0)
        return (struct dec){0, 0};
    for (; d.m % 10 == 0; d.scale--)
        d.m /= 10;
    return d;
}

/* Zeros wait until a digit follows: those at the end are counted in the scale alone. */
struct digits {
    struct dec d;
    int zeros, significant;
};

static bool add_digit(struct digits *s, char c)
{
    if (c == '0') {
        s->zeros += s->d.m != 0;
        return true;
    }
    for (; s->zeros > 0; s->zeros--, s->significant++) {
        if (s->significant >= DIGITS_MAX)
            return false;
        s->d.m *= 10;
    }
    if (s->significant++ >= DIGITS_MAX)
        return false;
    s->d.m = s->d.m * 10 + (uint64_t)(c - '0');
    return true;
}

/* Digits with at most one point.  The scale counts places behind the point that are in m. */
static enum value_fault scan_mantissa(const char **at, struct dec *out)
{
    struct digits s = {{0, 0}, 0, 0};
    const char *p = *at;
    int behind = -1, count = 0;
    for (; isdigit((unsigned char)*p) || (*p == '.' && behind < 0); p++) {
        if (*p == '.') {
            behind = 0;
            continue;
        }
        if (!add_digit(&s, *p))
            return VALUE_TOO_LONG;
        count++;
        behind += behind >= 0;
    }
    if (count == 0)
        return VALUE_NOT_NUMBER;
    s.d.scale = (behind > 0 ? behind : 0) - s.zeros;
    *out = s.d;
    *at = p;
    return VALUE_OK;
}

/* e+3, e-12; nothing is taken where no digits follow. */
static int scan_exponent(const char **at)
{
    const char *p = *at;
    int n = 0;
    if (*p != 'e' && *p != 'E')
        return 0;
    p++;
    bool minus = *p == '-';
    if (*p == '-' || *p == '+')
        p++;
    if (!isdigit((unsigned char)*p))
        return 0;
    for (; isdigit((unsigned char)*p); p++)
        if (n < 10000)
            n = n * 10 + (*p - '0');
    *at = p;
    return minus ? -n : n;
}

enum value_fault dec_scan(const char **at, struct dec *out)
{
    const char *p = *at;
    struct dec d;
    enum value_fault f;
    if (*p == '-' && (isdigit((unsigned char)p[1]) || p[1] == '.'))
        return VALUE_NEGATIVE;
    if (*p == '+')
        p++;
    f = scan_mantissa(&p, &d);
    if (f != VALUE_OK)
        return f;
    d.scale -= scan_exponent(&p);
    d = dec_normal(d);
    if (d.scale < -SCALE_MAX)
        return VALUE_TOO_BIG;
    if (d.scale > SCALE_MAX)
        return VALUE_TOO_FINE;
    *out = d;
    *at = p;
    return VALUE_OK;
}

enum value_fault dec_times(struct dec d, uint64_t factor, uint64_t *out)
{
    u128 v = (u128)d.m * factor;
    for (; d.scale > 0 && v % 10 == 0 && v != 0; d.scale--)
        v /= 10;
    if (d.scale > 0 && v != 0)
        return VALUE_TOO_FINE;
    for (; d.scale < 0 && v <= UINT64_MAX; d.scale++)
        v *= 10;
    if (v > UINT64_MAX)
        return VALUE_TOO_BIG;
    *out = (uint64_t)v;
    return VALUE_OK;
}

static u128 power10(int n)
{
    u128 p = 1;
    for (; n > 0; n--)
        p *= 10;
    return p;
}

/*
 * m < 10^18 < 2^60, so m * 2^64 fits 128 bits.  Beyond 38 places the divisor would not; but there
 * d < 10^18 / 10^39, far below half of 2^-64, and rounds to 0.
 */
uint64_t dec_threshold(struct dec d, unsigned bits)
{
    u128 ten, v;
    if (d.scale > 38)
        return 0;
    if (d.scale < 0)
        return bits == 64 ? UINT64_MAX : (uint64_t)1 << bits;
    ten = power10(d.scale);
    v = (u128)d.m << bits;
    v = v / ten + (v % ten >= ten - v % ten ? 1 : 0);
    return v > UINT64_MAX ? UINT64_MAX : (uint64_t)v;
}

/* Places in front of the point, less 1. */
static int magnitude(struct dec d)
{
    int n = -d.scale;
    for (uint64_t m = d.m; m >= 10; m /= 10)
        n++;
    return n;
}

int dec_compare(struct dec a, struct dec b)
{
    if (a.m == 0 || b.m == 0)
        return (a.m != 0) - (b.m != 0);
    if (magnitude(a) != magnitude(b))
        return magnitude(a) > magnitude(b) ? 1 : -1;
    /* of one magnitude the scales differ by at most 17 */
    u128 x = a.m, y = b.m;
    for (int s = a.scale; s < b.scale; s++)
        x *= 10;
    for (int s = b.scale; s < a.scale; s++)
        y *= 10;
    return (x > y) - (x < y);
}

void dec_print(struct dec d, char *out, size_t size)
{
    char digits[32];
    int len = snprintf(digits, sizeof digits, "%llu", (unsigned long long)d.m);
    char text[2 * SCALE_MAX + 40];
    int at = 0;
    int before = len - d.scale;
    if (before <= 0) {
        at = snprintf(text, sizeof text, "0.%0*d%s", -before, 0, digits);
        if (before == 0)
            at = snprintf(text, sizeof text, "0.%s", digits);
    } else if (d.scale <= 0) {
        at = snprintf(text, sizeof text, "%s", digits);
        for (int i = 0; i < -d.scale; i++)
            text[at++] = '0';
        text[at] = 0;
    } else {
        at = snprintf(text, sizeof text, "%.*s.%s", before, digits, digits + before);
    }
    snprintf(out, size, "%s", text);
}

/* ---- whole texts --------------------------------------------------------------------------- */

static const char *skip_blanks(const char *p)
{
    while (*p == ' ' || *p == '\t')
        p++;
    return p;
}

/* "1.5 us " -> unit "us" without the blanks around it; false if it is too long to be one. */
static bool take_unit(const char *p, char *unit, size_t size)
{
    p = skip_blanks(p);
    size_t len = strlen(p);
    while (len > 0 && (p[len - 1] == ' ' || p[len - 1] == '\t'))
        len--;
    if (len >= size)
        return false;
    memcpy(unit, p, len);
    unit[len] = 0;
    return true;
}

enum value_fault value_with_unit(const char *text, const struct unit_family *u, uint64_t *out)
{
    const char *p = skip_blanks(text);
    char unit[8];
    struct dec d;
    if (!*p)
        return VALUE_EMPTY;
    enum value_fault f = dec_scan(&p, &d);
    if (f != VALUE_OK)
        return f;
    if (!take_unit(p, unit, sizeof unit))
        return VALUE_BAD_UNIT;
    if (!unit[0] && d.m != 0)
        return VALUE_NO_UNIT;
    for (const struct unit *i = u->unit; i->name; i++)
        if (!unit[0] || strcmp(i->name, unit) == 0)
            return dec_times(d, i->factor, out);
    return VALUE_BAD_UNIT;
}

static enum value_fault scan_hex(const char **at, uint64_t *out)
{
    uint64_t n = 0;
    const char *p = *at + 2;
    if (!isxdigit((unsigned char)*p))
        return VALUE_NOT_NUMBER;
    for (; isxdigit((unsigned char)*p); p++) {
        char c = (char)tolower((unsigned char)*p);
        if (n >> 60)
            return VALUE_TOO_BIG;
        n = n << 4 | (uint64_t)(c <= '9' ? c - '0' : c - 'a' + 10);
    }
    *out = n;
    *at = p;
    return VALUE_OK;
}

/* 20 digits of UINT64_MAX do not fit struct dec: plain digits are read without it. */
static enum value_fault scan_plain(const char *p, uint64_t *out)
{
    u128 n = 0;
    for (; isdigit((unsigned char)*p); p++) {
        n = n * 10 + (unsigned)(*p - '0');
        if (n > UINT64_MAX)
            return VALUE_TOO_BIG;
    }
    *out = (uint64_t)n;
    return VALUE_OK;
}

enum value_fault value_whole(const char *text, uint64_t *out)
{
    const char *p = skip_blanks(text);
    enum value_fault f;
    size_t digits = strspn(p, "0123456789");
    struct dec d;
    if (!*p)
        return VALUE_EMPTY;
    if (digits > 0 && !*skip_blanks(p + digits))
        return scan_plain(p, out);
    if (p[0] == '0' && (p[1] == 'x' || p[1] == 'X')) {
        f = scan_hex(&p, out);
        return f != VALUE_OK ? f : *skip_blanks(p) ? VALUE_NOT_NUMBER : VALUE_OK;
    }
    f = dec_scan(&p, &d);
    if (f != VALUE_OK)
        return f;
    if (*skip_blanks(p))
        return VALUE_HAS_UNIT;
    return dec_times(d, 1, out);
}

enum value_fault value_fraction(const char *text, struct dec *out)
{
    const char *p = skip_blanks(text);
    if (!*p)
        return VALUE_EMPTY;
    enum value_fault f = dec_scan(&p, out);
    if (f != VALUE_OK)
        return f;
    p = skip_blanks(p);
    if (*p == '%') {
        out->scale += out->m != 0 ? 2 : 0;
        p = skip_blanks(p + 1);
    }
    return *p ? VALUE_HAS_UNIT : VALUE_OK;
}

void value_print_unit(uint64_t n, const struct unit_family *u, bool base, char *out, size_t size)
{
    const struct unit *best = u->unit;
    for (const struct unit *i = u->unit; i->name && !base; i++)
        if (n != 0 && n % i->factor == 0 && i->factor > best->factor)
            best = i;
    snprintf(out, size, "%llu%s", (unsigned long long)(n / best->factor), best->name);
}
