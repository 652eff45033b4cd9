/*
 * Patterns as connections and flows.
 */
#include <stdio.h>
#include <string.h>

#include "models/load/host.h"
#include "tests/suite.h"

struct listing {
    char text[400];
};

/* "0>1 1<>2 ": the arrows tell which sides have a flow. */
static void list(void *self, const struct conn *c)
{
    struct listing *l = self;
    size_t used = strlen(l->text);
    snprintf(l->text + used, sizeof(l->text) - used, "%u%s%s%u ", c->a, c->backward ? "<" : "",
             c->forward ? ">" : "", c->b);
}

static struct listing listing_of(const struct load_cfg *cfg, uint32_t hosts)
{
    struct listing l = {""};
    conn_each(cfg, hosts, 1, list, &l);
    return l;
}

static void conn_patterns_connect_the_right_hosts(void)
{
    static const struct {
        enum load_pattern pattern;
        uint32_t hosts, qps, target;
        bool bidirectional;
        const char *want;
    } row[] = {
        {LOAD_PAIR, 5, 1, 0, false, "0>1 "},
        {LOAD_PAIR, 2, 2, 0, true, "0<>1 0<>1 "},
        {LOAD_INCAST, 4, 1, 2, false, "0>2 1>2 3>2 "},
        {LOAD_INCAST, 3, 2, 0, false, "1>0 1>0 2>0 2>0 "},
        {LOAD_RPC, 3, 1, 1, false, "0>1 2>1 "},
        {LOAD_ALL_TO_ALL, 4, 1, 0, false, "0<>1 0<>2 0<>3 1<>2 1<>3 2<>3 "},
        {LOAD_RING, 3, 1, 0, false, "0>1 1>2 2>0 "},
        {LOAD_RING, 3, 1, 0, true, "0<>1 1<>2 2<>0 "},
    };
    for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
        struct load_cfg cfg = {.pattern = row[i].pattern,
                               .qps = row[i].qps,
                               .target = row[i].target,
                               .bidirectional = row[i].bidirectional};
        struct listing l = listing_of(&cfg, row[i].hosts);
        CU_ASSERT_STRING_EQUAL(l.text, row[i].want);
    }
}

/* One connection per unordered pair, by pair; a side has a flow if the trace has one from there. */
static void conn_trace_connects_pairs_once(void)
{
    struct load_flow flow[5] = {
        {3, 1, 10, 0}, {0, 2, 10, 5}, {2, 0, 10, 7}, {0, 2, 10, 9}, {0, 1, 10, 1}};
    struct load_cfg cfg = {.pattern = LOAD_TRACE, .qps = 1, .flow = flow, .flow_count = 5};
    struct listing l = listing_of(&cfg, 4);
    CU_ASSERT_STRING_EQUAL(l.text, "0>1 0<>2 1<3 ");
}

/* Over many seeds and sizes: every host is somebody's successor once, nobody its own, one cycle. */
static void conn_permutation_is_one_cycle(void)
{
    uint32_t to[40];
    for (uint32_t hosts = 2; hosts <= 40; hosts++) {
        conn_cycle(hosts, 1000 + hosts, to);
        uint32_t at = 0, steps = 0;
        do {
            CU_ASSERT_NOT_EQUAL(to[at], at);
            at = to[at];
            steps++;
        } while (at != 0 && steps <= hosts);
        CU_ASSERT_EQUAL(steps, hosts);
    }
}

static void conn_permutation_follows_the_seed(void)
{
    uint32_t a[20], b[20], again[20];
    conn_cycle(20, 1, a);
    conn_cycle(20, 2, b);
    conn_cycle(20, 1, again);
    CU_ASSERT_EQUAL(memcmp(a, again, sizeof(a)), 0);
    CU_ASSERT_NOT_EQUAL(memcmp(a, b, sizeof(a)), 0);
}

static void conn_need_counts_the_busiest_host(void)
{
    static const struct {
        enum load_pattern pattern;
        enum xp_wr_op op;
        uint32_t qps;
        struct load_need want; /* sq_depth 8, rq_depth 100, 5 hosts */
    } row[] = {
        {LOAD_PAIR, XP_WR_SEND, 1, {2, 1, 1, 1, 8, 100, 0}},
        {LOAD_INCAST, XP_WR_WRITE, 1, {8, 4, 4, 4, 8, 0, 0}},
        {LOAD_INCAST, XP_WR_SEND_IMM, 2, {16, 8, 8, 8, 16, 800, 0}},
        {LOAD_ALL_TO_ALL, XP_WR_WRITE_IMM, 1, {20, 20, 4, 4, 32, 400, 0}},
        {LOAD_ALL_TO_ALL, XP_WR_WRITE, 3, {60, 60, 12, 12, 96, 0, 0}},
        {LOAD_PERMUTATION, XP_WR_SEND, 1, {10, 5, 2, 2, 8, 100, 0}},
        {LOAD_RING, XP_WR_SEND, 1, {10, 5, 2, 2, 8, 100, 0}},
        {LOAD_RPC, XP_WR_WRITE, 1, {8, 4, 4, 4, 32, 400, 0}},
    };
    struct load_qp_cfg qp = {.sq_depth = 8, .rq_depth = 100};
    for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
        struct load_cfg cfg = {.pattern = row[i].pattern, .op = row[i].op, .qps = row[i].qps};
        struct load_need got = load_need(&cfg, &qp, 5);
        CU_ASSERT_EQUAL(memcmp(&got, &row[i].want, sizeof(got)), 0);
    }
}

static void conn_need_counts_one_shared_receive_queue_a_host(void)
{
    struct load_qp_cfg qp = {.sq_depth = 8, .rq_depth = 100, .srq = true, .srq_depth = 50};
    struct load_cfg cfg = {.pattern = LOAD_INCAST, .op = XP_WR_SEND, .qps = 2};
    struct load_need want = {16, 8, 8, 8, 16, 50, 1};
    struct load_need got = load_need(&cfg, &qp, 5);
    CU_ASSERT_EQUAL(memcmp(&got, &want, sizeof(got)), 0);
    cfg.op = XP_WR_WRITE;
    CU_ASSERT_EQUAL(load_need(&cfg, &qp, 5).recv_wqe_host_max, 0);
}

static const struct test tests[] = {
    TEST(conn_patterns_connect_the_right_hosts), TEST(conn_trace_connects_pairs_once),
    TEST(conn_permutation_is_one_cycle),         TEST(conn_permutation_follows_the_seed),
    TEST(conn_need_counts_the_busiest_host),
    TEST(conn_need_counts_one_shared_receive_queue_a_host), TESTS_END};
const struct suite suite_conn = {"conn", tests};
