/*
 * Traces: each flow is one message, posted at its time.
 */
#include "tests/suite.h"
#include "tests/unit/bed.h"

static struct load_flow flows[5] = {{0, 2, 100, 9000000},
                                    {2, 0, 200, 1000000},
                                    {0, 2, 300, 5000000},
                                    {1, 2, 400, 2000000},
                                    {0, 2, 500, 5000000}};

struct seen {
    uint64_t bytes[8];
    tm_ps posted[8];
    int count;
};

static void see(void *self, uint32_t host, const struct pkt *last, uint32_t qpn, uint32_t bytes,
                tm_ps now)
{
    struct seen *s = self;
    (void)host, (void)qpn, (void)now;
    if (s->count == 8)
        return;
    s->bytes[s->count] = bytes;
    s->posted[s->count++] = (tm_ps)last->tag;
}

static struct bed_cfg trace(struct seen *s)
{
    struct bed_cfg c = bed_star(3, LOAD_TRACE);
    c.load.flow = flows;
    c.load.flow_count = 5;
    c.load.messages = 0;
    c.tap = (struct hca_tap){see, NULL, s};
    return c;
}

static void trace_flows_are_posted_at_their_times(void)
{
    static const uint64_t bytes[5] = {200, 400, 300, 500, 100};
    static const tm_ps posted[5] = {1000000, 2000000, 5000000, 5000000, 9000000};
    struct seen s = {.count = 0};
    struct bed_cfg c = trace(&s);
    struct meter m = bed_result(&c);
    CU_ASSERT_EQUAL(s.count, 5);
    for (int i = 0; i < 5; i++) {
        CU_ASSERT_EQUAL(s.bytes[i], bytes[i]);
        CU_ASSERT_EQUAL(s.posted[i], posted[i]);
    }
    CU_ASSERT_EQUAL(m.n.messages_completed, 5);
    CU_ASSERT_EQUAL(m.first_post_ps, 1000000);
}

/* One connection a pair, flows where the trace has some; the last one of each is signalled. */
static void trace_flows_share_the_connection_of_their_pair(void)
{
    struct seen s = {.count = 0};
    struct bed_cfg c = trace(&s);
    c.load.signal_every = 100;
    struct bed *b = bed_new(&c);
    bed_run(b);
    CU_ASSERT_EQUAL(load_qp_count(b->load), 4);
    CU_ASSERT_EQUAL(bed_flows(b), 3);
    CU_ASSERT_EQUAL(bed_posted_by(b, 0), 3);
    CU_ASSERT_EQUAL(bed_posted_by(b, 1), 1);
    CU_ASSERT_EQUAL(bed_posted_by(b, 2), 1);
    CU_ASSERT_EQUAL(b->sum.n.messages_completed, 5);
    CU_ASSERT_EQUAL(b->sum.completion.count, 3);
    bed_free(b);
}

/* Two connections a pair: the three flows 0 -> 2 go to the first, second, first. */
static void trace_flows_spread_over_qps(void)
{
    struct seen s = {.count = 0};
    struct load_qp_row row;
    struct bed_cfg c = trace(&s);
    c.load.qps = 2;
    struct bed *b = bed_new(&c);
    bed_run(b);
    CU_ASSERT_EQUAL(load_qp_count(b->load), 8);
    load_qp_row(b->load, 0, &row);
    CU_ASSERT_EQUAL(row.posted, 2);
    load_qp_row(b->load, 1, &row);
    CU_ASSERT_EQUAL(row.posted, 1);
    bed_free(b);
}

static const struct test tests[] = {TEST(trace_flows_are_posted_at_their_times),
                                    TEST(trace_flows_share_the_connection_of_their_pair),
                                    TEST(trace_flows_spread_over_qps), TESTS_END};
const struct suite suite_trace = {"trace", tests};
