#include <glib.h>

#include "scenarios/run/plot_names.h"
#include "tests/suite.h"

static void is_named(const char *column, const char *value, const char *want)
{
    char *got = plot_value_name(column, value);
    CU_ASSERT_STRING_EQUAL(got, want);
    g_free(got);
}

static void plot_names_values_get_their_usual_units(void)
{
    is_named("fabric.rate", "100000000000", "100 Gb/s");
    is_named("fabric.rate", "2500000000", "2.5 Gb/s");
    is_named("fabric.delay", "2880000", "2.88 us");
    is_named("fabric.delay", "500", "500 ps");
    is_named("workload.size", "65536", "64 KiB");
    is_named("workload.size", "1048576", "1 MiB");
    is_named("workload.size", "64", "64 B");
    is_named("max_bytes", "30000000", "30 MB");
    is_named("max_bytes", "10000", "10 kB");
    is_named("qp.service", "rc", "RC");
}

static void plot_names_other_values_stay_as_they_are(void)
{
    is_named("qp.timeout", "14", "14");
    is_named("fabric.loss.rate", "0.0001", "0.0001");
    is_named("fabric.loss.class", "data", "data");
    is_named("goodput_gbps", "97.5", "97.5");
}

static void is_labelled(const char *column, const char *want)
{
    char *got = plot_column_label(column);
    CU_ASSERT_STRING_EQUAL(got, want);
    g_free(got);
}

static void plot_names_labels_tell_the_base_unit(void)
{
    is_labelled("fabric.delay", "fabric.delay (ps)");
    is_labelled("fabric.rate", "fabric.rate (b/s)");
    is_labelled("workload.size", "workload.size (B)");
    is_labelled("qp.timeout", "qp.timeout");
    is_labelled("goodput_gbps", "goodput_gbps");
}

static const struct test tests[] = {TEST(plot_names_values_get_their_usual_units),
                                    TEST(plot_names_other_values_stay_as_they_are),
                                    TEST(plot_names_labels_tell_the_base_unit), TESTS_END};
const struct suite suite_plot_names = {"plot_names", tests};
