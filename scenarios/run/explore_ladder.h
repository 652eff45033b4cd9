/*
 * A story as a ladder: end a on the left, end b on the right, time down, one row a packet.
 */
#ifndef RUN_EXPLORE_LADDER_H
#define RUN_EXPLORE_LADDER_H

#include <stdio.h>

#include "models/explore/story.h"

/*
 * Packets stand where they arrive, with the times of leaving and arriving at their ends; lost ones where
 * they left, crossed out.  Completions and timers stand at their end.
 */
void explore_ladder(const struct story *s, FILE *out);

#endif
