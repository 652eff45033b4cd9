/*
 * `rdmasim run`: one run of a scenario, its folder, and a short table for the eye.
 */
#include <glib.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "scenarios/run/capture.h"
#include "scenarios/run/cli.h"
#include "scenarios/run/commands.h"
#include "scenarios/run/one_run.h"
#include "scenarios/run/out_dir.h"
#include "scenarios/run/pool.h"
#include "scenarios/run/series.h"

/* What a reader wants first; rows without a value, and counts of trouble that are 0, are left out. */
static const struct {
    enum metric metric;
    const char *label, *unit;
    bool trouble;
} table[] = {
    {METRIC_messages_posted, "messages posted", "", false},
    {METRIC_messages_delivered, "messages delivered", "", false},
    {METRIC_goodput_gbps, "goodput", "Gb/s", false},
    {METRIC_iops, "operations", "1/s", false},
    {METRIC_latency_p50_us, "latency p50", "us", false},
    {METRIC_latency_p99_us, "latency p99", "us", false},
    {METRIC_completion_p50_us, "completion p50", "us", false},
    {METRIC_completion_p99_us, "completion p99", "us", false},
    {METRIC_rpc_p50_us, "rpc p50", "us", false},
    {METRIC_rpc_p99_us, "rpc p99", "us", false},
    {METRIC_slowdown_p99, "slowdown p99", "", false},
    {METRIC_messages_failed, "messages failed", "", true},
    {METRIC_messages_flushed, "messages flushed", "", true},
    {METRIC_messages_lost, "messages lost", "", true},
    {METRIC_fail_time_max_us, "time to fail, max", "us", true},
    {METRIC_packets_sent, "packets sent", "", false},
    {METRIC_packets_retransmitted, "packets retransmitted", "", true},
    {METRIC_packets_dropped, "packets dropped", "", true},
    {METRIC_naks, "NAKs", "", true},
    {METRIC_rnr_naks, "RNR NAKs", "", true},
    {METRIC_ack_timeouts, "ACK timeouts", "", true},
    {METRIC_early_retransmissions, "early retransmissions", "", true},
    {METRIC_reconnects, "reconnects", "", true},
    {METRIC_qps_in_error, "QPs in error", "", true},
};

static void print_table(const struct metrics *m)
{
    char text[32];
    for (size_t i = 0; i < G_N_ELEMENTS(table); i++) {
        int64_t v = m->v[table[i].metric];
        if (v == METRIC_NONE || (table[i].trouble && v == 0))
            continue;
        metric_text(&metric_table[table[i].metric], v, text, sizeof text);
        bool micro =
            metric_table[table[i].metric].micro; /* decimal points stand below each other */
        printf("  %-22s %*s%*s %s\n", table[i].label, micro ? 21 : 14, text, micro ? 0 : 7, "",
               table[i].unit);
    }
}

struct run_command {
    struct cli_sets sets;
    const char *out;
    struct cli_file pcap;
    struct run_options options;
};

static int report(const struct one_run *run, enum run_outcome outcome, const struct metrics *m,
                  const struct run_performance *perf, const struct sc_error *err)
{
    if (outcome == RUN_DONE) {
        print_table(m);
        printf("\n%" PRIu64 " events in %.2f s; results in %s/\n", perf->events, perf->wall_s,
               run->dir);
        return 0;
    }
    if (outcome == RUN_STOPPED)
        fprintf(stderr, "rdmasim run: stopped before the end; no summary was written to %s\n",
                run->dir);
    else
        fprintf(stderr, "rdmasim run: %s\n", err->text);
    return 3;
}

static int run_into(const struct run_command *c, const struct sc_file *f, const char *dir,
                    const char *manifest)
{
    struct metrics *m = g_new0(struct metrics, 1);
    struct run_performance perf = {0};
    struct sc_error err = {""};
    struct one_run run = {.file = f,
                          .ov = c->sets.ov,
                          .ovs = c->sets.n,
                          .manifest = manifest,
                          .dir = dir,
                          .options = c->options};
    run.options.stop = pool_catch_signals();
    run.options.progress = isatty(STDERR_FILENO);
    char *pcap = g_build_filename(dir, "trace.pcap", NULL);
    if (c->pcap.given)
        run.options.pcap = c->pcap.name ? c->pcap.name : pcap;
    if (run.options.trace || run.options.pcap) /* rows of a trace stand in the order of events, which one domain has */
        run.options.domains = 1;
    int code = report(&run, one_run(&run, m, &perf, &err), m, &perf, &err);
    g_free(m);
    g_free(pcap);
    return code;
}

/* Nothing is made on the disk before the scenario has been found good.  title: g_free. */
static bool is_good(const struct run_command *c, const struct sc_file *f, char **title,
                    struct sc_error *err)
{
    struct scenario s;
    if (!sc_resolve(f, c->sets.ov, c->sets.n, &s, err))
        return false;
    *title = g_strdup(s.title ? s.title : "");
    bool fits = series_fits(&s, &c->options, err) &&
                (!c->pcap.given || capture_fits(s.fabric.encap, err->text, sizeof err->text));
    scenario_clear(&s);
    return fits;
}

static bool holds_sweep(const char *dir)
{
    char *results = g_build_filename(dir, "results.csv", NULL);
    bool is_there = g_file_test(results, G_FILE_TEST_EXISTS);
    g_free(results);
    return is_there;
}

/* A run would take manifest and tables from under a sweep that may have cost hours. */
static int open_folder(const char *dir, const char *stem, int *lock, struct sc_error *err)
{
    int code = 0;
    if (holds_sweep(dir)) {
        snprintf(err->text, sizeof err->text,
                 "%s: holds the results of a sweep; choose another folder with --out", dir);
        code = 2;
    } else
        code = out_dir_open(dir, stem, err->text, sizeof err->text);
    if (code == 0 && !out_dir_lock(dir, lock, err->text, sizeof err->text))
        code = 3;
    return code;
}

/* --out, else out/<stem>; where that is a sweep's, the folder `run` in it. */
static char *folder_of(const struct run_command *c, const char *stem)
{
    char *dir = c->out ? g_strdup(c->out) : g_build_filename("out", stem, NULL);
    if (c->out || !holds_sweep(dir))
        return dir;
    char *inside = g_build_filename(dir, "run", NULL);
    g_free(dir);
    return inside;
}

static int run_file(const struct run_command *c, const struct sc_file *f)
{
    struct sc_error err = {""};
    char *stem = scenario_stem(sc_file_path(f));
    char *dir = folder_of(c, stem);
    char *manifest = NULL, *title = NULL;
    int lock = -1, code = is_good(c, f, &title, &err) ? open_folder(dir, stem, &lock, &err) : 2;
    if (code == 0) {
        if (*title)
            printf("%s\n", title);
        sc_notes_print(f, c->sets.ov, c->sets.n, stdout);
        manifest = manifest_text(f, c->sets.ov, c->sets.n, stem, false);
        code = manifest ? run_into(c, f, dir, manifest) : 3;
    } else
        fprintf(stderr, "rdmasim run: %s\n", err.text);
    if (lock >= 0)
        close(lock);
    g_free(title);
    g_free(manifest);
    g_free(dir);
    g_free(stem);
    return code;
}

int cmd_run(int argc, char **argv)
{
    struct run_command c = {.options = {.domains = 1}, .pcap = {.suffix = ".pcap"}};
    int words, code = 2;
    const struct cli_option options[] = {
        {"--set", CLI_SET, &c.sets, "group.key=value",
         "overrides a key of the scenario; repeatable"},
        {"--seed", CLI_SEED, &c.sets, "N", "seed of the run (scenario.seed)"},
        {"--out", CLI_TEXT, &c.out, "DIR", "folder for the results (out/<name of the scenario>)"},
        {"--messages", CLI_FLAG, &c.options.messages, NULL, "also write messages.csv"},
        {"--completions", CLI_FLAG, &c.options.completions, NULL, "also write completions.csv"},
        {"--qps", CLI_FLAG, &c.options.qps, NULL, "also write qps.csv"},
        {"--ports", CLI_FLAG, &c.options.ports, NULL, "also write ports.csv"},
        {"--counters", CLI_FLAG, &c.options.counters, NULL, "also write counters.csv"},
        {"--series", CLI_TIME, &c.options.series_ps, "T",
         "also write series.csv, a row every T (with --ports: series_ports.csv too)"},
        {"--trace", CLI_FLAG, &c.options.trace, NULL, "also write packets.csv"},
        {"--pcap", CLI_FILE, &c.pcap, "[FILE.pcap]",
         "also write trace.pcap (or FILE.pcap): what the hosts send, as a capture"},
        {"--domains", CLI_COUNT, &c.options.domains, "N",
         "cut the fabric into N domains (same results)"},
        {0}};
    const struct cli_command command = {
        "run",   "FILE", "Makes one run of the scenario; [sweep] and repetitions are left out.",
        options, 1,      1};
    enum cli_parsed parsed = cli_parse(&command, argc, argv, &words);
    struct sc_file *f = parsed == CLI_OK ? cli_load("run", argv[1]) : NULL;
    if (f)
        code = run_file(&c, f);
    else if (parsed != CLI_OK)
        code = cli_exit_code(parsed);
    cli_unload(f);
    cli_sets_clear(&c.sets);
    return code;
}
