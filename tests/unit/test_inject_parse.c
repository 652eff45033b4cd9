/* The grammar of [inject], whole. */
#include <string.h>

#include "scenarios/reader/inject_parse.h"
#include "tests/suite.h"
#include "tests/unit/edges.h"

static struct topo_edge cable[] = {EDGE(0, 1)},
                        of_star[] = {EDGE(0, 4), EDGE(1, 4), EDGE(2, 4), EDGE(3, 4)},
                        of_dumbbell[] = {EDGE(0, 4), EDGE(1, 4), EDGE(2, 5), EDGE(3, 5),
                                         EDGE(4, 5)};
static const struct topo a_cable = {2, 0, 1, cable}, a_star = {4, 1, 4, of_star},
                         a_dumbbell = {4, 2, 5, of_dumbbell};
static const struct inject_env pair = {&a_cable, 2, 100, true};
static const struct inject_env star = {&a_star, 4, 0, true};
static const struct inject_env dumbbell = {&a_dumbbell, 4, 0, false};

static struct inject_line line_of(const struct inject_env *env, const char *text)
{
    struct inject_line l = {0};
    struct sc_error err = {""};
    bool ok = inject_parse("rule", text, env, &l, &err);
    if (!ok)
        printf("%s: %s\n", text, err.text);
    CU_ASSERT_TRUE(ok);
    return l;
}

static const char *refusal_of(const struct inject_env *env, const char *text)
{
    static struct sc_error err;
    struct inject_line l;
    return inject_parse("rule", text, env, &l, &err) ? "" : err.text;
}
#define REFUSED(env, text, message) CU_ASSERT_STRING_EQUAL(refusal_of(&env, text), message)

static void inject_parse_bare_drop_takes_one_packet(void)
{
    struct inject_rule r = line_of(&pair, "drop").rule;
    CU_ASSERT_STRING_EQUAL(r.name, "rule");
    CU_ASSERT_EQUAL(r.action, INJ_DROP);
    CU_ASSERT_EQUAL(r.match.from, INJECT_ANY);
    CU_ASSERT_EQUAL(r.match.to, INJECT_ANY);
    CU_ASSERT_EQUAL(r.match.opcode, INJECT_ANY);
    CU_ASSERT_EQUAL(r.match.op, INJECT_ANY);
    CU_ASSERT_EQUAL(r.match.qp, INJECT_ANY);
    CU_ASSERT_EQUAL(r.match.link_a, INJECT_ANY);
    CU_ASSERT_EQUAL(r.match.classes, 0);
    CU_ASSERT_EQUAL(r.match.tx, 0);
    CU_ASSERT_FALSE(r.match.has_psn);
    CU_ASSERT_EQUAL(r.pick.skip, 0);
    CU_ASSERT_EQUAL(r.pick.count, 1);
    CU_ASSERT_EQUAL(r.pick.every, 1);
    CU_ASSERT_EQUAL(r.pick.p_threshold, UINT64_MAX);
}

static void inject_parse_match_words_select(void)
{
    struct inject_rule r = line_of(&star, "drop from=3 to=0 class=data,nak op=RC_SEND_ONLY psn=+5 "
                                          "qp=0x11 tx=2 skip=3 count=7 link=h3-s0")
                               .rule;
    CU_ASSERT_EQUAL(r.match.from, 3);
    CU_ASSERT_EQUAL(r.match.to, 0);
    CU_ASSERT_EQUAL(r.match.classes, 1u << FAB_DATA | 1u << FAB_NAK);
    CU_ASSERT_EQUAL(r.match.opcode, OP_SEND_ONLY);
    CU_ASSERT_EQUAL(r.match.op, INJECT_ANY);
    CU_ASSERT_TRUE(r.match.has_psn);
    CU_ASSERT_EQUAL(r.match.psn, 5);
    CU_ASSERT_EQUAL(r.match.qp, 0x11);
    CU_ASSERT_EQUAL(r.match.tx, 2);
    CU_ASSERT_EQUAL(r.match.link_a, 3);
    CU_ASSERT_EQUAL(r.match.link_b, 4);
    CU_ASSERT_EQUAL(r.pick.skip, 3);
    CU_ASSERT_EQUAL(r.pick.count, 7);
    r = line_of(&pair, "drop dir=b2a op=ACKNOWLEDGE").rule;
    CU_ASSERT_EQUAL(r.match.from, 1);
    CU_ASSERT_EQUAL(r.match.to, 0);
    CU_ASSERT_EQUAL(r.match.opcode, INJECT_ANY);
    CU_ASSERT_EQUAL(r.match.op, OP_ACKNOWLEDGE);
}

static void inject_parse_counts_follow_every_and_p(void)
{
    CU_ASSERT_EQUAL(line_of(&pair, "drop every=7").rule.pick.count, UINT64_MAX);
    CU_ASSERT_EQUAL(line_of(&pair, "drop every=7").rule.pick.every, 7);
    CU_ASSERT_EQUAL(line_of(&pair, "drop every=7 count=2").rule.pick.count, 2);
    CU_ASSERT_EQUAL(line_of(&pair, "drop p=50%").rule.pick.p_threshold, (uint64_t)1 << 63);
    CU_ASSERT_EQUAL(line_of(&pair, "drop p=50%").rule.pick.count, UINT64_MAX);
    CU_ASSERT_EQUAL(line_of(&pair, "drop count=all").rule.pick.count, UINT64_MAX);
}

static void inject_parse_delays_and_bytes(void)
{
    CU_ASSERT_EQUAL(line_of(&pair, "delay 10us dir=a2b").rule.delay_ps, 10 * TM_US);
    CU_ASSERT_EQUAL(line_of(&pair, "dup dir=a2b").rule.delay_ps, 0);
    CU_ASSERT_EQUAL(line_of(&pair, "dup delay 3ms dir=a2b").rule.delay_ps, 3 * TM_MS);
    CU_ASSERT_EQUAL(line_of(&pair, "dup delay 3ms dir=a2b").rule.action, INJ_DUP);
    CU_ASSERT_EQUAL(line_of(&pair, "corrupt at=100 psn=+1").rule.at_byte, 100);
    CU_ASSERT_EQUAL(line_of(&pair, "mark every=1").rule.action, INJ_MARK);
}

static void inject_parse_rewrite_sets_and_selects(void)
{
    struct inject_rule r =
        line_of(&pair, "rewrite psn=7 psn_add=-100 opcode=UC_SEND_ONLY syndrome=0x61 psn=+3").rule;
    CU_ASSERT_EQUAL_FATAL(r.sets, 4);
    CU_ASSERT_EQUAL(r.set[0].field, INJF_PSN);
    CU_ASSERT_EQUAL(r.set[0].value, 7);
    CU_ASSERT_EQUAL(r.set[1].field, INJF_PSN_ADD);
    CU_ASSERT_EQUAL(r.set[1].value, -100);
    CU_ASSERT_EQUAL(r.set[2].field, INJF_OPCODE);
    CU_ASSERT_EQUAL(r.set[2].value, 1 << 5 | OP_SEND_ONLY);
    CU_ASSERT_EQUAL(r.set[3].value, 0x61);
    CU_ASSERT_TRUE(r.match.has_psn);
    CU_ASSERT_EQUAL(r.match.psn, 3);
}

static void inject_parse_every_field_can_be_set(void)
{
    static const char *const texts[INJF_FIELDS] = {
        "opcode=4",    "psn=1",     "psn_add=+1", "ackreq=0", "syndrome=97", "msn=1",
        "dest_qp=5",   "pkey=4660", "tver=1",     "va=4096",  "va_add=4",    "rkey=18",
        "dmalen=1024", "se=1",      "ecn=3",      "imm=7",    "payload=64"};
    for (int i = 0; i < INJF_FIELDS; i++) {
        char text[64];
        snprintf(text, sizeof text, "rewrite %s", texts[i]);
        struct inject_rule r = line_of(&pair, text).rule;
        CU_ASSERT_EQUAL(r.sets, 1);
        CU_ASSERT_EQUAL((int)r.set[0].field, i);
    }
}

static void inject_parse_forge_counts_from_the_first_psn(void)
{
    struct inject_rule r =
        line_of(&pair,
                "forge at=1ms from=1 to=0 opcode=RC_ACKNOWLEDGE dest_qp=2 psn=+2 syndrome=31")
            .rule;
    CU_ASSERT_EQUAL(r.action, INJ_FORGE);
    CU_ASSERT_EQUAL(r.when.from_ps, TM_MS);
    CU_ASSERT_EQUAL(r.match.from, 1);
    CU_ASSERT_EQUAL(r.match.to, 0);
    CU_ASSERT_EQUAL_FATAL(r.sets, 4);
    CU_ASSERT_EQUAL(r.set[2].field, INJF_PSN);
    CU_ASSERT_EQUAL(r.set[2].value, 102);
    CU_ASSERT_FALSE(r.match.has_psn);
}

static void inject_parse_events(void)
{
    struct inject_line l = line_of(&dumbbell, "link s0-s1 down 1ms..2ms");
    CU_ASSERT_FALSE(l.is_act);
    CU_ASSERT_EQUAL(l.rule.action, INJ_LINK_DOWN);
    CU_ASSERT_EQUAL(l.rule.match.link_a, 4);
    CU_ASSERT_EQUAL(l.rule.match.link_b, 5);
    CU_ASSERT_EQUAL(l.rule.when.from_ps, TM_MS);
    CU_ASSERT_EQUAL(l.rule.when.until_ps, 2 * TM_MS);
    CU_ASSERT_EQUAL(line_of(&pair, "link 0-1 down 5us..").rule.when.until_ps, TM_NEVER);
    l = line_of(&star, "stall 3 1ms..2ms");
    CU_ASSERT_TRUE(l.is_act);
    CU_ASSERT_EQUAL(l.act.kind, LOAD_ACT_STALL);
    CU_ASSERT_EQUAL(l.act.host, 3);
    CU_ASSERT_EQUAL(l.act.when.from_ps, TM_MS);
    CU_ASSERT_EQUAL(l.act.when.until_ps, 2 * TM_MS);
    l = line_of(&star, "kill h2 7us");
    CU_ASSERT_EQUAL(l.act.kind, LOAD_ACT_KILL);
    CU_ASSERT_EQUAL(l.act.host, 2);
    CU_ASSERT_EQUAL(l.act.when.from_ps, 7 * TM_US);
    l = line_of(&star, "destroy 1:2 7us");
    CU_ASSERT_EQUAL(l.act.kind, LOAD_ACT_DESTROY);
    CU_ASSERT_EQUAL(l.act.host, 1);
    CU_ASSERT_EQUAL(l.act.qp, 2);
}

static void inject_parse_chances(void)
{
    struct inject_pick k = line_of(&pair, "drop p=1% burst=8").rule.pick;
    CU_ASSERT_EQUAL(k.loss.model, LOSS_GILBERT_ELLIOTT);
    CU_ASSERT_EQUAL(k.loss.burst_milli, 8000);
    CU_ASSERT_EQUAL(k.loss.in_good, 0);
    CU_ASSERT_EQUAL(k.loss.in_bad, UINT64_MAX);
    CU_ASSERT_EQUAL(k.count, UINT64_MAX);
    k = line_of(&pair, "drop ber=0.25 count=3").rule.pick;
    CU_ASSERT_EQUAL(k.loss.model, LOSS_BER);
    CU_ASSERT_EQUAL(k.loss.ber, (uint64_t)1 << 62);
    CU_ASSERT_EQUAL(k.count, 3);
    REFUSED(pair, "drop burst=8",
            "burst= says how long bursts are, and nothing how much they hit; give p=P");
    REFUSED(pair, "drop p=1% ber=1e-6", "ber stands beside p or burst; give one of them");
    REFUSED(pair, "drop p=60% burst=1",
            "so much loss leaves no room between bursts that are so short; give a smaller p or a "
            "longer burst");
    REFUSED(pair, "drop p=1 burst=4",
            "not less is lost on the whole than in the bad state; give a smaller p or a longer burst");
    REFUSED(pair, "drop p=1% burst=0.5",
            "'0.5' is out of range; give a factor from 1 to 1000000, such as 1.5, or none");
}

static void inject_parse_ip_id_has_a_mask(void)
{
    struct inject_rule r = line_of(&pair, "drop ip_id=0xff/0xff").rule;
    CU_ASSERT_EQUAL(r.match.ip_id, 0xff);
    CU_ASSERT_EQUAL(r.match.ip_mask, 0xff);
    CU_ASSERT_EQUAL(r.pick.count, UINT64_MAX);
    r = line_of(&pair, "drop ip_id=513 count=2").rule;
    CU_ASSERT_EQUAL(r.match.ip_id, 513);
    CU_ASSERT_EQUAL(r.match.ip_mask, 0xffff);
    CU_ASSERT_EQUAL(r.pick.count, 2);
    REFUSED(pair, "drop ip_id=0x1ff/0xff",
            "ip_id=0x1ff/0xff never holds: the mask leaves out bits of the number");
    REFUSED(pair, "drop ip_id=65536",
            "'65536' is not an IP identification; give a whole number from 0 to 65535");
    REFUSED(pair, "drop ip_id=1/0", "'0' is not a mask; give a whole number from 1 to 65535");
    REFUSED(dumbbell, "drop ip_id=1",
            "only IPv4 has an identification; give fabric.encap = rocev2");
}

static void inject_parse_events_may_come_again(void)
{
    struct inject_line l = line_of(&pair, "link 0-1 down 1ms..2ms every=5ms count=3");
    CU_ASSERT_EQUAL(l.rule.when.every_ps, 5 * TM_MS);
    CU_ASSERT_EQUAL(l.rule.when.count, 3);
    l = line_of(&star, "stall 3 1ms..2ms every=5ms");
    CU_ASSERT_EQUAL(l.act.when.from_ps, TM_MS);
    CU_ASSERT_EQUAL(l.act.when.every_ps, 5 * TM_MS);
    CU_ASSERT_EQUAL(l.act.when.count, 0);
    l = line_of(&star, "nopoll h1 1ms..2ms every=5ms count=all");
    CU_ASSERT_TRUE(l.is_act);
    CU_ASSERT_EQUAL(l.act.kind, LOAD_ACT_NOPOLL);
    CU_ASSERT_EQUAL(l.act.host, 1);
    CU_ASSERT_EQUAL(l.act.when.until_ps, 2 * TM_MS);
    CU_ASSERT_EQUAL(l.act.when.count, 0);
    CU_ASSERT_EQUAL(line_of(&pair, "drop during=1us..3us").rule.when.until_ps, 3 * TM_US);
    CU_ASSERT_EQUAL(line_of(&pair, "drop during=1us..3us").rule.pick.count, UINT64_MAX);
    REFUSED(pair, "link 0-1 down 1ms..2ms every=1ms",
            "it would begin again before it has ended; give a longer every=");
    REFUSED(pair, "link 0-1 down 1ms.. every=5ms",
            "what lasts for ever does not come again; give both times, or no every=");
    REFUSED(pair, "stall 0 1ms..2ms count=2",
            "count= says how often, and nothing from when to when; give every=T");
}

static void inject_parse_action_mistakes(void)
{
    REFUSED(pair, "dorp", "'dorp' is not an action; did you mean 'drop'?");
    REFUSED(
        pair, "explode",
        "'explode' is not an action; give drop, dup, delay, corrupt, mark, rewrite, forge, link, "
        "stall, nopoll, stop, kill, destroy, error, rights or spoil");
    REFUSED(pair, "", "a rule is empty; write drop, or another action");
    REFUSED(pair, "delay", "'delay' lacks its time; write delay 10us");
    REFUSED(pair, "delay 10",
            "'10' has no unit; give a time such as 10us (units: ps, ns, us, ms, s)");
    REFUSED(pair, "drop always", "'always' is not understood here; write drop MATCH...");
    REFUSED(pair, "rewrite dir=a2b", "a rewrite sets no field; write rewrite psn_add=5 MATCH...");
    REFUSED(
        pair, "forge at=1ms from=0 to=1",
        "a forged packet needs at, from, to, opcode and dest_qp; write forge at=1ms from=0 to=1 "
        "opcode=RC_ACKNOWLEDGE dest_qp=2 psn=+0");
    REFUSED(
        pair, "forge at=1ms from=0 to=1 opcode=4",
        "a forged packet needs at, from, to, opcode and dest_qp; write forge at=1ms from=0 to=1 "
        "opcode=RC_ACKNOWLEDGE dest_qp=2 psn=+0");
    REFUSED(pair, "forge at=1ms from=0 to=0 opcode=4 dest_qp=2",
            "a forged packet goes from host 0 to itself; give two hosts");
    REFUSED(pair, "link 0-1 up 1ms..2ms",
            "a link event is incomplete; write link 0-1 down 1ms..2ms");
    REFUSED(pair, "nopoll 0", "a nopoll is incomplete; write nopoll 0 1ms..2ms");
    REFUSED(pair, "kill 0", "a kill is incomplete; write kill 0 1ms");
    REFUSED(pair, "stall 0 2ms..1ms",
            "the span '2ms..1ms' ends before it begins; give the earlier time first");
    REFUSED(pair, "stall 0 2ms", "'2ms' is not a span of time; write 1ms..2ms, or 1ms.. for ever");
    REFUSED(pair, "destroy 0 1ms",
            "'0' is not a QP of a host; write 0:2 for the third QP of host 0");
}

static void inject_parse_word_mistakes(void)
{
    REFUSED(pair, "drop form=0", "there is no form=; did you mean from=?");
    REFUSED(pair, "drop colour=red",
            "there is no colour=; `rdmasim keys inject` lists what there is");
    REFUSED(pair, "drop psn_add=1", "psn_add= has no meaning with this action");
    REFUSED(pair, "kill 0 1ms count=2", "'count=2' is not understood here; write kill 0 1ms order=qp gap=1ms");
    REFUSED(pair, "drop psn=5", "psn counts from the flow's first one; write psn=+5");
    REFUSED(pair, "drop count=2 count=3", "count= stands twice; give it once");
    REFUSED(pair, "drop count=0",
            "'0' is not a number of packets or all; give a whole number from 1 to "
            "4611686018427387904");
    REFUSED(pair, "drop dir=up", "the direction 'up' is unknown; give a2b (host 0 to 1) or b2a");
    REFUSED(star, "drop dir=a2b",
            "dir needs a fabric of two hosts, this one has 4; give from and to");
    REFUSED(pair, "drop from=0 dir=a2b", "dir stands beside from or to; give one of them");
    REFUSED(pair, "drop dir=a2b to=1", "to stands beside dir; give one of them");
    REFUSED(pair, "drop op=RC_SEND_ONYL",
            "the operation 'RC_SEND_ONYL' is unknown; did you mean 'RC_SEND_ONLY'?");
    REFUSED(
        pair, "drop op=PING",
        "the operation 'PING' is unknown; give one such as RC_SEND_ONLY, or SEND_ONLY for every "
        "service");
    REFUSED(pair, "rewrite ecn=4",
            "'4' does not fit the field ecn; give a whole number from 0 to 3");
    REFUSED(pair, "rewrite va_add=much",
            "'much' cannot be added in va_add; give a whole number such as 5 or -5");
    REFUSED(pair, "rewrite ecn=3 ecn=1", "the field ecn is set twice; set it once");
    REFUSED(pair, "rewrite ecn=1 se=1 imm=1 va=1 rkey=1 msn=1 psn=1 pkey=1 tver=1",
            "a rule sets at most 8 fields");
}

static void inject_parse_places_that_are_not_there(void)
{
    REFUSED(star, "drop from=4", "'4' is not a host of this fabric; give a number from 0 to 3");
    REFUSED(star, "kill h9 1ms", "'h9' is not a host of this fabric; give a number from 0 to 3");
    REFUSED(pair, "drop link=0-2", "'0-2' is not a link of this fabric; the only link is h0-h1");
    REFUSED(star, "drop link=0-1",
            "'0-1' is not a link of this fabric; there are such as h0-s0 and h3-s0");
    REFUSED(dumbbell, "drop link=h0-s1",
            "'h0-s1' is not a link of this fabric; there are such as h0-s0 and s0-s1");
    CU_ASSERT_STRING_EQUAL(refusal_of(&dumbbell, "drop link=h2-s1"), "");
    CU_ASSERT_STRING_EQUAL(refusal_of(&dumbbell, "drop link=5-4"), "");
}

static const struct test tests[] = {
    TEST(inject_parse_bare_drop_takes_one_packet),
    TEST(inject_parse_match_words_select),
    TEST(inject_parse_counts_follow_every_and_p),
    TEST(inject_parse_delays_and_bytes),
    TEST(inject_parse_rewrite_sets_and_selects),
    TEST(inject_parse_every_field_can_be_set),
    TEST(inject_parse_forge_counts_from_the_first_psn),
    TEST(inject_parse_events),
    TEST(inject_parse_chances),
    TEST(inject_parse_ip_id_has_a_mask),
    TEST(inject_parse_events_may_come_again),
    TEST(inject_parse_action_mistakes),
    TEST(inject_parse_word_mistakes),
    TEST(inject_parse_places_that_are_not_there),
    TESTS_END,
};
const struct suite suite_inject_parse = {"inject_parse", tests};
