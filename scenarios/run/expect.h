/*
 * [expect]: what the results of a scenario must satisfy.
 *
 *   NAME = EXPR REL EXPR [+- X | +- X%]      REL one of  = < <= > >= ~      (expr.h for EXPR)
 *
 * With a tolerance, `=` holds within X (or X % of the right side); `~` is the same and must have one;
 * `<` and the others are widened by it.  `=` without a tolerance forgives 1e-9 of the right side,
 * no more than what six decimals and double arithmetic lose.  An expectation holds at every point that it
 * does not select by itself.
 *
 *   NAME = completions FILE [key=value,...]       NAME = trace FILE [key=value,...]
 *
 * completions.csv (packets.csv) of the point's first repetition says what FILE says: expect_rows.h.
 */
#ifndef RUN_EXPECT_H
#define RUN_EXPECT_H

#include "scenarios/run/expr.h"

enum expect_rel {
    EXPECT_EQUAL,
    EXPECT_ABOUT,
    EXPECT_LESS,
    EXPECT_LESS_EQUAL,
    EXPECT_MORE,
    EXPECT_MORE_EQUAL
};

enum expect_form { EXPECT_COMPARISON, EXPECT_COMPLETIONS, EXPECT_TRACE };

struct expectation {
    enum expect_form form;
    char *name, *text; /* text: the whole right side, for messages */
    char *path;        /* scenario file */
    int line;
    struct expr *left, *right; /* of a file: left names it (expr_parse_file) */
    struct csv_table *rows;    /* of a file, once loaded */
    enum expect_rel rel;
    bool has_tolerance, percent;
    double tolerance;
};

/* One line of [expect]; false with "FILE:LINE: [expect] NAME: why" in err. */
bool expect_parse(const struct sc_line *line, const char *path, struct expectation *out,
                  struct sc_error *err);
void expect_clear(struct expectation *x);
/* Reads the file of x if it is about one; before anything runs.  false with a message. */
bool expect_load(struct expectation *x, const struct sc_file *file, struct sc_error *err);

/* What came of an expectation at one point. */
struct expect_verdict {
    char *name;
    char *point;        /* "fabric.hosts=4", "" where the expectation selects its points */
    char *note;         /* of a file: the first difference, or how much is equal; NULL: a comparison */
    char *relation;     /* "<=", "= +- 5%" */
    double left, right; /* NaN: nothing was measured */
    bool ok;
};
/*
 * Appends a verdict for every point that x is about.  false with err when it cannot be evaluated
 * (unknown column, no such point): that is a mistake in the scenario.  A file must be loaded.
 * file: for ref().
 */
struct expect_verdicts {
    struct expect_verdict *v;
    uint32_t count;
};
bool expect_evaluate(const struct expectation *x, const struct results *r,
                     const struct sc_file *file, struct expect_verdicts *out, struct sc_error *err);
void expect_verdicts_clear(struct expect_verdicts *v);

/* "ok   NAME [point]: LEFT REL RIGHT", or the note behind the colon; g_free. */
char *expect_verdict_text(const struct expect_verdict *v);

#endif
