/*
 * Damaged files: whatever bytes change in a scenario or a traffic file, reading ends with a struct or with
 * one sentence, never otherwise.  What still resolves must survive its own manifest.
 */
#include <glib.h>
#include <stdlib.h>
#include <string.h>

#include "scenarios/reader/traffic.h"
#include "sim/base/rng.h"
#include "tests/suite.h"
#include "tests/unit/sctest.h"

static const char good[] =
    "# Why?\n[scenario]\ntitle = A title\nduration = 3ms\nwarmup = 1.5us\nseed = 99\n"
    "[fabric]\ntopology = dumbbell\nhosts = 8\nrate = 40Gbps\ntrunk_rate = 10Gbps\ndelay = 2.5us\n"
    "loss.rate = 0.003%\nloss.class = data, ack\n[hca]\ntimer_slack = 1.25\n"
    "[qp]\npreset = nccl\nmtu = 4096\nretry_cnt = 3\nsq_psn = 0xfffff0\n"
    "[workload]\npattern = all-to-all\nop = write_imm\nsize = 4KiB, 64KiB\nload = 60%\n"
    "slowdown = on\nbuckets = 10KB, 1MB\n"
    "[inject]\na = rewrite psn_add=-3 ecn=3 from=0 to=1 op=RC_SEND_ONLY psn=+4 p=1%\n"
    "b = link s0-s1 down 1ms..2ms\nc = destroy 3:1 5ms\n"
    "[sweep]\nqp.timeout = 8..14 step 3\nfabric.loss.rate = 1e-5..1e-2 log 4\n"
    "qp.mtu, qp.retry_cnt = 256, 1; 512, 2\n[check]\nscenario.duration = 1ms\n"
    "[plot g]\nx = qp.timeout\ny = goodput_gbps\n[expect]\none = goodput_gbps > 1\n";

/* One to three changes: a byte replaced, removed, doubled, or a stretch copied elsewhere. */
static size_t damage(struct rng_stream *r, char *text, size_t len, size_t room)
{
    static const char likely[] = "\n[]=;,.0129-+%#e \t\"'\\\xff";
    for (uint64_t n = 1 + rng_below(r, 3); n > 0 && len > 40; n--) {
        size_t at = rng_below(r, len), to = rng_below(r, len), part = 1 + rng_below(r, 12);
        switch (rng_below(r, 4)) {
        case 0:
            text[at] = likely[rng_below(r, sizeof likely)];
            break;
        case 1:
            text[at] = (char)rng_next(r);
            break;
        case 2:
            memmove(text + at, text + at + 1, len - at - 1);
            len--;
            break;
        case 3:
            if (at + part < len && to + part < len && len + part < room)
                memmove(text + to, text + at, part);
            break;
        }
    }
    return rng_below(r, 20) == 0 ? rng_below(r, len) : len;
}

/* The manifest of what resolved resolves to the same. */
static void check_manifest(const struct sc_file *f, const struct scenario *s)
{
    char *text = NULL;
    size_t len = 0;
    struct scenario again = {0};
    FILE *out = open_memstream(&text, &len);
    CU_ASSERT_TRUE(sc_manifest_write(f, NULL, 0, out));
    fclose(out);
    const char *said = sctest_resolve(text, &again);
    if (said[0])
        printf("%s\n%s\n", said, text);
    CU_ASSERT_STRING_EQUAL_FATAL(said, "");
    CU_ASSERT_STRING_EQUAL(sctest_difference(s, &again), "");
    scenario_clear(&again);
    free(text);
}

/* True if it resolved. */
static bool read_damaged(const char *text, size_t len)
{
    struct sc_error err = {""};
    struct scenario s = {0};
    struct sc_plan p = {0};
    struct sc_file *f = sc_file_load(sctest_write("d.ini", text, len), &err);
    bool ok = f && sc_resolve(f, NULL, 0, &s, &err);
    CU_ASSERT_TRUE(ok || (strlen(err.text) > 10 && !strchr(err.text, '\n')));
    if (ok) {
        check_manifest(f, &s);
        sc_plan_make(f, NULL, 0, true, &p, &err);
    }
    sc_plan_clear(&p);
    scenario_clear(&s);
    sc_file_free(f);
    return ok;
}

static void reader_damaged_scenario_never_crashes(void)
{
    struct rng_stream r = rng_stream(1, RNG_RUN, 0, 1);
    unsigned resolved = 0;
    CU_ASSERT_TRUE_FATAL(read_damaged(good, sizeof good - 1));
    for (int i = 0; i < 2000; i++) {
        char text[sizeof good + 100];
        memcpy(text, good, sizeof good);
        resolved += read_damaged(text, damage(&r, text, sizeof good - 1, sizeof text));
    }
    /* the damage is neither always nor never harmless, or nothing is being tested */
    CU_ASSERT_TRUE(resolved > 20);
    CU_ASSERT_TRUE(resolved < 1900);
}

static bool read_sizes(const char *path)
{
    struct load_size s = {0};
    struct sc_error err = {""};
    char seen[TRAFFIC_SEEN_MAX];
    if (!traffic_sizes(path, &s, seen, &err))
        return strlen(err.text) > 10;
    bool ok = s.cumulative[s.count - 1] == (uint64_t)1 << 63;
    for (uint32_t i = 1; i < s.count; i++)
        ok = ok && s.bytes[i] >= s.bytes[i - 1] && s.cumulative[i] >= s.cumulative[i - 1];
    g_free(s.bytes);
    g_free(s.cumulative);
    return ok;
}

static bool read_flows(const char *path)
{
    struct load_flow *flow = NULL;
    struct sc_error err = {""};
    char seen[TRAFFIC_SEEN_MAX];
    uint32_t count = 0;
    if (!traffic_flows(path, 4, &flow, &count, seen, &err))
        return strlen(err.text) > 10;
    bool ok = count > 0;
    for (uint32_t i = 0; i < count; i++)
        ok = ok && flow[i].src < 4 && flow[i].dst < 4 && flow[i].src != flow[i].dst &&
             flow[i].bytes > 0 && flow[i].start_ps >= 0;
    g_free(flow);
    return ok;
}

static void reader_damaged_traffic_keeps_its_promises(void)
{
    static const char *const files[] = {"sample.cdf",      "sample-fraction.cdf",     "solar.csv",
                                        "sample-flow.txt", "sample-flow-nodport.txt", "sample.cm"};
    struct rng_stream r = rng_stream(2, RNG_RUN, 0, 1);
    for (int i = 0; i < 1800; i++) {
        char path[80];
        char *data;
        gsize len;
        snprintf(path, sizeof path, "scenarios/traffic/%s", files[i % 6]);
        CU_ASSERT_TRUE_FATAL(g_file_get_contents(path, &data, &len, NULL));
        size_t left = damage(&r, data, len, len);
        const char *damaged = sctest_write("d.txt", data, left);
        CU_ASSERT_TRUE(read_sizes(damaged));
        CU_ASSERT_TRUE(read_flows(damaged));
        g_free(data);
    }
}

static const struct test tests[] = {
    TEST(reader_damaged_scenario_never_crashes),
    TEST(reader_damaged_traffic_keeps_its_promises),
    TESTS_END,
};
const struct suite suite_reader_damage = {"reader_damage", tests};
