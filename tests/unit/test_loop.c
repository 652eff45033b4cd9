/*
 * The in-memory driver: order of things, scripted faults, real bytes, clones; and with it that a
 * core is a value: equal inputs give equal digests, a copy of the block is a second core.
 */
#include <stdio.h>
#include <string.h>

#include "models/wire/text.h"
#include "sim/base/check.h"
#include "tests/unit/rig.h"

static uint64_t digest(struct rig *r, int end)
{
    return xp_digest(r->loop->end[end].core, r->loop->now);
}

static void fault(struct rig *r, uint64_t nth, enum loop_action action, tm_ps delay_ps)
{
    loop_script(r->loop,
                (struct loop_fault){
                    .from = A, .to = B, .nth = nth, .action = action, .delay_ps = delay_ps});
}

static void loop_packets_arrive_after_the_delay_in_order(void)
{
    struct rig_spec s = rig_spec_uc();
    s.gap_ps = 300;
    struct rig *r = rig_new(&s);
    rig_recvs(r, 11, 3, 100);
    rig_sends(r, 1, 3, 100);
    loop_run_until(r->loop, RIG_DELAY - 1);
    TEXT_IS(rig_packets(r, SHOW_ALL | SHOW_TIME),
            "0 SEND_ONLY.100+100 300 SEND_ONLY.101+100 600 SEND_ONLY.102+100");
    TEXT_IS(rig_rcs(r, B), "");
    loop_run_until(r->loop, RIG_DELAY);
    TEXT_IS(rig_rcs(r, B), "11:0/100");
    INT_IS(r->loop->now, RIG_DELAY);
    loop_run_until(r->loop, RIG_DELAY + 600);
    TEXT_IS(rig_rcs(r, B), "12:0/100 13:0/100");
    INT_IS(r->loop->flights, 0);
    rig_free(r);
}

static void loop_step_tells_when_there_is_nothing_left(void)
{
    struct rig_spec s = rig_spec_uc();
    struct rig *r = rig_new(&s);
    CU_ASSERT_FALSE(loop_step(r->loop, TM_S));
    CU_ASSERT_TRUE(loop_run_quiet(r->loop, 0));
    rig_sends(r, 1, 1, 100);
    CU_ASSERT_FALSE(loop_step(r->loop, RIG_DELAY - 1)); /* sent; the arrival is beyond the limit */
    INT_IS(r->loop->now, 0);
    INT_IS(r->loop->flights, 1);
    CU_ASSERT_FALSE(loop_run_quiet(r->loop, RIG_DELAY - 1));
    CU_ASSERT_TRUE(loop_step(r->loop, RIG_DELAY));
    INT_IS(r->loop->now, RIG_DELAY);
    CU_ASSERT_TRUE(loop_run_quiet(r->loop, RIG_DELAY));
    rig_free(r);
}

static void to_other_qp(struct wire_hdr *h, struct wire_ext *e) { h->dest_qp ^= 0x800000; }

static void loop_script_hits_the_nth_packet_with_each_action(void)
{
    static const struct {
        enum loop_action action;
        tm_ps delay_ps;
        const char *received;
        uint8_t fate;
    } rows[] = {{LOOP_DROP, 0, "11:0/100 12:0/102", LOOP_LOST},
                {LOOP_CORRUPT, 0, "11:0/100 12:0/102", LOOP_CORRUPTED},
                {LOOP_DUP, 0, "11:0/100 12:0/101 13:0/102 14:0/101", LOOP_DOUBLED},
                {LOOP_DELAY, 5, "11:0/100 12:0/102 13:0/101", LOOP_LATE},
                {LOOP_REWRITE, 0, "11:0/100 12:0/102", LOOP_REWRITTEN}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char where[20];
        snprintf(where, sizeof where, "action %d", rows[i].action);
        struct rig_spec s = rig_spec_uc();
        struct rig *r = rig_new(&s);
        loop_script(r->loop, (struct loop_fault){.from = A,
                                                 .to = B,
                                                 .nth = 1,
                                                 .action = rows[i].action,
                                                 .delay_ps = rows[i].delay_ps,
                                                 .rewrite = to_other_qp});
        if (rows[i].action == LOOP_DUP) /* the copy is a packet like any other: it can come last */
            r->loop->fault[0].delay_ps = 7;
        rig_recvs(r, 11, 4, 128);
        for (uint32_t k = 0; k < 3; k++)
            rig_sends(r, 1, 1, 100 + k);
        rig_run(r);
        ROW_TEXT(where, rig_rcs(r, B), rows[i].received);
        ROW_INT(where, r->loop->record[1].fate, rows[i].fate);
        ROW_INT(where, r->loop->record[0].fate | r->loop->record[2].fate, LOOP_SENT);
        rig_free(r);
    }
}

static void loop_drop_mask_counts_packets_of_its_direction(void)
{
    struct rig_spec s = rig_spec_uc();
    struct rig *r = rig_new(&s);
    r->loop->dir[A][B].drop_mask = 1ull << 63 | 5;
    r->loop->dir[B][A].drop_mask = UINT64_MAX;
    for (int i = 0; i < 66; i++)
        rig_sends(r, 1, 1, 8), rig_run(r);
    for (uint32_t i = 0; i < 66; i++)
        INT_IS(r->loop->record[i].fate, i == 0 || i == 2 || i == 63 ? LOOP_LOST : LOOP_SENT);
    INT_IS(r->loop->dir[A][B].sent, 66);
    rig_free(r);
}

static void loop_chances_of_nothing_and_of_all_are_certain(void)
{
    struct rig_spec s = rig_spec_uc();
    struct rig *r = rig_new(&s);
    loop_set_chance(r->loop, A, B, (struct loop_chance){.drop = UINT64_MAX}, 1);
    rig_sends(r, 1, 20, 8);
    rig_run(r);
    for (uint32_t i = 0; i < 20; i++)
        INT_IS(r->loop->record[i].fate, LOOP_LOST);
    loop_set_chance(r->loop, A, B, (struct loop_chance){0}, 1);
    rig_sends(r, 1, 20, 8);
    rig_run(r);
    for (uint32_t i = 20; i < 40; i++)
        INT_IS(r->loop->record[i].fate, LOOP_SENT);
    rig_free(r);
}

static void loop_chance_doubles_and_delays_within_its_bound(void)
{
    for (int dup = 0; dup < 2; dup++) {
        struct rig_spec s = rig_spec_uc();
        struct rig *r = rig_new(&s);
        struct loop_chance c = {
            .dup = dup ? UINT64_MAX : 0, .delay = dup ? 0 : UINT64_MAX, .delay_max_ps = 5};
        loop_set_chance(r->loop, A, B, c, 1);
        rig_recvs(r, 11, 40, 8);
        rig_sends(r, 1, 20, 8);
        loop_run_until(r->loop, RIG_DELAY);
        INT_IS(xp_completions(r->loop->end[B].core), dup ? 20 : 0);
        rig_run(r);
        INT_IS(xp_completions(r->loop->end[B].core), dup ? 40 : 20);
        CU_ASSERT_TRUE(r->loop->now > RIG_DELAY && r->loop->now <= RIG_DELAY + 5);
        for (uint32_t i = 0; i < 20; i++)
            INT_IS(r->loop->record[i].fate, dup ? LOOP_DOUBLED : LOOP_LATE);
        rig_free(r);
    }
}

/* Two QPs of one end want to send: packet by packet, each in its turn. */
static void loop_pulls_qps_in_turn(void)
{
    struct rig_spec s = rig_spec_uc();
    s.gap_ps = 10;
    struct rig *r = rig_new(&s);
    struct xp *x = r->loop->end[A].core;
    struct xp_qp_init init = {.service = XP_UC,
                              .pd = RIG_PD,
                              .send_cq = r->scq[A],
                              .recv_cq = r->rcq[A],
                              .sq_depth = 8,
                              .rq_depth = 8};
    uint32_t first = r->qp[A], second;
    CHECK(xp_qp_create(x, &init, &second) == XP_OK);
    rig_sends(r, 1, 1, 600);
    r->qp[A] = second;
    r->spec.psn_a = 500;
    rig_connect(r, A, XP_RTS);
    rig_sends(r, 2, 1, 300);
    loop_run_until(r->loop, 1000);
    TEXT_IS(rig_packets(r, SHOW_ALL | SHOW_TIME),
            "0 SEND_FIRST.100+256 10 SEND_FIRST.500+256 20 SEND_MIDDLE.101+256 "
            "30 SEND_LAST.501+44 40 SEND_LAST.102+88");
    CHECK(xp_qp_destroy(x, first, r->loop->now) == XP_OK);
    rig_free(r);
}

static void loop_record_text_is_a_line_of_packet_text(void)
{
    struct loop_record rec = {.at = 1234,
                              .from = 0,
                              .to = 1,
                              .fate = LOOP_LOST,
                              .retransmit = true,
                              .h = {.opcode = wire_opcode(WIRE_RC, OP_SEND_ONLY),
                                    .payload_bytes = 8,
                                    .dest_qp = 5,
                                    .psn = {7}}};
    char line[400], packet[WIRE_TEXT_MAX + 60], wanted[500];
    CU_ASSERT_TRUE(wire_text(&rec.h, &rec.e, packet, sizeof packet) > 0);
    snprintf(wanted, sizeof wanted, "1234 0>1 %s again lost", packet);
    INT_IS(loop_record_text(&rec, line, sizeof line), strlen(wanted));
    TEXT_IS(line, wanted);
    INT_IS(loop_record_text(&rec, line, 20), 0);
}

static void connect_end(struct loop *l, uint16_t end, uint32_t qpn, uint16_t peer, uint32_t dest)
{
    struct xp_qp_attr a = {.path = {peer, end},
                           .dest_qp = dest,
                           .access = XP_REMOTE_WRITE,
                           .path_mtu = 256,
                           .pkey = 0xffff,
                           .port = 1,
                           .timeout = 10,
                           .retry_cnt = 7};
    static const uint32_t mask[] = {[XP_INIT] = XP_A_PKEY | XP_A_PORT | XP_A_ACCESS,
                                    [XP_RTR] = XP_A_AV | XP_A_PATH_MTU | XP_A_DEST_QP |
                                               XP_A_RQ_PSN | XP_A_MAX_DEST_RD | XP_A_MIN_RNR,
                                    [XP_RTS] = XP_A_SQ_PSN | XP_A_TIMEOUT | XP_A_RETRY_CNT |
                                               XP_A_RNR_RETRY | XP_A_MAX_RD};
    for (int s = XP_INIT; s <= XP_RTS; s++) {
        a.state = (enum xp_state)s;
        CHECK(xp_qp_modify(l->end[end].core, qpn, &a, XP_A_STATE | mask[s], 0) == XP_OK);
    }
}

static void connect_pair(struct loop *l, uint16_t a, uint32_t qpa, uint16_t b, uint32_t qpb)
{
    connect_end(l, a, qpa, b, qpb);
    connect_end(l, b, qpb, a, qpa);
}

/* Ends 0 and 2 write to one QP each of end 1, packets of both are lost: nobody gets the other's. */
static void loop_three_ends_keep_their_connections_apart(void)
{
    struct loop_config cfg = {.ends = 3,
                              .limits = {.qp = 2,
                                         .cq = 2,
                                         .mr = 1,
                                         .send_wqe = 8,
                                         .recv_wqe = 8,
                                         .cqe = 16,
                                         .active = 2,
                                         .answer = 16,
                                         .attr_set = 8},
                              .profile = xp_profile_spec(),
                              .arena_bytes = 8192,
                              .delay_ps = TM_US};
    struct loop *l = loop_new(&cfg);
    uint32_t qp[3][2], cq[3], key[3], wrong = 0;
    struct xp_wc wc;
    CHECK(l != NULL);
    for (uint32_t e = 0; e < 3; e++) {
        struct xp *x = l->end[e].core;
        CHECK(xp_cq_create(x, 8, &cq[e]) == XP_OK);
        CHECK(xp_mr_add(x, RIG_PD, 0, 8192, XP_LOCAL_WRITE | XP_REMOTE_WRITE, e, &key[e]) == XP_OK);
        struct xp_qp_init init = {.service = XP_RC,
                                  .pd = RIG_PD,
                                  .send_cq = cq[e],
                                  .recv_cq = cq[e],
                                  .sq_depth = 4,
                                  .rq_depth = 4};
        for (uint32_t k = 0; k < 2; k++)
            CHECK(xp_qp_create(x, &init, &qp[e][k]) == XP_OK);
        memset(l->end[e].arena, (int)(0x10 * (e + 1)), 4096);
    }
    for (uint16_t e = 0; e < 3; e += 2) {
        uint32_t k = e / 2; /* which QP of end 1 */
        connect_pair(l, e, qp[e][0], 1, qp[1][k]);
        l->dir[e][1].drop_mask = 1u << k;
        struct xp_send_wr wr = {.wr_id = e,
                                .sge = {0, 1000, key[e]},
                                .op = XP_WR_WRITE,
                                .remote_addr = 4096 + 1000 * k,
                                .rkey = key[1],
                                .flags = XP_SIGNALED};
        CHECK(xp_post_send(l->end[e].core, qp[e][0], &wr, 0) == XP_OK);
    }
    CU_ASSERT_TRUE(loop_run_quiet(l, TM_S));
    for (uint32_t e = 0; e < 3; e += 2) {
        INT_IS(xp_poll_cq(l->end[e].core, cq[e], &wc, 1), 1);
        INT_IS(wc.wr_id, e);
        INT_IS(wc.status, XP_WC_SUCCESS);
    }
    for (uint32_t i = 0; i < 2000; i++)
        wrong += l->end[1].arena[4096 + i] != (i < 1000 ? 0x10 : 0x30);
    INT_IS(wrong, 0);
    INT_IS(l->dir[1][0].sent + l->dir[1][2].sent, 4); /* a NAK and an ACK to each */
    loop_free(l);
}

/* ---- a core is a value ----------------------------------------------------------------------- */

/* Lost, doubled and late packets, an RNR wait, several messages: enough state to copy. */
static struct rig *busy(void)
{
    struct rig_spec s = rig_spec();
    s.profile.window_packets = 6;
    s.profile.ackreq_packets = 2;
    s.timeout = 4;
    s.min_rnr = 3;
    s.gap_ps = 40 * TM_NS;
    struct rig *r = rig_new(&s);
    r->loop->dir[A][B].drop_mask = 0x2110;
    r->loop->dir[B][A].drop_mask = 0x12;
    fault(r, 6, LOOP_DUP, 3 * TM_US);
    fault(r, 9, LOOP_DELAY, 90 * TM_US);
    rig_recvs(r, 11, 2, 1024);
    rig_sends(r, 1, 3, 900);
    CHECK(rig_post(
              r, (struct rig_op){
                     .id = 4, .op = XP_WR_WRITE_IMM, .len = 700, .dst = 8192, .imm = 6}) == XP_OK);
    CHECK(rig_post(r,
                   (struct rig_op){
                       .id = 5, .op = XP_WR_WRITE, .len = 300, .dst = 9999, .unsignalled = true}) ==
          XP_OK);
    return r;
}

static void finish(struct rig *r)
{
    rig_run_for(r, 400 * TM_US);
    rig_recvs(r, 21, 2, 1024);
    rig_run(r);
}

static void loop_two_equal_runs_have_equal_digests_at_each_step(void)
{
    struct rig *a = busy(), *b = busy();
    int steps = 0;
    for (; loop_step(a->loop, 300 * TM_US); steps++) {
        CU_ASSERT_TRUE(loop_step(b->loop, 300 * TM_US));
        INT_IS(a->loop->now, b->loop->now);
        for (int end = A; end <= B; end++)
            CU_ASSERT_TRUE(digest(a, end) == digest(b, end));
    }
    CU_ASSERT_TRUE(steps > 40);
    rig_free(a);
    rig_free(b);
}

static void loop_clone_taken_at_any_step_goes_on_alike(void)
{
    char ending[4000];
    for (int at = 0; at < 60; at++) {
        char where[20];
        snprintf(where, sizeof where, "step %d", at);
        struct rig *r = busy();
        for (int i = 0; i < at; i++)
            loop_step(r->loop, 300 * TM_US);
        struct rig *c = rig_clone(r);
        rig_packets(r, SHOW_ALL);
        finish(r); /* the original first: a shared byte would show in the copy */
        snprintf(ending, sizeof ending, "%s", rig_packets(r, SHOW_ALL | SHOW_TIME));
        finish(c);
        ROW_TEXT(where, rig_packets(c, SHOW_ALL | SHOW_TIME), ending);
        ROW_INT(where, c->loop->now, r->loop->now);
        for (int end = A; end <= B; end++)
            CU_ASSERT_TRUE(digest(c, end) == digest(r, end));
        ROW_TEXT(where, rig_wcs(c, A), "1:0 2:0 3:0 4:0");
        ROW_TEXT(where, rig_wcs(r, A), "1:0 2:0 3:0 4:0");
        ROW_TEXT(where, rig_rcs(c, B), "11:0/900 12:0/900 21:0/900 22:0/700#6");
        CU_ASSERT_TRUE(rig_same_bytes(c, 0, 9999, 300));
        rig_free(c);
        rig_free(r);
    }
}

static void loop_digest_takes_times_relative_to_now(void)
{
    struct rig *a = busy();
    struct rig_spec s = a->spec;
    struct rig *late = rig_new(&s), *early = rig_new(&s);
    rig_run_for(late, 12345678);
    for (int i = 0; i < 2; i++) {
        struct rig *r = i ? late : early;
        rig_sends(r, 1, 2, 900);
        rig_run_for(r, 5 * TM_US);
    }
    for (int end = A; end <= B; end++)
        CU_ASSERT_TRUE(digest(early, end) == digest(late, end));
    CU_ASSERT_TRUE(digest(early, A) != digest(a, A));
    rig_free(a);
    rig_free(late);
    rig_free(early);
}

static void loop_digest_tells_states_apart_and_leaves_statistics_out(void)
{
    struct rig_spec s = rig_spec();
    struct rig *r = rig_new(&s);
    uint64_t before = digest(r, A), b = digest(r, B);
    struct wire_hdr h = rig_request(r, OP_SEND_ONLY, 100, 8);
    h.tver = 1; /* dropped and counted, no more */
    rig_inject(r, B, h);
    INT_IS(xp_counts(r->loop->end[B].core)->dropped, 1);
    CU_ASSERT_TRUE(digest(r, B) == b);
    rig_sends(r, 1, 1, 8);
    uint64_t posted = digest(r, A);
    CU_ASSERT_TRUE(posted != before);
    rig_run_for(r, 1);
    CU_ASSERT_TRUE(digest(r, A) != posted);
    uint64_t waiting = digest(r, A);
    rig_run_for(r, 1); /* nearer to the timer */
    CU_ASSERT_TRUE(digest(r, A) != waiting);
    rig_recvs(r, 11, 1, 8);
    CU_ASSERT_TRUE(digest(r, B) != b);
    rig_free(r);
}

static const struct test tests[] = {TEST(loop_packets_arrive_after_the_delay_in_order),
                                    TEST(loop_step_tells_when_there_is_nothing_left),
                                    TEST(loop_script_hits_the_nth_packet_with_each_action),
                                    TEST(loop_drop_mask_counts_packets_of_its_direction),
                                    TEST(loop_chances_of_nothing_and_of_all_are_certain),
                                    TEST(loop_chance_doubles_and_delays_within_its_bound),
                                    TEST(loop_pulls_qps_in_turn),
                                    TEST(loop_record_text_is_a_line_of_packet_text),
                                    TEST(loop_three_ends_keep_their_connections_apart),
                                    TEST(loop_two_equal_runs_have_equal_digests_at_each_step),
                                    TEST(loop_clone_taken_at_any_step_goes_on_alike),
                                    TEST(loop_digest_takes_times_relative_to_now),
                                    TEST(loop_digest_tells_states_apart_and_leaves_statistics_out),
                                    TESTS_END};
const struct suite suite_loop = {"loop", tests};
