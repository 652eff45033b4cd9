/* Drawing with the real gnuplot, where it is installed; what is left behind when that fails. */
#include <glib.h>
#include <string.h>

#include "analysis/plot.h"
#include "tests/suite.h"
#include "tests/unit/cli_run.h"

static char label[] = "x", name[] = "s";

static bool draw(const struct cli_run *r, const char *formats, char *err, uint32_t err_size)
{
    struct plot_point a[] = {{1, 1, 1, 2}, {2, 3, 2, 4}};
    struct plot_series series[] = {{name, a, 2, false}};
    struct plot p = {.title = label,
                     .subtitle = label,
                     .x_label = label,
                     .y_label = label,
                     .series = series,
                     .series_count = 1};
    char *path = g_build_filename(r->dir, "fig", NULL);
    bool ok = plot_draw(&p, path, formats, err, err_size);
    g_free(path);
    return ok;
}

static bool has_gnuplot(void)
{
    char *path = g_find_program_in_path("gnuplot");
    g_free(path);
    return path != NULL;
}

static char *bytes(const struct cli_run *r, const char *file)
{
    char *path = g_build_filename(r->dir, file, NULL), *text = NULL;
    gsize len = 0;
    if (!g_file_get_contents(path, &text, &len, NULL))
        text = g_strdup("");
    char *sum = g_compute_checksum_for_data(G_CHECKSUM_SHA256, (const guchar *)text, len);
    g_free(text);
    g_free(path);
    return sum;
}

/* A PDF carries the time of day unless it is removed: two drawings a second apart must agree. */
static void plot_drawn_twice_is_the_same_bytes(void)
{
    static const char *const file[] = {"fig.svg", "fig.png", "fig.pdf", "fig.gp", "fig.dat"};
    struct cli_run r;
    char err[300] = "", *first[5];
    if (!has_gnuplot())
        return;
    cli_run_begin(&r);
    CU_ASSERT_TRUE_FATAL(draw(&r, "svg,png,pdf", err, sizeof err));
    for (int i = 0; i < 5; i++)
        first[i] = bytes(&r, file[i]);
    g_usleep(1100000);
    CU_ASSERT_TRUE_FATAL(draw(&r, "svg,png,pdf", err, sizeof err));
    for (int i = 0; i < 5; i++) {
        char *second = bytes(&r, file[i]);
        CU_ASSERT_TRUE(cli_run_exists(&r, file[i]));
        CU_ASSERT_STRING_EQUAL(first[i], second);
        g_free(second);
        g_free(first[i]);
    }
    CU_ASSERT_FALSE(cli_run_exists(&r, "fig.part"));
    cli_run_done(&r);
}

static void plot_unknown_format_leaves_nothing(void)
{
    struct cli_run r;
    char err[300] = "";
    cli_run_begin(&r);
    CU_ASSERT_FALSE(draw(&r, "svg,bmp", err, sizeof err));
    CU_ASSERT_STRING_EQUAL(err, "'svg,bmp': formats are svg, png and pdf, separated by commas");
    CU_ASSERT_FALSE(cli_run_exists(&r, "fig.gp"));
    cli_run_done(&r);
}

static void plot_folder_that_is_gone_is_named(void)
{
    struct cli_run r;
    char err[300] = "";
    cli_run_begin(&r);
    cli_run_done(&r);
    CU_ASSERT_FALSE(draw(&r, "svg", err, sizeof err));
    CU_ASSERT_PTR_NOT_NULL(strstr(err, r.dir));
    CU_ASSERT_PTR_NOT_NULL(strstr(err, "No such file or directory"));
}

static const struct test tests[] = {TEST(plot_drawn_twice_is_the_same_bytes),
                                    TEST(plot_unknown_format_leaves_nothing),
                                    TEST(plot_folder_that_is_gone_is_named), TESTS_END};
const struct suite suite_plot = {"plot", tests};
