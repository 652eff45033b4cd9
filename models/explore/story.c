/*
 * The record of one schedule: a growing array.
 */
#include "models/explore/story.h"

#include <stdlib.h>

#include "sim/base/check.h"

void story_add(struct story *s, const struct story_event *e)
{
    if (s->count == s->cap) {
        s->cap = s->cap ? s->cap * 2 : 64;
        s->event = realloc(s->event, s->cap * sizeof *s->event);
        CHECK(s->event != NULL);
    }
    s->event[s->count++] = *e;
}

void story_clear(struct story *s)
{
    free(s->event);
    *s = (struct story){0};
}
