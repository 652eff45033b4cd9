/*
 * RC acknowledgements: what each one completes at the requester, which are ignored, when the
 * responder sends them and with which MSN.  Where the requester is under test the responder's own
 * answers are dropped and the test hands in its own.
 */
#include <stdio.h>

#include "sim/base/check.h"
#include "tests/unit/rig.h"

#define ACK aeth_syndrome(AETH_ACK, AETH_CREDIT_NONE)
#define ALL_LOST UINT64_MAX

/* Four SENDs of one packet (PSNs 100 .. 103) under way, no answer of B's gets through. */
static struct rig *four_sent(void)
{
    struct rig_spec s = rig_spec();
    struct rig *r = rig_new(&s);
    r->loop->dir[B][A].drop_mask = ALL_LOST;
    rig_sends(r, 1, 4, 100);
    rig_run_for(r, TM_NS);
    return r;
}

static void rc_ack_each_psn_completes_what_it_covers(void)
{
    static const struct {
        uint8_t syndrome;
        uint32_t psn;
        const char *done;
        enum xp_verdict verdict;
    } rows[] = {
        {0x1f, 100, "1:0", V_ANSWER},
        {0x1f, 102, "1:0 2:0 3:0", V_ANSWER},
        {0x1f, 103, "1:0 2:0 3:0 4:0", V_ANSWER},
        {0x05, 101, "1:0 2:0", V_ANSWER}, /* with a credit of 6 */
        {0x1f, 99, "", V_ANSWER_STALE},   /* ghost */
        {0x1f, 0, "", V_ANSWER_STALE},
        {0x1f, 104, "", V_ANSWER_UNSENT},
        {0x1f, 1000, "", V_ANSWER_UNSENT},
        {0x1f, 0x800063, "", V_ANSWER_UNSENT}, /* half the circle ahead of 100, less one */
        {0x40, 103, "", V_ANSWER_RESERVED},
        {0x5f, 103, "", V_ANSWER_RESERVED},
        {0x65, 103, "", V_ANSWER_RESERVED}, /* NAK code 5 */
        {0x7f, 103, "", V_ANSWER_RESERVED}, /* NAK code 31 */
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char where[40];
        struct rig *r = four_sent();
        struct xp_rx rx = rig_inject(r, A, rig_answer(r, rows[i].syndrome, rows[i].psn, 4));
        snprintf(where, sizeof where, "syndrome 0x%02x psn %u", rows[i].syndrome, rows[i].psn);
        ROW_INT(where, rx.verdict, rows[i].verdict);
        ROW_INT(where, rx.deed, XP_NOTHING);
        ROW_TEXT(where, rig_wcs(r, A), rows[i].done);
        ROW_INT(where, rig_state_of(r, A), XP_RTS);
        rig_packets(r, SHOW_ALL);
        rig_run_for(r, TM_NS);
        ROW_TEXT(where, rig_packets(r, SHOW_REQUESTS), ""); /* nothing is sent again */
        rig_free(r);
    }
}

static void rc_ack_inside_a_message_completes_only_those_before(void)
{
    struct rig_spec s = rig_spec();
    struct rig *r = rig_new(&s);
    r->loop->dir[B][A].drop_mask = ALL_LOST;
    rig_sends(r, 1, 3, 600); /* 100..102, 103..105, 106..108 */
    rig_run_for(r, TM_NS);
    rig_inject(r, A, rig_answer(r, ACK, 101, 0));
    TEXT_IS(rig_wcs(r, A), "");
    rig_inject(r, A, rig_answer(r, ACK, 104, 1));
    TEXT_IS(rig_wcs(r, A), "1:0");
    rig_inject(r, A, rig_answer(r, ACK, 104, 1)); /* again: nothing new */
    TEXT_IS(rig_wcs(r, A), "");
    rig_inject(r, A, rig_answer(r, ACK, 108, 3));
    TEXT_IS(rig_wcs(r, A), "2:0 3:0");
    INT_IS(xp_deadline(r->loop->end[A].core), TM_NEVER);
    rig_free(r);
}

static void rc_ack_of_packets_not_pulled_yet_is_ignored(void)
{
    struct rig_spec s = rig_spec();
    s.profile.window_packets = 2;
    struct rig *r = rig_new(&s);
    r->loop->dir[B][A].drop_mask = ALL_LOST;
    rig_sends(r, 1, 4, 100); /* posted 100 .. 103, sent 100 and 101 */
    rig_run_for(r, TM_NS);
    INT_IS(rig_inject(r, A, rig_answer(r, ACK, 102, 3)).verdict, V_ANSWER_UNSENT);
    TEXT_IS(rig_wcs(r, A), "");
    INT_IS(rig_inject(r, A, rig_answer(r, ACK, 101, 2)).verdict, V_ANSWER);
    TEXT_IS(rig_wcs(r, A), "1:0 2:0");
    rig_free(r);
}

static void rc_ack_works_across_the_end_of_the_circle(void)
{
    struct rig_spec s = rig_spec();
    s.psn_a = 0xfffffe;
    struct rig *r = rig_new(&s);
    r->loop->dir[B][A].drop_mask = ALL_LOST;
    rig_sends(r, 1, 4, 100); /* fffffe ffffff 0 1 */
    rig_run_for(r, TM_NS);
    INT_IS(rig_inject(r, A, rig_answer(r, ACK, 0xfffffd, 0)).verdict, V_ANSWER_STALE);
    INT_IS(rig_inject(r, A, rig_answer(r, ACK, 2, 0)).verdict, V_ANSWER_UNSENT);
    TEXT_IS(rig_wcs(r, A), "");
    rig_inject(r, A, rig_answer(r, ACK, 0, 3));
    TEXT_IS(rig_wcs(r, A), "1:0 2:0 3:0");
    rig_free(r);
}

static void rc_ack_of_nothing_outstanding_is_ignored(void)
{
    struct rig_spec s = rig_spec();
    struct rig *r = rig_new(&s);
    static const uint8_t syndromes[] = {0x1f, 0x2c, 0x60, 0x61, 0x62, 0x63};
    for (size_t i = 0; i < sizeof syndromes; i++)
        for (uint32_t p = 99; p <= 101; p++)
            rig_inject(r, A, rig_answer(r, syndromes[i], p, 0));
    rig_run(r);
    TEXT_IS(rig_packets(r, SHOW_ALL), "");
    INT_IS(rig_state_of(r, A), XP_RTS);
    rig_recvs(r, 11, 1, 100);
    rig_sends(r, 1, 1, 100);
    rig_run(r);
    TEXT_IS(rig_wcs(r, A), "1:0");
    rig_free(r);
}

static void rc_ack_naks_for_ghosts_and_for_the_unsent_are_ignored(void)
{
    static const uint8_t syndromes[] = {0x2c, 0x60, 0x61, 0x62, 0x63};
    for (size_t i = 0; i < sizeof syndromes; i++) {
        struct rig *r = four_sent();
        char where[20];
        snprintf(where, sizeof where, "syndrome 0x%02x", syndromes[i]);
        rig_packets(r, SHOW_ALL);
        INT_IS(rig_inject(r, A, rig_answer(r, syndromes[i], 99, 0)).verdict, V_ANSWER_STALE);
        INT_IS(rig_inject(r, A, rig_answer(r, syndromes[i], 104, 0)).verdict, V_ANSWER_UNSENT);
        rig_run_for(r, TM_US);
        ROW_TEXT(where, rig_packets(r, SHOW_REQUESTS), "");
        ROW_TEXT(where, rig_wcs(r, A), "");
        ROW_INT(where, rig_state_of(r, A), XP_RTS);
        rig_free(r);
    }
}

static void rc_ack_nak_completes_what_is_before_it(void)
{
    static const struct {
        uint8_t syndrome;
        const char *done;
    } rows[] = {{0x60, "1:0 2:0"},          {0x2c, "1:0 2:0"},          {0x61, "1:0 2:0 3:9 4:5"},
                {0x62, "1:0 2:0 3:10 4:5"}, {0x63, "1:0 2:0 3:11 4:5"}, {0x64, "1:0 2:0 3:15 4:5"}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct rig *r = four_sent();
        rig_inject(r, A, rig_answer(r, rows[i].syndrome, 102, 2));
        ROW_TEXT(rows[i].done, rig_wcs(r, A), rows[i].done);
        ROW_INT(rows[i].done, rig_state_of(r, A), i < 2 ? XP_RTS : XP_ERR);
        rig_free(r);
    }
}

/* ---- the responder's side -------------------------------------------------------------------- */

static void rc_ack_is_sent_for_each_request_without_coalescing(void)
{
    struct rig_spec s = rig_spec();
    s.profile.ack_coalesce = false;
    s.gap_ps = 10 * TM_NS;
    struct rig *r = rig_new(&s);
    rig_recvs(r, 11, 4, 100);
    rig_sends(r, 1, 4, 100);
    rig_run(r);
    TEXT_IS(rig_packets(r, SHOW_ANSWERS), "ack.100/1 ack.101/2 ack.102/3 ack.103/4");
    TEXT_IS(rig_wcs(r, A), "1:0 2:0 3:0 4:0");
    rig_free(r);
}

/* B's line is free every 35 ns only, its requests come every 10: acknowledgements have to wait. */
static void slow_answers(bool coalesce, const char *answers)
{
    struct rig_spec s = rig_spec();
    s.profile.ack_coalesce = coalesce;
    struct rig *r = rig_new(&s);
    rig_recvs(r, 11, 5, 100);
    r->loop->gap_ps = 35 * TM_NS;
    for (uint32_t i = 0; i < 5; i++) {
        struct wire_hdr h = rig_request(r, OP_SEND_ONLY, 100 + i, 100);
        rig_inject(r, B, h);
        rig_run_for(r, 10 * TM_NS);
    }
    rig_run_for(r, TM_US);
    TEXT_IS(rig_packets(r, SHOW_ALL), answers);
    TEXT_IS(rig_rcs(r, B), "11:0/100 12:0/100 13:0/100 14:0/100 15:0/100");
    rig_free(r);
}

static void rc_ack_that_waits_melts_with_coalescing(void)
{
    slow_answers(true, "ack.100/1 ack.103/4 ack.104/5");
}

static void rc_ack_that_waits_stays_without_coalescing(void)
{
    slow_answers(false, "ack.100/1 ack.101/2 ack.102/3 ack.103/4 ack.104/5");
}

/* B has a request of its own under way all the time, so its connection is never at rest. */
static void rc_ack_without_coalescing_holds_after_many(void)
{
    struct rig_spec s = rig_spec();
    s.profile.ack_coalesce = false;
    struct rig *r = rig_new(&s);
    struct xp_send_wr wr = rig_wr(r, B, (struct rig_op){.id = 1, .op = XP_WR_WRITE, .len = 4});
    CHECK(xp_post_send(r->loop->end[B].core, r->qp[B], &wr, 0) == XP_OK);
    loop_set_chance(r->loop, B, A, (struct loop_chance){.drop = UINT64_MAX}, 1);
    for (uint32_t i = 0; i < 300; i++) {
        rig_inject(r, B, rig_request(r, OP_WRITE_ONLY, 100 + i, 4));
        rig_run_for(r, 1);
    }
    rig_packets(r, SHOW_ALL);
    rig_inject(r, B, rig_request(r, OP_WRITE_ONLY, 400, 4));
    rig_inject(r, B, rig_request(r, OP_WRITE_ONLY, 401, 4));
    rig_run_for(r, 1);
    TEXT_IS(rig_packets(r, SHOW_ALL), "ack.400/301x ack.401/302x");
    rig_free(r);
}

/* A peer that sends and sends while nothing can leave does not run the pool dry. */
static void rc_ack_flood_does_not_run_the_pool_dry(void)
{
    for (int coalesce = 0; coalesce < 2; coalesce++) {
        struct rig_spec s = rig_spec();
        s.profile.ack_coalesce = coalesce;
        struct rig *r = rig_new(&s);
        for (uint32_t i = 0; i < 5000; i++)
            rig_inject(r, B, rig_request(r, OP_WRITE_ONLY, 100 + i % 2500, 4));
        CU_ASSERT_PTR_NULL(xp_exhausted(r->loop->end[B].core));
        rig_run(r);
        CU_ASSERT_TRUE(r->loop->records > 0);
        const struct loop_record *last = &r->loop->record[r->loop->records - 1];
        INT_IS(last->h.psn.v, 2599);
        INT_IS(last->h.msn, 2500);
        rig_free(r);
    }
}

static void rc_ack_msn_counts_executed_messages_only(void)
{
    struct rig_spec s = rig_spec();
    struct rig *r = rig_new(&s);
    rig_recvs(r, 11, 2, 600);
    rig_sends(r, 1, 1, 600);
    CHECK(rig_post(r, (struct rig_op){.id = 2, .op = XP_WR_WRITE, .len = 300, .dst = 8192}) ==
          XP_OK);
    CHECK(rig_post(r, (struct rig_op){.id = 3, .op = XP_WR_WRITE, .len = 0}) == XP_OK);
    CHECK(rig_post(r, (struct rig_op){.id = 4, .op = XP_WR_WRITE_IMM, .len = 1}) == XP_OK);
    CHECK(rig_post(r, (struct rig_op){.id = 5, .op = XP_WR_SEND, .len = 1}) == XP_OK);
    rig_run_for(r, 3 * RIG_DELAY);
    TEXT_IS(rig_packets(r, SHOW_ANSWERS), "ack.102/1 ack.104/2 ack.105/3 ack.106/4 rnr12.107/4");
    INT_IS(rig_query(r, B).msn, 4);
    rig_free(r);
}

static void rc_ack_of_a_duplicate_carries_the_newest_psn_and_todays_msn(void)
{
    struct rig_spec s = rig_spec();
    struct rig *r = rig_new(&s);
    rig_recvs(r, 11, 3, 100);
    rig_sends(r, 1, 3, 100);
    rig_run(r);
    rig_packets(r, SHOW_ALL);
    struct xp_rx rx = rig_inject(r, B, rig_request(r, OP_SEND_ONLY, 100, 100));
    INT_IS(rx.verdict, V_DUPLICATE);
    INT_IS(rx.deed, XP_NOTHING);
    rig_run(r);
    TEXT_IS(rig_packets(r, SHOW_ALL), "ack.102/3");
    TEXT_IS(rig_rcs(r, B), "11:0/100 12:0/100 13:0/100");
    INT_IS(rig_query(r, B).msn, 3);
    INT_IS(rig_query(r, B).rq_psn.v, 103);
    rig_free(r);
}

static void rc_ack_without_ackreq_a_write_middle_is_not_answered_alone(void)
{
    struct rig_spec s = rig_spec();
    struct rig *r = rig_new(&s);
    struct wire_hdr h = rig_request(r, OP_WRITE_FIRST, 100, 256);
    h.flags = WIRE_MIGREQ;
    h.dmalen = 512;
    struct xp_rx rx = rig_inject(r, B, h);
    INT_IS(rx.verdict, V_ACCEPT);
    INT_IS(rx.deed, XP_PLACE);
    INT_IS(rx.seg.addr, RIG_BASE);
    INT_IS(rx.seg.len, 256);
    CU_ASSERT_FALSE(rx.message_done);
    h = rig_request(r, OP_WRITE_LAST, 101, 256);
    rx = rig_inject(r, B, h);
    INT_IS(rx.seg.addr, RIG_BASE + 256);
    CU_ASSERT_TRUE(rx.message_done);
    INT_IS(rx.message_bytes, 512);
    rig_run(r);
    TEXT_IS(rig_packets(r, SHOW_ALL), "ack.101/1");
    rig_free(r);
}

static const struct test tests[] = {
    TEST(rc_ack_each_psn_completes_what_it_covers),
    TEST(rc_ack_inside_a_message_completes_only_those_before),
    TEST(rc_ack_of_packets_not_pulled_yet_is_ignored),
    TEST(rc_ack_works_across_the_end_of_the_circle),
    TEST(rc_ack_of_nothing_outstanding_is_ignored),
    TEST(rc_ack_naks_for_ghosts_and_for_the_unsent_are_ignored),
    TEST(rc_ack_nak_completes_what_is_before_it),
    TEST(rc_ack_is_sent_for_each_request_without_coalescing),
    TEST(rc_ack_that_waits_melts_with_coalescing),
    TEST(rc_ack_that_waits_stays_without_coalescing),
    TEST(rc_ack_without_coalescing_holds_after_many),
    TEST(rc_ack_flood_does_not_run_the_pool_dry),
    TEST(rc_ack_msn_counts_executed_messages_only),
    TEST(rc_ack_of_a_duplicate_carries_the_newest_psn_and_todays_msn),
    TEST(rc_ack_without_ackreq_a_write_middle_is_not_answered_alone),
    TESTS_END};
const struct suite suite_rc_ack = {"rc_ack", tests};
