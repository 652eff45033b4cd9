/*
 * A device whose QPs are two: one that sends, and one that serves what its peer sends, out of a queue that all
 * of the host share and requests name.
 *
 * To its consumer it is a `struct vb` whose QPs send and receive, with a shared receive queue each host must
 * have.  A QP goes by the number of its sending half; the serving half's is the next.
 *
 * Left out: more than one shared queue a host.
 */
#ifndef LOAD_HALVES_H
#define LOAD_HALVES_H

#include "models/verbs/vb.h"

struct halves;

/* sends, serves: the services of the halves.  The device below stays the caller's. */
struct halves *halves_new(struct vb below, enum xp_service_id sends, enum xp_service_id serves);
void halves_free(struct halves *v);
struct vb halves_vb(struct halves *v);

/* The serving half of the QP that goes by this number. */
static inline uint32_t halves_serving(uint32_t qpn) { return qpn + 1; }

#endif
