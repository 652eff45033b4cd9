/*
 * `rdmasim sweep`: all points and repetitions, then the figures.
 */
#include <glib.h>
#include <stdio.h>
#include <unistd.h>

#include "analysis/plot.h"
#include "scenarios/run/cli.h"
#include "scenarios/run/commands.h"
#include "scenarios/run/out_dir.h"
#include "scenarios/run/plots.h"
#include "scenarios/run/pool.h"
#include "scenarios/run/sweep_run.h"

struct sweep_command {
    struct cli_sets sets;
    const char *out, *formats;
    uint32_t jobs, domains;
    bool resume, no_plot;
};

static void report(const struct sweep_request *q, const struct sweep_report *r, int code)
{
    if (code == 2 || r->runs == 0)
        return;
    printf("%u of %u runs (%u points) in %s/", r->done + r->kept, r->runs, r->points, q->dir);
    if (r->kept)
        printf(", %u of them kept from before", r->kept);
    printf("\n");
    fflush(stdout);
    char *results = g_build_filename(q->dir, "results.csv", NULL);
    bool written = g_file_test(results, G_FILE_TEST_IS_REGULAR);
    char *holds = !written     ? g_strdup("was not written")
                  : r->stopped ? g_strdup_printf("holds the %u finished runs", r->done + r->kept)
                               : g_strdup("holds the others");
    if (r->stopped)
        fprintf(stderr,
                "rdmasim sweep: stopped; %s %s; the same command with --resume does the rest\n",
                results, holds);
    else if (r->failed)
        fprintf(stderr,
                "rdmasim sweep: %u of %u runs failed; %s %s; the same command with --resume tries "
                "them again\n",
                r->failed, r->runs, results, holds);
    g_free(holds);
    g_free(results);
}

static int draw(const struct sweep_command *c, const struct sc_file *f, const char *dir)
{
    struct sc_error err = {""};
    if (c->no_plot || !plots_wanted(f))
        return 0;
    int code = plots_draw(f, dir, c->formats, false, &err);
    if (code)
        fprintf(stderr,
                "rdmasim sweep: %s\nThe results are whole; rdmasim plot %s draws them again.\n",
                err.text, dir);
    return code;
}

static int sweep_file(const struct sweep_command *c, const struct sc_file *f)
{
    struct sc_error err = {""};
    struct sweep_report r = {0};
    char *stem = scenario_stem(sc_file_path(f));
    char *dir = c->out ? g_strdup(c->out) : g_build_filename("out", stem, NULL);
    struct sweep_request q = {.file = f,
                              .extra = c->sets.ov,
                              .extras = c->sets.n,
                              .stem = stem,
                              .dir = dir,
                              .workers = c->jobs,
                              .domains = c->domains,
                              .resume = c->resume,
                              .stop = pool_catch_signals()};
    bool sound = plot_formats_known(c->formats, err.text, sizeof err.text) &&
                 plots_check(f, c->sets.ov, c->sets.n, &err);
    int code = sound ? sweep_run(&q, &r, &err) : 2;
    if (code && err.text[0])
        fprintf(stderr, "rdmasim sweep: %s\n", err.text);
    report(&q, &r, code);
    if (code == 0)
        sc_notes_print(f, c->sets.ov, c->sets.n, stdout);
    if (code == 0)
        code = draw(c, f, dir);
    g_free(dir);
    g_free(stem);
    return code;
}

int cmd_sweep(int argc, char **argv)
{
    long cpus = sysconf(_SC_NPROCESSORS_ONLN);
    struct sweep_command c = {
        .formats = "svg,png", .jobs = cpus > 0 ? (uint32_t)cpus : 1, .domains = 1};
    int words, code = 2;
    const struct cli_option options[] = {
        {"--set", CLI_SET, &c.sets, "group.key=value",
         "overrides a key; a swept key is fixed by it; repeatable"},
        {"--seed", CLI_SEED, &c.sets, "N", "seed of the first repetition (scenario.seed)"},
        {"--out", CLI_TEXT, &c.out, "DIR", "folder for the results (out/<name of the scenario>)"},
        {"--jobs", CLI_COUNT, &c.jobs, "N",
         "runs at a time (as many as there are processors; same results)"},
        {"--resume", CLI_FLAG, &c.resume, NULL, "keep the runs that are there and whole"},
        {"--domains", CLI_COUNT, &c.domains, "N", "cut the fabric into N domains (same results)"},
        {"--format", CLI_TEXT, &c.formats, "svg,png,pdf", "formats of the plots (svg,png)"},
        {"--no-plot", CLI_FLAG, &c.no_plot, NULL, "do not draw the plots"},
        {0}};
    const struct cli_command command = {
        "sweep", "FILE", "Runs all points of [sweep] with all repetitions and draws the plots.",
        options, 1,      1};
    enum cli_parsed parsed = cli_parse(&command, argc, argv, &words);
    struct sc_file *f = parsed == CLI_OK ? cli_load("sweep", argv[1]) : NULL;
    if (f)
        code = sweep_file(&c, f);
    else if (parsed != CLI_OK)
        code = cli_exit_code(parsed);
    cli_unload(f);
    cli_sets_clear(&c.sets);
    return code;
}
