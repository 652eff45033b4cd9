/*
 * trace.pcap: what the hosts of a run put on the wire, as a capture at their ports would show it.
 *
 * Hosts have names of their own there: host N is 10.0.0.0/8 plus N + 1 (fd00:: plus N + 1 over IPv6), the
 * UDP source port is 0xc000 plus 14 bits of the flow's entropy.  Payload that the run does not move is
 * zeros of the right length.
 *
 * Left out: what happens behind the port.  A packet that a link loses is in the capture, and one
 * that a rule forges at the port; a copy that a rule makes on the way is not.
 */
#ifndef RUN_CAPTURE_H
#define RUN_CAPTURE_H

#include <stdbool.h>
#include <stdint.h>

#include "models/wire/frame.h"
#include "models/wire/pkt.h"

struct capture;

/* false, with why in err: a run of this encapsulation has no frames that a capture could hold. */
bool capture_fits(enum wire_encap encap, char *err, uint32_t err_size);

/* NULL with "PATH: why" in err.  Afterwards exactly one of commit or drop. */
struct capture *capture_new(const char *path, enum wire_encap encap, char *err, uint32_t err_size);
/* A packet leaves its host's port. */
void capture_note(struct capture *c, const struct pkt *p, tm_ps now);
/* Makes the file appear and frees; false with a message. */
bool capture_commit(struct capture *c, char *err, uint32_t err_size);
void capture_drop(struct capture *c);

/* A host's addresses, both directions of a packet. */
void capture_addr(const struct pkt *p, enum wire_encap encap, struct wire_addr *a);

#endif
