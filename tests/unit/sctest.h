/* Scenario texts for tests: written to a folder of their own, read, resolved, compared. */
#ifndef TESTS_SCTEST_H
#define TESTS_SCTEST_H

#include <stddef.h>

#include "scenarios/reader/scenario.h"

/* Writes a file into the tests' own folder and returns its path (valid until the next call). */
const char *sctest_write(const char *name, const void *data, size_t len);

/* A message without the folder's path: "t.ini:2: [qp] ...". */
const char *sctest_said(struct sc_error *err);

/* Loads `text` as t.ini; NULL with *err. */
struct sc_file *sctest_load(const char *text, struct sc_error *err);

/* Resolves `text`; the message, or "" when it resolved (then *s is to be cleared). */
const char *sctest_resolve(const char *text, struct scenario *s);

/* The same, for texts that ought to be refused. */
const char *sctest_refusal(const char *text);

/* "" if two scenarios are the same in every field, else the name of the first that differs. */
const char *sctest_difference(const struct scenario *a, const struct scenario *b);

#endif
