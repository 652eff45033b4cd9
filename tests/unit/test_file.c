/* Loading a file: groups, keys, single lines; and what sc_lines hands out. */
#include <glib.h>
#include <string.h>

#include "scenarios/reader/file.h"
#include "tests/suite.h"
#include "tests/unit/sctest.h"

static const char *refusal_of(const char *text)
{
    static struct sc_error err;
    struct sc_file *f = sctest_load(text, &err);
    sc_file_free(f);
    return f ? "" : sctest_said(&err);
}
#define REFUSED(text, message) CU_ASSERT_STRING_EQUAL(refusal_of(text), message)

static void file_lines_of_a_family_come_together(void)
{
    struct sc_error err;
    const struct sc_line *l;
    struct sc_file *f =
        sctest_load("[plot a]\nx = qp.timeout\n[expect]\none = goodput_gbps > 1\n"
                    "[plot b]\ny = iops\n[plot a]\ny = acks\n[expect]\ntwo = 1 = 1\n"
                    "[expect full]\nthree = 2 = 2\n",
                    &err);
    CU_ASSERT_PTR_NOT_NULL_FATAL(f);
    CU_ASSERT_EQUAL_FATAL(sc_lines(f, "plot", &l), 3);
    CU_ASSERT_STRING_EQUAL(l[0].group, "plot a");
    CU_ASSERT_STRING_EQUAL(l[0].key, "x");
    CU_ASSERT_STRING_EQUAL(l[0].value, "qp.timeout");
    CU_ASSERT_EQUAL(l[0].line, 2);
    CU_ASSERT_STRING_EQUAL(l[1].group, "plot a");
    CU_ASSERT_STRING_EQUAL(l[1].value, "acks");
    CU_ASSERT_STRING_EQUAL(l[2].group, "plot b");
    CU_ASSERT_EQUAL_FATAL(sc_lines(f, "plot b", &l), 1);
    CU_ASSERT_STRING_EQUAL(l[0].value, "iops");
    CU_ASSERT_EQUAL_FATAL(sc_lines(f, "expect", &l), 3);
    CU_ASSERT_STRING_EQUAL(l[0].value, "goodput_gbps > 1");
    CU_ASSERT_STRING_EQUAL(l[1].value, "1 = 1");
    CU_ASSERT_EQUAL_FATAL(sc_lines(f, "expect full", &l), 1);
    CU_ASSERT_STRING_EQUAL(l[0].value, "2 = 2");
    CU_ASSERT_EQUAL(sc_lines(f, "check", &l), 0);
    CU_ASSERT_EQUAL(sc_lines(f, "plo", &l), 0);
    CU_ASSERT_PTR_NOT_NULL(strstr(sc_file_path(f), "/t.ini"));
    sc_file_free(f);
}

static void file_unknown_names_get_a_suggestion(void)
{
    REFUSED("[fabic]\n", "t.ini:1: a scenario has no group [fabic]; did you mean [fabric]?");
    REFUSED("[weather]\n",
            "t.ini:1: a scenario has no group [weather]; `rdmasim keys` lists those there are");
    REFUSED("[qp]\ntimeuot = 3\n",
            "t.ini:2: [qp] timeuot: there is no such key; did you mean 'timeout'?");
    REFUSED("[qp]\nack_coalesce = on\n",
            "t.ini:2: [qp] ack_coalesce: there is no such key in [qp]; it belongs to [hca]");
    REFUSED("[qp]\ncolour = on\n",
            "t.ini:2: [qp] colour: there is no such key; `rdmasim keys qp` lists those there are");
    REFUSED(
        "[check]\nqp.timeuot = 3\n",
        "t.ini:2: [check] qp.timeuot: there is no key 'qp.timeuot'; did you mean 'qp.timeout'?");
    REFUSED("[check]\ncolour = 3\n", "t.ini:2: [check] colour: 'colour' is not a key; write "
                                     "group.key, such as qp.timeout");
    REFUSED(
        "[check]\nqp.colour_of_it = 3\n",
        "t.ini:2: [check] qp.colour_of_it: there is no key 'qp.colour_of_it'; `rdmasim keys` lists "
        "those there are");
}

static void file_bad_values_stand_at_their_line(void)
{
    REFUSED("[hca]\n\n# comment\nack_coalesce = maybe\n",
            "t.ini:4: [hca] ack_coalesce: 'maybe' is neither on nor off; give on or off");
    REFUSED("[check]\nhca.ack_coalesce = maybe\n",
            "t.ini:2: [check] hca.ack_coalesce: 'maybe' is neither on nor off; give on or off");
    REFUSED("[sweep]\nhca.ack_coalesce = on; maybe\n",
            "t.ini:2: [sweep] hca.ack_coalesce: 'maybe' is neither on nor off; give on or off");
}

static void file_plots_are_checked(void)
{
    REFUSED("[plot]\nx = a\n", "t.ini:1: a plot needs a name; write [plot goodput]");
    REFUSED("[plot a]\nkind = pie\n", "t.ini:2: [plot a] kind: 'pie' is not one of the choices; "
                                      "give lines, points, bars or steps");
    REFUSED("[plot a]\nxlabel = a\n",
            "t.ini:2: [plot a] xlabel: a plot has no such key; did you mean 'x_label'?");
    REFUSED("[plot a]\nbackground = a\n",
            "t.ini:2: [plot a] background: a plot has no such key; `rdmasim keys plot` lists those "
            "there are");
    REFUSED("[plot a]\nscale_y = log\nerror = minmax\nfile = buckets\nreference = x\n", "");
}

static void file_that_is_none_is_refused(void)
{
    struct sc_error err;
    REFUSED("", "t.ini: the file holds no keys");
    REFUSED("[qp]\n", "t.ini: the file holds no keys");
    CU_ASSERT_PTR_NULL(sc_file_load("/nonexistent/x.ini", &err));
    CU_ASSERT_STRING_EQUAL(err.text,
                           "/nonexistent/x.ini: cannot be read: No such file or directory");
    CU_ASSERT_PTR_NULL(sc_file_load("/", &err));
    CU_ASSERT_STRING_EQUAL(err.text, "/: cannot be read: Is a directory");
    CU_ASSERT_PTR_NULL(sc_file_load("/dev/null/x.ini", &err));
    CU_ASSERT_STRING_EQUAL(err.text, "/dev/null/x.ini: cannot be read: Not a directory");
}

static void file_profiles_hold_only_adapters(void)
{
    static const char scenario_in_profile[] = "[fabric]\nhosts = 3\n";
    static const char named[] = "[qp]\npreset = x\n";
    struct sc_error err;
    CU_ASSERT_PTR_NULL(
        file_load(sctest_write("p.ini", scenario_in_profile, sizeof scenario_in_profile - 1),
                  FILE_PROFILE, &err));
    CU_ASSERT_STRING_EQUAL(sctest_said(&err), "p.ini:1: a profile has no group [fabric]; `rdmasim "
                                              "keys` lists those there are");
    CU_ASSERT_PTR_NULL(
        file_load(sctest_write("p.ini", named, sizeof named - 1), FILE_PRESET, &err));
    CU_ASSERT_STRING_EQUAL(sctest_said(&err), "p.ini:2: [qp] preset: only a scenario may name one");
}

static const struct test tests[] = {
    TEST(file_lines_of_a_family_come_together),
    TEST(file_unknown_names_get_a_suggestion),
    TEST(file_bad_values_stand_at_their_line),
    TEST(file_plots_are_checked),
    TEST(file_that_is_none_is_refused),
    TEST(file_profiles_hold_only_adapters),
    TESTS_END,
};
const struct suite suite_file = {"file", tests};
