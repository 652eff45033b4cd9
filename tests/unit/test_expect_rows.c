/* Files of expected rows: what is compared, the first difference, what is refused. */
#include <glib.h>
#include <string.h>

#include "scenarios/run/expect_rows.h"
#include "tests/suite.h"

#define POLLED "t_us,host,wr_id,status\n1.000000,0,0,0\n2.000000,1,0,0\n2.500000,0,1,12\n"
#define WIRE                                                                                       \
    "t_us,kind,where,psn\n0.000000,state,,\n1.000000,send,h0-s0,7\n1.500000,send,s0-h1,7\n"        \
    "1.700000,arrive,s0-h1,7\n2.000000,send,h10-s0,8\n2.000000,drop,h10-s0,8\n3.000000,drop,s0-"   \
    "h1,9\n"

static struct csv_table *table(const char *text, const char *name)
{
    char err[300];
    struct csv_table *t = csv_table_parse(text, name, err, sizeof err);
    CU_ASSERT_PTR_NOT_NULL_FATAL(t);
    return t;
}

/* difference: NULL where there is none. */
static void compared(const char *want, const char *got, bool trace, const char *difference)
{
    struct csv_table *w = table(want, "want.csv"), *g = table(got, "got.csv");
    char *text = expect_rows_difference(w, g, trace);
    CU_ASSERT_STRING_EQUAL(text ? text : "", difference ? difference : "");
    g_free(text);
    csv_table_free(w);
    csv_table_free(g);
}

static void expect_rows_only_the_named_columns_are_compared(void)
{
    compared(POLLED, POLLED, false, NULL);
    compared("status,host\n0,0\n0,1\n12,0\n", POLLED, false, NULL);
    compared("t_us\n1\n2\n2.5\n", POLLED, false, NULL);
}

static void expect_rows_first_difference_is_named(void)
{
    compared("host,status\n0,0\n0,0\n0,11\n", POLLED, false,
             "want.csv:3: host differs: expected host=0 status=0; found host=1 status=0 "
             "(completions.csv:3)");
    compared("status,wr_id\n0,0\n0,\n12,1\n", POLLED, false,
             "want.csv:3: wr_id differs: expected status=0; found status=0 wr_id=0 "
             "(completions.csv:3)");
}

static void expect_rows_missing_and_extra_rows_are_differences(void)
{
    compared("host\n0\n1\n\n0\n1\n", POLLED, false,
             "want.csv:6: missing: expected host=1; completions.csv has no more rows");
    compared("host\n0\n1\n", POLLED, false,
             "want.csv:4: extra: expected no more rows; found host=0 (completions.csv:4)");
    compared("host\n", POLLED, false,
             "want.csv:2: extra: expected no more rows; found host=0 (completions.csv:2)");
    compared("host\n", "t_us,host\n", false, NULL);
}

static void expect_rows_a_trace_counts_the_kinds_of_the_file(void)
{
    compared("kind,psn\nsend,7\nsend,7\nsend,8\n", WIRE, true, NULL);
    compared("kind,psn\narrive,7\n", WIRE, true, NULL);
    compared("kind,psn\nsend,7\narrive,7\nsend,8\n", WIRE, true,
             "want.csv:3: kind differs: expected kind=arrive psn=7; found kind=send psn=7 "
             "(packets.csv:4)");
    compared("kind,psn\ndrop,8\n", WIRE, true,
             "want.csv:3: extra: expected no more rows; found kind=drop psn=9 (packets.csv:8)");
}

static void expect_rows_without_kinds_are_what_hosts_send_and_lose(void)
{
    compared("where,psn\nh0-s0,7\nh10-s0,8\nh10-s0,8\n", WIRE, true, NULL);
    compared("psn\n7\n8\n", WIRE, true,
             "want.csv:4: extra: expected no more rows; found psn=8 (packets.csv:7)");
}

static void refused(const char *text, bool trace, const char *why)
{
    char err[300] = "";
    CU_ASSERT_PTR_NULL(expect_rows_take(table(text, "want.csv"), trace, err, sizeof err));
    CU_ASSERT_STRING_EQUAL(err, why);
}

static void expect_rows_foreign_tables_are_refused(void)
{
    char err[300] = "";
    refused("t_us,psn\n1,2\n", false, "want.csv: completions.csv has no column 'psn'");
    refused("t_us,queue\n1,2\n", true, "want.csv: packets.csv has no column 'queue'");
    refused("t_us,t_us\n1,2\n", true, "want.csv: column 't_us' is there twice");
    refused("t_us,kind\n", true, "want.csv: it has no row: that is no trace");
    struct csv_table *t = expect_rows_take(table("queue\n", "w.csv"), false, err, sizeof err);
    CU_ASSERT_PTR_NOT_NULL(t);
    csv_table_free(t);
}

static const struct test tests[] = {TEST(expect_rows_only_the_named_columns_are_compared),
                                    TEST(expect_rows_first_difference_is_named),
                                    TEST(expect_rows_missing_and_extra_rows_are_differences),
                                    TEST(expect_rows_a_trace_counts_the_kinds_of_the_file),
                                    TEST(expect_rows_without_kinds_are_what_hosts_send_and_lose),
                                    TEST(expect_rows_foreign_tables_are_refused),
                                    TESTS_END};
const struct suite suite_expect_rows = {"expect_rows", tests};
