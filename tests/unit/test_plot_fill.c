/* From a table to the points of a figure. */
#include <glib.h>
#include <math.h>
#include <string.h>

#include "scenarios/run/plot_fill.h"
#include "tests/suite.h"
#include "tests/unit/cli_run.h"

static const char table[] = "qp.service,workload.depth,seed,goodput_gbps,latency_p99_us\n"
                            "rc,8,1,90,5\nrc,8,2,94,7\nrc,1,1,10,1\nrc,1,2,,1\n"
                            "uc,8,1,97,2\nuc,8,2,97,2\nuc,1,1,12,3\nuc,1,2,14,3\n";

/* Of a long series the first, the middle and the last point. */
static bool is_shown(uint32_t k, uint32_t points)
{
    return points < 10 || k == 0 || k == points / 2 || k == points - 1;
}

/* The figure as text: "NAME: (x y low high) ...", a line a series; err on failure. */
static char *filled(const struct sc_line *line, uint32_t n)
{
    struct cli_run r;
    struct plot_spec s;
    struct sc_error err = {""};
    struct results results;
    struct plot p;
    char why[300];
    GString *text = g_string_new(NULL);
    cli_run_begin(&r);
    cli_run_write(&r, "demo.ini", cli_run_scenario);
    cli_run_write(&r, "ref.csv", "depth,value\n1,11\n8,88\n");
    char *path = g_build_filename(r.dir, "demo.ini", NULL);
    struct sc_file *f = sc_file_load(path, &err);
    CU_ASSERT_PTR_NOT_NULL_FATAL(f);
    CU_ASSERT_TRUE_FATAL(results_from_table(csv_table_parse(table, "results.csv", why, sizeof why),
                                            &results, why, sizeof why));
    CU_ASSERT_TRUE_FATAL(plot_spec_parse(line, n, "demo.ini", &s, &err));
    if (!plot_fill(&s, &results, f, &p, &err))
        g_string_append(text, err.text);
    if (s.y_count > 1)
        g_string_append_printf(text, "[%s] ", p.y_label);
    for (uint32_t i = 0; i < p.series_count; i++) {
        g_string_append_printf(text, "%s:", p.series[i].name);
        for (uint32_t k = 0; k < p.series[i].points; k++) {
            const struct plot_point *at = &p.series[i].point[k];
            if (!is_shown(k, p.series[i].points))
                continue;
            g_string_append_printf(text, " (%g %g %g %g)", at->x, at->y, at->y_low, at->y_high);
        }
        g_string_append(text, "\n");
    }
    plot_fill_clear(&p);
    plot_spec_clear(&s);
    results_clear(&results);
    sc_file_free(f);
    g_free(path);
    cli_run_done(&r);
    return g_string_free(text, FALSE);
}

/* key, value, key, value, ... NULL */
static void fills(const char *const *pair, const char *want)
{
    struct sc_line line[10];
    uint32_t n = 0;
    for (; pair[2 * n]; n++)
        line[n] =
            (struct sc_line){(char *)"plot p", (char *)pair[2 * n], (char *)pair[2 * n + 1], 7};
    char *got = filled(line, n);
    CU_ASSERT_STRING_EQUAL(got, want);
    g_free(got);
}
#define FILLS(want, ...) fills((const char *const[]){__VA_ARGS__, NULL}, want)

/* Sorted by x; a repetition without a value counts for nothing, one alone has no error bar. */
static void plot_fill_repetitions_become_mean_least_and_most(void)
{
    FILLS("RC: (1 10 10 10) (8 92 90 94)\nUC: (1 13 12 14) (8 97 97 97)\n", "x", "workload.depth",
          "y", "goodput_gbps", "series", "qp.service");
    FILLS("RC: (1 10 10 10) (8 92 92 92)\nUC: (1 13 13 13) (8 97 97 97)\n", "x", "workload.depth",
          "y", "goodput_gbps", "series", "qp.service", "error", "none");
}

static void plot_fill_expressions_and_where_choose(void)
{
    FILLS(
        "[goodput_gbps, latency_p99_us / 2] goodput_gbps: (1 13 12 14) (8 97 97 97)\n"
        "latency_p99_us / 2: (1 1.5 1.5 1.5) (8 1 1 1)\n",
        "x", "workload.depth", "y", "goodput_gbps; latency_p99_us / 2", "where", "qp.service=uc");
}

/* A metric on x: one point for each point of the sweep, in its order. */
static void plot_fill_measured_x_keeps_the_order_of_the_sweep(void)
{
    FILLS("UC: (97 2 2 2) (13 3 3 3)\n", "x", "goodput_gbps", "y", "latency_p99_us", "series",
          "qp.service", "where", "qp.service=uc");
}

static void plot_fill_words_become_positions(void)
{
    FILLS(": (0 92 90 94) (1 97 97 97)\n", "x", "qp.service", "y", "goodput_gbps", "where",
          "workload.depth=8");
}

static void plot_fill_references_follow_x_and_files(void)
{
    FILLS("one: (1 13 12 14) (8 97 97 97)\nlimit: (1 2 2 2) (4.5 9 9 9) (8 16 16 16)\n"
          "file: (1 11 11 11) (8 88 88 88)\n",
          "x", "workload.depth", "y", "goodput_gbps", "where", "qp.service=uc", "names", "one",
          "reference", "limit: 2 * x; file: ref(ref.csv,x,value)");
}

static void plot_fill_formula_on_a_log_axis_is_even_in_the_logarithm(void)
{
    FILLS("one: (1 13 12 14) (8 97 97 97)\ncurve: (1 1 1 1) (2.82843 8 8 8) (8 64 64 64)\n", "x",
          "workload.depth", "y", "goodput_gbps", "where", "qp.service=uc", "names", "one",
          "scale_x", "log", "reference", "curve: x * x");
}

static void plot_fill_several_quantities_are_all_named_at_the_axis(void)
{
    FILLS("[goodput_gbps, latency_p99_us] goodput_gbps: (1 13 12 14) (8 97 97 97)\n"
          "latency_p99_us: (1 3 3 3) (8 2 2 2)\n",
          "x", "workload.depth", "y", "goodput_gbps; latency_p99_us", "where", "qp.service=uc");
}

static void plot_fill_mistakes_name_the_group(void)
{
    FILLS("demo.ini:7: [plot p]: points that differ in qp.service would be mixed; name it in "
          "series, or fix it by "
          "`where = qp.service=...`",
          "x", "workload.depth", "y", "goodput_gbps");
    FILLS("demo.ini:7: [plot p]: 'godput' is neither a metric nor a swept key", "x",
          "workload.depth", "y", "godput", "series", "qp.service");
    FILLS("demo.ini:7: [plot p]: series: qp.mtu is not a column of results.csv", "x",
          "workload.depth", "y", "goodput_gbps", "series", "qp.mtu");
    FILLS("demo.ini:7: [plot p]: where: qp.mtu is not a column of results.csv", "x",
          "workload.depth", "y", "goodput_gbps", "where", "qp.mtu=1024");
}

static const struct test tests[] = {TEST(plot_fill_repetitions_become_mean_least_and_most),
                                    TEST(plot_fill_expressions_and_where_choose),
                                    TEST(plot_fill_measured_x_keeps_the_order_of_the_sweep),
                                    TEST(plot_fill_words_become_positions),
                                    TEST(plot_fill_references_follow_x_and_files),
                                    TEST(plot_fill_formula_on_a_log_axis_is_even_in_the_logarithm),
                                    TEST(plot_fill_several_quantities_are_all_named_at_the_axis),
                                    TEST(plot_fill_mistakes_name_the_group),
                                    TESTS_END};
const struct suite suite_plot_fill = {"plot_fill", tests};
