/* `rdmasim ladder` from end to end. */
#include <glib.h>
#include <string.h>

#include "tests/suite.h"
#include "tests/unit/cli_run.h"

/* The second packet of three is lost; then nothing gets through, and the requester gives up. */
static const char scenario[] =
    "[scenario]\ntitle = Two losses\n[fabric]\ntopology = pair\nrate = 100Gbps\ndelay = 1us\n"
    "[qp]\nservice = rc\ntimeout = 4\nretry_cnt = 1\n[workload]\nop = send\nsize = 1KiB\ndepth = "
    "3\nmessages = 3\n"
    "[inject]\nlost = drop dir=a2b psn=+1 tx=1\nsilence = drop dir=b2a skip=2 count=all\n";

static void begin(struct cli_run *r)
{
    cli_run_begin(r);
    cli_run_write(r, "two.ini", scenario);
    CU_ASSERT_EQUAL(cli_run(r, "run two.ini --trace --out o"), 0);
}

static void has(const struct cli_run *r, const char *text)
{
    CU_ASSERT_PTR_NOT_NULL(strstr(r->out, text));
    if (!strstr(r->out, text))
        fprintf(stderr, "no '%s' in\n%s", text, r->out);
}

static void cmd_ladder_a_retry_can_be_followed(void)
{
    struct cli_run r;
    begin(&r);
    CU_ASSERT_EQUAL(cli_run(&r, "ladder o"), 0);
    has(&r, "Two losses\n");
    has(&r, "0.088 |-- SEND_ONLY 1, 1024 B, AckReq (lost: by a rule) ---X ");
    has(&r,
        "2.272 |<------------------------------------ NAK 1 PSN sequence error, MSN 1 --| 1.265\n");
    has(&r, "2.272 |== SEND_ONLY 1, 1024 B, AckReq, again ");
    has(&r, "@ ACK timer fires");
    has(&r, "# state ERR");
    has(&r, "! completion: RETRY_EXC_ERR");
    has(&r, " us pass  ");
    cli_run_done(&r);
}

static void cmd_ladder_ranges_and_ends_can_be_chosen(void)
{
    struct cli_run r;
    begin(&r);
    CU_ASSERT_EQUAL(cli_run(&r, "ladder o --rows 2..3"), 0);
    has(&r, ": " /* centred */ "                        1 earlier row left out");
    CU_ASSERT_PTR_NULL(strstr(r.out, "SEND_ONLY 0"));
    CU_ASSERT_EQUAL(cli_run(&r, "ladder o --from 2us --to 3us"), 0);
    CU_ASSERT_PTR_NULL(strstr(r.out, " 0.000 "));
    has(&r, "earlier rows left out");
    has(&r, "later rows left out");
    CU_ASSERT_EQUAL(cli_run(&r, "ladder o --ends h1,h0"), 0);
    has(&r, "us h1 QP 2 ");
    has(&r, "1.088 |-- ACK 0, MSN 1 ---");
    cli_run_done(&r);
}

static void cmd_ladder_svg_goes_to_its_file(void)
{
    struct cli_run r;
    begin(&r);
    CU_ASSERT_EQUAL(cli_run(&r, "ladder o --out l.svg"), 0);
    CU_ASSERT_STRING_EQUAL(r.out, "");
    char *svg = cli_run_read(&r, "l.svg");
    CU_ASSERT_TRUE(g_str_has_prefix(svg, "<svg "));
    CU_ASSERT_TRUE(g_str_has_suffix(svg, "</svg>\n"));
    g_free(svg);
    CU_ASSERT_EQUAL(cli_run(&r, "ladder o --format svg"), 0);
    CU_ASSERT_TRUE(g_str_has_prefix(r.out, "<svg "));
    CU_ASSERT_EQUAL(cli_run(&r, "ladder o --out nowhere/l.svg"), 3);
    CU_ASSERT_PTR_NOT_NULL(strstr(r.err, "nowhere/l.svg: cannot be written: No such file"));
    cli_run_done(&r);
}

static void refused(struct cli_run *r, const char *words, const char *why)
{
    CU_ASSERT_EQUAL(cli_run(r, words), 2);
    CU_ASSERT_STRING_EQUAL(r->err, why);
}

static void cmd_ladder_mistakes_are_named(void)
{
    struct cli_run r;
    begin(&r);
    refused(&r, "ladder o --ends h0",
            "rdmasim ladder: --ends 'h0': two ends, A,B, were expected\n");
    refused(&r, "ladder o --ends h0,h9",
            "rdmasim ladder: 'h9': no packet of a host 'h9' is there\n");
    refused(&r, "ladder o --qp 77", "rdmasim ladder: there is no packet between such ends\n");
    refused(&r, "ladder o --rows 3..1",
            "rdmasim ladder: --rows: two numbers, N..M, counted from 1, were expected\n");
    refused(&r, "ladder o --format pdf", "rdmasim ladder: --format: text or svg was expected\n");
    refused(&r, "ladder nowhere",
            "rdmasim ladder: nowhere/packets.csv: is not there; rdmasim run --trace writes it\n");
    cli_run_done(&r);
}

static const struct test tests[] = {
    TEST(cmd_ladder_a_retry_can_be_followed), TEST(cmd_ladder_ranges_and_ends_can_be_chosen),
    TEST(cmd_ladder_svg_goes_to_its_file), TEST(cmd_ladder_mistakes_are_named), TESTS_END};
const struct suite suite_cmd_ladder = {"cmd_ladder", tests};
