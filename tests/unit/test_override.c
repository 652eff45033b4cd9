/*
 * Rows that a profile lays over a service's tables, and policies by name: as text, and in effect.
 */
#include "tests/unit/rig.h"

#include <string.h>

#include "sim/base/check.h"

static void text_survives(const char *text)
{
    const char *at = text, *why;
    struct xp_override o;
    char back[XP_OVERRIDE_TEXT_MAX] = "";
    CU_ASSERT_TRUE(xp_override_parse(&at, &o, &why));
    INT_IS(*at, 0);
    INT_IS(xp_override_print(&o, back), strlen(text));
    TEXT_IS(back, text);
}

static void override_text_is_read_and_written_alike(void)
{
    text_survives("rc.recv_short: nak_rem_op receive=LOC_QP_OP_ERR error");
    text_survives("rc.no_right: nak_inv_req receive=REM_INV_REQ_ERR error event=qp_req_err");
    text_survives("uc.gap: drop count=ahead");
    text_survives("rc.unsent: complete");
    text_survives("rc.nak_inv_rd: fail status=REM_OP_ERR");
    text_survives("rc.reserved: complete error");
}

static void override_text_may_hold_several_rows(void)
{
    const char *at = "rc.gap: drop ;  rc.unsent: complete;", *why;
    struct xp_override o[2];
    CU_ASSERT_TRUE(xp_override_parse(&at, &o[0], &why));
    CU_ASSERT_TRUE(xp_override_parse(&at, &o[1], &why));
    INT_IS(*at, 0);
    INT_IS(o[0].row, V_GAP);
    CU_ASSERT_TRUE(o[1].is_answer);
}

static void fails(const char *text, const char *rest, const char *what)
{
    const char *at = text, *why = "";
    struct xp_override o;
    CU_ASSERT_FALSE(xp_override_parse(&at, &o, &why));
    TEXT_IS(at, rest);
    TEXT_IS(why, what);
}

static void override_mistake_is_named_where_it_stands(void)
{
    fails("xx.gap: drop", "xx.gap: drop", "a service and a dot (\"rc.\") were expected");
    fails("rc.gape: drop", "gape: drop",
          "a verdict or a kind of answer, and a colon, were expected");
    fails("rc.gap: dropp", "dropp",
          "drop, mute, drop_message, execute, ack, ack_again, replay, nak_… or rnr_nak was expected");
    fails("rc.unsent: drop", "drop",
          "ignore, complete, take, retry, imply, wait, wait_message or fail was expected");
    fails("rc.gap: drop event=x", "x", "qp_req_err, qp_access_err or qp_fatal was expected");
    fails("rc.gap: drop now", "now", "error, receive=, status=, event= or count= was expected");
}

static struct rig *rig_with(const char *rows, struct rig_spec s)
{
    const char *why;
    while (*rows)
        CHECK(xp_override_parse(&rows, &s.profile.override[s.profile.overrides++], &why));
    return rig_new(&s);
}

static void override_row_of_a_verdict_changes_what_is_answered(void)
{
    struct rig *r = rig_with("rc.recv_short: nak_rem_op receive=LOC_QP_OP_ERR error", rig_spec());
    CHECK(rig_recv(r, 11, 0, 100) == XP_OK);
    rig_sends(r, 1, 1, 200);
    rig_run(r);
    TEXT_IS(rig_packets(r, SHOW_ANSWERS), "nak3.100/0");
    TEXT_IS(rig_wcs(r, A), "1:11");
    TEXT_IS(rig_rcs(r, B), "11:2");
    rig_free(r);
}

static void override_row_of_an_answer_changes_what_it_comes_to(void)
{
    struct rig *r = rig_with("rc.unsent: complete", rig_spec());
    r->loop->dir[A][B].drop_mask = ~(uint64_t)0;
    CHECK(rig_post(r, (struct rig_op){.id = 1, .op = XP_WR_WRITE, .len = 8}) == XP_OK);
    rig_run_for(r, 10 * TM_US);
    rig_inject(r, A, rig_answer(r, aeth_syndrome(AETH_ACK, 31), 140, 1));
    TEXT_IS(rig_wcs(r, A), "1:0");
    rig_free(r);
}

static void override_fatal_answer_completes_and_ends_the_qp(void)
{
    struct rig *r = rig_with("rc.reserved: complete error", rig_spec());
    r->loop->dir[A][B].drop_mask = ~(uint64_t)0;
    for (uint64_t id = 1; id <= 2; id++)
        CHECK(rig_post(r, (struct rig_op){.id = id, .op = XP_WR_WRITE, .len = 8}) == XP_OK);
    rig_run_for(r, 10 * TM_US);
    rig_inject(r, A, rig_answer(r, 0x45, 100, 1));
    TEXT_IS(rig_wcs(r, A), "1:0 2:5");
    INT_IS(rig_state_of(r, A), XP_ERR);
    rig_free(r);
}

static void override_executed_departure_goes_through_the_checks_behind_it(void)
{
    struct rig_spec s = rig_spec();
    s.dest_rd_atomic = 1;
    struct rig *r = rig_with("rc.too_many_rd: execute", s);
    r->loop->end[B].free_at = 10 * TM_US;
    for (uint64_t id = 1; id <= 3; id++)
        CHECK(rig_post(r, (struct rig_op){.id = id, .op = XP_WR_READ, .len = 256}) == XP_OK);
    rig_run(r);
    TEXT_IS(rig_wcs(r, A), "1:0 2:0 3:0");
    rig_free(r);
}

/* Soft-RoCE's loss: the duplicate SEND's ACK carries the atomic's PSN, and the requester takes it. */
static void override_of_two_rows_loses_an_atomics_value(void)
{
    struct rig_spec s = rig_spec();
    s.profile.policy[XP_P_DUP_ACK] = XP_DUP_ACK_NEWEST;
    struct rig *r = rig_with("rc.ack_of_atomic: complete", s);
    rig_recvs(r, 11, 1, 256);
    loop_script(r->loop, (struct loop_fault){
                             .from = A, .to = B, .nth = 0, .action = LOOP_DUP, .delay_ps = 2000});
    loop_script(r->loop, (struct loop_fault){.from = B, .to = A, .nth = 1, .action = LOOP_DROP});
    CHECK(rig_post(r, (struct rig_op){.id = 1, .op = XP_WR_SEND, .len = 16}) == XP_OK);
    CHECK(rig_post(r,
                   (struct rig_op){
                       .id = 2, .op = XP_WR_FETCH_ADD, .len = 8, .src = 64, .swap_or_add = 1}) ==
          XP_OK);
    uint64_t before, after;
    memcpy(&before, r->loop->end[A].arena + RIG_BASE + 64, sizeof before);
    rig_run(r);
    memcpy(&after, r->loop->end[A].arena + RIG_BASE + 64, sizeof after);
    TEXT_IS(rig_wcs(r, A), "1:0 2:0");
    CU_ASSERT_EQUAL(before, after);
    rig_free(r);
}

static const struct test tests[] = {
    TEST(override_text_is_read_and_written_alike),
    TEST(override_text_may_hold_several_rows),
    TEST(override_mistake_is_named_where_it_stands),
    TEST(override_row_of_a_verdict_changes_what_is_answered),
    TEST(override_row_of_an_answer_changes_what_it_comes_to),
    TEST(override_fatal_answer_completes_and_ends_the_qp),
    TEST(override_executed_departure_goes_through_the_checks_behind_it),
    TEST(override_of_two_rows_loses_an_atomics_value),
    TESTS_END};
const struct suite suite_override = {"override", tests};
