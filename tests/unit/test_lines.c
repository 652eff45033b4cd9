/* Text files of other people, line by line. */
#include <glib.h>
#include <string.h>

#include "scenarios/reader/lines.h"
#include "tests/suite.h"
#include "tests/unit/sctest.h"

static void lines_skip_blanks_and_comments_but_count_them(void)
{
    static const char data[] = "# head\n\n  one two \r\n#\nlast";
    struct text t;
    struct sc_error err;
    bool bad;
    CU_ASSERT_TRUE_FATAL(text_open(&t, sctest_write("l", data, sizeof data - 1), &err));
    CU_ASSERT_STRING_EQUAL(text_next(&t, &bad, &err), "one two");
    CU_ASSERT_EQUAL(t.line, 3);
    CU_ASSERT_STRING_EQUAL(text_next(&t, &bad, &err), "last");
    CU_ASSERT_EQUAL(t.line, 5);
    CU_ASSERT_PTR_NULL(text_next(&t, &bad, &err));
    CU_ASSERT_FALSE(bad);
    text_close(&t);
}

static void lines_split_at_blanks(void)
{
    char line[] = " 1\t22  333 ";
    char many[] = "1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18";
    char empty[] = "  ";
    char *field[TEXT_FIELDS_MAX];
    CU_ASSERT_EQUAL_FATAL(text_split(line, field), 3);
    CU_ASSERT_STRING_EQUAL(field[0], "1");
    CU_ASSERT_STRING_EQUAL(field[2], "333");
    CU_ASSERT_EQUAL(text_split(many, field), TEXT_FIELDS_MAX + 1);
    CU_ASSERT_EQUAL(text_split(empty, field), 0);
}

static void lines_split_at_commas_understands_quotes(void)
{
    char *field[TEXT_FIELDS_MAX];
    char *store;
    CU_ASSERT_EQUAL_FATAL(text_split_csv("1, \"a, b\" ,,x", field, &store), 4);
    CU_ASSERT_STRING_EQUAL(field[0], "1");
    CU_ASSERT_STRING_EQUAL(field[1], "a, b");
    CU_ASSERT_STRING_EQUAL(field[2], "");
    CU_ASSERT_STRING_EQUAL(field[3], "x");
    g_free(store);
    CU_ASSERT_EQUAL(text_split_csv(",,,,,,,,,,,,,,,,,,", field, &store), TEXT_FIELDS_MAX + 1);
    g_free(store);
}

static void lines_of_a_missing_file_are_an_error(void)
{
    struct text t;
    struct sc_error err;
    CU_ASSERT_FALSE(text_open(&t, "/nonexistent/file", &err));
    CU_ASSERT_PTR_NOT_NULL(strstr(err.text, "/nonexistent/file"));
}

static const struct test tests[] = {
    TEST(lines_skip_blanks_and_comments_but_count_them),
    TEST(lines_split_at_blanks),
    TEST(lines_split_at_commas_understands_quotes),
    TEST(lines_of_a_missing_file_are_an_error),
    TESTS_END,
};
const struct suite suite_lines = {"lines", tests};
