/*
 * The key table: every key of a scenario, once.
 *
 * A row says what a key means, what it may hold and where it goes in struct scenario.  Reading,
 * error messages, the manifest, `rdmasim keys` and the man page all walk this table.
 */
#ifndef READER_KEYS_H
#define READER_KEYS_H

#include <glib.h>
#include <stddef.h>

#include "scenarios/reader/fail.h"
#include "scenarios/reader/value.h"

enum key_kind {
    KIND_TEXT,     /* any text */
    KIND_NAME,     /* of a file, looked up */
    KIND_TIME, KIND_RATE, KIND_SIZE,
    KIND_WHOLE,
    KIND_BOOL,     /* on, off */
    KIND_CHOICE,   /* one of `choice` */
    KIND_SET,      /* several of `choice`, as bits 1 << value */
    KIND_SERVICE,  /* one of the core's */
    KIND_CHANCE,   /* a probability, as a threshold of 64 bits */
    KIND_SHARE,    /* in millionths */
    KIND_FACTOR,   /* in thousandths */
    KIND_SIZES,    /* a size, a list of them, or a traffic file */
    KIND_BUCKETS,  /* ascending sizes */
    KIND_LADDER,   /* ascending times */
    KIND_RANGE,    /* two factors in thousandths, low..high */
    KIND_FLOWS,    /* a trace file */
    KIND_ROWS,     /* rows of a service's tables */
    KIND_FAULTS,   /* what is said of sends that fail */
    KINDS
};

/* A word and its number: of KIND_CHOICE and KIND_SET, and words beside numbers of the other kinds. */
struct choice {
    const char *name;
    uint64_t value;
    const char *later; /* known, but refused: what it comes with, "" if unsaid; NULL: offered */
};

struct key {
    const char *group, *name;
    enum key_kind kind;
    size_t offset, width;        /* of the field in struct scenario */
    const char *standard;        /* see key_standard */
    uint64_t min, max;           /* base units, thousandths, millionths */
    const struct choice *choice; /* ends with a NULL name; NULL: none */
    const char *meaning;         /* a few short sentences */
    const char *advice;          /* closes the error message; NULL: none */
};

/* The rows in their order: key_at(0) .. key_at(key_count() - 1). */
uint32_t key_count(void);
const struct key *key_at(uint32_t i);

/* NULL if there is none. */
const struct key *key_find(const char *group, const char *name);
/* By "group.name". */
const struct key *key_find_dotted(const char *dotted);
uint32_t key_index(const struct key *k);
/* The default, as a text like the user's. */
const char *key_standard(const struct key *k);
bool key_group_known(const char *group);

/* "there is no such key in [qp]; did you mean 'timeout'?": false, for `return`. */
bool key_unknown(const char *group, const char *name, struct sc_error *err);
/* The same for "group.key". */
bool key_unknown_dotted(const char *dotted, struct sc_error *err);

/* A parsed value; which members hold something depends on the kind. */
struct value {
    uint64_t n;      /* number, choice or bits */
    struct dec dec;  /* KIND_CHANCE, KIND_SHARE, KIND_FACTOR */
    uint64_t *list;  /* of sizes, times, a range: count of them; 0: see text */
    uint32_t count;
    char *text;      /* KIND_TEXT, names */
};
void value_clear(struct value *v);

/* Text to value.  false: *err says what is wrong and what is allowed, without the place. */
bool key_parse(const struct key *k, const char *text, struct value *out, struct sc_error *err);

/* Puts the value into its field.  Traffic files (text of KIND_SIZES, KIND_FLOWS) are not loaded. */
void key_store(const struct key *k, const struct value *v, struct scenario *s);

/* The value in base units; unit: with the base unit's name, so that key_parse reads it. */
void key_print(const struct key *k, const struct value *v, bool unit, GString *out);

/* "a whole number from 0 to 7", to follow "give". */
void key_allowed(const struct key *k, GString *out);

#endif
