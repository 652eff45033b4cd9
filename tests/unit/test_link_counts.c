/* What a link has counted, packet by packet and byte by byte. */
#include <stdio.h>
#include <string.h>

#include "tests/suite.h"
#include "tests/unit/yard.h"

static struct yard r;

static struct inject_rule rule_from(uint32_t host, enum inject_action action)
{
    return (struct inject_rule){.action = action,
                                .match = {.from = (int32_t)host,
                                          .to = INJECT_ANY,
                                          .opcode = INJECT_ANY,
                                          .op = INJECT_ANY,
                                          .qp = INJECT_ANY,
                                          .link_a = INJECT_ANY,
                                          .link_b = INJECT_ANY},
                                .pick = {.count = 1, .every = 1, .p_threshold = UINT64_MAX}};
}

/* A link's counts in one line; drops in the order of enum fab_drop. */
static const char *line(uint32_t i)
{
    static char text[2][256];
    static int next;
    struct link_counts c;
    next = (next + 1) % 2;
    fab_link_counts(r.fab, i, &c);
    snprintf(
        text[next], sizeof text[next],
        "%s>%s%s sent %llu/%llu copies %llu arrived %llu/%llu dropped %llu %llu %llu %llu %llu "
        "flying %llu queue %llu",
        c.node, c.peer, c.is_switch_port ? " port" : "", (unsigned long long)c.sent,
        (unsigned long long)c.sent_bytes, (unsigned long long)c.copies,
        (unsigned long long)c.arrived, (unsigned long long)c.arrived_bytes,
        (unsigned long long)c.dropped[FAB_DROP_LOSS],
        (unsigned long long)c.dropped[FAB_DROP_BUFFER],
        (unsigned long long)c.dropped[FAB_DROP_INJECT],
        (unsigned long long)c.dropped[FAB_DROP_CORRUPT],
        (unsigned long long)c.dropped[FAB_DROP_DOWN], (unsigned long long)c.in_flight,
        (unsigned long long)c.queue_bytes_max);
    return text[next];
}

static void link_counts_name_ends_and_ways_back(void)
{
    struct fab_cfg cfg = yard_cfg(FAB_STAR, 12);
    yard_init(&r, &cfg, &(struct yard_opt){0});
    CU_ASSERT_EQUAL(fab_links(r.fab), 24);
    CU_ASSERT_EQUAL(fab_cfg_links(&cfg), 24);
    CU_ASSERT_STRING_EQUAL(link_name(fab_link(r.fab, 23)), "s0-h11");
    CU_ASSERT_STRING_EQUAL(line(22), "h11>s0 sent 0/0 copies 0 arrived 0/0 dropped 0 0 0 0 0 "
                                     "flying 0 queue 0");
    CU_ASSERT_STRING_EQUAL(line(22 ^ 1), "s0>h11 port sent 0/0 copies 0 arrived 0/0 dropped 0 0 0 "
                                         "0 0 flying 0 queue 0");
    cfg = yard_cfg(FAB_DUMBBELL, 4);
    CU_ASSERT_EQUAL(fab_cfg_links(&cfg), 10);
    yard_fini(&r);
}

/* Two hosts fill a port of 2500 bytes: what finds it full never was on that wire. */
static void link_counts_full_buffer_is_not_sent(void)
{
    struct fab_cfg cfg = yard_cfg(FAB_STAR, 3);
    struct fab_counts all;
    struct pkt p = yard_packet(0, 2, 0), q = yard_packet(1, 2, 0);
    cfg.buffer_bytes = 2500;
    yard_init(&r, &cfg, &(struct yard_opt){0});
    yard_blast(&r, &p, 4, 0);
    yard_blast(&r, &q, 4, 0);
    yard_run(&r, &all);
    CU_ASSERT_STRING_EQUAL(line(0), "h0>s0 sent 4/4000 copies 0 arrived 4/4000 dropped 0 0 0 0 0 "
                                    "flying 0 queue 0");
    CU_ASSERT_EQUAL(all.dropped[FAB_DROP_BUFFER], 3);
    CU_ASSERT_STRING_EQUAL(line(5), "s0>h2 port sent 5/5000 copies 0 arrived 5/5000 dropped 0 3 0 "
                                    "0 0 flying 0 queue 2000");
    CU_ASSERT_EQUAL(all.queue_bytes_max, 2000);
    yard_fini(&r);
}

/* One packet copied, one dropped, one damaged, one that grows; the host beyond is dead at last. */
static void link_counts_rules_change_what_arrives(void)
{
    struct fab_cfg cfg = yard_cfg(FAB_PAIR, 2);
    struct fab_counts all;
    struct inject_rule q[] = {rule_from(0, INJ_DUP), rule_from(0, INJ_DROP),
                              rule_from(0, INJ_CORRUPT), rule_from(0, INJ_REWRITE)};
    struct inject_list rules = {q, 4, 0};
    struct pkt p = yard_packet(0, 1, 0);
    q[2].at_byte = 12;
    q[3].set[0] = (struct inject_set){INJF_PAYLOAD, 1100};
    q[3].sets = 1;
    yard_init(&r, &cfg, &(struct yard_opt){.rules = &rules});
    yard_blast(&r, &p, 6, 0);
    yard_run(&r, &all);
    /* 6 + 1 copy - 1 dropped; the fourth has 12 + 1100 + 70 bytes then: 182 more. */
    CU_ASSERT_STRING_EQUAL(line(0), "h0>h1 sent 6/6000 copies 1 arrived 6/6182 dropped 0 0 1 1 0 "
                                    "flying 0 queue 0");
    CU_ASSERT_EQUAL(all.arrived, 5);
    CU_ASSERT_EQUAL(all.sent, 7);
    fab_kill(r.fab, 1);
    yard_blast(&r, &p, 2, ev_now(r.ev) + 1);
    yard_run(&r, &all);
    CU_ASSERT_STRING_EQUAL(line(0), "h0>h1 sent 8/8000 copies 1 arrived 6/6182 dropped 0 0 1 1 2 "
                                    "flying 0 queue 0");
    yard_fini(&r);
}

/* 1000 bytes leave in 80 ns and arrive 1 us later. */
static void link_counts_moment_knows_what_has_left(void)
{
    struct fab_cfg cfg = yard_cfg(FAB_PAIR, 2);
    struct link_moment m;
    struct pkt p = yard_packet(0, 1, 0);
    yard_init(&r, &cfg, &(struct yard_opt){0});
    yard_blast(&r, &p, 2, 0);
    CU_ASSERT_TRUE(ev_run(r.ev, 100000, NULL));
    fab_link_moment(r.fab, 0, 100000, &m);
    CU_ASSERT_EQUAL(m.queue_bytes, 750);
    CU_ASSERT_EQUAL(m.gone_bytes, 1250);
    CU_ASSERT_EQUAL(m.dropped, 0);
    CU_ASSERT_EQUAL(fab_busy_until(r.fab), 160000);
    CU_ASSERT_STRING_EQUAL(line(0), "h0>h1 sent 2/2000 copies 0 arrived 0/0 dropped 0 0 0 0 0 "
                                    "flying 2 queue 0");
    CU_ASSERT_TRUE(ev_run(r.ev, 1080000, NULL));
    fab_link_moment(r.fab, 0, 1080000, &m);
    CU_ASSERT_EQUAL(m.queue_bytes, 0);
    CU_ASSERT_EQUAL(m.gone_bytes, 2000);
    CU_ASSERT_STRING_EQUAL(line(0), "h0>h1 sent 2/2000 copies 0 arrived 1/1000 dropped 0 0 0 0 0 "
                                    "flying 1 queue 0");
    yard_fini(&r);
}

static const struct test tests[] = {TEST(link_counts_name_ends_and_ways_back),
                                    TEST(link_counts_full_buffer_is_not_sent),
                                    TEST(link_counts_rules_change_what_arrives),
                                    TEST(link_counts_moment_knows_what_has_left), TESTS_END};
const struct suite suite_link_counts = {"link_counts", tests};
