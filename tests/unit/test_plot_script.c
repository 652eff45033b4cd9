/* The script and data of small figures, compared as a whole. */
#include <glib.h>
#include <math.h>
#include <string.h>

#include "analysis/plot_script.h"
#include "tests/suite.h"

static char name_a[] = "it's a_b", name_ref[] = "line rate", x_label[] = "depth",
            y_label[] = "goodput (Gb/s)", title[] = "Does `depth` {matter}?", empty[] = "";

static void make(const struct plot *p, char **script, char **data)
{
    char err[300] = "";
    CU_ASSERT_TRUE_FATAL(plot_script_make(p, "fig_1", "svg,png", script, data, err, sizeof err));
}

/* A log axis leaves the point at 0 out and says so; text is escaped; the reference is dashed. */
static void plot_script_small_figure_is_these_bytes(void)
{
    struct plot_point a[] = {{1, 10, 9, 12}, {2, 20, 20, 20}, {4, 0, 0, 0}};
    struct plot_point ref[] = {{1, 50, 50, 50}, {4, 50, 50, 50}};
    struct plot_series series[] = {{name_a, a, 3, false}, {name_ref, ref, 2, true}};
    struct plot p = {.title = title,
                     .subtitle = empty,
                     .x_label = x_label,
                     .y_label = y_label,
                     .x_log = true,
                     .y_log = true,
                     .series = series,
                     .series_count = 2};
    char *script, *data;
    make(&p, &script, &data);
    CU_ASSERT_STRING_EQUAL(data, "# it's a_b\n# x y y_low y_high\n1 10 9 12\n2 20 20 20\n\n\n"
                                 "# line rate\n# x y y_low y_high\n1 50 50 50\n4 50 50 50\n\n\n");
    static const char want[] =
        "set terminal svg size 800,520 font 'Helvetica,Arial,sans-serif,20' linewidth 1.3 "
        "background '#FFFFFF'\n"
        "set output 'fig_1.svg'\n"
        "set encoding utf8\n"
        "set termoption enhanced\n"
        "set border 3 linecolor '#404040' linewidth 0.8\n"
        "set tics textcolor '#000000'\n"
        "set pointintervalbox 0\n"
        "set grid xtics ytics linecolor '#DDDDDD' linewidth 0.6 linetype 1\n"
        "set title 'Does `depth` \\{matter\\}?'\n"
        "set xlabel 'depth'.\"\\n\".'{/*0.75 1 point at or below zero, not shown on a log axis}'"
        ".\"\\n\".'{/*0.75  }'\n"
        "set ylabel 'goodput (Gb/s)'\n"
        "set key bmargin center horizontal Left reverse samplen 2.5 spacing 1.15 maxcols 4\n"
        "set xrange [0.946057646726:4.22807216225]\n"
        "set logscale x 10\n"
        "set xtics nomirror ('1' 1, '2' 2, '4' 4)\n"
        "set yrange [8.12005292209:55.4183580228]\n"
        "set logscale y 10\n"
        "set ytics nomirror ('' 9 1, '10' 10, '20' 20, '' 30 1, '' 40 1, '50' 50)\n"
        "plot \\\n"
        "     'fig_1.dat' index 0 using 1:2:3:4 with yerrorbars linecolor '#0072B2' linewidth 1 "
        "dashtype 1 "
        "pointtype -1 notitle, \\\n"
        "     'fig_1.dat' index 0 using 1:2 with linespoints linecolor '#0072B2' linewidth 1.4 "
        "dashtype 1 "
        "pointtype 7 pointsize 1 title 'it''s a\\_b', \\\n"
        "     'fig_1.dat' index 1 using 1:2 with lines linecolor '#505050' linewidth 1.2 dashtype "
        "(5,4) "
        "title 'line rate'\n"
        "unset output\n"
        "set terminal pngcairo size 1600,1000 font 'Sans,28' linewidth 2.8 pointscale 2\n"
        "set output 'fig_1.png'\n"
        "replot\n"
        "unset output\n";
    CU_ASSERT_STRING_EQUAL(script, want);
    g_free(script);
    g_free(data);
}

static void plot_script_bars_stand_side_by_side(void)
{
    static char small[] = "4 KiB", big[] = "1 MiB", p50[] = "p50", p99[] = "p99";
    char *names[] = {small, big};
    struct plot_point a[] = {{0, 1, 1, 1}, {1, 2, 2, 2}}, b[] = {{0, 3, 3, 3}, {1, 4, 4, 4}};
    struct plot_series series[] = {{p50, a, 2, false}, {p99, b, 2, false}};
    struct plot p = {.title = title,
                     .subtitle = empty,
                     .x_label = x_label,
                     .y_label = y_label,
                     .kind = PLOT_BARS,
                     .x_name = names,
                     .x_names = 2,
                     .series = series,
                     .series_count = 2};
    char *script, *data;
    make(&p, &script, &data);
    CU_ASSERT_STRING_EQUAL(data, "# p50\n# x y y_low y_high\n-0.2 1 1 1\n0.8 2 2 2\n\n\n"
                                 "# p99\n# x y y_low y_high\n0.2 3 3 3\n1.2 4 4 4\n\n\n");
    CU_ASSERT_PTR_NOT_NULL(strstr(script, "set xtics nomirror scale 0 ('4 KiB' 0, '1 MiB' 1)\n"));
    CU_ASSERT_PTR_NOT_NULL(strstr(script, "set yrange [0:"));
    CU_ASSERT_PTR_NOT_NULL(
        strstr(script, "index 1 using 1:2:(0.368) with boxes linecolor '#D55E00' title 'p99'"));
    g_free(script);
    g_free(data);
}

/* A line break in a title would end the command; a backquote in double quotes would start a program. */
static void plot_script_text_cannot_break_out(void)
{
    static char evil[] = "a'\n!touch x\n`touch y`\\";
    struct plot_point a[] = {{1, 1, 1, 1}};
    struct plot_series series[] = {{empty, a, 1, false}};
    struct plot p = {.title = evil,
                     .subtitle = empty,
                     .x_label = x_label,
                     .y_label = y_label,
                     .series = series,
                     .series_count = 1};
    char *script, *data;
    make(&p, &script, &data);
    CU_ASSERT_PTR_NOT_NULL(strstr(script, "set title 'a'' !touch x `touch y`\\\\'\n"));
    CU_ASSERT_PTR_NOT_NULL(strstr(script, "set key off\n"));
    g_free(script);
    g_free(data);
}

static void refused(struct plot_point *at, bool y_log, const char *formats, const char *why)
{
    struct plot_series series[] = {{empty, at, 1, false}};
    struct plot p = {.title = title,
                     .subtitle = empty,
                     .x_label = x_label,
                     .y_label = y_label,
                     .y_log = y_log,
                     .series = series,
                     .series_count = 1};
    char *script, *data, err[300] = "";
    CU_ASSERT_FALSE(plot_script_make(&p, "f", formats, &script, &data, err, sizeof err));
    CU_ASSERT_STRING_EQUAL(err, why);
    CU_ASSERT_PTR_NULL(script);
    CU_ASSERT_PTR_NULL(data);
}

static void plot_script_nothing_to_draw_is_refused(void)
{
    struct plot_point zero = {1, 0, 0, 0}, none = {1, NAN, NAN, NAN}, one = {1, 1, 1, 1};
    refused(&zero, true, "svg", "there is nothing to draw: no point can be shown on these axes");
    refused(&none, false, "svg", "there is nothing to draw: no point can be shown on these axes");
    refused(&one, false, "svg,gif", "'svg,gif': formats are svg, png and pdf, separated by commas");
    refused(&one, false, "svg,svg", "'svg,svg': formats are svg, png and pdf, separated by commas");
    refused(&one, false, "", "'': formats are svg, png and pdf, separated by commas");
}

/* Place and size of the legend by the number of series. */
static void legend(uint32_t series_count, const char *want)
{
    struct plot_point one = {1, 1, 1, 1};
    struct plot_series series[20];
    for (uint32_t i = 0; i < 20; i++)
        series[i] = (struct plot_series){name_ref, &one, 1, false};
    struct plot p = {.title = title,
                     .subtitle = empty,
                     .x_label = x_label,
                     .y_label = y_label,
                     .series = series,
                     .series_count = series_count};
    char *script, *data;
    make(&p, &script, &data);
    CU_ASSERT_PTR_NOT_NULL(strstr(script, want));
    g_free(script);
    g_free(data);
}

static void plot_script_twenty_series_leave_the_plot_its_width(void)
{
    legend(4, "set key bmargin center horizontal");
    legend(10, "set key rmargin center vertical Left reverse samplen 2.5 spacing 1.15\n");
    legend(20, "set key rmargin center vertical Left reverse samplen 2 spacing 1 font ',12'\n");
}

static const struct test tests[] = {TEST(plot_script_small_figure_is_these_bytes),
                                    TEST(plot_script_bars_stand_side_by_side),
                                    TEST(plot_script_text_cannot_break_out),
                                    TEST(plot_script_nothing_to_draw_is_refused),
                                    TEST(plot_script_twenty_series_leave_the_plot_its_width),
                                    TESTS_END};
const struct suite suite_plot_script = {"plot_script", tests};
