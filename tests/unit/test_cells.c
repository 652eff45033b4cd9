/* The text of every key and the place it comes from. */
#include <glib.h>
#include <string.h>

#include "scenarios/reader/resolve.h"
#include "tests/suite.h"
#include "tests/unit/sctest.h"

/* "TEXT from PLACE, given" of a key. */
static const char *cell_of(const char *text, const struct sc_override *ov, uint32_t n,
                           const char *dotted)
{
    static struct sc_error err;
    struct sc_file *f = sctest_load(text, &err);
    struct cell *c = f ? cells_make(f, ov, n, &err) : NULL;
    if (c) {
        const struct cell *one = &c[key_index(key_find_dotted(dotted))];
        sc_error_set(&err, "%s from %s%s", one->text, one->place, one->given ? ", given" : "");
    }
    cells_free(c);
    sc_file_free(f);
    return sctest_said(&err);
}

static void cells_tell_where_a_text_comes_from(void)
{
    char name[] = "qp.timeout", value[] = "5";
    struct sc_override ov = {name, value, "t.ini:7: [sweep]"};
    static const char text[] = "[qp]\npreset = ucx\nmtu = 256\n";
    CU_ASSERT_STRING_EQUAL(cell_of(text, NULL, 0, "qp.mtu"), "256 from t.ini:3: [qp] mtu, given");
    CU_ASSERT_STRING_EQUAL(cell_of(text, NULL, 0, "qp.timeout"),
                           "18 from scenarios/presets/ucx.ini:5: [qp] timeout");
    CU_ASSERT_STRING_EQUAL(cell_of(text, NULL, 0, "qp.sq_psn"),
                           "0 from t.ini: [qp] sq_psn (default)");
    CU_ASSERT_STRING_EQUAL(cell_of(text, &ov, 1, "qp.timeout"),
                           "5 from t.ini:7: [sweep] qp.timeout, given");
}

static void cells_follow_an_overridden_preset(void)
{
    char name[] = "qp.preset", value[] = "nccl";
    struct sc_override ov = {name, value, "--set"};
    CU_ASSERT_STRING_EQUAL(cell_of("[qp]\npreset = ucx\n", &ov, 1, "qp.timeout"),
                           "20 from scenarios/presets/nccl.ini:5: [qp] timeout");
}

static void cells_of_an_unknown_override_are_refused(void)
{
    char name[] = "qp.tiemout", value[] = "5";
    struct sc_override ov = {name, value, "--set"};
    CU_ASSERT_STRING_EQUAL(cell_of("[qp]\nmtu = 256\n", &ov, 1, "qp.timeout"),
                           "--set: there is no key 'qp.tiemout'; did you mean 'qp.timeout'?");
}

static const struct test tests[] = {
    TEST(cells_tell_where_a_text_comes_from),
    TEST(cells_follow_an_overridden_preset),
    TEST(cells_of_an_unknown_override_are_refused),
    TESTS_END,
};
const struct suite suite_cells = {"cells", tests};
