/*
 * The lines of a scenario file, before GKeyFile sees it.
 *
 * GKeyFile tells no line numbers, merges repeated keys without a word and stops at the first oddity;
 * this scan finds where each (group, key) stands and refuses what would be misread.
 */
#ifndef READER_SCAN_H
#define READER_SCAN_H

#include <stddef.h>
#include <stdint.h>

#include "scenarios/reader/fail.h"

#define SCAN_FILE_MAX (16u << 20)
#define SCAN_LINE_MAX 65536u
#define SCAN_ENTRIES_MAX 10000u

struct scan_entry {
    char *group, *key;
    int line;
};
struct scan {
    struct scan_entry *entry; /* file order; a group header is an entry with key NULL */
    uint32_t count;
    size_t skip;              /* a byte-order mark at the front */
};

/* name: of the file, for messages.  false with *err, and nothing to clear. */
bool scan_text(const char *name, const char *data, size_t len, struct scan *out,
               struct sc_error *err);
void scan_clear(struct scan *s);

#endif
