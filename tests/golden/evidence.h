/*
 * The table of quirks, held to its word: a profile that lacks a quirk does not pass the captures that
 * the table names as its evidence.
 */
#ifndef GOLDEN_EVIDENCE_H
#define GOLDEN_EVIDENCE_H

#include "models/transport/xp.h"

/*
 * Reads the table of a Markdown file: quirk | specification | evidence | profile.  Captures in
 * brackets are not evidence.  Prints what does not hold; the number of such captures, -1: the file
 * cannot be read.  *pairs: how many pairs of quirk and capture were looked at.
 */
int evidence_check(const char *path, const char *folder, const struct xp_profile *profile,
                   unsigned *pairs);

#endif
