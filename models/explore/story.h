/*
 * One schedule as it was played: packets that left, with their fates, packets that arrived, timers,
 * completions, in the order of time.
 */
#ifndef EXPLORE_STORY_H
#define EXPLORE_STORY_H

#include "models/explore/fate.h"
#include "models/transport/xp.h"

enum story_kind { STORY_LEFT, STORY_ARRIVED, STORY_TIMER, STORY_DONE, STORY_RECEIVED };

struct story_event {
    tm_ps at;
    enum story_kind kind;
    uint8_t end;          /* where it happens */
    struct fault fault;   /* LEFT: which packet of its direction, and its fate */
    uint64_t packet;      /* LEFT, ARRIVED: the same number; of a copy too */
    struct wire_hdr h;    /* LEFT, ARRIVED */
    struct wire_ext e;
    struct xp_wc wc;      /* DONE, RECEIVED */
};

struct story {
    struct story_event *event;
    uint32_t count, cap;
};

void story_add(struct story *s, const struct story_event *e);
void story_clear(struct story *s);

#endif
