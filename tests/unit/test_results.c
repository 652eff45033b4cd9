/* Result tables: one run's files, the join of a sweep, reading back. */
#include <glib.h>
#include <string.h>

#include "scenarios/run/results.h"
#include "tests/suite.h"
#include "tests/unit/cli_run.h"

static void results_summary_has_every_metric_in_order(void)
{
    struct cli_run r;
    struct metrics *m = g_new0(struct metrics, 1);
    char err[300];
    cli_run_begin(&r);
    for (uint32_t i = 0; i < metric_count; i++)
        m->v[i] = METRIC_NONE;
    m->v[METRIC_messages_posted] = 3;
    m->v[METRIC_goodput_gbps] = 97500000;
    CU_ASSERT_FALSE(results_summary_whole(r.dir));
    CU_ASSERT_TRUE_FATAL(results_summary_write(r.dir, m, err, sizeof err));
    CU_ASSERT_TRUE(results_summary_whole(r.dir));
    char *text = cli_run_read(&r, "summary.csv");
    CU_ASSERT_TRUE(g_str_has_prefix(text, "messages_posted,messages_delivered,"));
    CU_ASSERT_PTR_NOT_NULL(strstr(text, "\n3,,,,,,,,,97.500000,,"));
    g_free(text);
    g_free(m);
    cli_run_done(&r);
}

static void results_cut_summary_is_not_whole(void)
{
    struct cli_run r;
    cli_run_begin(&r);
    cli_run_write(&r, "summary.csv", "messages_posted,messages_delivered\n3,3\n");
    CU_ASSERT_FALSE(results_summary_whole(r.dir));
    cli_run_done(&r);
}

/* Edited, or damaged on the disk: --resume must run it again, not join it. */
static void results_summary_with_a_word_is_not_whole(void)
{
    struct cli_run r;
    struct metrics *m = g_new0(struct metrics, 1);
    char err[300];
    cli_run_begin(&r);
    CU_ASSERT_TRUE_FATAL(results_summary_write(r.dir, m, err, sizeof err));
    CU_ASSERT_TRUE(results_summary_whole(r.dir));
    char *text = cli_run_read(&r, "summary.csv");
    *(strchr(text, '\n') + 1) = 'x';
    cli_run_write(&r, "summary.csv", text);
    CU_ASSERT_FALSE(results_summary_whole(r.dir));
    g_free(text);
    g_free(m);
    cli_run_done(&r);
}

static void results_buckets_print_slowdown_exactly(void)
{
    struct cli_run r;
    struct metrics *m = g_new0(struct metrics, 1);
    char err[300];
    cli_run_begin(&r);
    m->buckets = 2;
    m->bucket[0] = (struct metric_bucket){0, 4096, 10, 1500000, 1250000, 9000001};
    m->bucket[1] = (struct metric_bucket){4097, 8192, 0, METRIC_NONE, METRIC_NONE, METRIC_NONE};
    CU_ASSERT_TRUE_FATAL(results_buckets_write(r.dir, m, err, sizeof err));
    char *text = cli_run_read(&r, "buckets.csv");
    CU_ASSERT_STRING_EQUAL(text,
                           "min_bytes,max_bytes,messages,slowdown_mean,slowdown_p50,slowdown_p99\n"
                           "0,4096,10,1.500000,1.250000,9.000001\n4097,8192,0,,,\n");
    g_free(text);
    g_free(m);
    cli_run_done(&r);
}

static void results_join_puts_swept_values_and_seed_in_front(void)
{
    static const char *const a[] = {"rc", "1"}, *const b[] = {"uc", "1"};
    static char service[] = "qp.service", depth[] = "workload.depth";
    static char *const column[] = {service, depth};
    struct cli_run r;
    char err[300];
    cli_run_begin(&r);
    cli_run_write(&r, "p0/summary.csv", "x,y\n1,2\n");
    cli_run_write(&r, "p1/summary.csv", "x,y\n3,4\n");
    char *p0 = g_build_filename(r.dir, "p0", NULL), *p1 = g_build_filename(r.dir, "p1", NULL);
    char *out = g_build_filename(r.dir, "results.csv", NULL);
    const struct results_part part[] = {{a, 7, p0}, {b, 8, p1}};
    struct results_join j = {out, "summary.csv", column, 2, part, 2};
    CU_ASSERT_TRUE(results_join(&j, err, sizeof err));
    char *text = cli_run_read(&r, "results.csv");
    CU_ASSERT_STRING_EQUAL(text, "qp.service,workload.depth,seed,x,y\nrc,1,7,1,2\nuc,1,8,3,4\n");
    j.parts = 0; /* nothing finished: what an earlier sweep left must go */
    CU_ASSERT_TRUE(results_join(&j, err, sizeof err));
    CU_ASSERT_FALSE(cli_run_exists(&r, "results.csv"));
    g_free(text);
    g_free(out);
    g_free(p0);
    g_free(p1);
    cli_run_done(&r);
}

static void results_points_are_rows_with_the_same_swept_values(void)
{
    char err[300];
    struct results r;
    struct csv_table *t =
        csv_table_parse("a,b,seed,x\n1,1,5,0\n1,1,6,0\n1,2,5,0\n2,2,5,0\n2,2,6,0\n", "results.csv",
                        err, sizeof err);
    CU_ASSERT_PTR_NOT_NULL_FATAL(t);
    CU_ASSERT_TRUE_FATAL(results_from_table(t, &r, err, sizeof err));
    CU_ASSERT_EQUAL(r.swept, 2);
    CU_ASSERT_EQUAL(r.points, 3);
    CU_ASSERT_EQUAL(r.point[0].count, 2);
    CU_ASSERT_EQUAL(r.point[1].first, 2);
    CU_ASSERT_EQUAL(r.point[2].count, 2);
    char *text = results_point_text(&r, 1);
    CU_ASSERT_STRING_EQUAL(text, "a=1 b=2");
    g_free(text);
    results_clear(&r);
}

static void results_without_a_seed_are_refused(void)
{
    char err[300] = "";
    struct results r;
    struct csv_table *t = csv_table_parse("a,b\n1,2\n", "other.csv", err, sizeof err);
    CU_ASSERT_FALSE(results_from_table(t, &r, err, sizeof err));
    CU_ASSERT_STRING_EQUAL(err, "other.csv: no column named seed: not the results of a sweep");
}

static const struct test tests[] = {TEST(results_summary_has_every_metric_in_order),
                                    TEST(results_cut_summary_is_not_whole),
                                    TEST(results_summary_with_a_word_is_not_whole),
                                    TEST(results_buckets_print_slowdown_exactly),
                                    TEST(results_join_puts_swept_values_and_seed_in_front),
                                    TEST(results_points_are_rows_with_the_same_swept_values),
                                    TEST(results_without_a_seed_are_refused),
                                    TESTS_END};
const struct suite suite_results = {"results", tests};
