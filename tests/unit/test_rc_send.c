/*
 * RC SENDs without trouble: how a message becomes packets, what the receiver gets, what completes.
 */
#include <stdio.h>

#include "sim/base/check.h"
#include "tests/unit/rig.h"

static const struct {
    uint16_t mtu;
    uint32_t len;
    const char *packets;
} cut[] = {
    {256, 0, "SEND_ONLY.100+0!"},
    {256, 1, "SEND_ONLY.100+1!"},
    {256, 255, "SEND_ONLY.100+255!"},
    {256, 256, "SEND_ONLY.100+256!"},
    {256, 257, "SEND_FIRST.100+256 SEND_LAST.101+1!"},
    {256, 1024, "SEND_FIRST.100+256 SEND_MIDDLE.101+256 SEND_MIDDLE.102+256 SEND_LAST.103+256!"},
    {512, 0, "SEND_ONLY.100+0!"},
    {512, 1, "SEND_ONLY.100+1!"},
    {512, 511, "SEND_ONLY.100+511!"},
    {512, 512, "SEND_ONLY.100+512!"},
    {512, 513, "SEND_FIRST.100+512 SEND_LAST.101+1!"},
    {512, 2048, "SEND_FIRST.100+512 SEND_MIDDLE.101+512 SEND_MIDDLE.102+512 SEND_LAST.103+512!"},
    {1024, 0, "SEND_ONLY.100+0!"},
    {1024, 1, "SEND_ONLY.100+1!"},
    {1024, 1023, "SEND_ONLY.100+1023!"},
    {1024, 1024, "SEND_ONLY.100+1024!"},
    {1024, 1025, "SEND_FIRST.100+1024 SEND_LAST.101+1!"},
    {1024, 4096,
     "SEND_FIRST.100+1024 SEND_MIDDLE.101+1024 "
     "SEND_MIDDLE.102+1024 SEND_LAST.103+1024!"},
    {2048, 0, "SEND_ONLY.100+0!"},
    {2048, 1, "SEND_ONLY.100+1!"},
    {2048, 2047, "SEND_ONLY.100+2047!"},
    {2048, 2048, "SEND_ONLY.100+2048!"},
    {2048, 2049, "SEND_FIRST.100+2048 SEND_LAST.101+1!"},
    {2048, 8192,
     "SEND_FIRST.100+2048 SEND_MIDDLE.101+2048 "
     "SEND_MIDDLE.102+2048 SEND_LAST.103+2048!"},
    {4096, 0, "SEND_ONLY.100+0!"},
    {4096, 1, "SEND_ONLY.100+1!"},
    {4096, 4095, "SEND_ONLY.100+4095!"},
    {4096, 4096, "SEND_ONLY.100+4096!"},
    {4096, 4097, "SEND_FIRST.100+4096 SEND_LAST.101+1!"},
    {4096, 16384,
     "SEND_FIRST.100+4096 SEND_MIDDLE.101+4096 "
     "SEND_MIDDLE.102+4096 SEND_LAST.103+4096!"},
};

static void rc_send_each_size_and_mtu_is_cut_as_listed(void)
{
    for (size_t i = 0; i < sizeof cut / sizeof cut[0]; i++) {
        char where[40], received[40];
        struct rig_spec s = rig_spec();
        s.mtu = cut[i].mtu;
        struct rig *r = rig_new(&s);
        CHECK(rig_recv(r, 11, 64, 16384) == XP_OK);
        CHECK(rig_post(r, (struct rig_op){
                              .id = 1, .op = XP_WR_SEND, .len = cut[i].len, .src = 3}) == XP_OK);
        rig_run(r);
        snprintf(where, sizeof where, "mtu %u len %u", cut[i].mtu, cut[i].len);
        snprintf(received, sizeof received, "11:0/%u", cut[i].len);
        ROW_TEXT(where, rig_packets(r, SHOW_REQUESTS | SHOW_ACKREQ), cut[i].packets);
        ROW_TEXT(where, rig_wcs(r, A), "1:0");
        ROW_TEXT(where, rig_rcs(r, B), received);
        CU_ASSERT_TRUE(rig_same_bytes(r, 3, 64, cut[i].len));
        CU_ASSERT_TRUE(rig_untouched(r, 64 + cut[i].len, 64));
        INT_IS(r->loop->end[B].bytes_placed, cut[i].len);
        rig_free(r);
    }
}

static void rc_send_one_message_is_answered_by_one_ack(void)
{
    struct rig_spec s = rig_spec();
    struct rig *r = rig_new(&s);
    rig_recvs(r, 11, 1, 1024);
    rig_sends(r, 1, 1, 1024);
    rig_run(r);
    TEXT_IS(rig_packets(r, SHOW_ALL | SHOW_ACKREQ | SHOW_TIME),
            "0 SEND_FIRST.100+256 0 SEND_MIDDLE.101+256 0 SEND_MIDDLE.102+256 0 SEND_LAST.103+256! "
            "1000000 ack.103/1");
    INT_IS(r->loop->now, 2 * RIG_DELAY); /* and no timer is left running */
    rig_free(r);
}

static void rc_send_headers_of_a_packet_are_the_connections(void)
{
    struct rig_spec s = rig_spec();
    struct rig *r = rig_new(&s);
    rig_recvs(r, 11, 1, 1024);
    rig_sends(r, 1, 1, 300);
    rig_run(r);
    for (uint32_t i = 0; i < 3; i++) {
        const struct loop_record *p = &r->loop->record[i];
        INT_IS(p->h.dest_qp, r->qp[p->to]);
        INT_IS(p->h.pkey, 0xffff);
        INT_IS(p->h.tver, 0);
        INT_IS(p->h.flags & (WIRE_FECN | WIRE_BECN | WIRE_SE), 0);
        INT_IS(p->h.flags & WIRE_MIGREQ, WIRE_MIGREQ);
        INT_IS(wire_prefix_of(p->h.opcode), WIRE_RC);
        INT_IS(p->to, i < 2 ? B : A);
    }
    INT_IS(r->loop->records, 3);
    INT_IS(r->loop->record[2].h.flags & WIRE_ACKREQ, 0); /* only in requests */
    rig_free(r);
}

static void rc_send_immediate_rides_on_the_last_packet(void)
{
    static const struct {
        uint32_t len;
        const char *packets, *received;
    } rows[] = {
        {0, "SEND_ONLY_IMM.100+0#3735928559", "11:0/0#3735928559"},
        {256, "SEND_ONLY_IMM.100+256#3735928559", "11:0/256#3735928559"},
        {257, "SEND_FIRST.100+256 SEND_LAST_IMM.101+1#3735928559", "11:0/257#3735928559"},
    };
    for (int i = 0; i < 3; i++) {
        struct rig_spec s = rig_spec();
        struct rig *r = rig_new(&s);
        rig_recvs(r, 11, 1, 1024);
        CHECK(rig_post(r,
                       (struct rig_op){
                           .id = 1, .op = XP_WR_SEND_IMM, .len = rows[i].len, .imm = 0xdeadbeef}) ==
              XP_OK);
        rig_run(r);
        ROW_TEXT(rows[i].packets, rig_packets(r, SHOW_REQUESTS), rows[i].packets);
        ROW_TEXT(rows[i].packets, rig_rcs(r, B), rows[i].received);
        ROW_TEXT(rows[i].packets, rig_wcs(r, A), "1:0");
        rig_free(r);
    }
}

static void rc_send_solicited_marks_the_last_packet_alone(void)
{
    struct rig_spec s = rig_spec();
    struct rig *r = rig_new(&s);
    rig_recvs(r, 11, 2, 1024);
    CHECK(rig_post(r, (struct rig_op){.id = 1, .op = XP_WR_SEND, .len = 600, .solicited = true}) ==
          XP_OK);
    CHECK(rig_post(r, (struct rig_op){
                          .id = 2, .op = XP_WR_SEND_IMM, .len = 8, .solicited = true}) == XP_OK);
    rig_run(r);
    TEXT_IS(rig_packets(r, SHOW_REQUESTS),
            "SEND_FIRST.100+256 SEND_MIDDLE.101+256 SEND_LAST.102+88s SEND_ONLY_IMM.103+8s#0");
    rig_free(r);
}

static void rc_send_unsignalled_success_completes_in_silence(void)
{
    struct rig_spec s = rig_spec();
    s.depth = 4;
    struct rig *r = rig_new(&s);
    for (uint64_t round = 0; round < 3; round++) { /* the queue's room comes back without polling */
        rig_recvs(r, 11, 4, 16);
        for (uint64_t id = 1; id <= 4; id++)
            INT_IS(rig_post(r,
                            (struct rig_op){
                                .id = id, .op = XP_WR_SEND, .len = 16, .unsignalled = id != 3}),
                   XP_OK);
        rig_run(r);
        TEXT_IS(rig_wcs(r, A), "3:0");
        TEXT_IS(rig_rcs(r, B), "11:0/16 12:0/16 13:0/16 14:0/16");
    }
    rig_free(r);
}

static void rc_send_psn_passes_the_end_of_the_circle(void)
{
    struct rig_spec s = rig_spec();
    s.psn_a = 0xfffffe;
    struct rig *r = rig_new(&s);
    rig_recvs(r, 11, 2, 1024);
    rig_sends(r, 1, 1, 1024);
    rig_sends(r, 2, 1, 1);
    rig_run(r);
    TEXT_IS(rig_packets(r, SHOW_ALL),
            "SEND_FIRST.16777214+256 SEND_MIDDLE.16777215+256 SEND_MIDDLE.0+256 SEND_LAST.1+256 "
            "SEND_ONLY.2+1 ack.1/1 ack.2/2");
    TEXT_IS(rig_wcs(r, A), "1:0 2:0");
    TEXT_IS(rig_rcs(r, B), "11:0/1024 12:0/1");
    INT_IS(rig_query(r, A).sq_psn.v, 3);
    INT_IS(rig_query(r, B).rq_psn.v, 3);
    INT_IS(rig_query(r, B).msn, 2);
    rig_free(r);
}

static void rc_send_ackreq_comes_at_least_every_nth_packet(void)
{
    static const uint32_t every[] = {1, 2, 3, 5};
    for (int k = 0; k < 4; k++) {
        struct rig_spec s = rig_spec();
        s.profile.ackreq_packets = every[k];
        struct rig *r = rig_new(&s);
        rig_recvs(r, 11, 1, 4096);
        rig_sends(r, 1, 1, 12 * 256);
        rig_run(r);
        uint32_t silent = 0, requests = 0;
        for (uint32_t i = 0; i < r->loop->records; i++) {
            const struct loop_record *p = &r->loop->record[i];
            if (p->response)
                continue;
            requests++;
            silent = p->h.flags & WIRE_ACKREQ ? 0 : silent + 1;
            CU_ASSERT_TRUE(silent < every[k]);
        }
        INT_IS(requests, 12);
        INT_IS(silent, 0); /* the last packet asks */
        rig_free(r);
    }
}

static void rc_send_window_bounds_what_is_outstanding(void)
{
    struct rig_spec s = rig_spec();
    s.profile.window_packets = 4;
    s.profile.ackreq_packets = 2;
    struct rig *r = rig_new(&s);
    rig_recvs(r, 11, 1, 4096);
    rig_sends(r, 1, 1, 10 * 256);
    rig_run_for(r, RIG_DELAY - 1);
    TEXT_IS(rig_packets(r, SHOW_ALL),
            "SEND_FIRST.100+256 SEND_MIDDLE.101+256 SEND_MIDDLE.102+256 SEND_MIDDLE.103+256");
    INT_IS(rig_query(r, A).sq_psn.v, 104);
    rig_run(r);
    TEXT_IS(rig_wcs(r, A), "1:0");
    INT_IS(xp_counts(r->loop->end[A].core)->ack_timeouts, 0);
    INT_IS(xp_counts(r->loop->end[A].core)->request_packets, 10);
    rig_free(r);
}

static void rc_send_window_below_the_ackreq_interval_does_not_stall(void)
{
    struct rig_spec s = rig_spec();
    s.profile.window_packets = 3;
    s.profile.ackreq_packets = 16;
    struct rig *r = rig_new(&s);
    rig_recvs(r, 11, 1, 4096);
    rig_sends(r, 1, 1, 10 * 256);
    rig_run(r);
    TEXT_IS(rig_wcs(r, A), "1:0");
    INT_IS(xp_counts(r->loop->end[A].core)->ack_timeouts, 0);
    rig_free(r);
}

static void rc_send_both_ways_at_once_keeps_two_psn_spaces(void)
{
    struct rig_spec s = rig_spec();
    struct rig *r = rig_new(&s);
    struct xp_recv_wr rwr = {.wr_id = 21, .sge = {RIG_BASE + 8192, 600, r->key[A]}};
    CHECK(xp_post_recv(r->loop->end[A].core, r->qp[A], &rwr, 0) == XP_OK);
    struct xp_send_wr wr = rig_wr(r, B, (struct rig_op){.id = 2, .op = XP_WR_SEND, .len = 500});
    CHECK(xp_post_send(r->loop->end[B].core, r->qp[B], &wr, 0) == XP_OK);
    rig_recvs(r, 11, 1, 600);
    rig_sends(r, 1, 1, 300);
    rig_run(r);
    TEXT_IS(rig_packets(r, SHOW_ALL), "SEND_FIRST.100+256 SEND_LAST.101+44 SEND_FIRST.5000+256 "
                                      "SEND_LAST.5001+244 ack.101/1 ack.5001/1");
    TEXT_IS(rig_wcs(r, A), "1:0");
    TEXT_IS(rig_wcs(r, B), "2:0");
    TEXT_IS(rig_rcs(r, A), "21:0/500");
    TEXT_IS(rig_rcs(r, B), "11:0/300");
    rig_free(r);
}

/* A field that an opcode does not have is 0 in its header. */
static void rc_send_fields_of_other_headers_are_zero(void)
{
    struct rig_spec s = rig_spec();
    struct rig *r = rig_new(&s);
    rig_recvs(r, 11, 1, 8);
    CHECK(rig_post(r, (struct rig_op){
                          .id = 1, .op = XP_WR_WRITE_IMM, .len = 700, .imm = 0xffffffff}) == XP_OK);
    rig_run(r);
    INT_IS(r->loop->records, 4);
    for (uint32_t i = 0; i < 4; i++) { /* First, Middle, Last with immediate, ACK */
        const struct wire_hdr *h = &r->loop->record[i].h;
        INT_IS(h->imm, i == 2 ? 0xffffffff : 0);
        INT_IS(h->va, i == 0 ? RIG_BASE : 0);
        INT_IS(h->rkey, i == 0 ? r->key[B] : 0);
        INT_IS(h->dmalen, i == 0 ? 700 : 0);
        INT_IS(h->syndrome, i == 3 ? 0x1f : 0);
        INT_IS(h->msn, i == 3 ? 1 : 0);
    }
    rig_free(r);
}

static void rc_send_migreq_is_the_profiles(void)
{
    struct rig_spec s = rig_spec();
    s.profile.migrated = false;
    struct rig *r = rig_new(&s);
    rig_recvs(r, 11, 1, 8);
    rig_sends(r, 1, 1, 8);
    rig_run(r);
    INT_IS(r->loop->record[0].h.flags, WIRE_ACKREQ);
    INT_IS(r->loop->record[1].h.flags, 0);
    TEXT_IS(rig_wcs(r, A), "1:0"); /* nobody looks at it */
    rig_free(r);
}

/* 2^31 bytes are a legal length; this one is longer than its region. */
static void rc_send_longest_length_is_taken(void)
{
    struct rig_spec s = rig_spec();
    struct rig *r = rig_new(&s);
    INT_IS(rig_post(r, (struct rig_op){.id = 1, .op = XP_WR_SEND, .len = 0x80000001u}), XP_EINVAL);
    INT_IS(rig_post(r, (struct rig_op){.id = 2, .op = XP_WR_SEND, .len = 0x80000000u}), XP_OK);
    rig_run(r);
    TEXT_IS(rig_wcs(r, A), "2:4");
    TEXT_IS(rig_packets(r, SHOW_ALL), "");
    rig_free(r);
}

static void rc_send_completion_carries_the_requests_notes(void)
{
    struct rig_spec s = rig_spec();
    struct rig *r = rig_new(&s);
    struct xp_wc wc;
    rig_recvs(r, 11, 1, 600);
    rig_sends(r, 5, 1, 300);
    rig_run(r);
    INT_IS(xp_completions(r->loop->end[A].core), 1);
    INT_IS(xp_poll_cq(r->loop->end[A].core, r->scq[A], &wc, 1), 1);
    INT_IS(wc.wr_id, 5);
    INT_IS(wc.tag, 1005);
    INT_IS(wc.msgno, 5);
    INT_IS(wc.op, XP_WC_SEND);
    INT_IS(wc.qpn, r->qp[A]);
    INT_IS(xp_completions(r->loop->end[A].core), 0);
    INT_IS(xp_poll_cq(r->loop->end[B].core, r->rcq[B], &wc, 1), 1);
    INT_IS(wc.op, XP_WC_RECV);
    INT_IS(wc.qpn, r->qp[B]);
    INT_IS(wc.flags, 0);
    rig_free(r);
}

static const struct test tests[] = {TEST(rc_send_each_size_and_mtu_is_cut_as_listed),
                                    TEST(rc_send_one_message_is_answered_by_one_ack),
                                    TEST(rc_send_headers_of_a_packet_are_the_connections),
                                    TEST(rc_send_immediate_rides_on_the_last_packet),
                                    TEST(rc_send_solicited_marks_the_last_packet_alone),
                                    TEST(rc_send_unsignalled_success_completes_in_silence),
                                    TEST(rc_send_psn_passes_the_end_of_the_circle),
                                    TEST(rc_send_ackreq_comes_at_least_every_nth_packet),
                                    TEST(rc_send_window_bounds_what_is_outstanding),
                                    TEST(rc_send_window_below_the_ackreq_interval_does_not_stall),
                                    TEST(rc_send_both_ways_at_once_keeps_two_psn_spaces),
                                    TEST(rc_send_fields_of_other_headers_are_zero),
                                    TEST(rc_send_migreq_is_the_profiles),
                                    TEST(rc_send_longest_length_is_taken),
                                    TEST(rc_send_completion_carries_the_requests_notes),
                                    TESTS_END};
const struct suite suite_rc_send = {"rc_send", tests};
