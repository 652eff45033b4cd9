/*
 * Memory windows, row by row of "Memory windows and invalidate": what a bind refuses, whom a window
 * lets in, when it dies, and the turn of BIND_MW and LOCAL_INV in their send queue.
 */
#include <string.h>

#include "sim/base/check.h"
#include "tests/unit/mw_scene.h"

static void mw_type_2_opens_its_range_with_its_rights(void)
{
    static const struct {
        const char *what;
        uint32_t access;
        enum xp_wr_op op;
        uint32_t at, len;
        const char *wcs;
    } rows[] = {
        {"WRITE", XP_REMOTE_WRITE, XP_WR_WRITE, WIN, LEN, "1:0"},
        {"READ", XP_REMOTE_READ, XP_WR_READ, WIN, LEN, "1:0"},
        {"atomic", XP_REMOTE_ATOMIC, XP_WR_FETCH_ADD, WIN + 248, 8, "1:0"},
        {"WRITE without the right", XP_REMOTE_READ, XP_WR_WRITE, WIN, LEN, "1:10"},
        {"READ without the right", XP_REMOTE_WRITE, XP_WR_READ, WIN, LEN, "1:10"},
        {"atomic without the right", XP_REMOTE_WRITE, XP_WR_FETCH_ADD, WIN, 8, "1:10"},
        {"before the window", XP_REMOTE_WRITE, XP_WR_WRITE, WIN - 1, 8, "1:10"},
        {"over its end", XP_REMOTE_WRITE, XP_WR_WRITE, WIN, LEN + 1, "1:10"},
        {"nothing, anywhere", 0, XP_WR_WRITE, 0, 0, "1:0"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct mw_scene s = mw_scene_rc();
        const struct xp_mw_bind bind = mw_range(&s, rows[i].access);
        uint32_t key = mw_window(&s, XP_MW_TYPE_2) + 1;
        CHECK(mw_post(&s, 900, XP_WR_BIND_MW, key, &bind) == XP_OK);
        rig_run(s.r);
        ROW_TEXT(rows[i].what, rig_wcs(s.r, B), "900:0");
        ROW_TEXT(rows[i].what, mw_use(&s, rows[i].op, key, rows[i].at, rows[i].len), rows[i].wcs);
        ROW_TEXT(rows[i].what, rig_events(s.r, B),
                 strcmp(rows[i].wcs, "1:0") == 0 ? "" : "QP_ACCESS_ERR");
        rig_free(s.r);
    }
}

static void mw_region_itself_stays_closed(void)
{
    struct mw_scene s = mw_scene_rc();
    mw_bound_2(&s);
    TEXT_IS(mw_use(&s, XP_WR_WRITE, s.mr, WIN, 8), "1:10");
    rig_free(s.r);
}

/* The bind fails, its QP with it, and the window stays as it was. */
static void mw_bind_that_is_not_allowed_completes_6(void)
{
    static const struct {
        const char *what;
        uint32_t mr_access, access, key_off;
        uint64_t addr, length;
    } rows[] = {
        {"region without MW_BIND", XP_LOCAL_WRITE, XP_REMOTE_READ, 0, WIN, LEN},
        {"write without local write", XP_MW_BIND, XP_REMOTE_WRITE, 0, WIN, LEN},
        {"atomic without local write", XP_MW_BIND, XP_REMOTE_ATOMIC, 0, WIN, LEN},
        {"before the region", XP_MW_BIND, XP_REMOTE_READ, 0, 0xfff, LEN},
        {"over its end", XP_MW_BIND, XP_REMOTE_READ, 0, WIN, LEN + 1},
        {"no such region", XP_MW_BIND, XP_REMOTE_READ, 1, WIN, LEN},
        {"length 0", XP_MW_BIND, XP_REMOTE_READ, 0, WIN, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct mw_scene s = mw_scene_rc();
        uint32_t mr, key = mw_window(&s, XP_MW_TYPE_2);
        CHECK(xp_mr_add(s.b, RIG_PD, WIN, LEN, rows[i].mr_access, 0, &mr) == XP_OK);
        const struct xp_mw_bind bind = {.mr = mr + rows[i].key_off,
                                        .access = rows[i].access,
                                        .addr = rows[i].addr,
                                        .length = rows[i].length};
        ROW_INT(rows[i].what, mw_post(&s, 1, XP_WR_BIND_MW, key, &bind), XP_OK);
        ROW_INT(rows[i].what, mw_post(&s, 2, XP_WR_LOCAL_INV, key, NULL), XP_OK);
        rig_run(s.r);
        ROW_TEXT(rows[i].what, rig_wcs(s.r, B), "1:6 2:5");
        ROW_INT(rows[i].what, rig_state_of(s.r, B), XP_ERR);
        rig_free(s.r);
    }
}

static void mw_read_only_window_needs_no_local_write(void)
{
    struct mw_scene s = mw_scene_rc();
    uint32_t key = mw_window(&s, XP_MW_TYPE_2);
    CHECK(xp_mr_add(s.b, RIG_PD, RIG_BASE, RIG_REGION, XP_MW_BIND, 0, &s.mr) == XP_OK);
    const struct xp_mw_bind bind = mw_range(&s, XP_REMOTE_READ);
    CHECK(mw_post(&s, 900, XP_WR_BIND_MW, key, &bind) == XP_OK);
    rig_run(s.r);
    TEXT_IS(rig_wcs(s.r, B), "900:0");
    TEXT_IS(mw_use(&s, XP_WR_READ, key, WIN, LEN), "1:0");
    rig_free(s.r);
}

static void mw_type_2_binds_again_only_after_it_is_invalidated(void)
{
    struct mw_scene s = mw_scene_rc();
    const struct xp_mw_bind bind = mw_range(&s, XP_REMOTE_WRITE);
    uint32_t old = mw_bound_2(&s);
    CHECK(mw_post(&s, 1, XP_WR_LOCAL_INV, old, NULL) == XP_OK);
    CHECK(mw_post(&s, 2, XP_WR_BIND_MW, old ^ 0xff, &bind) == XP_OK);
    CHECK(mw_post(&s, 3, XP_WR_BIND_MW, old ^ 0x0f, &bind) == XP_OK);
    rig_run(s.r);
    TEXT_IS(rig_wcs(s.r, B), "1:0 2:0 3:6");
    rig_free(s.r);
}

static void mw_key_is_dead_after_local_inv(void)
{
    struct mw_scene s = mw_scene_rc();
    uint32_t key = mw_bound_2(&s);
    TEXT_IS(mw_use(&s, XP_WR_WRITE, key, WIN, 8), "1:0");
    CHECK(mw_post(&s, 2, XP_WR_LOCAL_INV, key, NULL) == XP_OK);
    rig_run(s.r);
    TEXT_IS(rig_wcs(s.r, B), "2:0");
    TEXT_IS(mw_use(&s, XP_WR_WRITE, key, WIN, 8), "1:10");
    TEXT_IS(rig_packets(s.r, SHOW_ALL), "WRITE_ONLY.100+8@8192:8 ack.100/1 "
                                        "WRITE_ONLY.101+8@8192:8 nak2.101/1");
    rig_free(s.r);
}

static void mw_local_inv_of_what_is_not_ones_own_type_2_window_completes_6(void)
{
    static const char *const what[] = {"another QP's", "type 1", "a region", "unbound", "unknown"};
    for (int i = 0; i < 5; i++) {
        struct mw_scene s = mw_scene_rc();
        const struct xp_mw_bind bind = mw_range(&s, XP_REMOTE_WRITE);
        uint32_t key[5] = {0, mw_window(&s, XP_MW_TYPE_1), s.mr, mw_window(&s, XP_MW_TYPE_2),
                           0x7700};
        uint32_t mine = s.r->qp[B], other = mw_other_qp(&s);
        CHECK(mw_bind_1(&s, 900, &key[1], &bind) == XP_OK);
        rig_run(s.r);
        TEXT_IS(rig_wcs(s.r, B), "900:0");
        s.r->qp[B] = other;
        key[0] = mw_bound_2(&s);
        s.r->qp[B] = mine;
        CHECK(mw_post(&s, 1, XP_WR_LOCAL_INV, key[i], NULL) == XP_OK);
        rig_run(s.r);
        ROW_TEXT(what[i], rig_wcs(s.r, B), "1:6");
        ROW_INT(what[i], rig_state_of(s.r, B), XP_ERR);
        CHECK(xp_qp_destroy(s.b, other, s.r->loop->now) == XP_OK);
        rig_free(s.r);
    }
}

static void mw_type_2_is_closed_to_other_qps_and_type_1_open(void)
{
    for (int type = 1; type <= 2; type++) {
        struct mw_scene s = mw_scene_rc();
        const struct xp_mw_bind bind = mw_range(&s, XP_REMOTE_WRITE);
        uint32_t mine = s.r->qp[B], key = mw_window(&s, XP_MW_TYPE_1);
        s.r->qp[B] = mw_other_qp(&s);
        if (type == 2)
            key = mw_bound_2(&s);
        else
            CHECK(mw_bind_1(&s, 900, &key, &bind) == XP_OK);
        rig_run(s.r);
        rig_wcs(s.r, B);
        uint32_t other = s.r->qp[B];
        s.r->qp[B] = mine;
        TEXT_IS(mw_use(&s, XP_WR_WRITE, key, WIN, 8), type == 1 ? "1:0" : "1:10");
        CHECK(xp_qp_destroy(s.b, other, s.r->loop->now) == XP_OK);
        rig_free(s.r);
    }
}

static void mw_type_1_is_bound_again_and_unbound_by_length_0(void)
{
    struct mw_scene s = mw_scene_rc();
    struct xp_mw_bind bind = mw_range(&s, XP_REMOTE_WRITE);
    uint32_t first = mw_window(&s, XP_MW_TYPE_1), second, third;
    INT_IS(mw_bind_1(&s, 1, &first, &bind), XP_OK);
    second = first;
    INT_IS(mw_bind_1(&s, 2, &second, &bind), XP_OK);
    rig_run(s.r);
    TEXT_IS(rig_wcs(s.r, B), "1:0 2:0");
    INT_IS(second != first && second >> 8 == first >> 8, 1);
    TEXT_IS(mw_use(&s, XP_WR_WRITE, second, WIN, 8), "1:0");
    bind.length = 0;
    third = second;
    INT_IS(mw_bind_1(&s, 3, &third, &bind), XP_OK);
    rig_run(s.r);
    TEXT_IS(rig_wcs(s.r, B), "3:0");
    TEXT_IS(mw_use(&s, XP_WR_WRITE, third, WIN, 8), "1:10");
    rig_free(s.r);
}

static void mw_old_key_of_a_type_1_window_is_dead(void)
{
    struct mw_scene s = mw_scene_rc();
    const struct xp_mw_bind bind = mw_range(&s, XP_REMOTE_WRITE);
    uint32_t first = mw_window(&s, XP_MW_TYPE_1), second;
    CHECK(mw_bind_1(&s, 1, &first, &bind) == XP_OK);
    second = first;
    CHECK(mw_bind_1(&s, 2, &second, &bind) == XP_OK);
    rig_run(s.r);
    TEXT_IS(mw_use(&s, XP_WR_WRITE, first, WIN, 8), "1:10");
    rig_free(s.r);
}

/* Freed or gone: what the key named is no more. */
static void mw_dies_with_its_region_itself_or_its_qp(void)
{
    for (int way = 0; way < 3; way++) {
        struct mw_scene s = mw_scene_rc();
        uint32_t key = mw_bound_2(&s), other;
        if (way == 0)
            INT_IS(xp_mr_remove(s.b, s.mr), XP_OK);
        if (way == 1)
            INT_IS(xp_mw_free(s.b, key), XP_OK);
        if (way == 2) {
            CHECK(xp_qp_destroy(s.b, s.r->qp[B], s.r->loop->now) == XP_OK);
            struct xp_qp_init init = {.service = XP_RC,
                                      .pd = RIG_PD,
                                      .send_cq = s.r->scq[B],
                                      .recv_cq = s.r->rcq[B],
                                      .sq_depth = 8,
                                      .rq_depth = 8};
            CHECK(xp_qp_create(s.b, &init, &other) == XP_OK);
            INT_IS(other, s.r->qp[B]);
            rig_connect(s.r, B, XP_RTS);
        }
        TEXT_IS(mw_use(&s, XP_WR_WRITE, key, WIN, 8), "1:10");
        rig_free(s.r);
    }
}

/* A window whose region has gone is free to be bound anew. */
static void mw_outlives_its_region_unbound(void)
{
    struct mw_scene s = mw_scene_rc();
    uint32_t key = mw_bound_2(&s);
    CHECK(xp_mr_remove(s.b, s.mr) == XP_OK);
    CHECK(xp_mr_add(s.b, RIG_PD, RIG_BASE, RIG_REGION, XP_LOCAL_WRITE | XP_MW_BIND, 0, &s.mr) ==
          XP_OK);
    const struct xp_mw_bind bind = mw_range(&s, XP_REMOTE_WRITE);
    CHECK(mw_post(&s, 1, XP_WR_BIND_MW, key + 1, &bind) == XP_OK);
    rig_run(s.r);
    TEXT_IS(rig_wcs(s.r, B), "1:0");
    TEXT_IS(mw_use(&s, XP_WR_WRITE, key + 1, WIN, 8), "1:0");
    rig_free(s.r);
}

static void mw_region_that_goes_while_it_is_read_ends_the_read(void)
{
    struct rig_spec spec = rig_spec();
    spec.gap_ps = 10 * TM_US;
    spec.mtu = 256;
    struct mw_scene s = mw_scene(&spec);
    struct xp_mw_bind bind = mw_range(&s, XP_REMOTE_READ);
    uint32_t key = mw_window(&s, XP_MW_TYPE_2);
    bind.length = 1024;
    CHECK(mw_post(&s, 900, XP_WR_BIND_MW, key, &bind) == XP_OK);
    struct xp_send_wr wr =
        rig_wr(s.r, A, (struct rig_op){.id = 1, .op = XP_WR_READ, .len = 1024, .dst = WIN});
    wr.rkey = key;
    CHECK(xp_post_send(s.r->loop->end[A].core, s.r->qp[A], &wr, s.r->loop->now) == XP_OK);
    rig_run_for(s.r, 15 * TM_US);
    CHECK(xp_mr_remove(s.b, s.mr) == XP_OK);
    rig_run(s.r);
    TEXT_IS(rig_packets(s.r, SHOW_ANSWERS),
            "READ_RESP_FIRST.100+256/1 READ_RESP_MIDDLE.101+256 nak2.102/1");
    TEXT_IS(rig_wcs(s.r, A), "1:10");
    rig_free(s.r);
}

static void mw_key_is_no_local_key(void)
{
    struct mw_scene s = mw_scene_rc();
    uint32_t key = mw_bound_2(&s);
    struct xp_recv_wr rwr = {.wr_id = 11, .sge = {RIG_BASE + WIN, 8, key}};
    CHECK(xp_post_recv(s.b, s.r->qp[B], &rwr, 0 + s.r->loop->now) == XP_OK);
    struct xp_send_wr wr = {
        .wr_id = 1, .op = XP_WR_SEND, .sge = {RIG_BASE + WIN, 8, key}, .flags = XP_SIGNALED};
    TEXT_IS(mw_use(&s, XP_WR_SEND, 0, 0, 8), "1:11");
    TEXT_IS(rig_rcs(s.r, B), "11:4");
    rig_free(s.r);
    s = mw_scene_rc();
    wr.sge.lkey = mw_bound_2(&s);
    CHECK(xp_post_send(s.b, s.r->qp[B], &wr, s.r->loop->now) == XP_OK);
    rig_run(s.r);
    TEXT_IS(rig_wcs(s.r, B), "1:4");
    rig_free(s.r);
}

/* ---- their turn in the send queue ------------------------------------------------------------ */

/* A window bound, told and taken back without waiting: everything happens in the queue's order. */
static void mw_requests_complete_in_order_with_those_around_them(void)
{
    struct mw_scene s = mw_scene_rc();
    const struct xp_mw_bind bind = mw_range(&s, XP_REMOTE_WRITE);
    uint32_t key = mw_window(&s, XP_MW_TYPE_2);
    struct xp_send_wr write = rig_wr(s.r, B, (struct rig_op){.op = XP_WR_WRITE, .len = 600});
    write.wr_id = 1;
    CHECK(xp_post_send(s.b, s.r->qp[B], &write, 0) == XP_OK);
    CHECK(mw_post(&s, 2, XP_WR_BIND_MW, key, &bind) == XP_OK);
    write.wr_id = 3;
    CHECK(xp_post_send(s.b, s.r->qp[B], &write, 0) == XP_OK);
    CHECK(mw_post(&s, 4, XP_WR_LOCAL_INV, key, NULL) == XP_OK);
    s.r->loop->dir[B][A].drop_mask = 1 << 2 | 1 << 4;
    rig_run_for(s.r, TM_US / 2);
    TEXT_IS(rig_wcs(s.r, B), "");
    rig_run(s.r);
    TEXT_IS(rig_wcs(s.r, B), "1:0 2:0 3:0 4:0");
    TEXT_IS(rig_events(s.r, B), "");
    rig_free(s.r);
}

/* The LOCAL_INV without a fence is carried out while the READ before it is on its way. */
static void mw_fence_makes_it_wait_for_reads(void)
{
    for (int fence = 0; fence < 2; fence++) {
        struct rig_spec spec = rig_spec();
        spec.state_a = XP_RTR;
        struct mw_scene s = mw_scene(&spec);
        uint32_t key = mw_window(&s, XP_MW_TYPE_2);
        const struct xp_mw_bind bind = mw_range(&s, XP_REMOTE_WRITE);
        CHECK(mw_post(&s, 900, XP_WR_BIND_MW, key, &bind) == XP_OK);
        struct xp_send_wr wr = rig_wr(s.r, B, (struct rig_op){.id = 1, .op = XP_WR_READ, .len = 8});
        CHECK(xp_post_send(s.b, s.r->qp[B], &wr, 0) == XP_OK);
        wr = (struct xp_send_wr){.wr_id = 2,
                                 .op = XP_WR_LOCAL_INV,
                                 .imm = key,
                                 .flags = (uint8_t)(XP_SIGNALED | (fence ? XP_FENCE : 0))};
        CHECK(xp_post_send(s.b, s.r->qp[B], &wr, 0) == XP_OK);
        rig_run_for(s.r, TM_US / 2);
        struct wire_hdr h = rig_request(s.r, OP_WRITE_ONLY, 100, 8);
        h.va = RIG_BASE + WIN;
        h.rkey = key;
        INT_IS(rig_inject(s.r, B, h).verdict, fence ? V_ACCEPT : V_BAD_KEY);
        rig_run(s.r);
        rig_free(s.r);
    }
}

static void mw_requests_wait_in_sqd_and_flush_in_err(void)
{
    struct mw_scene s = mw_scene_rc();
    const struct xp_mw_bind bind = mw_range(&s, XP_REMOTE_WRITE);
    uint32_t key = mw_window(&s, XP_MW_TYPE_2);
    CHECK(rig_state(s.r, B, XP_SQD) == XP_OK);
    CHECK(mw_post(&s, 1, XP_WR_BIND_MW, key, &bind) == XP_OK);
    rig_run(s.r);
    TEXT_IS(rig_wcs(s.r, B), "");
    CHECK(rig_state(s.r, B, XP_RTS) == XP_OK);
    rig_run(s.r);
    TEXT_IS(rig_wcs(s.r, B), "1:0");
    CHECK(rig_state(s.r, B, XP_ERR) == XP_OK);
    CHECK(mw_post(&s, 2, XP_WR_LOCAL_INV, key, NULL) == XP_OK);
    TEXT_IS(rig_wcs(s.r, B), "2:5");
    rig_free(s.r);
}

static void mw_uc_binds_too_and_stops_its_sends_when_it_fails(void)
{
    struct rig_spec spec = rig_spec_uc();
    struct mw_scene s = mw_scene(&spec);
    uint32_t key = mw_bound_2(&s);
    TEXT_IS(mw_use(&s, XP_WR_WRITE, key, WIN, 200), "1:0");
    INT_IS(rig_same_bytes(s.r, 0, WIN, 200), 1);
    CHECK(mw_post(&s, 2, XP_WR_LOCAL_INV, key + 1, NULL) == XP_OK);
    rig_run(s.r);
    TEXT_IS(rig_wcs(s.r, B), "2:6");
    INT_IS(rig_state_of(s.r, B), XP_SQE);
    rig_free(s.r);
}

/* ---- what a call refuses --------------------------------------------------------------------- */

static void mw_calls_refuse_what_is_no_window(void)
{
    struct mw_scene s = mw_scene_rc();
    struct xp_mw_bind bind = mw_range(&s, XP_REMOTE_WRITE);
    uint32_t one = mw_window(&s, XP_MW_TYPE_1), two = mw_window(&s, XP_MW_TYPE_2), key = s.mr;
    INT_IS(xp_mw_alloc(s.b, RIG_PD, (enum xp_mw_type)3, &key), XP_EINVAL);
    INT_IS(xp_mw_free(s.b, s.mr), XP_EINVAL);
    INT_IS(xp_mr_remove(s.b, one), XP_EINVAL);
    INT_IS(mw_post(&s, 1, XP_WR_BIND_MW, one, &bind), XP_EINVAL);
    INT_IS(mw_post(&s, 1, XP_WR_BIND_MW, s.mr, &bind), XP_EINVAL);
    INT_IS(mw_post(&s, 1, XP_WR_BIND_MW, two, NULL), XP_EINVAL);
    key = two;
    INT_IS(mw_bind_1(&s, 1, &key, &bind), XP_EINVAL);
    bind.access = XP_LOCAL_WRITE;
    INT_IS(mw_post(&s, 1, XP_WR_BIND_MW, two, &bind), XP_EINVAL);
    key = one;
    INT_IS(mw_bind_1(&s, 1, &key, &bind), XP_EINVAL);
    INT_IS(key, one);
    INT_IS(xp_mw_free(s.b, one), XP_OK);
    INT_IS(xp_mw_free(s.b, one), XP_EINVAL);
    rig_free(s.r);
}

static void mw_of_another_pd_is_not_bound(void)
{
    struct mw_scene s = mw_scene_rc();
    const struct xp_mw_bind bind = mw_range(&s, XP_REMOTE_READ);
    uint32_t key;
    CHECK(xp_mw_alloc(s.b, RIG_PD + 1, XP_MW_TYPE_1, &key) == XP_OK);
    CHECK(mw_bind_1(&s, 1, &key, &bind) == XP_OK);
    rig_run(s.r);
    TEXT_IS(rig_wcs(s.r, B), "1:6");
    rig_free(s.r);
}

static void mw_state_is_part_of_the_digest(void)
{
    struct mw_scene s = mw_scene_rc();
    uint64_t d[4];
    d[0] = xp_digest(s.b, s.r->loop->now);
    uint32_t key = mw_window(&s, XP_MW_TYPE_2);
    d[1] = xp_digest(s.b, s.r->loop->now);
    const struct xp_mw_bind bind = mw_range(&s, XP_REMOTE_READ);
    CHECK(mw_post(&s, 1, XP_WR_BIND_MW, key, &bind) == XP_OK);
    d[2] = xp_digest(s.b, s.r->loop->now);
    rig_run(s.r);
    TEXT_IS(rig_wcs(s.r, B), "1:0");
    d[3] = xp_digest(s.b, s.r->loop->now);
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < i; k++)
            INT_IS(d[i] == d[k], 0);
    rig_free(s.r);
}

static const struct test tests[] = {
    TEST(mw_type_2_opens_its_range_with_its_rights),
    TEST(mw_region_itself_stays_closed),
    TEST(mw_bind_that_is_not_allowed_completes_6),
    TEST(mw_read_only_window_needs_no_local_write),
    TEST(mw_type_2_binds_again_only_after_it_is_invalidated),
    TEST(mw_key_is_dead_after_local_inv),
    TEST(mw_local_inv_of_what_is_not_ones_own_type_2_window_completes_6),
    TEST(mw_type_2_is_closed_to_other_qps_and_type_1_open),
    TEST(mw_type_1_is_bound_again_and_unbound_by_length_0),
    TEST(mw_old_key_of_a_type_1_window_is_dead),
    TEST(mw_dies_with_its_region_itself_or_its_qp),
    TEST(mw_outlives_its_region_unbound),
    TEST(mw_region_that_goes_while_it_is_read_ends_the_read),
    TEST(mw_key_is_no_local_key),
    TEST(mw_requests_complete_in_order_with_those_around_them),
    TEST(mw_fence_makes_it_wait_for_reads),
    TEST(mw_requests_wait_in_sqd_and_flush_in_err),
    TEST(mw_uc_binds_too_and_stops_its_sends_when_it_fails),
    TEST(mw_calls_refuse_what_is_no_window),
    TEST(mw_of_another_pd_is_not_bound),
    TEST(mw_state_is_part_of_the_digest),
    TESTS_END,
};
const struct suite suite_mw = {"mw", tests};
