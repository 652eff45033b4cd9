/*
 * Scripted faults at work: which rule acts on a packet, and what it sets.  Private to the fabric.
 *
 * A rule's counters follow the packets that reach it, so they mean the same on every machine only
 * if these come in one order: inject_is_pinned tells whether one sender alone can reach it.
 */
#ifndef FABRIC_INJECT_RUN_H
#define FABRIC_INJECT_RUN_H

#include "models/fabric/inject.h"
#include "models/wire/frame.h"
#include "models/wire/pkt.h"

struct inject_run;

/* Copies the rules.  list may be NULL. */
struct inject_run *inject_run_new(const struct inject_list *list, uint64_t seed);
void inject_run_free(struct inject_run *r);
const struct inject_list *inject_rules(const struct inject_run *r);

/* Does the rule look at packets put on the link from node `from` to node `to`? */
bool inject_looks_at(const struct inject_rule *rule, uint32_t from, uint32_t to, uint32_t hosts);

/* Does the rule select by the IP identification? */
bool inject_asks_ip_id(const struct inject_rule *rule);

/* Does the rule take packets out of their order, on the links it looks at? */
bool inject_reorders(const struct inject_rule *rule);

/* False if the rule counts or draws, and packets of several senders reach it. */
bool inject_is_pinned(const struct inject_rule *rule);

/*
 * The rule of rule[0 .. rules-1] (indices, in file order) that acts on a packet put on a link, or
 * NULL.  A link that is down comes first, whatever its place.  The packet is on the link, waiting
 * before it included, from `now` to `until`.  Counts.
 */
const struct inject_rule *inject_judge(struct inject_run *r, const uint32_t *rule, uint32_t rules,
                                       const struct pkt *p, tm_ps now, tm_ps until);

/* Sets the rule's fields in the packet, and its bytes on the wire. */
void inject_rewrite(const struct inject_rule *rule, struct pkt *p, enum wire_encap encap);

/* The packet that rule number `rule` forges.  Counts it as fired. */
void inject_forge(struct inject_run *r, uint32_t rule, enum wire_encap encap, struct pkt *out);

uint64_t inject_fired(const struct inject_run *r, uint32_t rule);

#endif
