/*
 * The verbs table on the simulated device: each call reaches it, and what it sets moving moves.
 */
#include "tests/suite.h"
#include "tests/unit/bed.h"

static void vb_hca_has_every_operation(void)
{
    struct bed_cfg c = bed_cfg();
    struct bed *b = bed_new(&c);
    struct vb vb = vb_of_hca(b->hca[0]);
    CU_ASSERT_PTR_EQUAL(vb.dev, b->hca[0]);
    CU_ASSERT(vb.ops->cq_create && vb.ops->qp_create && vb.ops->qp_modify && vb.ops->qp_destroy &&
              vb.ops->qp_query && vb.ops->mr_add && vb.ops->post_send && vb.ops->post_recv &&
              vb.ops->poll && vb.ops->take_event && vb.ops->mads_open && vb.ops->mad_send &&
              vb.ops->mad_take && vb.ops->kill);
    bed_free(b);
}

/* By hand, on the connection that a bed makes: a SEND of 100 bytes, 182 on the wire, 14 560 ps. */
static void vb_hca_send_reaches_the_other_side(void)
{
    struct bed_cfg c = bed_cfg();
    struct xp_qp_query q;
    struct xp_wc wc[2];
    struct xp_event event;
    c.load.start_ps = TM_S;
    c.load.op = XP_WR_SEND;
    c.duration_ps = 10 * TM_US;
    struct bed *b = bed_new(&c);
    hca_set_notify(b->hca[0], load_entity(b->load, 0));
    const struct vb *a = &b->vb[0], *z = &b->vb[1];
    struct xp_send_wr wr = {.wr_id = 77, .sge = {0x10000, 100, 0}, .op = XP_WR_SEND};
    CU_ASSERT_EQUAL(a->ops->mr_add(a->dev, 1, 0x10000, 100, XP_LOCAL_WRITE, &wr.sge.lkey), XP_OK);
    CU_ASSERT_EQUAL(a->ops->post_send(a->dev, 2, &wr, 0), XP_OK);
    CU_ASSERT_EQUAL(z->ops->qp_query(z->dev, 2, &q), XP_OK);
    CU_ASSERT_EQUAL(q.state, XP_RTS);
    CU_ASSERT_EQUAL(q.recvs_waiting, 16);
    bed_run(b);
    CU_ASSERT_EQUAL(b->sum.last_delivery_ps, 1014560);
    CU_ASSERT_EQUAL(b->sum.n.recvs_completed, 1);
    CU_ASSERT_EQUAL(z->ops->poll(z->dev, 1, wc, 2), 0); /* the load has taken it */
    CU_ASSERT_FALSE(a->ops->take_event(a->dev, &event));
    bed_free(b);
}

static void vb_hca_destroyed_qp_is_gone(void)
{
    struct bed_cfg c = bed_cfg();
    struct xp_qp_query q;
    struct bed *b = bed_new(&c);
    const struct vb *a = &b->vb[0];
    CU_ASSERT_EQUAL(a->ops->qp_query(a->dev, 2, &q), XP_OK);
    CU_ASSERT_EQUAL(a->ops->qp_destroy(a->dev, 2, 0), XP_OK);
    CU_ASSERT_EQUAL(a->ops->qp_query(a->dev, 2, &q), XP_EINVAL);
    CU_ASSERT_EQUAL(a->ops->qp_destroy(a->dev, 2, 0), XP_EINVAL);
    bed_free(b);
}

static void vb_hca_killed_device_takes_nothing(void)
{
    struct bed_cfg c = bed_cfg();
    struct xp_send_wr wr = {.op = XP_WR_SEND};
    struct xp_recv_wr recv = {.wr_id = 1};
    struct xp_qp_attr attr = {.state = XP_RESET};
    struct bed *b = bed_new(&c);
    const struct vb *a = &b->vb[0];
    a->ops->kill(a->dev, 0);
    CU_ASSERT_EQUAL(a->ops->post_send(a->dev, 2, &wr, 0), XP_ESTATE);
    CU_ASSERT_EQUAL(a->ops->post_recv(a->dev, 2, &recv, 0), XP_ESTATE);
    CU_ASSERT_EQUAL(a->ops->qp_modify(a->dev, 2, &attr, XP_A_STATE, 0), XP_ESTATE);
    CU_ASSERT_EQUAL(a->ops->qp_destroy(a->dev, 2, 0), XP_ESTATE);
    bed_free(b);
}

static const struct test tests[] = {
    TEST(vb_hca_has_every_operation), TEST(vb_hca_send_reaches_the_other_side),
    TEST(vb_hca_destroyed_qp_is_gone), TEST(vb_hca_killed_device_takes_nothing), TESTS_END};
const struct suite suite_vb_hca = {"vb_hca", tests};
