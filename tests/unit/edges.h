/* Edges of topologies that tests write down by hand. */
#ifndef UNIT_EDGES_H
#define UNIT_EDGES_H

#include "models/fabric/topo.h"

/* Rates and delays do not matter to who reaches whom. */
#define EDGE(x, y)                                                                                 \
    {                                                                                              \
        .a = (x), .b = (y)                                                                         \
    }

#endif
