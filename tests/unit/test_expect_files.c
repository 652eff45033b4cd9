/* `NAME = completions FILE` and `NAME = trace FILE` from the scenario to the verdict. */
#include <glib.h>
#include <string.h>

#include "tests/suite.h"
#include "tests/unit/cli_run.h"

#define SILENT                                                                                     \
    "[fabric]\ntopology = pair\nrate = 100Gbps\ndelay = 1us\n"                                     \
    "[qp]\nservice = rc\ntimeout = 1\nretry_cnt = 1\n"                                             \
    "[workload]\npattern = pair\nop = write\nsize = 64B\ndepth = 1\nmessages = 1\n"                \
    "[inject]\nsilence = drop dir=a2b count=all\n"

/* Two transmissions, 2 * 4.096 us apart; the error another 2 * 4.096 us later. */
#define PACKETS "t_us,kind,psn\n0,drop,0\n8.192,drop,0\n"
#define POLLED "t_us,queue,status\n16.384,send,12\n"

static void begin(struct cli_run *r, const char *more)
{
    char *text = g_strconcat(SILENT, more, NULL);
    cli_run_begin(r);
    cli_run_write(r, "s.ini", text);
    cli_run_write(r, "expected/packets.csv", PACKETS);
    cli_run_write(r, "polled.csv", POLLED);
    g_free(text);
}

static void expect_files_hold_and_fail_when_one_row_is_altered(void)
{
    struct cli_run r;
    begin(&r, "[expect]\nw = trace packets.csv\np = completions polled.csv\n");
    CU_ASSERT_EQUAL(cli_run(&r, "check s.ini --domains 2"), 0);
    CU_ASSERT_STRING_EQUAL(r.out, "s: 1 runs\n  ok   w: 2 rows as in packets.csv\n"
                                  "  ok   p: 1 rows as in polled.csv\n"
                                  "2 expectations held, 0 failed\n");
    cli_run_write(&r, "expected/packets.csv", "t_us,kind,psn\n0,drop,0\n8.192,drop,1\n");
    CU_ASSERT_EQUAL(cli_run(&r, "check s.ini --junit j.xml"), 1);
    CU_ASSERT_PTR_NOT_NULL(
        strstr(r.out, "  FAIL w: ./expected/packets.csv:3: psn differs: expected t_us=8.192 "
                      "kind=drop psn=1; found t_us=8.192000 kind=drop psn=0 (packets.csv:"));
    CU_ASSERT_PTR_NOT_NULL(strstr(r.out, "\n1 expectation held, 1 failed\n"));
    char *text = cli_run_read(&r, "j.xml");
    CU_ASSERT_PTR_NOT_NULL(
        strstr(text, "<failure message=\"FAIL w: ./expected/packets.csv:3: psn"));
    g_free(text);
    cli_run_done(&r);
}

/* A run writes what an expectation needs, and no more. */
static void expect_files_make_runs_write_what_they_need(void)
{
    struct cli_run r;
    begin(&r, "[expect]\np = completions polled.csv\n[expect full]\nw = trace packets.csv\n");
    CU_ASSERT_EQUAL(cli_run(&r, "check s.ini --out a"), 0);
    CU_ASSERT_TRUE(cli_run_exists(&r, "a/s/points/0000/r0/completions.csv"));
    CU_ASSERT_FALSE(cli_run_exists(&r, "a/s/points/0000/r0/packets.csv"));
    CU_ASSERT_EQUAL(cli_run(&r, "check s.ini --full --out b"), 0);
    CU_ASSERT_TRUE(cli_run_exists(&r, "b/s/points/0000/r0/packets.csv"));
    CU_ASSERT_PTR_NOT_NULL(strstr(r.out, "\n2 expectations held, 0 failed\n"));
    cli_run_done(&r);
}

static void expect_files_are_about_every_point_or_those_selected(void)
{
    struct cli_run r;
    begin(&r, "[sweep]\nqp.retry_cnt = 0;1\nqp.mtu = 1024;2048\n"
              "[expect]\none = trace packets.csv [qp.retry_cnt=1,qp.mtu=2048]\n"
              "half = trace packets [qp.retry_cnt=1]\nall = completions polled.csv\n");
    CU_ASSERT_EQUAL(cli_run(&r, "check s.ini"), 1);
    CU_ASSERT_PTR_NOT_NULL(strstr(r.out, "s: 4 runs\n  ok   one: 2 rows as in packets.csv\n"
                                         "  ok   half: at 2 of 2 points\n"
                                         "  ok   all: at 2 of 4 points\n"
                                         "  FAIL all [qp.retry_cnt=0 qp.mtu=1024]: ./polled.csv:2: "
                                         "t_us differs: expected t_us=16.384 "));
    cli_run_done(&r);
}

static void mistaken(const char *expect, const char *polled, const char *why)
{
    struct cli_run r;
    begin(&r, expect);
    cli_run_write(&r, "polled.csv", polled);
    CU_ASSERT_EQUAL(cli_run(&r, "check s.ini --out o"), 2);
    CU_ASSERT_PTR_NOT_NULL(strstr(r.out, why));
    cli_run_done(&r);
}

static void expect_files_mistakes_are_exit_2_with_file_and_line(void)
{
    const char *good = "[expect]\np = completions polled.csv\n";
    mistaken(good, "t_us,psn\n",
             "s.ini:18: [expect] p: ./polled.csv: completions.csv has no column 'psn'");
    mistaken(good, "t_us,host\n1\n",
             "s.ini:18: [expect] p: ./polled.csv: row 2 has another number");
    mistaken(good, "", "s.ini:18: [expect] p: ./polled.csv: it is empty");
    mistaken("[expect]\np = trace pakets.csv\n", POLLED,
             "s.ini:18: [expect] p: there is no file of expected rows 'pakets.csv' beside the "
             "scenario, in $RDMASIM_PATH or in the folder expected; did you mean 'packets.csv'?");
    mistaken("[expect]\np = trace packets.csv [qp.mtu=1024]\n", POLLED,
             "s.ini:18: [expect] p: packets.csv[qp.mtu=...]: qp.mtu is not swept here");
}

/* Both hosts act at the same instants: rows stand in the order of events, which one domain has. */
static void expect_files_traces_are_taken_with_one_domain(void)
{
    struct cli_run r;
    cli_run_begin(&r);
    cli_run_write(&r, "s.ini",
                  "[fabric]\ntopology = pair\nrate = 100Gbps\ndelay = 1us\n[qp]\nservice = rc\n"
                  "[workload]\npattern = pair\nop = write\nsize = 64B\nmessages = 1\n"
                  "bidirectional = on\n[expect]\nw = trace wire.csv\n");
    cli_run_write(&r, "wire.csv",
                  "t_us,where,opcode\n0,h0-h1,RC_WRITE_ONLY\n0,h1-h0,RC_WRITE_ONLY\n"
                  "1.01296,h1-h0,RC_ACKNOWLEDGE\n1.01296,h0-h1,RC_ACKNOWLEDGE\n");
    CU_ASSERT_EQUAL(cli_run(&r, "check s.ini"), 0);
    CU_ASSERT_EQUAL(cli_run(&r, "check s.ini --domains 2"), 0);
    cli_run_done(&r);
}

static const struct test tests[] = {TEST(expect_files_traces_are_taken_with_one_domain),
                                    TEST(expect_files_hold_and_fail_when_one_row_is_altered),
                                    TEST(expect_files_make_runs_write_what_they_need),
                                    TEST(expect_files_are_about_every_point_or_those_selected),
                                    TEST(expect_files_mistakes_are_exit_2_with_file_and_line),
                                    TESTS_END};
const struct suite suite_expect_files = {"expect_files", tests};
