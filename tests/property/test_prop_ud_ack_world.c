/*
 * Whole runs over acknowledged datagrams: random fabrics, losses, copies, delays, slow receivers.
 *
 * With patience everything posted is delivered once and completes once.  Without, every message
 * completes or is reported, and one that completed was delivered.  The cut into domains changes
 * nothing.
 */
#include <glib.h>
#include <stdio.h>
#include <string.h>

#include "sim/base/rng.h"
#include "tests/suite.h"
#include "tests/unit/run_text.h"

enum { SEEDS = 60 };

struct scene {
    struct rng_stream from;
    GString *text;
    uint64_t seed;
    uint32_t hosts, flows, messages;
    bool patient, rpc, calm;
};

static uint32_t below(struct scene *s, uint32_t n) { return (uint32_t)rng_below(&s->from, n); }
static bool one_in(struct scene *s, uint32_t n) { return below(s, n) == 0; }
static uint32_t pick(struct scene *s, const uint32_t *of, uint32_t n) { return of[below(s, n)]; }
#define PICK(s, ...)                                                                               \
    pick(s, (const uint32_t[]){__VA_ARGS__}, G_N_ELEMENTS(((const uint32_t[]){__VA_ARGS__})))
#define ADD(s, ...) g_string_append_printf((s)->text, __VA_ARGS__)

static void draw_fabric(struct scene *s)
{
    static const char *const topology[] = {"pair", "star", "dumbbell"};
    uint32_t kind = below(s, 3);
    bool lossy = one_in(s, 2), buffered = kind > 0 && one_in(s, 3);
    s->hosts = kind == 0 ? 2 : 4;
    s->calm = !lossy && !buffered;
    ADD(s, "[fabric]\ntopology = %s\nhosts = %u\nrate = %uGbps\ndelay = %uns\n", topology[kind],
        s->hosts, PICK(s, 10, 100, 400), PICK(s, 0, 500, 5000));
    if (lossy)
        ADD(s, "loss.rate = 0.%02u\nloss.class = all\n", 1 + below(s, 10));
    if (buffered)
        ADD(s, "buffer = %uB\n", PICK(s, 5000, 60000));
}

static void draw_sessions(struct scene *s)
{
    s->patient = !one_in(s, 3);
    ADD(s, "[qp]\nservice = ud-ack\nmtu = %u\nsq_depth = %u\nrq_depth = %u\n", 256u << below(s, 5),
        PICK(s, 4, 16, 128), PICK(s, 64, 1024));
    ADD(s, "[udack]\nwindow = %u\nreorder = %u\nrecovery = %s\nfast_after = %u\n", 1 + below(s, 64),
        one_in(s, 3) ? 0 : below(s, 64), one_in(s, 2) ? "selective" : "go-back-n", below(s, 4));
    ADD(s, "ack_every = %u\nack_delay = %uus\nask_last = %s\nadaptive = %s\nrto_min = 50us\n",
        1 + below(s, 20), below(s, 10), one_in(s, 2) ? "on" : "off", one_in(s, 2) ? "on" : "off");
    ADD(s, "rto = %uus\nrto_max = 5ms\nretries = %u\ncpu = %uns\n", 100 + below(s, 400),
        s->patient ? 60 : below(s, 3), PICK(s, 0, 0, 150));
}

static void draw_load(struct scene *s)
{
    static const char *const pattern[] = {"pair", "incast", "ring", "all-to-all", "rpc"};
    uint32_t kind = below(s, 5),
             flows[5] = {1, s->hosts - 1, s->hosts, s->hosts * (s->hosts - 1), s->hosts - 1};
    uint32_t qps = PICK(s, 1, 1, 2);
    s->rpc = kind == 4;
    s->flows = flows[kind] * qps;
    s->messages = 1 + below(s, 25);
    ADD(s, "[workload]\npattern = %s\nop = send\nsize = %uB\nqps = %u\nmessages = %u\ndepth = %u\n",
        pattern[kind], PICK(s, 0, 1, 300, 4096, 30000), qps, s->messages, PICK(s, 1, 4));
    if (one_in(s, 4))
        ADD(s, "recv_late = %uus\nrecv_repost = %uns\n", below(s, 200), below(s, 2000));
    else if (s->patient && one_in(s, 3))
        ADD(s, "on_error = reconnect\nreconnect_delay = %uus\n", 10 + below(s, 300));
    ADD(s, "[inject]\n");
    if (one_in(s, 2))
        ADD(s, "a = dup p=10%%\n");
    if (one_in(s, 2))
        ADD(s, "b = delay %uus p=10%%\n", 1 + below(s, 80));
}

static struct scene *scene_new(uint64_t seed)
{
    struct scene *s = g_new0(struct scene, 1);
    s->from = rng_stream(seed, RNG_RUN, 0, 4711);
    s->seed = seed;
    s->text = g_string_new("# A random run?\n");
    ADD(s, "[scenario]\nseed = %u\n", below(s, 1000));
    draw_fabric(s);
    draw_sessions(s);
    draw_load(s);
    return s;
}

static void scene_free(struct scene *s)
{
    g_string_free(s->text, TRUE);
    g_free(s);
}

/* The scenario of the first seed that breaks something is printed whole. */
static bool told;
static void hold(bool ok, const struct scene *s, const char *what)
{
    if (!ok && !told)
        fprintf(stderr, "seed %llu: %s\n%s\n", (unsigned long long)s->seed, what, s->text->str);
    told = told || !ok;
    CU_ASSERT_TRUE(ok);
}
#define HOLDS(cond) hold(cond, s, #cond)
#define V(name) m->v[METRIC_##name]

static void check(const struct scene *s, const struct metrics *m)
{
    int64_t wanted = (int64_t)s->flows * s->messages * (s->rpc ? 2 : 1);
    HOLDS(V(messages_lost) == 0);
    HOLDS(V(messages_delivered) <= V(messages_posted));
    HOLDS(V(messages_delivered) >= V(messages_completed));
    HOLDS(V(messages_completed) + V(messages_failed) + V(messages_flushed) == V(messages_posted));
    HOLDS(V(packets_retransmitted) <= V(packets_sent));
    HOLDS(V(qps) <= s->hosts);
    HOLDS(V(naks) == 0 && V(rnr_naks) == 0);
    if (!s->patient)
        return;
    HOLDS(V(messages_failed) == 0 && V(messages_posted) == wanted);
    HOLDS(V(messages_delivered) == wanted && V(messages_completed) == wanted);
    HOLDS(V(qps_in_error) == 0);
}

static void prop_ud_ack_world_metrics_agree(void)
{
    uint64_t repeated = 0, failed = 0;
    told = false;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        struct text_run r;
        struct scene *s = scene_new(seed);
        run_text(s->text->str, 1, NULL, &r);
        HOLDS(r.outcome == RUN_DONE);
        if (r.outcome == RUN_DONE)
            check(s, &r.m);
        else
            fprintf(stderr, "%s\n", r.err.text);
        repeated += (uint64_t)r.m.v[METRIC_packets_retransmitted];
        failed += (uint64_t)r.m.v[METRIC_messages_failed];
        scene_free(s);
    }
    CU_ASSERT_TRUE(repeated > 1000);
    CU_ASSERT_TRUE(failed > 5);
}

static void prop_ud_ack_world_domains_change_nothing(void)
{
    static struct text_run one, more;
    told = false;
    for (uint64_t seed = 1; seed <= SEEDS; seed += 3) {
        struct scene *s = scene_new(seed);
        run_text(s->text->str, 1, NULL, &one);
        run_text(s->text->str, seed % 2 ? 2 : 4, NULL, &more);
        HOLDS(one.outcome == RUN_DONE && more.outcome == RUN_DONE);
        HOLDS(memcmp(&one.m, &more.m, sizeof one.m) == 0);
        scene_free(s);
    }
}

static const struct test tests[] = {TEST(prop_ud_ack_world_metrics_agree),
                                    TEST(prop_ud_ack_world_domains_change_nothing), TESTS_END};
const struct suite suite_prop_ud_ack_world = {"prop_ud_ack_world", tests};
