/* Names of fates; faults as text and back. */
#include "models/explore/fate.h"
#include "tests/unit/rig.h"

static void fate_names_are_parsed_back(void)
{
    static const char *const name[] = {"drop",    "corrupt", "dup",       "dup-late",
                                       "reorder", "delay",   "delay-late"};
    static const enum fate_kind kind[] = {FAULT_DROP,    FAULT_CORRUPT, FAULT_DUP,  FAULT_DUP,
                                          FAULT_REORDER, FAULT_DELAY,   FAULT_DELAY};
    enum fate f = FATE_NONE;
    for (int i = 0; i < FATES - 1; i++) {
        CU_ASSERT_TRUE(fate_parse(name[i], &f));
        TEXT_IS(fate_name(f), name[i]);
        INT_IS(fate_kind(f), kind[i]);
    }
    CU_ASSERT_FALSE(fate_parse("none", &f));
    CU_ASSERT_FALSE(fate_parse("drops", &f));
    INT_IS(fate_kind(FATE_NONE), 0);
}

static void fault_is_text_and_back(void)
{
    static const struct fault fault = {1, 0, FATE_DELAY_LATE, 11};
    struct fault back;
    char text[40];
    INT_IS(fault_text(&fault, text, sizeof text), 17);
    TEXT_IS(text, "b2a 12 delay-late");
    CU_ASSERT_TRUE(fault_parse("  b2a  12 delay-late ", &back));
    INT_IS(back.from, 1);
    INT_IS(back.to, 0);
    INT_IS(back.fate, FATE_DELAY_LATE);
    INT_IS(back.nth, 11);
    INT_IS(fault_text(&fault, text, 17), 0);
}

static void fault_that_is_none_is_refused(void)
{
    static const char *const text[] = {"",           "a2b",          "a2b 0 drop",  "a2a 1 drop",
                                       "a2b 1 lose", "a2b 1 drop x", "a2b -1 drop", "a2bb 1 drop"};
    struct fault f;
    for (size_t i = 0; i < sizeof text / sizeof text[0]; i++)
        ROW_INT(text[i], fault_parse(text[i], &f), 0);
}

static const struct test tests[] = {TEST(fate_names_are_parsed_back), TEST(fault_is_text_and_back),
                                    TEST(fault_that_is_none_is_refused), TESTS_END};
const struct suite suite_fate = {"fate", tests};
