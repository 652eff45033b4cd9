/*
 * Spans of time that come once, or again and again: links that are down, hosts that stall.
 *
 * Occurrence k is from_ps + k * every_ps <= t < until_ps + k * every_ps; no two overlap.
 */
#ifndef SIM_BASE_WINDOW_H
#define SIM_BASE_WINDOW_H

#include <stdbool.h>

#include "sim/base/tm.h"

struct window {
    tm_ps from_ps, until_ps; /* the first; until_ps TM_NEVER: without end */
    tm_ps every_ps;          /* from the beginning of one to that of the next; 0: there is one */
    uint32_t count;          /* how many; 0: without end.  Where every_ps is 0, it says nothing */
};

/* The first occurrence that ends after t: its number may lie beyond the last. */
static inline tm_ps window_index(const struct window *w, tm_ps t)
{
    if (t < w->until_ps)
        return 0;
    return w->every_ps ? (t - w->until_ps) / w->every_ps + 1 : 1;
}

static inline bool window_occurs(const struct window *w, tm_ps k)
{
    return k == 0 || (w->every_ps && (w->count == 0 || k < w->count));
}

/* Does some occurrence have a moment in common with a..b, both ends included? */
static inline bool window_meets(const struct window *w, tm_ps a, tm_ps b)
{
    tm_ps k = window_index(w, a);
    return window_occurs(w, k) && w->from_ps + k * w->every_ps <= b;
}

/* The end of the occurrence that t lies in; t itself outside of all. */
static inline tm_ps window_after(const struct window *w, tm_ps t)
{
    tm_ps k = window_index(w, t);
    if (!window_occurs(w, k) || t < w->from_ps + k * w->every_ps)
        return t;
    return w->until_ps == TM_NEVER ? TM_NEVER : w->until_ps + k * w->every_ps;
}

#endif
