/* Distributions of message sizes: the formats, and what is refused. */
#include <glib.h>
#include <string.h>

#include "scenarios/reader/traffic.h"
#include "tests/suite.h"
#include "tests/unit/sctest.h"

#define ONE ((uint64_t)1 << 63)

static void clear(struct load_size *s)
{
    g_free(s->bytes);
    g_free(s->cumulative);
}

static const char *refusal_of(const char *data, size_t len)
{
    static struct sc_error err;
    char seen[TRAFFIC_SEEN_MAX];
    struct load_size s;
    if (!traffic_sizes(sctest_write("x.cdf", data, len), &s, seen, &err))
        return sctest_said(&err);
    clear(&s);
    return "";
}
#define REFUSED(text, message) CU_ASSERT_STRING_EQUAL(refusal_of(text, sizeof(text) - 1), message)

static void traffic_percent_file_is_told_by_its_end(void)
{
    struct load_size s = {0};
    struct sc_error err;
    char seen[TRAFFIC_SEEN_MAX];
    CU_ASSERT_FATAL(traffic_sizes("scenarios/traffic/sample.cdf", &s, seen, &err));
    CU_ASSERT_STRING_EQUAL(seen, "sizes, lines of bytes and cumulative percent, 5 points");
    CU_ASSERT_EQUAL(s.kind, LOAD_SIZE_CDF);
    CU_ASSERT_EQUAL_FATAL(s.count, 5);
    CU_ASSERT_EQUAL(s.bytes[2], 4000);
    CU_ASSERT_EQUAL(s.cumulative[0], 0);
    CU_ASSERT_EQUAL(s.cumulative[1], ONE / 4);
    CU_ASSERT_EQUAL(s.cumulative[2], ONE / 8 * 5);
    CU_ASSERT_EQUAL(s.cumulative[4], ONE);
    clear(&s);
}

static void traffic_fraction_file_keeps_its_steps(void)
{
    struct load_size s = {0};
    struct sc_error err;
    char seen[TRAFFIC_SEEN_MAX];
    CU_ASSERT_FATAL(traffic_sizes("scenarios/traffic/sample-fraction.cdf", &s, seen, &err));
    CU_ASSERT_STRING_EQUAL(seen, "sizes, lines of bytes and cumulative fraction, 4 points");
    CU_ASSERT_EQUAL_FATAL(s.count, 4);
    CU_ASSERT_EQUAL(s.bytes[0], 256);
    CU_ASSERT_EQUAL(s.bytes[1], 256);
    CU_ASSERT_EQUAL(s.cumulative[1], 3689348814741910323u);
    CU_ASSERT_EQUAL(s.cumulative[3], ONE);
    clear(&s);
}

static void traffic_own_tables_all_read(void)
{
    static const struct {
        const char *name;
        uint32_t points;
        uint64_t last;
    } tables[] = {{"websearch", 12, 30000000}, {"hadoop", 461, 10000000},
                  {"alistorage", 9, 2000000},  {"googlerpc", 120, 15158197},
                  {"solar", 8, 262144},        {"cachefollower", 23, 3000000},
                  {"mining", 7, 1000000000}};
    for (size_t i = 0; i < G_N_ELEMENTS(tables); i++) {
        char path[100], seen[TRAFFIC_SEEN_MAX];
        struct load_size s = {0};
        struct sc_error err = {""};
        snprintf(path, sizeof path, "scenarios/traffic/%s.csv", tables[i].name);
        CU_ASSERT_TRUE_FATAL(traffic_sizes(path, &s, seen, &err));
        CU_ASSERT_PTR_NOT_NULL(strstr(seen, "table size_bytes,cumulative"));
        CU_ASSERT_EQUAL(s.count, tables[i].points);
        CU_ASSERT_EQUAL(s.bytes[s.count - 1], tables[i].last);
        CU_ASSERT_EQUAL(s.cumulative[s.count - 1], ONE);
        clear(&s);
    }
}

/* WebSearch: 15 % of the messages up to 10 kB, 0.15 * 2^63 rounded. */
static void traffic_websearch_has_its_figures(void)
{
    struct load_size s = {0};
    struct sc_error err;
    char seen[TRAFFIC_SEEN_MAX];
    CU_ASSERT_FATAL(traffic_sizes("scenarios/traffic/websearch.csv", &s, seen, &err));
    CU_ASSERT_EQUAL(s.bytes[1], 10000);
    CU_ASSERT_EQUAL(s.cumulative[1], 1383505805528216371u);
    clear(&s);
}

static void traffic_first_share_above_0_becomes_a_step(void)
{
    static const char text[] = "size_bytes,cumulative\n\"100\", 0.5\n200,1\n";
    struct load_size s = {0};
    struct sc_error err;
    char seen[TRAFFIC_SEEN_MAX];
    CU_ASSERT_FATAL(traffic_sizes(sctest_write("y", text, sizeof text - 1), &s, seen, &err));
    CU_ASSERT_EQUAL_FATAL(s.count, 3);
    CU_ASSERT_EQUAL(s.bytes[0], 100);
    CU_ASSERT_EQUAL(s.cumulative[0], 0);
    CU_ASSERT_EQUAL(s.bytes[1], 100);
    CU_ASSERT_EQUAL(s.cumulative[1], ONE / 2);
    clear(&s);
}

static void traffic_broken_distribution_is_refused(void)
{
    REFUSED("0 0\n100 50\n200 97\n",
            "x.cdf:3: the last cumulative share is 97; it must be 100 (percent) or 1 (fraction)");
    REFUSED("size_bytes,cumulative\n100,50\n200,100\n",
            "x.cdf:3: the last cumulative share is 100; it must be 1");
    REFUSED("0 0\n100 50\n200 40\n300 100\n",
            "x.cdf:3: the cumulative share 40 is less than the one before");
    REFUSED("0 0\n100 50\n90 60\n300 100\n",
            "x.cdf:3: the size 90 is less than the one before, 100");
    REFUSED("0 0\n0 1\n", "x.cdf:2: the largest size is 0; give at least 1 byte");
    REFUSED("# nothing\n\n", "x.cdf: the file holds no sizes");
    REFUSED("", "x.cdf: the file holds no sizes");
}

static void traffic_damaged_file_names_its_line(void)
{
    char huge[6000];
    memset(huge, '1', sizeof huge);
    REFUSED("size_bytes,cumulative\n100,\"1\n", "x.cdf:2: a quote is out of place or never closed");
    REFUSED("0 0\n100 half\n", "x.cdf:2: the cumulative share 'half' is not a plain number");
    REFUSED("0 0\n100 50%\n", "x.cdf:2: the cumulative share '50%' is not a plain number");
    REFUSED("0 0\nabc 50\n", "x.cdf:2: the size 'abc' is not a number; give a whole number");
    REFUSED("0 0\n3000000000 50\n", "x.cdf:2: the size '3000000000' is over 2147483648");
    REFUSED("0 0\n100\n",
            "x.cdf:2: a line has two fields, a size in bytes and a cumulative share, not 1");
    REFUSED("0 0\n1 2 3\n",
            "x.cdf:2: a line has two fields, a size in bytes and a cumulative share, not 3");
    REFUSED("0 0\n10\0 50\n", "x.cdf:2: the line is not text");
    REFUSED("\x7f"
            "ELF\xff\n",
            "x.cdf:1: the line is not text");
    CU_ASSERT_STRING_EQUAL(refusal_of(huge, sizeof huge),
                           "x.cdf:1: the line is longer than 4096 bytes");
}

static const struct test tests[] = {
    TEST(traffic_percent_file_is_told_by_its_end),
    TEST(traffic_fraction_file_keeps_its_steps),
    TEST(traffic_own_tables_all_read),
    TEST(traffic_websearch_has_its_figures),
    TEST(traffic_first_share_above_0_becomes_a_step),
    TEST(traffic_broken_distribution_is_refused),
    TEST(traffic_damaged_file_names_its_line),
    TESTS_END,
};
const struct suite suite_traffic = {"traffic", tests};
