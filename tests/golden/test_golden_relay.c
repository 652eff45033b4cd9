/* The relay's rules: which packet they hit, and what rewriting does. */
#include <string.h>

#include "tests/golden/relay.h"
#include "tests/suite.h"

#define ANY                                                                                        \
    {                                                                                              \
        .side = -1                                                                                 \
    }

static struct packet request(int64_t psn_rel)
{
    struct packet p = {.from = SIDE_A, .flow = SIDE_A};
    p.col[COL_OPCODE] = wire_opcode(WIRE_RC, OP_SEND_ONLY).v;
    p.col[COL_PSN_REL] = psn_rel;
    return p;
}

/* What becomes of packets +0, +1, …: the letter of its rule ('a' the first), '.' none. */
static const char *fates(struct rule *rule, uint32_t rules, uint32_t packets)
{
    static char out[32];
    struct capture c = {.rule = rule, .rules = rules};
    struct relay r;
    c.side[SIDE_A].sq_psn = 1000;
    relay_init(&r, &c);
    for (uint32_t i = 0; i < packets; i++) {
        struct packet p = request(i);
        const struct rule *hit = relay_judge(&r, &p);
        out[i] = (char)(hit ? 'a' + (hit - rule) : '.');
    }
    out[packets] = 0;
    relay_fini(&r);
    return out;
}

static void golden_relay_count_and_skip_pick_packets(void)
{
    struct rule first = {.match = ANY, .count = 1}, later = {.match = ANY, .skip = 2, .count = 2},
                all = {.match = ANY, .count = -1};
    CU_ASSERT_STRING_EQUAL(fates(&first, 1, 4), "a...");
    CU_ASSERT_STRING_EQUAL(fates(&later, 1, 6), "..aa..");
    CU_ASSERT_STRING_EQUAL(fates(&all, 1, 4), "aaaa");
}

static void golden_relay_every_third_is_the_third_and_sixth(void)
{
    struct rule r = {.match = ANY, .every = 3, .count = -1};
    CU_ASSERT_STRING_EQUAL(fates(&r, 1, 7), "..a..a.");
}

static void golden_relay_the_first_rule_wins_and_the_next_does_not_count(void)
{
    struct rule r[2] = {{.match = ANY, .count = 2}, {.match = ANY, .skip = 1, .count = 1}};
    CU_ASSERT_STRING_EQUAL(fates(r, 2, 5), "aa.b.");
}

static void golden_relay_psn_opcode_and_side_must_fit(void)
{
    struct rule psn = {.match = {.side = -1, .psn = {1002}, .psns = 1}, .count = -1};
    struct rule other = {.match = {.side = SIDE_B}, .count = -1};
    struct rule opcode = {.match = {.side = -1, .opcode = {1}, .opcodes = 1}, .count = -1};
    CU_ASSERT_STRING_EQUAL(fates(&psn, 1, 4), "..a.");
    CU_ASSERT_STRING_EQUAL(fates(&other, 1, 3), "...");
    CU_ASSERT_STRING_EQUAL(fates(&opcode, 1, 3), "...");
}

static void golden_relay_a_rule_waits_for_what_arms_it(void)
{
    struct rule r = {.match = ANY, .after = ANY, .after_nth = 2, .count = 1};
    CU_ASSERT_STRING_EQUAL(fates(&r, 1, 5), "..a..");
}

static bool rewrite(const char *field, int64_t value, struct flight *f)
{
    struct trouble why;
    struct rule r = {.sets = 1};
    strcpy(r.set[0].name, field);
    r.set[0].value = value;
    return relay_rewrite(NULL, &r, f, &why);
}

static void golden_relay_rewrites_the_field_alone(void)
{
    struct flight f = {.h = {.opcode = wire_opcode(WIRE_RC, OP_WRITE_ONLY),
                             .flags = WIRE_ACKREQ,
                             .psn = psn(0xffffff),
                             .va = 100,
                             .dmalen = 8}},
                  was = f;
    CU_ASSERT_TRUE(rewrite("psn_add", 2, &f));
    was.h.psn = psn(1);
    CU_ASSERT_EQUAL(memcmp(&f, &was, sizeof f), 0);
    CU_ASSERT_TRUE(rewrite("va_add", 4, &f) && rewrite("ackreq", 0, &f));
    was.h.va = 104;
    was.h.flags = 0;
    CU_ASSERT_EQUAL(memcmp(&f, &was, sizeof f), 0);
    CU_ASSERT_FALSE(rewrite("colour", 1, &f));
}

static void golden_relay_another_opcode_reads_the_same_bytes_anew(void)
{
    struct flight f = {.h = {.opcode = wire_opcode(WIRE_RC, OP_SEND_ONLY_IMM),
                             .pkey = 0xffff,
                             .imm = 0x01020304,
                             .payload_bytes = 4},
                       .payload = {9, 8, 7, 6}};
    CU_ASSERT_TRUE(rewrite("op", wire_opcode(WIRE_RC, OP_SEND_ONLY).v, &f));
    const uint8_t bytes[8] = {1, 2, 3, 4, 9, 8, 7, 6};
    CU_ASSERT_EQUAL(f.h.opcode.v, wire_opcode(WIRE_RC, OP_SEND_ONLY).v);
    CU_ASSERT_EQUAL(f.h.payload_bytes, 8);
    CU_ASSERT_EQUAL(memcmp(f.payload, bytes, sizeof bytes), 0);
}

static void golden_relay_an_opcode_that_does_not_exist_leaves_all_payload(void)
{
    struct flight f = {.h = {.opcode = wire_opcode(WIRE_RC, OP_WRITE_ONLY), .payload_bytes = 5}};
    CU_ASSERT_TRUE(rewrite("op", 0x1f, &f));
    CU_ASSERT_EQUAL(f.h.opcode.v, 0x1f);
    CU_ASSERT_EQUAL(f.h.payload_bytes, 16 + 5);
    CU_ASSERT_FALSE(f.unreadable);
}

static void golden_relay_headers_that_do_not_fit_are_unreadable(void)
{
    struct flight f = {.h = {.opcode = wire_opcode(WIRE_RC, OP_ACKNOWLEDGE)}};
    CU_ASSERT_TRUE(rewrite("op", wire_opcode(WIRE_RC, OP_ATOMIC_ACK).v, &f));
    CU_ASSERT_TRUE(f.unreadable);
}

static const struct test tests[] = {
    TEST(golden_relay_count_and_skip_pick_packets),
    TEST(golden_relay_every_third_is_the_third_and_sixth),
    TEST(golden_relay_the_first_rule_wins_and_the_next_does_not_count),
    TEST(golden_relay_psn_opcode_and_side_must_fit),
    TEST(golden_relay_a_rule_waits_for_what_arms_it),
    TEST(golden_relay_rewrites_the_field_alone),
    TEST(golden_relay_another_opcode_reads_the_same_bytes_anew),
    TEST(golden_relay_an_opcode_that_does_not_exist_leaves_all_payload),
    TEST(golden_relay_headers_that_do_not_fit_are_unreadable),
    TESTS_END,
};
const struct suite suite_golden_relay = {"golden_relay", tests};
