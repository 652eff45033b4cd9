/*
 * `rdmasim keys`: the tables of keys and metrics, for a reader at the terminal or within the man
 * page.
 *
 * The man page is cli_man's with what stands nowhere else put between its sections: a description,
 * each command's own --help, files.
 */
#include <glib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scenarios/run/cli.h"
#include "scenarios/run/commands.h"
#include "scenarios/run/metrics.h"

#define COLUMNS 98u

static const char description[] =
    ".SH DESCRIPTION\nReads a scenario file, runs it, and writes tables (CSV) and plots of the "
    "results to a folder.  A scenario is a text of groups and keys; every key has a default, so a "
    "file names what it changes.  The same scenario and seed give the same results on every "
    "machine, with any number of jobs and domains.\n";

static const char files[] =
    ".SH FILES\n"
    ".TP\n.I FILE.ini\nA scenario, see SCENARIO KEYS.\n"
    ".TP\n.I out/NAME\nResults of the scenario NAME.ini: results.csv, manifest.ini (a scenario "
    "that "
    "repeats the run), and what the options ask for.\n"
    ".TP\n.I " RDMASIM_SHARE "\nFolders profiles, presets and traffic, and the scenarios that come "
    "with the program.\n";

static const char about_metrics[] =
    "Columns of results.csv and names in EXPR of [expect] and [plot].";

/* roff acts on backslashes, on minus signs and on a point or quote that begins a line. */
static void roff_text(FILE *out, const char *text)
{
    for (const char *c = text; *c; c++) {
        if ((c == text || c[-1] == '\n') && (*c == '.' || *c == '\''))
            fputs("\\&", out);
        if (*c == '-' || *c == '\\')
            fputs(*c == '-' ? "\\" : "\\e", out);
        if (*c != '\\')
            fputc(*c, out);
    }
}

/* Text as it stands, line by line. */
static void roff_lines(FILE *out, const char *text)
{
    fputs(".nf\n", out);
    roff_text(out, text);
    fputs(".fi\n", out);
}

/* What a command prints for --help; free. */
static char *help_of(int (*run)(int argc, char **argv), const char *name)
{
    static char *text; /* the stream writes here when it is closed */
    static size_t len;
    char *command = g_strdup(name), option[] = "--help";
    char *argv[] = {command, option, NULL};
    FILE *before = stdout;
    stdout = open_memstream(&text, &len);
    run(2, argv);
    fclose(stdout);
    stdout = before;
    g_free(command);
    return text;
}

static void options_of_commands(FILE *out)
{
    static const struct {
        const char *name;
        int (*run)(int argc, char **argv);
    } command[] = {{"run", cmd_run},     {"sweep", cmd_sweep}, {"plot", cmd_plot},
                   {"check", cmd_check}, {"explore", cmd_explore}, {"keys", cmd_keys},   {"bench", cmd_bench}};
    fputs(".SH OPTIONS\n", out);
    for (size_t i = 0; i < G_N_ELEMENTS(command); i++) {
        char *text = help_of(command[i].run, command[i].name);
        const char *list = strstr(text, "\noptions:\n");
        fprintf(out, ".SS rdmasim %s\n", command[i].name);
        roff_lines(out, list ? list + strlen("\noptions:\n") : text);
        free(text);
    }
}

/* ---- metrics ----------------------------------------------------------------------------------- */

/* Words that begin in column `left`, where the line stands already; later lines begin there too. */
static void print_hanging(FILE *out, size_t left, const char *text)
{
    size_t at = left;
    while (*text) {
        size_t len = strcspn(text, " ");
        if (at > left && at + 1 + len > COLUMNS) {
            fprintf(out, "\n%*s", (int)left, "");
            at = left;
        }
        at += (size_t)fprintf(out, "%s%.*s", at > left ? " " : "", (int)len, text);
        text += len + strspn(text + len, " ");
    }
    fputc('\n', out);
}

static void print_metrics(FILE *out)
{
    size_t widest = 0;
    for (uint32_t i = 0; i < metric_count; i++)
        widest = MAX(widest, strlen(metric_table[i].name));
    fprintf(out, "%s\n", about_metrics);
    for (uint32_t i = 0; i < metric_count; i++) {
        fprintf(out, "  %-*s  ", (int)widest, metric_table[i].name);
        print_hanging(out, widest + 4, metric_table[i].meaning);
    }
}

static void roff_metrics(FILE *out)
{
    fputs(".SH METRICS\n", out);
    roff_text(out, about_metrics);
    fputc('\n', out);
    for (uint32_t i = 0; i < metric_count; i++) {
        fprintf(out, ".TP\n.B %s\n", metric_table[i].name);
        roff_text(out, metric_table[i].meaning);
        fputc('\n', out);
    }
}

/* ---- man page ---------------------------------------------------------------------------------- */

/* Prints *at up to `heading` and moves on to it. */
static void copy_until(FILE *out, const char **at, const char *heading)
{
    const char *end = strstr(*at, heading);
    size_t len = end ? (size_t)(end - *at) : strlen(*at);
    fwrite(*at, 1, len, out);
    *at += len;
}

static void print_man(FILE *out)
{
    char *text = NULL;
    size_t len = 0;
    FILE *to = open_memstream(&text, &len);
    cli_man(to);
    fclose(to);
    const char *at = text;
    copy_until(out, &at, ".SH COMMANDS\n");
    fputs(description, out);
    copy_until(out, &at, ".SH EXIT STATUS\n");
    options_of_commands(out);
    copy_until(out, &at, ".SH ENVIRONMENT\n");
    fputs(files, out);
    fputs(at, out);
    roff_metrics(out);
    free(text);
}

/* word: a group, a key, "metrics"; NULL: all keys. */
static int print_keys(const char *word)
{
    struct sc_error err;
    if (word && strcmp(word, "metrics") == 0) {
        print_metrics(stdout);
        return 0;
    }
    if (!sc_keys_print(stdout, word, &err)) {
        fprintf(stderr, "rdmasim keys: %s\n", err.text);
        return 2;
    }
    if (!word)
        fputs("\nThe metrics, for [expect] and [plot]: `rdmasim keys metrics`.\n", stdout);
    return 0;
}

int cmd_keys(int argc, char **argv)
{
    bool man = false;
    int words;
    const struct cli_option options[] = {
        {"--man", CLI_FLAG, &man, NULL,
         "the program's man page (roff), all keys and metrics in it"},
        {0}};
    const struct cli_command command = {
        "keys",
        "[GROUP|GROUP.KEY|metrics]",
        "Prints every key of scenario files: type, unit, default, meaning; or every metric.",
        options,
        0,
        1};
    enum cli_parsed parsed = cli_parse(&command, argc, argv, &words);
    if (parsed != CLI_OK)
        return cli_exit_code(parsed);
    if (!man)
        return print_keys(words ? argv[1] : NULL);
    print_man(stdout);
    return 0;
}
