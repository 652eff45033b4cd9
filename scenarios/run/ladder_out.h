/*
 * From talk to a ladder on the screen or in a file: the options that `ladder` and `read` share.
 */
#ifndef RUN_LADDER_OUT_H
#define RUN_LADDER_OUT_H

#include "scenarios/run/cli.h"
#include "scenarios/run/talk.h"

/* Rows drawn unless asked otherwise: what a person can follow. */
#define LADDER_OUT_ROWS 60

struct ladder_out {
    const char *ends;   /* "A,B", each HOST, HOST/QP or /QP */
    uint32_t qp;        /* on either side; 0: any */
    const char *rows;   /* "N..M", counted from 1 */
    tm_ps from, to;
    const char *format; /* "text", "svg"; NULL: what --out's name says, else text */
    const char *out;    /* NULL: stdout */
};

#define LADDER_OUT_OPTIONS(o)                                                                        \
    {"--ends", CLI_TEXT, &(o).ends, "A,B",                                                           \
     "the two ends, each HOST, HOST/QP or /QP (those with most packets)"},                           \
        {"--qp", CLI_COUNT, &(o).qp, "N", "an end's QP number"},                                     \
        {"--rows", CLI_TEXT, &(o).rows, "N..M", "rows to draw, counted from 1 (1..60)"},             \
        {"--from", CLI_TIME, &(o).from, "T", "leave out what was before"},                           \
        {"--to", CLI_TIME, &(o).to, "T", "leave out what was after"},                                \
        {"--format", CLI_TEXT, &(o).format, "text|svg", "text, or what the name behind --out says"}, \
    {                                                                                                \
        "--out", CLI_TEXT, &(o).out, "FILE", "write there instead of on the screen"                  \
    }

/* Draws; the exit code, after a message on stderr unless it is 0.  title may be NULL. */
int ladder_out(const struct ladder_out *o, const char *command, const struct talk *t,
               const char *title);

#endif
