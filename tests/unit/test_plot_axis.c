/* Axes: ranges and the labels of their tics. */
#include <glib.h>
#include <string.h>

#include "analysis/plot_axis.h"
#include "tests/suite.h"

/* The labelled tics, "0|20|40". */
static char *labels(const struct plot_axis *a)
{
    GString *s = g_string_new(NULL);
    for (uint32_t i = 0; i < a->tics; i++)
        if (*a->tic[i].label)
            g_string_append_printf(s, "%s%s", s->len ? "|" : "", a->tic[i].label);
    return g_string_free(s, FALSE);
}

static void shows(bool log, double least, double most, const char *want)
{
    struct plot_axis a;
    plot_axis_make(&a, log, least, most, true, 0.05);
    char *got = labels(&a);
    CU_ASSERT_STRING_EQUAL(got, want);
    CU_ASSERT_TRUE(a.low <= least && a.high >= most);
    g_free(got);
}

static void plot_axis_linear_steps_are_round(void)
{
    shows(false, 3, 97.5, "0|20|40|60|80|100");
    shows(false, 0.1, 0.52, "0|0.1|0.2|0.3|0.4|0.5");
    shows(false, -3, 3, "-3|-2|-1|0|1|2|3");
    shows(false, 5, 2300000, "0|0.5 M|1.0 M|1.5 M|2.0 M");
    shows(false, 0, 0, "0|0.2|0.4|0.6|0.8|1.0");
}

static void plot_axis_log_tics_are_powers_of_ten(void)
{
    shows(true, 1e-6, 1e-2, "10^{-6}|10^{-5}|10^{-4}|10^{-3}|10^{-2}");
    shows(true, 1.5, 1400, "10|100|1000");
    shows(true, 1, 1e15, "10^{0}|10^{2}|10^{4}|10^{6}|10^{8}|10^{10}|10^{12}|10^{14}");
}

static void plot_axis_narrow_log_range_still_has_numbers(void)
{
    shows(true, 12, 55, "20|50");
    shows(true, 7, 7, "5|10");
}

static void plot_axis_few_values_become_the_tics(void)
{
    static const double hosts[] = {4, 8, 16, 64}, close[] = {100, 101, 1000};
    struct plot_axis a;
    plot_axis_make(&a, true, 4, 64, false, 0.04);
    plot_axis_tics_at(&a, hosts, 4);
    char *got = labels(&a);
    CU_ASSERT_STRING_EQUAL(got, "4|8|16|64");
    g_free(got);
    plot_axis_make(&a, true, 100, 1000, false, 0.04);
    plot_axis_tics_at(&a, close, 3); /* would overlap: the usual tics stay */
    got = labels(&a);
    CU_ASSERT_STRING_EQUAL(got, "100|200|500|1000");
    g_free(got);
}

static void plot_axis_limits_move_the_tics(void)
{
    struct plot_axis a;
    plot_axis_make(&a, false, 80, 97, true, 0.05);
    plot_axis_limit(&a, 90, 100);
    char *got = labels(&a);
    CU_ASSERT_STRING_EQUAL(got, "90|92|94|96|98|100");
    g_free(got);
}

static const struct test tests[] = {TEST(plot_axis_linear_steps_are_round),
                                    TEST(plot_axis_log_tics_are_powers_of_ten),
                                    TEST(plot_axis_narrow_log_range_still_has_numbers),
                                    TEST(plot_axis_few_values_become_the_tics),
                                    TEST(plot_axis_limits_move_the_tics),
                                    TESTS_END};
const struct suite suite_plot_axis = {"plot_axis", tests};
