/*
 * After an error: stopping, or connecting anew until everything has arrived once.
 */
#include <stdlib.h>
#include <string.h>

#include "tests/suite.h"
#include "tests/unit/bed.h"

/* RC over a pair; T = 4.096 us * 2^4 = 65.536 us, one retry: a silent peer is noticed after 131.072 us. */
static struct bed_cfg fragile(void)
{
    struct bed_cfg c = bed_cfg();
    c.load.op = XP_WR_SEND;
    c.load.depth = 8;
    c.load.messages = 200;
    c.load.retry.on_error = LOAD_RECONNECT;
    c.load.retry.reconnect_ps = 20000000;
    c.qp.timeout = 4;
    c.qp.retry_cnt = 1;
    return c;
}

static void destroy_at(struct bed_cfg *c, uint32_t host, uint32_t qp, tm_ps at)
{
    c->act[c->act_count++] =
        (struct load_act){.kind = LOAD_ACT_DESTROY, .host = host, .qp = qp, .when.from_ps = at};
}

static struct inject_rule outage(tm_ps from_ps, tm_ps until_ps)
{
    struct inject_rule rule = bed_rule(INJ_LINK_DOWN, INJECT_ANY, 0, UINT64_MAX);
    rule.match.link_a = 0;
    rule.match.link_b = 1;
    rule.when.from_ps = from_ps;
    rule.when.until_ps = until_ps;
    return rule;
}

static void is_whole(const struct meter *m, uint64_t messages)
{
    CU_ASSERT_EQUAL(m->n.messages_posted, messages);
    CU_ASSERT_EQUAL(m->n.messages_delivered, messages);
    CU_ASSERT_EQUAL(m->n.bytes_delivered, 4096 * messages);
}

static void reconnect_destroyed_sender_delivers_all_once(void)
{
    struct bed_cfg c = fragile();
    destroy_at(&c, 0, 0, 30000000);
    struct bed *b = bed_new(&c);
    bed_run(b);
    struct load_qp_row row;
    load_qp_row(b->load, 0, &row);
    is_whole(&b->sum, 200);
    CU_ASSERT_EQUAL(row.succeeded, 200);
    CU_ASSERT_EQUAL(b->sum.n.reconnects, 1);
    CU_ASSERT(b->sum.io_stall_max_ps > 20000000 && b->sum.io_stall_max_ps < 25000000);
    bed_free(b);
}

/* The receiver's QP goes: it tells the sender, which need not wait for its own timer. */
static void reconnect_destroyed_receiver_delivers_all_once(void)
{
    struct bed_cfg c = fragile();
    destroy_at(&c, 1, 0, 30000000);
    struct meter m = bed_result(&c);
    is_whole(&m, 200);
    CU_ASSERT_EQUAL(m.n.reconnects, 1);
    CU_ASSERT(m.io_stall_max_ps > 20000000 && m.io_stall_max_ps < 25000000);
}

static void reconnect_time_is_waited(void)
{
    struct bed_cfg c = fragile();
    destroy_at(&c, 0, 0, 30000000);
    c.load.retry.reconnect_ps = 90000000;
    struct meter m = bed_result(&c);
    is_whole(&m, 200);
    CU_ASSERT(m.io_stall_max_ps > 90000000 && m.io_stall_max_ps < 95000000);
}

/* An outage of 1 ms: error after error, a connection after each, and in the end all is there. */
static void reconnect_outlives_an_outage(void)
{
    struct bed_cfg c = fragile();
    c.rule[c.rule_count++] = outage(30000000, 1030000000);
    struct meter m = bed_result(&c);
    is_whole(&m, 200);
    CU_ASSERT(m.n.reconnects >= 5 && m.n.reconnects <= 9); /* one each 151 us */
    CU_ASSERT_EQUAL(m.n.status[XP_WC_RETRY_EXC_ERR], m.n.reconnects);
    CU_ASSERT(m.n.messages_flushed > 0);
    CU_ASSERT_EQUAL(m.n.reconnect_give_ups, 0);
    CU_ASSERT(m.io_stall_max_ps > 1000000000 && m.io_stall_max_ps < 1200000000);
    CU_ASSERT_EQUAL(m.fail_time.count, 1);
}

static void reconnect_gives_up_in_time(void)
{
    struct bed_cfg c = fragile();
    c.rule[c.rule_count++] = bed_rule(INJ_DROP, 0, 0, UINT64_MAX);
    c.load.retry.give_up_ps = 1000000000;
    struct meter m = bed_result(&c);
    CU_ASSERT_EQUAL(m.n.messages_delivered, 0);
    CU_ASSERT_EQUAL(m.n.reconnect_give_ups, 1);
    CU_ASSERT_EQUAL(m.n.reconnects, 7); /* (1 ms + 131 us) / 151 us */
    c.load.retry.give_up_ps = 100000000;
    CU_ASSERT_EQUAL(bed_result(&c).n.reconnects, 1);
    c.load.retry.give_up_ps =
        310000000; /* over at the plan after the third error, not at the fourth */
    CU_ASSERT_EQUAL(bed_result(&c).n.reconnects, 2);
}

/* Patience is counted from the first error without progress: two outages, each shorter than it. */
static void reconnect_progress_renews_patience(void)
{
    struct bed_cfg c = fragile();
    c.load.op = XP_WR_WRITE;
    c.load.messages = 3000;
    c.load.retry.give_up_ps = 700000000;
    c.rule[c.rule_count++] = outage(30000000, 400000000);
    c.rule[c.rule_count++] = outage(600000000, 1000000000);
    struct meter m = bed_result(&c);
    is_whole(&m, 3000);
    CU_ASSERT_EQUAL(m.n.reconnect_give_ups, 0);
    CU_ASSERT(m.n.reconnects >= 4);
}

static void reconnect_stop_ends_the_flow(void)
{
    struct bed_cfg c = fragile();
    struct load_qp_row row;
    c.load.retry.on_error = LOAD_STOP;
    c.rule[c.rule_count++] = bed_rule(INJ_DROP, 0, 0, UINT64_MAX);
    c.rule[0].pick.skip = 20;
    struct bed *b = bed_new(&c);
    bed_run(b);
    load_qp_row(b->load, 0, &row);
    CU_ASSERT_EQUAL(b->sum.n.messages_delivered, 20);
    CU_ASSERT_EQUAL(row.succeeded, 20);
    CU_ASSERT_EQUAL(row.first_error, XP_WC_RETRY_EXC_ERR);
    CU_ASSERT_EQUAL(row.first_error_wr, 20);
    CU_ASSERT_EQUAL(b->sum.n.messages_failed, 1);
    CU_ASSERT_EQUAL(b->sum.n.messages_flushed, 7);
    CU_ASSERT_EQUAL(b->sum.n.reconnects, 0);
    bed_free(b);
}

static void reconnect_stop_after_destroy_is_quiet(void)
{
    struct bed_cfg c = fragile();
    c.load.retry.on_error = LOAD_STOP;
    destroy_at(&c, 0, 0, 30000000);
    struct meter m = bed_result(&c);
    CU_ASSERT(m.n.messages_delivered > 50 && m.n.messages_delivered < 100);
    CU_ASSERT_EQUAL(m.n.messages_failed, 0);
}

/* Calls in flight are asked again; each is answered. */
static void reconnect_rpc_asks_again(void)
{
    struct bed_cfg c = fragile();
    c.load.pattern = LOAD_RPC;
    c.load.rpc = (struct load_rpc){64, 64, LOAD_RPC_WRITE, 1000000};
    destroy_at(&c, 0, 0, 30000000);
    destroy_at(&c, 1, 0, 90000000);
    struct bed *b = bed_new(&c);
    bed_run(b);
    struct load_qp_row row;
    load_qp_row(b->load, 1, &row);
    CU_ASSERT_EQUAL(row.posted, 200);
    CU_ASSERT_EQUAL(row.succeeded, 200);
    CU_ASSERT_EQUAL(b->sum.rpc.count, 200);
    CU_ASSERT_EQUAL(b->sum.n.reconnects, 2);
    bed_free(b);
}

/*
 * Eight requests wait for 10 us each when the server's QP goes at 35 us, none being answered then.
 * They are asked again: what was queued of the old connection is not served, so 20 calls make
 * 20 times data and response.
 */
static void reconnect_rpc_forgets_what_the_server_held(void)
{
    struct bed_cfg c = fragile();
    struct load_qp_row row;
    c.load.pattern = LOAD_RPC;
    c.load.messages = 20;
    c.load.rpc = (struct load_rpc){64, 64, LOAD_RPC_WRITE, 10000000};
    destroy_at(&c, 0, 0, 35000000);
    struct bed *b = bed_new(&c);
    bed_run(b);
    load_qp_row(b->load, 0, &row);
    CU_ASSERT_FALSE(row.is_flow);
    CU_ASSERT_EQUAL(row.posted, 40);
    CU_ASSERT_EQUAL(b->sum.rpc.count, 20);
    bed_free(b);
}

static void note_psn(void *self, const char *kind, const char *reason, const struct link *where,
                     const struct pkt *p, tm_ps now)
{
    uint32_t *first = self;
    (void)reason, (void)where;
    if (strcmp(kind, "send") == 0 && now >= 50000000 && first[p->src_host] == UINT32_MAX)
        first[p->src_host] = p->h.psn.v;
}

/* Packets of the old connection fit nowhere in the new one: it begins 2^22 further on both sides. */
static void reconnect_new_connection_has_new_psns(void)
{
    uint32_t first[2] = {UINT32_MAX, UINT32_MAX};
    struct fab_tap tap = {note_psn, first};
    struct bed_cfg c = fragile();
    c.fab_tap = &tap;
    c.qp.sq_psn = 0xfffff0;
    destroy_at(&c, 0, 0, 30000000);
    bed_result(&c);
    CU_ASSERT_EQUAL(first[0], 0x3ffff0);
    CU_ASSERT_EQUAL(first[1], 0x3ffff0); /* its acknowledgement */
}

/* The old connection's packets are still under way when the new one is there. */
static void reconnect_within_the_round_trip_is_safe(void)
{
    for (tm_ps at = 2000000; at <= 5000000; at += 100000) {
        struct bed_cfg c = fragile();
        c.bytes = 10000;
        c.qp.mtu = 1024;
        c.load.messages = 40;
        c.load.bidirectional = true;
        c.load.retry.reconnect_ps = 100000;
        destroy_at(&c, 0, 0, at);
        struct meter m = bed_result(&c);
        CU_ASSERT_EQUAL(m.n.messages_delivered, 80);
        CU_ASSERT_EQUAL(m.n.bytes_delivered, 800000);
    }
}

/* Errors on both sides in the same interval: the earlier plan is kept, the later one is void. */
static void reconnect_two_plans_become_one_connection(void)
{
    struct bed_cfg c = fragile();
    c.load.bidirectional = true;
    destroy_at(&c, 0, 0, 30000000);
    destroy_at(&c, 1, 0, 35000000);
    struct meter m = bed_result(&c);
    is_whole(&m, 400);
    CU_ASSERT_EQUAL(m.n.reconnects, 1);
}

/*
 * Host 1 plans for 55 us, but follows host 0's letter at 50 us; its QP goes again at 52 us.  The plan
 * for 55 us is of a connection that is gone: the next one is made at 72 us.
 */
static void reconnect_plan_of_a_former_connection_is_void(void)
{
    struct bed_cfg c = fragile();
    destroy_at(&c, 0, 0, 30000000);
    destroy_at(&c, 1, 0, 35000000);
    destroy_at(&c, 1, 0, 52000000);
    struct meter m = bed_result(&c);
    is_whole(&m, 200);
    CU_ASSERT_EQUAL(m.n.reconnects, 2);
    CU_ASSERT_EQUAL(m.n.messages_failed, 0);
    CU_ASSERT_EQUAL(m.fail_time.count, 0);
}

static void reconnect_unsignalled_messages_arrive_once(void)
{
    struct bed_cfg c = fragile();
    c.load.signal_every = 7;
    c.load.op = XP_WR_WRITE_IMM;
    destroy_at(&c, 1, 0, 30000000);
    struct meter m = bed_result(&c);
    is_whole(&m, 200);
}

/* A star in 1, 2 and 5 domains with loss, outages and destroyed QPs: the same in all. */
static void reconnect_does_not_depend_on_domains(void)
{
    struct meter m[3];
    static const uint32_t domains[3] = {1, 2, 5};
    for (int i = 0; i < 3; i++) {
        struct bed_cfg c = fragile();
        c.fab.topology = FAB_STAR;
        c.fab.hosts = 6;
        c.load.pattern = LOAD_ALL_TO_ALL;
        c.load.messages = 60;
        c.fab.loss_threshold = UINT64_MAX / 50;
        c.domains = domains[i];
        destroy_at(&c, 0, 1, 30000000);
        destroy_at(&c, 5, 2, 30000000); /* both to host 2 */
        destroy_at(&c, 3, 0, 41000000);
        m[i] = bed_result(&c);
    }
    is_whole(&m[0], 6 * 5 * 60);
    CU_ASSERT(m[0].n.reconnects >= 3);
    CU_ASSERT_EQUAL(memcmp(&m[0], &m[1], sizeof(m[0])), 0);
    CU_ASSERT_EQUAL(memcmp(&m[0], &m[2], sizeof(m[0])), 0);
}

static const struct test tests[] = {TEST(reconnect_destroyed_sender_delivers_all_once),
                                    TEST(reconnect_destroyed_receiver_delivers_all_once),
                                    TEST(reconnect_time_is_waited),
                                    TEST(reconnect_outlives_an_outage),
                                    TEST(reconnect_gives_up_in_time),
                                    TEST(reconnect_progress_renews_patience),
                                    TEST(reconnect_stop_ends_the_flow),
                                    TEST(reconnect_stop_after_destroy_is_quiet),
                                    TEST(reconnect_rpc_asks_again),
                                    TEST(reconnect_rpc_forgets_what_the_server_held),
                                    TEST(reconnect_new_connection_has_new_psns),
                                    TEST(reconnect_within_the_round_trip_is_safe),
                                    TEST(reconnect_two_plans_become_one_connection),
                                    TEST(reconnect_plan_of_a_former_connection_is_void),
                                    TEST(reconnect_unsignalled_messages_arrive_once),
                                    TEST(reconnect_does_not_depend_on_domains),
                                    TESTS_END};
const struct suite suite_reconnect = {"reconnect", tests};
