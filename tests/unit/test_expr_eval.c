/* Values of expressions at points of a small table: two swept keys, two repetitions. */
#include <math.h>
#include <string.h>

#include "scenarios/run/expr.h"
#include "tests/suite.h"

static const char table[] = "qp.timeout,workload.size,seed,goodput_gbps,fail_time_max_us\n"
                            "8,4096,1,90,\n8,4096,2,94,\n"
                            "8,65536,1,96,5\n8,65536,2,98,\n"
                            "14,4096,1,40,7\n14,4096,2,60,9\n"
                            "14,65536,1,10,1\n14,65536,2,30,1\n";

/* Keys that vary together: not every pair of values is there. */
static const char together[] = "hca.profile,workload.qps,seed,iops\nspec,1,1,5\nspec,2,1,6\nrxe,4,1,7\nrxe,2,1,8\n";
static const char *of = table;

static void load(struct results *r)
{
    char err[300];
    CU_ASSERT_TRUE_FATAL(results_from_table(csv_table_parse(of, "results.csv", err, sizeof err),
                                            r, err, sizeof err));
    CU_ASSERT_EQUAL_FATAL(r->points, 4);
}

static bool eval(const char *text, uint32_t point, int rep, double *v, char *err, uint32_t err_size)
{
    struct results r;
    load(&r);
    struct expr_where w = {.results = &r, .point = point, .rep = rep};
    struct expr *e = expr_parse(&text, err, err_size);
    CU_ASSERT_PTR_NOT_NULL_FATAL(e);
    bool ok = expr_eval(e, &w, v, err, err_size);
    expr_free(e);
    results_clear(&r);
    return ok;
}

static double at(const char *text, uint32_t point)
{
    char err[300] = "";
    double v = -1;
    CU_ASSERT_TRUE(eval(text, point, -1, &v, err, sizeof err));
    return v;
}

static void expr_eval_metric_is_the_mean_over_repetitions(void)
{
    CU_ASSERT_EQUAL(at("goodput_gbps", 0), 92);
    CU_ASSERT_EQUAL(at("min(goodput_gbps)", 2), 40);
    CU_ASSERT_EQUAL(at("max(goodput_gbps)", 2), 60);
    CU_ASSERT_EQUAL(at("max(goodput_gbps) - min(goodput_gbps)", 2), 20);
    CU_ASSERT_EQUAL(at("mean(goodput_gbps)", 2), 50);
}

/* mean(a / b) is not mean(a) / mean(b): the argument is taken per repetition. */
static void expr_eval_functions_take_their_argument_per_repetition(void)
{
    CU_ASSERT_EQUAL(at("mean(goodput_gbps / fail_time_max_us)", 3), 20);
    CU_ASSERT_EQUAL(at("max(goodput_gbps * fail_time_max_us)", 2), 540);
}

/* Infinity is above every bound; an expectation must not hold by it. */
static void expr_eval_overflow_is_no_value(void)
{
    CU_ASSERT_TRUE(isnan(at("goodput_gbps * 1e300 * 1e300", 0)));
    CU_ASSERT_TRUE(isnan(at("0 - goodput_gbps * 1e300 * 1e300", 0)));
    CU_ASSERT_TRUE(isnan(at("1 / 0", 0)));
}

static void expr_eval_single_repetition_takes_its_row(void)
{
    char err[300] = "";
    double v = -1;
    CU_ASSERT_TRUE(eval("goodput_gbps", 3, 1, &v, err, sizeof err));
    CU_ASSERT_EQUAL(v, 30);
}

static void expr_eval_selectors_replace_keys_of_the_point_at_hand(void)
{
    CU_ASSERT_EQUAL(at("goodput_gbps[qp.timeout=14]", 0), 50);
    CU_ASSERT_EQUAL(at("goodput_gbps[qp.timeout=14]", 1), 20);
    CU_ASSERT_EQUAL(at("goodput_gbps[qp.timeout=14,workload.size=64KiB]", 0), 20);
    CU_ASSERT_EQUAL(at("goodput_gbps / goodput_gbps[workload.size=65536B]", 2), 2.5);
    CU_ASSERT_EQUAL(at("qp.timeout * 2", 3), 28);
}

static void expr_eval_empty_cells_make_no_value(void)
{
    CU_ASSERT_TRUE(isnan(at("fail_time_max_us", 0)));
    CU_ASSERT_TRUE(isnan(at("fail_time_max_us + 1", 1)));
    CU_ASSERT_TRUE(isnan(at("max(fail_time_max_us)", 1)));
    CU_ASSERT_TRUE(isnan(at("1 / 0", 0)));
}

static void refused(const char *text, const char *why)
{
    char err[600] = "";
    double v;
    CU_ASSERT_FALSE(eval(text, 0, -1, &v, err, sizeof err));
    if (!strstr(err, why))
        CU_FAIL("another message");
}

static void expr_eval_unknown_names_and_points_are_mistakes(void)
{
    refused("goodput", "'goodput' is neither a metric nor a swept key");
    refused("goodput_gbps[qp.mtu=1024]", "qp.mtu is not swept here");
    refused("goodput_gbps[qp.timeout=9]",
            "goodput_gbps[qp.timeout=9]: no such point among the results");
    refused("goodput_gbps[workload.size=4]", "goodput_gbps[workload.size=4]:");
}

static void expr_eval_dependence_ends_where_all_columns_select(void)
{
    const char *some = "goodput_gbps[qp.timeout=8] + goodput_gbps",
               *all = "goodput_gbps[qp.timeout=8] + 1";
    char err[300];
    struct results r;
    load(&r);
    struct expr *e = expr_parse(&some, err, sizeof err);
    CU_ASSERT_TRUE(expr_depends(e, &r, "qp.timeout"));
    expr_free(e);
    e = expr_parse(&all, err, sizeof err);
    CU_ASSERT_FALSE(expr_depends(e, &r, "qp.timeout"));
    CU_ASSERT_TRUE(expr_depends(e, &r, "workload.size"));
    expr_free(e);
    results_clear(&r);
}

/* From a point without one beside it that has the value, the only one that has it is meant. */
static void expr_eval_selector_finds_the_only_point_that_has_it(void)
{
    char err[300] = "";
    double v;
    of = together;
    CU_ASSERT_EQUAL(at("iops[workload.qps=4]", 0), 7);
    CU_ASSERT_EQUAL(at("iops[workload.qps=2]", 0), 6); /* beside it */
    CU_ASSERT_EQUAL(at("iops[workload.qps=2]", 2), 8);
    CU_ASSERT_EQUAL(at("iops[hca.profile=spec,workload.qps=1]", 3), 5);
    CU_ASSERT_FALSE(eval("iops[hca.profile=spec]", 2, -1, &v, err, sizeof err));
    CU_ASSERT_STRING_EQUAL(err, "iops[hca.profile=spec]: 2 points have this; select by more keys");
    of = table;
}

static const struct test tests[] = {TEST(expr_eval_selector_finds_the_only_point_that_has_it),
                                    TEST(expr_eval_metric_is_the_mean_over_repetitions),
                                    TEST(expr_eval_overflow_is_no_value),
                                    TEST(expr_eval_functions_take_their_argument_per_repetition),
                                    TEST(expr_eval_single_repetition_takes_its_row),
                                    TEST(expr_eval_selectors_replace_keys_of_the_point_at_hand),
                                    TEST(expr_eval_empty_cells_make_no_value),
                                    TEST(expr_eval_unknown_names_and_points_are_mistakes),
                                    TEST(expr_eval_dependence_ends_where_all_columns_select),
                                    TESTS_END};
const struct suite suite_expr_eval = {"expr_eval", tests};
