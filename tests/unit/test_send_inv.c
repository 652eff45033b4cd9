/*
 * SEND with invalidate: the key that it takes back, those that it may not, and what either end gets
 * to see of that.
 */
#include "sim/base/check.h"
#include "tests/unit/mw_scene.h"

static int send_inv(struct mw_scene *s, uint64_t id, uint32_t len, uint32_t key)
{
    return rig_post(s->r, (struct rig_op){.id = id, .op = XP_WR_SEND_INV, .len = len, .imm = key});
}

static void send_inv_takes_the_key_back_and_tells_it(void)
{
    static const struct {
        uint32_t len;
        const char *packets;
    } rows[] = {
        {100, "SEND_ONLY_INV.100+100 ack.100/1"},
        {0, "SEND_ONLY_INV.100+0 ack.100/1"},
        {600, "SEND_FIRST.100+256 SEND_MIDDLE.101+256 SEND_LAST_INV.102+88 ack.102/1"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct mw_scene s = mw_scene_rc();
        uint32_t key = mw_bound_2(&s);
        struct xp_wc wc;
        rig_packets(s.r, SHOW_ALL);
        CHECK(rig_recv(s.r, 11, 0, 1000) == XP_OK);
        CHECK(send_inv(&s, 1, rows[i].len, key) == XP_OK);
        rig_run(s.r);
        TEXT_IS(rig_packets(s.r, SHOW_ALL), rows[i].packets);
        TEXT_IS(rig_wcs(s.r, A), "1:0");
        CHECK(xp_poll_cq(s.b, s.r->rcq[B], &wc, 1) == 1);
        INT_IS(wc.status, XP_WC_SUCCESS);
        INT_IS(wc.flags, XP_WC_WITH_INV);
        INT_IS(wc.imm, key);
        INT_IS(wc.byte_len, rows[i].len);
        TEXT_IS(mw_use(&s, XP_WR_WRITE, key, WIN, 8), "1:10");
        rig_free(s.r);
    }
}

/* None of the responder table's answers, and no ACK: the requester runs out of retries. */
static void send_inv_of_a_key_that_may_not_go_is_left_unanswered(void)
{
    static const char *const what[] = {"type 1", "a region", "another QP's", "unbound", "unknown"};
    for (int i = 0; i < 5; i++) {
        struct mw_scene s = mw_scene_rc();
        const struct xp_mw_bind bind = mw_range(&s, XP_REMOTE_WRITE);
        uint32_t key[5] = {mw_window(&s, XP_MW_TYPE_1), s.mr, 0, mw_window(&s, XP_MW_TYPE_2),
                           0x7700};
        uint32_t mine = s.r->qp[B], other = mw_other_qp(&s);
        CHECK(mw_bind_1(&s, 900, &key[0], &bind) == XP_OK);
        rig_run(s.r);
        TEXT_IS(rig_wcs(s.r, B), "900:0");
        s.r->qp[B] = other;
        key[2] = mw_bound_2(&s);
        s.r->qp[B] = mine;
        rig_recvs(s.r, 11, 2, 100);
        rig_packets(s.r, SHOW_ALL);
        CHECK(send_inv(&s, 1, 100, key[i]) == XP_OK);
        rig_run(s.r);
        ROW_TEXT(what[i], rig_packets(s.r, SHOW_ANSWERS), "");
        ROW_TEXT(what[i], rig_wcs(s.r, A), "1:12");
        ROW_TEXT(what[i], rig_rcs(s.r, B), "11:6 12:5");
        ROW_INT(what[i], rig_state_of(s.r, B), XP_ERR);
        ROW_TEXT(what[i], rig_events(s.r, B), "");
        CHECK(xp_qp_destroy(s.b, other, s.r->loop->now) == XP_OK);
        rig_free(s.r);
    }
}

static void send_inv_repeated_is_acknowledged_not_done_again(void)
{
    struct mw_scene s = mw_scene_rc();
    uint32_t key = mw_bound_2(&s);
    CHECK(rig_recv(s.r, 11, 0, 100) == XP_OK);
    s.r->loop->dir[B][A].drop_mask = 1;
    CHECK(send_inv(&s, 1, 100, key) == XP_OK);
    rig_run(s.r);
    TEXT_IS(rig_packets(s.r, SHOW_ALL),
            "SEND_ONLY_INV.100+100 ack.100/1x SEND_ONLY_INV.100+100r ack.100/1");
    TEXT_IS(rig_wcs(s.r, A), "1:0");
    INT_IS(rig_state_of(s.r, B), XP_RTS);
    rig_free(s.r);
}

static const struct test tests[] = {
    TEST(send_inv_takes_the_key_back_and_tells_it),
    TEST(send_inv_of_a_key_that_may_not_go_is_left_unanswered),
    TEST(send_inv_repeated_is_acknowledged_not_done_again),
    TESTS_END,
};
const struct suite suite_send_inv = {"send_inv", tests};
