/* series.csv: literals of small runs; a run is the same with and without it. */
#include <glib.h>
#include <glib/gstdio.h>
#include <string.h>

#include "tests/suite.h"
#include "tests/unit/cli_run.h"
#include "tests/unit/run_text.h"

#define HEAD                                                                                       \
    "t_us,bytes_delivered,messages_delivered,packets_retransmitted,packets_dropped,ack_timeouts,"  \
    "rnr_naks,goodput_gbps,queue_bytes,queue_bytes_max_now\n"
#define PORTS_HEAD "t_us,link,xmit_gbps,queue_bytes,dropped\n"

/* The second write is lost once and delivered at 1051.614560 us. */
#define TWO_WRITES                                                                                 \
    "[fabric]\ntopology = pair\nrate = 100Gbps\ndelay = 1us\n"                                     \
    "[qp]\nservice = rc\nmtu = 1024\ntimeout = 8\n"                                                \
    "[workload]\npattern = pair\nop = write\nsize = 100B\ndepth = 1\nmessages = 2\n"               \
    "[inject]\nonce = drop dir=a2b psn=+1 count=1\n"

/*
 * 4194 wire bytes a packet at 100 Gb/s: 335.52 ns.  Two senders; packet k of each reaches the
 * switch at k * 335.52 + 100 ns, and its port sends 12.5 bytes a ns from 435.52 ns on.
 */
#define INCAST                                                                                     \
    "[scenario]\nduration = 2500ns\n"                                                              \
    "[fabric]\ntopology = star\nhosts = 3\nrate = 100Gbps\ndelay = 100ns\n"                        \
    "[qp]\nservice = uc\nmtu = 4096\n"                                                             \
    "[workload]\npattern = incast\nop = write\nsize = 4096B\ndepth = 64\n"

#define LOSSY                                                                                      \
    "[scenario]\nduration = 400us\nseed = 3\n"                                                     \
    "[fabric]\ntopology = star\nhosts = 4\nrate = 100Gbps\ndelay = 1us\nbuffer = 40KB\n"           \
    "loss.rate = 1%\n"                                                                             \
    "[qp]\nservice = rc\nmtu = 1024\ntimeout = 3\n"                                                \
    "[workload]\npattern = incast\nop = write\nsize = 10KB\ndepth = 8\n"

struct files {
    char *all, *ports;
};

static struct files series_of(const char *scenario, struct run_options o, struct text_run *r)
{
    char *dir = g_dir_make_tmp("rdmasim-XXXXXX", NULL);
    struct files f;

    o.dir = dir;
    run_text_as(scenario, &o, r);
    CU_ASSERT_STRING_EQUAL(r->err.text, "");
    f.all = run_text_file(dir, "series.csv");
    f.ports = run_text_file(dir, "series_ports.csv");
    g_free(run_text_file(dir, "ports.csv"));
    CU_ASSERT_EQUAL(g_rmdir(dir), 0);
    g_free(dir);
    return f;
}

static void files_free(struct files f)
{
    g_free(f.all);
    g_free(f.ports);
}

/* Empty intervals have rows up to the last in which something happened. */
static void series_of_a_pair_with_a_time_out(void)
{
    struct text_run r;
    struct run_options o = {.domains = 1, .series_ps = 300 * TM_US, .ports = true};
    struct files f = series_of(TWO_WRITES, o, &r);

    CU_ASSERT_STRING_EQUAL(f.all, HEAD "300.000000,100,1,0,1,0,0,0.002666,0,0\n"
                                       "600.000000,0,0,0,0,0,0,0.000000,0,0\n"
                                       "900.000000,0,0,0,0,0,0,0.000000,0,0\n"
                                       "1200.000000,100,1,1,0,1,0,0.002666,0,0\n");
    CU_ASSERT_STRING_EQUAL(f.ports, PORTS_HEAD "300.000000,h0-h1,0.010560,,1\n"
                                               "300.000000,h1-h0,0.002293,,0\n"
                                               "600.000000,h0-h1,0.000000,,0\n"
                                               "600.000000,h1-h0,0.000000,,0\n"
                                               "900.000000,h0-h1,0.000000,,0\n"
                                               "900.000000,h1-h0,0.000000,,0\n"
                                               "1200.000000,h0-h1,0.005280,,0\n"
                                               "1200.000000,h1-h0,0.002293,,0\n");
    files_free(f);
}

/* A duration that is no multiple: the last interval is shorter. */
static void series_of_a_star_fills_its_queue(void)
{
    struct text_run r;
    struct run_options o = {.domains = 1, .series_ps = TM_US};
    struct files f = series_of(INCAST, o, &r);

    /* 4 * 4194 - 564.48 * 12.5 bytes wait at 1 us, 10 * 4194 - 1564.48 * 12.5 at 2 us. */
    CU_ASSERT_STRING_EQUAL(f.all, HEAD "1.000000,4096,1,0,0,0,0,32.768000,9720,9720\n"
                                       "2.000000,12288,3,0,0,0,0,98.304000,22384,22384\n"
                                       "2.500000,4096,1,0,0,0,0,65.536000,32910,32910\n");
    CU_ASSERT_STRING_EQUAL(f.ports, "");
    files_free(f);
}

#define ONE_WRITE                                                                                  \
    "[fabric]\ntopology = pair\nrate = 100Gbps\ndelay = 1us\n"                                     \
    "[workload]\npattern = pair\nop = write\nsize = 100B\ndepth = 1\nmessages = 1\n"

/* What happens at 2 T, to the picosecond, belongs to the interval that ends there. */
static void series_interval_includes_its_end(void)
{
    struct text_run r;
    struct run_options o = {.domains = 1, .series_ps = 507920};
    struct files f = series_of(ONE_WRITE, o, &r);

    CU_ASSERT_STRING_EQUAL(f.all, HEAD "0.507920,0,0,0,0,0,0,0.000000,0,0\n"
                                       "1.015840,100,1,0,0,0,0,1.575051,0,0\n"
                                       "1.523760,0,0,0,0,0,0,0.000000,0,0\n");
    files_free(f);
}

/* 198 bytes leave in 15.84 ns, while no event is due: 50, 50, 50 and 48 in 4 ns each. */
static void series_packet_leaves_over_several_intervals(void)
{
    struct text_run r;
    struct run_options o = {.domains = 1, .series_ps = 4 * TM_NS, .ports = true};
    struct files f = series_of(ONE_WRITE, o, &r);

    CU_ASSERT_TRUE(g_str_has_prefix(f.ports, PORTS_HEAD "0.004000,h0-h1,100.000000,,0\n"
                                                        "0.004000,h1-h0,0.000000,,0\n"
                                                        "0.008000,h0-h1,100.000000,,0\n"
                                                        "0.008000,h1-h0,0.000000,,0\n"
                                                        "0.012000,h0-h1,100.000000,,0\n"
                                                        "0.012000,h1-h0,0.000000,,0\n"
                                                        "0.016000,h0-h1,96.000000,,0\n"
                                                        "0.016000,h1-h0,0.000000,,0\n"
                                                        "0.020000,h0-h1,0.000000,,0\n"));
    files_free(f);
}

static void series_rows_last_to_the_end_of_the_duration(void)
{
    struct text_run r;
    struct run_options o = {.domains = 1, .series_ps = 400 * TM_US};
    struct files f = series_of("[scenario]\nduration = 1s\n" TWO_WRITES, o, &r);
    char **row = g_strsplit(f.all, "\n", -1);

    CU_ASSERT_EQUAL_FATAL(g_strv_length(row), 1 + 2500 + 1);
    CU_ASSERT_STRING_EQUAL(row[3], "1200.000000,100,1,1,0,1,0,0.002000,0,0");
    CU_ASSERT_STRING_EQUAL(row[2500], "1000000.000000,0,0,0,0,0,0,0.000000,0,0");
    g_strfreev(row);
    files_free(f);
}

static void series_changes_nothing_in_any_number_of_domains(void)
{
    struct text_run without, one, three;
    struct run_options o = {.domains = 1, .series_ps = 700 * TM_NS, .ports = true};
    struct files a = series_of(LOSSY, o, &one);

    o.domains = 3;
    struct files b = series_of(LOSSY, o, &three);
    run_text(LOSSY, 1, NULL, &without);
    CU_ASSERT_STRING_EQUAL(a.all, b.all);
    CU_ASSERT_STRING_EQUAL(a.ports, b.ports);
    CU_ASSERT_EQUAL(memcmp(&without.m, &one.m, sizeof one.m), 0);
    CU_ASSERT_EQUAL(memcmp(&without.m, &three.m, sizeof three.m), 0);
    CU_ASSERT_EQUAL(without.perf.events, one.perf.events);
    CU_ASSERT_TRUE(without.m.v[METRIC_dropped_buffer] > 10 &&
                   without.m.v[METRIC_dropped_loss] > 10);
    files_free(a);
    files_free(b);
}

static void series_adds_up_to_the_metrics(void)
{
    static const enum metric metric[] = {METRIC_bytes_delivered,       METRIC_messages_delivered,
                                         METRIC_packets_retransmitted, METRIC_packets_dropped,
                                         METRIC_ack_timeouts,          METRIC_rnr_naks};
    struct text_run r;
    struct run_options o = {.domains = 1, .series_ps = 700 * TM_NS};
    struct files f = series_of(LOSSY, o, &r);
    char **row = g_strsplit(f.all, "\n", -1);
    int64_t sum[6] = {0};

    for (uint32_t i = 1; row[i] && *row[i]; i++) {
        char **cell = g_strsplit(row[i], ",", -1);
        for (int k = 0; k < 6; k++)
            sum[k] += g_ascii_strtoll(cell[1 + k], NULL, 10);
        g_strfreev(cell);
    }
    for (int k = 0; k < 6; k++)
        CU_ASSERT_EQUAL(sum[k], r.m.v[metric[k]]);
    CU_ASSERT_TRUE(sum[4] > 0);
    g_strfreev(row);
    files_free(f);
}

static void series_that_would_be_too_long_is_refused(void)
{
    struct cli_run r;

    cli_run_begin(&r);
    cli_run_write(&r, "two.ini", TWO_WRITES);
    CU_ASSERT_EQUAL(cli_run(&r, "run two.ini --set scenario.duration=1s --series 99ns"), 2);
    CU_ASSERT_STRING_EQUAL(r.err, "rdmasim run: series.csv would have more than 10000000 rows at "
                                  "--series 99ns; choose a longer interval\n");
    CU_ASSERT_FALSE(cli_run_exists(&r, "out"));
    CU_ASSERT_EQUAL(cli_run(&r, "run two.ini --set scenario.duration=1s --series 100ns --ports"),
                    2);
    CU_ASSERT_PTR_NOT_NULL(strstr(r.err, ": series_ports.csv would have more than 10000000 rows"));
    /* Without a duration the run itself finds out. */
    CU_ASSERT_EQUAL(cli_run(&r, "run two.ini --series 10ps"), 3);
    CU_ASSERT_PTR_NOT_NULL(strstr(r.err, ": series.csv would have more than 10000000 rows at "
                                         "--series 10ps; choose a longer interval\n"));
    CU_ASSERT_FALSE(cli_run_exists(&r, "out/two/series.csv"));
    CU_ASSERT_FALSE(cli_run_exists(&r, "out/two/summary.csv"));
    cli_run_done(&r);
}

static void series_interval_has_a_unit(void)
{
    static const char *const wrong[] = {"10", "0us", "-1us", "1KB", "x", "1e30s"};
    struct cli_run r;

    cli_run_begin(&r);
    cli_run_write(&r, "two.ini", TWO_WRITES);
    for (size_t i = 0; i < G_N_ELEMENTS(wrong); i++) {
        char *words = g_strconcat("run two.ini --series ", wrong[i], NULL);
        CU_ASSERT_EQUAL(cli_run(&r, words), 2);
        CU_ASSERT_STRING_EQUAL(r.err, "rdmasim run: a time with its unit, such as 10us, was "
                                      "expected behind --series; see rdmasim run --help\n");
        g_free(words);
    }
    CU_ASSERT_EQUAL(cli_run(&r, "run two.ini --series 0.5ms --ports"), 0);
    char *text = cli_run_read(&r, "out/two/series.csv");
    CU_ASSERT_TRUE(g_str_has_prefix(text, HEAD "500.000000,100,1,0,1,0,0,0.001600,0,0\n"));
    CU_ASSERT_TRUE(cli_run_exists(&r, "out/two/ports.csv"));
    CU_ASSERT_TRUE(cli_run_exists(&r, "out/two/series_ports.csv"));
    g_free(text);
    cli_run_done(&r);
}

static const struct test tests[] = {TEST(series_of_a_pair_with_a_time_out),
                                    TEST(series_of_a_star_fills_its_queue),
                                    TEST(series_interval_includes_its_end),
                                    TEST(series_packet_leaves_over_several_intervals),
                                    TEST(series_rows_last_to_the_end_of_the_duration),
                                    TEST(series_changes_nothing_in_any_number_of_domains),
                                    TEST(series_adds_up_to_the_metrics),
                                    TEST(series_that_would_be_too_long_is_refused),
                                    TEST(series_interval_has_a_unit),
                                    TESTS_END};
const struct suite suite_series = {"series", tests};
