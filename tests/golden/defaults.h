/*
 * What another profile than the captures' does in a capture, told row by row in a file.
 *
 * A row "CAPTURE : SIDE packet N : TEXT" names a packet, a completion ("a send 1") or the final
 * state ("a state") and what it is; comments begin with '#'.
 */
#ifndef GOLDEN_DEFAULTS_H
#define GOLDEN_DEFAULTS_H

#include "models/transport/xp.h"
#include "tests/golden/capture.h"

/* Runs every row; prints those that do not hold.  Their number, -1: the file cannot be read. */
int defaults_check(const char *path, const char *folder, const struct xp_profile *profile,
                   unsigned *rows);

#endif
