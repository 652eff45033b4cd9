/* Figures at the end of `sweep` and by `plot`; what happens when they cannot be drawn. */
#include <glib.h>
#include <string.h>

#include "tests/suite.h"
#include "tests/unit/cli_run.h"

static void begin(struct cli_run *r, const char *plot)
{
    cli_run_begin(r);
    char *text = g_strconcat(cli_run_scenario, plot, NULL);
    cli_run_write(r, "demo.ini", text);
    g_free(text);
}

static const char good_plot[] =
    "[plot depth]\nx = workload.depth\ny = goodput_gbps\nseries = qp.service\n";

static bool has_gnuplot(void)
{
    char *path = g_find_program_in_path("gnuplot");
    g_free(path);
    return path != NULL;
}

static void cmd_sweep_draws_and_plot_draws_the_same_again(void)
{
    struct cli_run r;
    if (!has_gnuplot())
        return;
    begin(&r, good_plot);
    CU_ASSERT_EQUAL(cli_run(&r, "sweep demo.ini --out o --format svg"), 0);
    CU_ASSERT_STRING_EQUAL(r.out, "8 of 8 runs (4 points) in o/\no/depth.{svg}\n");
    char *first = cli_run_read(&r, "o/depth.svg");
    CU_ASSERT_PTR_NOT_NULL(strstr(first, "Does depth matter?"));
    CU_ASSERT_EQUAL(cli_run(&r, "plot o --format svg"), 0);
    char *second = cli_run_read(&r, "o/depth.svg");
    CU_ASSERT_STRING_EQUAL(first, second);
    CU_ASSERT_FALSE(cli_run_exists(&r, "o/depth.png"));
    g_free(first);
    g_free(second);
    cli_run_done(&r);
}

static void cmd_sweep_without_gnuplot_keeps_the_results(void)
{
    struct cli_run r;
    begin(&r, good_plot);
    r.no_path = true;
    CU_ASSERT_EQUAL(cli_run(&r, "sweep demo.ini --out o"), 3);
    CU_ASSERT_PTR_NOT_NULL(strstr(r.err, "gnuplot is not installed"));
    CU_ASSERT_PTR_NOT_NULL(strstr(r.err, "rdmasim plot o draws them again"));
    CU_ASSERT_TRUE(cli_run_exists(&r, "o/results.csv"));
    CU_ASSERT_FALSE(cli_run_exists(&r, "o/depth.part"));
    CU_ASSERT_EQUAL(cli_run(&r, "sweep demo.ini --out o --no-plot"), 0);
    cli_run_done(&r);
}

/* A mistake in a figure costs no simulation. */
static void cmd_sweep_mistake_in_a_plot_shows_first(void)
{
    struct cli_run r;
    begin(&r, "[plot p]\nx = workload.depth\ny = goodput_gbps\ny_max = high\n");
    CU_ASSERT_EQUAL(cli_run(&r, "sweep demo.ini --out o"), 2);
    CU_ASSERT_PTR_NOT_NULL(
        strstr(r.err, "demo.ini:24: [plot p] y_max: a plain number was expected"));
    CU_ASSERT_FALSE(cli_run_exists(&r, "o"));
    CU_ASSERT_EQUAL(cli_run(&r, "sweep demo.ini --out o --format gif"), 2);
    cli_run_done(&r);
}

static void cmd_sweep_mixed_points_are_refused_not_averaged(void)
{
    struct cli_run r;
    begin(&r, "[plot p]\nx = workload.depth\ny = goodput_gbps\n");
    CU_ASSERT_EQUAL(cli_run(&r, "sweep demo.ini --out o"), 2);
    CU_ASSERT_PTR_NOT_NULL(strstr(r.err, "points that differ in qp.service would be mixed"));
    CU_ASSERT_FALSE(cli_run_exists(&r, "o"));
    cli_run_done(&r);
}

static void cmd_plot_without_results_names_the_file(void)
{
    struct cli_run r;
    begin(&r, good_plot);
    CU_ASSERT_EQUAL(cli_run(&r, "run demo.ini --out o"), 0);
    CU_ASSERT_EQUAL(cli_run(&r, "plot o"), 3);
    CU_ASSERT_PTR_NOT_NULL(
        strstr(r.err, "o/results.csv: cannot be read: No such file or directory"));
    cli_run_done(&r);
}

/* A folder that cannot take a run: nothing was joined, and nothing must be said to be there. */
static void cmd_sweep_without_a_finished_run_names_no_results(void)
{
    struct cli_run r;
    begin(&r, good_plot);
    cli_run_write(&r, "o/points", "a file where a folder should be");
    cli_run_write(&r, "o/summary.csv", "of another run");
    CU_ASSERT_EQUAL(cli_run(&r, "sweep demo.ini --out o"), 3);
    CU_ASSERT_PTR_NOT_NULL(strstr(r.err, "8 of 8 runs failed; o/results.csv was not written;"));
    CU_ASSERT_FALSE(cli_run_exists(&r, "o/results.csv"));
    CU_ASSERT_FALSE(cli_run_exists(&r, "o/summary.csv"));
    cli_run_done(&r);
}

static const struct test tests[] = {TEST(cmd_sweep_draws_and_plot_draws_the_same_again),
                                    TEST(cmd_sweep_without_gnuplot_keeps_the_results),
                                    TEST(cmd_sweep_mistake_in_a_plot_shows_first),
                                    TEST(cmd_sweep_mixed_points_are_refused_not_averaged),
                                    TEST(cmd_plot_without_results_names_the_file),
                                    TEST(cmd_sweep_without_a_finished_run_names_no_results),
                                    TESTS_END};
const struct suite suite_cmd_sweep = {"cmd_sweep", tests};
