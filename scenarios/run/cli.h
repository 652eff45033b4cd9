/*
 * The command line: subcommands in a table, options in a table per subcommand.
 *
 * Parsing, --help and the hint for a mistyped word come from the tables.
 */
#ifndef RUN_CLI_H
#define RUN_CLI_H

#include <stdbool.h>
#include <stdint.h>

#include "scenarios/reader/scenario.h"

enum cli_kind { CLI_FLAG, CLI_TEXT, CLI_COUNT, CLI_SET, CLI_SEED, CLI_TIME, CLI_FILE };

/* `--set group.key=value`, repeated. */
struct cli_sets {
    struct sc_override *ov;
    uint32_t n;
};

/* An option that may stand alone: `--pcap`, `--pcap=NAME`, and `--pcap NAME` where NAME ends as `suffix` does. */
struct cli_file {
    const char *suffix; /* ".pcap" */
    bool given;
    const char *name; /* NULL: it stood alone */
};

/*
 * What `to` points at: CLI_FLAG bool; CLI_TEXT const char *; CLI_COUNT uint32_t >= 1; CLI_SET struct cli_sets;
 * CLI_SEED struct cli_sets too: `--seed N` is `--set scenario.seed=N`; CLI_TIME tm_ps > 0, with a unit;
 * CLI_FILE struct cli_file.
 */
struct cli_option {
    const char *name; /* "--jobs" */
    enum cli_kind kind;
    void *to;
    const char *argument; /* "N", for the help */
    const char *help;
};

struct cli_command {
    const char *name;
    const char *arguments;           /* "FILE", "FILE|DIR..." */
    const char *help;                /* one sentence */
    const struct cli_option *option; /* ends with a NULL name; may be NULL */
    int words_min, words_max;        /* positional arguments */
};

enum cli_parsed { CLI_OK, CLI_HELP, CLI_WRONG };

/*
 * Parses argv[1..]; positional words are moved to argv[1..*words].  CLI_HELP: the help was printed to
 * stdout; CLI_WRONG: what is wrong was printed to stderr.
 */
enum cli_parsed cli_parse(const struct cli_command *c, int argc, char **argv, int *words);
void cli_sets_clear(struct cli_sets *s);
/* The exit code of a command whose cli_parse did not return CLI_OK. */
int cli_exit_code(enum cli_parsed parsed);

/* Loads a scenario; NULL after a message on stderr. */
struct sc_file *cli_load(const char *command, const char *path);
void cli_unload(struct sc_file *f); /* NULL is fine */

/* The man page: commands and keys from their tables. */
void cli_man(FILE *out);

/* The whole program: dispatch by argv[1]. */
int cli_main(int argc, char **argv);

#endif
