/*
 * Endpoints and sessions: what is refused, what an idle session costs, resets.
 */
#include <stdlib.h>
#include <string.h>

#include "tests/suite.h"
#include "tests/unit/udbed.h"

static struct udbed b;

#define IS(text, expected) CU_ASSERT_STRING_EQUAL(text, expected)

static void udack_refuse_names_what_is_out_of_range(void)
{
    struct udack_limits lim = {1, 1, 1};
    struct udack_cfg ok = udbed_cfg(), c;
    CU_ASSERT_PTR_NULL(udack_refuse(&ok, &lim));
    c = ok, c.mtu_bytes = 63;
    IS(udack_refuse(&c, &lim), "the MTU is not in 64 .. 65535 bytes");
    c = ok, c.window = 65;
    IS(udack_refuse(&c, &lim), "the window is not in 1 .. 64 datagrams");
    c = ok, c.reorder = 64;
    IS(udack_refuse(&c, &lim), "the reordering buffer is not in 0 .. 63 datagrams");
    c = ok, c.ack_every = 0;
    IS(udack_refuse(&c, &lim), "acknowledgements are due every 1 .. 255 datagrams");
    c = ok, c.rto_ps = 0;
    IS(udack_refuse(&c, &lim), "the timeout must be above 0");
    c = ok, c.adaptive = true, c.rto_max_ps = c.rto_min_ps - 1;
    IS(udack_refuse(&c, &lim),
       "the adaptive timeout's bounds must be above 0, the upper not below the lower");
    c = ok, c.ack_delay_ps = -1;
    IS(udack_refuse(&c, &lim), "the delay of an acknowledgement is negative");
    lim.sessions = (1u << 20) + 1;
    IS(udack_refuse(&ok, &lim), "more than 2^20 sessions, or 2^28 at work or messages");
}

/* One more session: nothing but its record. */
static void udack_idle_session_costs_40_bytes(void)
{
    struct udack_cfg cfg = udbed_cfg();
    struct udack_limits one = {1000, 10, 10}, more = {2000, 10, 10};
    CU_ASSERT_EQUAL(udack_session_bytes(), 40);
    CU_ASSERT_EQUAL(udack_size(&cfg, &more) - udack_size(&cfg, &one), 40000);
}

static void udack_open_beyond_the_limit_is_refused(void)
{
    struct udack_cfg cfg = udbed_cfg();
    struct udack_limits lim = {1, 1, 1};
    struct udack *u = udack_init(calloc(1, udack_size(&cfg, &lim)), &cfg, &lim);
    uint32_t s;
    struct udack_query q;
    CU_ASSERT_EQUAL(udack_open(u, 5, 1u << 20, &s), UDACK_EINVAL);
    CU_ASSERT_EQUAL(udack_post(u, 0, 0, 10, 0), UDACK_EINVAL);
    CU_ASSERT_EQUAL(udack_open(u, 5, 0, &s), UDACK_OK);
    CU_ASSERT_EQUAL(udack_open(u, 6, 0, &s), UDACK_ENOMEM);
    CU_ASSERT_EQUAL(udack_point(u, 1, 5, 0), UDACK_EINVAL);
    CU_ASSERT_EQUAL(udack_query(u, 1, &q), UDACK_EINVAL);
    CU_ASSERT_EQUAL(udack_reset(u, 1, 0), UDACK_EINVAL);
    free(u);
}

static void udack_point_tells_the_session_at_the_peer(void)
{
    struct udack_cfg cfg = udbed_cfg();
    struct udack_limits lim = {1, 1, 1};
    struct udack *u = udack_init(calloc(1, udack_size(&cfg, &lim)), &cfg, &lim);
    struct udack_tx tx;
    uint32_t s;
    CU_ASSERT_EQUAL(udack_open(u, 5, 0, &s), UDACK_OK);
    CU_ASSERT_EQUAL(udack_point(u, s, 6, 77), UDACK_OK);
    CU_ASSERT_EQUAL(udack_post(u, s, 9, 10, 0), UDACK_OK);
    CU_ASSERT_TRUE(udack_pull(u, 0, &tx));
    CU_ASSERT_TRUE(tx.hdr.session == 77 && tx.peer == 6 && tx.id == 9 && tx.bytes == 10);
    free(u);
}

/* 3 messages wait at A when it starts anew; B hears of it from the next datagram. */
static void udack_reset_completes_what_waits_and_tells_the_peer(void)
{
    struct udack_cfg cfg = udbed_cfg();
    struct udack_query q;
    udbed_init(&b, 2, &cfg);
    b.drop = 7; /* nothing of the first incarnation arrives */
    udbed_post(&b, 0, 1, 100);
    udbed_post(&b, 0, 1, 200);
    udbed_post(&b, 1, 0, 300);
    udbed_run(&b, 10 * TM_US);
    CU_ASSERT_EQUAL(udack_reset(b.end[0], 0, b.now), UDACK_OK);
    udbed_post(&b, 0, 1, 400);
    udbed_settle(&b);
    IS(b.wire, "0 AB d0 m0.0 L? a0 x\n"
               "0 AB d1 m1.0 L? a0 x\n"
               "0 BA d0 m0.0 L? a0 x\n"
               "10 AB d0 m0.0 L? a0 i1\n"
               "11 BA a1 i1\n");
    IS(b.got, "11 B m0 400\n"
              "11 B 1000 reset\n"
              "12 A 0 reset\n"
              "12 A 1 reset\n"
              "12 A 0 done\n");
    CU_ASSERT_EQUAL(udack_query(b.end[1], 0, &q), UDACK_OK);
    CU_ASSERT_EQUAL(q.incarnation, 1);
    CU_ASSERT_EQUAL(q.expected, 1);
    CU_ASSERT_EQUAL(udack_counts(b.end[1])->resets, 1);
    CU_ASSERT_EQUAL(udack_outstanding(b.end[0]) + udack_outstanding(b.end[1]), 0);
    udbed_fini(&b);
}

/* A datagram of before the reset is still on its way, and comes after it: nobody gets it. */
static void udack_reset_datagrams_of_before_are_stale(void)
{
    struct udack_cfg cfg = udbed_cfg();
    udbed_init(&b, 2, &cfg);
    b.late = 1;
    b.late_ps = 50 * TM_US;
    udbed_post(&b, 0, 1, 100);
    udbed_run(&b, 10 * TM_US);
    CU_ASSERT_EQUAL(udack_reset(b.end[0], 0, b.now), UDACK_OK);
    udbed_settle(&b);
    IS(b.wire, "0 AB d0 m0.0 L? a0\n"
               "10 AB a0 i1\n"
               "11 BA a0 i1\n"
               "51 BA a0 i1\n");
    IS(b.got, "12 A 0 reset\n");
    CU_ASSERT_EQUAL(udack_counts(b.end[1])->verdict[UDACK_STALE], 1);
    CU_ASSERT_EQUAL(udack_counts(b.end[1])->messages_delivered, 0);
    udbed_fini(&b);
}

/* B holds two datagrams behind a gap: they come back when A starts anew. */
static void udack_reset_returns_held_buffers(void)
{
    struct udack_cfg cfg = udbed_cfg();
    udbed_init(&b, 2, &cfg);
    b.drop = 1;
    udbed_post(&b, 0, 1, 2500);
    udbed_run(&b, TM_US);
    CU_ASSERT_EQUAL(b.buffers, 2);
    CU_ASSERT_EQUAL(udack_reset(b.end[0], 0, b.now), UDACK_OK);
    udbed_settle(&b);
    CU_ASSERT_EQUAL(b.buffers, 0);
    CU_ASSERT_EQUAL(udack_outstanding(b.end[1]), 0);
    udbed_fini(&b);
}

/* Working blocks for one session: the second waits for the first. */
static void udack_working_sessions_are_bounded(void)
{
    struct udack_cfg cfg = udbed_cfg();
    struct udack_limits lim = {2, 1, 4};
    struct udack *u = udack_init(calloc(1, udack_size(&cfg, &lim)), &cfg, &lim);
    struct udack_hdr data = {.session = 1, .flags = UDACK_LAST};
    struct udack_hdr ack = {.session = 0, .flags = UDACK_ACK, .ack = 1};
    struct udack_tx tx;
    uint32_t s;
    udack_open(u, 5, 0, &s);
    udack_open(u, 6, 0, &s);
    CU_ASSERT_EQUAL(udack_post(u, 0, 1, 10, 0), UDACK_OK);
    CU_ASSERT_EQUAL(udack_post(u, 1, 2, 10, 0), UDACK_ENOMEM);
    CU_ASSERT_EQUAL(udack_recv(u, &data, 6, 10, 0, 0).verdict, UDACK_NO_ROOM);
    CU_ASSERT_TRUE(udack_pull(u, 0, &tx));
    CU_ASSERT_EQUAL(udack_recv(u, &ack, 5, 0, 0, 1).verdict, UDACK_HEARD);
    CU_ASSERT_EQUAL(udack_post(u, 1, 2, 10, 1), UDACK_OK);
    free(u);
}

static const struct test tests[] = {TEST(udack_refuse_names_what_is_out_of_range),
                                    TEST(udack_idle_session_costs_40_bytes),
                                    TEST(udack_open_beyond_the_limit_is_refused),
                                    TEST(udack_point_tells_the_session_at_the_peer),
                                    TEST(udack_reset_completes_what_waits_and_tells_the_peer),
                                    TEST(udack_reset_datagrams_of_before_are_stale),
                                    TEST(udack_reset_returns_held_buffers),
                                    TEST(udack_working_sessions_are_bounded),
                                    TESTS_END};
const struct suite suite_udack = {"udack", tests};
