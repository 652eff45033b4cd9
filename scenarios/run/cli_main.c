/*
 * Dispatch: the first word names the subcommand.
 */
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "scenarios/reader/nearest.h"
#include "scenarios/run/cli.h"
#include "scenarios/run/commands.h"

static const struct {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *arguments, *help;
} commands[] = {
    {"run", cmd_run, "FILE [--set group.key=value]... [--seed N] [--out DIR]",
     "one run of a scenario"},
    {"sweep", cmd_sweep, "FILE [--jobs N] [--out DIR] [--resume]",
     "all points and repetitions, and the plots"},
    {"plot", cmd_plot, "DIR [--format svg,png,pdf]", "draws the plots of a sweep again"},
    {"check", cmd_check, "FILE|DIR... [--junit FILE]", "every [expect] of the scenarios"},
    {"explore", cmd_explore, "FILE [--faults K] [--kinds drop,dup,...]",
     "every placement of a few faults over a small exchange"},
    {"ladder", cmd_ladder, "DIR [--ends A,B] [--rows N..M] [--format text|svg]",
     "the packets between two ends of a traced run, drawn"},
    {"read", cmd_read, "FILE.pcap [--ladder]", "the RoCEv2 packets of a capture"},
    {"keys", cmd_keys, "[GROUP|GROUP.KEY|metrics]", "every key: type, unit, default, meaning"},
    {"bench", cmd_bench, "[--only CASE] [--csv FILE]", "what a packet costs on this machine"},
};
#define COMMANDS (sizeof commands / sizeof commands[0])

static void print_usage(FILE *out)
{
    fputs("usage: rdmasim COMMAND ...\n\n"
          "A discrete-event simulator of RDMA transports.\n\n",
          out);
    for (size_t i = 0; i < COMMANDS; i++)
        fprintf(out, "  rdmasim %s %s\n        %s\n", commands[i].name, commands[i].arguments,
                commands[i].help);
    fputs(
        "\n`rdmasim COMMAND --help` lists the options of a command; `rdmasim --version` names the "
        "version.\n"
        "Exit code: 0 done, 1 an expectation failed, 2 wrong use or scenario, 3 runtime failure.\n",
        out);
}

/* roff takes a leading '.' or a '-' for its own. */
static void put_roff(FILE *out, const char *text)
{
    for (; *text; text++) {
        if (*text == '-' || *text == '\\')
            fputc('\\', out);
        fputc(*text, out);
    }
}

void cli_man(FILE *out)
{
    fputs(".TH RDMASIM 1 \"\" \"rdmasim " RDMASIM_VERSION "\"\n"
          ".SH NAME\nrdmasim \\- discrete\\-event simulator of RDMA transports\n"
          ".SH SYNOPSIS\n",
          out);
    for (size_t i = 0; i < COMMANDS; i++) {
        fprintf(out, "%s.B rdmasim %s\n", i ? ".br\n" : "", commands[i].name);
        put_roff(out, commands[i].arguments);
        fputc('\n', out);
    }
    fputs(".SH COMMANDS\n", out);
    for (size_t i = 0; i < COMMANDS; i++) {
        fprintf(out, ".TP\n.B %s\n", commands[i].name);
        put_roff(out, commands[i].help);
        fputs(".\n", out);
    }
    fputs(".SH EXIT STATUS\n0 done, 1 an expectation failed, 2 wrong use or scenario, 3 runtime "
          "failure "
          "(partial results are kept and named).\n"
          ".SH ENVIRONMENT\n.TP\n.B RDMASIM_PATH\nFolders, separated by colons, in which profiles, "
          "presets and traffic files are looked up after the scenario's own.\n"
          ".SH SCENARIO KEYS\n",
          out);
    sc_keys_roff(out);
}

static int unknown_command(const char *word)
{
    struct nearest n = nearest_to(word);
    for (size_t i = 0; i < COMMANDS; i++)
        nearest_try(&n, commands[i].name);
    fprintf(stderr, "rdmasim: unknown command '%s'", word);
    if (n.best)
        fprintf(stderr, "; did you mean '%s'?", n.best);
    fputs("; rdmasim help lists the commands\n", stderr);
    return 2;
}

static int dispatch(int argc, char **argv)
{
    for (size_t i = 0; i < COMMANDS; i++)
        if (strcmp(argv[0], commands[i].name) == 0)
            return commands[i].run(argc, argv);
    return unknown_command(argv[0]);
}

static int help(int argc, char **argv)
{
    char dash_help[] = "--help";
    char *asked[] = {argv[0], dash_help, NULL};
    if (argc > 0)
        return dispatch(2, asked);
    print_usage(stdout);
    return 0;
}

static int dispatch_or_help(int argc, char **argv)
{
    if (argc < 2) {
        print_usage(stderr);
        return 2;
    }
    if (strcmp(argv[1], "--version") == 0) {
        printf("rdmasim %s\n", RDMASIM_VERSION);
        return 0;
    }
    if (strcmp(argv[1], "help") == 0 || strcmp(argv[1], "--help") == 0 ||
        strcmp(argv[1], "-h") == 0)
        return help(argc - 2, argv + 2);
    return dispatch(argc - 1, argv + 1);
}

int cli_main(int argc, char **argv)
{
    signal(SIGXFSZ, SIG_IGN); /* a file-size limit is then a write error that names the file */
    int code = dispatch_or_help(argc, argv);
    if (fflush(stdout) != 0 || ferror(stdout)) {
        fputs("rdmasim: standard output cannot be written\n", stderr);
        return code ? code : 3;
    }
    return code;
}
