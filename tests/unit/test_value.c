/* Numbers with units, exactly. */
#include <string.h>

#include "scenarios/reader/value.h"
#include "tests/suite.h"

/* The number, or minus the fault. */
static __int128 unit_of(const char *text, const struct unit_family *u)
{
    uint64_t n = 0;
    enum value_fault f = value_with_unit(text, u, &n);
    return f == VALUE_OK ? (__int128)n : -(__int128)f;
}

static __int128 whole_of(const char *text)
{
    uint64_t n = 0;
    enum value_fault f = value_whole(text, &n);
    return f == VALUE_OK ? (__int128)n : -(__int128)f;
}

static uint64_t threshold_of(const char *text, unsigned bits)
{
    struct dec d = {7, 7};
    CU_ASSERT_EQUAL(value_fraction(text, &d), VALUE_OK);
    return dec_threshold(d, bits);
}

static void value_with_units_is_exact(void)
{
    CU_ASSERT(unit_of("1.5us", &unit_time) == 1500000);
    CU_ASSERT(unit_of("0.001ns", &unit_time) == 1);
    CU_ASSERT(unit_of("1e3 ns", &unit_time) == 1000000);
    CU_ASSERT(unit_of("2.000000783s", &unit_time) == 2000000783000);
    CU_ASSERT(unit_of("100Gbps", &unit_rate) == 100000000000);
    CU_ASSERT(unit_of("0.4Tbps", &unit_rate) == 400000000000);
    CU_ASSERT(unit_of("4KiB", &unit_size) == 4096);
    CU_ASSERT(unit_of("64 KB", &unit_size) == 64000);
    CU_ASSERT(unit_of("1.5KiB", &unit_size) == 1536);
    CU_ASSERT(unit_of("0", &unit_size) == 0);
    CU_ASSERT(unit_of("  7B\t", &unit_size) == 7);
    CU_ASSERT(unit_of("18446744.073709551615s", &unit_time) == -VALUE_TOO_LONG);
}

static void value_with_bad_unit_names_the_fault(void)
{
    CU_ASSERT(unit_of("", &unit_time) == -VALUE_EMPTY);
    CU_ASSERT(unit_of("fast", &unit_time) == -VALUE_NOT_NUMBER);
    CU_ASSERT(unit_of("-1us", &unit_time) == -VALUE_NEGATIVE);
    CU_ASSERT(unit_of("1", &unit_time) == -VALUE_NO_UNIT);
    CU_ASSERT(unit_of("1parsec", &unit_time) == -VALUE_BAD_UNIT);
    CU_ASSERT(unit_of("1US", &unit_time) == -VALUE_BAD_UNIT);
    CU_ASSERT(unit_of("1.2.3us", &unit_time) == -VALUE_BAD_UNIT);
    CU_ASSERT(unit_of("1us of rest and more", &unit_time) == -VALUE_BAD_UNIT);
    CU_ASSERT(unit_of("0.0001ns", &unit_time) == -VALUE_TOO_FINE);
    CU_ASSERT(unit_of("0.3KiB", &unit_size) == -VALUE_TOO_FINE);
    CU_ASSERT(unit_of("20000000s", &unit_time) == -VALUE_TOO_BIG);
    CU_ASSERT(unit_of("1e30B", &unit_size) == -VALUE_TOO_BIG);
    CU_ASSERT(unit_of("1e999999999999B", &unit_size) == -VALUE_TOO_BIG);
    CU_ASSERT(unit_of("1234567890123456789ps", &unit_time) == -VALUE_TOO_LONG);
    CU_ASSERT_STRING_EQUAL(value_fault_text(VALUE_NO_UNIT), "has no unit");
    CU_ASSERT_STRING_EQUAL(value_fault_text(VALUE_BAD_UNIT), "has an unknown unit");
}

static void value_whole_reads_decimal_hex_and_powers(void)
{
    CU_ASSERT(whole_of("1000") == 1000);
    CU_ASSERT(whole_of("1e6") == 1000000);
    CU_ASSERT(whole_of("2.5e3") == 2500);
    CU_ASSERT(whole_of("0xfffff0") == 0xfffff0);
    CU_ASSERT(whole_of("18446744073709551615") == (__int128)UINT64_MAX);
    CU_ASSERT(whole_of("18446744073709551616") == -VALUE_TOO_BIG);
    CU_ASSERT(whole_of("0x10000000000000000") == -VALUE_TOO_BIG);
    CU_ASSERT(whole_of("0x") == -VALUE_NOT_NUMBER);
    CU_ASSERT(whole_of("0xfg") == -VALUE_NOT_NUMBER);
    CU_ASSERT(whole_of("1.5") == -VALUE_TOO_FINE);
    CU_ASSERT(whole_of("-3") == -VALUE_NEGATIVE);
    CU_ASSERT(whole_of("3us") == -VALUE_HAS_UNIT);
    CU_ASSERT(whole_of("three") == -VALUE_NOT_NUMBER);
    CU_ASSERT(whole_of("") == -VALUE_EMPTY);
}

/* 2^64 times each, worked out with integers of arbitrary length and rounded half up. */
static void value_probability_is_rounded_exactly(void)
{
    CU_ASSERT_EQUAL(threshold_of("0", 64), 0);
    CU_ASSERT_EQUAL(threshold_of("1", 64), UINT64_MAX);
    CU_ASSERT_EQUAL(threshold_of("100%", 64), UINT64_MAX);
    CU_ASSERT_EQUAL(threshold_of("0.5", 64), (uint64_t)1 << 63);
    CU_ASSERT_EQUAL(threshold_of("1e-4", 64), 1844674407370955u);
    CU_ASSERT_EQUAL(threshold_of("0.01%", 64), 1844674407370955u);
    CU_ASSERT_EQUAL(threshold_of("2%", 64), 368934881474191032u);
    CU_ASSERT_EQUAL(threshold_of("0.3", 64), 5534023222112865485u);
    CU_ASSERT_EQUAL(threshold_of("0.999999999999999999", 64), 18446744073709551598u);
    CU_ASSERT_EQUAL(threshold_of("3e-20", 64), 1);
    CU_ASSERT_EQUAL(threshold_of("2e-20", 64), 0);
    CU_ASSERT_EQUAL(threshold_of("1e-39", 64), 0);
    CU_ASSERT_EQUAL(threshold_of("1", 63), (uint64_t)1 << 63);
    CU_ASSERT_EQUAL(threshold_of("0.15", 63), 1383505805528216371u);
}

static void value_fraction_with_unit_is_refused(void)
{
    struct dec d;
    CU_ASSERT_EQUAL(value_fraction("", &d), VALUE_EMPTY);
    CU_ASSERT_EQUAL(value_fraction("half", &d), VALUE_NOT_NUMBER);
    CU_ASSERT_EQUAL(value_fraction("-0.1", &d), VALUE_NEGATIVE);
    CU_ASSERT_EQUAL(value_fraction("1us", &d), VALUE_HAS_UNIT);
    CU_ASSERT_EQUAL(value_fraction("1%%", &d), VALUE_HAS_UNIT);
    CU_ASSERT_EQUAL(value_fraction("0.1234567890123456789", &d), VALUE_TOO_LONG);
    CU_ASSERT_EQUAL(value_fraction("1e-99", &d), VALUE_TOO_FINE);
    CU_ASSERT_EQUAL(value_fraction("1e", &d), VALUE_HAS_UNIT);
}

static void value_decimals_print_without_exponent(void)
{
    char text[128];
    dec_print((struct dec){1, 4}, text, sizeof text);
    CU_ASSERT_STRING_EQUAL(text, "0.0001");
    dec_print((struct dec){25, 2}, text, sizeof text);
    CU_ASSERT_STRING_EQUAL(text, "0.25");
    dec_print((struct dec){125, 1}, text, sizeof text);
    CU_ASSERT_STRING_EQUAL(text, "12.5");
    dec_print((struct dec){3, -2}, text, sizeof text);
    CU_ASSERT_STRING_EQUAL(text, "300");
    dec_print((struct dec){0, 0}, text, sizeof text);
    CU_ASSERT_STRING_EQUAL(text, "0");
}

static void value_decimals_compare_by_size(void)
{
    CU_ASSERT_EQUAL(dec_compare((struct dec){1, 4}, (struct dec){2, 4}), -1);
    CU_ASSERT_EQUAL(dec_compare((struct dec){1, 3}, (struct dec){9, 4}), 1);
    CU_ASSERT_EQUAL(dec_compare((struct dec){1, -2}, (struct dec){100, 0}), 0);
    CU_ASSERT_EQUAL(dec_compare((struct dec){0, 0}, (struct dec){1, 60}), -1);
    CU_ASSERT_EQUAL(dec_compare((struct dec){0, 0}, (struct dec){0, 0}), 0);
    CU_ASSERT_EQUAL(dec_compare((struct dec){999999999999999999u, 18}, (struct dec){1, 0}), -1);
}

static void value_prints_in_the_largest_fitting_unit(void)
{
    char text[40];
    value_print_unit(1000000, &unit_time, false, text, sizeof text);
    CU_ASSERT_STRING_EQUAL(text, "1us");
    value_print_unit(1500, &unit_time, false, text, sizeof text);
    CU_ASSERT_STRING_EQUAL(text, "1500ps");
    value_print_unit(4096, &unit_size, false, text, sizeof text);
    CU_ASSERT_STRING_EQUAL(text, "4KiB");
    value_print_unit(4096, &unit_size, true, text, sizeof text);
    CU_ASSERT_STRING_EQUAL(text, "4096B");
    value_print_unit(0, &unit_rate, false, text, sizeof text);
    CU_ASSERT_STRING_EQUAL(text, "0bps");
}

static const struct test tests[] = {
    TEST(value_with_units_is_exact),
    TEST(value_with_bad_unit_names_the_fault),
    TEST(value_whole_reads_decimal_hex_and_powers),
    TEST(value_probability_is_rounded_exactly),
    TEST(value_fraction_with_unit_is_refused),
    TEST(value_decimals_print_without_exponent),
    TEST(value_decimals_compare_by_size),
    TEST(value_prints_in_the_largest_fitting_unit),
    TESTS_END,
};
const struct suite suite_value = {"value", tests};
