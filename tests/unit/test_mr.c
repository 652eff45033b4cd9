/*
 * Memory regions: which keys, ranges, domains and rights let a WRITE in, which let a send out.
 */
#include "sim/base/check.h"
#include "tests/unit/rig.h"

struct remote_row {
    const char *what;
    uint32_t pd, access;
    uint64_t addr, len; /* the region */
    uint64_t at;        /* where the WRITE goes */
    uint32_t bytes;
    const char *sends, *events;
};

static const struct remote_row remote_rows[] = {
    {"inside", RIG_PD, 3, 0x2000, 0x1000, 0x2800, 600, "1:0", ""},
    {"all of it", RIG_PD, 3, 0x2000, 600, 0x2000, 600, "1:0", ""},
    {"a byte too long", RIG_PD, 3, 0x2000, 599, 0x2000, 600, "1:10", "QP_ACCESS_ERR"},
    {"a byte too early", RIG_PD, 3, 0x2001, 600, 0x2000, 600, "1:10", "QP_ACCESS_ERR"},
    {"other PD", RIG_PD + 1, 3, 0x2000, 0x1000, 0x2000, 600, "1:10", "QP_ACCESS_ERR"},
    {"local write only", RIG_PD, XP_LOCAL_WRITE, 0x2000, 0x1000, 0x2000, 600, "1:10",
     "QP_ACCESS_ERR"},
    {"READ only", RIG_PD, XP_LOCAL_WRITE | XP_REMOTE_READ, 0x2000, 0x1000, 0x2000, 600, "1:10",
     "QP_ACCESS_ERR"},
    {"atomic only", RIG_PD, XP_LOCAL_WRITE | XP_REMOTE_ATOMIC, 0x2000, 0x1000, 0x2000, 600, "1:10",
     "QP_ACCESS_ERR"},
    {"zero bytes outside", RIG_PD, XP_LOCAL_WRITE, 0x2000, 0x1000, 0x9000, 0, "1:0", ""},
    {"range wraps", RIG_PD, 3, 0x2000, 0x1000, 0xffffffffffffff00u, 0x2100, "1:10",
     "QP_ACCESS_ERR"},
};

static void mr_remote_access_by_key_range_domain_and_right(void)
{
    for (size_t i = 0; i < sizeof remote_rows / sizeof remote_rows[0]; i++) {
        const struct remote_row *row = &remote_rows[i];
        struct rig_spec s = rig_spec();
        struct rig *r = rig_new(&s);
        uint32_t key;
        CHECK(xp_mr_add(r->loop->end[B].core, row->pd, row->addr, row->len, row->access, 0, &key) ==
              XP_OK);
        struct xp_send_wr wr =
            rig_wr(r, A, (struct rig_op){.id = 1, .op = XP_WR_WRITE, .len = row->bytes});
        wr.rkey = key;
        wr.remote_addr = row->at;
        CHECK(xp_post_send(r->loop->end[A].core, r->qp[A], &wr, 0) == XP_OK);
        rig_run(r);
        ROW_TEXT(row->what, rig_wcs(r, A), row->sends);
        ROW_TEXT(row->what, rig_events(r, B), row->events);
        bool in = row->events[0] == 0;
        ROW_INT(row->what, r->loop->end[B].bytes_placed, in ? row->bytes : 0);
        ROW_INT(row->what, rig_state_of(r, B), in ? XP_RTS : XP_ERR);
        rig_free(r);
    }
}

static void mr_removed_key_is_refused(void)
{
    struct rig_spec s = rig_spec();
    struct rig *r = rig_new(&s);
    CHECK(rig_post(r, (struct rig_op){.id = 1, .op = XP_WR_WRITE, .len = 8}) == XP_OK);
    rig_run(r);
    INT_IS(xp_mr_remove(r->loop->end[B].core, r->key[B]), XP_OK);
    CHECK(rig_post(r, (struct rig_op){.id = 2, .op = XP_WR_WRITE, .len = 8}) == XP_OK);
    rig_run(r);
    TEXT_IS(rig_wcs(r, A), "1:0 2:10");
    INT_IS(xp_mr_remove(r->loop->end[B].core, r->key[B]), XP_EINVAL);
    rig_free(r);
}

static void mr_key_of_a_removed_region_is_not_its_successors(void)
{
    struct rig_spec s = rig_spec();
    struct rig *r = rig_new(&s);
    struct xp *x = r->loop->end[B].core;
    uint32_t first, second;
    CHECK(xp_mr_add(x, RIG_PD, 0x2000, 64, 3, 0, &first) == XP_OK);
    CHECK(xp_mr_remove(x, first) == XP_OK);
    CHECK(xp_mr_add(x, RIG_PD, 0x2000, 64, 3, 0, &second) == XP_OK);
    CU_ASSERT_TRUE(first != second);
    rig_free(r);
}

static void mr_places_are_used_again(void)
{
    struct rig_spec s = rig_spec();
    struct rig *r = rig_new(&s);
    struct xp *x = r->loop->end[B].core;
    uint32_t key;
    for (int i = 0; i < 100; i++) { /* the core holds eight */
        INT_IS(xp_mr_add(x, RIG_PD, 0x2000, 64, 3, 0, &key), XP_OK);
        INT_IS(xp_mr_remove(x, key), XP_OK);
    }
    rig_free(r);
}

/* The whole segment is looked at before its first packet leaves. */
static void mr_long_send_out_of_its_region_sends_nothing(void)
{
    struct rig_spec s = rig_spec();
    struct rig *r = rig_new(&s);
    struct xp_send_wr wr = rig_wr(r, A, (struct rig_op){.id = 1, .op = XP_WR_WRITE, .len = 1024});
    wr.sge.addr = RIG_BASE + RIG_REGION - 1000;
    CHECK(xp_post_send(r->loop->end[A].core, r->qp[A], &wr, 0) == XP_OK);
    rig_run(r);
    TEXT_IS(rig_packets(r, SHOW_ALL), "");
    TEXT_IS(rig_wcs(r, A), "1:4");
    CU_ASSERT_TRUE(rig_untouched(r, 0, 1024));
    rig_free(r);
}

static void mr_of_no_bytes_or_no_room_is_refused(void)
{
    struct rig_spec s = rig_spec();
    struct rig *r = rig_new(&s);
    struct xp *x = r->loop->end[A].core;
    uint32_t key;
    INT_IS(xp_mr_add(x, RIG_PD, 0x2000, 0, 3, 0, &key), XP_EINVAL);
    for (int i = 0; i < 7; i++) /* the rig has one of eight */
        INT_IS(xp_mr_add(x, RIG_PD, 0x2000, 8, 3, 0, &key), XP_OK);
    INT_IS(xp_mr_add(x, RIG_PD, 0x2000, 8, 3, 0, &key), XP_ENOMEM);
    rig_free(r);
}

static void mr_tag_travels_with_segments(void)
{
    struct rig_spec s = rig_spec();
    struct rig *r = rig_new(&s);
    struct xp *x = r->loop->end[B].core;
    uint32_t key;
    CHECK(xp_mr_add(x, RIG_PD, 0x2000, 64, 3, 0x1122334455667788u, &key) == XP_OK);
    struct wire_hdr h = rig_request(r, OP_WRITE_ONLY, 100, 8);
    h.va = 0x2004;
    h.rkey = key;
    struct xp_rx rx = rig_inject(r, B, h);
    INT_IS(rx.deed, XP_PLACE);
    CU_ASSERT_TRUE(rx.seg.tag == 0x1122334455667788u);
    INT_IS(rx.seg.addr, 0x2004);
    INT_IS(rx.seg.len, 8);
    rig_free(r);
}

/* ---- the sender's own memory: status 4 ------------------------------------------------------- */

static const struct {
    const char *what;
    uint64_t addr;
    uint32_t key_xor;
} local_rows[] = {
    {"bad lkey", RIG_BASE, 0x4000},
    {"starts before the MR", RIG_BASE - 1, 0},
    {"ends after the MR", RIG_BASE + RIG_REGION - 99, 0},
};

static void mr_bad_send_segment_is_status_4_in_its_turn(void)
{
    for (size_t i = 0; i < sizeof local_rows / sizeof local_rows[0]; i++) {
        for (int op = XP_WR_SEND; op <= XP_WR_WRITE_IMM; op++) {
            const char *what = local_rows[i].what;
            struct rig_spec s = rig_spec();
            struct rig *r = rig_new(&s);
            rig_recvs(r, 11, 4, 100);
            rig_sends(r, 1, 1, 100);
            struct xp_send_wr wr = rig_wr(
                r, A, (struct rig_op){.id = 2, .op = (enum xp_wr_op)op, .len = 100, .dst = 8192});
            wr.sge.addr = local_rows[i].addr;
            wr.sge.lkey ^= local_rows[i].key_xor;
            CHECK(xp_post_send(r->loop->end[A].core, r->qp[A], &wr, 0) == XP_OK);
            CHECK(rig_post(r, (struct rig_op){
                                  .id = 3, .op = XP_WR_WRITE, .len = 64, .dst = 8192}) == XP_OK);
            rig_run(r);
            ROW_TEXT(what, rig_wcs(r, A), "1:0 2:4 3:5");
            ROW_TEXT(what, rig_rcs(r, B), "11:0/100");
            ROW_INT(what, rig_state_of(r, A), XP_ERR);
            ROW_INT(what, rig_state_of(r, B), XP_RTS);
            CU_ASSERT_TRUE(rig_untouched(r, 8192, 100));
            rig_free(r);
        }
    }
}

static void mr_bad_lkey_and_bad_rkey_of_a_write_is_4(void)
{
    struct rig_spec s = rig_spec();
    struct rig *r = rig_new(&s);
    struct xp_send_wr wr = rig_wr(r, A, (struct rig_op){.id = 1, .op = XP_WR_WRITE, .len = 100});
    wr.sge.lkey ^= 0x4000;
    wr.rkey ^= 0x4000;
    CHECK(xp_post_send(r->loop->end[A].core, r->qp[A], &wr, 0) == XP_OK);
    rig_run(r);
    TEXT_IS(rig_packets(r, SHOW_ALL), "");
    TEXT_IS(rig_wcs(r, A), "1:4");
    rig_free(r);
}

static void mr_unsignalled_failure_completes_all_the_same(void)
{
    struct rig_spec s = rig_spec();
    struct rig *r = rig_new(&s);
    struct xp_send_wr wr =
        rig_wr(r, A, (struct rig_op){.id = 1, .op = XP_WR_WRITE, .len = 100, .unsignalled = true});
    wr.rkey ^= 0x4000;
    CHECK(xp_post_send(r->loop->end[A].core, r->qp[A], &wr, 0) == XP_OK);
    CHECK(rig_post(r, (struct rig_op){.id = 2, .op = XP_WR_WRITE, .len = 8, .unsignalled = true}) ==
          XP_OK);
    rig_run(r);
    TEXT_IS(rig_wcs(r, A), "1:10 2:5");
    rig_free(r);
}

static void mr_without_rights_serves_as_a_source(void)
{
    struct rig_spec s = rig_spec();
    struct rig *r = rig_new(&s);
    uint32_t key;
    CHECK(xp_mr_add(r->loop->end[A].core, RIG_PD, RIG_BASE, 4096, 0, 0, &key) == XP_OK);
    struct xp_send_wr wr = rig_wr(r, A, (struct rig_op){.id = 1, .op = XP_WR_WRITE, .len = 100});
    wr.sge.lkey = key;
    CHECK(xp_post_send(r->loop->end[A].core, r->qp[A], &wr, 0) == XP_OK);
    rig_run(r);
    TEXT_IS(rig_wcs(r, A), "1:0");
    CU_ASSERT_TRUE(rig_same_bytes(r, 0, 0, 100));
    rig_free(r);
}

static const struct test tests[] = {TEST(mr_remote_access_by_key_range_domain_and_right),
                                    TEST(mr_removed_key_is_refused),
                                    TEST(mr_key_of_a_removed_region_is_not_its_successors),
                                    TEST(mr_places_are_used_again),
                                    TEST(mr_long_send_out_of_its_region_sends_nothing),
                                    TEST(mr_of_no_bytes_or_no_room_is_refused),
                                    TEST(mr_tag_travels_with_segments),
                                    TEST(mr_bad_send_segment_is_status_4_in_its_turn),
                                    TEST(mr_bad_lkey_and_bad_rkey_of_a_write_is_4),
                                    TEST(mr_unsignalled_failure_completes_all_the_same),
                                    TEST(mr_without_rights_serves_as_a_source),
                                    TESTS_END};
const struct suite suite_mr = {"mr", tests};
