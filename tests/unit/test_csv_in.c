/* CSV in: tables of texts, and what is refused. */
#include <string.h>

#include "scenarios/run/csv_in.h"
#include "tests/suite.h"

static void csv_in_quoted_cells_come_back_whole(void)
{
    char err[300];
    struct csv_table *t =
        csv_table_parse("a,b\n1,\"x, \"\"y\"\"\"\n,2.5\n", "t.csv", err, sizeof err);
    double v = 0;
    CU_ASSERT_PTR_NOT_NULL_FATAL(t);
    CU_ASSERT_EQUAL(t->columns, 2);
    CU_ASSERT_EQUAL(t->rows, 2);
    CU_ASSERT_STRING_EQUAL(csv_table_at(t, 0, 1), "x, \"y\"");
    CU_ASSERT_STRING_EQUAL(csv_table_at(t, 1, 0), "");
    CU_ASSERT_EQUAL(csv_table_find(t, "b"), 1);
    CU_ASSERT_EQUAL(csv_table_find(t, "c"), -1);
    CU_ASSERT_TRUE(csv_table_number(t, 1, 1, &v));
    CU_ASSERT_EQUAL(v, 2.5);
    CU_ASSERT_FALSE(csv_table_number(t, 1, 0, &v));
    CU_ASSERT_FALSE(csv_table_number(t, 0, 1, &v));
    csv_table_free(t);
}

static void refused(const char *text, const char *why)
{
    char err[300] = "";
    CU_ASSERT_PTR_NULL(csv_table_parse(text, "t.csv", err, sizeof err));
    CU_ASSERT_STRING_EQUAL(err, why);
}

static void csv_in_damaged_tables_are_refused_with_the_row(void)
{
    refused("", "t.csv: it is empty; a header row was expected");
    refused("a,b\n1,2\n3\n", "t.csv: row 3 has another number of cells than the header's 2");
    refused("a,b\n1,\"2\n", "t.csv: row 2: a quote is out of place or never closed");
}

static void csv_in_missing_file_is_named(void)
{
    char err[300] = "";
    CU_ASSERT_PTR_NULL(csv_table_read("/nonexistent.csv", err, sizeof err));
    CU_ASSERT_STRING_EQUAL(err, "/nonexistent.csv: cannot be read: No such file or directory");
}

static void csv_in_rows_know_their_lines(void)
{
    char err[300];
    struct csv_table *t =
        csv_table_parse("a,b\n\n1,2\r\n\n\"x\ny\",3\n5,6", "t.csv", err, sizeof err);
    CU_ASSERT_PTR_NOT_NULL_FATAL(t);
    CU_ASSERT_EQUAL_FATAL(t->rows, 3);
    CU_ASSERT_EQUAL(t->line[0], 3);
    CU_ASSERT_EQUAL(t->line[1], 6);
    CU_ASSERT_EQUAL(t->line[2], 7);
    csv_table_free(t);
}

static void csv_in_numbers_compare_by_value(void)
{
    CU_ASSERT_TRUE(text_same("1e-4", "0.0001"));
    CU_ASSERT_TRUE(text_same("rc", "rc"));
    CU_ASSERT_FALSE(text_same("rc", "uc"));
    CU_ASSERT_FALSE(text_same("1", "1x"));
}

static const struct test tests[] = {TEST(csv_in_rows_know_their_lines),
                                    TEST(csv_in_quoted_cells_come_back_whole),
                                    TEST(csv_in_damaged_tables_are_refused_with_the_row),
                                    TEST(csv_in_missing_file_is_named),
                                    TEST(csv_in_numbers_compare_by_value),
                                    TESTS_END};
const struct suite suite_csv_in = {"csv_in", tests};
