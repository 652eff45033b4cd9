/* Departures, buffers, taps and dead ends of links, on literals. */
#include <stdio.h>
#include <string.h>

#include "tests/suite.h"
#include "tests/unit/yard.h"

static struct yard r;

/* Three packets of 1000 bytes at once on an idle pair link: "0@arrival 1@arrival 2@arrival ". */
static const char *three_at_once(uint64_t rate_bps)
{
    static char log[YARD_LOG_BYTES];
    struct fab_cfg cfg = yard_cfg(FAB_PAIR, 2);
    struct fab_counts c;
    cfg.rate_bps = rate_bps;
    yard_init(&r, &cfg, &(struct yard_opt){0});
    r.log_times = true;
    for (uint32_t i = 0; i < 3; i++) {
        struct pkt p = yard_packet(0, 1, i);
        link_send(fab_uplink(r.fab, 0), &p, 0);
    }
    yard_run(&r, &c);
    memcpy(log, r.host[1].log, sizeof log);
    yard_fini(&r);
    return log;
}

static void link_departures_follow_the_rate(void)
{
    CU_ASSERT_STRING_EQUAL(three_at_once(10000000000), "0@1800000 1@2600000 2@3400000 ");
    CU_ASSERT_STRING_EQUAL(three_at_once(25000000000), "0@1320000 1@1640000 2@1960000 ");
    CU_ASSERT_STRING_EQUAL(three_at_once(40000000000), "0@1200000 1@1400000 2@1600000 ");
    CU_ASSERT_STRING_EQUAL(three_at_once(100000000000), "0@1080000 1@1160000 2@1240000 ");
    CU_ASSERT_STRING_EQUAL(three_at_once(400000000000), "0@1020000 1@1040000 2@1060000 ");
}

/* 8000 bits at 3 Gb/s are 2666666.67 ps: every packet rounds up. */
static void link_departures_round_up_at_odd_rates(void)
{
    CU_ASSERT_STRING_EQUAL(three_at_once(3000000000), "0@3666667 1@6333334 2@9000001 ");
}

static void link_idle_wire_starts_at_once(void)
{
    struct fab_cfg cfg = yard_cfg(FAB_PAIR, 2);
    struct fab_counts c;
    struct pkt p = yard_packet(0, 1, 5);
    yard_init(&r, &cfg, &(struct yard_opt){.pre_ps = 11, .post_ps = 200});
    r.log_times = true;
    CU_ASSERT_EQUAL(link_free_at(fab_uplink(r.fab, 0)), 0);
    yard_blast(&r, &p, 1, 0);
    ev_run(r.ev, 2000000, NULL);
    CU_ASSERT_EQUAL(link_free_at(fab_uplink(r.fab, 0)), 80000);
    p.h.psn = psn(6);
    yard_blast(&r, &p, 1, 3000000);
    yard_run(&r, &c);
    CU_ASSERT_EQUAL(link_free_at(fab_uplink(r.fab, 0)), 3080000);
    CU_ASSERT_STRING_EQUAL(r.host[1].log, "5@1080211 6@4080211 ");
    yard_fini(&r);
}

static void link_switch_adds_delay_and_a_hop(void)
{
    struct fab_cfg cfg = yard_cfg(FAB_STAR, 2);
    struct fab_counts c;
    struct pkt p = yard_packet(0, 1, 0);
    cfg.switch_delay_ps = 300;
    yard_init(&r, &cfg, &(struct yard_opt){.pre_ps = 11, .post_ps = 20});
    r.log_times = true;
    yard_blast(&r, &p, 2, 0);
    yard_run(&r, &c);
    CU_ASSERT_STRING_EQUAL(r.host[1].log, "0@2160331 1@2240331 ");
    CU_ASSERT_EQUAL(c.sent, 4);
    CU_ASSERT_EQUAL(c.arrived, 4);
    yard_fini(&r);
}

/* A ring that holds thousands gives them back in order. */
static void link_ring_grows_and_keeps_order(void)
{
    struct fab_cfg cfg = yard_cfg(FAB_PAIR, 2);
    struct fab_counts c;
    yard_init(&r, &cfg, &(struct yard_opt){0});
    for (uint32_t i = 0; i < 3000; i++) {
        struct pkt p = yard_packet(0, 1, i);
        link_send(fab_uplink(r.fab, 0), &p, 0);
        if (i == 1000) /* the ring's head is in the middle when it grows next */
            ev_run(r.ev, 1000000 + 500 * 80000, NULL);
    }
    fab_counts(r.fab, &c);
    CU_ASSERT_EQUAL(c.arrived, 500);
    CU_ASSERT_EQUAL(c.in_flight, 2500);
    yard_run(&r, &c);
    CU_ASSERT_EQUAL(c.arrived, 3000);
    CU_ASSERT_EQUAL(c.in_flight, 0);
    CU_ASSERT_EQUAL(r.host[1].last_at, 1000000 + 3000 * 80000);
    CU_ASSERT_EQUAL(r.host[1].last_psn.v, 2999);
    CU_ASSERT_EQUAL(r.host[1].steps_back, 0);
    yard_fini(&r);
}

/* Two hosts send n packets each to a third at the same times; the port to it has `buffer` bytes. */
static struct fab_counts incast(uint64_t n, uint64_t buffer)
{
    struct fab_cfg cfg = yard_cfg(FAB_STAR, 3);
    struct fab_counts c;
    cfg.buffer_bytes = buffer;
    yard_init(&r, &cfg, &(struct yard_opt){0});
    for (uint32_t h = 0; h < 2; h++) {
        struct pkt p = yard_packet(h, 2, 10 * h);
        yard_blast(&r, &p, n, 0);
    }
    yard_run(&r, &c);
    yard_fini(&r);
    return c;
}

static void link_full_buffer_drops_the_tail(void)
{
    CU_ASSERT_EQUAL(incast(1, 2000).dropped[FAB_DROP_BUFFER], 0);
    CU_ASSERT_EQUAL(incast(1, 2000).queue_bytes_max, 2000);
    CU_ASSERT_EQUAL(incast(1, 1999).dropped[FAB_DROP_BUFFER], 1);
    CU_ASSERT_EQUAL(incast(1, 1999).queue_bytes_max, 1000);
    CU_ASSERT_EQUAL(incast(1, 999).dropped[FAB_DROP_BUFFER], 2);
    CU_ASSERT_EQUAL(incast(1, 0).dropped[FAB_DROP_BUFFER], 0);
}

/* Two packets come while one leaves: with room for four the queue is 1 2 | 2 3 | 3 4 | 4 x ... */
static void link_buffer_drains_at_the_rate(void)
{
    struct fab_counts c = incast(10, 4000);
    CU_ASSERT_EQUAL(c.dropped[FAB_DROP_BUFFER], 7);
    CU_ASSERT_EQUAL(c.queue_bytes_max, 4000);
    CU_ASSERT_EQUAL(r.host[2].arrived, 13);
    c = incast(10, 0);
    CU_ASSERT_EQUAL(c.dropped[FAB_DROP_BUFFER], 0);
    CU_ASSERT_EQUAL(c.queue_bytes_max, 11000);
}

static void link_uplinks_have_no_buffer(void)
{
    struct fab_cfg cfg = yard_cfg(FAB_STAR, 2);
    struct fab_counts c;
    cfg.buffer_bytes = 1000;
    yard_init(&r, &cfg, &(struct yard_opt){0});
    for (uint32_t i = 0; i < 5; i++) {
        struct pkt p = yard_packet(0, 1, i);
        link_send(fab_uplink(r.fab, 0), &p, 0);
    }
    yard_run(&r, &c);
    CU_ASSERT_EQUAL(r.host[1].arrived, 5);
    CU_ASSERT_EQUAL(c.queue_bytes_max, 1000);
    yard_fini(&r);
}

/* ---- taps and dead hosts --------------------------------------------------------------------- */

static char notes[YARD_LOG_BYTES];

static void note(void *self, const char *kind, const char *reason, const struct link *where,
                 const struct pkt *p, tm_ps now)
{
    size_t len = strlen(notes);
    snprintf(notes + len, sizeof notes - len, "%s %s%s%s %u@%lld\n", kind, link_name(where),
             *reason ? " " : "", reason, p->h.psn.v, (long long)now);
}

static const struct fab_tap tap = {note, NULL};

static void link_tap_sees_sends_arrivals_drops(void)
{
    struct fab_cfg cfg = yard_cfg(FAB_STAR, 3);
    struct fab_counts c;
    cfg.buffer_bytes = 1000;
    notes[0] = 0;
    yard_init(&r, &cfg, &(struct yard_opt){.tap = &tap});
    for (uint32_t h = 0; h < 2; h++) {
        struct pkt p = yard_packet(h, 2, 10 * h);
        yard_blast(&r, &p, 1, 0);
    }
    yard_run(&r, &c);
    CU_ASSERT_STRING_EQUAL(notes, "send h0-s0 0@0\n"
                                  "send h1-s0 10@0\n"
                                  "arrive h0-s0 0@1080000\n"
                                  "send s0-h2 0@1080000\n"
                                  "arrive h1-s0 10@1080000\n"
                                  "send s0-h2 10@1080000\n"
                                  "drop s0-h2 buffer 10@1080000\n"
                                  "arrive s0-h2 0@2160000\n");
    yard_fini(&r);
}

static void link_dead_host_neither_sends_nor_hears(void)
{
    struct fab_cfg cfg = yard_cfg(FAB_STAR, 2);
    struct fab_counts c;
    struct pkt p = yard_packet(0, 1, 0), q = yard_packet(1, 0, 50);
    notes[0] = 0;
    yard_init(&r, &cfg, &(struct yard_opt){.tap = &tap});
    yard_blast(&r, &p, 1, 0);
    ev_run(r.ev, 1500000, NULL); /* on its way from the switch */
    fab_kill(r.fab, 1);
    yard_blast(&r, &q, 1, 1600000);
    yard_run(&r, &c);
    CU_ASSERT_EQUAL(r.host[0].arrived + r.host[1].arrived, 0);
    CU_ASSERT_EQUAL(c.dropped[FAB_DROP_DOWN], 2);
    CU_ASSERT_PTR_NOT_NULL(strstr(notes, "drop h1-s0 link_down 50@1600000\n"));
    CU_ASSERT_PTR_NOT_NULL(strstr(notes, "drop s0-h1 link_down 0@2160000\n"));
    yard_fini(&r);
}

/* An error rate of the cable itself, as topology files of the ns-3 family give it. */
static void link_cable_loses_by_its_own_rate(void)
{
    struct topo_edge edge[] = {{.a = 0, .b = 2, .rate_bps = 100000000000, .delay_ps = TM_US},
                               {.a = 1,
                                .b = 2,
                                .rate_bps = 100000000000,
                                .delay_ps = TM_US,
                                .loss_threshold = UINT64_MAX / 4}};
    struct topo t = {2, 1, 2, edge};
    struct fab_cfg cfg = yard_cfg(FAB_FILE, 2);
    struct fab_counts c;
    struct link_counts to_1;
    struct pkt p = yard_packet(0, 1, 0);
    cfg.given = &t;
    yard_init(&r, &cfg, &(struct yard_opt){.seed = 1});
    yard_blast(&r, &p, 1000, 0);
    yard_run(&r, &c);
    fab_link_counts(r.fab, 3, &to_1);
    CU_ASSERT_EQUAL(to_1.dropped[FAB_DROP_LOSS], c.dropped[FAB_DROP_LOSS]);
    CU_ASSERT(c.dropped[FAB_DROP_LOSS] > 200 && c.dropped[FAB_DROP_LOSS] < 300); /* 3.6 sigma */
    yard_fini(&r);
}

static const struct test tests[] = {
    TEST(link_departures_follow_the_rate),    TEST(link_departures_round_up_at_odd_rates),
    TEST(link_idle_wire_starts_at_once),      TEST(link_switch_adds_delay_and_a_hop),
    TEST(link_ring_grows_and_keeps_order),    TEST(link_full_buffer_drops_the_tail),
    TEST(link_buffer_drains_at_the_rate),     TEST(link_uplinks_have_no_buffer),
    TEST(link_tap_sees_sends_arrivals_drops), TEST(link_dead_host_neither_sends_nor_hears),
    TEST(link_cable_loses_by_its_own_rate),   TESTS_END};
const struct suite suite_link = {"link", tests};
