/* `rdmasim check`: exit codes, lines, folders, the JUnit report. */
#include <glib.h>
#include <string.h>

#include "tests/suite.h"
#include "tests/unit/cli_run.h"

static void put(struct cli_run *r, const char *name, const char *expect)
{
    char *text = g_strconcat(cli_run_scenario, expect, NULL);
    cli_run_write(r, name, text);
    g_free(text);
}

static void cmd_check_all_hold_is_exit_0(void)
{
    struct cli_run r;
    cli_run_begin(&r);
    put(&r, "demo.ini",
        "[expect]\nposted = messages_posted = 200\n"
        "one = min(messages_lost[qp.service=rc,workload.depth=1]) = 0\n");
    CU_ASSERT_EQUAL(cli_run(&r, "check demo.ini"), 0);
    CU_ASSERT_STRING_EQUAL(r.out, "demo: 8 runs\n  ok   posted: at 4 of 4 points\n"
                                  "  ok   one: 0 = 0\n2 expectations held, 0 failed\n");
    CU_ASSERT_STRING_EQUAL(r.err, "");
    CU_ASSERT_FALSE(cli_run_exists(&r, "out"));
    cli_run_done(&r);
}

static void cmd_check_failure_is_exit_1_with_both_sides(void)
{
    struct cli_run r;
    cli_run_begin(&r);
    put(&r, "demo.ini",
        "[expect]\nnone_lost = messages_lost[qp.service=rc] = 0\nwrong = messages_posted[qp.service=rc,"
        "workload.depth=8] = 201\n");
    CU_ASSERT_EQUAL(cli_run(&r, "check demo.ini"), 1);
    CU_ASSERT_PTR_NOT_NULL(strstr(r.out, "  FAIL wrong: 200 = 201\n"));
    CU_ASSERT_PTR_NOT_NULL(strstr(r.out, "\n1 expectation held, 1 failed\n"));
    cli_run_done(&r);
}

/* [check] makes it quick, and only `check`. */
static void cmd_check_overrides_apply_to_check_alone(void)
{
    struct cli_run r;
    cli_run_begin(&r);
    put(&r, "demo.ini",
        "[check]\nworkload.messages = 7\nscenario.repetitions = 1\nworkload.depth = 8\n"
        "[expect]\nposted = messages_posted[workload.depth=8] = 7\n");
    CU_ASSERT_EQUAL(cli_run(&r, "check demo.ini --out kept"), 0);
    CU_ASSERT_PTR_NOT_NULL(strstr(r.out, "demo: 2 runs\n  ok   posted: at 2 of 2 points\n"));
    CU_ASSERT_TRUE(cli_run_exists(&r, "kept/demo/results.csv"));
    CU_ASSERT_EQUAL(cli_run(&r, "run demo.ini --out o"), 0);
    char *text = cli_run_read(&r, "o/summary.csv");
    CU_ASSERT_PTR_NOT_NULL(strstr(text, "\n200,200,"));
    g_free(text);
    cli_run_done(&r);
}

static void cmd_check_mistakes_are_exit_2_with_file_and_line(void)
{
    struct cli_run r;
    cli_run_begin(&r);
    put(&r, "demo.ini", "[expect]\na = messages_posted ~ 200\n");
    CU_ASSERT_EQUAL(cli_run(&r, "check demo.ini"), 2);
    CU_ASSERT_PTR_NOT_NULL(
        strstr(r.out, "demo.ini:22: [expect] a: messages_posted ~ 200: '~' needs a tolerance"));
    put(&r, "demo.ini", "[expect]\na = mesages_posted = 200\n");
    CU_ASSERT_EQUAL(cli_run(&r, "check demo.ini"), 2);
    CU_ASSERT_PTR_NOT_NULL(strstr(r.out, "demo.ini:22: [expect] a: 'mesages_posted' is neither"));
    put(&r, "demo.ini", "");
    CU_ASSERT_EQUAL(cli_run(&r, "check demo.ini"), 2);
    CU_ASSERT_PTR_NOT_NULL(strstr(r.out, "demo: no [expect]; nothing to check"));
    cli_run_done(&r);
}

static void cmd_check_folder_is_taken_in_order_and_reported_as_junit(void)
{
    struct cli_run r;
    cli_run_begin(&r);
    put(&r, "s/b.ini", "[expect]\nwrong = messages_posted[qp.service=rc,workload.depth=1] < 200\n");
    put(&r, "s/a.ini", "[expect]\nright = messages_posted[workload.depth=1] = 200\n");
    put(&r, "s/c.ini", "[expect]\nbad = \"<&>\n");
    cli_run_write(&r, "s/notes.txt", "no scenario");
    CU_ASSERT_EQUAL(cli_run(&r, "check s --junit j.xml"), 2);
    char *text = cli_run_read(&r, "j.xml");
    CU_ASSERT_STRING_EQUAL(
        text,
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"rdmasim\">\n"
        "  <testsuite name=\"a\" tests=\"2\" failures=\"0\" errors=\"0\">\n"
        "    <testcase classname=\"a\" name=\"right [qp.service=rc]\"/>\n"
        "    <testcase classname=\"a\" name=\"right [qp.service=uc]\"/>\n  </testsuite>\n"
        "  <testsuite name=\"b\" tests=\"1\" failures=\"1\" errors=\"0\">\n"
        "    <testcase classname=\"b\" name=\"wrong\">\n"
        "      <failure message=\"FAIL wrong: 200 &lt; 200\"/>\n    </testcase>\n  </testsuite>\n"
        "  <testsuite name=\"c\" tests=\"1\" failures=\"0\" errors=\"1\">\n"
        "    <testcase classname=\"c\" name=\"run\">\n"
        "      <error message=\"s/c.ini:22: [expect] bad: &quot;&lt;&amp;&gt;: "
        "&apos;&quot;&lt;&amp;&gt;&apos;: "
        "a number, a metric or &apos;(&apos; was expected\"/>\n    </testcase>\n  </testsuite>\n"
        "</testsuites>\n");
    g_free(text);
    cli_run_done(&r);
}

static void cmd_check_empty_folder_and_lost_report_are_errors(void)
{
    struct cli_run r;
    cli_run_begin(&r);
    cli_run_write(&r, "empty/notes.txt", "no scenario");
    CU_ASSERT_EQUAL(cli_run(&r, "check empty"), 2);
    CU_ASSERT_PTR_NOT_NULL(strstr(r.err, "empty: there is no scenario (*.ini) in this folder"));
    put(&r, "demo.ini", "[expect]\nposted = messages_posted = 200\n");
    CU_ASSERT_EQUAL(cli_run(&r, "check demo.ini --junit /dev/full"), 3);
    CU_ASSERT_PTR_NOT_NULL(strstr(r.err, "/dev/full: cannot be written: No space left on device"));
    cli_run_done(&r);
}

static const struct test tests[] = {TEST(cmd_check_all_hold_is_exit_0),
                                    TEST(cmd_check_failure_is_exit_1_with_both_sides),
                                    TEST(cmd_check_overrides_apply_to_check_alone),
                                    TEST(cmd_check_mistakes_are_exit_2_with_file_and_line),
                                    TEST(cmd_check_folder_is_taken_in_order_and_reported_as_junit),
                                    TEST(cmd_check_empty_folder_and_lost_report_are_errors),
                                    TESTS_END};
const struct suite suite_cmd_check = {"cmd_check", tests};
