/* Builders of tori and dragonflies, and what builders share.  Private to models/fabric. */
#ifndef FABRIC_TOPO_GRID_H
#define FABRIC_TOPO_GRID_H

#include "models/fabric/topo.h"

/* Adds an edge like another between two nodes; the hosts' cables to `leaves` switches in equal parts. */
void topo_put(struct topo *t, const struct topo_edge *like, uint32_t a, uint32_t b);
void topo_put_hosts(const struct topo_plan *p, struct topo *t, uint32_t leaves);

uint64_t grid_switches(const struct topo_plan *p);
uint64_t grid_trunks(const struct topo_plan *p);
bool grid_fits(const struct topo_plan *p, char *why, size_t size);
void grid_build(const struct topo_plan *p, struct topo *t);

uint64_t dragonfly_switches(const struct topo_plan *p);
uint64_t dragonfly_trunks(const struct topo_plan *p);
bool dragonfly_fits(const struct topo_plan *p, char *why, size_t size);
void dragonfly_build(const struct topo_plan *p, struct topo *t);

#endif
