/* Selective repeat: what is named, what is sent again, and which timer runs. */
#include "sim/base/check.h"
#include "tests/unit/srbed.h"

static void sr_one_loss_is_one_packet_again(void)
{
    struct rig *r = srbed_new();
    srbed_drop(r, A, 1);
    srbed_write(r, 1, 1280);
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
    struct rig *r = srbed_new();
    srbed_drop(r, A, 1);
    srbed_drop(r, A, 3);
    srbed_drop(r, A, 4);
    srbed_write(r, 1, 1792);
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
    struct rig *r = srbed_new();
    srbed_drop(r, A, 3);
    srbed_drop(r, A, 4);
    srbed_write(r, 1, 1280);
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
    struct rig *r = srbed_new();
    srbed_drop(r, A, 1);
    srbed_drop(r, A, 5);
    srbed_write(r, 1, 1280);
    rig_run(r);
    TEXT_IS(rig_packets(r, SHOW_REQUESTS),
            "WRITE_FIRST.100+256@4096:1280 WRITE_MIDDLE.101+256x WRITE_MIDDLE.102+256 "
            "WRITE_MIDDLE.103+256 WRITE_LAST.104+256 WRITE_MIDDLE.101+256rx "
            "WRITE_MIDDLE.101+256r");
    TEXT_IS(rig_wcs(r, A), "1:0");
    CU_ASSERT_TRUE(rig_same_bytes(r, 0, 4096, 1280));
    rig_free(r);
}

/* Another repetition, sent after it, is named: what is missing before that one leaves once more. */
static void sr_lost_repetition_shows_when_a_later_one_is_named(void)
{
    struct rig *r = srbed_new();
    srbed_drop(r, A, 1);
    srbed_drop(r, A, 3);
    srbed_drop(r, A, 4);
    srbed_drop(r, A, 6);
    srbed_write(r, 1, 1536);
    rig_run(r);
    TEXT_IS(rig_packets(r, SHOW_ALL),
            "WRITE_FIRST.100+256@4096:1536 WRITE_MIDDLE.101+256x WRITE_MIDDLE.102+256 "
            "WRITE_MIDDLE.103+256x WRITE_MIDDLE.104+256x WRITE_LAST.105+256 nak0.101/102 "
            "nak0.101/105 WRITE_MIDDLE.101+256rx WRITE_MIDDLE.103+256r WRITE_MIDDLE.104+256r "
            "nak0.101/103 nak0.101/104 WRITE_MIDDLE.101+256r ack.105/1");
    INT_IS(xp_counts(r->loop->end[A].core)->ack_timeouts, 0);
    CU_ASSERT_TRUE(rig_same_bytes(r, 0, 4096, 1536));
    rig_free(r);
}

/* What was dropped behind an RNR NAK comes again, and a loss among that is a loss as any other. */
static void sr_loss_after_an_rnr_wait_is_one_packet_again(void)
{
    struct rig *r = srbed_new();
    srbed_drop(r, A, 4);
    rig_sends(r, 1, 3, 16);
    rig_run_for(r, 10 * TM_US);
    rig_recvs(r, 11, 3, 64);
    rig_run(r);
    TEXT_IS(rig_packets(r, SHOW_ALL),
            "SEND_ONLY.100+16 SEND_ONLY.101+16 SEND_ONLY.102+16 rnr12.100/0 SEND_ONLY.100+16r "
            "SEND_ONLY.101+16rx SEND_ONLY.102+16r ack.100/1 nak0.101/102 SEND_ONLY.101+16r "
            "ack.102/3");
    TEXT_IS(rig_rcs(r, B), "11:0/16 12:0/16 13:0/16");
    INT_IS(xp_counts(r->loop->end[A].core)->ack_timeouts, 0);
    rig_free(r);
}

/* A NAK that does not arrive names nothing: its packet is sent again, and is a duplicate there. */
static void sr_lost_nak_costs_the_packet_it_named(void)
{
    struct rig *r = srbed_new();
    srbed_drop(r, A, 1);
    srbed_drop(r, B, 0);
    srbed_write(r, 1, 1280);
    rig_run(r);
    TEXT_IS(rig_packets(r, SHOW_ALL),
            "WRITE_FIRST.100+256@4096:1280 WRITE_MIDDLE.101+256x WRITE_MIDDLE.102+256 "
            "WRITE_MIDDLE.103+256 WRITE_LAST.104+256 nak0.101/102x nak0.101/103 nak0.101/104 "
            "WRITE_MIDDLE.101+256r WRITE_MIDDLE.102+256r ack.104/1 ack.104/1");
    TEXT_IS(rig_wcs(r, A), "1:0");
    CU_ASSERT_TRUE(rig_same_bytes(r, 0, 4096, 1280));
    rig_free(r);
}

/* Then the timer is left: what waits at the other end comes twice, and is executed once. */
static void sr_naks_that_are_all_lost_are_the_timers(void)
{
    struct rig *r = srbed_new();
    srbed_drop(r, A, 0);
    for (uint64_t i = 0; i < 3; i++)
        srbed_drop(r, B, i);
    rig_recvs(r, 11, 4, 64);
    rig_sends(r, 1, 4, 16);
    rig_run(r);
    TEXT_IS(rig_packets(r, SHOW_REQUESTS),
            "SEND_ONLY.100+16x SEND_ONLY.101+16 SEND_ONLY.102+16 SEND_ONLY.103+16 "
            "SEND_ONLY.100+16r SEND_ONLY.101+16r SEND_ONLY.102+16r SEND_ONLY.103+16r");
    TEXT_IS(rig_rcs(r, B), "11:0/16 12:0/16 13:0/16 14:0/16");
    TEXT_IS(rig_wcs(r, A), "1:0 2:0 3:0 4:0");
    INT_IS(xp_counts(r->loop->end[A].core)->ack_timeouts, 1);
    rig_free(r);
}

/* While repairs are under way new requests follow, as far as the cap lets them. */
static void sr_new_packets_follow_the_repair(void)
{
    struct rig_spec s = srbed_spec();
    s.gap_ps = TM_US;
    struct rig *r = rig_new(&s);
    srbed_drop(r, A, 1);
    srbed_write(r, 1, 1280);
    srbed_write(r, 2, 512);
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
    struct rig_spec s = srbed_spec();
    s.gap_ps = TM_US / 2;
    struct rig *r = rig_new(&s);
    srbed_drop(r, A, 1);
    srbed_drop(r, A, 4);
    srbed_write(r, 1, 2048);
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
    struct rig_spec s = srbed_spec();
    s.gap_ps = TM_US / 4;
    struct rig *r = rig_new(&s);
    srbed_drop(r, A, 1);
    srbed_drop(r, A, 9);
    srbed_drop(r, A, 13);
    srbed_write(r, 1, 20 * 256);
    rig_run(r);
    INT_IS(xp_counts(r->loop->end[A].core)->requests_retransmitted, 3);
    INT_IS(xp_counts(r->loop->end[A].core)->ack_timeouts, 0);
    CU_ASSERT_TRUE(rig_same_bytes(r, 0, 4096, 20 * 256));
    rig_free(r);
}

static void sr_cap_bounds_what_is_outstanding(void)
{
    struct rig_spec s = srbed_spec();
    s.profile.irn.bdp_cap_packets = 2;
    struct rig *r = rig_new(&s);
    srbed_write(r, 1, 1024);
    rig_run(r);
    TEXT_IS(rig_packets(r, SHOW_ALL | SHOW_TIME),
            "0 WRITE_FIRST.100+256@4096:1024 0 WRITE_MIDDLE.101+256 1000000 ack.101/0 "
            "2000000 WRITE_MIDDLE.102+256 2000000 WRITE_LAST.103+256 3000000 ack.103/1");
    rig_free(r);
}

static void sr_numbers_wrap(void)
{
    struct rig_spec s = srbed_spec();
    s.psn_a = 0xfffffe;
    struct rig *r = rig_new(&s);
    srbed_drop(r, A, 1);
    srbed_write(r, 1, 1280);
    rig_run(r);
    TEXT_IS(rig_packets(r, SHOW_ALL),
            "WRITE_FIRST.16777214+256@4096:1280 WRITE_MIDDLE.16777215+256x WRITE_MIDDLE.0+256 "
            "WRITE_MIDDLE.1+256 WRITE_LAST.2+256 nak0.16777215/0 nak0.16777215/1 nak0.16777215/2 "
            "WRITE_MIDDLE.16777215+256r ack.2/1");
    CU_ASSERT_TRUE(rig_same_bytes(r, 0, 4096, 1280));
    rig_free(r);
}

/* One that names nothing sent, or an old one, is about the expected packet alone. */
static void sr_nak_that_names_no_packet_repeats_the_expected_one(void)
{
    static const uint32_t named[] = {100, 99, 104, 5000, 100 + 0x800000};
    for (size_t i = 0; i < sizeof named / sizeof *named; i++) {
        struct rig *r = srbed_new();
        srbed_write(r, 1, 1024);
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
    struct rig_spec s = srbed_spec();
    s.retry_cnt = 0;
    struct rig *r = rig_new(&s);
    srbed_drop(r, A, 1);
    srbed_drop(r, A, 6);
    srbed_write(r, 1, 1024);
    srbed_write(r, 2, 1024);
    rig_run(r);
    TEXT_IS(rig_wcs(r, A), "1:0 2:0");
    struct xp_qp_counts n;
    xp_qp_counts(r->loop->end[A].core, r->qp[A], &n);
    INT_IS(n.packet_seq_err, 1); /* one recovery */
    INT_IS(n.retransmitted, 2);
    rig_free(r);
}

static void sr_timer_is_short_with_little_outstanding(void)
{
    static const struct {
        uint32_t len;
        tm_ps again; /* 67.1 ms with more than three */
    } rows[] = {{768, 100 * TM_US}, {1024, 67108864 * TM_NS}};
    for (size_t i = 0; i < 2; i++) {
        struct rig *r = srbed_new();
        r->loop->dir[A][B].drop_mask = 0xf;
        srbed_write(r, 1, rows[i].len);
        rig_run(r);
        tm_ps again = 0;
        for (uint32_t k = 0; k < r->loop->records && !again; k++)
            again = r->loop->record[k].retransmit ? r->loop->record[k].at : 0;
        INT_IS(again, rows[i].again);
        TEXT_IS(rig_wcs(r, A), "1:0");
        INT_IS(xp_counts(r->loop->end[A].core)->ack_timeouts, 1);
        rig_free(r);
    }
}

static void sr_timer_of_zero_leaves_the_long_one(void)
{
    struct rig_spec s = srbed_spec();
    s.profile.irn.rto_low_ps = 0;
    struct rig *r = rig_new(&s);
    srbed_drop(r, A, 0);
    srbed_write(r, 1, 16);
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
                                    TEST(sr_lost_repetition_shows_when_a_later_one_is_named),
                                    TEST(sr_loss_after_an_rnr_wait_is_one_packet_again),
                                    TEST(sr_lost_nak_costs_the_packet_it_named),
                                    TEST(sr_naks_that_are_all_lost_are_the_timers),
                                    TEST(sr_new_packets_follow_the_repair),
                                    TEST(sr_loss_that_shows_after_new_packets_left_is_repaired),
                                    TEST(sr_gap_after_the_first_is_a_packet_again),
                                    TEST(sr_cap_bounds_what_is_outstanding),
                                    TEST(sr_numbers_wrap),
                                    TEST(sr_nak_that_names_no_packet_repeats_the_expected_one),
                                    TEST(sr_naks_cost_no_retry),
                                    TEST(sr_timer_is_short_with_little_outstanding),
                                    TEST(sr_timer_of_zero_leaves_the_long_one),
                                    TESTS_END};
const struct suite suite_sr = {"sr", tests};
