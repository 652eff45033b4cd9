/* The command line itself: dispatch, options, hints, exit codes. */
#include <glib.h>
#include <stdio.h>
#include <string.h>

#include "scenarios/run/metrics.h"
#include "tests/suite.h"
#include "tests/unit/cli_run.h"

/* The words are refused: exit 2, exactly this on stderr, nothing on stdout. */
static void refused(const char *words, const char *message)
{
    struct cli_run r;
    cli_run_begin(&r);
    CU_ASSERT_EQUAL(cli_run(&r, words), 2);
    CU_ASSERT_STRING_EQUAL(r.err, message);
    CU_ASSERT_STRING_EQUAL(r.out, "");
    cli_run_done(&r);
}

static void cli_mistyped_words_name_the_nearest(void)
{
    refused("swep x.ini", "rdmasim: unknown command 'swep'; did you mean 'sweep'?; rdmasim help "
                          "lists the commands\n");
    refused("frobnicate",
            "rdmasim: unknown command 'frobnicate'; rdmasim help lists the commands\n");
    refused("sweep x.ini --resum", "rdmasim sweep: unknown option --resum: did you mean --resume?; "
                                   "see rdmasim sweep --help\n");
    refused("help swep", "rdmasim: unknown command 'swep'; did you mean 'sweep'?; rdmasim help "
                         "lists the commands\n");
}

static void cli_wrong_arguments_are_named(void)
{
    refused("run", "rdmasim run: an argument is missing: FILE; see rdmasim run --help\n");
    refused("run a.ini b.ini",
            "rdmasim run: one argument too many: b.ini; see rdmasim run --help\n");
    refused("sweep a.ini --jobs",
            "rdmasim sweep: a value is missing behind --jobs; see rdmasim sweep --help\n");
    refused("sweep a.ini --jobs 0", "rdmasim sweep: a number from 1 to 100000 was expected behind "
                                    "--jobs; see rdmasim sweep --help\n");
    refused("sweep a.ini --jobs=2x", "rdmasim sweep: a number from 1 to 100000 was expected behind "
                                     "--jobs; see rdmasim sweep --help\n");
    refused("run a.ini --seed -1",
            "rdmasim run: a whole number was expected behind --seed; see rdmasim run --help\n");
    refused("run a.ini --trace=yes",
            "rdmasim run: no value belongs to --trace; see rdmasim run --help\n");
}

static void cli_unknown_override_names_the_nearest_key(void)
{
    struct cli_run r;
    cli_run_begin(&r);
    CU_ASSERT_EQUAL(cli_run(&r, "run a.ini --set qp.timeut=3"), 2);
    CU_ASSERT_PTR_NOT_NULL(strstr(r.err, "timeout"));
    cli_run_done(&r);
}

static void cli_missing_file_is_exit_2_with_its_name(void)
{
    static const char *const words[] = {"run no.ini", "sweep no.ini", "plot no-dir"};
    static const char *const said[] = {
        "rdmasim run: no.ini: cannot be read: No such file or directory\n",
        "rdmasim sweep: no.ini: cannot be read: No such file or directory\n",
        "rdmasim plot: no-dir/manifest.ini: cannot be read: No such file or directory\n"};
    struct cli_run r;
    cli_run_begin(&r);
    for (int i = 0; i < 3; i++) {
        CU_ASSERT_EQUAL(cli_run(&r, words[i]), 2);
        CU_ASSERT_STRING_EQUAL(r.err, said[i]);
    }
    CU_ASSERT_FALSE(cli_run_exists(&r, "out"));
    cli_run_done(&r);
}

static void cli_help_and_version_succeed(void)
{
    struct cli_run r;
    cli_run_begin(&r);
    CU_ASSERT_EQUAL(cli_run(&r, "help"), 0);
    CU_ASSERT_PTR_NOT_NULL(strstr(r.out, "rdmasim sweep FILE"));
    CU_ASSERT_EQUAL(cli_run(&r, "sweep --help"), 0);
    CU_ASSERT_PTR_NOT_NULL(strstr(r.out, "--resume"));
    CU_ASSERT_EQUAL(cli_run(&r, "help check"), 0);
    CU_ASSERT_PTR_NOT_NULL(strstr(r.out, "--junit FILE"));
    CU_ASSERT_EQUAL(cli_run(&r, "--version"), 0);
    CU_ASSERT_STRING_EQUAL(r.out, "rdmasim " RDMASIM_VERSION "\n");
    CU_ASSERT_STRING_EQUAL(r.err, "");
    cli_run_done(&r);
}

/* What the last command printed, where it is more than r->out holds; g_free. */
static char *whole_output(const struct cli_run *r) { return cli_run_read(r, ".stdout"); }

static void cli_keys_print_a_group_or_the_man_page(void)
{
    struct cli_run r;
    cli_run_begin(&r);
    CU_ASSERT_EQUAL(cli_run(&r, "keys qp"), 0);
    CU_ASSERT_PTR_NOT_NULL(strstr(r.out, "retry_cnt"));
    CU_ASSERT_PTR_NULL(strstr(r.out, "topology"));
    CU_ASSERT_EQUAL(cli_run(&r, "keys qq"), 2);
    CU_ASSERT_STRING_EQUAL(r.err,
                           "rdmasim keys: there is no group or key 'qq'; did you mean 'qp'?\n");
    CU_ASSERT_EQUAL(cli_run(&r, "keys --man"), 0);
    CU_ASSERT_EQUAL(strncmp(r.out, ".TH RDMASIM 1 ", 14), 0);
    static const char *const parts[] = {
        ".SH NAME\nrdmasim \\- ",
        ".SH SYNOPSIS\n",
        ".SH DESCRIPTION\n",
        ".SH COMMANDS\n",
        ".SH OPTIONS\n.SS rdmasim run\n.nf\n  \\-\\-set group.key=value ",
        ".SS rdmasim sweep\n",
        ".SS rdmasim bench\n",
        ".SH EXIT STATUS\n",
        ".SH FILES\n",
        ".SH ENVIRONMENT\n.TP\n.B RDMASIM_PATH\n",
        ".SH SCENARIO KEYS\n.SS [scenario]\n",
        ".SH METRICS\nColumns of results.csv and names in EXPR of [expect] and [plot].\n.TP\n"
        ".B messages_posted\nmessages whose work request was posted\n.TP\n",
        "\n.TP\n.B packets_retransmitted\nrequest packets whose PSN had been sent before\n",
        "\n.TP\n.B completions_13\ncompletions with status 13, RNR retries exceeded\n"};
    char *page = whole_output(&r);
    const char *at = page;
    for (size_t i = 0; at && i < sizeof parts / sizeof parts[0]; i++) {
        at = strstr(at, parts[i]);
        if (!at)
            CU_FAIL(parts[i]);
    }
    g_free(page);
    cli_run_done(&r);
}

static void cli_keys_metrics_print_the_table_of_metrics(void)
{
    static const char head[] = "Columns of results.csv and names in EXPR of [expect] and [plot].\n"
                               "  messages_posted        messages whose work request was posted\n";
    struct cli_run r;
    cli_run_begin(&r);
    CU_ASSERT_EQUAL(cli_run(&r, "keys metrics"), 0);
    CU_ASSERT_EQUAL(strncmp(r.out, head, strlen(head)), 0);
    CU_ASSERT_PTR_NOT_NULL(strstr(
        r.out,
        "\n  completion_p99_us      99th percentile of time from post to successful "
        "completion (of an\n"
        "                         unacknowledged send: to its last packet's hand-over to the "
        "wire), us\n"));
    for (uint32_t i = 0; i < metric_count; i++) {
        char name[64];
        snprintf(name, sizeof name, "\n  %-21s  ", metric_table[i].name);
        if (!strstr(r.out, name))
            CU_FAIL(metric_table[i].name);
    }
    for (const char *line = r.out; *line; line += strcspn(line, "\n") + 1)
        CU_ASSERT_TRUE(strcspn(line, "\n") <= 98);
    CU_ASSERT_PTR_NULL(strstr(r.out, " \n"));
    cli_run_done(&r);
}

static void cli_keys_end_with_the_way_to_the_metrics(void)
{
    static const char tail[] =
        "\n\nThe metrics, for [expect] and [plot]: `rdmasim keys metrics`.\n";
    struct cli_run r;
    cli_run_begin(&r);
    CU_ASSERT_EQUAL(cli_run(&r, "keys"), 0);
    char *keys = whole_output(&r);
    CU_ASSERT_TRUE(g_str_has_suffix(keys, tail));
    g_free(keys);
    CU_ASSERT_EQUAL(cli_run(&r, "keys qp.timeout"), 0);
    CU_ASSERT_EQUAL(strncmp(r.out, "[qp]\n  timeout  ", 16), 0);
    CU_ASSERT_PTR_NULL(strstr(r.out, "rdmasim keys metrics"));
    cli_run_done(&r);
}

static const struct test tests[] = {TEST(cli_mistyped_words_name_the_nearest),
                                    TEST(cli_wrong_arguments_are_named),
                                    TEST(cli_unknown_override_names_the_nearest_key),
                                    TEST(cli_missing_file_is_exit_2_with_its_name),
                                    TEST(cli_help_and_version_succeed),
                                    TEST(cli_keys_print_a_group_or_the_man_page),
                                    TEST(cli_keys_metrics_print_the_table_of_metrics),
                                    TEST(cli_keys_end_with_the_way_to_the_metrics),
                                    TESTS_END};
const struct suite suite_cli = {"cli", tests};
