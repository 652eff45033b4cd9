/*
 * Resolving: the texts of all keys with the places they come from, then the struct, then the checks
 * across keys.
 */
#ifndef READER_RESOLVE_H
#define READER_RESOLVE_H

#include "scenarios/reader/file.h"
#include "scenarios/reader/keys.h"

/* The text that holds for a key, and where it stands. */
struct cell {
    char *text;
    char *place; /* "demo.ini:4: [qp] timeout", "--set qp.timeout" */
    bool given;  /* by the scenario or an override; not by a default, preset or profile */
};

/* One cell for each row of the key table.  NULL with *err. */
struct cell *cells_make(const struct sc_file *f, const struct sc_override *ov, uint32_t n,
                        struct sc_error *err);
void cells_free(struct cell *c);

#define NOTES_IDLE_MAX 128

/* What is worth telling the user; one or more points of a sweep add to it. */
struct notes {
    GPtrArray *text;            /* NULL: only the rest is asked for */
    char *idle[NOTES_IDLE_MAX]; /* by row of the table in notes.c: a given key has no effect */
    bool effective[NOTES_IDLE_MAX]; /* rows whose key has an effect at some point */
};

struct resolving {
    const struct sc_file *f;
    struct cell *cell;
    struct scenario s;
    struct notes *notes; /* NULL: nobody listens */
    struct sc_error *err;
};

/* sc_resolve; notes: see struct resolving. */
bool resolve_scenario(const struct sc_file *f, const struct sc_override *ov, uint32_t n,
                      struct scenario *out, struct notes *notes, struct sc_error *err);

/* The cell of "group.key", which must exist. */
const struct cell *resolve_cell(const struct resolving *r, const char *dotted);

/* The message with the place of the key in front; false. */
#define resolve_fail(r, dotted, ...)                                                              \
    (sc_error_set((r)->err, __VA_ARGS__),                                                         \
     sc_fail_at((r)->err, "%s: ", resolve_cell(r, dotted)->place))

/* A note of what a file of other people was taken for. */
void resolve_seen(struct resolving *r, const char *name, const char *seen);

/* Everything that depends on more than one key; check_loaded: and on the traffic files. */
bool check_scenario(struct resolving *r);
bool check_loaded(struct resolving *r);
bool check_fabric(struct resolving *r);  /* before all others: fills in what the topology decides */
bool check_adapter(struct resolving *r); /* of check_scenario */
/* The message is without its place. */
bool check_act(struct resolving *r, const struct load_act *act);

/* Adds settings that often surprise, and keys without effect, to r->notes. */
void notes_take(struct resolving *r);

#endif
