/*
 * Replays can fail: a recorded time that the timers cannot keep, a profile that is another, a field
 * that is spoilt.  Captures are found by what is in them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/golden/runs.h"
#include "tests/golden/setup.h"
#include "tests/golden/spoil.h"
#include "tests/suite.h"

#define LONG_WAIT (50 * TM_MS)

/*
 * The first packet that side a sent a second time because a timer went off: long after all that it
 * sent and got before.  0: none.
 */
static uint32_t after_timer(const struct capture *c)
{
    for (uint32_t i = 1; i < c->packets; i++) {
        tm_ps before = tm_max(c->packet[i - 1].at,
                              c->packet[i - 1].out == TM_NEVER ? 0 : c->packet[i - 1].out);
        if (c->packet[i].from == SIDE_A && c->packet[i].at - before > LONG_WAIT &&
            c->packet[i].col[COL_PSN_REL] <= 0 && c->steps == 1)
            return i;
    }
    return 0;
}

/* The first capture with the property; the caller frees it. */
static struct capture *find(uint32_t (*property)(const struct capture *c))
{
    struct trouble why;
    char **names = golden_names(GOLDEN_FOLDER), path[2048];
    struct capture *found = NULL;
    for (char **n = names; n && *n && !found; n++) {
        snprintf(path, sizeof path, "%s/%s", GOLDEN_FOLDER, *n);
        struct capture *c = capture_read(path, &why);
        if (c && c->wire_stable && property(c))
            found = c;
        else
            capture_free(c);
    }
    golden_names_free(names);
    return found;
}

/* Everything from packet `first` on, and all completions, come so much later. */
static void move(struct capture *c, uint32_t first, tm_ps by)
{
    for (uint32_t i = first; i < c->packets; i++) {
        c->packet[i].at += by;
        c->packet[i].out += c->packet[i].out == TM_NEVER ? 0 : by;
    }
    for (uint32_t i = 0; i < c->completions; i++)
        c->completion[i].at += by;
}

static void golden_replay_timers_keep_the_recorded_time(void)
{
    struct trouble why;
    struct xp_profile profile;
    struct capture *c = find(after_timer);
    CU_ASSERT_PTR_NOT_NULL_FATAL(c);
    CU_ASSERT_TRUE_FATAL(golden_profile(NULL, &profile, &why));
    uint32_t i = after_timer(c);
    CU_ASSERT_EQUAL(run_alone(c, SIDE_A, &profile, &why), PASSED);
    move(c, i, 60 * TM_MS);
    CU_ASSERT_EQUAL(run_alone(c, SIDE_A, &profile, &why), FAILED);
    move(c, i, -60 * TM_MS - 45 * TM_MS);
    CU_ASSERT_EQUAL(run_alone(c, SIDE_A, &profile, &why), FAILED);
    move(c, i, 45 * TM_MS);
    CU_ASSERT_EQUAL(run_alone(c, SIDE_A, &profile, &why), PASSED);
    capture_free(c);
}

static void golden_replay_another_profile_is_noticed(void)
{
    struct trouble why;
    struct xp_profile profile;
    struct capture *c = find(after_timer);
    CU_ASSERT_PTR_NOT_NULL_FATAL(c);
    CU_ASSERT_TRUE_FATAL(golden_profile(NULL, &profile, &why));
    profile.migrated = !profile.migrated;
    CU_ASSERT_EQUAL(run_together(c, &profile, &why), FAILED);
    CU_ASSERT_EQUAL(run_alone(c, SIDE_A, &profile, &why), FAILED);
    CU_ASSERT_EQUAL(run_alone(c, SIDE_B, &profile, &why), FAILED);
    CU_ASSERT_TRUE(run_rejects(c, &profile));
    capture_free(c);
}

static void golden_replay_a_service_not_offered_is_skipped(void)
{
    struct trouble why;
    struct xp_profile profile = xp_profile_spec();
    struct capture *c = find(after_timer);
    CU_ASSERT_PTR_NOT_NULL_FATAL(c);
    strcpy(c->service, "xx");
    CU_ASSERT_EQUAL(run_capture(c, &profile, &why), SKIPPED);
    CU_ASSERT_STRING_EQUAL(why.text, "the core has no service xx");
    capture_free(c);
}

static void golden_replay_every_field_can_be_spoilt_and_mended(void)
{
    struct rng_stream draw = rng_stream(1, RNG_RUN, 0, 0);
    struct capture *c = find(after_timer);
    CU_ASSERT_PTR_NOT_NULL_FATAL(c);
    uint32_t fields = spoil_fields(c), changed = 0, mended = 0;
    CU_ASSERT_TRUE(fields > 50);
    for (uint32_t n = 0; n < fields; n++) {
        struct spoilt s = spoil(c, n, &draw);
        changed += (s.number ? *s.number : *s.letter) != s.was;
        spoil_undo(&s);
        mended += (s.number ? *s.number : *s.letter) == s.was;
    }
    CU_ASSERT_EQUAL(changed, fields);
    CU_ASSERT_EQUAL(mended, fields);
    capture_free(c);
}

static void golden_replay_a_folder_without_a_case_is_an_error(void)
{
    struct trouble why = {""};
    CU_ASSERT_PTR_NULL(capture_read("tests/golden", &why));
    CU_ASSERT_STRING_EQUAL(why.text, "tests/golden/case.json: cannot be read");
}

static void golden_replay_names_of_the_recorder_are_known(void)
{
    int64_t v;
    char text[40];
    CU_ASSERT_TRUE(opcode_of_name("RC_READ_REQ", &v) && v == 0x0c);
    CU_ASSERT_TRUE(opcode_of_name("RC_ACK", &v) && v == 0x11);
    CU_ASSERT_TRUE(opcode_of_name("UC_SEND_ONLY", &v) && v == 0x24);
    CU_ASSERT_TRUE(opcode_of_name("0x1f", &v) && v == 0x1f);
    CU_ASSERT_TRUE(opcode_of_name("RC_RESERVED", &v) && v == 0x15);
    CU_ASSERT_TRUE(opcode_of_name("UD_READ_REQ", &v) && v == 0x6c);
    CU_ASSERT_TRUE(opcode_of_name("CNP", &v) && v == 0x81);
    CU_ASSERT_FALSE(opcode_of_name("RC_READ", &v));
    CU_ASSERT_TRUE(syndrome_of_name("RSVD:45", &v) && v == 0x45);
    CU_ASSERT_TRUE(syndrome_of_name("NAK:REM_ACC", &v) && v == 0x62);
    CU_ASSERT_FALSE(syndrome_of_name("NAK", &v));
    CU_ASSERT_EQUAL(completion_op("COMP_SWAP"), XP_WC_ATOMIC);
    CU_ASSERT_EQUAL(completion_op("BIND"), -1);
    opcode_name(0x0c, text, sizeof text);
    CU_ASSERT_STRING_EQUAL(text, "RC_READ_REQUEST");
}

static const struct test tests[] = {
    TEST(golden_replay_timers_keep_the_recorded_time),
    TEST(golden_replay_another_profile_is_noticed),
    TEST(golden_replay_a_service_not_offered_is_skipped),
    TEST(golden_replay_every_field_can_be_spoilt_and_mended),
    TEST(golden_replay_a_folder_without_a_case_is_an_error),
    TEST(golden_replay_names_of_the_recorder_are_known),
    TESTS_END,
};
const struct suite suite_golden_replay = {"golden_replay", tests};
