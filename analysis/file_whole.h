/*
 * A file that appears whole or not at all.
 *
 * It is written under PATH.part, flushed to the disk and renamed; on any failure the part is removed
 * and what stood at PATH before stays.  A PATH that is no regular file (a device, a pipe, a link)
 * is written in place: there is nothing to rename over.
 */
#ifndef ANALYSIS_FILE_WHOLE_H
#define ANALYSIS_FILE_WHOLE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct file_whole {
    FILE *out;         /* where to write between open and commit */
    char *path, *part; /* part NULL: written in place */
};

/* Opens; false with "PATH: why" in err.  Afterwards exactly one of commit or drop. */
bool file_whole_open(struct file_whole *w, const char *path, char *err, uint32_t err_size);
/* Makes the file appear; false with a message if anything since open went wrong. */
bool file_whole_commit(struct file_whole *w, char *err, uint32_t err_size);
/* Gives up: removes the part. */
void file_whole_drop(struct file_whole *w);
/* All three steps for a text at hand. */
bool file_whole_put(const char *path, const char *text, char *err, uint32_t err_size);

#endif
