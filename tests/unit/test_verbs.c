/* What a verbs user must see where no other suite tells: faults of both keys, and of services. */
#include <string.h>

#include "sim/base/check.h"
#include "tests/unit/rig.h"

/* The other end refuses first: nothing comes back that the local key could spoil. */
static void verbs_read_and_atomic_with_both_keys_bad_are_refused_by_the_other_end(void)
{
    static const uint8_t ops[] = {XP_WR_READ, XP_WR_CMP_SWAP, XP_WR_FETCH_ADD};
    for (size_t i = 0; i < sizeof ops; i++) {
        struct rig_spec s = rig_spec();
        struct rig *r = rig_new(&s);
        struct xp_send_wr wr = rig_wr(
            r, A, (struct rig_op){.id = 1, .op = (enum xp_wr_op)ops[i], .len = 8, .dst = 64});
        wr.sge.lkey += 256;
        wr.rkey += 256;
        CHECK(xp_post_send(r->loop->end[A].core, r->qp[A], &wr, 0) == XP_OK);
        rig_run(r);
        TEXT_IS(rig_wcs(r, A), "1:10");
        CU_ASSERT_TRUE(rig_untouched(r, 64, 8));
        rig_free(r);
    }
}

/* It was executed when its answer found no place. */
static void verbs_atomic_with_a_bad_lkey_has_changed_the_memory(void)
{
    struct rig_spec s = rig_spec();
    struct rig *r = rig_new(&s);
    uint64_t value;
    struct xp_send_wr wr = rig_wr(
        r, A,
        (struct rig_op){.id = 1, .op = XP_WR_FETCH_ADD, .len = 8, .dst = 64, .swap_or_add = 9});
    wr.sge.lkey += 256;
    CHECK(xp_post_send(r->loop->end[A].core, r->qp[A], &wr, 0) == XP_OK);
    rig_run(r);
    TEXT_IS(rig_wcs(r, A), "1:4");
    memcpy(&value, r->loop->end[B].arena + RIG_BASE + 64, 8);
    INT_IS(value, 9);
    INT_IS(rig_state_of(r, A), XP_ERR);
    INT_IS(rig_state_of(r, B), XP_RTS);
    rig_free(r);
}

static void verbs_request_behind_an_error_does_nothing(void)
{
    struct rig_spec s = rig_spec();
    struct rig *r = rig_new(&s);
    struct xp_send_wr bad =
        rig_wr(r, A, (struct rig_op){.id = 1, .op = XP_WR_WRITE, .len = 16, .dst = 64});
    bad.rkey += 256;
    CHECK(xp_post_send(r->loop->end[A].core, r->qp[A], &bad, 0) == XP_OK);
    CHECK(rig_post(r, (struct rig_op){.id = 2, .op = XP_WR_WRITE, .len = 16, .dst = 128}) == XP_OK);
    CHECK(rig_post(r,
                   (struct rig_op){
                       .id = 3, .op = XP_WR_FETCH_ADD, .len = 8, .dst = 256, .swap_or_add = 1}) ==
          XP_OK);
    rig_run(r);
    CHECK(rig_post(r, (struct rig_op){.id = 4, .op = XP_WR_WRITE, .len = 16, .dst = 512}) == XP_OK);
    rig_run(r);
    TEXT_IS(rig_wcs(r, A), "1:10 2:5 3:5 4:5");
    CU_ASSERT_TRUE(rig_untouched(r, 0, 1024));
    rig_free(r);
}

/* A QP of another service is as good as none: RC hears nothing, UD does not listen. */
static void verbs_send_to_a_qp_of_another_service_is_lost(void)
{
    struct rig_spec s = rig_spec();
    struct rig *r = rig_new(&s);
    struct xp_qp_init ud = {.service = XP_UD,
                            .pd = RIG_PD,
                            .send_cq = r->scq[B],
                            .recv_cq = r->rcq[B],
                            .sq_depth = 4,
                            .rq_depth = 4};
    struct xp_qp_attr at = {
        .state = XP_INIT, .pkey = 0xffff, .port = 1, .qkey = RIG_QKEY, .sq_psn = psn(1)};
    struct xp *b = r->loop->end[B].core;
    uint32_t qpn;
    CHECK(xp_qp_create(b, &ud, &qpn) == XP_OK);
    CHECK(xp_qp_modify(b, qpn, &at, XP_A_STATE | XP_A_PKEY | XP_A_PORT | XP_A_QKEY, 0) == XP_OK);
    at.state = XP_RTR;
    CHECK(xp_qp_modify(b, qpn, &at, XP_A_STATE, 0) == XP_OK);
    at.state = XP_RTS;
    CHECK(xp_qp_modify(b, qpn, &at, XP_A_STATE | XP_A_SQ_PSN, 0) == XP_OK);
    rig_recvs(r, 11, 1, 256);
    struct xp_rx rx = {.deed = XP_PLACE};
    struct wire_hdr h = rig_request(r, OP_SEND_ONLY, 100, 16);
    h.opcode = wire_opcode(WIRE_UD, OP_SEND_ONLY); /* a datagram for the RC QP */
    rx = rig_inject(r, B, h);
    INT_IS(rx.verdict, V_WRONG_SERVICE);
    h = rig_request(r, OP_SEND_ONLY, 100, 16); /* a SEND of RC for the UD QP */
    h.dest_qp = qpn;
    rx = rig_inject(r, B, h);
    INT_IS(rx.verdict, V_WRONG_SERVICE);
    rig_run(r);
    TEXT_IS(rig_packets(r, SHOW_ALL), "");
    TEXT_IS(rig_rcs(r, B), "");
    INT_IS(rig_query(r, B).recvs_waiting, 1);
    CHECK(xp_qp_destroy(b, qpn, r->loop->now) == XP_OK);
    rig_free(r);
}

static const struct test tests[] = {
    TEST(verbs_read_and_atomic_with_both_keys_bad_are_refused_by_the_other_end),
    TEST(verbs_atomic_with_a_bad_lkey_has_changed_the_memory),
    TEST(verbs_request_behind_an_error_does_nothing),
    TEST(verbs_send_to_a_qp_of_another_service_is_lost), TESTS_END};
const struct suite suite_verbs = {"verbs", tests};
