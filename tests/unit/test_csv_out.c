/* CSV out: the bytes, and that a failure leaves no partial file. */
#include <glib.h>
#include <stdlib.h>
#include <string.h>

#include "scenarios/run/csv_out.h"
#include "tests/suite.h"
#include "tests/unit/cli_run.h"

static char *path_in(const struct cli_run *r, const char *name)
{
    return g_build_filename(r->dir, name, NULL);
}

static void csv_out_rows_are_quoted_only_where_needed(void)
{
    static const char *const row[] = {"plain",       "",       "with, comma",
                                      "a \"quote\"", " space", "two\nlines"};
    struct cli_run r;
    struct csv_out c;
    char err[300];
    cli_run_begin(&r);
    char *path = path_in(&r, "t.csv");
    CU_ASSERT_TRUE_FATAL(csv_out_open(&c, path, err, sizeof err));
    csv_out_row(&c, row, 6);
    csv_out_u64(&c, UINT64_MAX);
    csv_out_end_row(&c);
    CU_ASSERT_TRUE(csv_out_commit(&c, err, sizeof err));
    char *text = cli_run_read(&r, "t.csv");
    CU_ASSERT_STRING_EQUAL(text,
                           "plain,,\"with, comma\",\"a \"\"quote\"\"\",\" space\",\"two\nlines\"\n"
                           "18446744073709551615\n");
    CU_ASSERT_FALSE(cli_run_exists(&r, "t.csv.part"));
    g_free(text);
    g_free(path);
    cli_run_done(&r);
}

static void csv_out_dropped_leaves_the_old_file(void)
{
    struct cli_run r;
    struct csv_out c;
    char err[300];
    cli_run_begin(&r);
    cli_run_write(&r, "t.csv", "old\n");
    char *path = path_in(&r, "t.csv");
    CU_ASSERT_TRUE_FATAL(csv_out_open(&c, path, err, sizeof err));
    csv_out_text(&c, "new");
    csv_out_drop(&c);
    char *text = cli_run_read(&r, "t.csv");
    CU_ASSERT_STRING_EQUAL(text, "old\n");
    CU_ASSERT_FALSE(cli_run_exists(&r, "t.csv.part"));
    g_free(text);
    g_free(path);
    cli_run_done(&r);
}

static void csv_out_full_device_is_an_error_that_names_it(void)
{
    struct csv_out c;
    char err[300] = "";
    CU_ASSERT_TRUE_FATAL(csv_out_open(&c, "/dev/full", err, sizeof err));
    csv_out_text(&c, "x");
    csv_out_end_row(&c);
    CU_ASSERT_FALSE(csv_out_commit(&c, err, sizeof err));
    CU_ASSERT_STRING_EQUAL(err, "/dev/full: cannot be written: No space left on device");
}

static void csv_out_unwritable_folder_is_an_error_that_names_the_file(void)
{
    struct csv_out c;
    char err[300] = "";
    CU_ASSERT_FALSE(csv_out_open(&c, "/nonexistent/t.csv", err, sizeof err));
    CU_ASSERT_STRING_EQUAL(err, "/nonexistent/t.csv: cannot be written: No such file or directory");
}

static const struct test tests[] = {
    TEST(csv_out_rows_are_quoted_only_where_needed), TEST(csv_out_dropped_leaves_the_old_file),
    TEST(csv_out_full_device_is_an_error_that_names_it),
    TEST(csv_out_unwritable_folder_is_an_error_that_names_the_file), TESTS_END};
const struct suite suite_csv_out = {"csv_out", tests};
