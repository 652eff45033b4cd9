/* Expressions: precedence by value, and what is refused. */
#include <glib.h>
#include <math.h>
#include <string.h>

#include "scenarios/run/expr.h"
#include "tests/suite.h"

/* Value of an expression without columns; what is behind it in *rest. */
static double value(const char *text, const char **rest)
{
    char err[300] = "";
    double v = NAN;
    struct expr_where w = {.rep = -1};
    *rest = text;
    struct expr *e = expr_parse(rest, err, sizeof err);
    CU_ASSERT_PTR_NOT_NULL_FATAL(e);
    CU_ASSERT_TRUE(expr_eval(e, &w, &v, err, sizeof err));
    expr_free(e);
    return v;
}

static void is_worth(const char *text, double want)
{
    const char *rest;
    CU_ASSERT_EQUAL(value(text, &rest), want);
    CU_ASSERT_STRING_EQUAL(rest, "");
}

static void expr_parse_operators_bind_as_in_arithmetic(void)
{
    is_worth("1 + 2 * 3", 7);
    is_worth("(1 + 2) * 3", 9);
    is_worth("10 - 4 - 3", 3);
    is_worth("24 / 4 / 3", 2);
    is_worth("2 ^ 3 ^ 2", 512);
    is_worth("-2 ^ 2", -4);
    is_worth("2 ^ -1", 0.5);
    is_worth("- -3", 3);
    is_worth("1e-3 * 2.5E2", 0.25);
    is_worth("3*-2", -6);
}

static void expr_parse_stops_before_a_relation_or_tolerance(void)
{
    const char *rest;
    CU_ASSERT_EQUAL(value("1 + 1 <= 3", &rest), 2);
    CU_ASSERT_STRING_EQUAL(rest, "<= 3");
    CU_ASSERT_EQUAL(value("5 +- 1%", &rest), 5);
    CU_ASSERT_STRING_EQUAL(rest, "+- 1%");
    CU_ASSERT_EQUAL(value("5 + -1", &rest), 4);
}

static void refused(const char *text, const char *why)
{
    char err[300] = "";
    const char *at = text;
    CU_ASSERT_PTR_NULL(expr_parse(&at, err, sizeof err));
    CU_ASSERT_STRING_EQUAL(err, why);
}

static void expr_parse_mistakes_say_what_was_expected(void)
{
    refused("", "the line ends where a number, a metric or '(' was expected");
    refused("1 + * 2", "'* 2': a number, a metric or '(' was expected");
    refused("(1 + 2", "the line ends where ')' was expected");
    refused("10us", "'10us': a plain number (no unit) was expected");
    refused("1e400", "'1e400': a number below 1.8e308 was expected");
    refused("median(x)", "'median(': the functions are mean, min, max and ref");
    refused("x[qp.timeout]", "']': key=value was expected");
    refused("x[qp.timeout=]", "']': key=value was expected");
    refused("x[a=1", "'1': key=value was expected");
    refused("ref(a.csv,1)", "')': ref(FILE,ROW,COLUMN) was expected");
}

static void expr_parse_deep_nesting_is_refused_not_run(void)
{
    GString *text = g_string_new(NULL);
    char err[4096] = "";
    for (int i = 0; i < 2000; i++)
        g_string_append_c(text, '(');
    const char *at = text->str;
    CU_ASSERT_PTR_NULL(expr_parse(&at, err, sizeof err));
    CU_ASSERT_PTR_NOT_NULL(strstr(err, "less nesting was expected"));
    g_string_free(text, TRUE);
}

static void expr_parse_a_file_may_select_points(void)
{
    char err[300] = "";
    struct expr *e =
        expr_parse_file("a-b/c.csv [qp.mtu=1024, workload.depth = 2] ", err, sizeof err);
    CU_ASSERT_PTR_NOT_NULL_FATAL(e);
    CU_ASSERT_STRING_EQUAL(e->name, "a-b/c.csv");
    CU_ASSERT_EQUAL_FATAL(e->selects, 2);
    CU_ASSERT_STRING_EQUAL(e->select[1].key, "workload.depth");
    CU_ASSERT_STRING_EQUAL(e->select[1].value, "2");
    CU_ASSERT_FALSE(expr_depends(e, NULL, "qp.mtu"));
    CU_ASSERT_TRUE(expr_depends(e, NULL, "qp.timeout"));
    expr_free(e);
    CU_ASSERT_PTR_NULL(expr_parse_file("", err, sizeof err));
    CU_ASSERT_STRING_EQUAL(err, "the line ends where the name of a file was expected");
    CU_ASSERT_PTR_NULL(expr_parse_file("a.csv [a=1", err, sizeof err));
    CU_ASSERT_STRING_EQUAL(err, "'1': key=value was expected");
}

static const struct test tests[] = {TEST(expr_parse_a_file_may_select_points),
                                    TEST(expr_parse_operators_bind_as_in_arithmetic),
                                    TEST(expr_parse_stops_before_a_relation_or_tolerance),
                                    TEST(expr_parse_mistakes_say_what_was_expected),
                                    TEST(expr_parse_deep_nesting_is_refused_not_run),
                                    TESTS_END};
const struct suite suite_expr_parse = {"expr_parse", tests};
