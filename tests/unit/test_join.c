/*
 * Connections of the load made by connection management: what waits for them, what is made good.
 *
 * A pair at 100 Gb/s and 1 us: a MAD has 346 bytes, 27.68 ns.  Waits are code 4: 65.536 us.
 */
#include <stdio.h>
#include <string.h>

#include "models/hca/gsi.h"
#include "tests/suite.h"
#include "tests/unit/bed.h"

#define THERE_PS 1027680 /* one way of a MAD */

static void managed(struct bed_cfg *c)
{
    c->load.connect = (struct load_connect){.mode = LOAD_CONNECT_SIMULATED,
                                            .cm_timeout = 4,
                                            .cm_retries = 3,
                                            .mra = LOAD_NO_MRA,
                                            .timewait_ps = 200 * TM_US};
}

static struct bed_cfg pair(void)
{
    struct bed_cfg c = bed_cfg();
    managed(&c);
    return c;
}

/* The n-th MAD of a host is lost. */
static void lose_mad(struct bed_cfg *c, int32_t from, uint64_t nth)
{
    struct inject_rule r = bed_rule(INJ_DROP, from, 1u << FAB_CM, 1);
    r.pick.skip = nth;
    c->rule[c->rule_count++] = r;
}

struct log {
    char text[400];
};

/* "0>1 REQ" …, data as "0>1 data"; acknowledgements are left out. */
static void see(void *self, const char *kind, const char *reason, const struct link *where,
                const struct pkt *p, tm_ps now)
{
    struct log *l = self;
    size_t used = strlen(l->text);
    bool is_mad = gsi_is_mad(p), is_data = fab_class_of(&p->h) == FAB_DATA;
    if (strcmp(kind, "send") == 0 && (is_mad || is_data) && used < 300)
        snprintf(l->text + used, sizeof l->text - used, "%u>%u %s\n", p->src_host, p->dst_host,
                 is_mad ? gsi_mad_name(p) : "data");
}

static struct meter logged(struct bed_cfg *c, struct log *l)
{
    struct fab_tap tap = {see, l};
    memset(l, 0, sizeof *l);
    c->fab_tap = &tap;
    return bed_result(c);
}

static void join_flow_begins_behind_the_rtu(void)
{
    struct bed_cfg c = pair();
    struct log l;
    c.load.messages = 1;
    struct meter m = logged(&c, &l);
    CU_ASSERT_STRING_EQUAL(l.text, "0>1 REQ\n1>0 REP\n0>1 RTU\n0>1 data\n");
    CU_ASSERT_EQUAL(m.first_post_ps, 2 * THERE_PS);
    CU_ASSERT_EQUAL(m.connect.count, 1);
    CU_ASSERT_EQUAL(m.connect.max, 2 * THERE_PS);
    CU_ASSERT_EQUAL(m.setup_ps, 2 * THERE_PS);
    CU_ASSERT_EQUAL(m.n.messages_delivered, 1);
    CU_ASSERT_EQUAL(m.n.mads_sent, 3);
    CU_ASSERT_EQUAL(m.n.mads_received, 3);
    CU_ASSERT_EQUAL(m.n.connects_failed, 0);
}

static void join_req_lost_is_sent_again_after_its_wait(void)
{
    struct bed_cfg c = pair();
    lose_mad(&c, 0, 0);
    struct meter m = bed_result(&c);
    CU_ASSERT_EQUAL(m.connect.max, 65536000 + 2 * THERE_PS);
    CU_ASSERT_EQUAL(m.n.messages_delivered, 10);
    CU_ASSERT_EQUAL(m.n.mads_sent, 4);
    CU_ASSERT_EQUAL(m.n.mads_repeated, 1);
    CU_ASSERT_EQUAL(m.n.mads_received, 3);
}

/* A WRITE is no completion at the other side: COMM_EST alone brings that QP to RTS. */
static void join_rtu_lost_is_made_good_by_the_first_data(void)
{
    struct bed_cfg c = pair();
    struct log l;
    c.load.messages = 1;
    c.load.bidirectional = true;
    lose_mad(&c, 0, 1);
    struct meter m = logged(&c, &l);
    CU_ASSERT_STRING_EQUAL(l.text, "0>1 REQ\n1>0 REP\n0>1 RTU\n0>1 data\n1>0 data\n");
    CU_ASSERT_EQUAL(m.n.messages_delivered, 2);
    CU_ASSERT(m.last_delivery_ps < 65536000);
}

static void join_failure_ends_the_flow_at_both_sides(void)
{
    struct bed_cfg c = pair();
    c.load.bidirectional = true;
    c.rule[c.rule_count++] = bed_rule(INJ_DROP, 1, 1u << FAB_CM, UINT64_MAX);
    struct bed *b = bed_new(&c);
    bed_run(b);
    struct xp_qp_query q;
    CU_ASSERT_EQUAL(b->sum.n.connects_failed, 2);
    CU_ASSERT_EQUAL(b->sum.n.messages_posted, 0);
    CU_ASSERT_EQUAL(b->sum.n.messages_delivered, 0);
    CU_ASSERT_EQUAL(xp_qp_query(hca_core(b->hca[0]), 2, &q), XP_OK);
    CU_ASSERT_EQUAL(q.state, XP_RESET);
    CU_ASSERT_EQUAL(b->sum.connect.count, 0);
    bed_free(b);
}

/* The QP is in INIT when the first WRITE comes: dropped, and sent again after its timeout. */
static void join_peer_late_to_rtr_drops_what_comes_before(void)
{
    struct bed_cfg c = pair();
    c.load.messages = 1;
    c.qp.timeout = 2;
    c.load.bidirectional = true;
    c.load.connect.rtr_late_ps = 10 * TM_US;
    struct meter m = bed_result(&c);
    CU_ASSERT_EQUAL(m.n.packets_retransmitted, 1);
    CU_ASSERT_EQUAL(m.n.messages_delivered, 2); /* it goes on to RTS, since the RTU has come */
}

/*
 * 300 us for each REQ, and the other side gives up after 65.536 us and asks again: the worker serves
 * REQs whose sender has gone, and never gets to one that waits.
 */
static void join_worker_slower_than_the_wait_never_connects(void)
{
    struct bed_cfg c = pair();
    c.load.connect.accept_ps = 300 * TM_US;
    c.load.connect.cm_retries = 0;
    c.load.retry.on_error = LOAD_RECONNECT;
    c.load.retry.reconnect_ps = 20 * TM_US;
    c.duration_ps = 3 * TM_MS;
    struct meter m = bed_result(&c);
    CU_ASSERT_EQUAL(m.connect.count, 0);
    CU_ASSERT(m.n.connects_failed > 40);
    c.load.connect.mra = 8; /* 1.05 ms */
    m = bed_result(&c);
    CU_ASSERT_EQUAL(m.connect.count, 1);
    CU_ASSERT_EQUAL(m.connect.max, 300 * TM_US + 2 * THERE_PS);
    CU_ASSERT_EQUAL(m.n.connects_failed, 0);
}

static void join_one_worker_answers_one_after_the_other(void)
{
    struct bed_cfg c = bed_star(5, LOAD_INCAST);
    managed(&c);
    c.load.connect.accept_ps = 10 * TM_US;
    struct meter m = bed_result(&c);
    CU_ASSERT_EQUAL(m.connect.count, 4);
    CU_ASSERT_EQUAL(m.connect.max - m.connect.min, 30 * TM_US);
}

/* Each client asks the server, not the lower number the higher. */
static void join_the_sending_side_asks(void)
{
    struct bed_cfg c = bed_star(3, LOAD_INCAST);
    struct log l;
    managed(&c);
    c.load.messages = 1;
    logged(&c, &l);
    CU_ASSERT_EQUAL(strncmp(l.text, "1>0 REQ\n2>0 REQ\n", 16), 0);
}

static void join_handshakes_at_once_are_limited(void)
{
    struct bed_cfg c = pair();
    c.load.qps = 6;
    tm_ps one_at_a_time, all;
    c.load.connect.handshakes = 1;
    one_at_a_time = bed_result(&c).setup_ps;
    c.load.connect.handshakes = 0;
    all = bed_result(&c).setup_ps;
    /* six REQs behind each other; or six round trips, five RTUs before the next REQs */
    CU_ASSERT_EQUAL(all, 2 * THERE_PS + 5 * 27680);
    CU_ASSERT(one_at_a_time > 12 * THERE_PS);
}

/* ---- after an error --------------------------------------------------------------------------- */

/* The WRITE is lost for good: the sender disconnects, and the other side's QP goes, too. */
static void join_error_disconnects_the_other_side(void)
{
    struct bed_cfg c = pair();
    struct log l;
    c.load.messages = 1;
    c.qp.timeout = 2;
    c.qp.retry_cnt = 0;
    c.rule[c.rule_count++] = bed_rule(INJ_DROP, 0, 1u << FAB_DATA, UINT64_MAX);
    struct fab_tap tap = {see, &l};
    struct xp_qp_query q;
    memset(&l, 0, sizeof l);
    c.fab_tap = &tap;
    struct bed *b = bed_new(&c);
    bed_run(b);
    CU_ASSERT_STRING_EQUAL(l.text, "0>1 REQ\n1>0 REP\n0>1 RTU\n0>1 data\n0>1 DREQ\n1>0 DREP\n");
    CU_ASSERT_EQUAL(b->sum.n.messages_failed, 1);
    CU_ASSERT_EQUAL(xp_qp_query(hca_core(b->hca[1]), 2, &q), XP_OK);
    CU_ASSERT_EQUAL(q.state, XP_ERR);
    bed_free(b);
}

/* 200 us of TIMEWAIT, then 20 us: the message goes over a second connection. */
static void join_reconnects_after_timewait(void)
{
    struct bed_cfg c = pair();
    c.load.messages = 3;
    c.qp.timeout = 2;
    c.qp.retry_cnt = 0;
    c.load.retry.on_error = LOAD_RECONNECT;
    c.load.retry.reconnect_ps = 20 * TM_US;
    c.rule[c.rule_count++] = bed_rule(INJ_DROP, 0, 1u << FAB_DATA, 1);
    struct meter m = bed_result(&c);
    CU_ASSERT_EQUAL(m.n.messages_delivered, 3);
    CU_ASSERT_EQUAL(m.n.reconnects, 1);
    CU_ASSERT_EQUAL(m.connect.count, 2);
    CU_ASSERT_EQUAL(m.n.mads_sent, 8);
    CU_ASSERT(m.setup_ps > 220 * TM_US && m.setup_ps < 260 * TM_US);
}

static void join_destroyed_qp_is_joined_again(void)
{
    struct bed_cfg c = pair();
    c.load.op = XP_WR_SEND;
    c.load.messages = 100;
    c.load.retry.on_error = LOAD_RECONNECT;
    c.load.retry.reconnect_ps = 20 * TM_US;
    c.act[c.act_count++] =
        (struct load_act){.kind = LOAD_ACT_DESTROY, .host = 0, .qp = 0, .when.from_ps = 30 * TM_US};
    struct meter m = bed_result(&c);
    CU_ASSERT_EQUAL(m.n.messages_delivered, 100);
    CU_ASSERT_EQUAL(m.n.reconnects, 1);
}

static void destroy_early(struct bed_cfg *c, uint32_t host, tm_ps at)
{
    c->act[c->act_count++] =
        (struct load_act){.kind = LOAD_ACT_DESTROY, .host = host, .qp = 0, .when.from_ps = at};
}

static void join_req_for_a_destroyed_qp_is_rejected(void)
{
    struct bed_cfg c = pair();
    struct log l;
    destroy_early(&c, 1, 500 * TM_NS);
    struct meter m = logged(&c, &l);
    CU_ASSERT_STRING_EQUAL(l.text, "0>1 REQ\n1>0 REJ\n");
    CU_ASSERT_EQUAL(m.n.connects_failed, 1);
    CU_ASSERT_EQUAL(m.n.messages_posted, 0);
}

/* Destroyed after its REP: the RTU establishes a connection without a QP, so a DREQ ends it. */
static void join_qp_destroyed_before_the_rtu_is_disconnected(void)
{
    struct bed_cfg c = pair();
    struct log l;
    c.load.messages = 1;
    destroy_early(&c, 1, 1500 * TM_NS);
    logged(&c, &l);
    CU_ASSERT_STRING_EQUAL(l.text, "0>1 REQ\n1>0 REP\n0>1 RTU\n0>1 data\n1>0 DREQ\n0>1 DREP\n");
}

/* Destroyed before the REP comes: the REP is rejected, nobody waits for ever. */
static void join_qp_destroyed_during_the_handshake_ends_both(void)
{
    struct bed_cfg c = pair();
    struct log l;
    c.act[c.act_count++] =
        (struct load_act){.kind = LOAD_ACT_DESTROY, .host = 0, .qp = 0, .when.from_ps = TM_US};
    struct meter m = logged(&c, &l);
    CU_ASSERT_STRING_EQUAL(l.text, "0>1 REQ\n1>0 REP\n0>1 REJ\n");
    CU_ASSERT_EQUAL(m.n.messages_posted, 0);
    CU_ASSERT_EQUAL(m.n.connects_failed, 1);
}

static void join_dead_host_is_given_up(void)
{
    struct bed_cfg c = pair();
    c.act[c.act_count++] = (struct load_act){.kind = LOAD_ACT_KILL, .host = 1, .when.from_ps = 1};
    struct meter m = bed_result(&c);
    CU_ASSERT_EQUAL(m.n.connects_failed, 1);
    CU_ASSERT_EQUAL(m.n.mads_received, 0);
    CU_ASSERT_EQUAL(m.n.mads_sent, 5); /* four REQs and the REJ */
}

/* The same figures however hosts are cut into domains. */
static void join_domains_change_nothing(void)
{
    struct bed_cfg c = bed_star(6, LOAD_ALL_TO_ALL);
    managed(&c);
    c.load.connect.handshakes = 2;
    c.rule[c.rule_count++] = bed_rule(INJ_DROP, 2, 1u << FAB_CM, 3);
    struct meter one = bed_result(&c);
    CU_ASSERT_EQUAL(one.connect.count, 15);
    for (uint32_t domains = 2; domains <= 5; domains += 3) {
        c.domains = domains;
        struct meter m = bed_result(&c);
        CU_ASSERT_EQUAL(memcmp(&m.n, &one.n, sizeof m.n), 0);
        CU_ASSERT_EQUAL(memcmp(&m.connect, &one.connect, sizeof m.connect), 0);
        CU_ASSERT_EQUAL(m.setup_ps, one.setup_ps);
    }
}

static const struct test tests[] = {TEST(join_flow_begins_behind_the_rtu),
                                    TEST(join_req_lost_is_sent_again_after_its_wait),
                                    TEST(join_rtu_lost_is_made_good_by_the_first_data),
                                    TEST(join_failure_ends_the_flow_at_both_sides),
                                    TEST(join_peer_late_to_rtr_drops_what_comes_before),
                                    TEST(join_worker_slower_than_the_wait_never_connects),
                                    TEST(join_req_for_a_destroyed_qp_is_rejected),
                                    TEST(join_qp_destroyed_before_the_rtu_is_disconnected),
                                    TEST(join_one_worker_answers_one_after_the_other),
                                    TEST(join_the_sending_side_asks),
                                    TEST(join_handshakes_at_once_are_limited),
                                    TEST(join_error_disconnects_the_other_side),
                                    TEST(join_reconnects_after_timewait),
                                    TEST(join_destroyed_qp_is_joined_again),
                                    TEST(join_qp_destroyed_during_the_handshake_ends_both),
                                    TEST(join_dead_host_is_given_up),
                                    TEST(join_domains_change_nothing),
                                    TESTS_END};
const struct suite suite_join = {"join", tests};
