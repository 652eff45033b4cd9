/*
 * `rdmasim check`: runs scenarios as [check] makes them quick and holds their results against [expect].
 */
#include <errno.h>
#include <glib.h>
#include <glib/gstdio.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "scenarios/run/checked.h"
#include "scenarios/run/cli.h"
#include "scenarios/run/commands.h"
#include "scenarios/run/dry.h"
#include "scenarios/run/out_dir.h"
#include "scenarios/run/plots.h"
#include "scenarios/run/pool.h"
#include "scenarios/run/sweep_run.h"

struct check_command {
    struct cli_sets sets;
    const char *out, *junit;
    uint32_t jobs, domains;
    bool full; /* without [check], and with [expect full] */
    const volatile sig_atomic_t *stop;
    GArray *checked;              /* struct checked */
    uint32_t ok, failed, without; /* expectations; scenarios without any */
    int code;                     /* the worst so far: 3 before 2 before 1 */
};

static void worsen(struct check_command *c, int code) { c->code = MAX(c->code, code); }

static void complain(struct check_command *c, struct checked *one, int code, const char *text)
{
    printf("FAIL %s: %s\n", one->stem, text);
    one->error = g_strdup(text);
    worsen(c, code);
}

/* ---- one scenario ------------------------------------------------------------------------------- */

/* All of [expect], parsed before anything runs, [expect full] too; those of the latter are kept only if full. */
static GArray *parse_expectations(const struct sc_file *f, bool full, struct sc_error *err)
{
    GArray *all = g_array_new(FALSE, FALSE, sizeof(struct expectation));
    const struct sc_line *line;
    uint32_t lines = sc_lines(f, "expect", &line);
    g_array_set_clear_func(all, (GDestroyNotify)expect_clear);
    for (uint32_t i = 0; i < lines; i++) {
        struct expectation x;
        bool ok = expect_parse(&line[i], sc_file_path(f), &x, err);
        if (!ok || !expect_load(&x, f, err)) {
            if (ok)
                expect_clear(&x);
            g_array_free(all, TRUE);
            return NULL;
        }
        if (full || strcmp(line[i].group, "expect full") != 0)
            g_array_append_val(all, x);
        else
            expect_clear(&x);
    }
    return all;
}

static bool evaluate(const GArray *all, const struct sc_file *f, const char *dir,
                     struct expect_verdicts *out, struct sc_error *err)
{
    struct results r;
    char *path = g_build_filename(dir, "results.csv", NULL);
    bool ok = results_read(path, &r, err->text, sizeof err->text);
    g_free(path);
    if (!ok)
        return false;
    for (uint32_t i = 0; ok && i < all->len; i++)
        ok = expect_evaluate(&g_array_index(all, struct expectation, i), &r, f, out, err);
    results_clear(&r);
    return ok;
}

static bool has_form(const GArray *all, enum expect_form form)
{
    for (uint32_t i = 0; i < all->len; i++)
        if (g_array_index(all, struct expectation, i).form == form)
            return true;
    return false;
}

/* Verdicts of the expectation that begins at v[0]; *good: how many of them hold. */
static uint32_t same_name(const struct expect_verdict *v, uint32_t n, uint32_t *good)
{
    uint32_t i = 0;
    *good = 0;
    for (; i < n && strcmp(v[i].name, v[0].name) == 0; i++)
        *good += v[i].ok;
    return i;
}

/* One line an expectation; where it is about many points, those that fail are shown one by one. */
static void print_expectation(const struct expect_verdict *v, uint32_t n, uint32_t good)
{
    if (n > 1 && good)
        printf("  ok   %s: at %u of %u points\n", v->name, good, n);
    for (uint32_t i = 0; i < n; i++) {
        if (n > 1 && v[i].ok)
            continue;
        char *text = expect_verdict_text(&v[i]);
        printf("  %s\n", text);
        g_free(text);
    }
}

static void print_verdicts(struct check_command *c, const struct checked *one)
{
    uint32_t n, good;
    for (uint32_t i = 0; i < one->verdicts.count; i += n) {
        const struct expect_verdict *v = &one->verdicts.v[i];
        n = same_name(v, one->verdicts.count - i, &good);
        print_expectation(v, n, good);
        *(good == n ? &c->ok : &c->failed) += 1;
        if (good < n)
            worsen(c, 1);
    }
    fflush(stdout);
}

static void run_and_judge(struct check_command *c, const struct sc_file *f, const GArray *all,
                          const char *dir, struct checked *one)
{
    struct sc_error err = {""};
    struct sweep_report report;
    struct sweep_request q = {.file = f,
                              .extra = c->sets.ov,
                              .extras = c->sets.n,
                              .stem = one->stem,
                              .dir = dir,
                              .workers = c->jobs,
                              .domains = c->domains,
                              .check = !c->full,
                              .completions = has_form(all, EXPECT_COMPLETIONS),
                              .trace = has_form(all, EXPECT_TRACE),
                              .stop = c->stop};
    int code = sweep_run(&q, &report, &err);
    if (code) {
        complain(c, one, code, err.text[0] ? err.text : report.stopped ? "stopped" : "runs failed");
        return;
    }
    if (!evaluate(all, f, dir, &one->verdicts, &err))
        complain(c, one, 2, err.text);
    else
        printf("%s: %u runs\n", one->stem, report.runs);
    print_verdicts(c, one);
}

/* Where the results of a scenario go: below --out, or in a folder that is removed afterwards. */
static char *make_dir(const struct check_command *c, const char *stem, struct sc_error *err)
{
    if (c->out)
        return g_build_filename(c->out, stem, NULL);
    char *dir = g_build_filename(g_get_tmp_dir(), "rdmasim-check-XXXXXX", NULL);
    if (g_mkdtemp(dir))
        return dir;
    snprintf(err->text, sizeof err->text, "%s: cannot be made: %s", dir, strerror(errno));
    g_free(dir);
    return NULL;
}

/* Names and points that [expect] and [plot] ask for are there: said before anything runs. */
static bool try_dry(const struct check_command *c, const struct sc_file *f, const GArray *all,
                    struct sc_error *err)
{
    struct dry dry;
    struct expect_verdicts ignored = {0};
    if (!plots_check(f, c->sets.ov, c->sets.n, err) ||
        !dry_make(f, c->sets.ov, c->sets.n, !c->full, &dry, err))
        return false;
    bool ok = true;
    for (uint32_t i = 0; ok && i < all->len; i++) {
        const struct expectation *x = &g_array_index(all, struct expectation, i);
        ok = x->form != EXPECT_COMPARISON || expect_evaluate(x, &dry.results, f, &ignored, err);
    }
    expect_verdicts_clear(&ignored);
    dry_clear(&dry);
    return ok;
}

static void check_loaded(struct check_command *c, const struct sc_file *f, struct checked *one)
{
    struct sc_error err = {""};
    GArray *all = parse_expectations(f, c->full, &err);
    if (!all || !try_dry(c, f, all, &err)) {
        complain(c, one, 2, err.text);
        if (all)
            g_array_free(all, TRUE);
        return;
    }
    char *dir = all->len ? make_dir(c, one->stem, &err) : NULL;
    if (all->len == 0) {
        printf("%s: no [expect]; nothing to check\n", one->stem);
        c->without++;
    } else if (!dir)
        complain(c, one, 3, err.text);
    else
        run_and_judge(c, f, all, dir, one);
    if (dir && !c->out)
        out_dir_remove(dir);
    g_free(dir);
    g_array_free(all, TRUE);
}

static void check_file(struct check_command *c, const char *path)
{
    struct sc_error err = {""};
    struct checked one = {.path = g_strdup(path), .stem = scenario_stem(path)};
    struct sc_file *f = sc_file_load(path, &err);
    if (f)
        check_loaded(c, f, &one);
    else
        complain(c, &one, 2, err.text);
    cli_unload(f);
    g_array_append_val(c->checked, one);
}

/* ---- all of them -------------------------------------------------------------------------------- */

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The scenarios of a folder, in the order of their names; subfolders hold other things. */
static void check_dir(struct check_command *c, const char *path)
{
    const char *name;
    GDir *dir = g_dir_open(path, 0, NULL);
    GPtrArray *files = g_ptr_array_new_with_free_func(g_free);
    while (dir && (name = g_dir_read_name(dir)))
        if (g_str_has_suffix(name, ".ini"))
            g_ptr_array_add(files, g_build_filename(path, name, NULL));
    if (dir)
        g_dir_close(dir);
    if (files->len == 0) {
        fprintf(stderr, "rdmasim check: %s: there is no scenario (*.ini) in this folder\n", path);
        worsen(c, 2);
    }
    g_ptr_array_sort(files, by_text);
    for (uint32_t i = 0; i < files->len && !*c->stop; i++)
        check_file(c, files->pdata[i]);
    g_ptr_array_free(files, TRUE);
}

static void finish(struct check_command *c)
{
    struct sc_error err = {""};
    if (*c->stop)
        worsen(c, 3);
    if (c->code == 0 && c->ok == 0) {
        fprintf(stderr, "rdmasim check: there was nothing to check\n");
        worsen(c, 2);
    }
    printf("%u expectation%s held, %u failed", c->ok, c->ok == 1 ? "" : "s", c->failed);
    printf(c->without ? "; %u scenario%s without [expect]\n" : "\n", c->without,
           c->without == 1 ? "" : "s");
    if (c->junit &&
        !junit_write(c->junit, (struct checked *)(void *)c->checked->data, c->checked->len, &err)) {
        fprintf(stderr, "rdmasim check: %s\n", err.text);
        worsen(c, 3);
    }
}

static void clear_checked(void *self)
{
    struct checked *one = self;
    expect_verdicts_clear(&one->verdicts);
    g_free(one->stem);
    g_free(one->path);
    g_free(one->error);
}

static int check_words(struct check_command *c, int words, char **word)
{
    c->stop = pool_catch_signals();
    c->checked = g_array_new(FALSE, FALSE, sizeof(struct checked));
    g_array_set_clear_func(c->checked, clear_checked);
    for (int i = 0; i < words && !*c->stop; i++) {
        if (g_file_test(word[i], G_FILE_TEST_IS_DIR))
            check_dir(c, word[i]);
        else
            check_file(c, word[i]);
    }
    finish(c);
    g_array_free(c->checked, TRUE);
    return c->code;
}

int cmd_check(int argc, char **argv)
{
    long cpus = sysconf(_SC_NPROCESSORS_ONLN);
    struct check_command c = {.jobs = cpus > 0 ? (uint32_t)cpus : 1, .domains = 1};
    int words;
    const struct cli_option options[] = {
        {"--set", CLI_SET, &c.sets, "group.key=value",
         "overrides a key, also of [check]; repeatable"},
        {"--full", CLI_FLAG, &c.full, NULL,
         "whole length: without [check], and with [expect full]"},
        {"--junit", CLI_TEXT, &c.junit, "FILE", "also write a JUnit report"},
        {"--out", CLI_TEXT, &c.out, "DIR", "keep the results in DIR/<name of the scenario>"},
        {"--jobs", CLI_COUNT, &c.jobs, "N", "runs at a time (as many as there are processors)"},
        {"--domains", CLI_COUNT, &c.domains, "N", "cut the fabric into N domains (same results)"},
        {0}};
    const struct cli_command command = {
        "check",
        "FILE|DIR...",
        "Runs scenarios with their [check] overrides and evaluates every [expect].",
        options,
        1,
        1 << 20};
    enum cli_parsed parsed = cli_parse(&command, argc, argv, &words);
    int code = parsed == CLI_OK ? check_words(&c, words, argv + 1) : cli_exit_code(parsed);
    cli_sets_clear(&c.sets);
    return code;
}
