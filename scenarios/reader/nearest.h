/* The known word that a mistyped one most likely stands for. */
#ifndef READER_NEAREST_H
#define READER_NEAREST_H

#include <stdint.h>

/* Edits (insert, delete, replace, swap of neighbours) from a to b, case ignored. */
uint32_t nearest_distance(const char *a, const char *b);

/* The best so far while a caller walks its candidates. */
struct nearest {
    const char *word; /* what was written */
    const char *best; /* NULL: nothing is near enough to be worth naming */
    uint32_t distance;
};
struct nearest nearest_to(const char *word);
void nearest_try(struct nearest *n, const char *candidate);

#endif
