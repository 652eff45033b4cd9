/* A text file of other people, line by line: for traffic files. */
#ifndef READER_LINES_H
#define READER_LINES_H

#include <stddef.h>

#include "scenarios/reader/fail.h"
#include "scenarios/reader/value.h"

#define TEXT_FIELDS_MAX 16

struct text {
    char *path; /* for messages */
    char *data, *at, *end;
    int line;   /* of the line last taken */
};
bool text_open(struct text *t, const char *path, struct sc_error *err);
void text_close(struct text *t);

/* The next line that is neither blank nor a comment, without blanks at its ends; NULL at the end or,
 * with *bad set, at a line that is not text. */
char *text_next(struct text *t, bool *bad, struct sc_error *err);

/* "PATH:LINE: " in front; always false. */
#define text_fail(t, err, ...)                                                                    \
    (sc_error_set(err, __VA_ARGS__), sc_fail_at(err, "%s:%d: ", (t)->path, (t)->line))

/* Cuts a line at blanks, in place; returns how many fields there are (at most TEXT_FIELDS_MAX + 1). */
uint32_t text_split(char *line, char **field);
/*
 * The same at commas, through libcsv: quotes are understood.  The fields go to *store, to be freed.
 * 0: a quote is out of place or never closed.
 */
uint32_t text_split_csv(const char *line, char **field, char **store);

bool text_u64(const struct text *t, const char *what, const char *field, uint64_t max,
              uint64_t *out, struct sc_error *err);

#endif
