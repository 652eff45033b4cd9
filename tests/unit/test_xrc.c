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

static const struct test tests[] = {
    TEST(xrc_every_request_names_the_srq), TEST(xrc_loss_is_made_good_as_in_rc),
    TEST(xrc_empty_srq_draws_an_rnr_nak),  TEST(xrc_srq_unknown_or_of_another_domain_is_refused),
    TEST(xrc_pd_of_the_srq_governs),       TEST(xrc_nothing_can_be_posted_where_there_is_no_queue),
    TEST(xrc_initiator_hears_no_requests), TESTS_END};
const struct suite suite_xrc = {"xrc", tests};
