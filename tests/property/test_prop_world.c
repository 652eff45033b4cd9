/*
 * Whole runs of random scenarios: what must hold of the metrics whatever the scenario says.
 *
 * A seed makes a scenario as text, as a user would write it: topology, rates, buffers, loss, service,
 * sizes, pattern, receivers, retries, faults.  The bounds are worked out here from the same
 * draws, by formulas of their own.  A failure prints the scenario, to be saved and run again.
 */
#include <glib.h>
#include <string.h>

#include "sim/base/rng.h"
#include "tests/suite.h"
#include "tests/unit/run_text.h"

enum { SEEDS = 500 };
enum { MICRO = 1000000 };

/* Of the wires and adapters. */
struct wires {
    uint32_t hosts, rate_gbps, trunk_gbps, delay_ns, switch_ns, tx_ns, rx_ns;
    bool pair, star, lossy, buffered;
};

/* What the properties need of a scenario. */
struct draw {
    struct rng_stream from;
    GString *text;
    uint64_t seed;
    struct wires w;
    uint32_t mtu, size, messages, depth, rq_depth, window, flows;
    bool rc, plain, joined, verifies, selective,
        troubles; /* plain: one QP at an end, packets as long as RC's */
    bool is_write, imm, fixed_size, quiet, faults, acts;
    bool tardy, reconnects, both_ways, one_receiver, timeout_long;
};

static uint32_t below(struct draw *d, uint32_t n) { return (uint32_t)rng_below(&d->from, n); }
static bool one_in(struct draw *d, uint32_t n) { return below(d, n) == 0; }
static uint32_t pick(struct draw *d, const uint32_t *of, uint32_t n) { return of[below(d, n)]; }
#define PICK(d, ...)                                                                               \
    pick(d, (const uint32_t[]){__VA_ARGS__}, G_N_ELEMENTS(((const uint32_t[]){__VA_ARGS__})))
#define ADD(d, ...) g_string_append_printf((d)->text, __VA_ARGS__)

/* ---- a scenario -------------------------------------------------------------------------------- */

static void draw_loss(struct draw *d)
{
    ADD(d, "loss.rate = 0.%02u\nloss.class = %s\n", 1 + below(d, 20), one_in(d, 3) ? "ack" : "all");
    switch (below(d, 5)) {
    case 0:
        ADD(d, "loss.model = gilbert-elliott\nloss.burst = %u\n", 2 + below(d, 30));
        break;
    case 1:
        ADD(d, "loss.model = gilbert-elliott\nloss.p = 0.0%u\nloss.r = 0.%u\n", 1 + below(d, 9),
            1 + below(d, 9));
        ADD(d, "loss.good = 0.00%u\nloss.bad = 0.%u\n", below(d, 9), 1 + below(d, 9));
        break;
    case 2:
        ADD(d, "loss.model = ber\nloss.ber = %ue-7\n", 1 + below(d, 90));
        break;
    }
}

static void draw_fabric(struct draw *d)
{
    static const char *const topology[] = {"pair", "star", "dumbbell"};
    uint32_t kind = below(d, 3);
    d->w.pair = kind == 0;
    d->w.star = kind == 1;
    d->w.hosts = d->w.pair ? 2 : kind == 1 ? 2 + below(d, 6) : 2 + 2 * below(d, 3);
    d->w.rate_gbps = PICK(d, 1, 10, 25, 100, 400);
    d->w.trunk_gbps = kind == 2 && one_in(d, 2) ? PICK(d, 1, 40, 300) : d->w.rate_gbps;
    d->w.delay_ns = PICK(d, 0, 3, 250, 1000, 20000);
    d->w.switch_ns = PICK(d, 0, 0, 300);
    d->w.lossy = one_in(d, 3);
    d->w.buffered = !d->w.pair && one_in(d, 2);
    ADD(d,
        "[fabric]\ntopology = %s\nhosts = %u\nrate = %uGbps\ndelay = %uns\nswitch_delay = %uns\n",
        topology[kind], d->w.hosts, d->w.rate_gbps, d->w.delay_ns, d->w.switch_ns);
    if (kind == 2)
        ADD(d, "trunk_rate = %uGbps\n", d->w.trunk_gbps);
    if (d->w.buffered)
        ADD(d, "buffer = %uB\n", PICK(d, 4200, 10000, 60000));
    else
        ADD(d, "buffer = unlimited\n");
    if (d->w.lossy)
        draw_loss(d);
}

static void draw_transport(struct draw *d)
{
    d->rc = !one_in(d, 4);
    const char *other = d->rc && one_in(d, 4) ? "xrc" : d->rc && one_in(d, 8) ? "rd" : NULL;
    d->plain = !other;
    d->joined = other && strcmp(other, "rd") == 0;
    d->verifies = (d->plain || d->joined) && one_in(d, 3);
    d->mtu = 256u << below(d, 5);
    d->w.tx_ns = PICK(d, 0, 0, 150);
    d->w.rx_ns = PICK(d, 0, 0, 70);
    d->rq_depth = PICK(d, 1, 2, 16, 128);
    d->window = PICK(d, 1, 5, 64, 4194304);
    d->timeout_long = one_in(d, 2);
    ADD(d, "[hca]\ntx_delay = %uns\nrx_delay = %uns\nackreq_packets = %u\nack_coalesce = %s\n",
        d->w.tx_ns, d->w.rx_ns, PICK(d, 1, 3, 16), one_in(d, 2) ? "on" : "off");
    ADD(d, "window_packets = %u\narbitration = %s\n", d->window,
        one_in(d, 2) ? "packet" : "message");
    ADD(d, "[qp]\nservice = %s\nmtu = %u\ntimeout = %u\nretry_cnt = %u\nrnr_retry = %u\n",
        other   ? other
        : d->rc ? "rc"
                : "uc",
        d->mtu, d->timeout_long ? 17 : 5 + below(d, 8), below(d, 8), below(d, 8));
    d->selective = d->rc && one_in(d, 4);
    if (d->selective)
        ADD(d, "recovery = selective-repeat\nbdp_cap = %u\nrto_low = %uus\n", PICK(d, 2, 30, 110),
            PICK(d, 0, 40, 100));
    ADD(d, "min_rnr_timer = %u\nrq_depth = %u\nsq_depth = %u\nsq_psn = %u\n", 1 + below(d, 14),
        d->rq_depth, PICK(d, 16, 17, 128), one_in(d, 3) ? 16777210 : below(d, 1000));
}

static void draw_pattern(struct draw *d)
{
    static const char *const pattern[] = {"pair", "incast", "permutation", "ring", "all-to-all"};
    uint32_t kind = below(d, 5), qps = PICK(d, 1, 1, 3), pairs[5];
    pairs[0] = 1;
    pairs[1] = d->w.hosts - 1;
    pairs[2] = pairs[3] = d->w.hosts;
    pairs[4] = d->w.hosts * (d->w.hosts - 1);
    d->both_ways = kind != 1 && kind != 4 && one_in(d, 3);
    d->one_receiver = kind < 2 && !d->both_ways;
    d->flows = pairs[kind] * qps * (d->both_ways ? 2 : 1);
    ADD(d, "[workload]\npattern = %s\nqps = %u\nbidirectional = %s\n", pattern[kind], qps,
        d->both_ways ? "on" : "off");
}

static void draw_messages(struct draw *d)
{
    static const char *const op[] = {"send", "send_imm", "write", "write_imm"};
    uint32_t kind = below(d, 4);
    d->is_write = kind >= 2;
    d->imm = kind & 1;
    d->size = PICK(d, 0, 1, 255, 1024, 4097, 20000);
    d->fixed_size = !one_in(d, 4);
    d->messages = 1 + below(d, 30);
    d->depth = PICK(d, 1, 2, 16);
    d->quiet = !one_in(d, 5);
    ADD(d, "op = %s\nsize = %u%s\ndepth = %u\nmessages = %u\nsignal_every = %u\nslowdown = on\n",
        op[kind], d->size, d->fixed_size ? "B" : "B,70000B", d->depth, d->messages,
        one_in(d, 3) ? MIN(d->depth, 4) : 1);
    d->tardy = one_in(d, 4);
    if (d->tardy)
        ADD(d, "recv_late = %uus\nrecv_repost = %uus\nrecv_serial = %s\n", below(d, 300),
            below(d, 40), one_in(d, 2) ? "on" : "off");
    d->reconnects = d->rc && !d->joined && !d->selective && one_in(d, 4);
    if (d->verifies)
        ADD(d, "payload = verify\n");
    if (d->reconnects)
        ADD(d, "on_error = reconnect\nreconnect_delay = %uus\nreconnect_give_up = 20ms\n",
            1 + below(d, 500));
}

/* Rules by chance, by number and by time; outages, stalls and times without polling, once or again. */
static void draw_troubles(struct draw *d)
{
    const char *link = d->w.pair ? "0-1" : "h0-s0";
    uint32_t from = below(d, 100), length = 1 + below(d, 60);
    d->troubles = one_in(d, 4);
    if (!d->troubles)
        return;
    d->faults = d->tardy = true;
    ADD(d, "[inject]\n");
    ADD(d, "t0 = drop class=%s p=0.0%u burst=%u\n", one_in(d, 2) ? "data" : "ack,nak",
        1 + below(d, 9), 2 + below(d, 9));
    ADD(d, "t1 = drop from=%u ber=%ue-8\n", below(d, d->w.hosts), below(d, 99));
    ADD(d, "t2 = drop ip_id=0x%x/0x1f\n", below(d, 32));
    ADD(d, "t3 = drop link=%s during=%uus..%uus\n", link, from, from + 1 + below(d, 20));
    ADD(d, "t4 = link %s down %uus..%uus every=%uus count=%u\n", link, from, from + length,
        length + 1 + below(d, 500), 1 + below(d, 5));
    ADD(d, "t5 = stall %u %uus..%uus every=%uus count=3\n", below(d, d->w.hosts), from,
        from + length, length + 1 + below(d, 200));
    ADD(d, "t6 = nopoll %u %uus..%uus every=%uus count=%u\n", below(d, d->w.hosts), from,
        from + length, length + 1 + below(d, 200), 1 + below(d, 9));
    ADD(d, "[workload]\npoll_every = %uns\n", PICK(d, 0, 0, 700, 5000));
}

static void draw_faults(struct draw *d)
{
    static const char *const action[] = {"drop", "dup", "dup delay 9us", "delay 5us",
                                         "corrupt at=20"};
    static const char *const of[] = {"class=data", "class=ack", "class=nak", "from=0", ""};
    uint32_t n = one_in(d, 3) ? 1 + below(d, 3) : 0;
    d->faults = n > 0;
    d->acts = one_in(d, 8);
    if (!d->faults && !d->acts)
        return;
    ADD(d, "[inject]\n");
    for (uint32_t i = 0; i < n; i++) {
        uint32_t what = below(d, 5), which = below(d, 5), skip = below(d, 20);
        ADD(d, "r%u = %s %s skip=%u count=%u every=%u\n", i, action[what], of[which], skip,
            1 + below(d, 30), 1 + below(d, 3));
    }
    if (d->acts)
        ADD(d, one_in(d, 2) ? "k = kill 1 %uus\n" : "k = destroy 1:0 %uus\n", below(d, 200));
}

/* An adapter whose work takes time, and whose caches are too small. */
static void draw_adapter(struct draw *d)
{
    if (!one_in(d, 4))
        return;
    ADD(d, "[hca]\nunits = %u\nunit_time = %uns\nack_time = %uns\n", PICK(d, 1, 2, 7),
        PICK(d, 0, 5, 300), PICK(d, 0, 20));
    ADD(d, "ctx_entries = %u\nctx_replace = %s\nctx_fetch = %uns\nctx_fetches = %u\n",
        PICK(d, 1, 4, 100), one_in(d, 2) ? "lru" : "random", PICK(d, 0, 1, 800), PICK(d, 1, 8));
    ADD(d, "mtt_entries = %u\nwqe_batch = %u\nwqe_entries = %u\ninline = %uB\n", PICK(d, 1, 8),
        PICK(d, 1, 4), PICK(d, 1, 4), PICK(d, 0, 300));
    ADD(d, "pcie_latency = %uns\npcie_rate = %uGbps\npcie_reads = %u\n", PICK(d, 0, 600),
        PICK(d, 8, 300), PICK(d, 1, 64));
    ADD(d, "doorbell = %uns\ntx_fifo = %uB\nturn_packets = %u\n", PICK(d, 0, 250),
        PICK(d, 1, 9000, 65536), PICK(d, 1, 5));
    /* A host that hears late posts receives late; UC's sender does not wait for an adapter that takes
       its time. */
    bool late = one_in(d, 2);
    d->tardy |= late || !d->rc;
    if (late)
        ADD(d, "cq_moderation = %u\ncq_moderation_time = 4us\n", 1 + below(d, 3));
}

static struct draw *draw_new(uint64_t seed)
{
    struct draw *d = g_new0(struct draw, 1);
    d->from = rng_stream(seed, RNG_RUN, 0, 77);
    d->text = g_string_new(NULL);
    d->seed = seed;
    draw_fabric(d);
    draw_transport(d);
    draw_pattern(d);
    draw_messages(d);
    draw_faults(d);
    draw_troubles(d);
    draw_adapter(d);
    ADD(d, "[scenario]\nseed = %u\n", (unsigned)seed);
    if (!d->quiet)
        ADD(d, "duration = %uus\n", 1 + below(d, 400));
    return d;
}

static void draw_free(struct draw *d)
{
    g_string_free(d->text, TRUE);
    g_free(d);
}

/* ---- arithmetic ---------------------------------------------------------------------------------- */

static int64_t serialised_ps(uint32_t bytes, uint32_t gbps)
{
    return ((int64_t)bytes * 8000 + gbps - 1) / gbps;
}

/* A message of `size` alone over a pair, or one switch, by store and forward. */
static int64_t alone_ps(const struct draw *d)
{
    uint32_t packets = d->size ? (d->size + d->mtu - 1) / d->mtu : 1;
    int64_t first = 0, second = 0, at = 0;
    for (uint32_t i = 0; i < packets; i++) {
        bool last = i + 1 == packets;
        uint32_t bytes = last ? d->size - i * d->mtu : d->mtu;
        uint32_t wire = (bytes + 3) / 4 * 4 + 12 + 4 + 8 + 20 + 14 + 4 + 20;
        wire += (d->is_write && i == 0 ? 16 : 0) + (d->imm && last ? 4 : 0);
        int64_t ser = serialised_ps(wire, d->w.rate_gbps);
        first += ser;
        at = first + 1000 * (int64_t)(d->w.delay_ns + d->w.tx_ns);
        if (!d->w.pair) {
            second = MAX(second, at + 1000 * (int64_t)d->w.switch_ns) + ser;
            at = second + 1000 * (int64_t)d->w.delay_ns;
        }
    }
    return at + 1000 * (int64_t)d->w.rx_ns;
}

/* ---- properties ------------------------------------------------------------------------------------ */

static bool told;

static void holds(const struct draw *d, const char *what, bool ok)
{
    CU_ASSERT_TRUE(ok);
    if (ok || told)
        return;
    told = true;
    fprintf(stderr, "\nseed %u: %s\n%s", (unsigned)d->seed, what, d->text->str);
}
#define HOLDS(condition) holds(d, #condition, (condition))
#define V(name) (m->v[METRIC_##name])

static void check_messages(const struct draw *d, const struct metrics *m)
{
    int64_t ended = V(messages_completed) + V(messages_failed) + V(messages_flushed);
    bool ends_all = d->quiet && !d->acts && !d->reconnects;
    HOLDS(V(flows) == d->flows);
    HOLDS(V(messages_posted) <= (int64_t)d->flows * d->messages);
    HOLDS(V(messages_delivered) <= V(messages_posted));
    HOLDS(V(messages_completed) <= V(messages_posted));
    if (!d->reconnects)
        HOLDS(ended <= V(messages_posted));
    /* A receive that breaks off lets the load forget what its unsignalled sends had come to. */
    if (ends_all && !d->joined)
        HOLDS(ended == V(messages_posted));
    if (ends_all && V(messages_failed) == 0)
        HOLDS(V(messages_completed) == (int64_t)d->flows * d->messages);
    if (d->verifies) {
        HOLDS(V(payload_mismatches) == 0);
        HOLDS(V(payload_verified) == V(bytes_delivered));
    }
    if (d->fixed_size)
        HOLDS(V(bytes_delivered) == V(messages_delivered) * d->size);
}

static void check_rc(const struct draw *d, const struct metrics *m)
{
    HOLDS(V(messages_lost) == 0);
    HOLDS(V(messages_delivered) >= V(messages_completed));
    if (!d->joined) /* of a context that has failed the others' messages tell so, too */
        HOLDS(V(messages_failed) == V(completions_12) + V(completions_13));
    /* When a duration ends, a host that polls late may have an error yet to see. */
    if (!d->acts && !d->reconnects)
        HOLDS(d->quiet ? V(qps_in_error) == V(messages_failed)
                       : V(qps_in_error) >= V(messages_failed));
    if (d->reconnects && d->quiet && !d->acts && V(qps_in_error) == 0)
        HOLDS(V(messages_completed) == (int64_t)d->flows * d->messages);
}

static void check_uc(const struct draw *d, const struct metrics *m)
{
    /* At the end of a duration, or of a QP, unsignalled sends may not be known to have succeeded. */
    if (d->quiet && !d->acts)
        HOLDS(V(messages_delivered) <= V(messages_completed));
    HOLDS(V(packets_retransmitted) == 0 && V(acks) == 0 && V(naks) == 0 && V(rnr_naks) == 0);
    HOLDS(V(messages_failed) == 0);
    if (d->quiet && !d->acts) {
        HOLDS(V(messages_lost) == V(messages_completed) - V(messages_delivered));
        HOLDS(V(qps_in_error) == 0);
    }
}

/* Every packet that a link takes in arrives or is accounted for. */
static void check_packets(const struct draw *d, const struct metrics *m, int64_t copies)
{
    int64_t sent = V(packets_sent), hops = V(packet_hops), gone = V(packets_dropped);
    HOLDS(V(packets_retransmitted) <= sent);
    HOLDS(gone == V(dropped_loss) + V(dropped_buffer) + V(dropped_inject) + V(dropped_icrc) +
                      V(dropped_link_down));
    HOLDS(d->w.lossy || V(dropped_loss) == 0);
    HOLDS(d->w.buffered || V(dropped_buffer) == 0);
    /* A rule fires before the chance of loss: of a lost packet there is no copy. */
    if (d->quiet && d->w.pair && !d->w.lossy)
        HOLDS(sent + copies == hops + gone);
    if (d->quiet && d->w.pair)
        HOLDS(sent <= hops + gone && hops + gone <= sent + copies);
    if (d->quiet && d->w.star) {
        HOLDS(hops <= 2 * (sent + copies) - gone);
        HOLDS(hops >= 2 * sent - 2 * gone);
    }
}

static void check_times(const struct draw *d, const struct metrics *m)
{
    int64_t line = (int64_t)d->w.rate_gbps * MICRO * (d->one_receiver ? 1 : d->w.hosts);
    if (V(messages_delivered) == 0)
        return;
    HOLDS(V(latency_min_us) >= alone_ps(d));
    HOLDS(V(latency_min_us) <= V(latency_mean_us) && V(latency_mean_us) <= V(latency_max_us));
    HOLDS(V(latency_p50_us) <= V(latency_p99_us) && V(latency_p99_us) <= V(latency_p999_us));
    HOLDS(V(slowdown_mean) >= MICRO && V(slowdown_p50) >= MICRO);
    HOLDS(V(goodput_gbps) == METRIC_NONE || V(goodput_gbps) <= line);
    HOLDS(V(jain_index) == METRIC_NONE || V(jain_index) <= MICRO);
}

/* Nothing goes wrong where nothing can: no loss, no fault, receivers that keep up, long timers. */
static void check_calm(const struct draw *d, const struct metrics *m)
{
    if (d->w.lossy || d->w.buffered || d->faults || d->acts || d->tardy || d->depth > d->rq_depth)
        return;
    HOLDS(V(naks) == 0 && V(rnr_naks) == 0 && V(packets_dropped) == 0);
    HOLDS(V(messages_lost) == 0);
    if (d->rc && (!d->timeout_long || d->selective)) /* its short timer may be too short */
        return;
    HOLDS(V(packets_retransmitted) == 0 && V(ack_timeouts) == 0);
    if (d->quiet)
        HOLDS(V(messages_delivered) == (int64_t)d->flows * d->messages);
    if (d->w.pair && d->flows == 1 && d->depth == 1 && d->fixed_size && d->rc && d->plain &&
        d->window > 79)
        HOLDS(V(latency_min_us) == alone_ps(d) && V(latency_max_us) == alone_ps(d));
}

static void prop_world_metrics_agree_with_each_other(void)
{
    told = false;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        struct text_run r;
        struct draw *d = draw_new(seed);
        run_text(d->text->str, 1, NULL, &r);
        HOLDS(r.outcome == RUN_DONE);
        if (r.outcome == RUN_DONE) {
            int64_t copies = 0;
            const char *dup = d->text->str;
            for (int i = 0; i < 3; i++) {
                g_autofree char *rule = g_strdup_printf("\nr%d = dup", i);
                copies += strstr(dup, rule) ? (int64_t)r.fired[i] : 0;
            }
            check_messages(d, &r.m);
            (d->rc ? check_rc : check_uc)(d, &r.m);
            check_packets(d, &r.m, copies);
            check_times(d, &r.m);
            check_calm(d, &r.m);
        } else {
            fprintf(stderr, "%s\n", r.err.text);
        }
        draw_free(d);
    }
}

/* The cut into domains is nobody's business but the clock's. */
static void prop_world_domains_change_nothing(void)
{
    static struct text_run one, more;
    told = false;
    for (uint64_t seed = 1; seed <= SEEDS; seed += 2) {
        struct draw *d = draw_new(seed);
        run_text(d->text->str, 1, NULL, &one);
        run_text(d->text->str, seed % 4 == 1 ? 2 : 5, NULL, &more);
        HOLDS(one.outcome == RUN_DONE && more.outcome == RUN_DONE);
        HOLDS(memcmp(&one.m, &more.m, sizeof one.m) == 0);
        HOLDS(memcmp(one.fired, more.fired, sizeof one.fired) == 0);
        HOLDS(one.perf.packet_hops == more.perf.packet_hops);
        draw_free(d);
    }
}

static const struct test tests[] = {TEST(prop_world_metrics_agree_with_each_other),
                                    TEST(prop_world_domains_change_nothing), TESTS_END};
const struct suite suite_prop_world = {"prop_world", tests};
