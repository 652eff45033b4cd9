/* Hosts, links and times of [inject] lines, word by word. */
#include "scenarios/reader/inject_words.h"
#include "tests/suite.h"
#include "tests/unit/edges.h"

static struct topo_edge edges[] = {EDGE(0, 6), EDGE(1, 6), EDGE(2, 6), EDGE(3, 7),
                                   EDGE(4, 7), EDGE(5, 7), EDGE(6, 7)};
static const struct topo two_switches = {6, 2, 7, edges};
static const struct inject_env dumbbell = {&two_switches, 6, 0, true};

static void inject_words_split_at_any_blanks(void)
{
    struct words w = words_split("  drop \t a=b ", &dumbbell);
    CU_ASSERT_EQUAL(w.count, 2);
    CU_ASSERT_STRING_EQUAL(words_peek(&w), "drop");
    CU_ASSERT_STRING_EQUAL(words_next(&w), "drop");
    CU_ASSERT_STRING_EQUAL(words_next(&w), "a=b");
    CU_ASSERT_PTR_NULL(words_next(&w));
    CU_ASSERT_PTR_NULL(words_peek(&w));
    words_clear(&w);
}

static void inject_words_spans_may_stay_open(void)
{
    struct sc_error err;
    struct window w;
    CU_ASSERT_TRUE(word_span("1us..3us", &w, &err));
    CU_ASSERT_EQUAL(w.from_ps, TM_US);
    CU_ASSERT_EQUAL(w.until_ps, 3 * TM_US);
    CU_ASSERT_EQUAL(w.every_ps, 0);
    CU_ASSERT_TRUE(word_span("0..", &w, &err));
    CU_ASSERT_EQUAL(w.from_ps, 0);
    CU_ASSERT_EQUAL(w.until_ps, TM_NEVER);
    CU_ASSERT_FALSE(word_span("3us..3us", &w, &err));
    CU_ASSERT_FALSE(word_span("..3us", &w, &err));
    CU_ASSERT_FALSE(word_time("8640000s", &w.from_ps, &err));
}

/* Every pair of nodes of a dumbbell of 6: hosts 0-2 at switch 6, hosts 3-5 at switch 7. */
static void inject_words_links_are_those_of_the_topology(void)
{
    for (int a = 0; a < 9; a++) {
        for (int b = 0; b < 9; b++) {
            char text[16];
            struct inject_match m;
            struct sc_error err;
            int low = a < b ? a : b, high = a < b ? b : a;
            bool is_link = (low < 3 && high == 6) || (low >= 3 && low < 6 && high == 7) ||
                           (low == 6 && high == 7);
            snprintf(text, sizeof text, "%d-%d", a, b);
            CU_ASSERT_EQUAL(word_link(&dumbbell, text, &m, &err), is_link);
        }
    }
}

static void inject_words_seen_are_remembered(void)
{
    struct words w = words_split("", &dumbbell);
    struct inject_rule r = {0};
    struct sc_error err;
    r.match.from = INJECT_ANY;
    CU_ASSERT_FALSE(words_seen(&w, "from"));
    CU_ASSERT_TRUE(word_take(&w, USE_MATCH, "from", "h5", &r, &err));
    CU_ASSERT_TRUE(words_seen(&w, "from"));
    CU_ASSERT_EQUAL(r.match.from, 5);
    CU_ASSERT_FALSE(word_take(&w, USE_MATCH, "from", "4", &r, &err));
    CU_ASSERT_FALSE(word_take(&w, USE_MATCH, "ecn", "1", &r, &err));
    CU_ASSERT_TRUE(word_take(&w, USE_FIELD, "ecn", "1", &r, &err));
    words_clear(&w);
}

static const struct test tests[] = {
    TEST(inject_words_split_at_any_blanks),
    TEST(inject_words_spans_may_stay_open),
    TEST(inject_words_links_are_those_of_the_topology),
    TEST(inject_words_seen_are_remembered),
    TESTS_END,
};
const struct suite suite_inject_words = {"inject_words", tests};
