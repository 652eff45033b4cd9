/* `rdmasim sweep` against the real simulator: order, identity, resume, trouble. */
#include <glib.h>
#include <string.h>
#include <sys/stat.h>

#include "tests/suite.h"
#include "tests/unit/cli_run.h"

static void begin(struct cli_run *r)
{
    cli_run_begin(r);
    cli_run_write(r, "demo.ini", cli_run_scenario);
}

static bool same_file(const struct cli_run *r, const char *a, const char *b)
{
    char *x = cli_run_read(r, a), *y = cli_run_read(r, b);
    bool same = strlen(x) > 0 && strcmp(x, y) == 0;
    g_free(x);
    g_free(y);
    return same;
}

static void sweep_run_results_have_points_in_order_and_seeds(void)
{
    static const char *const row[] = {"rc,1,5,", "rc,1,6,", "rc,8,5,", "rc,8,6,",
                                      "uc,1,5,", "uc,1,6,", "uc,8,5,", "uc,8,6,"};
    struct cli_run r;
    begin(&r);
    CU_ASSERT_EQUAL(cli_run(&r, "sweep demo.ini --jobs 3"), 0);
    CU_ASSERT_STRING_EQUAL(r.out, "8 of 8 runs (4 points) in out/demo/\n");
    CU_ASSERT_STRING_EQUAL(r.err, ""); /* no progress when piped */
    char *text = cli_run_read(&r, "out/demo/results.csv");
    char **line = g_strsplit(text, "\n", -1);
    CU_ASSERT_EQUAL_FATAL(g_strv_length(line), 10);
    CU_ASSERT_TRUE(g_str_has_prefix(line[0], "qp.service,workload.depth,seed,messages_posted,"));
    for (int i = 0; i < 8; i++)
        CU_ASSERT_TRUE(g_str_has_prefix(line[i + 1], row[i]));
    CU_ASSERT_TRUE(cli_run_exists(&r, "out/demo/points/0003/r1/summary.csv"));
    g_strfreev(line);
    g_free(text);
    cli_run_done(&r);
}

static void sweep_run_jobs_and_domains_change_no_byte(void)
{
    static const char *const file[] = {"results.csv", "inject.csv", "manifest.ini",
                                       "points/0002/r1/manifest.ini", "points/0002/r1/summary.csv"};
    struct cli_run r;
    begin(&r);
    CU_ASSERT_EQUAL(cli_run(&r, "sweep demo.ini --jobs 1 --out a"), 0);
    CU_ASSERT_EQUAL(cli_run(&r, "sweep demo.ini --jobs 4 --domains 2 --out b"), 0);
    for (int i = 0; i < 5; i++) {
        char *a = g_strconcat("a/", file[i], NULL), *b = g_strconcat("b/", file[i], NULL);
        CU_ASSERT_TRUE(same_file(&r, a, b));
        g_free(a);
        g_free(b);
    }
    cli_run_done(&r);
}

/* The manifest of a sweep is a scenario: swept again, it gives the same results. */
static void sweep_run_manifest_repeats_the_sweep(void)
{
    struct cli_run r;
    begin(&r);
    CU_ASSERT_EQUAL(cli_run(&r, "sweep demo.ini --set workload.depth=8 --out a"), 0);
    CU_ASSERT_STRING_EQUAL(r.out, "4 of 4 runs (2 points) in a/\n");
    CU_ASSERT_EQUAL(cli_run(&r, "sweep a/manifest.ini --out b"), 0);
    CU_ASSERT_TRUE(same_file(&r, "a/results.csv", "b/results.csv"));
    CU_ASSERT_TRUE(same_file(&r, "a/manifest.ini", "b/manifest.ini"));
    cli_run_done(&r);
}

static ino_t inode(const struct cli_run *r, const char *name)
{
    struct stat st = {0};
    char *path = g_build_filename(r->dir, name, NULL);
    stat(path, &st);
    g_free(path);
    return st.st_ino;
}

/* What resume keeps is not touched (its inode stays), what is damaged is made again. */
static void sweep_run_resume_runs_only_what_is_not_whole(void)
{
    struct cli_run r;
    begin(&r);
    CU_ASSERT_EQUAL(cli_run(&r, "sweep demo.ini --out a"), 0);
    CU_ASSERT_EQUAL(cli_run(&r, "sweep demo.ini --out b"), 0);
    ino_t kept = inode(&r, "a/points/0000/r0/summary.csv");
    cli_run_write(&r, "a/points/0001/r0/summary.csv", "messages_posted\n");
    cli_run_write(&r, "a/points/0002/r1/manifest.ini", "# another\n");
    CU_ASSERT_EQUAL(cli_run(&r, "sweep demo.ini --out a --resume"), 0);
    CU_ASSERT_STRING_EQUAL(r.out, "8 of 8 runs (4 points) in a/, 6 of them kept from before\n");
    CU_ASSERT_EQUAL(inode(&r, "a/points/0000/r0/summary.csv"), kept);
    CU_ASSERT_TRUE(same_file(&r, "a/points/0001/r0/summary.csv", "b/points/0001/r0/summary.csv"));
    CU_ASSERT_TRUE(same_file(&r, "a/results.csv", "b/results.csv"));
    cli_run_done(&r);
}

/* Another value is another manifest: nothing may be kept. */
static void sweep_run_resume_with_other_values_keeps_nothing(void)
{
    struct cli_run r;
    begin(&r);
    CU_ASSERT_EQUAL(cli_run(&r, "sweep demo.ini --out a"), 0);
    CU_ASSERT_EQUAL(cli_run(&r, "sweep demo.ini --out a --resume --set workload.messages=100"), 0);
    CU_ASSERT_STRING_EQUAL(r.out, "8 of 8 runs (4 points) in a/\n");
    cli_run_done(&r);
}

/* Too small a limit for any summary: every run is named with point and seed, and no results are claimed. */
static void sweep_run_disk_full_names_the_runs(void)
{
    struct cli_run r;
    begin(&r);
    r.file_bytes_max = 1300;
    CU_ASSERT_EQUAL(cli_run(&r, "sweep demo.ini --out a --set scenario.repetitions=1"), 3);
    CU_ASSERT_PTR_NOT_NULL(strstr(r.err, "cannot be written: File too large"));
    CU_ASSERT_FALSE(cli_run_exists(&r, "a/results.csv"));
    cli_run_done(&r);
}

static void sweep_run_failed_point_is_named_and_the_others_kept(void)
{
    struct cli_run r;
    begin(&r);
    cli_run_write(&r, "a/points/0001/r1", "a file stands where the folder should");
    CU_ASSERT_EQUAL(cli_run(&r, "sweep demo.ini --out a"), 3);
    CU_ASSERT_PTR_NOT_NULL(
        strstr(r.err, "rdmasim: point 1 (qp.service=rc workload.depth=8), seed 6 failed: "
                      "a/points/0001/r1: the folder cannot be made: "));
    CU_ASSERT_PTR_NOT_NULL(strstr(r.err, "1 of 8 runs failed; a/results.csv holds the others"));
    char *text = cli_run_read(&r, "a/results.csv");
    CU_ASSERT_PTR_NULL(strstr(text, "rc,8,6,"));
    CU_ASSERT_PTR_NOT_NULL(strstr(text, "uc,8,6,"));
    g_free(text);
    cli_run_done(&r);
}

static void sweep_run_bad_point_stops_before_anything_runs(void)
{
    struct cli_run r;
    cli_run_begin(&r);
    cli_run_write(&r, "bad.ini", "[sweep]\nqp.retry_cnt = 1;9\n");
    CU_ASSERT_EQUAL(cli_run(&r, "sweep bad.ini"), 2);
    CU_ASSERT_PTR_NOT_NULL(strstr(r.err, "bad.ini:2: [sweep]"));
    CU_ASSERT_FALSE(cli_run_exists(&r, "out"));
    cli_run_done(&r);
}

/* Two points end at once, the third would take minutes: Ctrl-C keeps the two and says how to go on. */
static void sweep_run_interrupt_keeps_the_finished(void)
{
    struct cli_run r;
    begin(&r);
    const char *words =
        "sweep demo.ini --jobs 1 --out a --set qp.service=rc --set workload.depth=1";
    char *text = g_strconcat(cli_run_scenario, "workload.messages = 10;20;1000000000\n", NULL);
    cli_run_write(&r, "demo.ini", text);
    g_free(text);
    r.interrupt_ms = 700;
    char *line = g_strconcat(words, " --set scenario.repetitions=1", NULL);
    CU_ASSERT_EQUAL(cli_run(&r, line), 3);
    CU_ASSERT_STRING_EQUAL(
        r.err, "rdmasim sweep: stopped; a/results.csv holds the 2 finished runs; the same "
               "command with --resume does the rest\n");
    text = cli_run_read(&r, "a/results.csv");
    CU_ASSERT_PTR_NOT_NULL(strstr(text, "\nrc,1,20,5,"));
    CU_ASSERT_PTR_NULL(strstr(text, "rc,1,1000000000"));
    CU_ASSERT_FALSE(cli_run_exists(&r, "a/points/0002/r0/summary.csv"));
    g_free(text);
    g_free(line);
    cli_run_done(&r);
}

static const struct test tests[] = {TEST(sweep_run_results_have_points_in_order_and_seeds),
                                    TEST(sweep_run_jobs_and_domains_change_no_byte),
                                    TEST(sweep_run_manifest_repeats_the_sweep),
                                    TEST(sweep_run_resume_runs_only_what_is_not_whole),
                                    TEST(sweep_run_resume_with_other_values_keeps_nothing),
                                    TEST(sweep_run_disk_full_names_the_runs),
                                    TEST(sweep_run_failed_point_is_named_and_the_others_kept),
                                    TEST(sweep_run_interrupt_keeps_the_finished),
                                    TEST(sweep_run_bad_point_stops_before_anything_runs),
                                    TESTS_END};
const struct suite suite_sweep_run = {"sweep_run", tests};
