/* The two ways in which a capture is run, and what came of each. */
#ifndef GOLDEN_RUNS_H
#define GOLDEN_RUNS_H

#include "tests/golden/capture.h"
#include "models/transport/xp.h"

enum outcome { PASSED, FAILED, SKIPPED };

/* Both ends of ours, the capture's rules on the wire between them, against the whole record. */
enum outcome run_together(const struct capture *c, const struct xp_profile *profile,
                          struct trouble *why);

/*
 * Side `side` alone: the recorded packets arrive at their recorded times, and what it sends when the
 * record says that it sends is compared.
 */
enum outcome run_alone(const struct capture *c, unsigned side, const struct xp_profile *profile,
                       struct trouble *why);

/* All three; a reason for each way that does not pass. */
enum outcome run_capture(const struct capture *c, const struct xp_profile *profile,
                         struct trouble *why);

/* Does one of the three not pass? */
bool run_rejects(const struct capture *c, const struct xp_profile *profile);

/*
 * Runs it together and tells of a packet ("a packet 2"), a completion ("b recv 1") or the final state
 * ("a state"); "nothing" if there is none.  false: WHAT is none of these.
 */
bool together_tell(const struct capture *c, const struct xp_profile *profile, const char *what,
                   char *out, size_t size);

#endif
