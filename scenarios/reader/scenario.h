/*
 * From a scenario file to plain structs.
 *
 * A file is read once into sc_file (group, key, value, line); it is resolved into a `struct
 * scenario` once for every point of its sweep, with that point's overrides on top.  Order, later
 * wins: defaults of the key table, preset, profile, file, [check] (for `check` alone), overrides.
 *
 * Every key is declared once, in keys.c; parsing, `rdmasim keys`, the man page and the error
 * messages come from there.  Nothing half-reads: on an error the out struct is untouched.
 */
#ifndef READER_SCENARIO_H
#define READER_SCENARIO_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "models/explore/explore.h"
#include "models/fabric/fab.h"
#include "models/hca/hca.h"
#include "models/load/load.h"

/* "FILE:LINE: [group] key: what was found; what is allowed", whole, without a final newline. */
struct sc_error {
    char text[1500];
};

#define SC_EXPLORE_FAULTS 16

/* [explore]: what `rdmasim explore` posts and which faults it places. */
struct sc_explore {
    char *service_text, *operations, *operations_back, *operations_beside, *faults_text; /* as given */
    enum xp_service_id service;
    bool srq;
    struct task_spec task;     /* flows and operations alone */
    uint32_t max_faults;
    uint64_t kinds;            /* enum fate_kind bits */
    struct fault fault[SC_EXPLORE_FAULTS];
    uint32_t faults;
    bool is_fixed;             /* these faults, instead of all placements */
};

/* [fabric] shape and file as text, and the topology that the file describes. */
struct sc_given {
    char *shape, *file;
    struct topo *topo; /* fabric.given; NULL: no file */
};

struct scenario {
    char *title, *question;
    char *injected;            /* scenario.inject: all, none, or names of lines of [inject] */
    char *profile, *preset;    /* names, for the manifest */
    tm_ps duration_ps;         /* TM_NEVER: until no event is left */
    tm_ps warmup_ps;
    uint64_t seed;
    uint32_t repetitions;
    struct fab_cfg fabric;
    struct sc_given given;     /* what fabric was made from */
    struct hca_cfg hca;
    struct load_qp_cfg qp;
    struct load_cfg load;
    struct inject_list inject; /* rules of the fabric: drop … forge, link */
    struct load_act *act;      /* stall ... spoil; `rule`: rules of the fabric before it in the file */
    uint32_t act_count;
    bool slowdown;             /* measure it (costs a little per message) */
    uint64_t bucket_edge_bytes[METER_BUCKETS_MAX];
    uint32_t bucket_count;
    struct sc_explore explore;
};
void scenario_clear(struct scenario *s);

struct sc_file;

/* Reads and scans a file: syntax, unknown groups and keys, repeated keys.  NULL with *err. */
struct sc_file *sc_file_load(const char *path, struct sc_error *err);
void sc_file_free(struct sc_file *f);
const char *sc_file_path(const struct sc_file *f);

/* "group.key" and a value text, from --set, from a sweep point, from [check]. */
struct sc_override {
    char *name;
    char *value;
    const char *origin; /* for messages: "--set", "[sweep]", "[check]" */
};

/* Fills *out; false with *err.  The same text as in the file would give the same error. */
bool sc_resolve(const struct sc_file *f, const struct sc_override *ov, uint32_t n,
                struct scenario *out, struct sc_error *err);

/*
 * What a user should know about a scenario that resolves, one "note: ..." line each: the formats
 * of its traffic files as they were recognised, pairs of settings that often surprise.
 */
void sc_notes_print(const struct sc_file *f, const struct sc_override *ov, uint32_t n, FILE *out);

/* Splits "group.key=value"; false with *err (unknown key: names the nearest). */
bool sc_override_parse(const char *text, struct sc_override *out, struct sc_error *err);

/*
 * The resolved scenario as a GKeyFile that, run again, repeats the run: every key of the table with
 * its value in base units, the seed, the version; [inject], [expect], [plot] as in the file.
 */
bool sc_manifest_write(const struct sc_file *f, const struct sc_override *ov, uint32_t n, FILE *out);

/* A key's value in base units as results.csv prints it ("0.0001", "4096", "1000000"). */
bool sc_value_base(const char *name, const char *value, char *out, size_t size, struct sc_error *err);

/* ---- sweep ------------------------------------------------------------------------------------ */

struct sc_point {
    struct sc_override *set; /* the plan's columns in their order; then [check], then extra */
    uint32_t sets;
};
struct sc_plan {
    char **column;           /* swept keys, "group.key", in file order */
    uint32_t columns;
    struct sc_point *point;  /* cross product, the first key slowest */
    uint32_t points;
};
/* extra: --set overrides (a swept key among them is fixed); check: [check] applies too.  All points resolve. */
bool sc_plan_make(const struct sc_file *f, const struct sc_override *extra, uint32_t extras, bool check,
                  struct sc_plan *out, struct sc_error *err);
void sc_plan_clear(struct sc_plan *p);

/* ---- groups that are not models: as read, with their lines --------------------------------------- */

struct sc_line {
    char *group;   /* "expect", "plot NAME", "check" */
    char *key, *value;
    int line;
};
/* All entries of groups named `group`, or beginning with it and a space, in file order. */
uint32_t sc_lines(const struct sc_file *f, const char *group, const struct sc_line **out);

/* The folder `folder` ("bench") of $RDMASIM_PATH, the source tree or the share folder; NULL: none. */
char *sc_share_folder(const char *folder);

/* ---- keys ------------------------------------------------------------------------------------- */

/*
 * Prints the table: key, type and unit, default, range or choices, meaning.  word: a group, "group.key", or
 * NULL for all; false with err if there is no such thing.
 */
bool sc_keys_print(FILE *out, const char *word, struct sc_error *err);
/* The same as the body of the man page (roff). */
void sc_keys_roff(FILE *out);

#endif
