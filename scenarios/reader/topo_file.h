/*
 * Topology files: who is joined with whom.  Formats are told apart by content, never by name; what was
 * seen is said in words.
 *
 *   ours            "a,b,rate,delay", then "h0,s0,100Gbps,1us" a line; rate and delay may be empty
 *   the ns-3 family "NODES SWITCHES LINKS", the switches' ids, then "a b rate delay error_rate" a line
 *   htsim           "Nodes N", "Tiers T", then a block for each tier
 *   ibnetdiscover   'Switch 36 "S-…"' and 'Ca 2 "H-…"' records, a port a line; ibsim's net files likewise
 *
 * Hosts and switches are numbered in the order of the file.
 */
#ifndef READER_TOPO_FILE_H
#define READER_TOPO_FILE_H

#include <glib.h>

#include "models/fabric/topo.h"
#include "scenarios/reader/lines.h"

/* What holds where the file says nothing. */
struct topo_defaults {
    uint64_t rate_bps;
    tm_ps delay_ps;
};

/* false with *err, place included.  out: ended by topo_clear. */
bool topo_file_read(const char *path, const struct topo_defaults *def, struct topo *out,
                    char *seen, size_t seen_size, struct sc_error *err);

/* ---- between the readers ------------------------------------------------------------------------ */

struct topo_reading {
    struct text text;
    const struct topo_defaults *def;
    GArray *edge;     /* struct topo_edge; ends number hosts and switches as the format does */
    uint32_t hosts, switches;
    struct sc_error *err;
};
bool topo_edge_add(struct topo_reading *r, const struct topo_edge *e);
bool topo_rate(struct topo_reading *r, const char *text, uint64_t *out);
bool topo_delay(struct topo_reading *r, const char *text, tm_ps *out);

/* Each reads from the line it is given on.  Edges come out with hosts first, then switches. */
typedef bool topo_reader(struct topo_reading *r, char *line);
topo_reader topo_read_ours, topo_read_ns3, topo_read_htsim, topo_read_ib;

#endif
