/* Error messages in a buffer of fixed size. */
#include <string.h>

#include "scenarios/reader/fail.h"
#include "tests/suite.h"

static void fail_parts_join_from_the_inside_out(void)
{
    struct sc_error err;
    CU_ASSERT_FALSE(sc_fail(&err, "'%d' is odd", 3));
    CU_ASSERT_FALSE(sc_fail_at(&err, "f.ini:%d: ", 9));
    CU_ASSERT_STRING_EQUAL(err.text, "f.ini:9: '3' is odd");
}

static void fail_control_characters_do_not_reach_the_terminal(void)
{
    struct sc_error err;
    sc_error_set(&err, "'%s'", "a\x1b[31m\nb\x7f");
    CU_ASSERT_STRING_EQUAL(err.text, "'a?[31m?b?'");
    sc_error_put_before(&err, "%s: ", "x\ty");
    CU_ASSERT_STRING_EQUAL(err.text, "x?y: 'a?[31m?b?'");
}

static void fail_long_messages_are_cut_at_the_end(void)
{
    struct sc_error err;
    char longest[sizeof err.text + 100];
    memset(longest, 'x', sizeof longest);
    longest[sizeof longest - 1] = 0;
    sc_error_set(&err, "%s", longest);
    CU_ASSERT_EQUAL(strlen(err.text), sizeof err.text - 1);
    sc_error_put_before(&err, "front: ");
    CU_ASSERT_EQUAL(strlen(err.text), sizeof err.text - 1);
    CU_ASSERT_EQUAL(strncmp(err.text, "front: xxx", 10), 0);
    sc_error_put_before(&err, "%s", longest);
    CU_ASSERT_EQUAL(strlen(err.text), sizeof err.text - 1);
}

static const struct test tests[] = {
    TEST(fail_parts_join_from_the_inside_out),
    TEST(fail_control_characters_do_not_reach_the_terminal),
    TEST(fail_long_messages_are_cut_at_the_end),
    TESTS_END,
};
const struct suite suite_fail = {"fail", tests};
