/*
 * The key table, row by row: each key reads two values into different fields, prints them so that they
 * read back, and has a default that it takes itself.  A key without a row here fails.
 */
#include <string.h>

#include "scenarios/reader/keys.h"
#include "tests/suite.h"
#include "tests/unit/sctest.h"

struct pair {
    const char *key, *one, *two;
};
static const struct pair pairs[] = {
    {"scenario.title", "a title", "another"},
    {"scenario.inject", "all", "a b"},
    {"scenario.question", "why?", "how?"},
    {"scenario.duration", "1ms", "none"},
    {"scenario.warmup", "1us", "2us"},
    {"scenario.seed", "7", "18446744073709551615"},
    {"scenario.repetitions", "3", "100000"},
    {"fabric.topology", "star", "dumbbell"},
    {"fabric.shape", "4x2", "4"},
    {"fabric.file", "two-racks", "one-switch"},
    {"fabric.hosts", "4", "49152"},
    {"fabric.rate", "40Gbps", "400Gbps"},
    {"fabric.trunk_rate", "same", "10Gbps"},
    {"fabric.delay", "1.5us", "0"},
    {"fabric.trunk_delay", "same", "5us"},
    {"fabric.routing", "spray", "adaptive"},
    {"fabric.flowlet_gap", "50us", "1us"},
    {"fabric.paths", "shortest", "up-down"},
    {"fabric.switch_delay", "300ns", "1us"},
    {"fabric.buffer", "64KiB", "unlimited"},
    {"fabric.encap", "rocev2-ipv6", "infiniband"},
    {"fabric.loss.rate", "1e-4", "2%"},
    {"fabric.loss.class", "all", "data, nak"},
    {"fabric.loss.model", "bernoulli", "gilbert-elliott"},
    {"fabric.loss.burst", "none", "2.5"},
    {"fabric.loss.p", "0", "1e-3"},
    {"fabric.loss.r", "1", "10%"},
    {"fabric.loss.good", "0", "1e-6"},
    {"fabric.loss.bad", "1", "50%"},
    {"fabric.loss.ber", "0", "1e-12"},
    {"hca.profile", "spec", "mine"},
    {"hca.ackreq_packets", "1", "8388607"},
    {"hca.ack_coalesce", "on", "off"},
    {"hca.window_packets", "64", "128"},
    {"hca.tx_delay", "250ns", "300ns"},
    {"hca.rx_delay", "250ns", "300ns"},
    {"hca.arbitration", "packet", "message"},
    {"hca.timer_slack", "1.5", "4"},
    {"hca.timer_floor", "none", "500ms"},
    {"hca.timer_factor", "1", "2"},
    {"hca.timer_ladder", "none", "20.7ms, 37.7ms"},
    {"hca.timer_first", "none", "0.5..1.16"},
    {"hca.rnr_slack", "0", "1.38ms"},
    {"hca.rd_atomic_pow2", "off", "on"},
    {"hca.migreq", "on", "off"},
    {"hca.timer_tick", "0", "4ms"},
    {"hca.endless_retry", "none", "7"},
    {"hca.credits", "on", "off"},
    {"hca.nak", "once", "repeated"},
    {"hca.nak_progress", "restores", "none"},
    {"hca.rnr_silence", "kept", "broken"},
    {"hca.rnr_timer", "stops", "runs"},
    {"hca.dup_ack", "before_read", "newest"},
    {"hca.dup_ack_when", "asked", "always"},
    {"hca.read_resume", "first", "middle"},
    {"hca.read_again", "in_place", "behind"},
    {"hca.err_recv", "flush", "keep"},
    {"hca.faults", "none", "lkey 0x52 320us; retry 0x81"},
    {"hca.write_check", "whole", "packet"},
    {"hca.error_psn", "next", "refused"},
    {"hca.sge_packets", "0", "3"},
    {"hca.reset_time", "0", "1ms"},
    {"hca.err_reset_time", "0", "1ms"},
    {"hca.ready_time", "1ms", "3ms"},
    {"hca.objects_time", "1ms", "3ms"},
    {"hca.driver_time", "1s", "3s"},
    {"workload.recovery", "delay", "objects"},
    {"hca.rows", "none", "rc.unsent: complete; rc.no_recv: drop"},
    {"hca.units", "none", "1"},
    {"hca.unit_time", "0", "100ns"},
    {"hca.read_time", "same", "100ns"},
    {"hca.ack_time", "0", "100ns"},
    {"hca.ctx_fetch", "0", "1us"},
    {"hca.ctx_entries", "unlimited", "1"},
    {"hca.ctx_ways", "all", "1"},
    {"hca.ctx_replace", "lru", "random"},
    {"hca.ctx_bytes", "256B", "512B"},
    {"hca.ctx_fetches", "any", "1"},
    {"hca.read_entries", "unlimited", "1"},
    {"hca.read_fetch", "same", "1us"},
    {"hca.read_ways", "all", "1"},
    {"hca.read_replace", "lru", "random"},
    {"hca.wqe_batch", "none", "1"},
    {"hca.wqe_entries", "unlimited", "1"},
    {"hca.mtt_entries", "unlimited", "4"},
    {"hca.mtt_ways", "all", "1"},
    {"hca.page", "4KiB", "2MiB"},
    {"hca.pcie_latency", "0", "1us"},
    {"hca.pcie_rate", "unlimited", "100Gbps"},
    {"hca.pcie_reads", "any", "1"},
    {"hca.doorbell", "0", "100ns"},
    {"hca.inline", "0", "1KiB"},
    {"hca.tx_fifo", "64KiB", "2KiB"},
    {"hca.rx_buffer", "unlimited", "2244B"},
    {"hca.turn_packets", "1", "64"},
    {"hca.cq_moderation", "1", "2"},
    {"hca.cq_moderation_time", "0", "10us"},
    {"hca.nak_delay", "0", "10us"},
    {"hca.nak_reaction", "0", "10us"},
    {"hca.early_packets", "none", "64"},
    {"workload.host_depth", "none", "1"},
    {"workload.region", "none", "1MiB"},
    {"hca.max_qp_wr", "100", "200"},
    {"hca.max_qp", "none", "1000"},
    {"hca.max_cqe", "none", "1000"},
    {"hca.max_qp_init_rd_atom", "16", "255"},
    {"hca.max_qp_rd_atom", "16", "255"},
    {"qp.service", "rc", "uc"},
    {"qp.preset", "none", "mine"},
    {"qp.mtu", "256", "4096"},
    {"qp.timeout", "0", "31"},
    {"qp.retry_cnt", "0", "7"},
    {"qp.rnr_retry", "0", "7"},
    {"qp.min_rnr_timer", "0", "31"},
    {"qp.max_rd_atomic", "0", "255"},
    {"qp.max_dest_rd_atomic", "0", "255"},
    {"qp.sq_depth", "1", "1048576"},
    {"qp.rq_depth", "1", "1048576"},
    {"qp.srq", "off", "on"},
    {"qp.srq_depth", "1", "32768"},
    {"qp.sq_psn", "0", "0xffffff"},
    {"qp.recovery", "go-back-n", "selective-repeat"},
    {"qp.bdp_cap", "110", "256"},
    {"qp.rto_low", "0", "1ms"},
    {"qp.rto_low_packets", "3", "256"},
    {"udack.window", "1", "64"},
    {"udack.reorder", "0", "63"},
    {"udack.recovery", "go-back-n", "selective"},
    {"udack.fast_after", "0", "255"},
    {"udack.ack_every", "1", "255"},
    {"udack.ack_delay", "0", "1s"},
    {"udack.ask_last", "on", "off"},
    {"udack.retries", "0", "255"},
    {"udack.rto", "1ps", "1ms"},
    {"udack.adaptive", "on", "off"},
    {"udack.rto_min", "1ps", "1ms"},
    {"udack.rto_max", "1ps", "1ms"},
    {"udack.cpu", "0", "100ns"},
    {"workload.pattern", "incast", "rpc"},
    {"workload.op", "send_imm", "write_imm"},
    {"workload.size", "4KiB", "4KiB, 64KiB"},
    {"workload.depth", "1", "8"},
    {"workload.messages", "auto", "unlimited"},
    {"workload.load", "60%", "none"},
    {"workload.qps", "1", "64"},
    {"workload.target", "0", "5"},
    {"workload.bidirectional", "on", "off"},
    {"workload.start", "0", "1ms"},
    {"workload.stagger", "0", "1ms"},
    {"workload.signal_every", "1", "16"},
    {"workload.file", "none", "flows.txt"},
    {"workload.recv_late", "0", "5ms"},
    {"workload.poll_every", "0", "50us"},
    {"workload.recv_repost", "0", "5ms"},
    {"workload.recv_serial", "on", "off"},
    {"workload.request_size", "1B", "2GiB"},
    {"workload.response_size", "1B", "1MiB"},
    {"workload.data", "none", "write"},
    {"workload.service", "0", "10us"},
    {"workload.on_error", "stop", "reconnect"},
    {"workload.reconnect_delay", "1ps", "3ms"},
    {"workload.reconnect_give_up", "never", "1s"},
    {"connect.mode", "simulated", "instantaneous"},
    {"connect.cm_timeout", "0", "31"},
    {"connect.cm_retries", "0", "15"},
    {"connect.handshakes", "unlimited", "64"},
    {"connect.accept_time", "0", "1ms"},
    {"connect.mra", "none", "31"},
    {"connect.rtr_late", "0", "10us"},
    {"connect.timewait", "0", "2s"},
    {"workload.payload", "off", "verify"},
    {"workload.slowdown", "on", "off"},
    {"workload.buckets", "10KB, 100KB", "20KB"},
    {"explore.service", "same", "uc"},
    {"explore.srq", "on", "off"},
    {"explore.operations", "send 1B", "read 4KiB, fetch_add"},
    {"explore.operations_back", "none", "write 1B silent"},
    {"explore.operations_beside", "none", "write 1B silent"},
    {"explore.max_faults", "0", "6"},
    {"explore.kinds", "all", "drop, delay"},
    {"explore.faults", "any", "a2b 3 drop"},
};
#define PAIRS (sizeof pairs / sizeof pairs[0])

static const struct pair *pair_of(const struct key *k)
{
    for (size_t i = 0; i < PAIRS; i++)
        if (key_find_dotted(pairs[i].key) == k)
            return &pairs[i];
    return NULL;
}

/* A scenario in which one key was stored. */
static bool store(const struct key *k, const char *text, struct scenario *s)
{
    struct value v;
    struct sc_error err = {"?"};
    if (!key_parse(k, text, &v, &err)) {
        printf("%s: %s\n", k->name, err.text);
        return false;
    }
    key_store(k, &v, s);
    value_clear(&v);
    return true;
}

/* Fields that hold a pointer are compared by what it points to. */
static bool fields_differ(const struct key *k, const struct scenario *a, const struct scenario *b)
{
    const char *x = (const char *)a + k->offset, *y = (const char *)b + k->offset;
    if (k->kind == KIND_TEXT || k->kind == KIND_NAME)
        return strcmp(*(char *const *)(const void *)x, *(char *const *)(const void *)y) != 0;
    return memcmp(x, y, k->width) != 0;
}

static void keys_every_one_has_a_row_and_reaches_its_field(void)
{
    for (uint32_t i = 0; i < key_count(); i++) {
        const struct key *k = key_at(i);
        const struct pair *p = pair_of(k);
        CU_ASSERT_PTR_NOT_NULL(p);
        if (!p || !p->two || k->kind == KIND_FLOWS)
            continue; /* one choice so far; flows: test_resolve */
        struct scenario a = {0}, b = {0};
        CU_ASSERT_TRUE(store(k, p->one, &a));
        CU_ASSERT_TRUE(store(k, p->two, &b));
        CU_ASSERT_TRUE(fields_differ(k, &a, &b));
        scenario_clear(&a);
        scenario_clear(&b);
    }
    CU_ASSERT_EQUAL(PAIRS, key_count());
}

/* No two keys may write to one place: a byte that two of them change has two owners. */
static void keys_fields_do_not_overlap(void)
{
    for (uint32_t i = 0; i < key_count(); i++)
        for (uint32_t j = 0; j < i; j++)
            CU_ASSERT_TRUE(key_at(i)->offset >= key_at(j)->offset + key_at(j)->width ||
                           key_at(j)->offset >= key_at(i)->offset + key_at(i)->width);
}

static void check_round_trip(const struct key *k, const char *text)
{
    struct value v, back;
    struct sc_error err;
    GString *base = g_string_new(NULL), *again = g_string_new(NULL);
    CU_ASSERT_TRUE_FATAL(key_parse(k, text, &v, &err));
    key_print(k, &v, true, base);
    CU_ASSERT_TRUE_FATAL(key_parse(k, base->str, &back, &err));
    key_print(k, &back, true, again);
    CU_ASSERT_STRING_EQUAL(base->str, again->str);
    CU_ASSERT_EQUAL(v.n, back.n);
    CU_ASSERT_EQUAL(v.count, back.count);
    value_clear(&v);
    value_clear(&back);
    g_string_free(base, TRUE);
    g_string_free(again, TRUE);
}

static void keys_printed_values_read_back(void)
{
    for (size_t i = 0; i < PAIRS; i++) {
        check_round_trip(key_find_dotted(pairs[i].key), pairs[i].one);
        if (pairs[i].two)
            check_round_trip(key_find_dotted(pairs[i].key), pairs[i].two);
    }
}

static void keys_defaults_are_values(void)
{
    for (uint32_t i = 0; i < key_count(); i++) {
        struct scenario s = {0};
        CU_ASSERT_TRUE(store(key_at(i), key_standard(key_at(i)), &s));
        CU_ASSERT_TRUE(strlen(key_at(i)->meaning) > 10);
        scenario_clear(&s);
    }
}

static const char *base_of(const char *name, const char *value)
{
    static char out[300];
    static struct sc_error err;
    return sc_value_base(name, value, out, sizeof out, &err) ? out : err.text;
}

static void keys_base_units_are_plain_numbers(void)
{
    CU_ASSERT_STRING_EQUAL(base_of("fabric.loss.rate", "1e-4"), "0.0001");
    CU_ASSERT_STRING_EQUAL(base_of("fabric.loss.rate", "0.01%"), "0.0001");
    CU_ASSERT_STRING_EQUAL(base_of("workload.size", "4KiB"), "4096");
    CU_ASSERT_STRING_EQUAL(base_of("workload.size", "4KiB, 1KB"), "4096 1000");
    CU_ASSERT_STRING_EQUAL(base_of("workload.size", "/tmp/mine.csv"), "mine.csv");
    CU_ASSERT_STRING_EQUAL(base_of("fabric.delay", "1us"), "1000000");
    CU_ASSERT_STRING_EQUAL(base_of("fabric.rate", "1Mbps"), "1000000");
    CU_ASSERT_STRING_EQUAL(base_of("workload.load", "60%"), "0.6");
    CU_ASSERT_STRING_EQUAL(base_of("hca.timer_slack", "1.50"), "1.5");
    CU_ASSERT_STRING_EQUAL(base_of("fabric.loss.class", "nak,data"), "data nak");
    CU_ASSERT_STRING_EQUAL(base_of("qp.service", "uc"), "uc");
    CU_ASSERT_STRING_EQUAL(base_of("qp.sq_psn", "0xff"), "255");
    CU_ASSERT_STRING_EQUAL(base_of("qp.timeuot", "1"),
                           "there is no key 'qp.timeuot'; did you mean 'qp.timeout'?");
    CU_ASSERT_STRING_EQUAL(
        base_of("qp.mtu", "9"),
        "qp.mtu: '9' is not one of the choices; give 256, 512, 1024, 2048 or 4096");
}

static const struct test tests[] = {
    TEST(keys_every_one_has_a_row_and_reaches_its_field),
    TEST(keys_fields_do_not_overlap),
    TEST(keys_printed_values_read_back),
    TEST(keys_defaults_are_values),
    TEST(keys_base_units_are_plain_numbers),
    TESTS_END,
};
const struct suite suite_keys = {"keys", tests};
