/* The command line itself: dispatch, options, hints, exit codes. */
#include <string.h>

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
    struct cli_run r;
    cli_run_begin(&r);
    for (int i = 0; i < 3; i++) {
        CU_ASSERT_EQUAL(cli_run(&r, words[i]), 2);
        CU_ASSERT_PTR_NOT_NULL(strstr(r.err, i < 2 ? "no.ini" : "no-dir/manifest.ini"));
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

static void cli_keys_print_a_group_or_the_man_page(void)
{
    struct cli_run r;
    cli_run_begin(&r);
    CU_ASSERT_EQUAL(cli_run(&r, "keys qp"), 0);
    CU_ASSERT_PTR_NOT_NULL(strstr(r.out, "retry_cnt"));
    CU_ASSERT_PTR_NULL(strstr(r.out, "topology"));
    CU_ASSERT_EQUAL(cli_run(&r, "keys qq"), 2);
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
        ".SH SCENARIO KEYS\n.SS [scenario]\n"};
    const char *at = r.out;
    for (size_t i = 0; at && i < sizeof parts / sizeof parts[0]; i++) {
        at = strstr(at, parts[i]);
        if (!at)
            CU_FAIL(parts[i]);
    }
    cli_run_done(&r);
}

static const struct test tests[] = {TEST(cli_mistyped_words_name_the_nearest),
                                    TEST(cli_wrong_arguments_are_named),
                                    TEST(cli_unknown_override_names_the_nearest_key),
                                    TEST(cli_missing_file_is_exit_2_with_its_name),
                                    TEST(cli_help_and_version_succeed),
                                    TEST(cli_keys_print_a_group_or_the_man_page),
                                    TESTS_END};
const struct suite suite_cli = {"cli", tests};
