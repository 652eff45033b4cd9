/* Where profiles, presets and traffic files are found. */
#include <glib.h>
#include <stdio.h>
#include <string.h>

#include "scenarios/reader/file.h"
#include "tests/suite.h"
#include "tests/unit/sctest.h"

static const char *const endings[] = {"", ".csv", ".cdf", NULL};
static const struct lookup traffic = {"traffic", "traffic file", endings};

/* What `name` is found as, seen from a scenario of the tests' own folder; or the message. */
static const char *found(const char *name)
{
    static struct sc_error err;
    struct sc_file *f = sctest_load("[qp]\ntimeout = 3\n", &err);
    char *path = f ? lookup_find(f, &traffic, name, &err) : NULL;
    if (path)
        g_strlcpy(err.text, path, sizeof err.text);
    g_free(path);
    sc_file_free(f);
    return sctest_said(&err);
}

static void lookup_tries_endings_in_their_order(void)
{
    CU_ASSERT_STRING_EQUAL(found("websearch"), "scenarios/traffic/websearch.csv");
    CU_ASSERT_STRING_EQUAL(found("websearch.csv"), "scenarios/traffic/websearch.csv");
    CU_ASSERT_STRING_EQUAL(found("sample"), "scenarios/traffic/sample.cdf");
}

static void lookup_beside_the_scenario_comes_first(void)
{
    sctest_write("websearch.csv", "1 1\n", 4);
    CU_ASSERT_STRING_EQUAL(found("websearch"), "websearch.csv");
    remove(sctest_write("websearch.csv", "", 0));
    CU_ASSERT_STRING_EQUAL(found("websearch"), "scenarios/traffic/websearch.csv");
}

static void lookup_takes_whole_paths(void)
{
    char *path = g_strdup(sctest_write("whole.csv", "1 1\n", 4));
    CU_ASSERT_STRING_EQUAL(found(path), "whole.csv");
    g_free(path);
}

static void lookup_of_a_missing_name_suggests_one(void)
{
    CU_ASSERT_STRING_EQUAL(found("hadop"),
                           "there is no traffic file 'hadop' beside the scenario, in "
                           "$RDMASIM_PATH or in the folder traffic; did you mean "
                           "'hadoop'?");
    CU_ASSERT_STRING_EQUAL(found("nothing-like-it"),
                           "there is no traffic file 'nothing-like-it' beside the scenario, in "
                           "$RDMASIM_PATH or in the folder traffic");
}

static void lookup_share_folder_is_the_folder_itself(void)
{
    CU_ASSERT_STRING_EQUAL_FATAL(found("hadoop"), "scenarios/traffic/hadoop.csv");
    char *folder = sc_share_folder("traffic");
    CU_ASSERT_PTR_NOT_NULL_FATAL(folder);
    CU_ASSERT_STRING_EQUAL(folder, "scenarios/traffic");
    g_free(folder);
    CU_ASSERT_PTR_NULL(sc_share_folder("no-such-folder"));
}

static const struct test tests[] = {
    TEST(lookup_tries_endings_in_their_order),
    TEST(lookup_beside_the_scenario_comes_first),
    TEST(lookup_takes_whole_paths),
    TEST(lookup_of_a_missing_name_suggests_one),
    TEST(lookup_share_folder_is_the_folder_itself),
    TESTS_END,
};
const struct suite suite_lookup = {"lookup", tests};
