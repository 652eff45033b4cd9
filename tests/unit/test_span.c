/* Ranges of values: lo..hi step S, lo..hi log N. */
#include "scenarios/reader/span.h"
#include "tests/suite.h"

/* The values with blanks between, or the message. */
static const char *values_of(const char *dotted, const char *text)
{
    static char out[2000];
    struct sc_error err;
    GPtrArray *got = g_ptr_array_new_with_free_func(g_free);
    bool ok = span_values(key_find_dotted(dotted), text, got, &err);
    out[0] = 0;
    for (guint i = 0; ok && i < got->len; i++) {
        g_strlcat(out, i == 0 ? "" : " ", sizeof out);
        g_strlcat(out, g_ptr_array_index(got, i), sizeof out);
    }
    g_ptr_array_free(got, TRUE);
    if (!ok)
        g_strlcpy(out, err.text, sizeof out);
    return out;
}

#define VALUES(dotted, text, want) CU_ASSERT_STRING_EQUAL(values_of(dotted, text), want)

static void span_step_includes_the_end_it_reaches(void)
{
    VALUES("qp.timeout", "8..14 step 3", "8 11 14");
    VALUES("qp.timeout", "8..13 step 3", "8 11");
    VALUES("qp.timeout", "8..8 step 3", "8");
    VALUES("fabric.delay", "1us..2us step 500ns", "1000000ps 1500000ps 2000000ps");
    VALUES("fabric.rate", "10Gbps..30Gbps step 10Gbps",
           "10000000000bps 20000000000bps 30000000000bps");
    VALUES("fabric.loss.rate", "0..1% step 0.5%", "0 0.005 0.01");
    VALUES("workload.size", "1KiB..3KiB step 1KiB", "1024B 2048B 3072B");
}

static void span_log_hits_round_values_exactly(void)
{
    VALUES("fabric.loss.rate", "1e-5..1e-2 log 4", "0.00001 0.0001 0.001 0.01");
    VALUES("fabric.loss.rate", "0.001..0.01 log 3", "0.001 0.00316228 0.01");
    VALUES("fabric.delay", "1us..1ms log 4", "1000000ps 10000000ps 100000000ps 1000000000ps");
    VALUES("workload.size", "1KiB..64KiB log 7", "1024B 2048B 4096B 8192B 16384B 32768B 65536B");
    VALUES("workload.depth", "1..1000 log 4", "1 10 100 1000");
    VALUES("workload.depth", "5..5 log 2",
           "2 points give the same whole number twice; ask for fewer");
}

static void span_log_of_large_numbers_stays_exact(void)
{
    for (uint32_t i = 0; i <= 62; i++)
        CU_ASSERT_EQUAL(span_log_point(1, (uint64_t)1 << 62, i, 63), (uint64_t)1 << i);
    CU_ASSERT_EQUAL(span_log_point(1, 1000000000000000u, 5, 16), 100000);
    CU_ASSERT_EQUAL(span_log_point(1, 1000000000000000u, 14, 16), 100000000000000u);
    CU_ASSERT_EQUAL(span_log_point(3, 3 * 7 * 7, 1, 3), 21);
    CU_ASSERT_EQUAL(span_log_point(1, UINT64_MAX, 1, 2), UINT64_MAX);
}

static void span_mistake_says_what_to_write(void)
{
    VALUES("qp.timeout", "1..9",
           "the range '1..9' says neither step nor log; write lo..hi step S or lo..hi log N");
    VALUES("qp.timeout", "9..1 step 1",
           "the range runs from '9' down to '1'; give the smaller first");
    VALUES("qp.timeout", "1..9 step 0", "a step of 0 gets nowhere; give a larger one");
    VALUES("qp.timeout", "1..9 log 1",
           "'1' points cannot be laid; give a whole number from 2 to 10000");
    VALUES("qp.timeout", "0..9 log 3", "a logarithmic range cannot begin at 0; begin higher");
    VALUES("workload.depth", "1..9 log 20",
           "20 points give the same whole number twice; ask for fewer");
    VALUES("scenario.seed", "1..100000 step 1",
           "the range has more than 10000 values; give a larger step");
    VALUES("fabric.delay", "1..9us step 1us",
           "'1' has no unit; give a time from 0 to 10s, such as 1us (units: ps, ns, us, ms, s)");
    VALUES("workload.op", "send..write step 1",
           "workload.op takes no range; list its values with ; between");
}

static void span_is_told_from_names(void)
{
    CU_ASSERT_TRUE(span_is("1us..2us step 1us"));
    CU_ASSERT_TRUE(span_is("1..9"));
    CU_ASSERT_FALSE(span_is("websearch"));
    CU_ASSERT_FALSE(span_is("../flows.txt"));
    CU_ASSERT_FALSE(span_is("1; 2; 3"));
}

static const struct test tests[] = {
    TEST(span_step_includes_the_end_it_reaches),
    TEST(span_log_hits_round_values_exactly),
    TEST(span_log_of_large_numbers_stays_exact),
    TEST(span_mistake_says_what_to_write),
    TEST(span_is_told_from_names),
    TESTS_END,
};
const struct suite suite_span = {"span", tests};
