/*
 * `rdmasim bench`: what a packet costs on this machine.
 *
 * The cases are the scenarios of the bench folder, run through the same path as `run`, each in a
 * process of its own so that its peak memory is its own.  Wall-clock figures are this file's
 * alone; nothing here fails on time.
 */
#include <errno.h>
#include <glib.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "scenarios/run/bench_core.h"
#include "scenarios/run/cli.h"
#include "scenarios/run/clock.h"
#include "scenarios/run/commands.h"
#include "scenarios/run/csv_out.h"
#include "scenarios/run/world.h"

#define BENCH_CORE_PACKETS 4000000u
#define BENCH_ROWS 7

struct bench_result {
    struct run_performance perf;
    double core_ns;
    double idle_qp_bytes;
    int64_t qps;
    enum run_outcome outcome;
    struct sc_error err;
};

struct bench_row {
    const char *metric;
    double value;
};

/* Resolves the case with overrides and runs it; the answer of a child process. */
static void child_run(const struct sc_file *f, const struct sc_override *ov, uint32_t n,
                      struct bench_result *r)
{
    struct scenario s = {0};
    struct metrics m;
    struct run_options o = {.domains = 1};

    r->outcome = RUN_FAILED;
    if (!sc_resolve(f, ov, n, &s, &r->err))
        return;
    o.seed = s.seed;
    r->outcome = run_scenario(&s, &o, &m, NULL, &r->perf, &r->err);
    r->qps = r->outcome == RUN_DONE ? m.v[METRIC_qps] : 0;
    if (n == 0)
        r->core_ns = bench_core_ns_per_packet(&s, BENCH_CORE_PACKETS);
    scenario_clear(&s);
}

/* Runs child_run in a process of its own; false if the process died. */
static bool in_child(const struct sc_file *f, const struct sc_override *ov, uint32_t n,
                     struct bench_result *r)
{
    int fd[2], status = 0;
    pid_t pid;

    if (pipe(fd) != 0)
        return false;
    fflush(NULL);
    pid = fork();
    if (pid == 0) {
        child_run(f, ov, n, r);
        ssize_t written = write(fd[1], r, sizeof *r);
        _exit(written == (ssize_t)sizeof *r ? 0 : 3);
    }
    close(fd[1]);
    size_t got = 0;
    ssize_t k;
    while (pid > 0 && got < sizeof *r && (k = read(fd[0], (char *)r + got, sizeof *r - got)) > 0)
        got += (size_t)k;
    close(fd[0]);
    return pid > 0 && waitpid(pid, &status, 0) == pid && status == 0 && got == sizeof *r;
}

/*
 * Bytes of an idle QP end under the case's settings: the resident memory of a mesh of 512 hosts that has
 * been connected and has not begun, less that of the same hosts in a ring, over the QP ends between the two.
 */
static double idle_qp_bytes(const struct sc_file *f)
{
    static const char *const settings[][2] = {
        {"fabric.topology", "star"}, {"fabric.hosts", "512"},
        {"workload.op", "write"},    {"scenario.duration", "1ns"},
        {"workload.messages", "1"},  {"workload.pattern", "all-to-all"},
    };
    struct sc_override ov[G_N_ELEMENTS(settings)];
    struct bench_result mesh = {0}, ring = {0};
    const uint32_t n = G_N_ELEMENTS(settings);

    for (uint32_t i = 0; i < n; i++)
        ov[i] = (struct sc_override){(char *)settings[i][0], (char *)settings[i][1], "bench"};
    if (!in_child(f, ov, n, &mesh) || mesh.outcome != RUN_DONE)
        return -1;
    ov[n - 1].value = (char *)"ring";
    if (!in_child(f, ov, n, &ring) || ring.outcome != RUN_DONE || mesh.qps <= ring.qps)
        return -1;
    return ((double)mesh.perf.built_rss_bytes - (double)ring.perf.built_rss_bytes) /
           (double)(mesh.qps - ring.qps);
}

static void rows_of(const struct bench_result *r, struct bench_row row[BENCH_ROWS])
{
    const struct run_performance *p = &r->perf;
    double hops = (double)p->packet_hops;

    row[0] = (struct bench_row){"packet_hops_per_s", hops / p->run_user_s};
    row[1] = (struct bench_row){"ns_per_hop", p->run_user_s * 1e9 / hops};
    row[2] = (struct bench_row){"ns_per_endpoint_packet", r->core_ns};
    row[3] = (struct bench_row){"events_per_packet_hop", (double)p->events / hops};
    row[4] = (struct bench_row){"idle_qp_bytes", r->idle_qp_bytes};
    row[5] = (struct bench_row){"peak_rss_bytes", (double)p->peak_rss_bytes};
    row[6] = (struct bench_row){"user_s", p->user_s};
}

/* Prints the case's rows and adds them to the CSV text. */
static void report(const char *name, const struct bench_result *r, GString *csv)
{
    struct bench_row row[BENCH_ROWS];

    rows_of(r, row);
    printf("%s\n", name);
    for (int i = 0; i < BENCH_ROWS; i++) {
        double v = row[i].value;
        const char *format = v >= 1000 || v == (double)(int64_t)v ? "%.0f" : "%.3f";
        char text[G_ASCII_DTOSTR_BUF_SIZE];
        g_ascii_formatd(text, sizeof text, format, v);
        printf("  %-24s %16s\n", row[i].metric, text);
        g_string_append_printf(csv, "%s,%s,%s\n", name, row[i].metric, text);
    }
    fflush(stdout);
}

static bool bench_case(const char *path, const char *name, GString *csv)
{
    struct sc_error err = {""};
    struct bench_result r = {0};
    struct sc_file *f = sc_file_load(path, &err);

    if (!f) {
        fprintf(stderr, "%s\n", err.text);
        return false;
    }
    bool ok = in_child(f, NULL, 0, &r) && r.outcome == RUN_DONE;
    if (ok) {
        r.idle_qp_bytes = idle_qp_bytes(f);
        report(name, &r, csv);
    } else {
        fprintf(stderr, "%s: %s\n", path, r.err.text[0] ? r.err.text : "the run died");
    }
    sc_file_free(f);
    return ok;
}

static gint by_name(gconstpointer a, gconstpointer b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Names of the cases in the folder, sorted, without ".ini". */
static GPtrArray *case_names(const char *folder)
{
    GPtrArray *names = g_ptr_array_new_with_free_func(g_free);
    GDir *dir = g_dir_open(folder, 0, NULL);
    const char *entry;

    while (dir && (entry = g_dir_read_name(dir)) != NULL)
        if (g_str_has_suffix(entry, ".ini"))
            g_ptr_array_add(names, g_strndup(entry, strlen(entry) - 4));
    if (dir)
        g_dir_close(dir);
    g_ptr_array_sort(names, by_name);
    return names;
}

static int bench_all(const char *folder, const char *only, GString *csv)
{
    GPtrArray *names = case_names(folder);
    int failed = 0, ran = 0;

    for (guint i = 0; i < names->len; i++) {
        const char *name = names->pdata[i];
        if (only && strcmp(only, name) != 0)
            continue;
        char *path = g_strdup_printf("%s/%s.ini", folder, name);
        failed += !bench_case(path, name, csv);
        ran++;
        g_free(path);
    }
    if (ran == 0) {
        fprintf(stderr, "rdmasim bench: no case%s%s in %s; there are:", only ? " " : "",
                only ? only : "", folder);
        for (guint i = 0; i < names->len; i++)
            fprintf(stderr, " %s", (char *)names->pdata[i]);
        fprintf(stderr, "\n");
    }
    g_ptr_array_free(names, TRUE);
    return ran == 0 ? 2 : failed ? 3 : 0;
}

int cmd_bench(int argc, char **argv)
{
    const char *only = NULL, *csv_path = NULL;
    struct sc_error err;

    int words;
    const struct cli_option options[] = {
        {"--only", CLI_TEXT, &only, "CASE", "this case alone"},
        {"--csv", CLI_TEXT, &csv_path, "FILE", "also write rows case,metric,value"},
        {0}};
    const struct cli_command command = {
        "bench", "", "Measures what a packet costs on this machine, case by case.", options, 0, 0};
    enum cli_parsed parsed = cli_parse(&command, argc, argv, &words);

    if (parsed != CLI_OK)
        return cli_exit_code(parsed);
    char *folder = sc_share_folder("bench");
    if (!folder) {
        fprintf(stderr, "rdmasim bench: the folder scenarios/bench is not found; set RDMASIM_PATH "
                        "to the folder that holds it\n");
        return 2;
    }
    GString *csv = g_string_new("case,metric,value\n");
    int code = bench_all(folder, only, csv);
    if (csv_path && code == 0 && !file_whole_put(csv_path, csv->str, err.text, sizeof err.text)) {
        fprintf(stderr, "rdmasim bench: %s\n", err.text);
        code = 3;
    }
    g_string_free(csv, TRUE);
    g_free(folder);
    return code;
}
