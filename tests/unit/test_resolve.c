/* From texts to a struct: what wins over what, lookups, overrides, traffic. */
#include <glib.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/suite.h"
#include "tests/unit/sctest.h"

static void resolve_empty_scenario_has_the_documented_defaults(void)
{
    struct scenario s = {0};
    CU_ASSERT_STRING_EQUAL_FATAL(sctest_resolve("[scenario]\ntitle = x\n", &s), "");
    CU_ASSERT_EQUAL(s.duration_ps, TM_NEVER);
    CU_ASSERT_EQUAL(s.seed, 1);
    CU_ASSERT_EQUAL(s.repetitions, 1);
    CU_ASSERT_EQUAL(s.fabric.topology, FAB_PAIR);
    CU_ASSERT_EQUAL(s.fabric.hosts, 2);
    CU_ASSERT_EQUAL(s.fabric.rate_bps, 100000000000u);
    CU_ASSERT_EQUAL(s.fabric.buffer_bytes, 1048576);
    CU_ASSERT_EQUAL(s.fabric.loss_classes, 1u << FAB_DATA | 1u << FAB_ACK | 1u << FAB_NAK |
                                               1u << FAB_READ_RESP | 1u << FAB_CM);
    CU_ASSERT_STRING_EQUAL(s.profile, "spec");
    CU_ASSERT_EQUAL(s.hca.xp.ackreq_packets, 16);
    CU_ASSERT_EQUAL(s.hca.xp.timer_slack_milli, 1000);
    CU_ASSERT_TRUE(s.hca.xp.migrated);
    CU_ASSERT_STRING_EQUAL(s.preset, "none");
    CU_ASSERT_EQUAL(s.qp.service, 0);
    CU_ASSERT_EQUAL(s.qp.mtu, 1024);
    CU_ASSERT_EQUAL(s.qp.timeout, 14);
    CU_ASSERT_EQUAL(s.qp.retry_cnt, 7);
    CU_ASSERT_EQUAL(s.qp.rnr_retry, 7);
    CU_ASSERT_EQUAL(s.qp.min_rnr_timer, 12);
    CU_ASSERT_EQUAL(s.load.size.kind, LOAD_SIZE_FIXED);
    CU_ASSERT_EQUAL(s.load.size.bytes[0], 65536);
    CU_ASSERT_EQUAL(s.load.messages, 1000);
    CU_ASSERT_EQUAL(s.load.flow_count, 0);
    scenario_clear(&s);
}

static void resolve_messages_are_unlimited_with_a_duration(void)
{
    struct scenario s = {0};
    CU_ASSERT_STRING_EQUAL_FATAL(sctest_resolve("[scenario]\nduration = 1ms\n", &s), "");
    CU_ASSERT_EQUAL(s.load.messages, 0);
    scenario_clear(&s);
    CU_ASSERT_STRING_EQUAL_FATAL(
        sctest_resolve("[scenario]\nduration = 1ms\n[workload]\nmessages = 5\n", &s), "");
    CU_ASSERT_EQUAL(s.load.messages, 5);
    scenario_clear(&s);
}

/* The default profile must say what the table says, or a lost folder would change results. */
static void resolve_default_profile_equals_the_table(void)
{
    struct scenario with = {0}, without = {0};
    CU_ASSERT_STRING_EQUAL_FATAL(sctest_resolve("[hca]\nprofile = spec\n", &with), "");
    static const char bare[] = "[qp]\ntimeout = 14\n";
    sctest_write("spec.ini", bare, sizeof bare - 1); /* beside the scenario: found first */
    CU_ASSERT_STRING_EQUAL_FATAL(sctest_resolve("[hca]\nprofile = spec\n", &without), "");
    unlink(sctest_write("spec.ini", "", 0));
    CU_ASSERT_STRING_EQUAL(sctest_difference(&with, &without), "");
    scenario_clear(&with);
    scenario_clear(&without);
}

struct preset {
    const char *name;
    uint8_t timeout, retry_cnt, rnr_retry, min_rnr_timer;
};

static void resolve_presets_have_their_figures(void)
{
    static const struct preset presets[] = {{"perftest", 14, 7, 7, 12},
                                            {"nccl", 20, 7, 7, 12},
                                            {"ucx", 18, 7, 7, 12},
                                            {"spdk", 14, 4, 7, 12},
                                            {"rdma_cm", 16, 7, 7, 12}};
    for (size_t i = 0; i < G_N_ELEMENTS(presets); i++) {
        struct scenario s = {0};
        char text[80];
        snprintf(text, sizeof text, "[qp]\npreset = %s\n", presets[i].name);
        CU_ASSERT_STRING_EQUAL_FATAL(sctest_resolve(text, &s), "");
        CU_ASSERT_STRING_EQUAL(s.preset, presets[i].name);
        CU_ASSERT_EQUAL(s.qp.timeout, presets[i].timeout);
        CU_ASSERT_EQUAL(s.qp.retry_cnt, presets[i].retry_cnt);
        CU_ASSERT_EQUAL(s.qp.rnr_retry, presets[i].rnr_retry);
        CU_ASSERT_EQUAL(s.qp.min_rnr_timer, presets[i].min_rnr_timer);
        scenario_clear(&s);
    }
}

/* default 14 < preset 1 < profile 2 < file 3 < overrides in their order */
static void resolve_later_sources_win(void)
{
    static const char preset[] = "[qp]\ntimeout = 1\nretry_cnt = 1\nmin_rnr_timer = 1\n";
    static const char profile[] = "[qp]\ntimeout = 2\nretry_cnt = 2\n[hca]\nackreq_packets = 9\n";
    char name[2][16] = {"qp.timeout", "qp.timeout"}, value[2][4] = {"4", "5"};
    struct sc_override ov[2] = {{name[0], value[0], "[check]"}, {name[1], value[1], "--set"}};
    struct sc_error err;
    struct scenario s = {0};
    sctest_write("weak.ini", preset, sizeof preset - 1);
    sctest_write("strong.ini", profile, sizeof profile - 1);
    struct sc_file *f =
        sctest_load("[qp]\npreset = weak\ntimeout = 3\n[hca]\nprofile = strong\n", &err);
    CU_ASSERT_PTR_NOT_NULL_FATAL(f);
    CU_ASSERT_TRUE_FATAL(sc_resolve(f, NULL, 0, &s, &err));
    CU_ASSERT_EQUAL(s.qp.timeout, 3);
    CU_ASSERT_EQUAL(s.qp.retry_cnt, 2);
    CU_ASSERT_EQUAL(s.qp.min_rnr_timer, 1);
    CU_ASSERT_EQUAL(s.qp.rnr_retry, 7);
    CU_ASSERT_EQUAL(s.hca.xp.ackreq_packets, 9);
    scenario_clear(&s);
    CU_ASSERT_TRUE_FATAL(sc_resolve(f, ov, 2, &s, &err));
    CU_ASSERT_EQUAL(s.qp.timeout, 5);
    scenario_clear(&s);
    sc_file_free(f);
}

static void write_text(const char *name, const char *text)
{
    sctest_write(name, text, strlen(text));
}

/* A profile begins with another's figures, and that with a third's. */
static void resolve_profile_may_begin_with_another(void)
{
    struct sc_error err;
    struct scenario s = {0};
    write_text("first.ini", "[hca]\nackreq_packets = 1\nwindow_packets = 1\nunits = 1\n");
    write_text("second.ini", "[hca]\nprofile = first\nwindow_packets = 2\nunits = 2\n");
    write_text("third.ini", "[hca]\nunits = 3\nprofile = second\n");
    write_text("self.ini", "[hca]\nprofile = self\n");
    struct sc_file *f = sctest_load("[hca]\nprofile = third\n", &err);
    CU_ASSERT_PTR_NOT_NULL_FATAL(f);
    CU_ASSERT_TRUE_FATAL(sc_resolve(f, NULL, 0, &s, &err));
    CU_ASSERT_EQUAL(s.hca.xp.ackreq_packets, 1);
    CU_ASSERT_EQUAL(s.hca.xp.window_packets, 2);
    CU_ASSERT_EQUAL(s.hca.cost.units, 3);
    CU_ASSERT_STRING_EQUAL(s.profile, "third");
    scenario_clear(&s);
    sc_file_free(f);
    const char *why = sctest_refusal("[hca]\nprofile = self\n");
    CU_ASSERT_PTR_NOT_NULL(strstr(why,
                                  "self.ini:2: [hca] profile: profiles that begin with each other; "
                                  "let one begin with none"));
}

static void resolve_names_that_are_not_there_get_a_suggestion(void)
{
    CU_ASSERT_STRING_EQUAL(sctest_refusal("[qp]\npreset = ncll\n"),
                           "t.ini:2: [qp] preset: there is no preset 'ncll' beside the scenario, "
                           "in $RDMASIM_PATH or in "
                           "the folder presets; did you mean 'nccl'?");
    CU_ASSERT_STRING_EQUAL(
        sctest_refusal("[hca]\nprofile = imaginary\n"),
        "t.ini:2: [hca] profile: there is no profile 'imaginary' beside the scenario, in "
        "$RDMASIM_PATH or in the folder profiles");
    CU_ASSERT_STRING_EQUAL(sctest_refusal("[workload]\nsize = websaerch\n"),
                           "t.ini:2: [workload] size: there is no size or traffic file 'websaerch' "
                           "beside the scenario, "
                           "in $RDMASIM_PATH or in the folder traffic; did you mean 'websearch'?");
}

static void resolve_mistake_in_a_profile_names_the_profile(void)
{
    static const char profile[] = "[hca]\nackreq_packets = 0\n";
    sctest_write("broken.ini", profile, sizeof profile - 1);
    CU_ASSERT_STRING_EQUAL(
        sctest_refusal("[hca]\nprofile = broken\n"),
        "broken.ini:2: [hca] ackreq_packets: '0' is out of range; give a whole number from 1 to "
        "8388607");
}

static void resolve_sizes_are_number_list_or_file(void)
{
    struct scenario s = {0};
    CU_ASSERT_STRING_EQUAL_FATAL(sctest_resolve("[workload]\nsize = 4KiB, 1MB\n", &s), "");
    CU_ASSERT_EQUAL(s.load.size.kind, LOAD_SIZE_LIST);
    CU_ASSERT_EQUAL_FATAL(s.load.size.count, 2);
    CU_ASSERT_EQUAL(s.load.size.bytes[1], 1000000);
    scenario_clear(&s);
    CU_ASSERT_STRING_EQUAL_FATAL(sctest_resolve("[workload]\nsize = sample.cdf\n", &s), "");
    CU_ASSERT_EQUAL(s.load.size.kind, LOAD_SIZE_CDF);
    CU_ASSERT_EQUAL(s.load.size.count, 5);
    scenario_clear(&s);
    static const char own[] = "10 0\n20 1\n";
    sctest_write("2mix.csv", own, sizeof own - 1);
    CU_ASSERT_STRING_EQUAL_FATAL(sctest_resolve("[workload]\nsize = 2mix.csv\n", &s), "");
    CU_ASSERT_EQUAL(s.load.size.count, 2);
    scenario_clear(&s);
}

static void resolve_trace_loads_its_flows(void)
{
    struct scenario s = {0};
    CU_ASSERT_STRING_EQUAL_FATAL(sctest_resolve("[fabric]\ntopology = star\nhosts = 4\n"
                                                "[workload]\npattern = trace\nfile = sample.cm\n",
                                                &s),
                                 "");
    CU_ASSERT_EQUAL(s.load.pattern, LOAD_TRACE);
    CU_ASSERT_EQUAL_FATAL(s.load.flow_count, 3);
    CU_ASSERT_EQUAL(s.load.flow[1].start_ps, 250000);
    scenario_clear(&s);
    CU_ASSERT_STRING_EQUAL(sctest_refusal("[workload]\npattern = trace\nfile = sample.cm\n"),
                           "t.ini:3: [workload] file: scenarios/traffic/sample.cm:4: host 2 is not "
                           "one of the 2 hosts of "
                           "the fabric");
}

static void resolve_inject_splits_rules_and_acts(void)
{
    struct scenario s = {0};
    CU_ASSERT_STRING_EQUAL_FATAL(
        sctest_resolve("[qp]\nsq_psn = 0xfffffe\n[inject]\nfirst = drop psn=+1\n"
                       "dead = kill 1 1ms\nsecond = mark every=2\n",
                       &s),
        "");
    CU_ASSERT_EQUAL(s.inject.first_psn, 0xfffffe);
    CU_ASSERT_EQUAL_FATAL(s.inject.count, 2);
    CU_ASSERT_STRING_EQUAL(s.inject.rule[0].name, "first");
    CU_ASSERT_STRING_EQUAL(s.inject.rule[1].name, "second");
    CU_ASSERT_EQUAL_FATAL(s.act_count, 1);
    CU_ASSERT_EQUAL(s.act[0].kind, LOAD_ACT_KILL);
    scenario_clear(&s);
    CU_ASSERT_STRING_EQUAL(
        sctest_refusal("[inject]\nfirst = drop link=0-7\n"),
        "t.ini:2: [inject] first: '0-7' is not a link of this fabric; the only link "
        "is h0-h1");
}

/* The text of an override that is refused. */
static const char *set_refusal(const char *set)
{
    static struct sc_error err;
    struct sc_override ov = {0};
    struct scenario s = {0};
    struct sc_file *f = sctest_load("[qp]\ntimeout = 3\n", &err);
    bool ok = f && sc_override_parse(set, &ov, &err) && sc_resolve(f, &ov, 1, &s, &err);
    scenario_clear(&s);
    sc_file_free(f);
    g_free(ov.name);
    g_free(ov.value);
    return ok ? "" : sctest_said(&err);
}

static void resolve_overrides_are_refused_like_the_file(void)
{
    CU_ASSERT_STRING_EQUAL(set_refusal("qp.retry_cnt = 7"), "");
    CU_ASSERT_STRING_EQUAL(
        set_refusal("qp.mtu=1000"),
        "--set qp.mtu: '1000' is not one of the choices; give 256, 512, 1024, 2048 "
        "or 4096");
    CU_ASSERT_STRING_EQUAL(set_refusal("qp.timeuot=3"),
                           "--set: there is no key 'qp.timeuot'; did you mean 'qp.timeout'?");
    CU_ASSERT_STRING_EQUAL(set_refusal("timeout=3"),
                           "--set: 'timeout' lacks its group; write qp.timeout");
    CU_ASSERT_STRING_EQUAL(set_refusal("qp.timeout"),
                           "--set: 'qp.timeout' has no value; write group.key=value");
}

static void resolve_failure_leaves_the_struct_alone(void)
{
    struct scenario s = {.seed = 77, .title = NULL};
    struct sc_error err;
    struct sc_file *f = sctest_load("[fabric]\nhosts = 3\n", &err);
    CU_ASSERT_PTR_NOT_NULL_FATAL(f);
    CU_ASSERT_FALSE(sc_resolve(f, NULL, 0, &s, &err));
    CU_ASSERT_EQUAL(s.seed, 77);
    CU_ASSERT_PTR_NULL(s.title);
    sc_file_free(f);
}

static const struct test tests[] = {
    TEST(resolve_empty_scenario_has_the_documented_defaults),
    TEST(resolve_messages_are_unlimited_with_a_duration),
    TEST(resolve_default_profile_equals_the_table),
    TEST(resolve_presets_have_their_figures),
    TEST(resolve_later_sources_win),
    TEST(resolve_profile_may_begin_with_another),
    TEST(resolve_names_that_are_not_there_get_a_suggestion),
    TEST(resolve_mistake_in_a_profile_names_the_profile),
    TEST(resolve_sizes_are_number_list_or_file),
    TEST(resolve_trace_loads_its_flows),
    TEST(resolve_inject_splits_rules_and_acts),
    TEST(resolve_overrides_are_refused_like_the_file),
    TEST(resolve_failure_leaves_the_struct_alone),
    TESTS_END,
};
const struct suite suite_resolve = {"resolve", tests};
