/* Reference files: rows by number, text or value; what is missing is named. */
#include <glib.h>
#include <string.h>

#include "scenarios/run/ref_file.h"
#include "tests/suite.h"
#include "tests/unit/cli_run.h"

static void ref_file_rows_are_found_by_name_value_and_number(void)
{
    char err[300] = "";
    double v = 0;
    struct csv_table *t =
        csv_table_parse("loss,rc,uc\n1e-4,97,98\nhigh,1.5,2\n", "ref.csv", err, sizeof err);
    CU_ASSERT_PTR_NOT_NULL_FATAL(t);
    CU_ASSERT_TRUE(ref_file_number(t, "0.0001", "uc", &v, err, sizeof err));
    CU_ASSERT_EQUAL(v, 98);
    CU_ASSERT_TRUE(ref_file_number(t, "high", "rc", &v, err, sizeof err));
    CU_ASSERT_EQUAL(v, 1.5);
    CU_ASSERT_TRUE(ref_file_number(t, "#2", "uc", &v, err, sizeof err));
    CU_ASSERT_EQUAL(v, 2);
    CU_ASSERT_FALSE(ref_file_number(t, "#3", "uc", &v, err, sizeof err));
    CU_ASSERT_STRING_EQUAL(err, "ref.csv: no row '#3'");
    CU_ASSERT_FALSE(ref_file_number(t, "high", "ud", &v, err, sizeof err));
    CU_ASSERT_STRING_EQUAL(err, "ref.csv: no column 'ud'");
    CU_ASSERT_FALSE(ref_file_number(t, "high", "loss", &v, err, sizeof err));
    CU_ASSERT_STRING_EQUAL(err, "ref.csv: row 'high', column 'loss' is no number");
    csv_table_free(t);
}

static void ref_file_lies_beside_the_scenario_or_in_the_path(void)
{
    struct cli_run r;
    cli_run_begin(&r);
    cli_run_write(&r, "demo.ini",
                  "[scenario]\n[expect]\na = messages_posted = ref(here.csv,#1,n)\n");
    cli_run_write(&r, "reference/here.csv", "n\n64\n");
    CU_ASSERT_EQUAL(cli_run(&r, "check demo.ini"), 1);
    CU_ASSERT_PTR_NOT_NULL(strstr(r.out, " = 64\n"));
    cli_run_write(&r, "demo.ini",
                  "[scenario]\n[expect]\na = messages_posted = ref(gone.csv,#1,n)\n");
    CU_ASSERT_EQUAL(cli_run(&r, "check demo.ini"), 2);
    CU_ASSERT_PTR_NOT_NULL(
        strstr(r.out, "demo.ini:3: [expect] a: there is no reference file 'gone.csv'"));
    cli_run_done(&r);
}

static const struct test tests[] = {TEST(ref_file_rows_are_found_by_name_value_and_number),
                                    TEST(ref_file_lies_beside_the_scenario_or_in_the_path),
                                    TESTS_END};
const struct suite suite_ref_file = {"ref_file", tests};
