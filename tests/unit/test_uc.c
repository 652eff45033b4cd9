/*
 * UC: no answer, no repetition.  Each row of ib-transport "UC", and a sender's own failure.
 */
#include <stdio.h>

#include "sim/base/check.h"
#include "tests/unit/rig.h"

static struct rig *rig_uc(void)
{
    struct rig_spec s = rig_spec_uc();
    return rig_new(&s);
}

static struct rig *rig_masked(uint64_t mask)
{
    struct rig *r = rig_uc();
    r->loop->dir[A][B].drop_mask = mask;
    return r;
}

static void uc_send_and_write_arrive_without_an_answer(void)
{
    struct rig *r = rig_uc();
    rig_recvs(r, 11, 2, 1024);
    rig_sends(r, 1, 1, 600);
    CHECK(rig_post(r, (struct rig_op){.id = 2, .op = XP_WR_WRITE, .len = 300, .dst = 8192}) ==
          XP_OK);
    CHECK(rig_post(r, (struct rig_op){.id = 3,
                                      .op = XP_WR_WRITE_IMM,
                                      .len = 1,
                                      .dst = 9000,
                                      .imm = 4,
                                      .solicited = true}) == XP_OK);
    CHECK(rig_post(r, (struct rig_op){.id = 4, .op = XP_WR_WRITE, .len = 0, .unsignalled = true}) ==
          XP_OK);
    rig_run(r);
    TEXT_IS(rig_packets(r, SHOW_ALL | SHOW_ACKREQ),
            "SEND_FIRST.100+256 SEND_MIDDLE.101+256 SEND_LAST.102+88 WRITE_FIRST.103+256@8192:300 "
            "WRITE_LAST.104+44 WRITE_ONLY_IMM.105+1s#4@9000:1 WRITE_ONLY.106+0@0:0");
    TEXT_IS(rig_wcs(r, A), "1:0 2:0 3:0");
    TEXT_IS(rig_rcs(r, B), "11:0/600 12:0/1#4");
    CU_ASSERT_TRUE(rig_same_bytes(r, 0, 0, 600));
    CU_ASSERT_TRUE(rig_same_bytes(r, 0, 8192, 300));
    INT_IS(r->loop->now, RIG_DELAY);
    rig_free(r);
}

static void uc_sender_completes_when_the_last_packet_has_left(void)
{
    struct rig *r = rig_uc();
    struct xp *x = r->loop->end[A].core;
    struct xp_tx tx;
    rig_sends(r, 1, 1, 300);
    INT_IS(xp_pull(x, r->qp[A], 0, &tx), XP_PULLED);
    CU_ASSERT_FALSE(tx.last_of_message);
    TEXT_IS(rig_wcs(r, A), "");
    INT_IS(xp_pull(x, r->qp[A], 0, &tx), XP_PULLED);
    CU_ASSERT_TRUE(tx.last_of_message);
    INT_IS(wire_prefix_of(tx.hdr.opcode), WIRE_UC);
    TEXT_IS(rig_wcs(r, A), "1:0");
    INT_IS(xp_pull(x, r->qp[A], 0, &tx), XP_IDLE);
    INT_IS(xp_deadline(x), TM_NEVER);
    rig_free(r);
}

static void uc_any_lost_packet_loses_its_message_and_keeps_the_receive(void)
{
    for (uint64_t nth = 0; nth < 3; nth++) {
        char where[20];
        snprintf(where, sizeof where, "packet %d", (int)nth);
        struct rig *r = rig_masked(1ull << nth);
        rig_recvs(r, 11, 2, 1024);
        rig_sends(r, 1, 1, 700); /* three packets */
        CHECK(rig_post(r, (struct rig_op){.id = 2, .op = XP_WR_SEND, .len = 400, .src = 2048}) ==
              XP_OK);
        rig_run(r);
        ROW_TEXT(where, rig_wcs(r, A), "1:0 2:0");
        ROW_TEXT(where, rig_rcs(r, B), "11:0/400");
        CU_ASSERT_TRUE(rig_same_bytes(r, 2048, 0, 400));
        ROW_INT(where, rig_query(r, B).recvs_waiting, 1);
        ROW_INT(where, rig_query(r, B).rq_psn.v, 105);
        ROW_INT(where, rig_state_of(r, B), XP_RTS);
        ROW_TEXT(where, rig_events(r, B), "");
        rig_free(r);
    }
}

static void uc_lost_whole_message_only_moves_the_psn(void)
{
    struct rig *r = rig_masked(7);
    rig_recvs(r, 11, 1, 1024);
    rig_sends(r, 1, 1, 700);
    rig_sends(r, 2, 1, 100);
    rig_run(r);
    TEXT_IS(rig_rcs(r, B), "11:0/100");
    INT_IS(rig_query(r, B).rq_psn.v, 104);
    rig_free(r);
}

static void uc_after_a_gap_all_is_silent_to_the_next_first(void)
{
    static const struct {
        enum wire_op op;
        uint32_t psn;
        uint16_t len;
        enum xp_deed deed;
    } rows[] = {
        {OP_SEND_FIRST, 100, 256, XP_PLACE},
        {OP_SEND_MIDDLE, 102, 256, XP_NOTHING}, /* 101 lost */
        {OP_SEND_MIDDLE, 103, 256, XP_NOTHING},
        {OP_SEND_LAST, 104, 10, XP_NOTHING},
        {OP_SEND_FIRST, 105, 256, XP_PLACE},
        {OP_SEND_LAST, 106, 10, XP_PLACE},
        {OP_SEND_LAST, 107, 10, XP_NOTHING}, /* begins with its Last: its First was lost */
        {OP_SEND_ONLY, 108, 33, XP_PLACE},
    };
    struct rig *r = rig_uc();
    rig_recvs(r, 11, 3, 1024);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char where[20];
        snprintf(where, sizeof where, "row %d", (int)i);
        struct xp_rx rx = rig_inject(r, B, rig_request(r, rows[i].op, rows[i].psn, rows[i].len));
        ROW_INT(where, rx.deed, rows[i].deed);
    }
    TEXT_IS(rig_rcs(r, B), "11:0/266 12:0/33");
    INT_IS(rig_query(r, B).rq_psn.v, 109);
    rig_free(r);
}

/* An opcode that does not fit is met like a lost packet. */
static void uc_unexpected_opcode_drops_the_message(void)
{
    static const enum wire_op second[] = {OP_SEND_FIRST, OP_SEND_ONLY,  OP_WRITE_MIDDLE,
                                          OP_WRITE_LAST, OP_WRITE_ONLY, OP_SEND_LAST};
    static const char *const received[] = {"", "11:0/256", "", "", "", "11:0/512"};
    for (int i = 0; i < 6; i++) {
        char where[20];
        snprintf(where, sizeof where, "second %d", second[i]);
        struct rig *r = rig_uc();
        rig_recvs(r, 11, 1, 1024);
        rig_inject(r, B, rig_request(r, OP_SEND_FIRST, 100, 256));
        rig_inject(r, B, rig_request(r, second[i], 101, 256));
        ROW_TEXT(where, rig_rcs(r, B), received[i]);
        ROW_INT(where, rig_state_of(r, B), XP_RTS);
        rig_run(r);
        ROW_TEXT(where, rig_packets(r, SHOW_ALL), "");
        rig_free(r);
    }
}

/* What was dropped stays dropped: neither the missing packet nor a fitting Last brings it back. */
static void uc_dropped_message_does_not_come_back(void)
{
    static const struct {
        const char *what;
        enum wire_op op[4];
        uint32_t psn[4];
    } rows[] = {
        {"the missing one comes late",
         {OP_SEND_FIRST, OP_SEND_LAST, OP_SEND_MIDDLE, OP_SEND_LAST},
         {100, 102, 101, 102}},
        {"all of it again but its First",
         {OP_SEND_FIRST, OP_SEND_LAST, OP_SEND_MIDDLE, OP_SEND_MIDDLE},
         {100, 102, 101, 102}},
        {"a wrong opcode, then the rest",
         {OP_SEND_FIRST, OP_WRITE_MIDDLE, OP_SEND_MIDDLE, OP_SEND_LAST},
         {100, 101, 102, 103}},
        {"a wrong opcode, then its place again",
         {OP_SEND_FIRST, OP_WRITE_MIDDLE, OP_SEND_MIDDLE, OP_SEND_LAST},
         {100, 101, 101, 102}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct rig *r = rig_uc();
        rig_recvs(r, 11, 2, 1024);
        for (int k = 0; k < 4; k++) {
            struct xp_rx rx = rig_inject(r, B, rig_request(r, rows[i].op[k], rows[i].psn[k], 256));
            ROW_INT(rows[i].what, rx.deed, k == 0 ? XP_PLACE : XP_NOTHING);
        }
        ROW_TEXT(rows[i].what, rig_rcs(r, B), "");
        rig_inject(r, B, rig_request(r, OP_SEND_ONLY, 200, 9));
        ROW_TEXT(rows[i].what, rig_rcs(r, B), "11:0/9");
        ROW_INT(rows[i].what, rig_query(r, B).rq_psn.v, 201);
        rig_free(r);
    }
}

static void uc_duplicate_only_is_delivered_again(void)
{
    struct rig *r = rig_uc();
    loop_script(r->loop, (struct loop_fault){
                             .from = A, .to = B, .nth = 0, .action = LOOP_DUP, .delay_ps = 10});
    rig_recvs(r, 11, 4, 100);
    rig_sends(r, 1, 1, 100);
    rig_run(r);
    TEXT_IS(rig_wcs(r, A), "1:0");
    TEXT_IS(rig_rcs(r, B), "11:0/100 12:0/100");
    rig_sends(r, 2, 1, 50);
    rig_run(r);
    TEXT_IS(rig_rcs(r, B), "13:0/50");
    rig_free(r);
}

static void uc_without_a_receive_the_message_is_lost(void)
{
    struct rig *r = rig_uc();
    rig_sends(r, 1, 1, 700);
    CHECK(rig_post(r, (struct rig_op){.id = 2, .op = XP_WR_WRITE_IMM, .len = 9, .dst = 8192}) ==
          XP_OK);
    rig_run(r);
    rig_recvs(r, 11, 1, 100);
    rig_sends(r, 3, 1, 100);
    rig_run(r);
    TEXT_IS(rig_wcs(r, A), "1:0 2:0 3:0");
    TEXT_IS(rig_rcs(r, B), "11:0/100");
    INT_IS(rig_state_of(r, B), XP_RTS);
    rig_free(r);
}

static void uc_receive_posted_amid_a_message_does_not_join_it(void)
{
    struct rig *r = rig_uc();
    rig_inject(r, B, rig_request(r, OP_SEND_FIRST, 100, 256));
    rig_recvs(r, 11, 1, 1024);
    INT_IS(rig_inject(r, B, rig_request(r, OP_SEND_LAST, 101, 256)).deed, XP_NOTHING);
    TEXT_IS(rig_rcs(r, B), "");
    INT_IS(rig_inject(r, B, rig_request(r, OP_SEND_ONLY, 102, 256)).deed, XP_PLACE);
    TEXT_IS(rig_rcs(r, B), "11:0/256");
    rig_free(r);
}

static void uc_message_too_long_is_dropped_and_the_qp_stays(void)
{
    struct rig *r = rig_uc();
    CHECK(rig_recv(r, 11, 0, 300) == XP_OK);
    rig_sends(r, 1, 1, 700);
    rig_run(r);
    TEXT_IS(rig_rcs(r, B), "");
    CU_ASSERT_TRUE(rig_untouched(r, 300, 64));
    rig_sends(r, 2, 1, 300);
    rig_run(r);
    TEXT_IS(rig_rcs(r, B), "11:0/300");
    TEXT_IS(rig_events(r, B), "");
    INT_IS(rig_state_of(r, B), XP_RTS);
    rig_free(r);
}

static void bad_key(struct wire_hdr *h, struct wire_ext *e) { h->rkey ^= 0x4000; }
static void bad_va(struct wire_hdr *h, struct wire_ext *e) { h->va = RIG_BASE + RIG_REGION - 1; }
static void longer(struct wire_hdr *h, struct wire_ext *e) { h->dmalen++; }
static void shorter(struct wire_hdr *h, struct wire_ext *e) { h->dmalen--; }

static void uc_refused_write_is_dropped_and_the_qp_stays(void)
{
    void (*const fault[])(struct wire_hdr *, struct wire_ext *) = {bad_key, bad_va, longer,
                                                                   shorter};
    for (int i = 0; i < 4; i++) {
        for (uint32_t len = 100; len <= 600; len += 500) {
            char where[30];
            snprintf(where, sizeof where, "fault %d len %u", i, len);
            struct rig *r = rig_uc();
            loop_script(
                r->loop,
                (struct loop_fault){
                    .from = A, .to = B, .nth = 0, .action = LOOP_REWRITE, .rewrite = fault[i]});
            rig_recvs(r, 11, 2, 0);
            CHECK(rig_post(r, (struct rig_op){
                                  .id = 1, .op = XP_WR_WRITE_IMM, .len = len, .imm = 1}) == XP_OK);
            CHECK(
                rig_post(r,
                         (struct rig_op){
                             .id = 2, .op = XP_WR_WRITE_IMM, .len = len, .dst = 8192, .imm = 2}) ==
                XP_OK);
            rig_run(r);
            ROW_TEXT(where, rig_wcs(r, A), "1:0 2:0");
            ROW_TEXT(where, rig_rcs(r, B), len == 100 ? "11:0/100#2" : "11:0/600#2");
            ROW_TEXT(where, rig_events(r, B), "");
            ROW_INT(where, rig_state_of(r, B), XP_RTS);
            CU_ASSERT_TRUE(rig_same_bytes(r, 0, 8192, len));
            if (i < 2)
                CU_ASSERT_TRUE(rig_untouched(r, 0, len));
            rig_free(r);
        }
    }
}

static void uc_access_flag_off_drops_writes(void)
{
    struct rig_spec s = rig_spec_uc();
    s.access_b = 0;
    struct rig *r = rig_new(&s);
    rig_recvs(r, 11, 1, 100);
    CHECK(rig_post(r, (struct rig_op){.id = 1, .op = XP_WR_WRITE, .len = 100}) == XP_OK);
    rig_sends(r, 2, 1, 100);
    rig_run(r);
    TEXT_IS(rig_wcs(r, A), "1:0 2:0");
    TEXT_IS(rig_rcs(r, B), "11:0/100");
    INT_IS(rig_state_of(r, B), XP_RTS);
    rig_free(r);
}

static void uc_write_data_of_a_broken_message_stays(void)
{
    struct rig *r = rig_masked(2);
    CHECK(rig_post(r, (struct rig_op){.id = 1, .op = XP_WR_WRITE, .len = 1024}) == XP_OK);
    rig_run(r);
    CU_ASSERT_TRUE(rig_same_bytes(r, 0, 0, 256));
    CU_ASSERT_TRUE(rig_untouched(r, 256, 768));
    rig_free(r);
}

static void uc_bad_receive_key_completes_4_and_the_qp_fails(void)
{
    struct rig *r = rig_uc();
    struct xp_recv_wr wr = {.wr_id = 11, .sge = {RIG_BASE, 512, r->key[B] ^ 0x4000}};
    CHECK(xp_post_recv(r->loop->end[B].core, r->qp[B], &wr, 0) == XP_OK);
    CHECK(rig_recv(r, 12, 0, 100) == XP_OK);
    rig_sends(r, 1, 1, 100);
    rig_run(r);
    TEXT_IS(rig_wcs(r, A), "1:0");
    TEXT_IS(rig_rcs(r, B), "11:4 12:5");
    INT_IS(rig_state_of(r, B), XP_ERR);
    TEXT_IS(rig_packets(r, SHOW_ANSWERS), "");
    rig_free(r);
}

static void uc_own_failure_leads_to_sqe_and_back(void)
{
    struct rig *r = rig_uc();
    struct xp *x = r->loop->end[A].core;
    struct xp_recv_wr rwr = {.wr_id = 21, .sge = {RIG_BASE, 100, r->key[A]}};
    struct xp_send_wr bad = rig_wr(r, A, (struct rig_op){.id = 2, .op = XP_WR_SEND, .len = 8});
    bad.sge.lkey ^= 0x4000;
    rig_recvs(r, 11, 3, 100);
    rig_sends(r, 1, 1, 100);
    CHECK(xp_post_send(x, r->qp[A], &bad, 0) == XP_OK);
    rig_sends(r, 3, 1, 100);
    rig_run(r);
    TEXT_IS(rig_wcs(r, A), "1:0 2:4 3:5");
    INT_IS(rig_state_of(r, A), XP_SQE);
    rig_sends(r, 4, 1, 100);
    TEXT_IS(rig_wcs(r, A), "4:5");
    /* the receive side goes on */
    CHECK(xp_post_recv(x, r->qp[A], &rwr, r->loop->now) == XP_OK);
    struct xp_send_wr wr = rig_wr(r, B, (struct rig_op){.id = 9, .op = XP_WR_SEND, .len = 100});
    CHECK(xp_post_send(r->loop->end[B].core, r->qp[B], &wr, r->loop->now) == XP_OK);
    rig_run(r);
    TEXT_IS(rig_rcs(r, A), "21:0/100");
    INT_IS(rig_state(r, A, XP_RTS), XP_OK);
    rig_sends(r, 5, 1, 77);
    rig_run(r);
    TEXT_IS(rig_wcs(r, A), "5:0");
    TEXT_IS(rig_rcs(r, B), "11:0/100 12:0/77");
    rig_free(r);
}

static void uc_rtr_reports_the_first_packet(void)
{
    struct rig_spec s = rig_spec_uc();
    s.state_b = XP_RTR;
    struct rig *r = rig_new(&s);
    rig_recvs(r, 11, 2, 100);
    rig_sends(r, 1, 2, 100);
    rig_run(r);
    TEXT_IS(rig_rcs(r, B), "11:0/100 12:0/100");
    TEXT_IS(rig_events(r, B), "COMM_EST");
    rig_free(r);
}

/* The completion is made by the pull: so is the overflow. */
static void uc_full_send_cq_is_an_error_of_its_qp(void)
{
    struct rig_spec s = rig_spec_uc();
    s.cq_depth = 1;
    struct rig *r = rig_new(&s);
    struct xp_tx tx;
    rig_sends(r, 1, 3, 8);
    INT_IS(xp_pull(r->loop->end[A].core, r->qp[A], 0, &tx), XP_PULLED);
    INT_IS(rig_state_of(r, A), XP_RTS);
    INT_IS(xp_pull(r->loop->end[A].core, r->qp[A], 0, &tx), XP_PULLED);
    INT_IS(rig_state_of(r, A), XP_ERR);
    INT_IS(xp_pull(r->loop->end[A].core, r->qp[A], 0, &tx), XP_IDLE);
    TEXT_IS(rig_events(r, A), "CQ_ERR QP_FATAL");
    TEXT_IS(rig_wcs(r, A), "1:0");
    rig_free(r);
}

static void uc_sqd_drains_when_the_begun_message_has_left(void)
{
    struct rig *r = rig_uc();
    struct xp *x = r->loop->end[A].core;
    struct xp_tx tx;
    struct xp_qp_attr attr = {.state = XP_SQD};
    rig_sends(r, 1, 2, 300);
    INT_IS(xp_pull(x, r->qp[A], 0, &tx), XP_PULLED);
    CHECK(xp_qp_modify(x, r->qp[A], &attr, XP_A_STATE | XP_A_SQD_NOTIFY, 0) == XP_OK);
    TEXT_IS(rig_events(r, A), "");
    INT_IS(xp_pull(x, r->qp[A], 0, &tx), XP_PULLED);
    INT_IS(xp_pull(x, r->qp[A], 0, &tx), XP_IDLE);
    TEXT_IS(rig_events(r, A), "SQ_DRAINED");
    TEXT_IS(rig_wcs(r, A), "1:0");
    CHECK(rig_state(r, A, XP_RTS) == XP_OK);
    INT_IS(xp_pull(x, r->qp[A], 0, &tx), XP_PULLED);
    INT_IS(tx.hdr.psn.v, 102);
    rig_free(r);
}

static const struct test tests[] = {
    TEST(uc_send_and_write_arrive_without_an_answer),
    TEST(uc_sender_completes_when_the_last_packet_has_left),
    TEST(uc_any_lost_packet_loses_its_message_and_keeps_the_receive),
    TEST(uc_lost_whole_message_only_moves_the_psn),
    TEST(uc_after_a_gap_all_is_silent_to_the_next_first),
    TEST(uc_unexpected_opcode_drops_the_message),
    TEST(uc_dropped_message_does_not_come_back),
    TEST(uc_duplicate_only_is_delivered_again),
    TEST(uc_without_a_receive_the_message_is_lost),
    TEST(uc_receive_posted_amid_a_message_does_not_join_it),
    TEST(uc_message_too_long_is_dropped_and_the_qp_stays),
    TEST(uc_refused_write_is_dropped_and_the_qp_stays),
    TEST(uc_access_flag_off_drops_writes),
    TEST(uc_write_data_of_a_broken_message_stays),
    TEST(uc_bad_receive_key_completes_4_and_the_qp_fails),
    TEST(uc_own_failure_leads_to_sqe_and_back),
    TEST(uc_rtr_reports_the_first_packet),
    TEST(uc_full_send_cq_is_an_error_of_its_qp),
    TEST(uc_sqd_drains_when_the_begun_message_has_left),
    TESTS_END};
const struct suite suite_uc = {"uc", tests};
