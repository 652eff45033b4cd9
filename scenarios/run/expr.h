/*
 * Arithmetic over the results of a sweep: what [expect] compares and what [plot] draws.
 *
 *   EXPR    = TERM { (+|-) TERM }        TERM = FACTOR { (*|/) FACTOR }
 *   FACTOR  = - FACTOR | POWER            POWER  = ATOM [ ^ FACTOR ]
 *   ATOM    =       ( NUMBER | ( EXPR ) | mean(EXPR) | min(EXPR) | max(EXPR) | ref(FILE,ROW,COLUMN)
 *                   | COLUMN | COLUMN[key=value,...] )
 *
 * A COLUMN is a metric or a swept key of results.csv.  Its value at a point is the mean over the
 * repetitions; inside mean(), min() and max() the expression is taken for each repetition first.
 * Keys named in [...] replace those of the point at hand.  An empty cell makes the value "none"
 * (a NaN), which satisfies no comparison.  Doubles are good enough: nothing here flows back into
 * results.
 */
#ifndef RUN_EXPR_H
#define RUN_EXPR_H

#include <stdbool.h>
#include <stdint.h>

#include "scenarios/run/results.h"

enum expr_kind {
    EXPR_NUMBER,
    EXPR_COLUMN,
    EXPR_REF,
    EXPR_NEGATE,
    EXPR_ADD,
    EXPR_SUBTRACT,
    EXPR_MULTIPLY,
    EXPR_DIVIDE,
    EXPR_POWER,
    EXPR_MEAN,
    EXPR_MIN,
    EXPR_MAX
};

struct expr_select {
    char *key, *value; /* value as written; compared in base units */
};

struct expr {
    enum expr_kind kind;
    double number;
    char *name;         /* column; ref: the file */
    char *row, *column; /* ref */
    struct expr_select *select;
    uint32_t selects;
    struct expr *left, *right;
};

/*
 * Parses from *text on as far as an expression reaches and moves *text behind it.  NULL with a
 * message that says what was expected and what was found.
 */
struct expr *expr_parse(const char **text, char *err, uint32_t err_size);
/*
 * FILE or FILE[key=value,...], the whole of text: a column whose name is a file.  It has no value;
 * expr_point and expr_depends say which points it is about.
 */
struct expr *expr_parse_file(const char *text, char *err, uint32_t err_size);
void expr_free(struct expr *e);

/* Where an expression is evaluated. */
struct expr_where {
    const struct results *results;
    const struct sc_file
        *file; /* ref() files are looked up from it; NULL: no ref() in the expression */
    uint32_t point;
    int rep;         /* row within the point; -1: the mean over them */
    const double *x; /* value of the name `x`; NULL: there is none */
};

/* false with a message on a mistake (unknown column, no such point); a missing value is a NaN. */
bool expr_eval(const struct expr *e, const struct expr_where *w, double *out, char *err,
               uint32_t err_size);

/* The point that a column is taken at: w's, or another by its selectors; false with a message. */
bool expr_point(const struct expr *column, const struct expr_where *w, uint32_t *point, char *err,
                uint32_t err_size);

/*
 * Does the value of e depend on this swept column of the point at hand, that is: does some column in e
 * not select it, and not tell the point by others?  r may be NULL: no others tell it.
 */
bool expr_depends(const struct expr *e, const struct results *r, const char *swept_name);

#endif
