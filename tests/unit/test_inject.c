/* Every action and every match key of scripted faults, each with values whose results differ. */
#include <stdio.h>
#include <string.h>

#include "models/fabric/inject_run.h"
#include "tests/suite.h"
#include "tests/unit/yard.h"

#define FIRST_PSN 0xfffffe /* of every flow: psn=+K counts across the wrap */

static struct yard r;
static struct fab_counts counts;
static uint64_t fired[4];
static struct pkt seen[YARD_HOSTS_MAX]; /* last packet each host took */

/* A rule that takes every packet; tests narrow it. */
static struct inject_rule rule_all(enum inject_action action)
{
    return (struct inject_rule){
        .action = action,
        .match = {.from = INJECT_ANY,
                  .to = INJECT_ANY,
                  .opcode = INJECT_ANY,
                  .op = INJECT_ANY,
                  .qp = INJECT_ANY,
                  .link_a = INJECT_ANY,
                  .link_b = INJECT_ANY},
        .pick = {.count = UINT64_MAX, .every = 1, .p_threshold = UINT64_MAX}};
}

static void keep_last(void *self, const char *kind, const char *reason, const struct link *where,
                      const struct pkt *p, tm_ps now)
{
    if (strcmp(kind, "arrive") == 0)
        seen[p->dst_host] = *p;
}

static const struct fab_tap tap = {keep_last, NULL};

static void begin(struct inject_rule *rules, uint32_t n, enum fab_topology topology, uint32_t hosts)
{
    struct fab_cfg cfg = yard_cfg(topology, hosts);
    struct inject_list list = {rules, n, FIRST_PSN};
    memset(seen, 0, sizeof seen);
    yard_init(&r, &cfg, &(struct yard_opt){.rules = &list, .tap = &tap, .seed = 1});
}

static void end(uint32_t rules)
{
    yard_run(&r, &counts);
    CU_ASSERT_EQUAL(counts.in_flight, 0);
    if (rules)
        fab_inject_fired(r.fab, fired);
    yard_fini(&r);
}

/* One flow of n packets from host 0 to host 1 of a pair under one rule; what arrives. */
static const char *flow(const struct inject_rule *rule, uint32_t n, bool times)
{
    struct inject_rule copy = *rule;
    struct pkt p = yard_packet(0, 1, 1);
    begin(&copy, 1, FAB_PAIR, 2);
    r.log_times = times;
    yard_blast(&r, &p, n, 0);
    end(1);
    return r.host[1].log;
}

/* ---- actions --------------------------------------------------------------------------------- */

static void inject_drop_takes_the_packet_and_its_time(void)
{
    struct inject_rule q = rule_all(INJ_DROP);
    q.pick.count = 1;
    CU_ASSERT_STRING_EQUAL(flow(&q, 3, true), "2@1160000 3@1240000 ");
    CU_ASSERT_EQUAL(counts.dropped[FAB_DROP_INJECT], 1);
    CU_ASSERT_EQUAL(fired[0], 1);
}

static void inject_dup_follows_the_original(void)
{
    struct inject_rule q = rule_all(INJ_DUP);
    q.pick.count = 1;
    CU_ASSERT_STRING_EQUAL(flow(&q, 2, true), "1@1080000 1@1080001 2@1160000 ");
    CU_ASSERT_EQUAL(counts.injected, 1);
    CU_ASSERT_EQUAL(counts.sent, 3);
    q.delay_ps = 300000;
    CU_ASSERT_STRING_EQUAL(flow(&q, 2, true), "1@1080000 2@1160000 1@1380000 ");
    CU_ASSERT_EQUAL(counts.injected, 1);
}

static void inject_delay_lets_others_pass(void)
{
    struct inject_rule q = rule_all(INJ_DELAY);
    q.pick.count = 2;
    q.delay_ps = 100000;
    CU_ASSERT_STRING_EQUAL(flow(&q, 3, true), "1@1180000 3@1240000 2@1260000 ");
    q.delay_ps = 1000000;
    CU_ASSERT_STRING_EQUAL(flow(&q, 3, true), "3@1240000 1@2080000 2@2160000 ");
    q.delay_ps = 0;
    CU_ASSERT_STRING_EQUAL(flow(&q, 3, true), "1@1080000 2@1160000 3@1240000 ");
    CU_ASSERT_EQUAL(counts.injected, 0);
}

/* Both arrive at 1260000: the one that was sent first comes first. */
static void inject_delays_to_one_moment_keep_order(void)
{
    struct inject_rule q[2] = {rule_all(INJ_DELAY), rule_all(INJ_DELAY)};
    struct pkt p = yard_packet(0, 1, 1);
    q[0].pick.count = 1;
    q[0].delay_ps = 180000;
    q[1].pick.count = 1;
    q[1].delay_ps = 100000;
    begin(q, 2, FAB_PAIR, 2);
    r.log_times = true;
    yard_blast(&r, &p, 3, 0);
    end(2);
    CU_ASSERT_STRING_EQUAL(r.host[1].log, "3@1240000 1@1260000 2@1260000 ");
}

static void inject_corrupt_is_dropped_by_the_host(void)
{
    struct inject_rule q = rule_all(INJ_CORRUPT);
    struct pkt p = yard_packet(0, 1, 1);
    q.pick.skip = 1;
    q.pick.count = 1;
    begin(&q, 1, FAB_STAR, 2);
    yard_blast(&r, &p, 3, 0);
    end(1);
    CU_ASSERT_STRING_EQUAL(r.host[1].log, "1 3 ");
    CU_ASSERT_EQUAL(counts.dropped[FAB_DROP_CORRUPT], 1);
    CU_ASSERT_EQUAL(counts.sent, 6); /* it crossed the switch */
    CU_ASSERT_EQUAL(counts.arrived, 5);
}

static void inject_mark_sets_ce(void)
{
    struct inject_rule q = rule_all(INJ_MARK);
    flow(&q, 1, false);
    CU_ASSERT_EQUAL(seen[1].h.flags, WIRE_ECN_LO | WIRE_ECN_HI);
    q.pick.count = 0;
    flow(&q, 1, false);
    CU_ASSERT_EQUAL(seen[1].h.flags, 0);
}

/* The first packet is on the wire from 0 to 1080000. */
static void inject_link_down_drops_what_is_on_it_and_put_on_it(void)
{
    struct inject_rule q = rule_all(INJ_LINK_DOWN);
    q.match.link_a = 1; /* either order names it */
    q.match.link_b = 0;
    q.when.from_ps = 80000;
    q.when.until_ps = 240000;
    CU_ASSERT_STRING_EQUAL(flow(&q, 5, false), "4 5 ");
    CU_ASSERT_EQUAL(counts.dropped[FAB_DROP_DOWN], 3);
    CU_ASSERT_EQUAL(fired[0], 3);
    q.when.until_ps = 160000;
    CU_ASSERT_STRING_EQUAL(flow(&q, 5, false), "3 4 5 ");
}

static void inject_link_down_comes_before_other_rules(void)
{
    struct inject_rule q[2] = {rule_all(INJ_MARK), rule_all(INJ_LINK_DOWN)};
    struct pkt p = yard_packet(0, 1, 1);
    q[1].match.link_a = 0;
    q[1].match.link_b = 1;
    q[1].when.until_ps = 160000;
    begin(q, 2, FAB_PAIR, 2);
    yard_blast(&r, &p, 3, 0);
    end(2);
    CU_ASSERT_STRING_EQUAL(r.host[1].log, "3 ");
    CU_ASSERT_EQUAL(fired[0], 1);
    CU_ASSERT_EQUAL(fired[1], 2);
}

/* ---- fields ---------------------------------------------------------------------------------- */

/* Every bit set, so that whatever a rewrite touches shows. */
static const struct wire_hdr ones = {.opcode = {0x11},
                                     .flags = 127,
                                     .syndrome = 255,
                                     .tver = 15,
                                     .pkey = 0xffff,
                                     .payload_bytes = 100,
                                     .dest_qp = 0xffffff,
                                     .psn = {0xffffff},
                                     .msn = 0xffffff,
                                     .imm = 0xffffffff,
                                     .va = UINT64_MAX,
                                     .rkey = 0xffffffff,
                                     .dmalen = 0xffffffff};

static struct wire_hdr rewritten(enum inject_field field, int64_t value, const struct wire_hdr *h)
{
    struct inject_rule q = rule_all(INJ_REWRITE);
    struct pkt p = {.h = *h};
    q.set[0] = (struct inject_set){field, value};
    q.sets = 1;
    inject_rewrite(&q, &p, ENCAP_ROCEV2);
    CU_ASSERT_EQUAL(p.wire_bytes, wire_bytes(&p.h, ENCAP_ROCEV2));
    return p.h;
}

#define REWRITTEN(field, value, member, want)                                                      \
    do {                                                                                           \
        struct wire_hdr expected = ones, got = rewritten(field, value, &ones);                     \
        expected.member = want;                                                                    \
        CU_ASSERT_EQUAL(memcmp(&got, &expected, sizeof got), 0);                                   \
    } while (0)

static void inject_rewrite_sets_one_field(void)
{
    REWRITTEN(INJF_OPCODE, 0x04, opcode.v, 0x04);
    REWRITTEN(INJF_PSN, 0x1000005, psn.v, 5);
    REWRITTEN(INJF_PSN_ADD, 3, psn.v, 2);
    REWRITTEN(INJF_PSN_ADD, -3, psn.v, 0xfffffc);
    REWRITTEN(INJF_ACKREQ, 0, flags, 127 & ~WIRE_ACKREQ);
    REWRITTEN(INJF_ACKREQ, 1, flags, 127);
    REWRITTEN(INJF_SYNDROME, 0x60, syndrome, 0x60);
    REWRITTEN(INJF_MSN, 0x2000007, msn, 7);
    REWRITTEN(INJF_DEST_QP, 18, dest_qp, 18);
    REWRITTEN(INJF_PKEY, 0x7fff, pkey, 0x7fff);
    REWRITTEN(INJF_TVER, 1, tver, 1);
    REWRITTEN(INJF_VA, 0x123456789abc, va, 0x123456789abcu);
    REWRITTEN(INJF_VA_ADD, 9, va, 8);
    REWRITTEN(INJF_RKEY, 0x12, rkey, 0x12);
    REWRITTEN(INJF_DMALEN, 1024, dmalen, 1024);
    REWRITTEN(INJF_SE, 0, flags, 127 & ~WIRE_SE);
    REWRITTEN(INJF_ECN, 2, flags, 127 & ~WIRE_ECN_LO);
    REWRITTEN(INJF_ECN, 1, flags, 127 & ~WIRE_ECN_HI);
    REWRITTEN(INJF_IMM, 77, imm, 77);
    REWRITTEN(INJF_PAYLOAD, 41, payload_bytes, 41);
    struct wire_hdr zero = {.flags = 0};
    CU_ASSERT_EQUAL(rewritten(INJF_SE, 1, &zero).flags, WIRE_SE);
    CU_ASSERT_EQUAL(rewritten(INJF_ECN, 3, &zero).flags, WIRE_ECN_LO | WIRE_ECN_HI);
}

static void inject_rewrite_reaches_the_receiver(void)
{
    struct inject_rule q = rule_all(INJ_REWRITE);
    q.set[0] = (struct inject_set){INJF_PSN_ADD, 50};
    q.set[1] = (struct inject_set){INJF_DEST_QP, 99};
    q.sets = 2;
    q.pick.count = 1;
    CU_ASSERT_STRING_EQUAL(flow(&q, 2, false), "51 2 ");
    q.pick.count = 2;
    CU_ASSERT_STRING_EQUAL(flow(&q, 2, false), "51 52 ");
    CU_ASSERT_EQUAL(seen[1].h.dest_qp, 99);
}

static void inject_forge_sends_from_the_host(void)
{
    struct inject_rule q[2] = {rule_all(INJ_FORGE), rule_all(INJ_FORGE)};
    begin(q, 0, FAB_STAR, 3);
    end(0);
    for (int i = 0; i < 2; i++) {
        q[i].match.from = 2;
        q[i].match.to = 1;
        q[i].when.from_ps = i ? 400000 : 500000; /* times, not file order, decide */
        q[i].set[0] = (struct inject_set){INJF_OPCODE, 0x11};
        q[i].set[1] = (struct inject_set){INJF_PSN, 700 + i};
        q[i].set[2] = (struct inject_set){INJF_SYNDROME, 0x60};
        q[i].set[3] = (struct inject_set){INJF_DEST_QP, 17 + i};
        q[i].sets = 4;
    }
    begin(q, 2, FAB_STAR, 3);
    r.log_times = true;
    end(2);
    /* 12 + 4 + 70 bytes = 6880 ps a hop */
    CU_ASSERT_STRING_EQUAL(r.host[1].log, "701@2413760 700@2513760 ");
    CU_ASSERT_EQUAL(counts.injected, 2);
    CU_ASSERT_EQUAL(counts.sent, 4);
    CU_ASSERT_EQUAL(fired[0] + fired[1], 2);
    struct wire_hdr want = {.opcode = {0x11},
                            .flags = WIRE_MIGREQ,
                            .syndrome = 0x60,
                            .pkey = 0xffff,
                            .dest_qp = 17,
                            .psn = {700}};
    CU_ASSERT_EQUAL(memcmp(&seen[1].h, &want, sizeof want), 0);
    CU_ASSERT_EQUAL(seen[1].src_host, 2);
    CU_ASSERT_EQUAL(seen[1].hops, 2);
}

static void inject_forged_packets_are_no_rules_prey(void)
{
    struct inject_rule q[2] = {rule_all(INJ_DROP), rule_all(INJ_FORGE)};
    struct pkt p = yard_packet(0, 1, 1);
    q[1].match.from = 0;
    q[1].match.to = 1;
    q[1].when.from_ps = 1;
    q[1].set[0] = (struct inject_set){INJF_PSN, 9};
    q[1].sets = 1;
    begin(q, 2, FAB_PAIR, 2);
    yard_blast(&r, &p, 2, 0);
    end(2);
    CU_ASSERT_STRING_EQUAL(r.host[1].log, "9 ");
}

/* ---- match keys ------------------------------------------------------------------------------ */

/* Hosts 0 and 1 of a star send PSNs 100.. and 200.. to host 2, host 2 sends 300.. to host 1. */
static void three_flows(struct inject_rule *q)
{
    struct pkt a = yard_packet(0, 2, 100), b = yard_packet(1, 2, 200), c = yard_packet(2, 1, 300);
    begin(q, 1, FAB_STAR, 3);
    yard_blast(&r, &a, 2, 0);
    yard_blast(&r, &b, 2, 40000);
    yard_blast(&r, &c, 2, 0);
    end(1);
}

static void inject_from_and_to_pick_the_flow(void)
{
    struct inject_rule q = rule_all(INJ_DROP);
    q.match.from = 0;
    three_flows(&q);
    CU_ASSERT_STRING_EQUAL(r.host[2].log, "200 201 ");
    CU_ASSERT_STRING_EQUAL(r.host[1].log, "300 301 ");
    q.match.from = 1;
    three_flows(&q);
    CU_ASSERT_STRING_EQUAL(r.host[2].log, "100 101 ");
    q = rule_all(INJ_DROP);
    q.match.to = 2;
    three_flows(&q);
    CU_ASSERT_STRING_EQUAL(r.host[2].log, "");
    CU_ASSERT_STRING_EQUAL(r.host[1].log, "300 301 ");
    q.match.to = 1;
    three_flows(&q);
    CU_ASSERT_STRING_EQUAL(r.host[2].log, "100 200 101 201 ");
    CU_ASSERT_STRING_EQUAL(r.host[1].log, "");
}

static void inject_link_looks_there_in_both_directions(void)
{
    struct inject_rule q = rule_all(INJ_DROP);
    q.match.link_a = 2;
    q.match.link_b = 3;
    three_flows(&q);
    CU_ASSERT_STRING_EQUAL(r.host[2].log, "");
    CU_ASSERT_STRING_EQUAL(r.host[1].log, "");
    q.match.link_a = 3;
    q.match.link_b = 0;
    three_flows(&q);
    CU_ASSERT_STRING_EQUAL(r.host[2].log, "200 201 ");
    CU_ASSERT_STRING_EQUAL(r.host[1].log, "300 301 ");
    q.match.link_b = 2;
    q.match.to = 2;
    q.pick.count = 2;
    three_flows(&q);
    CU_ASSERT_STRING_EQUAL(r.host[2].log, "101 201 ");
    CU_ASSERT_STRING_EQUAL(r.host[1].log, "300 301 ");
}

/* Packets 1 .. 4 of a flow differ in opcode, class and DestQP. */
static const char *mixed(struct inject_rule *q)
{
    static const struct wire_hdr h[] = {
        {.opcode = {0x04}, .dest_qp = 17, .psn = {1}},                   /* RC SEND_ONLY */
        {.opcode = {0x11}, .dest_qp = 17, .psn = {2}, .syndrome = 0x1f}, /* RC ACK */
        {.opcode = {0x11}, .dest_qp = 18, .psn = {3}, .syndrome = 0x60}, /* RC NAK */
        {.opcode = {0x24}, .dest_qp = 18, .psn = {4}},                   /* UC SEND_ONLY */
        {.opcode = {0x10}, .dest_qp = 17, .psn = {5}},                   /* RC READ response */
        {.opcode = {0x81}, .dest_qp = 17, .psn = {6}},                   /* CNP */
        {.opcode = {0x64}, .dest_qp = 1, .psn = {7}},                    /* UD to the GSI */
    };
    begin(q, 1, FAB_PAIR, 2);
    for (int i = 0; i < 7; i++) {
        struct pkt p = yard_packet(0, 1, 0);
        p.h = h[i];
        link_send(fab_uplink(r.fab, 0), &p, 0);
    }
    end(1);
    return r.host[1].log;
}

static void inject_opcode_and_op_differ_in_the_service(void)
{
    struct inject_rule q = rule_all(INJ_DROP);
    q.match.opcode = 0x04;
    CU_ASSERT_STRING_EQUAL(mixed(&q), "2 3 4 5 6 7 ");
    q.match.opcode = 0x24;
    CU_ASSERT_STRING_EQUAL(mixed(&q), "1 2 3 5 6 7 ");
    q.match.opcode = INJECT_ANY;
    q.match.op = OP_SEND_ONLY;
    CU_ASSERT_STRING_EQUAL(mixed(&q), "2 3 5 6 ");
    q.match.op = OP_ACKNOWLEDGE;
    CU_ASSERT_STRING_EQUAL(mixed(&q), "1 4 5 6 7 ");
}

static void inject_class_is_one_of_six(void)
{
    static const char *const left[FAB_CLASSES] = {
        [FAB_DATA] = "2 3 5 6 7 ",        [FAB_ACK] = "1 3 4 5 6 7 ", [FAB_NAK] = "1 2 4 5 6 7 ",
        [FAB_READ_RESP] = "1 2 3 4 6 7 ", [FAB_CNP] = "1 2 3 4 5 7 ", [FAB_CM] = "1 2 3 4 5 6 "};
    struct inject_rule q = rule_all(INJ_DROP);
    for (int c = 0; c < FAB_CLASSES; c++) {
        q.match.classes = 1u << c;
        CU_ASSERT_STRING_EQUAL(mixed(&q), left[c]);
    }
    q.match.classes = 1u << FAB_ACK | 1u << FAB_NAK;
    CU_ASSERT_STRING_EQUAL(mixed(&q), "1 4 5 6 7 ");
}

static void inject_qp_is_the_destination(void)
{
    struct inject_rule q = rule_all(INJ_DROP);
    q.match.qp = 17;
    CU_ASSERT_STRING_EQUAL(mixed(&q), "3 4 7 ");
    q.match.qp = 18;
    CU_ASSERT_STRING_EQUAL(mixed(&q), "1 2 5 6 7 ");
}

/* First PSN 0xfffffe: +3 is PSN 1, +4 is PSN 2. */
static void inject_psn_counts_from_the_first(void)
{
    struct inject_rule q = rule_all(INJ_DROP);
    q.match.has_psn = true;
    q.match.psn = 3;
    CU_ASSERT_STRING_EQUAL(flow(&q, 3, false), "2 3 ");
    q.match.psn = 4;
    CU_ASSERT_STRING_EQUAL(flow(&q, 3, false), "1 3 ");
}

/* PSNs 1 2 3 sent three times over. */
static const char *thrice(struct inject_rule *q, uint32_t rules)
{
    begin(q, rules, FAB_PAIR, 2);
    for (uint32_t i = 0; i < 9; i++) {
        struct pkt p = yard_packet(0, 1, 1 + i % 3);
        link_send(fab_uplink(r.fab, 0), &p, 0);
    }
    end(rules);
    return r.host[1].log;
}

static void inject_tx_is_the_nth_transmission(void)
{
    struct inject_rule q = rule_all(INJ_DROP);
    q.match.tx = 1;
    CU_ASSERT_STRING_EQUAL(thrice(&q, 1), "1 2 3 1 2 3 ");
    q.match.tx = 2;
    q.match.has_psn = true;
    q.match.psn = 4;
    CU_ASSERT_STRING_EQUAL(thrice(&q, 1), "1 2 3 1 3 1 2 3 ");
    q.match.tx = 4;
    CU_ASSERT_STRING_EQUAL(thrice(&q, 1), "1 2 3 1 2 3 1 2 3 ");
}

/* The second rule counts transmissions that the first one took. */
static void inject_tx_counts_what_earlier_rules_took(void)
{
    struct inject_rule q[2] = {rule_all(INJ_DROP), rule_all(INJ_DROP)};
    q[0].match.tx = 1;
    q[1].match.tx = 2;
    CU_ASSERT_STRING_EQUAL(thrice(q, 2), "1 2 3 ");
    CU_ASSERT_EQUAL(fired[0], 3);
    CU_ASSERT_EQUAL(fired[1], 3);
}

/* The same PSN to another QP, from another host or with another opcode is another packet. */
static void inject_tx_tells_packets_apart(void)
{
    struct inject_rule q = rule_all(INJ_DROP);
    struct pkt p[4];
    q.match.tx = 2;
    for (int i = 0; i < 4; i++)
        p[i] = yard_packet(0, 1, 5);
    p[1].h.dest_qp = 18;
    p[2].h.opcode = wire_opcode(WIRE_RC, OP_SEND_LAST);
    p[3].src_host = 7;
    begin(&q, 1, FAB_PAIR, 2);
    for (int i = 0; i < 4; i++)
        link_send(fab_uplink(r.fab, 0), &p[i], 0);
    end(1);
    CU_ASSERT_EQUAL(fired[0], 0);
    CU_ASSERT_EQUAL(r.host[1].arrived, 4);
}

/* Hundreds of different keys: the table grows, and knows all of them the second time. */
static void inject_tx_remembers_many_packets(void)
{
    struct inject_rule q = rule_all(INJ_DROP);
    q.match.tx = 2;
    begin(&q, 1, FAB_PAIR, 2);
    for (uint32_t i = 0; i < 1000; i++) {
        struct pkt p = yard_packet(0, 1, i % 500 / 2);
        p.h.dest_qp = 17 + i % 2;
        link_send(fab_uplink(r.fab, 0), &p, 0);
    }
    end(1);
    CU_ASSERT_EQUAL(fired[0], 500);
    CU_ASSERT_EQUAL(r.host[1].arrived, 500);
}

static void inject_skip_count_every_pick_among_matches(void)
{
    struct inject_rule q = rule_all(INJ_DROP);
    q.pick.skip = 2;
    CU_ASSERT_STRING_EQUAL(flow(&q, 6, false), "1 2 ");
    q.pick.skip = 3;
    CU_ASSERT_STRING_EQUAL(flow(&q, 6, false), "1 2 3 ");
    q.pick.count = 2;
    CU_ASSERT_STRING_EQUAL(flow(&q, 6, false), "1 2 3 6 ");
    q.pick.skip = 1;
    q.pick.every = 2;
    CU_ASSERT_STRING_EQUAL(flow(&q, 8, false), "1 2 4 6 7 8 ");
    q.pick.every = 3;
    CU_ASSERT_STRING_EQUAL(flow(&q, 8, false), "1 2 3 5 6 8 ");
}

static void inject_p_draws_from_the_rules_own_stream(void)
{
    struct inject_rule q = rule_all(INJ_DROP);
    q.pick.p_threshold = UINT64_C(1) << 62;
    flow(&q, 10000, false);
    CU_ASSERT_TRUE(fired[0] > 2280 && fired[0] < 2720); /* 2500, 5 standard deviations of 43 */
    q.pick.p_threshold = 0;
    flow(&q, 1000, false);
    CU_ASSERT_EQUAL(fired[0], 0);
}

static void inject_first_rule_that_fires_acts(void)
{
    struct inject_rule q[2] = {rule_all(INJ_DROP), rule_all(INJ_DUP)};
    struct pkt p = yard_packet(0, 1, 1);
    q[0].pick.skip = 1;
    q[0].pick.count = 1;
    q[1].pick.skip = 1; /* packets 1 and 3 reach it: 3 is doubled */
    begin(q, 2, FAB_PAIR, 2);
    yard_blast(&r, &p, 3, 0);
    end(2);
    CU_ASSERT_STRING_EQUAL(r.host[1].log, "1 3 3 ");
    CU_ASSERT_EQUAL(fired[0], 1);
    CU_ASSERT_EQUAL(fired[1], 1);
}

static const struct test tests[] = {TEST(inject_drop_takes_the_packet_and_its_time),
                                    TEST(inject_dup_follows_the_original),
                                    TEST(inject_delay_lets_others_pass),
                                    TEST(inject_delays_to_one_moment_keep_order),
                                    TEST(inject_corrupt_is_dropped_by_the_host),
                                    TEST(inject_mark_sets_ce),
                                    TEST(inject_link_down_drops_what_is_on_it_and_put_on_it),
                                    TEST(inject_link_down_comes_before_other_rules),
                                    TEST(inject_rewrite_sets_one_field),
                                    TEST(inject_rewrite_reaches_the_receiver),
                                    TEST(inject_forge_sends_from_the_host),
                                    TEST(inject_forged_packets_are_no_rules_prey),
                                    TEST(inject_from_and_to_pick_the_flow),
                                    TEST(inject_link_looks_there_in_both_directions),
                                    TEST(inject_opcode_and_op_differ_in_the_service),
                                    TEST(inject_class_is_one_of_six),
                                    TEST(inject_qp_is_the_destination),
                                    TEST(inject_psn_counts_from_the_first),
                                    TEST(inject_tx_is_the_nth_transmission),
                                    TEST(inject_tx_counts_what_earlier_rules_took),
                                    TEST(inject_tx_tells_packets_apart),
                                    TEST(inject_tx_remembers_many_packets),
                                    TEST(inject_skip_count_every_pick_among_matches),
                                    TEST(inject_p_draws_from_the_rules_own_stream),
                                    TEST(inject_first_rule_that_fires_acts),
                                    TESTS_END};
const struct suite suite_inject = {"inject", tests};
