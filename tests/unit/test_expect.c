/* [expect]: relations, tolerances, points, messages. */
#include <glib.h>
#include <string.h>

#include "scenarios/run/expect.h"
#include "tests/suite.h"

static const char table[] = "qp.timeout,workload.depth,seed,x,y\n"
                            "8,1,1,10,\n8,1,2,12,\n8,4,1,20,1\n14,1,1,11,\n14,4,1,21,2\n";

/* Keys that vary together: a value of one tells the others. */
static const char together[] = "qp.timeout,workload.depth,seed,x\n8,1,1,10\n14,2,1,20\n14,4,1,30\n";
static const char *of = table;

static bool parse(const char *text, struct expectation *x, struct sc_error *err)
{
    struct sc_line line = {(char *)"expect", (char *)"name", (char *)text, 42};
    return expect_parse(&line, "demo.ini", x, err);
}

/* All verdicts, one line each. */
static char *judged(const char *text)
{
    char err[300];
    struct sc_error why = {""};
    struct results r;
    struct expectation x;
    struct expect_verdicts v = {0};
    GString *s = g_string_new(NULL);
    CU_ASSERT_TRUE_FATAL(results_from_table(csv_table_parse(of, "results.csv", err, sizeof err),
                                            &r, err, sizeof err));
    CU_ASSERT_TRUE_FATAL(parse(text, &x, &why));
    if (!expect_evaluate(&x, &r, NULL, &v, &why))
        g_string_append(s, why.text);
    for (uint32_t i = 0; i < v.count; i++) {
        char *line = expect_verdict_text(&v.v[i]);
        g_string_append_printf(s, "%s\n", line);
        g_free(line);
    }
    expect_verdicts_clear(&v);
    expect_clear(&x);
    results_clear(&r);
    return g_string_free(s, FALSE);
}

static void judges(const char *text, const char *want)
{
    char *got = judged(text);
    CU_ASSERT_STRING_EQUAL(got, want);
    g_free(got);
}

#define P "x[qp.timeout=14,workload.depth=4]" /* 21 */

static void expect_relations_hold_and_fail_where_they_should(void)
{
    judges(P " = 21", "ok   name: 21 = 21\n");
    judges(P " = 21.000001", "FAIL name: 21 = 21.000001\n");
    judges(P " < 21", "FAIL name: 21 < 21\n");
    judges(P " <= 21", "ok   name: 21 <= 21\n");
    judges(P " > 20.9", "ok   name: 21 > 20.9\n");
    judges(P " >= 21.1", "FAIL name: 21 >= 21.1\n");
}

static void expect_tolerances_are_absolute_or_percent_of_the_right_side(void)
{
    judges(P " ~ 20 +- 1", "ok   name: 21 ~ 20 +- 1\n");
    judges(P " ~ 20 +- 0.9", "FAIL name: 21 ~ 20 +- 0.9\n");
    judges(P " ~ 20 +- 5%", "ok   name: 21 ~ 20 +- 5%\n");
    judges(P " ~ 20 +- 4.9%", "FAIL name: 21 ~ 20 +- 4.9%\n");
    judges(P " = 20 +- 5 %", "ok   name: 21 = 20 +- 5%\n");
    judges(P " <= 20 +- 5%", "ok   name: 21 <= 20 +- 5%\n");
    judges(P " < 20 +- 5%", "FAIL name: 21 < 20 +- 5%\n");
    judges(P " >= 22 +- 1", "ok   name: 21 >= 22 +- 1\n");
}

static void expect_without_selector_looks_at_every_point(void)
{
    judges("x < 21", "ok   name [qp.timeout=8 workload.depth=1]: 11 < 21\n"
                     "ok   name [qp.timeout=8 workload.depth=4]: 20 < 21\n"
                     "ok   name [qp.timeout=14 workload.depth=1]: 11 < 21\n"
                     "FAIL name [qp.timeout=14 workload.depth=4]: 21 < 21\n");
}

/* A key that every column selects makes no further points. */
static void expect_partly_selected_keys_collapse(void)
{
    judges("x[workload.depth=4] = 20 +- 1",
           "ok   name [qp.timeout=8]: 20 = 20 +- 1\nok   name [qp.timeout=14]: 21 = 20 +- 1\n");
}

static void expect_nothing_measured_fails(void)
{
    judges("y[qp.timeout=8,workload.depth=1] >= 0", "FAIL name: (nothing measured) >= 0\n");
}

static void expect_unknown_column_names_file_and_line(void)
{
    judges("z = 1", "demo.ini:42: [expect] name: 'z' is neither a metric nor a swept key");
}

static void refused(const char *text, const char *why)
{
    struct expectation x;
    struct sc_error err = {""};
    char *want = g_strconcat("demo.ini:42: [expect] name: ", text, ": ", why, NULL);
    CU_ASSERT_FALSE(parse(text, &x, &err));
    CU_ASSERT_STRING_EQUAL(err.text, want);
    g_free(want);
}

static void expect_mistakes_name_file_line_and_reason(void)
{
    refused("x", "a relation was expected: one of = < <= > >= ~");
    refused("x ~ 5", "'~' needs a tolerance: +- X or +- X%");
    refused("x = 5 +- -1", "a tolerance is '+- X' or '+- X%', X not negative");
    refused("x = 5 +-", "a tolerance is '+- X' or '+- X%', X not negative");
    refused("x = 5 6", "something stands behind the comparison");
    refused("x = ", "the line ends where a number, a metric or '(' was expected");
    refused("completions [a=1]", "'[a=1]': the name of a file was expected");
    refused("trace t.csv 5 [a]", "']': key=value was expected");
    refused("trace t.csv [a=1] +- 5", "'+- 5': the end of the line was expected");
    refused("trace", "a relation was expected: one of = < <= > >= ~");
}

static void expect_files_are_told_from_comparisons(void)
{
    struct sc_error err = {""};
    struct expectation x;
    CU_ASSERT_TRUE_FATAL(parse("completions  list.csv", &x, &err));
    CU_ASSERT_EQUAL(x.form, EXPECT_COMPLETIONS);
    CU_ASSERT_STRING_EQUAL(x.left->name, "list.csv");
    expect_clear(&x);
    CU_ASSERT_TRUE_FATAL(parse("trace\tt.csv [qp.timeout=8]", &x, &err));
    CU_ASSERT_EQUAL(x.form, EXPECT_TRACE);
    CU_ASSERT_STRING_EQUAL(x.left->name, "t.csv");
    CU_ASSERT_EQUAL(x.left->selects, 1);
    expect_clear(&x);
    CU_ASSERT_TRUE_FATAL(parse("completions_12 = 1", &x, &err));
    CU_ASSERT_EQUAL(x.form, EXPECT_COMPARISON);
    expect_clear(&x);
}

static void expect_selector_that_tells_a_point_alone_is_told_once(void)
{
    of = together;
    judges("x[workload.depth=2] = 20", "ok   name: 20 = 20\n");
    judges("x[workload.depth=2] < x[qp.timeout=8] + 11", "ok   name: 20 < 21\n");
    of = table;
}

static const struct test tests[] = {
    TEST(expect_files_are_told_from_comparisons),
    TEST(expect_relations_hold_and_fail_where_they_should),
    TEST(expect_tolerances_are_absolute_or_percent_of_the_right_side),
    TEST(expect_without_selector_looks_at_every_point),
    TEST(expect_partly_selected_keys_collapse),
    TEST(expect_selector_that_tells_a_point_alone_is_told_once),
    TEST(expect_nothing_measured_fails),
    TEST(expect_unknown_column_names_file_and_line),
    TEST(expect_mistakes_name_file_line_and_reason),
    TESTS_END};
const struct suite suite_expect = {"expect", tests};
