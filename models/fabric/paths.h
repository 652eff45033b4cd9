/*
 * Ways through a topology: for each switch and host the links that lead there, equal ones together.
 * Private to models/fabric and to those who check what a file describes.
 */
#ifndef FABRIC_PATHS_H
#define FABRIC_PATHS_H

#include "models/fabric/topo.h"

/*
 * Which ways count as good.  Shortest: fewest links.  Up-down (Schroeder et al., Autonet, 1991):
 * switches have an order, those far from hosts first, and no packet goes up after it went down:
 * waiting for buffers then never closes a cycle.
 */
enum fab_paths { PATHS_SHORTEST, PATHS_UP_DOWN };

#define PATHS_NONE UINT32_MAX  /* no way */
#define PATHS_MANY 0x80000000u /* with this bit: an index of set[], else a link */

struct path_set {
    uint32_t first, count; /* hop[first .. first + count - 1], links in rising order */
};
struct paths {
    uint32_t *of; /* [switch * hosts + host] */
    struct path_set *set;
    uint32_t *hop;
    uint32_t sets, hops, sets_cap, hops_cap;
};

void paths_find(const struct topo *t, enum fab_paths kind, struct paths *out);
void paths_clear(struct paths *p);

/* A host that some switch with hosts does not reach; false: all reach all.  *from is such a switch. */
bool paths_missing(const struct topo *t, const struct paths *p, uint32_t *from, uint32_t *host);

/* Links on the way from host 0 to the host that is farthest from it; no two are farther apart than twice that. */
uint32_t paths_reach(const struct topo *t);

#endif
