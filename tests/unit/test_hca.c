/*
 * The HCA: whose turn it is, when the wire is used, what counts as delivered.
 */
#include <stdio.h>
#include <string.h>

#include "tests/suite.h"
#include "tests/unit/bed.h"

/* What host 0 put on its wire: DestQP of each packet, and when. */
struct wire {
    char order[200];
    tm_ps at[64];
    int count, repeated;
};

static void see(void *self, const char *kind, const char *reason, const struct link *where,
                const struct pkt *p, tm_ps now)
{
    struct wire *w = self;
    size_t used = strlen(w->order);
    (void)reason, (void)where;
    if (strcmp(kind, "send") != 0 || p->src_host != 0 || w->count == 64)
        return;
    snprintf(w->order + used, sizeof(w->order) - used, "%u ", p->h.dest_qp);
    w->at[w->count++] = now;
    w->repeated += (p->note & PKT_RETRANSMIT) != 0;
}

/* Three QPs, one WRITE of three packets on each. */
static struct wire three_qps(enum hca_arbitration how)
{
    struct wire w = {0};
    struct fab_tap tap = {see, &w};
    struct bed_cfg c = bed_cfg();
    c.load.qps = 3;
    c.load.messages = 1;
    c.bytes = 3 * 4096;
    c.hca.arbitration = how;
    c.fab_tap = &tap;
    bed_result(&c);
    return w;
}

/* The first QP is alone when its first packet leaves, so its second turn comes before the others. */
static void hca_rr_packet_takes_turns(void)
{
    struct wire w = three_qps(HCA_RR_PACKET);
    CU_ASSERT_STRING_EQUAL(w.order, "2 2 3 4 2 3 4 3 4 ");
}

static void hca_rr_message_finishes_messages(void)
{
    struct wire w = three_qps(HCA_RR_MESSAGE);
    CU_ASSERT_STRING_EQUAL(w.order, "2 2 2 3 3 3 4 4 4 ");
}

/* First packets have 4194 bytes (335 520 ps), the others 4178 without RETH (334 240 ps). */
static void hca_wire_is_never_idle_while_work_waits(void)
{
    static const tm_ps want[9] = {0,       335520,  669760,  1005280, 1340800,
                                  1675040, 2009280, 2343520, 2677760};
    struct wire w = three_qps(HCA_RR_PACKET);
    CU_ASSERT_EQUAL(w.count, 9);
    for (int i = 0; i < 9; i++)
        CU_ASSERT_EQUAL(w.at[i], want[i]);
}

/* Nothing arrives: 3 transmissions, each 4.096 us * 2^8 after the one before. */
static void hca_timer_fires_at_the_cores_deadline(void)
{
    struct wire w = {0};
    struct fab_tap tap = {see, &w};
    struct bed_cfg c = bed_cfg();
    c.fab_tap = &tap;
    c.qp.timeout = 8;
    c.qp.retry_cnt = 2;
    c.load.messages = 1;
    c.rule[c.rule_count++] = bed_rule(INJ_DROP, 0, 0, UINT64_MAX);
    struct meter m = bed_result(&c);
    CU_ASSERT_EQUAL(w.count, 3);
    CU_ASSERT_EQUAL(w.at[1], 1048576000);
    CU_ASSERT_EQUAL(w.at[2], 2097152000);
    CU_ASSERT_EQUAL(w.repeated, 2);
    CU_ASSERT_EQUAL(m.n.status[XP_WC_RETRY_EXC_ERR], 1);
    CU_ASSERT_EQUAL(m.fail_time.max, 3145728000);
    CU_ASSERT_EQUAL(m.n.packets_sent, 3);
    CU_ASSERT_EQUAL(m.n.packets_retransmitted, 2);
}

/* An acknowledgement lost: the request comes twice, is delivered once, its answer repeated. */
static void hca_repeated_request_is_delivered_once(void)
{
    struct bed_cfg c = bed_cfg();
    c.qp.timeout = 8;
    c.load.messages = 3;
    c.rule[c.rule_count++] = bed_rule(INJ_DROP, 1, 0, 1);
    struct meter m = bed_result(&c);
    CU_ASSERT_EQUAL(m.n.messages_delivered, 3);
    CU_ASSERT_EQUAL(m.n.bytes_delivered, 3 * 4096);
    CU_ASSERT_EQUAL(m.n.packets_sent, 3 + 1 + 3 + 1);
    CU_ASSERT_EQUAL(m.n.packets_retransmitted, 1);
    CU_ASSERT_EQUAL(m.last_delivery_ps, 1048576000 + 2342400 * 2 + 1335520);
}

/* UC executes a duplicate Only again: a second receive, but not a second message. */
static void hca_uc_duplicate_is_counted_once(void)
{
    struct bed_cfg c = bed_cfg();
    c.qp.service = XP_UC;
    c.load.op = XP_WR_SEND;
    c.rule[c.rule_count++] = bed_rule(INJ_DUP, 0, 0, 1);
    struct meter m = bed_result(&c);
    CU_ASSERT_EQUAL(m.n.messages_posted, 10);
    CU_ASSERT_EQUAL(m.n.messages_delivered, 10);
    CU_ASSERT_EQUAL(m.n.recvs_completed, 11);
}

static void hca_qp_totals_count_what_arrived_there(void)
{
    struct bed_cfg c = bed_cfg();
    c.load.messages = 7;
    struct bed *b = bed_new(&c);
    CU_ASSERT_EQUAL(hca_qp_last_msgno(b->hca[1], 2), 0);
    bed_run(b);
    CU_ASSERT_EQUAL(hca_qp_bytes(b->hca[1], 2), 7 * 4096);
    CU_ASSERT_EQUAL(hca_qp_delivered(b->hca[1], 2), 7);
    CU_ASSERT_EQUAL(hca_qp_last_msgno(b->hca[1], 2), 7);
    CU_ASSERT_EQUAL(hca_qp_delivered(b->hca[0], 2), 0);
    CU_ASSERT_PTR_NULL(hca_exhausted(b->hca[1]));
    bed_free(b);
}

/* Alone on the fabric a message takes what fab_alone_ps says, whatever its length and path. */
static void hca_lone_message_has_slowdown_one(void)
{
    static uint64_t bytes[5] = {0, 1, 4096, 4097, 50000};
    struct bed_cfg c = bed_star(2, LOAD_PAIR);
    c.fab.switch_delay_ps = 300000;
    c.hca.tx_delay_ps = 20000;
    c.hca.rx_delay_ps = 30000;
    c.load.size = (struct load_size){LOAD_SIZE_LIST, 5, bytes, NULL};
    c.slowdown = true;
    struct meter m = bed_result(&c);
    CU_ASSERT_EQUAL(m.slowdown.count, 10);
    CU_ASSERT_EQUAL(m.slowdown.min, 1000);
    CU_ASSERT_EQUAL(m.slowdown.max, 1000);
}

static void hca_killed_host_neither_sends_nor_hears(void)
{
    struct bed_cfg c = bed_cfg();
    c.qp.timeout = 8;
    c.qp.retry_cnt = 1;
    c.act[c.act_count++] = (struct load_act){.kind = LOAD_ACT_KILL, .host = 1, .when.from_ps = 3000000};
    struct bed *b = bed_new(&c);
    bed_run(b);
    CU_ASSERT_EQUAL(b->sum.n.messages_delivered, 1);
    CU_ASSERT_EQUAL(b->sum.n.messages_completed, 1);
    CU_ASSERT_EQUAL(b->sum.n.status[XP_WC_RETRY_EXC_ERR], 1);
    CU_ASSERT_EQUAL(b->links.dropped[FAB_DROP_DOWN], 2);
    bed_free(b);
}

static void count_note(void *self, uint32_t host, const struct xp_note *note)
{
    (void)host;
    if (note->kind == XP_N_STATE)
        ++*(int *)self;
}

/* INIT, RTR and RTS on both sides. */
static void hca_notes_reach_the_tap(void)
{
    int states = 0;
    struct bed_cfg c = bed_cfg();
    c.tap = (struct hca_tap){NULL, count_note, &states};
    bed_result(&c);
    CU_ASSERT_EQUAL(states, 6);
}

static const struct test tests[] = {TEST(hca_rr_packet_takes_turns),
                                    TEST(hca_rr_message_finishes_messages),
                                    TEST(hca_wire_is_never_idle_while_work_waits),
                                    TEST(hca_timer_fires_at_the_cores_deadline),
                                    TEST(hca_repeated_request_is_delivered_once),
                                    TEST(hca_uc_duplicate_is_counted_once),
                                    TEST(hca_qp_totals_count_what_arrived_there),
                                    TEST(hca_lone_message_has_slowdown_one),
                                    TEST(hca_killed_host_neither_sends_nor_hears),
                                    TEST(hca_notes_reach_the_tap),
                                    TESTS_END};
const struct suite suite_hca = {"hca", tests};
