/* The points of a sweep. */
#include <glib.h>
#include <string.h>

#include "tests/suite.h"
#include "tests/unit/sctest.h"

static const char base[] = "[qp]\nretry_cnt = 5\n[check]\nscenario.repetitions = 2\n"
                           "[sweep]\nqp.timeout = 8; 14\nfabric.delay = 1us..3us step 1us\n";

/* "a=1 b=2|a=1 b=3": the points' overrides, or the message. */
static const char *plan_of(const char *text, const char *set, bool check)
{
    static char out[4000];
    static struct sc_error err;
    struct sc_override extra = {0};
    struct sc_plan p = {0};
    struct sc_file *f = sctest_load(text, &err);
    bool ok = f && (!set || sc_override_parse(set, &extra, &err)) &&
              sc_plan_make(f, &extra, set ? 1 : 0, check, &p, &err);
    out[0] = 0;
    for (uint32_t i = 0; i < p.points; i++)
        for (uint32_t k = 0; k < p.point[i].sets; k++) {
            const struct sc_override *o = &p.point[i].set[k];
            char *one = g_strdup_printf("%s%s=%s",
                                        k > 0   ? " "
                                        : i > 0 ? "|"
                                                : "",
                                        o->name, o->value);
            g_strlcat(out, one, sizeof out);
            g_free(one);
        }
    if (!ok)
        g_strlcpy(out, sctest_said(&err), sizeof out);
    g_free(extra.name);
    g_free(extra.value);
    sc_plan_clear(&p);
    sc_file_free(f);
    return out;
}

static void plan_is_the_cross_product_first_key_slowest(void)
{
    CU_ASSERT_STRING_EQUAL(
        plan_of(base, NULL, false),
        "qp.timeout=8 fabric.delay=1000000ps|qp.timeout=8 fabric.delay=2000000ps|"
        "qp.timeout=8 fabric.delay=3000000ps|qp.timeout=14 fabric.delay=1000000ps|"
        "qp.timeout=14 fabric.delay=2000000ps|qp.timeout=14 fabric.delay=3000000ps");
}

static void plan_without_sweep_is_one_point(void)
{
    struct sc_error err;
    struct sc_file *f = sctest_load("[qp]\ntimeout = 8\n", &err);
    struct sc_plan p;
    CU_ASSERT_PTR_NOT_NULL_FATAL(f);
    CU_ASSERT_FATAL(sc_plan_make(f, NULL, 0, true, &p, &err));
    CU_ASSERT_EQUAL(p.points, 1);
    CU_ASSERT_EQUAL(p.columns, 0);
    CU_ASSERT_EQUAL(p.point[0].sets, 0);
    sc_plan_clear(&p);
    sc_file_free(f);
}

static void plan_set_on_a_swept_key_fixes_it(void)
{
    CU_ASSERT_STRING_EQUAL(
        plan_of(base, "fabric.delay=5us", false),
        "qp.timeout=8 fabric.delay=5us fabric.delay=5us|qp.timeout=14 fabric.delay=5us "
        "fabric.delay=5us");
}

static void plan_check_adds_its_overrides(void)
{
    CU_ASSERT_STRING_EQUAL(
        plan_of(base, "fabric.delay=5us", true),
        "qp.timeout=8 fabric.delay=5us scenario.repetitions=2 fabric.delay=5us|"
        "qp.timeout=14 fabric.delay=5us scenario.repetitions=2 fabric.delay=5us");
}

static void plan_columns_are_the_swept_keys(void)
{
    struct sc_error err;
    struct sc_file *f = sctest_load("[sweep]\nqp.timeout, qp.retry_cnt = 8, 7; 14, 3\n"
                                    "fabric.delay = 1us; 2us\n",
                                    &err);
    struct sc_plan p;
    CU_ASSERT_PTR_NOT_NULL_FATAL(f);
    CU_ASSERT_FATAL(sc_plan_make(f, NULL, 0, false, &p, &err));
    CU_ASSERT_EQUAL_FATAL(p.columns, 3);
    CU_ASSERT_STRING_EQUAL(p.column[0], "qp.timeout");
    CU_ASSERT_STRING_EQUAL(p.column[1], "qp.retry_cnt");
    CU_ASSERT_STRING_EQUAL(p.column[2], "fabric.delay");
    CU_ASSERT_EQUAL(p.points, 4);
    CU_ASSERT_STRING_EQUAL(p.point[3].set[1].value, "3");
    CU_ASSERT_STRING_EQUAL(p.point[3].set[2].value, "2us");
    sc_plan_clear(&p);
    sc_file_free(f);
}

static void plan_point_that_does_not_resolve_is_named(void)
{
    CU_ASSERT_STRING_EQUAL(
        plan_of("[workload]\ndepth = 20\n[sweep]\nqp.sq_depth = 32; 16\n", NULL, false),
        "t.ini:2: [workload] depth: 20 messages outstanding do not fit a send queue of 16; lower "
        "it "
        "or raise qp.sq_depth (at the point qp.sq_depth=16)");
}

static void plan_mistakes_name_their_line(void)
{
    CU_ASSERT_STRING_EQUAL(
        plan_of("[sweep]\nqp.timeout = 1;2\nqp.timeout, qp.mtu = 1, 256\n", NULL, false),
        "t.ini:3: [sweep] qp.timeout, qp.mtu: qp.timeout is swept on another line "
        "too; sweep it once");
    CU_ASSERT_STRING_EQUAL(plan_of("[sweep]\nscenario.seed = 1..1000 step 1\n"
                                   "qp.sq_psn = 1..1000 step 1\n",
                                   NULL, false),
                           "t.ini: the sweep has more than 100000 points; sweep less");
}

static const struct test tests[] = {
    TEST(plan_is_the_cross_product_first_key_slowest),
    TEST(plan_without_sweep_is_one_point),
    TEST(plan_set_on_a_swept_key_fixes_it),
    TEST(plan_check_adds_its_overrides),
    TEST(plan_columns_are_the_swept_keys),
    TEST(plan_point_that_does_not_resolve_is_named),
    TEST(plan_mistakes_name_their_line),
    TESTS_END,
};
const struct suite suite_plan = {"plan", tests};
