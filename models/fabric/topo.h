/*
 * Topologies as plain lists of edges, and the ways over any of them.
 *
 * A topology is a builder that writes edges, or a list that was read from a file: links, names,
 * routes and domains follow from the list.  Nodes are numbered hosts first, then switches; link 2e
 * goes along edge e, link 2e + 1 back.
 *
 * Left out: hosts with more than one cable; they do not forward.
 */
#ifndef FABRIC_TOPO_H
#define FABRIC_TOPO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/base/tm.h"

enum fab_topology {
    FAB_PAIR,
    FAB_STAR,
    FAB_DUMBBELL,
    FAB_LEAF_SPINE,
    FAB_FAT_TREE,
    FAB_RING,
    FAB_TORUS,
    FAB_DRAGONFLY,
    FAB_FILE,
    FAB_TOPOLOGIES
};

struct topo_edge {
    uint32_t a, b;
    uint64_t rate_bps;
    tm_ps delay_ps;          /* propagation, one way */
    uint64_t loss_threshold; /* of this cable, beside the fabric's; see rng_hits */
};
struct topo {
    uint32_t hosts, switches;
    uint32_t edges; /* each is two links: a to b, then b to a */
    struct topo_edge *edge;
};

/* What a builder is told.  dim: numbers that shape the topology, by its kind (topo_dims_text). */
#define TOPO_DIMS 3u
struct topo_plan {
    enum fab_topology topology;
    uint32_t hosts;
    uint32_t dim[TOPO_DIMS];                /* 0: not given */
    struct topo_edge host_edge, trunk_edge; /* rates and delays; their ends are not looked at */
};

/*
 * Is there such a topology?  False: *why (TM_TEXT bytes at most) says what does not fit and what
 * would.  FAB_FILE is not a plan.
 */
bool topo_fits(const struct topo_plan *plan, char *why, size_t size);

/* What dim means: "leaves x spines", NULL where the topology takes none. */
const char *topo_dims_text(enum fab_topology topology);

/* Edges and switches of a plan that fits, without building it. */
uint32_t topo_edges(const struct topo_plan *plan);
uint32_t topo_switches(const struct topo_plan *plan);

/* Builds a plan that fits.  Ended by topo_clear. */
void topo_build(const struct topo_plan *plan, struct topo *out);
void topo_copy(const struct topo *from, struct topo *out);
void topo_clear(struct topo *t);

/*
 * Can it be run: each host has one cable, no cable leads from a node to itself, every host reaches
 * every other over switches?  False: *why names the nodes.
 */
bool topo_is_whole(const struct topo *t, char *why, size_t size);

/* Is there an edge between the two nodes? */
bool topo_joins(const struct topo *t, uint32_t a, uint32_t b);

#endif
