/*
 * Result folders: their names, and whose results they hold.
 *
 * The first line of a manifest names its scenario ("# scenario: STEM"), so a folder is recognised and
 * a manifest that is run again keeps the name of the scenario it came from.
 */
#ifndef RUN_OUT_DIR_H
#define RUN_OUT_DIR_H

#include <stdbool.h>
#include <stdint.h>

#include "scenarios/reader/scenario.h"

/* "incast" for "scenarios/incast.ini"; for a manifest the name in its first line.  g_free. */
char *scenario_stem(const char *path);

/* Makes a folder and its parents; it may be there.  false with a message. */
bool folder_make(const char *dir, char *err, uint32_t err_size);

/*
 * Makes DIR (and its parents).  0; 2 if it holds the results of a scenario of another name; 3 if
 * it cannot be made or written to.  Message in err.
 */
int out_dir_open(const char *dir, const char *stem, char *err, uint32_t err_size);

/*
 * Keeps a second process out of DIR until *lock is closed (or all processes that hold it have ended).
 * false with a message if another has it; a file system without locks locks nobody out (*lock -1).
 */
bool out_dir_lock(const char *dir, int *lock, char *err, uint32_t err_size);

/* Removes the tables that an earlier run or sweep left: they would pass for those of the next. */
void out_dir_clear_tables(const char *dir);

/*
 * The text of a manifest: name, then sc_manifest_write, then [sweep] if with_sweep (keys
 * among the overrides keep their column, with that one value).  NULL if it cannot be made; g_free.
 */
char *manifest_text(const struct sc_file *f, const struct sc_override *ov, uint32_t n,
                    const char *stem, bool with_sweep);

/* Removes a folder and all in it (folders made by mkdtemp for `check`). */
void out_dir_remove(const char *dir);

#endif
