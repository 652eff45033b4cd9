/* One line of [sweep], and the plan that several of them make. */
#include <glib.h>
#include <string.h>

#include "scenarios/reader/sweep.h"
#include "tests/suite.h"
#include "tests/unit/sctest.h"

static const char *refusal_of(const char *name, const char *text)
{
    static struct sc_error err;
    struct sweep_axis a;
    if (!sweep_axis_parse(name, text, &a, &err))
        return err.text;
    sweep_axis_clear(&a);
    return "";
}

static void sweep_list_keeps_its_texts(void)
{
    struct sweep_axis a;
    struct sc_error err;
    CU_ASSERT_FATAL(sweep_axis_parse("workload.size", "4KiB, 64KiB ; websearch;1MB;", &a, &err));
    CU_ASSERT_EQUAL(a.keys, 1);
    CU_ASSERT_EQUAL_FATAL(a.values, 3);
    CU_ASSERT_STRING_EQUAL(a.value[0], "4KiB, 64KiB");
    CU_ASSERT_STRING_EQUAL(a.value[1], "websearch");
    CU_ASSERT_STRING_EQUAL(a.value[2], "1MB");
    sweep_axis_clear(&a);
}

static void sweep_keys_that_vary_together_pair_up(void)
{
    struct sweep_axis a;
    struct sc_error err;
    CU_ASSERT_FATAL(sweep_axis_parse("qp.timeout, qp.retry_cnt", "8, 7; 14,3", &a, &err));
    CU_ASSERT_EQUAL_FATAL(a.keys, 2);
    CU_ASSERT_EQUAL_FATAL(a.values, 2);
    CU_ASSERT_STRING_EQUAL(a.key[1], "qp.retry_cnt");
    CU_ASSERT_STRING_EQUAL(a.value[1], "7");
    CU_ASSERT_STRING_EQUAL(a.value[2], "14");
    sweep_axis_clear(&a);
}

static void sweep_mistake_says_what_to_write(void)
{
    CU_ASSERT_STRING_EQUAL(
        refusal_of("qp.timeout, qp.retry_cnt", "8; 7"),
        "'8' is not one value for each of the 2 keys; write k1, k2 = a, x; b, y");
    CU_ASSERT_STRING_EQUAL(refusal_of("qp.timeout, qp.timeout", "8, 7"),
                           "qp.timeout stands twice on the left; name each key once");
    CU_ASSERT_STRING_EQUAL(refusal_of("qp.timeout, qp.retry_cnt", "1..3 step 1"),
                           "keys that vary together take no range; write k1, k2 = a, x; b, y");
    CU_ASSERT_STRING_EQUAL(refusal_of("qp.timeout", "8;;9"),
                           "the list '8;;9' has an empty value; write a; b; c");
    CU_ASSERT_STRING_EQUAL(refusal_of("fabric.delay", "1us; 2us; 1000ns"),
                           "the value '1000ns' comes twice; list it once");
    CU_ASSERT_STRING_EQUAL(refusal_of("qp.timeout, qp.retry_cnt", "8,7; 8,6; 8,7"),
                           "the value '8' comes twice; list it once");
    CU_ASSERT_STRING_EQUAL(refusal_of("qp.timeuot", "8"),
                           "there is no key 'qp.timeuot'; did you mean 'qp.timeout'?");
    CU_ASSERT_STRING_EQUAL(refusal_of("timeout", "8"),
                           "'timeout' lacks its group; write qp.timeout");
    CU_ASSERT_STRING_EQUAL(refusal_of("qp.mtu", "1024; 1000"),
                           "'1000' is not one of the choices; give 256, 512, 1024, 2048 or 4096");
}

static const struct test tests[] = {
    TEST(sweep_list_keeps_its_texts),
    TEST(sweep_keys_that_vary_together_pair_up),
    TEST(sweep_mistake_says_what_to_write),
    TESTS_END,
};
const struct suite suite_sweep = {"sweep", tests};
