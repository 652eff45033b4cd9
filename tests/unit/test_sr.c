/* Selective repeat: what is kept, what is named, what is sent again, and which timer runs. */
#include "sim/base/check.h"
#include "tests/unit/rig.h"

static struct rig_spec spec_sr(void)
{
    struct rig_spec s = rig_spec();
    s.profile.recovery = XP_SELECTIVE;
    return s;
}

static struct rig *rig_sr(void)
{
    struct rig_spec s = spec_sr();
    return rig_new(&s);
}

static void drop(struct rig *r, int from, uint64_t nth)
{
    loop_script(r->loop, (struct loop_fault){.from = (uint16_t)from,
                                             .to = (uint16_t)!from,
                                             .nth = nth,
                                             .action = LOOP_DROP});
}

static void write_of(struct rig *r, uint64_t id, uint32_t len)
{
    CHECK(rig_post(r, (struct rig_op){.id = id, .op = XP_WR_WRITE, .len = len, .dst = 4096}) ==
          XP_OK);
}

/* ---- what is sent again ---- */

static void sr_one_loss_is_one_packet_again(void)
{
    struct rig *r = rig_sr();
    drop(r, A, 1);
    write_of(r, 1, 1280);
    rig_run(r);
    TEXT_IS(rig_packets(r, SHOW_ALL),
            "WRITE_FIRST.100+256@4096:1280 WRITE_MIDDLE.101+256x WRITE_MIDDLE.102+256 "
            "WRITE_MIDDLE.103+256 WRITE_LAST.104+256 nak0.101/102 nak0.101/103 nak0.101/104 "
            "WRITE_MIDDLE.101+256r ack.104/1");
    TEXT_IS(rig_wcs(r, A), "1:0");
    CU_ASSERT_TRUE(rig_same_bytes(r, 0, 4096, 1280));
    INT_IS(rig_query(r, A).sq_psn.v, 105);
    rig_free(r);
}

static void sr_several_losses_are_so_many_packets_again(void)
{
    struct rig *r = rig_sr();
    drop(r, A, 1);
    drop(r, A, 3);
    drop(r, A, 4);
    write_of(r, 1, 1792);
    rig_run(r);
    TEXT_IS(rig_packets(r, SHOW_ALL),
            "WRITE_FIRST.100+256@4096:1792 WRITE_MIDDLE.101+256x WRITE_MIDDLE.102+256 "
            "WRITE_MIDDLE.103+256x WRITE_MIDDLE.104+256x WRITE_MIDDLE.105+256 WRITE_LAST.106+256 "
            "nak0.101/102 nak0.101/105 nak0.101/106 "
            "WRITE_MIDDLE.101+256r WRITE_MIDDLE.103+256r WRITE_MIDDLE.104+256r "
            "ack.102/0 ack.103/0 ack.106/1");
    CU_ASSERT_TRUE(rig_same_bytes(r, 0, 4096, 1792));
    rig_free(r);
}

/* Nothing comes behind it that could tell: the timer does, and what was not acknowledged leaves again. */
static void sr_lost_tail_is_the_timers(void)
{
    struct rig *r = rig_sr();
    drop(r, A, 3);
    drop(r, A, 4);
    write_of(r, 1, 1280);
    rig_run(r);
    TEXT_IS(
        rig_packets(r, SHOW_REQUESTS),
        "WRITE_FIRST.100+256@4096:1280 WRITE_MIDDLE.101+256 WRITE_MIDDLE.102+256 "
        "WRITE_MIDDLE.103+256x WRITE_LAST.104+256x WRITE_FIRST.100+256@4096:1280r "
        "WRITE_MIDDLE.101+256r WRITE_MIDDLE.102+256r WRITE_MIDDLE.103+256r WRITE_LAST.104+256r");
    CU_ASSERT_TRUE(rig_same_bytes(r, 0, 4096, 1280));
    rig_free(r);
}

/* What has been named stays at the other end: after the timer it is not sent again. */
static void sr_lost_repetition_is_the_timers_and_what_was_named_stays(void)
{
    struct rig *r = rig_sr();
    drop(r, A, 1);
    drop(r, A, 5);
    write_of(r, 1, 1280);
    rig_run(r);
    TEXT_IS(rig_packets(r, SHOW_REQUESTS),
            "WRITE_FIRST.100+256@4096:1280 WRITE_MIDDLE.101+256x WRITE_MIDDLE.102+256 "
            "WRITE_MIDDLE.103+256 WRITE_LAST.104+256 WRITE_MIDDLE.101+256rx "
            "WRITE_MIDDLE.101+256r");
    TEXT_IS(rig_wcs(r, A), "1:0");
    CU_ASSERT_TRUE(rig_same_bytes(r, 0, 4096, 1280));
    rig_free(r);
}

/* While repairs are under way new requests follow, as far as the cap lets them. */
static void sr_new_packets_follow_the_repair(void)
{
    struct rig_spec s = spec_sr();
    s.gap_ps = TM_US;
    struct rig *r = rig_new(&s);
    drop(r, A, 1);
    write_of(r, 1, 1280);
    write_of(r, 2, 512);
    rig_run(r);
    TEXT_IS(rig_packets(r, SHOW_ALL),
            "WRITE_FIRST.100+256@4096:1280 WRITE_MIDDLE.101+256x WRITE_MIDDLE.102+256 "
            "WRITE_MIDDLE.103+256 nak0.101/102 WRITE_LAST.104+256 nak0.101/103 "
            "WRITE_MIDDLE.101+256r nak0.101/104 WRITE_FIRST.105+256@4096:512 ack.104/1 "
            "WRITE_LAST.106+256 ack.106/2");
    TEXT_IS(rig_wcs(r, A), "1:0 2:0");
    rig_free(r);
}

/*
 * A sweep under random loss showed it: a new packet, sent in recovery, had counted as the newest
 * repetition, and what was missing before it was left to the timer.
 */
static void sr_loss_that_shows_after_new_packets_left_is_repaired(void)
{
    struct rig_spec s = spec_sr();
    s.gap_ps = TM_US / 2;
    struct rig *r = rig_new(&s);
    drop(r, A, 1);
    drop(r, A, 4);
    write_of(r, 1, 2048);
    rig_run(r);
    TEXT_IS(rig_packets(r, SHOW_REQUESTS),
            "WRITE_FIRST.100+256@4096:2048 WRITE_MIDDLE.101+256x WRITE_MIDDLE.102+256 "
            "WRITE_MIDDLE.103+256 WRITE_MIDDLE.104+256x WRITE_MIDDLE.105+256 WRITE_MIDDLE.106+256 "
            "WRITE_MIDDLE.101+256r WRITE_LAST.107+256 WRITE_MIDDLE.104+256r");
    INT_IS(xp_counts(r->loop->end[A].core)->ack_timeouts, 0);
    rig_free(r);
}

/* A gap among what left in recovery outlasts it, and what was named behind that gap is not sent again. */
static void sr_gap_after_the_first_is_a_packet_again(void)
{
    struct rig_spec s = spec_sr();
    s.gap_ps = TM_US / 4;
    struct rig *r = rig_new(&s);
    drop(r, A, 1);
    drop(r, A, 9);
    drop(r, A, 13);
    write_of(r, 1, 20 * 256);
    rig_run(r);
    INT_IS(xp_counts(r->loop->end[A].core)->requests_retransmitted, 3);
    INT_IS(xp_counts(r->loop->end[A].core)->ack_timeouts, 0);
    CU_ASSERT_TRUE(rig_same_bytes(r, 0, 4096, 20 * 256));
    rig_free(r);
}

static void sr_cap_bounds_what_is_outstanding(void)
{
    struct rig_spec s = spec_sr();
    s.profile.irn.bdp_cap_packets = 2;
    struct rig *r = rig_new(&s);
    write_of(r, 1, 1024);
    rig_run(r);
    TEXT_IS(rig_packets(r, SHOW_ALL | SHOW_TIME),
            "0 WRITE_FIRST.100+256@4096:1024 0 WRITE_MIDDLE.101+256 1000000 ack.101/0 "
            "2000000 WRITE_MIDDLE.102+256 2000000 WRITE_LAST.103+256 3000000 ack.103/1");
    rig_free(r);
}

static void sr_numbers_wrap(void)
{
    struct rig_spec s = spec_sr();
    s.psn_a = 0xfffffe;
    struct rig *r = rig_new(&s);
    drop(r, A, 1);
    write_of(r, 1, 1280);
    rig_run(r);
    TEXT_IS(rig_packets(r, SHOW_ALL),
            "WRITE_FIRST.16777214+256@4096:1280 WRITE_MIDDLE.16777215+256x WRITE_MIDDLE.0+256 "
            "WRITE_MIDDLE.1+256 WRITE_LAST.2+256 nak0.16777215/0 nak0.16777215/1 nak0.16777215/2 "
            "WRITE_MIDDLE.16777215+256r ack.2/1");
    CU_ASSERT_TRUE(rig_same_bytes(r, 0, 4096, 1280));
    rig_free(r);
}

/* ---- what is kept ---- */

/* Messages that came whole wait for one before them; receives are taken in order. */
static void sr_messages_are_executed_in_order(void)
{
    struct rig *r = rig_sr();
    drop(r, A, 0);
    rig_recvs(r, 11, 3, 512);
    rig_sends(r, 1, 3, 300);
    rig_run_for(r, 1500 * TM_NS);
    TEXT_IS(rig_rcs(r, B), "");
    INT_IS(rig_query(r, B).recvs_waiting, 3);
    rig_run(r);
    TEXT_IS(rig_packets(r, SHOW_REQUESTS), "SEND_FIRST.100+256x SEND_LAST.101+44 "
                                           "SEND_FIRST.102+256 SEND_LAST.103+44 SEND_FIRST.104+256 "
                                           "SEND_LAST.105+44 SEND_FIRST.100+256r");
    TEXT_IS(rig_rcs(r, B), "11:0/300 12:0/300 13:0/300");
    TEXT_IS(rig_wcs(r, A), "1:0 2:0 3:0");
    CU_ASSERT_TRUE(rig_same_bytes(r, 0, 0, 300));
    CU_ASSERT_TRUE(rig_same_bytes(r, 600, 1024, 300));
    rig_free(r);
}

static void sr_read_and_atomic_behind_a_gap_wait_for_it(void)
{
    struct rig *r = rig_sr();
    drop(r, A, 0);
    write_of(r, 1, 256);
    CHECK(rig_post(r,
                   (struct rig_op){
                       .id = 2, .op = XP_WR_READ, .len = 300, .src = 16384, .dst = 4096}) == XP_OK);
    CHECK(rig_post(r, (struct rig_op){.id = 3,
                                      .op = XP_WR_FETCH_ADD,
                                      .len = 8,
                                      .src = 20000,
                                      .dst = 64000,
                                      .swap_or_add = 2}) == XP_OK);
    rig_run(r);
    TEXT_IS(rig_packets(r, SHOW_ALL),
            "WRITE_ONLY.100+256@4096:256x READ_REQUEST.101+0@4096:300 FETCH_ADD.103+0 nak0.100/101 "
            "nak0.100/103 WRITE_ONLY.100+256@4096:256r ack.100/1 READ_RESP_FIRST.101+256/2 "
            "READ_RESP_LAST.102+44/2 ATOMIC_ACK.103/3");
    TEXT_IS(rig_wcs(r, A), "1:0 2:0 3:0");
    rig_free(r);
}

/* The READ alone is asked for again, from the missing response on; what came behind it is not sent again. */
static void sr_lost_response_is_asked_for_alone(void)
{
    struct rig *r = rig_sr();
    CHECK(rig_post(r,
                   (struct rig_op){
                       .id = 1, .op = XP_WR_READ, .len = 600, .src = 16384, .dst = 4096}) == XP_OK);
    write_of(r, 2, 256);
    drop(r, B, 1);
    rig_run(r);
    TEXT_IS(rig_packets(r, SHOW_REQUESTS),
            "READ_REQUEST.100+0@4096:600 WRITE_ONLY.103+256@4096:256 READ_REQUEST.101+0@4352:344r");
    TEXT_IS(rig_wcs(r, A), "1:0 2:0");
    rig_free(r);
}

/* Behind an RNR NAK nothing is kept: all of it comes again. */
static void sr_rnr_nak_turns_away_what_follows(void)
{
    struct rig *r = rig_sr();
    rig_sends(r, 1, 2, 16);
    rig_run_for(r, 10 * TM_US);
    rig_recvs(r, 11, 2, 64);
    rig_run(r);
    TEXT_IS(rig_packets(r, SHOW_ALL),
            "SEND_ONLY.100+16 SEND_ONLY.101+16 rnr12.100/0 SEND_ONLY.100+16r "
            "SEND_ONLY.101+16r ack.100/1 ack.101/2");
    TEXT_IS(rig_rcs(r, B), "11:0/16 12:0/16");
    rig_free(r);
}

/* It was kept and named; when its turn comes there is no receive. */
static void sr_kept_packet_can_be_turned_away(void)
{
    struct rig *r = rig_sr();
    drop(r, A, 0);
    rig_recvs(r, 11, 1, 64);
    rig_sends(r, 1, 2, 16);
    rig_run_for(r, 10 * TM_US);
    rig_recvs(r, 12, 1, 64);
    rig_run(r);
    TEXT_IS(rig_packets(r, SHOW_ALL),
            "SEND_ONLY.100+16x SEND_ONLY.101+16 nak0.100/101 SEND_ONLY.100+16r "
            "ack.100/1 rnr12.101/1 SEND_ONLY.101+16r ack.101/2");
    TEXT_IS(rig_wcs(r, A), "1:0 2:0");
    TEXT_IS(rig_rcs(r, B), "11:0/16 12:0/16");
    rig_free(r);
}

/* A copy of a kept packet is named again, and kept once. */
static void sr_copy_of_a_kept_packet_is_kept_once(void)
{
    struct rig *r = rig_sr();
    drop(r, A, 0);
    loop_script(r->loop, (struct loop_fault){
                             .from = A, .to = B, .nth = 1, .action = LOOP_DUP, .delay_ps = 1});
    rig_recvs(r, 11, 3, 64);
    rig_sends(r, 1, 2, 16);
    rig_run_for(r, 1500 * TM_NS);
    INT_IS(rig_query(r, B).rq_psn.v, 100);
    INT_IS(xp_outstanding(r->loop->end[B].core), 5); /* receives, the connection, one packet */
    rig_run(r);
    TEXT_IS(rig_packets(r, SHOW_ANSWERS), "nak0.100/101 nak0.100/101 ack.101/2");

    TEXT_IS(rig_rcs(r, B), "11:0/16 12:0/16");
    rig_free(r);
}

/* There is room for 32 packets at this bench: the rest is dropped, and comes again. */
static void sr_without_room_it_goes_on(void)
{
    struct rig *r = rig_sr();
    drop(r, A, 0);
    write_of(r, 1, 256 * 50);
    rig_run(r);
    TEXT_IS(rig_wcs(r, A), "1:0");
    CU_ASSERT_TRUE(rig_same_bytes(r, 0, 4096, 256 * 50));
    rig_free(r);
}

static void sr_qp_that_is_reset_gives_up_what_it_kept(void)
{
    struct rig *r = rig_sr();
    drop(r, A, 0);
    write_of(r, 1, 768);
    rig_run_for(r, 1500 * TM_NS);
    CHECK(rig_state(r, B, XP_RESET) == XP_OK);
    INT_IS(xp_outstanding(r->loop->end[B].core), 0);
    rig_free(r);
}

/* ---- names in NAKs ---- */

/* One that names nothing sent, or an old one, is about the expected packet alone. */
static void sr_nak_that_names_no_packet_repeats_the_expected_one(void)
{
    static const uint32_t named[] = {100, 99, 104, 5000, 100 + 0x800000};
    for (size_t i = 0; i < sizeof named / sizeof *named; i++) {
        struct rig *r = rig_sr();
        write_of(r, 1, 1024);
        rig_run_for(r, 500 * TM_NS);
        rig_packets(r, SHOW_ALL);
        rig_inject(r, A, rig_answer(r, aeth_syndrome(AETH_NAK, NAK_PSN_SEQ), 100, named[i]));
        rig_run_for(r, 100 * TM_NS);
        TEXT_IS(rig_packets(r, SHOW_REQUESTS), "WRITE_FIRST.100+256@4096:1024r");
        rig_run(r);
        TEXT_IS(rig_wcs(r, A), "1:0");
        rig_free(r);
    }
}

static void sr_naks_cost_no_retry(void)
{
    struct rig_spec s = spec_sr();
    s.retry_cnt = 0;
    struct rig *r = rig_new(&s);
    drop(r, A, 1);
    drop(r, A, 6);
    write_of(r, 1, 1024);
    write_of(r, 2, 1024);
    rig_run(r);
    TEXT_IS(rig_wcs(r, A), "1:0 2:0");
    struct xp_qp_counts n;
    xp_qp_counts(r->loop->end[A].core, r->qp[A], &n);
    INT_IS(n.packet_seq_err, 1); /* one recovery */
    INT_IS(n.retransmitted, 2);
    rig_free(r);
}

/* ---- timers ---- */

static void sr_timer_is_short_with_little_outstanding(void)
{
    static const struct {
        uint32_t len;
        tm_ps again; /* 67.1 ms with more than three */
    } rows[] = {{768, 100 * TM_US}, {1024, 67108864 * TM_NS}};
    for (size_t i = 0; i < 2; i++) {
        struct rig *r = rig_sr();
        r->loop->dir[A][B].drop_mask = 0xf;
        write_of(r, 1, rows[i].len);
        rig_run(r);
        tm_ps again = 0;
        for (uint32_t k = 0; k < r->loop->records && !again; k++)
            again = r->loop->record[k].retransmit ? r->loop->record[k].at : 0;
        INT_IS(again, rows[i].again);
        TEXT_IS(rig_wcs(r, A), "1:0");
        INT_IS(xp_counts(r->loop->end[A].core)->ack_timeouts, i == 0 ? 2 : 1);
        rig_free(r);
    }
}

static void sr_timer_of_zero_leaves_the_long_one(void)
{
    struct rig_spec s = spec_sr();
    s.profile.irn.rto_low_ps = 0;
    struct rig *r = rig_new(&s);
    drop(r, A, 0);
    write_of(r, 1, 16);
    rig_run_for(r, 67 * TM_MS);
    TEXT_IS(rig_packets(r, SHOW_ALL), "WRITE_ONLY.100+16@4096:16x");
    rig_run(r);
    TEXT_IS(rig_wcs(r, A), "1:0");
    rig_free(r);
}

static const struct test tests[] = {TEST(sr_one_loss_is_one_packet_again),
                                    TEST(sr_several_losses_are_so_many_packets_again),
                                    TEST(sr_lost_tail_is_the_timers),
                                    TEST(sr_lost_repetition_is_the_timers_and_what_was_named_stays),
                                    TEST(sr_new_packets_follow_the_repair),
                                    TEST(sr_loss_that_shows_after_new_packets_left_is_repaired),
                                    TEST(sr_gap_after_the_first_is_a_packet_again),
    TEST(sr_cap_bounds_what_is_outstanding),
                                    TEST(sr_numbers_wrap),
                                    TEST(sr_messages_are_executed_in_order),
                                    TEST(sr_read_and_atomic_behind_a_gap_wait_for_it),
                                    TEST(sr_lost_response_is_asked_for_alone),
                                    TEST(sr_rnr_nak_turns_away_what_follows),
                                    TEST(sr_kept_packet_can_be_turned_away),
                                    TEST(sr_copy_of_a_kept_packet_is_kept_once),
                                    TEST(sr_without_room_it_goes_on),
                                    TEST(sr_qp_that_is_reset_gives_up_what_it_kept),
                                    TEST(sr_nak_that_names_no_packet_repeats_the_expected_one),
                                    TEST(sr_naks_cost_no_retry),
                                    TEST(sr_timer_is_short_with_little_outstanding),
                                    TEST(sr_timer_of_zero_leaves_the_long_one),
                                    TESTS_END};
const struct suite suite_sr = {"sr", tests};
