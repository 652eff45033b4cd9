/* hca.faults as text. */
#include "scenarios/reader/fault_text.h"
#include "tests/suite.h"

#include "sim/base/tm.h"

static const char *refusal_of(const char *text)
{
    static struct sc_error err;
    struct xp_faults f;
    return fault_text_parse(text, &f, &err) ? "" : err.text;
}

static void fault_text_reads_codes_and_times(void)
{
    struct xp_faults f;
    struct sc_error err;
    CU_ASSERT_TRUE_FATAL(fault_text_parse("retry 0x81;  lkey 82 0.32ms", &f, &err));
    CU_ASSERT_EQUAL(f.vendor_err[XP_F_RETRY], 129);
    CU_ASSERT_EQUAL(f.delay_ps[XP_F_RETRY], 0);
    CU_ASSERT_EQUAL(f.vendor_err[XP_F_LKEY], 82);
    CU_ASSERT_EQUAL(f.delay_ps[XP_F_LKEY], 320 * TM_US);
    CU_ASSERT_EQUAL(f.vendor_err[XP_F_FLUSH], 0);
    GString *text = g_string_new(NULL);
    fault_text_print(&f, text);
    CU_ASSERT_STRING_EQUAL(text->str, "lkey 0x52 320us; retry 0x81");
    g_string_free(text, TRUE);
}

static void fault_text_none_is_all_zero(void)
{
    struct xp_faults f;
    struct sc_error err;
    CU_ASSERT_TRUE(fault_text_parse("none", &f, &err));
    GString *text = g_string_new(NULL);
    fault_text_print(&f, text);
    CU_ASSERT_STRING_EQUAL(text->str, "none");
    g_string_free(text, TRUE);
}

static void fault_text_refuses_what_it_does_not_know(void)
{
    static const char *const wrong[][2] = {
        {"", "a cause is incomplete or too long; write lkey 0x52 320us"},
        {"lkey", "a cause is incomplete or too long; write lkey 0x52 320us"},
        {"lkey 1 1us 2", "a cause is incomplete or too long; write lkey 0x52 320us"},
        {"lkye 1",
         "'lkye' is not a cause of failed sends; give lkey, sge, local_write, flush, rem_inv_req, "
         "rem_access, retry or rnr_retry"},
        {"lkey 1; lkey 2", "'lkey' stands twice; give each cause once"},
        {"lkey 0", "'0' is not a vendor's code; give 1 to 255 or 0x01 to 0xff"},
        {"lkey 256", "'256' is not a vendor's code; give 1 to 255 or 0x01 to 0xff"},
        {"lkey 0x", "'0x' is not a vendor's code; give 1 to 255 or 0x01 to 0xff"},
        {"lkey -1", "'-1' is not a vendor's code; give 1 to 255 or 0x01 to 0xff"},
        {"lkey 1 5", "'5' has no unit; give a time of at most 1s such as 320us"},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(wrong); i++)
        CU_ASSERT_STRING_EQUAL(refusal_of(wrong[i][0]), wrong[i][1]);
}

static const struct test tests[] = {TEST(fault_text_reads_codes_and_times),
                                    TEST(fault_text_none_is_all_zero),
                                    TEST(fault_text_refuses_what_it_does_not_know), TESTS_END};
const struct suite suite_fault_text = {"fault_text", tests};
