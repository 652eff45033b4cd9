/* Loss, and a fabric that is the same in however many domains it is cut. */
#include <string.h>

#include "tests/suite.h"
#include "tests/unit/yard.h"

#define HOSTS 10
#define PACKETS 400
#define TWO_PERCENT (UINT64_MAX / 50)

/* What a run leaves behind: its counts, and per host how many packets came, which, and when. */
struct outcome {
    struct fab_counts counts;
    uint64_t arrived[HOSTS], hash[HOSTS];
    tm_ps last_at[HOSTS];
    uint64_t fired[4];
    uint32_t domain_of_last;
};

static struct yard r;
static struct outcome one, cut;

/* Every host sends to every other in turn; neighbours start 1 ns apart. */
static void all_to_all(const struct fab_cfg *cfg, const struct inject_list *rules, uint32_t domains,
                       struct outcome *out)
{
    memset(out, 0, sizeof *out);
    yard_init(&r, cfg, &(struct yard_opt){.domains = domains, .seed = 5, .rules = rules});
    for (uint32_t h = 0; h < HOSTS; h++) {
        struct pkt p = yard_packet(h, (h + 1) % HOSTS, 1000 * h);
        r.host[h].spread = h % 2 == 0;
        yard_blast(&r, &p, PACKETS, h * TM_NS);
    }
    yard_run(&r, &out->counts);
    for (uint32_t h = 0; h < HOSTS; h++) {
        out->arrived[h] = r.host[h].arrived;
        out->hash[h] = r.host[h].hash;
        out->last_at[h] = r.host[h].last_at;
    }
    if (rules)
        fab_inject_fired(r.fab, out->fired);
    out->domain_of_last = fab_domain(r.fab, HOSTS - 1);
    yard_fini(&r);
}

/* A congested fabric with loss in 1, 2, 3, 5 domains; `spread`: the last host is in the last. */
static void same_in_all_domains(enum fab_topology topology, const struct inject_list *rules,
                                bool spread)
{
    struct fab_cfg cfg = yard_cfg(topology, HOSTS);
    static const uint32_t domains[] = {2, 3, 5};
    cfg.trunk_rate_bps = 150000000000;
    cfg.buffer_bytes = 40000;
    cfg.switch_delay_ps = 300000;
    cfg.loss_threshold = TWO_PERCENT;
    cfg.loss_classes = 1u << FAB_DATA;
    all_to_all(&cfg, rules, 1, &one);
    CU_ASSERT_TRUE(one.counts.dropped[FAB_DROP_LOSS] > 50);
    CU_ASSERT_TRUE(one.counts.dropped[FAB_DROP_BUFFER] > 50);
    for (int i = 0; i < 3; i++) {
        all_to_all(&cfg, rules, domains[i], &cut);
        CU_ASSERT_EQUAL(cut.domain_of_last, spread ? domains[i] - 1 : 0);
        cut.domain_of_last = 0;
        CU_ASSERT_EQUAL(memcmp(&one, &cut, sizeof one), 0);
    }
}

static void fab_star_is_the_same_in_all_domains(void) { same_in_all_domains(FAB_STAR, NULL, true); }

static void fab_dumbbell_is_the_same_in_all_domains(void)
{
    same_in_all_domains(FAB_DUMBBELL, NULL, true);
}

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

/* Rules that one sender alone can reach keep their state at that side. */
static void fab_pinned_rules_are_the_same_in_all_domains(void)
{
    struct inject_rule q[] = {rule_all(INJ_DELAY), rule_all(INJ_DUP), rule_all(INJ_DELAY),
                              rule_all(INJ_FORGE)};
    struct inject_list rules = {q, 4, 0};
    q[0].match.from = 3;
    q[0].pick.every = 5;
    q[0].delay_ps = 700000;
    q[1].match.from = 4;
    q[1].pick.p_threshold = UINT64_MAX / 10;
    q[2].match.link_a = HOSTS; /* the last hop to host 0, from another domain's switch or not */
    q[2].match.link_b = 0;
    q[2].match.to = 0;
    q[2].pick.every = 3;
    q[2].delay_ps = 2000000;
    q[3].match.from = 9;
    q[3].match.to = 1;
    q[3].when.from_ps = 1234567;
    same_in_all_domains(FAB_STAR, &rules, true);
    for (int i = 0; i < 4; i++)
        CU_ASSERT_TRUE(one.fired[i] > 0);
}

/* "Every seventh packet of anyone" needs one order of all packets: one domain. */
static void fab_rule_over_many_senders_keeps_one_domain(void)
{
    struct inject_rule q = rule_all(INJ_DROP);
    struct inject_list rules = {&q, 1, 0};
    q.pick.every = 7;
    same_in_all_domains(FAB_DUMBBELL, &rules, false);
    CU_ASSERT_EQUAL(one.fired[0], HOSTS * PACKETS / 7);
    q.pick.every = 1; /* a rule without state needs none */
    q.match.classes = 1u << FAB_CNP;
    same_in_all_domains(FAB_DUMBBELL, &rules, true);
}

/* ---- loss ------------------------------------------------------------------------------------ */

static struct fab_counts one_flow(uint32_t from, uint64_t threshold, uint32_t classes,
                                  uint32_t hosts)
{
    struct fab_cfg cfg = yard_cfg(FAB_STAR, hosts);
    struct fab_counts c;
    struct pkt p = yard_packet(from, 1 - from, 0);
    cfg.loss_threshold = threshold;
    cfg.loss_classes = classes;
    yard_init(&r, &cfg, &(struct yard_opt){.seed = 3});
    yard_blast(&r, &p, 20000, 0);
    yard_run(&r, &c);
    yard_fini(&r);
    return c;
}

static void fab_loss_hits_its_classes_alone(void)
{
    /* 20000 at the first link and 19600 at the second, 2 % each: 792, standard deviation 28 */
    uint64_t lost = one_flow(0, TWO_PERCENT, 1u << FAB_DATA, 2).dropped[FAB_DROP_LOSS];
    CU_ASSERT_TRUE(lost > 650 && lost < 930);
    CU_ASSERT_EQUAL(
        one_flow(0, TWO_PERCENT, 1u << FAB_ACK | 1u << FAB_CNP, 2).dropped[FAB_DROP_LOSS], 0);
    CU_ASSERT_EQUAL(one_flow(0, 0, 1u << FAB_DATA, 2).dropped[FAB_DROP_LOSS], 0);
    CU_ASSERT_EQUAL(one_flow(0, UINT64_MAX, 1u << FAB_DATA, 2).dropped[FAB_DROP_LOSS], 20000);
}

static void fab_loss_of_a_link_does_not_depend_on_others(void)
{
    one_flow(0, TWO_PERCENT, 1u << FAB_DATA, 2);
    uint64_t hash = r.host[1].hash;
    char log[YARD_LOG_BYTES];
    memcpy(log, r.host[1].log, sizeof log);
    one_flow(0, TWO_PERCENT, 1u << FAB_DATA, 9);
    CU_ASSERT_EQUAL(r.host[1].hash, hash);
    one_flow(1, TWO_PERCENT, 1u << FAB_DATA, 2); /* other links draw other numbers */
    CU_ASSERT_STRING_NOT_EQUAL(r.host[0].log, log);
}

/* A lost packet has used the wire: the next one leaves when it would have. */
static void fab_loss_takes_the_wire_all_the_same(void)
{
    struct fab_cfg cfg = yard_cfg(FAB_PAIR, 2);
    struct fab_counts c;
    struct pkt p = yard_packet(0, 1, 0);
    cfg.loss_threshold = UINT64_MAX;
    cfg.loss_classes = 1u << FAB_DATA;
    yard_init(&r, &cfg, &(struct yard_opt){0});
    yard_blast(&r, &p, 3, 0);
    yard_run(&r, &c);
    CU_ASSERT_EQUAL(link_free_at(fab_uplink(r.fab, 0)), 240000);
    CU_ASSERT_EQUAL(c.dropped[FAB_DROP_LOSS], 3);
    yard_fini(&r);
}

static void fab_drops_have_names(void)
{
    CU_ASSERT_STRING_EQUAL(fab_drop_name(FAB_DROP_LOSS), "loss");
    CU_ASSERT_STRING_EQUAL(fab_drop_name(FAB_DROP_BUFFER), "buffer");
    CU_ASSERT_STRING_EQUAL(fab_drop_name(FAB_DROP_INJECT), "inject");
    CU_ASSERT_STRING_EQUAL(fab_drop_name(FAB_DROP_CORRUPT), "icrc");
    CU_ASSERT_STRING_EQUAL(fab_drop_name(FAB_DROP_DOWN), "link_down");
}

static const struct test tests[] = {TEST(fab_star_is_the_same_in_all_domains),
                                    TEST(fab_dumbbell_is_the_same_in_all_domains),
                                    TEST(fab_pinned_rules_are_the_same_in_all_domains),
                                    TEST(fab_rule_over_many_senders_keeps_one_domain),
                                    TEST(fab_loss_hits_its_classes_alone),
                                    TEST(fab_loss_of_a_link_does_not_depend_on_others),
                                    TEST(fab_loss_takes_the_wire_all_the_same),
                                    TEST(fab_drops_have_names),
                                    TESTS_END};
const struct suite suite_fab = {"fab", tests};
