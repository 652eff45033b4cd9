/*
 * What the search knows already: how many schedules start in a state with so many faults to place.
 *
 * A table of hashes, not of states: two states that share one of 64 bits would be taken for the
 * same.  With a million states that has a chance of 1 in 37 million.
 */
#ifndef EXPLORE_SEEN_H
#define EXPLORE_SEEN_H

#include <stdbool.h>
#include <stdint.h>

struct seen_entry {
    uint64_t key, schedules; /* 0 schedules: free */
};

struct seen {
    struct seen_entry *entry;
    uint64_t used, mask;
};

void seen_init(struct seen *s);
void seen_fini(struct seen *s);

/* 0: not known. */
uint64_t seen_find(const struct seen *s, uint64_t state, uint32_t faults_left);
/* schedules > 0; a pair is put in once. */
void seen_put(struct seen *s, uint64_t state, uint32_t faults_left, uint64_t schedules);

#endif
