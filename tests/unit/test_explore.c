/*
 * The search: numbers of schedules worked out by hand, planted faults of a driver found with the
 * shortest list, the same again when replayed.
 */
#include <string.h>

#include "models/explore/explore.h"
#include "tests/unit/rig.h"

static struct explore_cfg config(enum xp_service_id service, uint32_t max_faults)
{
    struct explore_cfg c = {.stage = {.service = service,
                                      .profile = xp_profile_spec(),
                                      .mtu = 256,
                                      .timeout = 4,
                                      .retry_cnt = 7,
                                      .rnr_retry = 7,
                                      .min_rnr_timer = 1,
                                      .max_rd_atomic = 4,
                                      .max_dest_rd_atomic = 4,
                                      .first_psn = {0xffffff},
                                      .delay_ps = TM_US,
                                      .limit_ps = TM_S},
                            .task = {.acked = stage_is_acked(service),
                                     .mtu = 256,
                                     .flows = 1,
                                     .flow = {{0, 1}, {1, 0}}},
                            .max_faults = max_faults,
                            .kinds = FAULT_ALL};
    return c;
}

static void add_op(struct explore_cfg *c, enum xp_wr_op op, uint32_t len)
{
    c->task.op[c->task.ops++] = (struct task_op){.op = (uint8_t)op, .len = len};
}

static struct explore_result run(const struct explore_cfg *c)
{
    struct explore_result r;
    const char *why = NULL;
    CU_ASSERT_TRUE(explore(c, NULL, NULL, &r, &why));
    TEXT_IS(r.what, "");
    return r;
}

/* ---- counts ------------------------------------------------------------------------------------ */

/*
 * A SEND of one packet on RC is two packets, the SEND and its ACK; each has seven fates besides its
 * own: drop, corrupt, dup, dup late, reorder, delay, delay late.  1 + 2 * 7 schedules.
 */
static void explore_one_send_with_one_fault_is_15_schedules(void)
{
    struct explore_cfg c = config(XP_RC, 0);
    add_op(&c, XP_WR_SEND, 100);
    INT_IS(run(&c).schedules, 1);
    c.max_faults = 1;
    struct explore_result r = run(&c);
    INT_IS(r.schedules, 15);
    INT_IS(r.faults, 1);
}

/* The same on UC: one packet, no answer.  1 + 7; a second fault finds no packet. */
static void explore_one_unacked_send_is_8_schedules(void)
{
    struct explore_cfg c = config(XP_UC, 1);
    add_op(&c, XP_WR_SEND, 100);
    INT_IS(run(&c).schedules, 8);
    c.max_faults = 2;
    INT_IS(run(&c).schedules, 8);
}

/*
 * Drops alone, two faults, one SEND.  None: 1.  One: SEND or ACK.  Two: each of those two is
 * followed by a repetition whose SEND or ACK may be lost in turn: 2 * 2; and both of the first two
 * cannot be lost together, as a lost SEND has no ACK.  1 + 2 + 4.
 */
static void explore_two_drops_of_one_send_are_7_schedules(void)
{
    struct explore_cfg c = config(XP_RC, 2);
    c.kinds = FAULT_DROP;
    add_op(&c, XP_WR_SEND, 100);
    INT_IS(run(&c).schedules, 7);
    c.kinds = FAULT_CORRUPT; /* the same outcome by another name */
    INT_IS(run(&c).schedules, 7);
    c.kinds = FAULT_DROP | FAULT_CORRUPT; /* each may be either: 1 + 2 * 2 + 4 * 4 */
    INT_IS(run(&c).schedules, 21);
}

/* UC, three packets, drops: any subset of up to two. 1 + 3 + 3 */
static void explore_drops_of_three_unacked_packets_are_subsets(void)
{
    struct explore_cfg c = config(XP_UC, 2);
    c.kinds = FAULT_DROP;
    add_op(&c, XP_WR_SEND, 600);
    INT_IS(run(&c).schedules, 7);
}

/* A state met again is not played again, and counts as if it had been. */
static void explore_plays_less_than_it_counts(void)
{
    struct explore_cfg c = config(XP_RC, 2);
    add_op(&c, XP_WR_SEND, 100);
    add_op(&c, XP_WR_SEND, 100);
    struct explore_result r = run(&c);
    CU_ASSERT_TRUE(r.runs * 2 < r.schedules);
    CU_ASSERT_TRUE(r.states > 100);
}

/*
 * Equal digests, equal futures: with every schedule played the counts are the same.  A digest that
 * left out something that matters would give some state another's number of schedules.
 */
static void expect_same_counts(struct explore_cfg *c)
{
    struct explore_result known = run(c);
    c->forgetful = true;
    struct explore_result played = run(c);
    c->forgetful = false;
    INT_IS(played.schedules, known.schedules);
    INT_IS(played.states, known.states);
    CU_ASSERT_TRUE(played.runs >= known.runs);
}

static void explore_known_states_have_the_futures_they_are_given(void)
{
    struct explore_cfg c = config(XP_RC, 2);
    add_op(&c, XP_WR_READ, 300);
    add_op(&c, XP_WR_SEND, 300);
    add_op(&c, XP_WR_FETCH_ADD, 8);
    add_op(&c, XP_WR_SEND, 8);
    expect_same_counts(&c);
    c.stage.profile.window_packets = 2;
    c.stage.profile.ackreq_packets = 1;
    c.stage.profile.ack_coalesce = true;
    c.stage.recv_late_ps = 5 * TM_US;
    c.stage.retry_cnt = 1;
    expect_same_counts(&c);
    c.stage.service = XP_UC;
    c.task = (struct task_spec){.mtu = 256, .flows = 1, .flow = {{0, 1}}};
    c.max_faults = 3;
    add_op(&c, XP_WR_SEND, 300);
    add_op(&c, XP_WR_WRITE_IMM, 300);
    add_op(&c, XP_WR_SEND_IMM, 100);
    expect_same_counts(&c);
}

static void explore_known_states_of_shared_queues_have_their_futures(void)
{
    struct explore_cfg c = config(XP_XRC_INI, 2);
    c.task.shared = true;
    c.stage.profile.policy[XP_P_NAK] = XP_NAK_REPEATED;
    c.stage.profile.policy[XP_P_READ_RESUME] = XP_READ_RESUME_MIDDLE;
    add_op(&c, XP_WR_READ, 300);
    add_op(&c, XP_WR_SEND, 300);
    add_op(&c, XP_WR_CMP_SWAP, 8);
    expect_same_counts(&c);
    c.stage.profile.timing.tick_ps = 100 * TM_US;
    c.stage.profile.credits = true;
    c.stage.service = XP_RC;
    c.task.shared = false;
    c.stage.recv_late_ps = 5 * TM_US;
    expect_same_counts(&c);
}

static void explore_known_states_of_contexts_have_their_futures(void)
{
    struct explore_cfg c = config(XP_RD, 2);
    c.task.shared = c.task.joined = true;
    c.task.spare = 2;
    c.task.flow[1].from = 0;
    c.task.flow[1].to = 1;
    c.task.flows = 2;
    c.stage.recv_late_ps = 5 * TM_US;
    add_op(&c, XP_WR_SEND, 300);
    add_op(&c, XP_WR_SEND, 100);
    c.task.op[1].flow = 1;
    expect_same_counts(&c);
}

/* ---- each service, small ------------------------------------------------------------------------ */

static void expect_sound(struct explore_cfg *c)
{
    c->task.steadfast = explore_is_steadfast(c);
    struct explore_result r = run(c);
    INT_IS(r.breach, LEDGER_SOUND);
    INT_IS(r.faults, c->max_faults);
    CU_ASSERT_TRUE(r.schedules > 1000);
}

static void explore_rc_mixed_operations_are_sound(void)
{
    struct explore_cfg c = config(XP_RC, 2);
    add_op(&c, XP_WR_SEND, 100);
    add_op(&c, XP_WR_WRITE_IMM, 300);
    add_op(&c, XP_WR_READ, 300);
    add_op(&c, XP_WR_FETCH_ADD, 8);
    expect_sound(&c);
    c.stage.retry_cnt = 0; /* now faults end in errors */
    expect_sound(&c);
    c.stage.retry_cnt = 1;
    c.stage.recv_late_ps = 3 * TM_US;
    c.task.op[0].silent = true;
    expect_sound(&c);
    c.stage.retry_cnt = 7;
    c.stage.profile.window_packets = 2; /* packets wait for answers, READs for each other */
    c.stage.max_rd_atomic = c.stage.max_dest_rd_atomic = 1;
    expect_sound(&c);
}

static void explore_rc_read_of_a_write_is_sound(void)
{
    struct explore_cfg c = config(XP_RC, 2);
    add_op(&c, XP_WR_WRITE, 600);
    add_op(&c, XP_WR_READ, 500);
    add_op(&c, XP_WR_WRITE, 100);
    c.task.op[1].of = 1;
    expect_sound(&c);
}

static void explore_rc_fence_is_sound(void)
{
    struct explore_cfg c = config(XP_RC, 2);
    add_op(&c, XP_WR_READ, 300);
    add_op(&c, XP_WR_FETCH_ADD, 8);
    add_op(&c, XP_WR_SEND, 300);
    c.task.op[2].fence = true;
    expect_sound(&c);
}

static void explore_rc_both_directions_are_sound(void)
{
    struct explore_cfg c = config(XP_RC, 2);
    c.task.flows = 2;
    add_op(&c, XP_WR_SEND, 300);
    add_op(&c, XP_WR_CMP_SWAP, 8);
    add_op(&c, XP_WR_SEND, 300);
    add_op(&c, XP_WR_READ, 300);
    c.task.op[2].flow = c.task.op[3].flow = 1;
    expect_sound(&c);
    c.stage.retry_cnt = 1;
    expect_sound(&c);
}

static void explore_uc_is_sound(void)
{
    struct explore_cfg c = config(XP_UC, 3);
    add_op(&c, XP_WR_SEND, 300);
    add_op(&c, XP_WR_WRITE_IMM, 300);
    add_op(&c, XP_WR_SEND_IMM, 100);
    expect_sound(&c);
}

static void explore_ud_is_sound(void)
{
    struct explore_cfg c = config(XP_UD, 3);
    c.task.head = stage_head(XP_UD);
    c.task.flows = 2;
    for (uint32_t i = 0; i < 6; i++) {
        add_op(&c, i & 1 ? XP_WR_SEND_IMM : XP_WR_SEND, 50 * i);
        c.task.op[i].flow = i / 3;
    }
    INT_IS(c.task.head, 40);
    expect_sound(&c);
}

static void explore_xrc_is_sound(void)
{
    struct explore_cfg c = config(XP_XRC_INI, 2);
    c.task.shared = stage_is_shared(&c.stage);
    c.task.flows = 2;
    add_op(&c, XP_WR_READ, 300);
    add_op(&c, XP_WR_SEND, 300);
    add_op(&c, XP_WR_FETCH_ADD, 8);
    add_op(&c, XP_WR_WRITE_IMM, 300);
    c.task.op[2].flow = c.task.op[3].flow = 1;
    CU_ASSERT_TRUE(c.task.shared);
    expect_sound(&c);
    c.stage.retry_cnt = 1;
    expect_sound(&c);
}

/* Three QPs, one context each way; receives come late enough for suspensions. */
static void explore_rd_is_sound(void)
{
    struct explore_cfg c = config(XP_RD, 2);
    c.task.shared = stage_is_shared(&c.stage);
    c.task.joined = stage_is_joined(XP_RD);
    c.task.spare = 2;
    c.task.flows = 3;
    c.task.flow[2].to = 1;
    add_op(&c, XP_WR_SEND, 300);
    add_op(&c, XP_WR_FETCH_ADD, 8);
    add_op(&c, XP_WR_WRITE_IMM, 300);
    add_op(&c, XP_WR_SEND, 300);
    c.task.op[1].flow = 1;
    c.task.op[2].flow = c.task.op[3].flow = 2;
    CU_ASSERT_TRUE(c.task.shared && c.task.joined);
    expect_sound(&c);
    c.stage.recv_late_ps = 30 * TM_US;
    expect_sound(&c);
    c.stage.retry_cnt = 1;
    expect_sound(&c);
    c.stage.rnr_retry = 1;
    expect_sound(&c);
}

static void explore_shared_receives_are_sound(void)
{
    static const enum xp_service_id service[] = {XP_RC, XP_UC, XP_UD};
    for (int i = 0; i < 3; i++) {
        struct explore_cfg c = config(service[i], 2);
        c.task.head = stage_head(service[i]);
        c.task.shared = c.stage.srq = true;
        c.stage.retry_cnt = 1;
        for (uint32_t n = 0; n < (service[i] == XP_UD ? 9 : 5); n++)
            add_op(&c, XP_WR_SEND, service[i] == XP_UD ? 100 : 300);
        expect_sound(&c);
    }
}

static void explore_is_steadfast_with_retries_for_all_faults(void)
{
    struct explore_cfg c = config(XP_RC, 3);
    CU_ASSERT_TRUE(explore_is_steadfast(&c));
    c.stage.retry_cnt = 5;
    CU_ASSERT_FALSE(explore_is_steadfast(&c));
    c.stage.retry_cnt = 6;
    CU_ASSERT_TRUE(explore_is_steadfast(&c));
    c.stage.delay_ps = 17 * TM_US; /* 65.5 us are less than two round trips */
    CU_ASSERT_FALSE(explore_is_steadfast(&c));
    c = config(XP_UC, 0);
    CU_ASSERT_FALSE(explore_is_steadfast(&c));
}

/* ---- planted faults ----------------------------------------------------------------------------- */

/* The copy of a packet comes as the next new one: the responder executes it again. */
static void renumber(struct wire_hdr *h) { h->psn = psn(h->psn.v + 1); }

static void expect_breach(const struct explore_cfg *c, enum ledger_rule rule, const char *faults)
{
    struct explore_result r;
    struct explore_replayed again;
    const char *why = NULL;
    char text[200] = "";
    size_t n = 0;
    CU_ASSERT_TRUE(explore(c, NULL, NULL, &r, &why));
    INT_IS(r.breach, rule);
    for (uint32_t i = 0; i < r.faults; i++) {
        n += i ? (size_t)sprintf(text + n, ", ") : 0;
        n += fault_text(&r.fault[i], text + n, sizeof text - n);
    }
    TEXT_IS(text, faults);
    const struct explore_list list = {r.fault, r.faults};
    CU_ASSERT_TRUE(explore_replay(c, &list, &again, &why));
    INT_IS(again.breach, r.breach);
    TEXT_IS(again.what, r.what);
    INT_IS(again.met, r.faults);
    CU_ASSERT_TRUE(again.story.count > 0);
    story_clear(&again.story);
}

static void explore_finds_a_copy_that_is_executed_again(void)
{
    struct explore_cfg c = config(XP_RC, 3);
    c.stage.spoil_copy = renumber;
    add_op(&c, XP_WR_SEND, 100);
    add_op(&c, XP_WR_SEND, 100);
    expect_breach(&c, LEDGER_TWICE, "a2b 1 dup");
    c.kinds = FAULT_ALL & ~FAULT_DUP; /* what hides it takes the finding away */
    expect_sound(&c);
}

/* Repetitions that never stop: what the time limit is for. */
static void explore_finds_what_never_ends(void)
{
    struct explore_cfg c = config(XP_RC, 2);
    c.stage.limit_ps = 50 * TM_US; /* less than the ACK timeout */
    add_op(&c, XP_WR_SEND, 100);
    expect_breach(&c, LEDGER_STUCK, "a2b 1 drop");
    c.stage.limit_ps = TM_S;
    c.stage.timeout = 0; /* without a timer a lost packet is never missed */
    expect_breach(&c, LEDGER_STUCK, "a2b 1 drop");
}

/* ---- one schedule -------------------------------------------------------------------------------- */

static void explore_replay_names_a_fault_without_packet(void)
{
    static const struct fault fault[] = {{0, 1, FATE_DROP, 0}, {1, 0, FATE_DROP, 5}};
    const struct explore_list list = {fault, 2};
    struct explore_cfg c = config(XP_RC, 0);
    struct explore_replayed r;
    const char *why;
    add_op(&c, XP_WR_SEND, 100);
    CU_ASSERT_TRUE(explore_replay(&c, &list, &r, &why));
    INT_IS(r.breach, LEDGER_SOUND);
    INT_IS(r.met, 1);
    story_clear(&r.story);
}

static void explore_what_cannot_be_set_up_says_why(void)
{
    struct explore_cfg c = config(XP_UC, 1);
    struct explore_result r;
    const char *why;
    add_op(&c, XP_WR_READ, 100);
    CU_ASSERT_FALSE(explore(&c, NULL, NULL, &r, &why));
    TEXT_IS(why, "the service does not offer one of the operations");
    c.task.ops = 0;
    CU_ASSERT_FALSE(explore(&c, NULL, NULL, &r, &why));
    TEXT_IS(why, "nothing is posted");
}

static bool stop_at_one(void *who, const struct explore_result *r)
{
    ++*(int *)who;
    return r->faults < 1;
}

static void explore_stops_when_told(void)
{
    struct explore_cfg c = config(XP_RC, 3);
    struct explore_result r;
    const char *why;
    int told = 0;
    add_op(&c, XP_WR_SEND, 100);
    CU_ASSERT_TRUE(explore(&c, stop_at_one, &told, &r, &why));
    INT_IS(told, 2);
    INT_IS(r.faults, 1);
}

static const struct test tests[] = {TEST(explore_one_send_with_one_fault_is_15_schedules),
                                    TEST(explore_one_unacked_send_is_8_schedules),
                                    TEST(explore_two_drops_of_one_send_are_7_schedules),
                                    TEST(explore_drops_of_three_unacked_packets_are_subsets),
                                    TEST(explore_plays_less_than_it_counts),
                                    TEST(explore_known_states_have_the_futures_they_are_given),
                                    TEST(explore_known_states_of_shared_queues_have_their_futures),
                                    TEST(explore_known_states_of_contexts_have_their_futures),
                                    TEST(explore_rc_mixed_operations_are_sound),
                                    TEST(explore_rc_read_of_a_write_is_sound),
                                    TEST(explore_rc_fence_is_sound),
                                    TEST(explore_rc_both_directions_are_sound),
                                    TEST(explore_uc_is_sound),
                                    TEST(explore_ud_is_sound),
                                    TEST(explore_xrc_is_sound),
                                    TEST(explore_rd_is_sound),
                                    TEST(explore_shared_receives_are_sound),
                                    TEST(explore_is_steadfast_with_retries_for_all_faults),
                                    TEST(explore_finds_a_copy_that_is_executed_again),
                                    TEST(explore_finds_what_never_ends),
                                    TEST(explore_replay_names_a_fault_without_packet),
                                    TEST(explore_what_cannot_be_set_up_says_why),
                                    TEST(explore_stops_when_told),
                                    TESTS_END};
const struct suite suite_explore = {"explore", tests};
