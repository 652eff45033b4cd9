/*
 * Open loop: arrivals that do not wait for the network.
 */
#include <string.h>

#include "tests/suite.h"
#include "tests/unit/bed.h"

/* Half of 100 Gb/s in messages of 4096 bytes: one each 655 360 ps. */
static struct bed_cfg half_load(void)
{
    struct bed_cfg c = bed_cfg();
    c.load.messages = 0;
    c.load.depth = 0;
    c.load.load_ppm = 500000;
    c.duration_ps = 20000ll * 655360;
    return c;
}

static void source_offers_the_load_asked_for(void)
{
    struct bed_cfg c = half_load();
    struct meter m = bed_result(&c);
    CU_ASSERT(m.n.messages_posted > 19600 && m.n.messages_posted < 20400);
    CU_ASSERT_EQUAL(m.latency.min, 1335520);
    CU_ASSERT(m.latency.max > 2 * 1335520); /* arrivals come in bunches and wait */
    c.load.load_ppm = 250000;
    uint64_t posted = bed_result(&c).n.messages_posted;
    CU_ASSERT(posted > 9800 && posted < 10200);
}

static void source_load_is_of_bytes_not_messages(void)
{
    static uint64_t bytes[2] = {1024, 7168};
    struct bed_cfg c = half_load();
    c.load.size = (struct load_size){LOAD_SIZE_LIST, 2, bytes, NULL};
    uint64_t posted = bed_result(&c).n.messages_posted;
    CU_ASSERT(posted > 19600 && posted < 20400);
}

static void source_arrivals_follow_the_seed(void)
{
    struct bed_cfg c = half_load();
    c.duration_ps = 100 * 655360;
    tm_ps first = bed_result(&c).first_post_ps;
    CU_ASSERT(first > 0);
    CU_ASSERT_EQUAL(bed_result(&c).first_post_ps, first);
    c.seed = 2;
    CU_ASSERT_NOT_EQUAL(bed_result(&c).first_post_ps, first);
}

/* Arrivals are spread over the host's flows, evenly and at random. */
static void source_arrivals_spread_over_flows(void)
{
    struct bed_cfg c = bed_star(5, LOAD_ALL_TO_ALL);
    struct load_qp_row row;
    c.load.messages = 0;
    c.load.load_ppm = 200000;
    c.duration_ps = 4000ll * 1638400; /* 4000 a host, 1000 a flow */
    struct bed *b = bed_new(&c);
    bed_run(b);
    for (uint32_t i = 0; i < load_qp_count(b->load); i++) {
        load_qp_row(b->load, i, &row);
        CU_ASSERT(row.posted > 880 && row.posted < 1120);
    }
    bed_free(b);
}

/* One more host does not move another's arrivals. */
static void source_arrivals_of_a_host_are_its_own(void)
{
    struct bed_cfg c = bed_star(3, LOAD_INCAST);
    c.load.messages = 0;
    c.load.load_ppm = 100000;
    c.duration_ps = 100000000;
    struct bed *three = bed_new(&c);
    c.fab.hosts = 4;
    struct bed *four = bed_new(&c);
    bed_run(three);
    bed_run(four);
    CU_ASSERT_EQUAL(bed_posted_by(three, 1), bed_posted_by(four, 1));
    CU_ASSERT_EQUAL(bed_posted_by(three, 2), bed_posted_by(four, 2));
    CU_ASSERT(bed_posted_by(four, 3) > 0);
    bed_free(three);
    bed_free(four);
}

/* More than the wire carries: the rest waits with its time of arrival, and no send queue overflows. */
static void source_overload_waits_in_the_backlog(void)
{
    struct bed_cfg c = half_load();
    struct load_qp_row row;
    c.load.load_ppm = 2000000;
    c.duration_ps = 8000ll * 163840; /* 8000 arrivals; 4194 bytes on the wire for 4096 */
    struct bed *b = bed_new(&c);
    bed_run(b);
    load_qp_row(b->load, 0, &row);
    CU_ASSERT(row.posted > 7700 && row.posted < 8300);
    CU_ASSERT_EQUAL(b->sum.n.messages_posted, row.posted);
    CU_ASSERT_EQUAL(b->sum.n.messages_delivered,
                    (uint64_t)(8000ll * 163840 - 1000000 - b->sum.first_post_ps) / 335520);
    CU_ASSERT(b->sum.latency.max > c.duration_ps / 3);
    bed_free(b);
}

/* A queue of 16 that nobody asks to signal: every 8th is, so that room comes back in time. */
static void source_half_a_queue_is_signalled(void)
{
    struct bed_cfg c = half_load();
    c.load.signal_every = 1000;
    c.load.load_ppm = 900000;
    struct meter m = bed_result(&c);
    CU_ASSERT(m.n.messages_completed > 30000);
    CU_ASSERT_EQUAL(m.n.messages_completed, 8 * m.completion.count);
}

/* Events go on after the duration; arrivals do not. */
static void source_arrivals_end_with_the_duration(void)
{
    struct bed_cfg c = half_load();
    struct bed *b = bed_new(&c);
    bed_run(b);
    uint64_t posted = bed_posted_by(b, 0);
    ev_run(b->ev, 2 * c.duration_ps, NULL);
    CU_ASSERT_EQUAL(bed_posted_by(b, 0), posted);
    bed_free(b);
}

static void source_messages_bound_open_flows_too(void)
{
    struct bed_cfg c = half_load();
    c.load.messages = 5;
    CU_ASSERT_EQUAL(bed_result(&c).n.messages_posted, 5);
}

static const struct test tests[] = {
    TEST(source_offers_the_load_asked_for),      TEST(source_load_is_of_bytes_not_messages),
    TEST(source_arrivals_follow_the_seed),       TEST(source_arrivals_spread_over_flows),
    TEST(source_arrivals_of_a_host_are_its_own), TEST(source_overload_waits_in_the_backlog),
    TEST(source_half_a_queue_is_signalled),      TEST(source_arrivals_end_with_the_duration),
    TEST(source_messages_bound_open_flows_too),  TESTS_END};
const struct suite suite_source = {"source", tests};
