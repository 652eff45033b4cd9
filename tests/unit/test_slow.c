/* Whole runs over adapters whose work takes time: rates in closed form, order, deaths, buffers. */
#include <stdio.h>

#include "tests/unit/rig.h"
#include "tests/unit/run_text.h"

/* Reliable and with packets of 64 bytes, so that the wire is never the bottleneck. */
#define SMALL                                                                                      \
    "[fabric]\ntopology = pair\nrate = 400Gbps\ndelay = 100ns\n[workload]\nop = write\n"           \
    "size = 64B\ndepth = 32\nmessages = 4000\n"

static int64_t rate_of(const char *text)
{
    struct text_run r;
    run_text(text, 1, NULL, &r);
    TEXT_IS(r.err.text, "");
    INT_IS(r.m.v[METRIC_packets_retransmitted], 0);
    INT_IS(r.m.v[METRIC_messages_failed], 0);
    return r.m.v[METRIC_message_rate_mps] / 1000000;
}

static void is_within_1_percent(int64_t got, int64_t wanted)
{
    CU_ASSERT_TRUE(got * 100 >= wanted * 99 && got * 100 <= wanted * 101);
}

/* units / unit_time, whichever side has to wait. */
static void slow_rate_is_units_over_their_time(void)
{
    is_within_1_percent(rate_of(SMALL "[hca]\nunits = 1\nunit_time = 100ns\n"), 10000000);
    is_within_1_percent(rate_of(SMALL "[hca]\nunits = 4\nunit_time = 100ns\n"), 40000000);
    /* acknowledgements leave by the units that requests of the other direction would use */
    is_within_1_percent(rate_of(SMALL "[hca]\nunits = 1\nunit_time = 50ns\nack_time = 100ns\n"),
                        10000000);
}

/* Eight reads at a time, each 500 ns and with one WQE or one payload: 8 messages in 1000 ns. */
static void slow_rate_is_bounded_by_reads_under_way(void)
{
    is_within_1_percent(rate_of(SMALL "[hca]\nunits = 16\nwqe_batch = 1\npcie_latency = 500ns\n"
                                      "pcie_reads = 8\n"),
                        8000000);
    /* payload within the WQE: half of the reads */
    is_within_1_percent(rate_of(SMALL "[hca]\nunits = 16\nwqe_batch = 1\npcie_latency = 500ns\n"
                                      "pcie_reads = 8\ninline = 64B\n"),
                        16000000);
}

/*
 * 1000 contexts touched at random with room for 500 miss half the time, each for 400 ns of one of four units
 * that have 100 ns for the packet otherwise: 4 / (100 + 200) ns.
 */
static void slow_rate_pays_for_contexts_that_are_missing(void)
{
    int64_t got =
        rate_of("[scenario]\nduration = 3ms\n[fabric]\ntopology = pair\nrate = 400Gbps\ndelay = "
                "100ns\n[workload]\n"
                "op = write\nsize = 64B\nqps = 1000\nhost_depth = 64\n"
                "[hca]\nunits = 4\nunit_time = 100ns\nctx_entries = 500\nctx_fetch = 400ns\n");
    CU_ASSERT_TRUE(got > 13000000 && got < 13700000);
}

/* Whatever a packet has to wait for, those of its QP stay behind it: nothing is asked for again. */
static void slow_packets_of_a_qp_keep_their_order(void)
{
    struct text_run r;
    run_text(
        "[fabric]\ntopology = star\nhosts = 4\n[qp]\nmtu = 256\n[workload]\n"
        "pattern = all-to-all\nqps = 3\nop = write\nsize = 3KB\nmessages = 40\nregion = 1MiB\n"
        "[hca]\nunits = 8\nunit_time = 30ns\nctx_entries = 3\nctx_fetch = 900ns\nmtt_entries = 4\n"
        "wqe_batch = 2\nwqe_entries = 2\npcie_latency = 700ns\npcie_rate = 60Gbps\n",
        1, NULL, &r);
    TEXT_IS(r.err.text, "");
    INT_IS(r.m.v[METRIC_messages_delivered], 4 * 3 * 3 * 40);
    INT_IS(r.m.v[METRIC_packets_retransmitted], 0);
    INT_IS(r.m.v[METRIC_naks], 0);
}

/* A host dies with packets in its units, which have blocks of their own (XRC, RD): they go nowhere. */
static void slow_dead_host_keeps_what_it_was_at(void)
{
    static const char *const service[] = {"rc", "rd", "xrc"};
    for (int i = 0; i < 3; i++) {
        char text[512];
        struct text_run r;
        snprintf(
            text, sizeof text,
            "[fabric]\ntopology = pair\n[qp]\nservice = %s\ntimeout = 4\nretry_cnt = 1\n[hca]\n"
            "units = 2\nunit_time = 2us\nctx_entries = 1\nctx_fetch = 1us\n[workload]\nop = "
            "fetch_add\n"
            "size = 8B\nqps = 4\nmessages = 50\nbidirectional = on\n[inject]\nk = kill h1 31us\n",
            service[i]);
        run_text(text, 1, NULL, &r);
        TEXT_IS(r.err.text, "");
        CU_ASSERT_TRUE(r.m.v[METRIC_messages_delivered] > 0);
        CU_ASSERT_TRUE(r.m.v[METRIC_messages_failed] > 0);
    }
}

/* What finds the receive buffer full is gone, is counted, and comes again. */
static void slow_discarded_packets_are_repeated(void)
{
    struct text_run r;
    run_text(
        "[fabric]\ntopology = star\nhosts = 9\n[qp]\ntimeout = 5\n[workload]\npattern = incast\n"
        "op = write\nsize = 4KiB\nmessages = 4\ndepth = 1\n[hca]\nunits = 1\nunit_time = 200ns\n"
        "rx_buffer = 6KiB\n",
        1, NULL, &r);
    TEXT_IS(r.err.text, "");
    INT_IS(r.m.v[METRIC_messages_delivered], 32);
    CU_ASSERT_TRUE(r.m.v[METRIC_dropped_rx_buffer] > 0);
    CU_ASSERT_TRUE(r.m.v[METRIC_packets_dropped] >= r.m.v[METRIC_dropped_rx_buffer]);
    CU_ASSERT_TRUE(r.m.v[METRIC_packets_retransmitted] > 0);
}

static const struct test tests[] = {TEST(slow_rate_is_units_over_their_time),
                                    TEST(slow_rate_is_bounded_by_reads_under_way),
                                    TEST(slow_rate_pays_for_contexts_that_are_missing),
                                    TEST(slow_packets_of_a_qp_keep_their_order),
                                    TEST(slow_dead_host_keeps_what_it_was_at),
                                    TEST(slow_discarded_packets_are_repeated),
                                    TESTS_END};
const struct suite suite_slow = {"slow", tests};
