/*
 * RC WRITEs without trouble: packets, RETH, where the bytes go, WRITE_IMM and its receive.
 */
#include <stdio.h>

#include "sim/base/check.h"
#include "tests/unit/rig.h"

static const struct {
    uint16_t mtu;
    uint32_t len;
    const char *packets;
} cut[] = {
    {256, 0, "WRITE_ONLY.100+0!@64:0"},
    {256, 1, "WRITE_ONLY.100+1!@64:1"},
    {256, 255, "WRITE_ONLY.100+255!@64:255"},
    {256, 256, "WRITE_ONLY.100+256!@64:256"},
    {256, 257, "WRITE_FIRST.100+256@64:257 WRITE_LAST.101+1!"},
    {256, 1024,
     "WRITE_FIRST.100+256@64:1024 WRITE_MIDDLE.101+256 "
     "WRITE_MIDDLE.102+256 WRITE_LAST.103+256!"},
    {512, 0, "WRITE_ONLY.100+0!@64:0"},
    {512, 1, "WRITE_ONLY.100+1!@64:1"},
    {512, 511, "WRITE_ONLY.100+511!@64:511"},
    {512, 512, "WRITE_ONLY.100+512!@64:512"},
    {512, 513, "WRITE_FIRST.100+512@64:513 WRITE_LAST.101+1!"},
    {512, 2048,
     "WRITE_FIRST.100+512@64:2048 WRITE_MIDDLE.101+512 "
     "WRITE_MIDDLE.102+512 WRITE_LAST.103+512!"},
    {1024, 0, "WRITE_ONLY.100+0!@64:0"},
    {1024, 1, "WRITE_ONLY.100+1!@64:1"},
    {1024, 1023, "WRITE_ONLY.100+1023!@64:1023"},
    {1024, 1024, "WRITE_ONLY.100+1024!@64:1024"},
    {1024, 1025, "WRITE_FIRST.100+1024@64:1025 WRITE_LAST.101+1!"},
    {1024, 4096,
     "WRITE_FIRST.100+1024@64:4096 WRITE_MIDDLE.101+1024 "
     "WRITE_MIDDLE.102+1024 WRITE_LAST.103+1024!"},
    {2048, 0, "WRITE_ONLY.100+0!@64:0"},
    {2048, 1, "WRITE_ONLY.100+1!@64:1"},
    {2048, 2047, "WRITE_ONLY.100+2047!@64:2047"},
    {2048, 2048, "WRITE_ONLY.100+2048!@64:2048"},
    {2048, 2049, "WRITE_FIRST.100+2048@64:2049 WRITE_LAST.101+1!"},
    {2048, 8192,
     "WRITE_FIRST.100+2048@64:8192 WRITE_MIDDLE.101+2048 "
     "WRITE_MIDDLE.102+2048 WRITE_LAST.103+2048!"},
    {4096, 0, "WRITE_ONLY.100+0!@64:0"},
    {4096, 1, "WRITE_ONLY.100+1!@64:1"},
    {4096, 4095, "WRITE_ONLY.100+4095!@64:4095"},
    {4096, 4096, "WRITE_ONLY.100+4096!@64:4096"},
    {4096, 4097, "WRITE_FIRST.100+4096@64:4097 WRITE_LAST.101+1!"},
    {4096, 16384,
     "WRITE_FIRST.100+4096@64:16384 WRITE_MIDDLE.101+4096 "
     "WRITE_MIDDLE.102+4096 WRITE_LAST.103+4096!"},
};

static void rc_write_each_size_and_mtu_is_cut_as_listed(void)
{
    for (size_t i = 0; i < sizeof cut / sizeof cut[0]; i++) {
        char where[40];
        struct rig_spec s = rig_spec();
        s.mtu = cut[i].mtu;
        struct rig *r = rig_new(&s);
        CHECK(rig_post(r,
                       (struct rig_op){
                           .id = 1, .op = XP_WR_WRITE, .len = cut[i].len, .src = 5, .dst = 64}) ==
              XP_OK);
        rig_run(r);
        snprintf(where, sizeof where, "mtu %u len %u", cut[i].mtu, cut[i].len);
        INT_IS(r->loop->record[0].h.rkey, r->key[B]);
        ROW_TEXT(where, rig_packets(r, SHOW_REQUESTS | SHOW_ACKREQ), cut[i].packets);
        ROW_TEXT(where, rig_wcs(r, A), "1:0");
        ROW_TEXT(where, rig_rcs(r, B), "");
        CU_ASSERT_TRUE(rig_same_bytes(r, 5, 64, cut[i].len));
        CU_ASSERT_TRUE(rig_untouched(r, 0, 64));
        CU_ASSERT_TRUE(rig_untouched(r, 64 + cut[i].len, 64));
        INT_IS(r->loop->end[B].bytes_placed, cut[i].len);
        rig_free(r);
    }
}

static void rc_write_imm_takes_one_receive_at_its_last_packet(void)
{
    static const struct {
        uint32_t len;
        const char *packets, *received;
    } rows[] = {
        {0, "WRITE_ONLY_IMM.100+0#77@512:0", "11:0/0#77"},
        {256, "WRITE_ONLY_IMM.100+256#77@512:256", "11:0/256#77"},
        {257, "WRITE_FIRST.100+256@512:257 WRITE_LAST_IMM.101+1#77", "11:0/257#77"},
    };
    for (int i = 0; i < 3; i++) {
        struct rig_spec s = rig_spec();
        struct rig *r = rig_new(&s);
        CHECK(rig_recv(r, 11, 4096, 8) == XP_OK); /* its buffer plays no part */
        CHECK(rig_post(r, (struct rig_op){.id = 1,
                                          .op = XP_WR_WRITE_IMM,
                                          .len = rows[i].len,
                                          .dst = 512,
                                          .imm = 77}) == XP_OK);
        rig_run(r);
        ROW_TEXT(rows[i].packets, rig_packets(r, SHOW_REQUESTS), rows[i].packets);
        ROW_TEXT(rows[i].packets, rig_rcs(r, B), rows[i].received);
        ROW_TEXT(rows[i].packets, rig_wcs(r, A), "1:0");
        CU_ASSERT_TRUE(rig_same_bytes(r, 0, 512, rows[i].len));
        CU_ASSERT_TRUE(rig_untouched(r, 4096, 64));
        rig_free(r);
    }
}

static void rc_write_imm_completion_names_the_write(void)
{
    struct rig_spec s = rig_spec();
    struct rig *r = rig_new(&s);
    struct xp_wc wc;
    CHECK(rig_recv(r, 11, 0, 0) == XP_OK);
    CHECK(rig_post(r, (struct rig_op){.id = 1, .op = XP_WR_WRITE_IMM, .len = 9, .imm = 5}) ==
          XP_OK);
    rig_run(r);
    INT_IS(xp_poll_cq(r->loop->end[B].core, r->rcq[B], &wc, 1), 1);
    INT_IS(wc.op, XP_WC_RECV_WRITE_IMM);
    INT_IS(wc.flags, XP_WC_WITH_IMM);
    INT_IS(wc.imm, 5);
    INT_IS(wc.byte_len, 9);
    INT_IS(xp_poll_cq(r->loop->end[A].core, r->scq[A], &wc, 1), 1);
    INT_IS(wc.op, XP_WC_WRITE);
    rig_free(r);
}

static void rc_write_imm_with_a_bad_receive_key_succeeds(void)
{
    struct rig_spec s = rig_spec();
    struct rig *r = rig_new(&s);
    struct xp_recv_wr rwr = {.wr_id = 11, .sge = {RIG_BASE, 64, r->key[B] ^ 0x5555}};
    CHECK(xp_post_recv(r->loop->end[B].core, r->qp[B], &rwr, 0) == XP_OK);
    CHECK(rig_post(r,
                   (struct rig_op){
                       .id = 1, .op = XP_WR_WRITE_IMM, .len = 300, .dst = 512, .imm = 3}) == XP_OK);
    rig_run(r);
    TEXT_IS(rig_wcs(r, A), "1:0");
    TEXT_IS(rig_rcs(r, B), "11:0/300#3");
    rig_free(r);
}

static void rc_write_solicited_shows_only_with_an_immediate(void)
{
    struct rig_spec s = rig_spec();
    struct rig *r = rig_new(&s);
    rig_recvs(r, 11, 1, 8);
    CHECK(rig_post(r, (struct rig_op){.id = 1, .op = XP_WR_WRITE, .len = 8, .solicited = true}) ==
          XP_OK);
    CHECK(rig_post(r, (struct rig_op){
                          .id = 2, .op = XP_WR_WRITE_IMM, .len = 300, .solicited = true}) == XP_OK);
    rig_run(r);
    TEXT_IS(rig_packets(r, SHOW_REQUESTS),
            "WRITE_ONLY.100+8@0:8 WRITE_FIRST.101+256@0:300 WRITE_LAST_IMM.102+44s#0");
    rig_free(r);
}

static void rc_write_zero_length_needs_no_key_and_no_range(void)
{
    struct rig_spec s = rig_spec();
    struct rig *r = rig_new(&s);
    struct xp_send_wr wr = rig_wr(r, A, (struct rig_op){.id = 1, .op = XP_WR_WRITE});
    wr.rkey ^= 0x1234567;
    wr.remote_addr = 0xfffffffffffffff0u;
    CHECK(xp_post_send(r->loop->end[A].core, r->qp[A], &wr, 0) == XP_OK);
    rig_run(r);
    TEXT_IS(rig_wcs(r, A), "1:0");
    TEXT_IS(rig_events(r, B), "");
    INT_IS(rig_query(r, B).msn, 1);
    rig_free(r);
}

static void rc_write_and_sends_complete_in_posting_order(void)
{
    struct rig_spec s = rig_spec();
    struct rig *r = rig_new(&s);
    rig_recvs(r, 11, 2, 1024);
    CHECK(rig_post(r, (struct rig_op){.id = 1, .op = XP_WR_WRITE, .len = 700, .dst = 4096}) ==
          XP_OK);
    CHECK(rig_post(r, (struct rig_op){.id = 2, .op = XP_WR_SEND, .len = 300}) == XP_OK);
    CHECK(rig_post(r, (struct rig_op){.id = 3, .op = XP_WR_WRITE_IMM, .len = 5, .dst = 8192}) ==
          XP_OK);
    CHECK(rig_post(r, (struct rig_op){.id = 4, .op = XP_WR_WRITE, .len = 0}) == XP_OK);
    rig_run(r);
    TEXT_IS(
        rig_packets(r, SHOW_ALL),
        "WRITE_FIRST.100+256@4096:700 WRITE_MIDDLE.101+256 WRITE_LAST.102+188 "
        "SEND_FIRST.103+256 SEND_LAST.104+44 WRITE_ONLY_IMM.105+5#0@8192:5 WRITE_ONLY.106+0@0:0 "
        "ack.102/1 ack.104/2 ack.105/3 ack.106/4");
    TEXT_IS(rig_wcs(r, A), "1:0 2:0 3:0 4:0");
    TEXT_IS(rig_rcs(r, B), "11:0/300 12:0/5#0");
    rig_free(r);
}

static void rc_write_up_to_the_last_byte_of_the_region_succeeds(void)
{
    struct rig_spec s = rig_spec();
    s.mtu = 1024;
    struct rig *r = rig_new(&s);
    CHECK(rig_post(
              r, (struct rig_op){
                     .id = 1, .op = XP_WR_WRITE, .len = 3000, .dst = RIG_REGION - 3000}) == XP_OK);
    rig_run(r);
    TEXT_IS(rig_wcs(r, A), "1:0");
    CU_ASSERT_TRUE(rig_same_bytes(r, 0, RIG_REGION - 3000, 3000));
    rig_free(r);
}

static const struct test tests[] = {TEST(rc_write_each_size_and_mtu_is_cut_as_listed),
                                    TEST(rc_write_imm_takes_one_receive_at_its_last_packet),
                                    TEST(rc_write_imm_completion_names_the_write),
                                    TEST(rc_write_imm_with_a_bad_receive_key_succeeds),
                                    TEST(rc_write_solicited_shows_only_with_an_immediate),
                                    TEST(rc_write_zero_length_needs_no_key_and_no_range),
                                    TEST(rc_write_and_sends_complete_in_posting_order),
                                    TEST(rc_write_up_to_the_last_byte_of_the_region_succeeds),
                                    TESTS_END};
const struct suite suite_rc_write = {"rc_write", tests};
