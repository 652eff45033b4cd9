/*
 * Traffic files: distributions of message sizes, and traces of flows.  Formats are told apart by
 * content, never by name; what was seen is said in words.
 */
#ifndef READER_TRAFFIC_H
#define READER_TRAFFIC_H

#include "scenarios/reader/fail.h"

#define TRAFFIC_SEEN_MAX 160

/*
 * Sizes: "bytes percent" (HPCC, conweave), "bytes fraction" (pFabric, ns3-datacenter), or our table with
 * the header size_bytes,cumulative.  seen: the format in words.  false with *err, place included.
 */
bool traffic_sizes(const char *path, struct load_size *out, char seen[TRAFFIC_SEEN_MAX],
                   struct sc_error *err);

/*
 * Flows: HPCC's flow file with and without dport, htsim's connection matrix (.cm).  Times stay as they
 * are in the file; flows come out in the order of their starts.  Hosts must be below `hosts`.
 */
bool traffic_flows(const char *path, uint32_t hosts, struct load_flow **flow, uint32_t *count,
                   char seen[TRAFFIC_SEEN_MAX], struct sc_error *err);

#endif
