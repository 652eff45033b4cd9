/*
 * The loop's packets in flight, opened to whoever places them by hand.
 */
#ifndef EXPLORE_FLIGHT_H
#define EXPLORE_FLIGHT_H

#include "models/port/loop.h"

/* At index i; the caller keeps the order of arrival.  The payload goes over to the loop. */
void flight_put(struct loop *l, uint32_t i, struct loop_packet p);

/* The packet at index i leaves; its payload is the caller's. */
struct loop_packet flight_take(struct loop *l, uint32_t i);

#endif
