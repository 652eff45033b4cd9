/*
 * Numbers with units, exactly.
 *
 * A number is kept as digits and a power of ten until the unit is known; then the result is an
 * integer in base units (ps, bit/s, bytes) or the text is refused.  No floating point: the same
 * text is the same run on every machine.
 */
#ifndef READER_VALUE_H
#define READER_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* m / 10^scale with m of at most 18 digits, never ending in 0 (0 itself has scale 0). */
struct dec {
    uint64_t m;
    int scale;
};

enum value_fault {
    VALUE_OK,
    VALUE_EMPTY,
    VALUE_NOT_NUMBER,
    VALUE_NEGATIVE,
    VALUE_NO_UNIT,
    VALUE_BAD_UNIT,
    VALUE_HAS_UNIT, /* a plain number was wanted */
    VALUE_TOO_LONG, /* more than 18 significant digits */
    VALUE_TOO_FINE, /* not a whole multiple of the base unit */
    VALUE_TOO_BIG,  /* outside 64 bits */
    VALUE_FAULTS
};
/* What is wrong, to follow the quoted text: "has no unit". */
const char *value_fault_text(enum value_fault f);

struct unit {
    const char *name;
    uint64_t factor; /* in base units */
};
struct unit_family {
    const char *noun;        /* "a time" */
    const char *example;     /* "1us" */
    const char *names;       /* "ps, ns, us, ms, s" */
    const struct unit *unit; /* ends with a NULL name; the first is the base unit */
};
extern const struct unit_family unit_time, unit_rate, unit_size;

/* "1.5us" -> 1500000.  A bare 0 needs no unit; blanks may stand before the unit. */
enum value_fault value_with_unit(const char *text, const struct unit_family *u, uint64_t *out);

/* A whole number: "1000", "1e6", "0xff". */
enum value_fault value_whole(const char *text, uint64_t *out);

/* A number without unit, or with % for hundredths. */
enum value_fault value_fraction(const char *text, struct dec *out);

/* Digits at *at, which moves behind them. */
enum value_fault dec_scan(const char **at, struct dec *out);

/* d * factor, if that is a whole number of 64 bits. */
enum value_fault dec_times(struct dec d, uint64_t factor, uint64_t *out);

/* d * 2^bits rounded to the nearest integer (halves up), for 0 <= d <= 1 and bits <= 64; 2^64 comes
 * back as UINT64_MAX, which rng_hits takes for certainty. */
uint64_t dec_threshold(struct dec d, unsigned bits);

/* -1, 0, 1 as a is less than, equal to, greater than b. */
int dec_compare(struct dec a, struct dec b);

/* "0.0001", without an exponent. */
void dec_print(struct dec d, char *out, size_t size);

/* The largest unit that divides n: 1000000 -> "1us".  base: the base unit whatever n is. */
void value_print_unit(uint64_t n, const struct unit_family *u, bool base, char *out, size_t size);

#endif
