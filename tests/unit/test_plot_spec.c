/* [plot NAME]: all keys, and every kind of mistake. */
#include <string.h>

#include "scenarios/run/plot_spec.h"
#include "tests/suite.h"

#define LINES_MAX 20

/* "key=value|key=value" as the lines of [plot p] from line 10 on. */
static bool parse(const char *text, struct plot_spec *out, struct sc_error *err)
{
    static char copy[1000], group[] = "plot p";
    struct sc_line line[LINES_MAX];
    uint32_t n = 0;
    snprintf(copy, sizeof copy, "%s", text);
    for (char *key = strtok(copy, "|"); key && n < LINES_MAX; key = strtok(NULL, "|"), n++) {
        char *equals = strchr(key, '=');
        *equals = 0;
        line[n] = (struct sc_line){group, key, equals + 1, 10 + (int)n};
    }
    return plot_spec_parse(line, n, "demo.ini", out, err);
}

static void plot_spec_all_keys_are_taken(void)
{
    struct plot_spec s;
    struct sc_error err = {""};
    CU_ASSERT_TRUE_FATAL(
        parse("x=workload.depth|y=goodput_gbps; goodput_gbps / 2|series=qp.service, qp.timeout|"
              "where=qp.mtu=1024, fabric.hosts=4|kind=points|scale_x=log|scale_y=log|"
              "error=none|file=buckets|title=T|subtitle=S|x_label=X|y_label=Y|y_min=0.5|"
              "y_max=1e3|names=A; B|reference=limit: 100 - x; half: 50",
              &s, &err));
    CU_ASSERT_STRING_EQUAL(s.name, "p");
    CU_ASSERT_EQUAL(s.y_count, 2);
    CU_ASSERT_STRING_EQUAL(s.y[1].label, "goodput_gbps / 2");
    CU_ASSERT_EQUAL(s.y[1].expr->kind, EXPR_DIVIDE);
    CU_ASSERT_STRING_EQUAL(s.series[1], "qp.timeout");
    CU_ASSERT_EQUAL(s.wheres, 2);
    CU_ASSERT_STRING_EQUAL(s.where[1].key, "fabric.hosts");
    CU_ASSERT_STRING_EQUAL(s.where[1].value, "4");
    CU_ASSERT_EQUAL(s.kind, PLOT_POINTS);
    CU_ASSERT_TRUE(s.x_log && s.y_log && s.no_errors && s.buckets && s.has_y_min && s.has_y_max);
    CU_ASSERT_EQUAL(s.y_max, 1000);
    CU_ASSERT_STRING_EQUAL(s.names[1], "B");
    CU_ASSERT_EQUAL(s.reference_count, 2);
    CU_ASSERT_STRING_EQUAL(s.reference[0].label, "limit");
    plot_spec_clear(&s);
}

static void refused(const char *text, const char *why)
{
    struct plot_spec s;
    struct sc_error err = {""};
    CU_ASSERT_FALSE(parse(text, &s, &err));
    CU_ASSERT_STRING_EQUAL(err.text, why);
}

static void plot_spec_mistakes_name_line_key_and_choice(void)
{
    refused("x=a|yy=b", "demo.ini:11: [plot p] yy: unknown key; did you mean 'y'?");
    refused("x=a|kind=pie",
            "demo.ini:11: [plot p] kind: 'pie': one of lines, points, bars, steps was expected");
    refused("x=a|y=b|scale_y=ln",
            "demo.ini:12: [plot p] scale_y: 'ln': one of linear, log was expected");
    refused("x=a|y=b +",
            "demo.ini:11: [plot p] y: the line ends where a number, a metric or '(' was expected");
    refused("x=a b", "demo.ini:10: [plot p] x: 'b': the expression should have ended here");
    refused("x=a|y=b|y_min=low", "demo.ini:12: [plot p] y_min: a plain number was expected");
    refused("x=a|y=b|where=c",
            "demo.ini:12: [plot p] where: key=value was expected, several separated by ','");
    refused("x=a|y=b|reference=limit: ", "demo.ini:12: [plot p] reference: the line ends where a "
                                         "number, a metric or '(' was expected");
    refused("x=a", "demo.ini:10: [plot p]: both x and y are needed");
}

static const struct test tests[] = {TEST(plot_spec_all_keys_are_taken),
                                    TEST(plot_spec_mistakes_name_line_key_and_choice), TESTS_END};
const struct suite suite_plot_spec = {"plot_spec", tests};
