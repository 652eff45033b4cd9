/*
 * [expect]: what the results of a scenario must satisfy.
 *
 *   NAME = EXPR REL EXPR [+- X | +- X%]      REL one of  = < <= > >= ~      (expr.h for EXPR)
 *
 * With a tolerance, `=` holds within X (or X % of the right side); `~` is the same and must have one;
 * `<` and the others are widened by it.  `=` without a tolerance forgives 1e-9 of the right side,
 * no more than what six decimals and double arithmetic lose.  An expectation holds at every point that it
 * does not select by itself.
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

struct expectation {
    char *name, *text; /* text: the whole right side, for messages */
    char *path;        /* scenario file */
    int line;
    struct expr *left, *right;
    enum expect_rel rel;
    bool has_tolerance, percent;
    double tolerance;
};

/* One line of [expect]; false with "FILE:LINE: [expect] NAME: why" in err. */
bool expect_parse(const struct sc_line *line, const char *path, struct expectation *out,
                  struct sc_error *err);
void expect_clear(struct expectation *x);

/* What came of an expectation at one point. */
struct expect_verdict {
    char *name;
    char *point;        /* "fabric.hosts=4", "" where the expectation selects its points */
    char *relation;     /* "<=", "= +- 5%" */
    double left, right; /* NaN: nothing was measured */
    bool ok;
};
/*
 * Appends a verdict for every point that x is about.  false with err when it cannot be evaluated
 * (unknown column, no such point): that is a mistake in the scenario.
 * file: for ref().
 */
struct expect_verdicts {
    struct expect_verdict *v;
    uint32_t count;
};
bool expect_evaluate(const struct expectation *x, const struct results *r,
                     const struct sc_file *file, struct expect_verdicts *out, struct sc_error *err);
void expect_verdicts_clear(struct expect_verdicts *v);

/* "ok   NAME [point]: LEFT REL RIGHT"; g_free. */
char *expect_verdict_text(const struct expect_verdict *v);

#endif
