/* XRC: an initiator here, a target there, the shared receive queue by number (IBA annex A14). */
#include "tests/unit/rig.h"

#include <string.h>

#include "sim/base/check.h"

static struct rig *rig_xrc(void)
{
    struct rig_spec s = rig_spec();
    s.service = XP_XRC_INI;
    s.srq_depth = 8;
    return rig_new(&s);
}

static void xrc_every_request_names_the_srq(void)
{
    struct rig *r = rig_xrc();
    rig_recvs(r, 11, 1, 1024);
    rig_sends(r, 1, 1, 600);
    CHECK(rig_post(r, (struct rig_op){.id = 2, .op = XP_WR_WRITE, .len = 300, .dst = 8192}) ==
          XP_OK);
    CHECK(rig_post(r, (struct rig_op){.id = 3, .op = XP_WR_READ, .len = 300, .src = 4096}) ==
          XP_OK);
    CHECK(rig_post(r, (struct rig_op){.id = 4,
                                      .op = XP_WR_FETCH_ADD,
                                      .len = 8,
                                      .dst = 64,
                                      .src = 8000,
                                      .swap_or_add = 2}) == XP_OK);
    rig_run(r);
    for (uint32_t i = 0; i < r->loop->records; i++) {
        const struct loop_record *p = &r->loop->record[i];
        INT_IS(wire_prefix_of(p->h.opcode), WIRE_XRC);
        if (!p->response)
            INT_IS(p->e.srq, r->srq[B]);
    }
    TEXT_IS(rig_wcs(r, A), "1:0 2:0 3:0 4:0");
    TEXT_IS(rig_rcs(r, B), "11:0/600");
    CU_ASSERT_TRUE(rig_same_bytes(r, 0, 8192, 300));
    rig_free(r);
}

static void xrc_loss_is_made_good_as_in_rc(void)
{
    struct rig *r = rig_xrc();
    rig_recvs(r, 11, 2, 1024);
    loop_script(r->loop, (struct loop_fault){.from = A, .to = B, .nth = 1, .action = LOOP_DROP});
    rig_sends(r, 1, 2, 600);
    rig_run(r);
    TEXT_IS(rig_wcs(r, A), "1:0 2:0");
    TEXT_IS(rig_rcs(r, B), "11:0/600 12:0/600");
    rig_free(r);
}

static void xrc_empty_srq_draws_an_rnr_nak(void)
{
    struct rig *r = rig_xrc();
    rig_sends(r, 1, 1, 16);
    rig_run_for(r, 10 * TM_US);
    TEXT_IS(rig_packets(r, SHOW_ALL), "SEND_ONLY.100+16 rnr12.100/0");
    rig_recvs(r, 11, 1, 16);
    rig_run(r);
    TEXT_IS(rig_wcs(r, A), "1:0");
    rig_free(r);
}

static void send_naming(struct rig *r, uint32_t srqn)
{
    struct xp_send_wr wr = rig_wr(r, A, (struct rig_op){.id = 1, .op = XP_WR_SEND, .len = 16});
    wr.srqn = srqn;
    CHECK(xp_post_send(r->loop->end[A].core, r->qp[A], &wr, r->loop->now) == XP_OK);
    rig_run(r);
}

static void xrc_srq_unknown_or_of_another_domain_is_refused(void)
{
    struct rig *r = rig_xrc();
    send_naming(r, 9);
    TEXT_IS(rig_wcs(r, A), "1:9");
    TEXT_IS(rig_events(r, B), "QP_REQ_ERR");
    rig_free(r);

    r = rig_xrc();
    struct xp_srq_init other = {.pd = RIG_PD, .depth = 4, .cq = r->rcq[B], .xrcd = RIG_XRCD + 1};
    uint32_t srqn;
    CHECK(xp_srq_create(r->loop->end[B].core, &other, &srqn) == XP_OK);
    send_naming(r, srqn);
    TEXT_IS(rig_wcs(r, A), "1:9");
    rig_free(r);
}

/* The SRQ is of another protection domain than the target: its own regions count. */
static void xrc_pd_of_the_srq_governs(void)
{
    struct rig *r = rig_xrc();
    struct xp *b = r->loop->end[B].core;
    struct xp_srq_init other = {.pd = 2, .depth = 4, .cq = r->rcq[B], .xrcd = RIG_XRCD};
    uint32_t srqn, key;
    CHECK(xp_srq_create(b, &other, &srqn) == XP_OK);
    CHECK(xp_mr_add(b, 2, RIG_BASE, 4096, XP_LOCAL_WRITE | XP_REMOTE_WRITE, 0, &key) == XP_OK);
    struct xp_recv_wr recv = {.wr_id = 11, .sge = {RIG_BASE, 64, key}};
    CHECK(xp_srq_post_recv(b, srqn, &recv) == XP_OK);
    send_naming(r, srqn);
    TEXT_IS(rig_wcs(r, A), "1:0");
    TEXT_IS(rig_rcs(r, B), "11:0/16");
    struct xp_send_wr wr = rig_wr(r, A, (struct rig_op){.id = 2, .op = XP_WR_WRITE, .len = 16});
    wr.srqn = srqn; /* with a key of the target's domain */
    CHECK(xp_post_send(r->loop->end[A].core, r->qp[A], &wr, r->loop->now) == XP_OK);
    rig_run(r);
    TEXT_IS(rig_wcs(r, A), "2:10");
    rig_free(r);
}

static void xrc_nothing_can_be_posted_where_there_is_no_queue(void)
{
    struct rig *r = rig_xrc();
    struct xp_recv_wr recv = {.wr_id = 1, .sge = {RIG_BASE, 8, r->key[A]}};
    struct xp_send_wr send = rig_wr(r, B, (struct rig_op){.id = 1, .op = XP_WR_SEND, .len = 8});
    INT_IS(xp_post_recv(r->loop->end[A].core, r->qp[A], &recv, 0), XP_EOPNOTSUPP);
    INT_IS(xp_post_recv(r->loop->end[B].core, r->qp[B], &recv, 0), XP_EOPNOTSUPP);
    INT_IS(xp_post_send(r->loop->end[B].core, r->qp[B], &send, 0), XP_EOPNOTSUPP);
    rig_free(r);
}

static void xrc_initiator_hears_no_requests(void)
{
    struct rig *r = rig_xrc();
    struct wire_hdr h = rig_request(r, OP_SEND_ONLY, 5000, 8);
    h.opcode = wire_opcode(WIRE_XRC, OP_SEND_ONLY);
    h.dest_qp = r->qp[A];
    struct xp_rx rx = rig_inject(r, A, h);
    INT_IS(rx.verdict, V_WRONG_SERVICE);
    rig_run(r);
    TEXT_IS(rig_packets(r, SHOW_ALL), "");
    rig_free(r);
}

/* ---- at the target ------------------------------------------------------------------------------ */

/* A request for B's target, naming an SRQ. */
static struct xp_rx request(struct rig *r, enum wire_op op, uint32_t psn_v, uint16_t len,
                            uint32_t srqn)
{
    struct wire_hdr h = rig_request(r, op, psn_v, len);
    struct wire_ext e = {.srq = srqn};
    struct xp_rx rx;
    h.opcode = wire_opcode(WIRE_XRC, op);
    h.flags |= WIRE_ACKREQ;
    xp_recv(r->loop->end[B].core, &h, &e, (struct xp_path){A, 7}, r->loop->now, &rx);
    return rx;
}

static uint32_t another_srq(struct rig *r, uint64_t id)
{
    struct xp_srq_init init = {.pd = RIG_PD, .depth = 4, .cq = r->scq[B], .xrcd = RIG_XRCD};
    struct xp_recv_wr wr = {.wr_id = id, .sge = {RIG_BASE + 4096, 1024, r->key[B]}};
    uint32_t srqn;
    CHECK(xp_srq_create(r->loop->end[B].core, &init, &srqn) == XP_OK);
    CHECK(xp_srq_post_recv(r->loop->end[B].core, srqn, &wr) == XP_OK);
    return srqn;
}

static void xrc_each_message_goes_to_the_srq_it_names_and_completes_there(void)
{
    struct rig *r = rig_xrc();
    struct xp_wc wc;
    uint32_t other = another_srq(r, 21);
    rig_recvs(r, 11, 2, 1024);
    request(r, OP_SEND_ONLY, 100, 10, r->srq[B]);
    request(r, OP_SEND_ONLY, 101, 20, other);
    request(r, OP_SEND_ONLY, 102, 30, r->srq[B]);
    TEXT_IS(rig_rcs(r, B), "11:0/10 12:0/30"); /* in the target's name */
    INT_IS(xp_poll_cq(r->loop->end[B].core, r->scq[B], &wc, 1), 1);
    INT_IS(wc.wr_id, 21);
    INT_IS(wc.byte_len, 20);
    INT_IS(wc.qpn, r->qp[B]);
    rig_free(r);
}

static void xrc_send_that_changes_its_srq_is_refused(void)
{
    struct rig *r = rig_xrc();
    uint32_t other = another_srq(r, 21);
    rig_recvs(r, 11, 1, 1024);
    INT_IS(request(r, OP_SEND_FIRST, 100, 256, r->srq[B]).verdict, V_ACCEPT);
    INT_IS(request(r, OP_SEND_LAST, 101, 5, other).verdict, V_BAD_SRQ);
    TEXT_IS(rig_rcs(r, B), "11:9");
    TEXT_IS(rig_events(r, B), "QP_REQ_ERR");
    INT_IS(xp_srq_destroy(r->loop->end[B].core, other), XP_OK);
    rig_free(r);
}

static void xrc_packets_without_their_header_are_survived(void)
{
    struct rig *r = rig_xrc();
    struct wire_hdr h = rig_answer(r, aeth_syndrome(AETH_ACK, AETH_CREDIT_NONE), 100, 1);
    struct xp_rx rx;
    h.opcode = wire_opcode(WIRE_XRC, OP_ACKNOWLEDGE);
    rig_sends(r, 1, 1, 10);
    struct xp_tx tx;
    INT_IS(xp_pull(r->loop->end[A].core, r->qp[A], 0, &tx), XP_PULLED);
    xp_recv(r->loop->end[A].core, &h, NULL, (struct xp_path){B, 7}, 0, &rx);
    INT_IS(rx.verdict, V_ANSWER);
    TEXT_IS(rig_wcs(r, A), "1:0");
    h = rig_request(r, OP_RESYNC, 100, 0);
    h.opcode = wire_opcode(WIRE_XRC, OP_RESYNC);
    xp_recv(r->loop->end[B].core, &h, NULL, (struct xp_path){A, 7}, 0, &rx);
    INT_IS(rx.verdict, V_BAD_OPCODE);
    rig_free(r);
}

static void xrc_srq_in_a_messages_hands_cannot_be_destroyed(void)
{
    struct rig *r = rig_xrc();
    struct xp *x = r->loop->end[B].core;
    uint32_t other = another_srq(r, 21);
    INT_IS(request(r, OP_SEND_FIRST, 100, 256, other).verdict, V_ACCEPT);
    INT_IS(xp_srq_destroy(x, other), XP_EINVAL);
    INT_IS(request(r, OP_SEND_LAST, 101, 4, other).verdict, V_ACCEPT);
    INT_IS(xp_srq_destroy(x, other), XP_OK);
    INT_IS(request(r, OP_SEND_ONLY, 102, 4, other).verdict, V_BAD_SRQ);
    rig_free(r);
}

static void xrc_target_in_error_flushes_what_it_holds_alone(void)
{
    struct rig *r = rig_xrc();
    struct xp_srq_query q;
    rig_recvs(r, 11, 3, 1024);
    request(r, OP_SEND_FIRST, 100, 256, r->srq[B]);
    INT_IS(rig_state(r, B, XP_ERR), XP_OK);
    TEXT_IS(rig_rcs(r, B), "11:5");
    CHECK(xp_srq_query(r->loop->end[B].core, r->srq[B], &q) == XP_OK);
    INT_IS(q.recvs_waiting, 2);
    rig_free(r);
}

static void xrc_full_cq_of_the_srq_is_an_error_of_its_targets(void)
{
    struct rig *r = rig_xrc();
    struct xp *x = r->loop->end[B].core;
    uint32_t cq, srqn;
    CHECK(xp_cq_create(x, 1, &cq) == XP_OK);
    struct xp_srq_init init = {.pd = RIG_PD, .depth = 4, .cq = cq, .xrcd = RIG_XRCD};
    CHECK(xp_srq_create(x, &init, &srqn) == XP_OK);
    for (uint64_t id = 1; id <= 2; id++) {
        struct xp_recv_wr wr = {.wr_id = id, .sge = {RIG_BASE, 64, r->key[B]}};
        CHECK(xp_srq_post_recv(x, srqn, &wr) == XP_OK);
    }
    request(r, OP_SEND_ONLY, 100, 4, srqn);
    INT_IS(rig_state_of(r, B), XP_RTS);
    request(r, OP_SEND_ONLY, 101, 4, srqn);
    INT_IS(rig_state_of(r, B), XP_ERR);
    TEXT_IS(rig_events(r, B), "CQ_ERR QP_FATAL");
    rig_run(r);
    TEXT_IS(rig_packets(r, SHOW_ANSWERS), "ack.100/1"); /* the second is not acknowledged */
    struct xp_wc wc;
    INT_IS(xp_poll_cq(x, cq, &wc, 1), 1);
    INT_IS(wc.wr_id, 1);
    rig_free(r);
}

static void xrc_wrong_queues_are_einval(void)
{
    struct rig *r = rig_xrc();
    struct xp *x = r->loop->end[B].core;
    uint32_t n, plain;
    struct xp_srq_init srq = {.pd = RIG_PD, .depth = 4, .xrcd = RIG_XRCD};
    INT_IS(xp_srq_create(x, &srq, &n), XP_EINVAL);
    srq = (struct xp_srq_init){.pd = RIG_PD, .depth = 4, .cq = r->rcq[B]};
    INT_IS(xp_srq_create(x, &srq, &n), XP_EINVAL);
    struct xp_qp_init qp = {.service = XP_RC,
                            .pd = RIG_PD,
                            .send_cq = r->scq[B],
                            .recv_cq = r->rcq[B],
                            .srq = r->srq[B]};
    INT_IS(xp_qp_create(x, &qp, &n), XP_EINVAL);
    srq = (struct xp_srq_init){.pd = RIG_PD, .depth = 4};
    CHECK(xp_srq_create(x, &srq, &plain) == XP_OK);
    INT_IS(request(r, OP_SEND_ONLY, 100, 4, plain).verdict, V_BAD_SRQ);
    rig_free(r);
}

/* ---- reliability is RC's -------------------------------------------------------------------------- */

static void xrc_fails_as_rc_does(void)
{
    static const struct {
        const char *what;
        enum xp_wr_op op;
        uint32_t access, room;
        bool bad_key;
        const char *sends, *receives, *events;
    } rows[] = {
        {"too small", XP_WR_SEND, 7, 31, false, "1:9", "11:1", ""},
        {"no right to write", XP_WR_WRITE, 0, 64, false, "1:9", "", "QP_REQ_ERR"},
        {"no right to read", XP_WR_READ, XP_REMOTE_WRITE, 64, false, "1:9", "", "QP_REQ_ERR"},
        {"bad rkey", XP_WR_WRITE, XP_REMOTE_WRITE, 64, true, "1:10", "", "QP_ACCESS_ERR"},
        {"bad rkey of a READ", XP_WR_READ, XP_REMOTE_READ, 64, true, "1:10", "", "QP_ACCESS_ERR"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct rig_spec s = rig_spec();
        s.service = XP_XRC_INI;
        s.srq_depth = 8;
        s.access_b = rows[i].access;
        struct rig *r = rig_new(&s);
        rig_recvs(r, 11, 1, rows[i].room);
        struct xp_send_wr wr = rig_wr(r, A, (struct rig_op){.id = 1, .op = rows[i].op, .len = 32});
        wr.rkey ^= rows[i].bad_key ? 0x100 : 0;
        CHECK(xp_post_send(r->loop->end[A].core, r->qp[A], &wr, 0) == XP_OK);
        rig_run(r);
        ROW_TEXT(rows[i].what, rig_wcs(r, A), rows[i].sends);
        ROW_TEXT(rows[i].what, rig_rcs(r, B), rows[i].receives);
        ROW_TEXT(rows[i].what, rig_events(r, B), rows[i].events);
        ROW_INT(rows[i].what, rig_state_of(r, A), XP_ERR);
        ROW_INT(rows[i].what, rig_state_of(r, B), XP_ERR);
        rig_free(r);
    }
}

static void xrc_dead_target_and_lasting_rnr_use_up_the_retries(void)
{
    struct rig *r = rig_xrc();
    CHECK(rig_state(r, B, XP_ERR) == XP_OK);
    rig_sends(r, 1, 2, 16);
    rig_run(r);
    TEXT_IS(rig_wcs(r, A), "1:12 2:5");
    rig_free(r);

    struct rig_spec s = rig_spec();
    s.service = XP_XRC_INI;
    s.srq_depth = 8;
    s.rnr_retry = 2;
    r = rig_new(&s);
    rig_sends(r, 1, 1, 16);
    rig_run(r);
    TEXT_IS(rig_wcs(r, A), "1:13");
    TEXT_IS(rig_packets(r, SHOW_ANSWERS), "rnr12.100/0 rnr12.100/0 rnr12.100/0");
    rig_free(r);
}

static void xrc_lost_answers_are_given_again_and_an_atomic_is_done_once(void)
{
    struct rig *r = rig_xrc();
    uint64_t sum;
    for (uint64_t nth = 0; nth < 3; nth++)
        loop_script(r->loop,
                    (struct loop_fault){.from = B, .to = A, .nth = nth, .action = LOOP_DROP});
    CHECK(rig_post(r, (struct rig_op){.id = 1,
                                      .op = XP_WR_FETCH_ADD,
                                      .len = 8,
                                      .src = 8000,
                                      .dst = 64,
                                      .swap_or_add = 5}) == XP_OK);
    CHECK(rig_post(r, (struct rig_op){.id = 2, .op = XP_WR_READ, .len = 300, .src = 4096}) ==
          XP_OK);
    rig_run(r);
    TEXT_IS(rig_wcs(r, A), "1:0 2:0");
    memcpy(&sum, r->loop->end[B].arena + RIG_BASE + 64, sizeof sum);
    INT_IS(sum, 5);
    for (uint32_t i = 0; i < r->loop->records; i++)
        INT_IS(wire_prefix_of(r->loop->record[i].h.opcode), WIRE_XRC);
    CU_ASSERT_TRUE(memcmp(r->loop->end[A].arena + RIG_BASE + 4096, r->loop->end[B].arena + RIG_BASE,
                          300) == 0);
    rig_free(r);
}

/* The region that a READ is being answered from is of the SRQ's domain, not of the target's. */
static void xrc_read_is_answered_from_the_domain_of_the_srq(void)
{
    struct rig *r = rig_xrc();
    struct xp *b = r->loop->end[B].core;
    struct xp_srq_init other = {.pd = 2, .depth = 4, .cq = r->rcq[B], .xrcd = RIG_XRCD};
    uint32_t srqn, key;
    CHECK(xp_srq_create(b, &other, &srqn) == XP_OK);
    CHECK(xp_mr_add(b, 2, RIG_BASE, 4096, XP_REMOTE_READ, 0, &key) == XP_OK);
    loop_script(r->loop, (struct loop_fault){.from = B, .to = A, .nth = 1, .action = LOOP_DROP});
    struct xp_send_wr wr = rig_wr(r, A, (struct rig_op){.id = 1, .op = XP_WR_READ, .len = 600});
    wr.srqn = srqn;
    wr.rkey = key;
    CHECK(xp_post_send(r->loop->end[A].core, r->qp[A], &wr, 0) == XP_OK);
    rig_run(r);
    TEXT_IS(rig_wcs(r, A), "1:0");
    rig_free(r);
}

static void xrc_gives_no_credits(void)
{
    struct rig_spec s = rig_spec();
    s.service = XP_XRC_INI;
    s.srq_depth = 8;
    s.profile.credits = true;
    struct rig *r = rig_new(&s);
    rig_recvs(r, 11, 3, 100);
    rig_sends(r, 1, 3, 10);
    rig_run(r);
    TEXT_IS(rig_packets(r, SHOW_ANSWERS), "ack.100/1 ack.101/2 ack.102/3");
    rig_free(r);
}

static const struct test tests[] = {
    TEST(xrc_each_message_goes_to_the_srq_it_names_and_completes_there),
    TEST(xrc_send_that_changes_its_srq_is_refused),
    TEST(xrc_packets_without_their_header_are_survived),
    TEST(xrc_srq_in_a_messages_hands_cannot_be_destroyed),
    TEST(xrc_target_in_error_flushes_what_it_holds_alone),
    TEST(xrc_full_cq_of_the_srq_is_an_error_of_its_targets),
    TEST(xrc_wrong_queues_are_einval),
    TEST(xrc_fails_as_rc_does),
    TEST(xrc_dead_target_and_lasting_rnr_use_up_the_retries),
    TEST(xrc_lost_answers_are_given_again_and_an_atomic_is_done_once),
    TEST(xrc_read_is_answered_from_the_domain_of_the_srq),
    TEST(xrc_gives_no_credits),
    TEST(xrc_every_request_names_the_srq),
    TEST(xrc_loss_is_made_good_as_in_rc),
    TEST(xrc_empty_srq_draws_an_rnr_nak),
    TEST(xrc_srq_unknown_or_of_another_domain_is_refused),
    TEST(xrc_pd_of_the_srq_governs),
    TEST(xrc_nothing_can_be_posted_where_there_is_no_queue),
    TEST(xrc_initiator_hears_no_requests),
    TESTS_END};
const struct suite suite_xrc = {"xrc", tests};
