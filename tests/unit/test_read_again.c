/*
 * READs asked for again while the responder answers READs: where the answer goes, by policy.
 */
#include "sim/base/check.h"
#include "tests/unit/rig.h"

/* READs of four packets and of two; the responder sends one packet each 10 us. */
static struct rig *two_reads(enum xp_policy_read_again again)
{
    struct rig_spec s = rig_spec();
    s.rd_atomic = 4;
    s.gap_ps = 10 * TM_US;
    s.profile.policy[XP_P_READ_AGAIN] = (uint8_t)again;
    struct rig *r = rig_new(&s);
    for (uint32_t i = 0; i < 2; i++)
        CHECK(rig_post(r, (struct rig_op){.id = i + 1,
                                          .op = XP_WR_READ,
                                          .len = i ? 512 : 1024,
                                          .src = 8192 + 1024 * i,
                                          .dst = 1024 * i}) == XP_OK);
    return r;
}

/* The network brings B another request for the READ at PSN 100 + index, from there to its end. */
static void ask_again(struct rig *r, uint32_t index)
{
    struct wire_hdr h = rig_request(r, OP_READ_REQUEST, 100 + index, 0);
    h.va = RIG_BASE + 256 * index;
    h.dmalen = 256 * ((index < 4 ? 4 : 6) - index);
    INT_IS(rig_inject(r, B, h).verdict, V_REPLAY);
}

static const char *responses_after(struct rig *r, tm_ps t, uint32_t first, uint32_t second)
{
    rig_run_for(r, t);
    ask_again(r, first);
    if (second)
        ask_again(r, second);
    rig_run(r);
    return rig_packets(r, SHOW_ANSWERS);
}

static void read_again_goes_back_within_the_read_that_is_answered(void)
{
    struct rig *r = two_reads(XP_READ_AGAIN_IN_PLACE);
    TEXT_IS(responses_after(r, 25 * TM_US, 1, 0),
            "READ_RESP_FIRST.100+256/1 READ_RESP_MIDDLE.101+256 READ_RESP_MIDDLE.102+256 "
            "READ_RESP_FIRST.101+256/2 READ_RESP_MIDDLE.102+256 READ_RESP_LAST.103+256/2 "
            "READ_RESP_FIRST.104+256/2 READ_RESP_LAST.105+256/2");
    TEXT_IS(rig_wcs(r, A), "1:0 2:0");
    rig_free(r);
}

static void read_again_behind_waits_for_all(void)
{
    struct rig *r = two_reads(XP_READ_AGAIN_BEHIND);
    TEXT_IS(responses_after(r, 25 * TM_US, 1, 0),
            "READ_RESP_FIRST.100+256/1 READ_RESP_MIDDLE.101+256 READ_RESP_MIDDLE.102+256 "
            "READ_RESP_LAST.103+256/1 READ_RESP_FIRST.104+256/2 READ_RESP_LAST.105+256/2 "
            "READ_RESP_FIRST.101+256/2 READ_RESP_MIDDLE.102+256 READ_RESP_LAST.103+256/2");
    TEXT_IS(rig_wcs(r, A), "1:0 2:0");
    rig_free(r);
}

/* The first READ is all sent: it comes before what is left of the second, which then begins anew. */
static void read_again_comes_before_later_reads(void)
{
    struct rig *r = two_reads(XP_READ_AGAIN_IN_PLACE);
    TEXT_IS(responses_after(r, 45 * TM_US, 2, 4),
            "READ_RESP_FIRST.100+256/1 READ_RESP_MIDDLE.101+256 READ_RESP_MIDDLE.102+256 "
            "READ_RESP_LAST.103+256/1 READ_RESP_FIRST.104+256/2 "
            "READ_RESP_FIRST.102+256/2 READ_RESP_LAST.103+256/2 "
            "READ_RESP_FIRST.104+256/2 READ_RESP_LAST.105+256/2");
    TEXT_IS(rig_wcs(r, A), "1:0 2:0");
    rig_free(r);
}

/* What comes afterwards is answered last, whatever was put before. */
static void read_again_does_not_let_others_pass(void)
{
    struct rig *r = two_reads(XP_READ_AGAIN_IN_PLACE);
    rig_run_for(r, 45 * TM_US);
    ask_again(r, 2);
    CHECK(rig_post(r, (struct rig_op){.id = 3, .op = XP_WR_WRITE, .len = 8, .dst = 4096}) == XP_OK);
    rig_packets(r, SHOW_ANSWERS);
    rig_run(r);
    TEXT_IS(
        rig_packets(r, SHOW_ANSWERS),
        "READ_RESP_FIRST.102+256/2 READ_RESP_LAST.103+256/2 READ_RESP_LAST.105+256/2 ack.106/3");
    TEXT_IS(rig_wcs(r, A), "1:0 2:0 3:0");
    rig_free(r);
}

/* What has not been reached yet is asked for: it comes where it would, and once more. */
static void read_again_of_what_is_still_to_come_is_answered(void)
{
    struct rig *r = two_reads(XP_READ_AGAIN_IN_PLACE);
    TEXT_IS(responses_after(r, 15 * TM_US, 3, 0),
            "READ_RESP_FIRST.100+256/1 READ_RESP_MIDDLE.101+256 READ_RESP_MIDDLE.102+256 "
            "READ_RESP_LAST.103+256/1 READ_RESP_ONLY.103+256/2 READ_RESP_FIRST.104+256/2 "
            "READ_RESP_LAST.105+256/2");
    TEXT_IS(rig_wcs(r, A), "1:0 2:0");
    rig_free(r);
}

static const struct test tests[] = {TEST(read_again_goes_back_within_the_read_that_is_answered),
                                    TEST(read_again_behind_waits_for_all),
                                    TEST(read_again_comes_before_later_reads),
                                    TEST(read_again_does_not_let_others_pass),
                                    TEST(read_again_of_what_is_still_to_come_is_answered),
                                    TESTS_END};
const struct suite suite_read_again = {"read_again", tests};
