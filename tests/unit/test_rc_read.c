/*
 * READ and atomics of RC: requester, responder and completer together, and each alone against
 * packets made by hand (IBA 9.7.5.1, 9.7.3.1).
 */
#include "tests/unit/rig.h"

#include <string.h>

#include "sim/base/check.h"

static struct rig *rig_rd(uint8_t depth)
{
    struct rig_spec s = rig_spec();
    s.rd_atomic = depth;
    struct rig *r = rig_new(&s);
    for (uint32_t i = 0; i < RIG_REGION; i++)
        r->loop->end[B].arena[RIG_BASE + i] = (uint8_t)(i * 5 + (i >> 8) * 11 + 3);
    return r;
}

static void post(struct rig *r, struct rig_op op) { CHECK(rig_post(r, op) == XP_OK); }

static void post_read(struct rig *r, uint64_t id, uint32_t len, uint32_t from, uint32_t to)
{
    post(r, (struct rig_op){.id = id, .op = XP_WR_READ, .len = len, .src = to, .dst = from});
}

static uint64_t word_at(const struct rig *r, int end, uint32_t at)
{
    uint64_t v;
    memcpy(&v, r->loop->end[end].arena + RIG_BASE + at, sizeof v);
    return v;
}

static void word_put(struct rig *r, int end, uint32_t at, uint64_t v)
{
    memcpy(r->loop->end[end].arena + RIG_BASE + at, &v, sizeof v);
}

static void drop(struct rig *r, int from, uint64_t nth)
{
    loop_script(r->loop, (struct loop_fault){.from = (uint16_t)from,
                                             .to = (uint16_t)!from,
                                             .nth = nth,
                                             .action = LOOP_DROP});
}

static void rc_read_of_three_packets_takes_three_psns(void)
{
    struct rig *r = rig_rd(4);
    post_read(r, 1, 600, 0, 4096);
    post(r, (struct rig_op){.id = 2, .op = XP_WR_WRITE, .len = 8, .dst = 8192});
    rig_run(r);
    TEXT_IS(rig_packets(r, SHOW_ALL | SHOW_ACKREQ),
            "READ_REQUEST.100+0!@0:600 WRITE_ONLY.103+8!@8192:8 READ_RESP_FIRST.100+256/1 "
            "READ_RESP_MIDDLE.101+256 READ_RESP_LAST.102+88/1 ack.103/2");
    TEXT_IS(rig_wcs(r, A), "1:0 2:0");
    CU_ASSERT_TRUE(rig_same_bytes(r, 4096, 0, 600));
    rig_free(r);
}

static void rc_read_of_nothing_takes_one_psn_and_any_key(void)
{
    struct rig *r = rig_rd(4);
    struct xp_send_wr wr = rig_wr(r, A, (struct rig_op){.id = 1, .op = XP_WR_READ});
    wr.rkey = 1;
    wr.sge.lkey = 1;
    CHECK(xp_post_send(r->loop->end[A].core, r->qp[A], &wr, r->loop->now) == XP_OK);
    rig_run(r);
    TEXT_IS(rig_packets(r, SHOW_ALL), "READ_REQUEST.100+0@0:0 READ_RESP_ONLY.100+0/1");
    TEXT_IS(rig_wcs(r, A), "1:0");
    INT_IS(rig_query(r, B).rq_psn.v, 101);
    rig_free(r);
}

static void rc_read_that_loses_a_middle_asks_for_the_rest(void)
{
    struct rig *r = rig_rd(4);
    drop(r, B, 1);
    post_read(r, 1, 1024, 0, 4096);
    rig_run(r);
    /* The third response is ahead of the one expected: an implied NAK, at once. */
    TEXT_IS(rig_packets(r, SHOW_ALL),
            "READ_REQUEST.100+0@0:1024 READ_RESP_FIRST.100+256/1 READ_RESP_MIDDLE.101+256x "
            "READ_RESP_MIDDLE.102+256 READ_RESP_LAST.103+256/1 READ_REQUEST.101+0@256:768r "
            "READ_RESP_FIRST.101+256/1 READ_RESP_MIDDLE.102+256 READ_RESP_LAST.103+256/1");
    TEXT_IS(rig_wcs(r, A), "1:0");
    CU_ASSERT_TRUE(rig_same_bytes(r, 4096, 0, 1024));
    CU_ASSERT(r->loop->now < TM_MS);
    rig_free(r);
}

static void rc_read_whose_request_is_lost_is_seen_missing_by_the_next_ack(void)
{
    struct rig *r = rig_rd(4);
    drop(r, B, 0);
    post_read(r, 1, 256, 0, 4096);
    post(r, (struct rig_op){.id = 2, .op = XP_WR_WRITE, .len = 8, .dst = 8192});
    rig_run(r);
    TEXT_IS(rig_packets(r, SHOW_ALL),
            "READ_REQUEST.100+0@0:256 WRITE_ONLY.101+8@8192:8 READ_RESP_ONLY.100+256/1x ack.101/2 "
            "READ_REQUEST.100+0@0:256r WRITE_ONLY.101+8@8192:8r READ_RESP_ONLY.100+256/2 "
            "ack.101/2");
    TEXT_IS(rig_wcs(r, A), "1:0 2:0");
    rig_free(r);
}

static void rc_read_depth_holds_back_all_that_follows(void)
{
    struct rig *r = rig_rd(1);
    post_read(r, 1, 256, 0, 4096);
    post_read(r, 2, 256, 256, 4352);
    post(r, (struct rig_op){.id = 3, .op = XP_WR_WRITE, .len = 8, .dst = 8192});
    rig_run(r);
    TEXT_IS(rig_packets(r, SHOW_ALL),
            "READ_REQUEST.100+0@0:256 READ_RESP_ONLY.100+256/1 READ_REQUEST.101+0@256:256 "
            "WRITE_ONLY.102+8@8192:8 READ_RESP_ONLY.101+256/2 ack.102/3");
    TEXT_IS(rig_wcs(r, A), "1:0 2:0 3:0");
    rig_free(r);
}

static void rc_read_fence_waits_for_the_data(void)
{
    struct rig *r = rig_rd(4);
    post_read(r, 1, 256, 0, 4096);
    post(r, (struct rig_op){
                .id = 2, .op = XP_WR_WRITE, .len = 256, .src = 4096, .dst = 8192, .fence = true});
    rig_run(r);
    TEXT_IS(rig_packets(r, SHOW_ALL),
            "READ_REQUEST.100+0@0:256 READ_RESP_ONLY.100+256/1 WRITE_ONLY.101+256@8192:256 "
            "ack.101/2");
    CU_ASSERT_TRUE(rig_same_bytes(r, 4096, 8192, 256));
    rig_free(r);
}

static void rc_read_on_a_qp_without_depth_is_refused(void)
{
    struct rig *r = rig_rd(0);
    INT_IS(rig_post(r, (struct rig_op){.id = 1, .op = XP_WR_READ, .len = 8}), XP_EINVAL);
    INT_IS(rig_post(r, (struct rig_op){.id = 1, .op = XP_WR_FETCH_ADD, .len = 8}), XP_EINVAL);
    INT_IS(rig_post(r, (struct rig_op){.id = 1, .op = XP_WR_WRITE, .len = 8}), XP_OK);
    rig_free(r);
}

static void rc_read_over_the_responders_resources_is_refused(void)
{
    struct rig_spec s = rig_spec();
    s.rd_atomic = 9;
    s.dest_rd_atomic = 8;
    struct rig *r = rig_new(&s);
    r->loop->end[B].free_at = 10 * TM_US; /* no answer leaves before all nine have arrived */
    for (uint64_t i = 0; i < 9; i++)
        post_read(r, i, 256, 0, 4096);
    rig_run(r);
    TEXT_IS(rig_wcs(r, A), "0:0 1:0 2:0 3:0 4:0 5:0 6:0 7:0 8:9");
    INT_IS(rig_state_of(r, A), XP_ERR);
    INT_IS(rig_state_of(r, B), XP_ERR);
    rig_free(r);
}

/* 3 and 5 asked for: 4 leave at once, 8 are taken. */
static void rc_read_depths_are_rounded_up_where_the_adapter_does_so(void)
{
    struct rig_spec s = rig_spec();
    s.profile.rd_atomic_pow2 = true;
    s.rd_atomic = 3;
    s.dest_rd_atomic = 5;
    struct rig *r = rig_new(&s);
    for (uint64_t i = 0; i < 5; i++)
        post_read(r, i, 256, 0, 4096);
    rig_run_for(r, TM_NS);
    INT_IS(xp_counts(r->loop->end[A].core)->request_packets, 4);
    rig_run(r);
    TEXT_IS(rig_wcs(r, A), "0:0 1:0 2:0 3:0 4:0");
    rig_free(r);

    s.rd_atomic = 9;
    r = rig_new(&s);
    r->loop->end[B].free_at = 10 * TM_US; /* no answer leaves before all nine have arrived */
    for (uint64_t i = 0; i < 9; i++)
        post_read(r, i, 256, 0, 4096);
    rig_run(r);
    TEXT_IS(rig_wcs(r, A), "0:0 1:0 2:0 3:0 4:0 5:0 6:0 7:0 8:9");
    rig_free(r);
}

static void rc_read_depth_that_a_qp_gets(void)
{
    static const struct {
        uint8_t asked, given;
    } rows[] = {{0, 0},   {1, 1},   {2, 2},     {3, 4},     {4, 4},     {5, 8},
                {16, 16}, {17, 32}, {127, 128}, {128, 128}, {129, 255}, {255, 255}};
    struct xp_profile p = xp_profile_spec();
    INT_IS(xp_rd_atomic(&p, 5), 5);
    p.rd_atomic_pow2 = true;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        INT_IS(xp_rd_atomic(&p, rows[i].asked), rows[i].given);
}

static void rc_read_without_resources_at_the_responder_is_refused(void)
{
    struct rig_spec s = rig_spec();
    s.dest_rd_atomic = 0;
    struct rig *r = rig_new(&s);
    post_read(r, 1, 256, 0, 4096);
    rig_run(r);
    TEXT_IS(rig_wcs(r, A), "1:9");
    TEXT_IS(rig_events(r, B), "QP_REQ_ERR");
    rig_free(r);
}

static void rc_atomic_swaps_if_equal_and_returns_what_was_there(void)
{
    struct rig *r = rig_rd(4);
    word_put(r, B, 64, 7);
    post(r, (struct rig_op){.id = 1,
                            .op = XP_WR_CMP_SWAP,
                            .len = 8,
                            .src = 0,
                            .dst = 64,
                            .compare = 7,
                            .swap_or_add = 9});
    post(r, (struct rig_op){.id = 2,
                            .op = XP_WR_CMP_SWAP,
                            .len = 8,
                            .src = 8,
                            .dst = 64,
                            .compare = 7,
                            .swap_or_add = 11});
    post(r, (struct rig_op){.id = 3,
                            .op = XP_WR_FETCH_ADD,
                            .len = 8,
                            .src = 16,
                            .dst = 64,
                            .swap_or_add = UINT64_MAX});
    rig_run(r);
    TEXT_IS(rig_wcs(r, A), "1:0 2:0 3:0");
    INT_IS(word_at(r, A, 0), 7);
    INT_IS(word_at(r, A, 8), 9);
    INT_IS(word_at(r, A, 16), 9);
    INT_IS(word_at(r, B, 64), 8);
    rig_free(r);
}

static void rc_atomic_whose_answer_is_lost_is_not_done_twice(void)
{
    struct rig *r = rig_rd(4);
    word_put(r, B, 64, 100);
    drop(r, B, 0);
    post(r, (struct rig_op){.id = 1, .op = XP_WR_FETCH_ADD, .len = 8, .dst = 64, .swap_or_add = 5});
    rig_run(r);
    TEXT_IS(rig_packets(r, SHOW_ALL), "FETCH_ADD.100+0 ATOMIC_ACK.100/1x FETCH_ADD.100+0r "
                                      "ATOMIC_ACK.100/1");
    TEXT_IS(rig_wcs(r, A), "1:0");
    INT_IS(word_at(r, A, 0), 100);
    INT_IS(word_at(r, B, 64), 105);
    rig_free(r);
}

/*
 * A SEND is repeated after an atomic that came behind it has been executed: its ACK must stay
 * before the atomic, or the requester would take that for answered and lose the value.
 */
static void rc_atomic_is_not_acknowledged_by_the_duplicate_of_a_send(void)
{
    struct rig *r = rig_rd(4);
    word_put(r, B, 64, 11);
    rig_recvs(r, 11, 1, 256);
    loop_script(r->loop, (struct loop_fault){
                             .from = A, .to = B, .nth = 0, .action = LOOP_DUP, .delay_ps = 2000});
    drop(r, B, 1);
    post(r, (struct rig_op){.id = 1, .op = XP_WR_SEND, .len = 16});
    post(r, (struct rig_op){.id = 2, .op = XP_WR_FETCH_ADD, .len = 8, .dst = 64, .swap_or_add = 1});
    rig_run(r);
    TEXT_IS(rig_packets(r, SHOW_ANSWERS), "ack.100/1 ATOMIC_ACK.101/2x ack.100/2 ATOMIC_ACK.101/2");
    TEXT_IS(rig_wcs(r, A), "1:0 2:0");
    INT_IS(word_at(r, A, 0), 11);
    rig_free(r);
}

static void rc_read_whose_region_goes_midway_ends_with_a_nak_there(void)
{
    struct rig_spec s = rig_spec();
    s.gap_ps = TM_US;
    struct rig *r = rig_new(&s);
    post_read(r, 1, 1024, 0, 4096);
    rig_run_for(r, 2 * TM_US + 500000);
    CHECK(xp_mr_remove(r->loop->end[B].core, r->key[B]) == XP_OK);
    rig_run(r);
    TEXT_IS(rig_packets(r, SHOW_ANSWERS),
            "READ_RESP_FIRST.100+256/1 READ_RESP_MIDDLE.101+256 nak2.102/1");
    TEXT_IS(rig_wcs(r, A), "1:10");
    TEXT_IS(rig_events(r, B), "QP_ACCESS_ERR");
    rig_free(r);
}

static void rc_read_into_a_region_without_local_write_fails_with_the_response(void)
{
    struct rig *r = rig_rd(4);
    uint32_t key;
    CHECK(xp_mr_add(r->loop->end[A].core, RIG_PD, RIG_BASE, 4096, 0, 0, &key) == XP_OK);
    struct xp_send_wr wr = rig_wr(r, A, (struct rig_op){.id = 1, .op = XP_WR_READ, .len = 300});
    wr.sge.lkey = key;
    CHECK(xp_post_send(r->loop->end[A].core, r->qp[A], &wr, r->loop->now) == XP_OK);
    rig_run(r);
    TEXT_IS(rig_wcs(r, A), "1:4");
    TEXT_IS(rig_packets(r, SHOW_ALL),
            "READ_REQUEST.100+0@0:300 READ_RESP_FIRST.100+256/1 READ_RESP_LAST.101+44/1");
    rig_free(r);
}

static void rc_atomic_of_another_size_fails_before_it_leaves(void)
{
    struct rig *r = rig_rd(4);
    post(r, (struct rig_op){.id = 1, .op = XP_WR_FETCH_ADD, .len = 4, .dst = 64});
    rig_run(r);
    TEXT_IS(rig_wcs(r, A), "1:1");
    TEXT_IS(rig_packets(r, SHOW_ALL), "");
    rig_free(r);
}

static void rc_atomic_misaligned_is_an_invalid_request(void)
{
    struct rig *r = rig_rd(4);
    post(r, (struct rig_op){.id = 1, .op = XP_WR_FETCH_ADD, .len = 8, .dst = 65});
    rig_run(r);
    TEXT_IS(rig_wcs(r, A), "1:9");
    TEXT_IS(rig_events(r, B), "QP_REQ_ERR");
    rig_free(r);
}

static enum xp_verdict repeat(struct rig *r, uint32_t psn_v, uint64_t va, uint32_t len)
{
    struct wire_hdr h = rig_request(r, OP_READ_REQUEST, psn_v, 0);
    h.va = RIG_BASE + va;
    h.dmalen = len;
    return (enum xp_verdict)rig_inject(r, B, h).verdict;
}

/* What is asked for again must lie in the READ that is kept, at the place of its PSN. */
static void rc_read_repeated_beyond_the_kept_one_is_dropped(void)
{
    struct rig *r = rig_rd(4);
    post_read(r, 1, 600, 0, 4096);
    rig_run(r);
    rig_packets(r, SHOW_ALL);
    INT_IS(repeat(r, 100, 0, 601), V_REPLAY_GONE);
    INT_IS(repeat(r, 101, 256, 345), V_REPLAY_GONE);
    INT_IS(repeat(r, 101, 0, 256), V_REPLAY_GONE);
    INT_IS(repeat(r, 101, 256, 344), V_REPLAY);
    INT_IS(repeat(r, 100, 0, 600), V_REPLAY);
    rig_free(r);
}

static void rc_read_response_that_nothing_asked_for_is_stale_unless_awaited(void)
{
    struct rig *r = rig_rd(4);
    r->loop->dir[A][B].drop_mask = ~(uint64_t)0;
    for (uint64_t id = 1; id <= 2; id++)
        post(r, (struct rig_op){.id = id, .op = XP_WR_WRITE, .len = 8, .dst = 4096});
    rig_run_for(r, TM_US);
    struct wire_hdr h = rig_answer(r, aeth_syndrome(AETH_ACK, 31), 101, 1);
    h.opcode = wire_opcode(WIRE_RC, OP_READ_RESP_ONLY);
    INT_IS(rig_inject(r, A, h).verdict, V_ANSWER_STALE);
    INT_IS(rig_state_of(r, A), XP_RTS);
    TEXT_IS(rig_wcs(r, A), "");
    h.psn = psn(100);
    rig_inject(r, A, h);
    TEXT_IS(rig_wcs(r, A), "1:7 2:5");
    rig_free(r);
}

/* 7: a response that may not stand at this place of the READ. */
static void response_is_unexpected(enum wire_op op, uint32_t psn_v, uint16_t len)
{
    struct rig *r = rig_rd(4);
    r->loop->dir[A][B].drop_mask = ~(uint64_t)0;
    post_read(r, 1, 1024, 0, 4096);
    rig_run_for(r, TM_US);
    struct wire_hdr h = rig_answer(r, aeth_syndrome(AETH_ACK, 31), 100, 1);
    h.opcode = wire_opcode(WIRE_RC, OP_READ_RESP_FIRST);
    h.payload_bytes = 256;
    if (psn_v > 100)
        INT_IS(rig_inject(r, A, h).verdict, V_ANSWER);
    h.opcode = wire_opcode(WIRE_RC, op);
    h.psn = psn(psn_v);
    h.payload_bytes = len;
    struct xp_rx rx = rig_inject(r, A, h);
    INT_IS(rx.deed, XP_NOTHING);
    TEXT_IS(rig_wcs(r, A), "1:7");
    INT_IS(rig_state_of(r, A), XP_ERR);
    rig_free(r);
}

static void rc_read_response_out_of_its_place_is_unexpected(void)
{
    response_is_unexpected(OP_READ_RESP_MIDDLE, 100, 256);
    response_is_unexpected(OP_READ_RESP_LAST, 100, 256);
    response_is_unexpected(OP_READ_RESP_FIRST, 101, 256);
    response_is_unexpected(OP_READ_RESP_ONLY, 101, 256);
    response_is_unexpected(OP_ATOMIC_ACK, 101, 0);
}

static const struct test tests[] = {
    TEST(rc_read_of_three_packets_takes_three_psns),
    TEST(rc_read_of_nothing_takes_one_psn_and_any_key),
    TEST(rc_read_that_loses_a_middle_asks_for_the_rest),
    TEST(rc_read_whose_request_is_lost_is_seen_missing_by_the_next_ack),
    TEST(rc_read_depth_holds_back_all_that_follows),
    TEST(rc_read_fence_waits_for_the_data),
    TEST(rc_read_on_a_qp_without_depth_is_refused),
    TEST(rc_read_over_the_responders_resources_is_refused),
    TEST(rc_read_depths_are_rounded_up_where_the_adapter_does_so),
    TEST(rc_read_depth_that_a_qp_gets),
    TEST(rc_read_without_resources_at_the_responder_is_refused),
    TEST(rc_atomic_swaps_if_equal_and_returns_what_was_there),
    TEST(rc_atomic_whose_answer_is_lost_is_not_done_twice),
    TEST(rc_atomic_is_not_acknowledged_by_the_duplicate_of_a_send),
    TEST(rc_read_whose_region_goes_midway_ends_with_a_nak_there),
    TEST(rc_read_into_a_region_without_local_write_fails_with_the_response),
    TEST(rc_atomic_of_another_size_fails_before_it_leaves),
    TEST(rc_atomic_misaligned_is_an_invalid_request),
    TEST(rc_read_response_out_of_its_place_is_unexpected),
    TEST(rc_read_repeated_beyond_the_kept_one_is_dropped),
    TEST(rc_read_response_that_nothing_asked_for_is_stale_unless_awaited),
    TESTS_END};
const struct suite suite_rc_read = {"rc_read", tests};
