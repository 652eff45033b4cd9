/*
 * Random times without floating point: the same bytes on every machine.
 */
#ifndef LOAD_DIST_H
#define LOAD_DIST_H

#include <stdint.h>

#include "sim/base/tm.h"

#define DIST_ONE_BITS 56 /* load_neg_ln's result is a multiple of 2^-56 */

/* -ln(u / 2^64) in units of 2^-56, off by a few units at most; u 0 is taken as 1. */
uint64_t load_neg_ln(uint64_t u);

/* An exponential time for the uniform draw u; mean_ps256 is its mean in 1/256 ps, below 2^63. */
tm_ps load_exponential(uint64_t mean_ps256, uint64_t u);

#endif
