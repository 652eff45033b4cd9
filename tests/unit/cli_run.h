/*
 * The program's command line from within a test: in a child process, in a folder of its own, with what it
 * prints caught.
 */
#ifndef TESTS_CLI_RUN_H
#define TESTS_CLI_RUN_H

#include <stdbool.h>
#include <stddef.h>

struct cli_run {
    char dir[64]; /* the working folder */
    char out[16384], err[16384];
    int code;            /* exit code; -N: killed by signal N */
    long file_bytes_max; /* RLIMIT_FSIZE of the child; 0: none */
    int interrupt_ms;    /* Ctrl-C this long after the start; 0: none */
    bool no_path;        /* PATH names an empty place: no external program is found */
};

/* Makes the folder; done removes it. */
void cli_run_begin(struct cli_run *r);
void cli_run_done(struct cli_run *r);
/* Runs `rdmasim WORDS`, words separated by single spaces; returns the exit code. */
int cli_run(struct cli_run *r, const char *words);
/* Files below the folder.  read: "" if there is none; g_free. */
void cli_run_write(const struct cli_run *r, const char *name, const char *text);
char *cli_run_read(const struct cli_run *r, const char *name);
bool cli_run_exists(const struct cli_run *r, const char *name);

/* A pair that exchanges a few messages, two swept keys, two repetitions: eight runs in no time. */
extern const char cli_run_scenario[];

#endif
