/* A manifest, run again, is the same run. */
#include <glib.h>
#include <stdlib.h>
#include <string.h>

#include "scenarios/reader/keys.h"
#include "tests/suite.h"
#include "tests/unit/sctest.h"

static const char rich[] =
    "# Why?\n[scenario]\ntitle = A title; with 1 = 1\nduration = 3s\nwarmup = 1.5us\nseed = 99\n"
    "[fabric]\ntopology = dumbbell\nhosts = 8\nrate = 40Gbps\ntrunk_rate = 10Gbps\ndelay = 2.5us\n"
    "buffer = unlimited\nencap = infiniband\nloss.rate = 0.003%\nloss.class = data, ack\n"
    "[hca]\nack_coalesce = on\ntimer_slack = 1.25\ntimer_floor = 500ms\narbitration = message\n"
    "[qp]\npreset = nccl\nmtu = 4096\nretry_cnt = 3\nsq_psn = 0xfffff0\n"
    "[workload]\npattern = all-to-all\nop = write_imm\nsize = websearch\nload = 60%\nslowdown = "
    "on\n"
    "buckets = 10KB, 1MB\non_error = reconnect\nreconnect_give_up = 1s\n"
    "[inject]\na = drop from=0 to=1 p=1%\nb = link s0-s1 down 1ms..2ms\nc = kill 3 5ms\n"
    "[sweep]\nqp.timeout = 8; 14\n[check]\nscenario.duration = 1s\n"
    "[plot g]\nx = qp.timeout\ny = goodput_gbps\n[expect]\none = goodput_gbps > 1\n";

/* The manifest of a text under overrides; to be freed. */
static char *manifest_of(const char *text, const struct sc_override *ov, uint32_t n)
{
    struct sc_error err = {""};
    char *out = NULL;
    size_t len = 0;
    struct sc_file *f = sctest_load(text, &err);
    CU_ASSERT_PTR_NOT_NULL_FATAL(f);
    FILE *to = open_memstream(&out, &len);
    CU_ASSERT_TRUE(sc_manifest_write(f, ov, n, to));
    fclose(to);
    sc_file_free(f);
    return out;
}

static void check_repeats(const char *text)
{
    struct scenario a = {0}, b = {0};
    char *manifest = manifest_of(text, NULL, 0);
    CU_ASSERT_STRING_EQUAL_FATAL(sctest_resolve(text, &a), "");
    CU_ASSERT_STRING_EQUAL_FATAL(sctest_resolve(manifest, &b), "");
    CU_ASSERT_STRING_EQUAL(sctest_difference(&a, &b), "");
    char *again = manifest_of(manifest, NULL, 0);
    CU_ASSERT_STRING_EQUAL(manifest, again);
    scenario_clear(&a);
    scenario_clear(&b);
    free(manifest);
    free(again);
}

static void manifest_resolves_to_the_same_scenario(void)
{
    check_repeats(rich);
    check_repeats("[qp]\ntimeout = 3\n");
    check_repeats("[workload]\npattern = trace\nfile = sample-flow.txt\n");
    check_repeats("[workload]\nsize = 4KiB, 0, 1MB\n");
    check_repeats("[workload]\npattern = rpc\ndata = write\nservice = 1us\nmessages = 7\n");
}

static void manifest_holds_overrides_and_no_sweep(void)
{
    char name[] = "qp.timeout", value[] = "20";
    struct sc_override ov = {name, value, "--set"};
    struct scenario s = {0};
    char *manifest = manifest_of(rich, &ov, 1);
    CU_ASSERT_PTR_NULL(strstr(manifest, "[sweep]"));
    CU_ASSERT_PTR_NULL(strstr(manifest, "[check]"));
    CU_ASSERT_PTR_NULL(strstr(manifest, "depth = 16"));
    CU_ASSERT_PTR_NOT_NULL(strstr(manifest, "\n[plot g]\nx = qp.timeout\ny = goodput_gbps\n"));
    CU_ASSERT_PTR_NOT_NULL(strstr(manifest, "\n[expect]\none = goodput_gbps > 1\n"));
    CU_ASSERT_PTR_NOT_NULL(strstr(manifest, "\ndelay = 2500000ps\n"));
    CU_ASSERT_PTR_NOT_NULL(strstr(manifest, "\nloss.rate = 0.00003\n"));
    CU_ASSERT_STRING_EQUAL_FATAL(sctest_resolve(manifest, &s), "");
    CU_ASSERT_EQUAL(s.qp.timeout, 20);
    scenario_clear(&s);
    free(manifest);
}

/* All adapter keys are in it: the profile's file is not needed any more. */
static void manifest_stands_without_its_profile(void)
{
    static const char profile[] = "[hca]\nackreq_packets = 5\n[qp]\nretry_cnt = 2\n";
    struct scenario s = {0};
    sctest_write("own.ini", profile, sizeof profile - 1);
    char *manifest = manifest_of("[hca]\nprofile = own\n", NULL, 0);
    remove(sctest_write("own.ini", "", 0));
    CU_ASSERT_STRING_EQUAL_FATAL(sctest_resolve(manifest, &s), "");
    CU_ASSERT_STRING_EQUAL(s.profile, "own");
    CU_ASSERT_EQUAL(s.hca.xp.ackreq_packets, 5);
    CU_ASSERT_EQUAL(s.qp.retry_cnt, 2);
    scenario_clear(&s);
    free(manifest);
}

static void manifest_holds_no_path(void)
{
    static const char own[] = "10 0\n20 1\n";
    char *path = g_strdup(sctest_write("sizes.csv", own, sizeof own - 1));
    char *text = g_strdup_printf("[workload]\nsize = %s\n", path);
    char *manifest = manifest_of(text, NULL, 0);
    CU_ASSERT_PTR_NOT_NULL(strstr(manifest, "\nsize = sizes.csv\n"));
    CU_ASSERT_PTR_NULL(strstr(manifest, "/tmp"));
    free(manifest);
    g_free(text);
    g_free(path);
}

static void manifest_has_every_key_once(void)
{
    char *manifest = manifest_of("[scenario]\ntitle = x\nquestion = y\n", NULL, 0);
    for (uint32_t i = 0; i < key_count(); i++) {
        char *line = g_strdup_printf("\n%s = ", key_at(i)->name);
        CU_ASSERT_PTR_NOT_NULL(strstr(manifest, line));
        g_free(line);
    }
    free(manifest);
}

static const struct test tests[] = {
    TEST(manifest_resolves_to_the_same_scenario),
    TEST(manifest_holds_overrides_and_no_sweep),
    TEST(manifest_stands_without_its_profile),
    TEST(manifest_holds_no_path),
    TEST(manifest_has_every_key_once),
    TESTS_END,
};
const struct suite suite_manifest = {"manifest", tests};
