/*
 * A device whose QPs send through contexts: one for each other host, shared by all of the host's QPs.
 *
 * To its consumer it is a `struct vb` whose QPs are joined in pairs: each sends to the QP and the host that it
 * is given on its way to RTR.  Contexts are made with the device, in the order of the hosts, so that each knows
 * its counterpart's number; one is connected when the first QP needs it.
 *
 * Left out: a context that has failed is not made anew; what a host's memory takes for them.
 */
#ifndef LOAD_CONTEXTS_H
#define LOAD_CONTEXTS_H

#include "models/verbs/vb.h"

struct contexts;

struct contexts_cfg {
    enum xp_service_id service, context;
    uint32_t host, hosts;
    uint32_t qps; /* at most */
};

/* The device below stays the caller's.  NULL: it refused a context. */
struct contexts *contexts_new(struct vb below, const struct contexts_cfg *cfg);
void contexts_free(struct contexts *v);
struct vb contexts_vb(struct contexts *v);

#endif
