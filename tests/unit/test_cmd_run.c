/* `rdmasim run` from end to end. */
#include <glib.h>
#include <string.h>

#include "tests/suite.h"
#include "tests/unit/cli_run.h"

static void cmd_run_writes_a_folder_that_repeats_itself(void)
{
    static const char *const file[] = {"manifest.ini", "summary.csv", "inject.csv"};
    struct cli_run r;
    cli_run_begin(&r);
    cli_run_write(&r, "demo.ini", cli_run_scenario);
    CU_ASSERT_EQUAL(cli_run(&r, "run demo.ini --seed 9"), 0);
    CU_ASSERT_STRING_EQUAL(r.err, "");
    CU_ASSERT_PTR_NOT_NULL(strstr(r.out, "messages delivered"));
    CU_ASSERT_PTR_NOT_NULL(strstr(r.out, "results in out/demo/\n"));
    CU_ASSERT_TRUE(cli_run_exists(&r, "out/demo/performance.csv"));
    CU_ASSERT_EQUAL(cli_run(&r, "run out/demo/manifest.ini --out again"), 0);
    for (int i = 0; i < 3; i++) {
        char *a = g_strconcat("out/demo/", file[i], NULL),
             *b = g_strconcat("again/", file[i], NULL);
        char *first = cli_run_read(&r, a), *second = cli_run_read(&r, b);
        CU_ASSERT_TRUE(strlen(first) > 5);
        CU_ASSERT_STRING_EQUAL(first, second);
        g_free(first);
        g_free(second);
        g_free(a);
        g_free(b);
    }
    cli_run_done(&r);
}

static void cmd_run_seed_and_set_reach_the_manifest(void)
{
    struct cli_run r;
    cli_run_begin(&r);
    cli_run_write(&r, "demo.ini", cli_run_scenario);
    CU_ASSERT_EQUAL(cli_run(&r, "run demo.ini --seed 77 --set qp.service=uc --out o"), 0);
    char *text = cli_run_read(&r, "o/manifest.ini");
    CU_ASSERT_TRUE(g_str_has_prefix(text, "# scenario: demo\n"));
    CU_ASSERT_PTR_NOT_NULL(strstr(text, "\nseed = 77\n"));
    CU_ASSERT_PTR_NOT_NULL(strstr(text, "\nservice = uc\n"));
    CU_ASSERT_PTR_NULL(strstr(text, "[sweep]"));
    g_free(text);
    cli_run_done(&r);
}

static void cmd_run_folder_of_another_scenario_is_refused(void)
{
    struct cli_run r;
    cli_run_begin(&r);
    cli_run_write(&r, "demo.ini", cli_run_scenario);
    cli_run_write(&r, "other.ini", cli_run_scenario);
    CU_ASSERT_EQUAL(cli_run(&r, "run demo.ini --out o"), 0);
    CU_ASSERT_EQUAL(cli_run(&r, "run demo.ini --out o"), 0);
    CU_ASSERT_EQUAL(cli_run(&r, "run other.ini --out o"), 2);
    CU_ASSERT_STRING_EQUAL(r.err,
                           "rdmasim run: o: holds the results of scenario demo; choose another "
                           "folder with --out, or remove this one\n");
    cli_run_done(&r);
}

static void cmd_run_folder_that_cannot_be_made_is_exit_3(void)
{
    struct cli_run r;
    cli_run_begin(&r);
    cli_run_write(&r, "demo.ini", cli_run_scenario);
    CU_ASSERT_EQUAL(cli_run(&r, "run demo.ini --out demo.ini/o"), 3);
    CU_ASSERT_PTR_NOT_NULL(strstr(r.err, "demo.ini/o: the folder cannot be made: Not a directory"));
    cli_run_done(&r);
}

/*
 * A full disk, played by a limit on the size of files that the manifest alone exceeds.  The summary of
 * the run before must not pass for this one's.
 */
static void cmd_run_disk_full_is_exit_3_and_leaves_no_summary(void)
{
    struct cli_run r;
    cli_run_begin(&r);
    cli_run_write(&r, "demo.ini", cli_run_scenario);
    CU_ASSERT_EQUAL(cli_run(&r, "run demo.ini --out o"), 0);
    CU_ASSERT_TRUE(cli_run_exists(&r, "o/summary.csv"));
    r.file_bytes_max = 512;
    CU_ASSERT_EQUAL(cli_run(&r, "run demo.ini --out o"), 3);
    CU_ASSERT_PTR_NOT_NULL(strstr(r.err, "o/manifest.ini: cannot be written: File too large"));
    CU_ASSERT_FALSE(cli_run_exists(&r, "o/summary.csv"));
    CU_ASSERT_FALSE(cli_run_exists(&r, "o/manifest.ini.part"));
    cli_run_done(&r);
}

static void cmd_run_mistake_in_the_file_leaves_nothing(void)
{
    struct cli_run r;
    cli_run_begin(&r);
    cli_run_write(&r, "demo.ini", "[qp]\nservice = rc\ntimeout = 99\n");
    CU_ASSERT_EQUAL(cli_run(&r, "run demo.ini"), 2);
    CU_ASSERT_PTR_NOT_NULL(strstr(r.err, "demo.ini:3: [qp] timeout"));
    CU_ASSERT_FALSE(cli_run_exists(&r, "out"));
    cli_run_done(&r);
}

static void cmd_run_leaves_no_table_of_the_run_before(void)
{
    struct cli_run r;
    cli_run_begin(&r);
    cli_run_write(&r, "demo.ini", cli_run_scenario);
    CU_ASSERT_EQUAL(cli_run(&r, "run demo.ini --messages --qps --out o"), 0);
    CU_ASSERT_TRUE(cli_run_exists(&r, "o/messages.csv"));
    CU_ASSERT_EQUAL(cli_run(&r, "run demo.ini --seed 9 --out o"), 0);
    CU_ASSERT_FALSE(cli_run_exists(&r, "o/messages.csv"));
    CU_ASSERT_FALSE(cli_run_exists(&r, "o/qps.csv"));
    CU_ASSERT_TRUE(cli_run_exists(&r, "o/summary.csv"));
    cli_run_done(&r);
}

static void cmd_run_more_queues_than_addresses_is_exit_3(void)
{
    struct cli_run r;
    cli_run_begin(&r);
    cli_run_write(&r, "demo.ini", cli_run_scenario);
    CU_ASSERT_EQUAL(
        cli_run(&r, "run demo.ini --out o --set workload.op=send --set hca.max_qp_wr=1048576 --set "
                    "qp.sq_depth=1048576 --set qp.rq_depth=1048576 --set "
                    "workload.depth=1048576 --set workload.qps=65536"),
        3);
    CU_ASSERT_PTR_NOT_NULL(strstr(r.err, "do not fit the address space; lower fabric.hosts"));
    CU_ASSERT_FALSE(cli_run_exists(&r, "o/summary.csv"));
    cli_run_done(&r);
}

static void cmd_run_folder_of_a_sweep_is_refused(void)
{
    struct cli_run r;
    cli_run_begin(&r);
    cli_run_write(&r, "demo.ini", cli_run_scenario);
    CU_ASSERT_EQUAL(cli_run(&r, "run demo.ini --out o"), 0);
    CU_ASSERT_EQUAL(cli_run(&r, "sweep demo.ini --out o --no-plot"), 0);
    CU_ASSERT_FALSE(cli_run_exists(&r, "o/summary.csv"));
    char *before = cli_run_read(&r, "o/manifest.ini");
    CU_ASSERT_EQUAL(cli_run(&r, "run demo.ini --out o"), 2);
    CU_ASSERT_STRING_EQUAL(r.err, "rdmasim run: o: holds the results of a sweep; choose another "
                                  "folder with --out\n");
    char *after = cli_run_read(&r, "o/manifest.ini");
    CU_ASSERT_STRING_EQUAL(before, after);
    g_free(before);
    g_free(after);
    cli_run_done(&r);
}

static void cmd_run_after_a_sweep_without_out_has_a_folder_inside(void)
{
    struct cli_run r;
    cli_run_begin(&r);
    cli_run_write(&r, "demo.ini", cli_run_scenario);
    CU_ASSERT_EQUAL(cli_run(&r, "sweep demo.ini --no-plot"), 0);
    CU_ASSERT_EQUAL(cli_run(&r, "run demo.ini"), 0);
    CU_ASSERT_TRUE(cli_run_exists(&r, "out/demo/run/summary.csv"));
    CU_ASSERT_TRUE(cli_run_exists(&r, "out/demo/results.csv"));
    CU_ASSERT_FALSE(cli_run_exists(&r, "out/demo/summary.csv"));
    cli_run_done(&r);
}

static void cmd_run_more_qps_than_memory_is_exit_3(void)
{
    struct cli_run r;
    cli_run_begin(&r);
    cli_run_write(&r, "big.ini",
                  "[fabric]\ntopology = star\nhosts = 49152\n"
                  "[workload]\npattern = all-to-all\nqps = 200\nmessages = 1\n");
    CU_ASSERT_EQUAL(cli_run(&r, "run big.ini"), 3);
    CU_ASSERT_PTR_NOT_NULL(strstr(r.err,
                                  "rdmasim run: 49152 hosts with 483173990400 QP ends take at "
                                  "least 45000 GiB, and this machine has "));
    cli_run_done(&r);
}

static const struct test tests[] = {TEST(cmd_run_after_a_sweep_without_out_has_a_folder_inside),
                                    TEST(cmd_run_more_qps_than_memory_is_exit_3),
                                    TEST(cmd_run_writes_a_folder_that_repeats_itself),
                                    TEST(cmd_run_seed_and_set_reach_the_manifest),
                                    TEST(cmd_run_folder_of_another_scenario_is_refused),
                                    TEST(cmd_run_folder_that_cannot_be_made_is_exit_3),
                                    TEST(cmd_run_disk_full_is_exit_3_and_leaves_no_summary),
                                    TEST(cmd_run_mistake_in_the_file_leaves_nothing),
                                    TEST(cmd_run_leaves_no_table_of_the_run_before),
                                    TEST(cmd_run_folder_of_a_sweep_is_refused),
                                    TEST(cmd_run_more_queues_than_addresses_is_exit_3),
                                    TESTS_END};
const struct suite suite_cmd_run = {"cmd_run", tests};
