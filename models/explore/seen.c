/*
 * Open addressing, doubled when two thirds are taken.
 */
#include "models/explore/seen.h"

#include <stdlib.h>

#include "sim/base/check.h"
#include "sim/base/rng.h"

enum { SEEN_FIRST = 1 << 12 };

static void make(struct seen *s, uint64_t size)
{
    s->entry = calloc(size, sizeof *s->entry);
    CHECK(s->entry != NULL);
    s->mask = size - 1;
    s->used = 0;
}

void seen_init(struct seen *s) { make(s, SEEN_FIRST); }

void seen_fini(struct seen *s) { free(s->entry); }

static uint64_t key_of(uint64_t state, uint32_t left)
{
    return rng_mix(state + (uint64_t)(left + 1) * 0x9e3779b97f4a7c15u);
}

/* Where the key stands or would. */
static struct seen_entry *slot(const struct seen *s, uint64_t key)
{
    uint64_t i = key & s->mask;
    while (s->entry[i].schedules != 0 && s->entry[i].key != key)
        i = (i + 1) & s->mask;
    return &s->entry[i];
}

static void put(struct seen *s, uint64_t key, uint64_t schedules)
{
    struct seen_entry *e = slot(s, key);
    s->used += e->schedules == 0;
    *e = (struct seen_entry){key, schedules};
}

static void grow(struct seen *s)
{
    struct seen old = *s;
    make(s, (old.mask + 1) * 2);
    for (uint64_t i = 0; i <= old.mask; i++)
        if (old.entry[i].schedules != 0)
            put(s, old.entry[i].key, old.entry[i].schedules);
    free(old.entry);
}

uint64_t seen_find(const struct seen *s, uint64_t state, uint32_t faults_left)
{
    return slot(s, key_of(state, faults_left))->schedules;
}

void seen_put(struct seen *s, uint64_t state, uint32_t faults_left, uint64_t schedules)
{
    CHECK(schedules > 0);
    if (s->used * 3 >= s->mask * 2)
        grow(s);
    put(s, key_of(state, faults_left), schedules);
}
