/*
 * A scenario, profile or preset file in memory: lines with their groups, keys and numbers.
 *
 * Loading refuses whatever is wrong without regard to other keys; what depends on several keys
 * is resolve.c's.
 */
#ifndef READER_FILE_H
#define READER_FILE_H

#include "scenarios/reader/fail.h"

enum file_role { FILE_SCENARIO, FILE_PROFILE, FILE_PRESET, FILE_ROLES };

struct sc_file {
    char *path, *dir;
    enum file_role role;
    struct sc_line *line; /* groups of one first word together, else file order */
    char **origin;        /* of each line, for overrides: "demo.ini:12: [sweep]" */
    uint32_t count;
};

struct sc_file *file_load(const char *path, enum file_role role, struct sc_error *err);

/* Puts "FILE:LINE: [group] key: " in front; always false. */
bool file_fail_at(const struct sc_file *f, const struct sc_line *l, struct sc_error *err);

/*
 * Finds NAME beside the file (in `folder` or right there), in $RDMASIM_PATH, in the source tree,
 * in the share folder, trying each ending ("" first if it is among them).  The caller frees it.
 * NULL: *err says that there is no such thing (`noun`), where it was looked for, what is near.
 */
struct lookup {
    const char *folder;         /* "profiles" */
    const char *noun;           /* "profile" */
    const char *const *endings; /* ends with NULL */
};
char *lookup_find(const struct sc_file *f, const struct lookup *how, const char *name,
                  struct sc_error *err);

#endif
