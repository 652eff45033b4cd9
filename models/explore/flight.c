/*
 * Insertion and removal in the sorted array of packets in flight.
 */
#include "models/explore/flight.h"

#include <stdlib.h>
#include <string.h>

#include "sim/base/check.h"

void flight_put(struct loop *l, uint32_t i, struct loop_packet p)
{
    CHECK(i <= l->flights);
    CHECK(i == 0 || l->flight[i - 1].at <= p.at);
    CHECK(i == l->flights || p.at <= l->flight[i].at);
    if (l->flights == l->flight_cap) {
        l->flight_cap = l->flight_cap ? l->flight_cap * 2 : 64;
        l->flight = realloc(l->flight, l->flight_cap * sizeof *l->flight);
        CHECK(l->flight != NULL);
    }
    memmove(l->flight + i + 1, l->flight + i, (l->flights - i) * sizeof *l->flight);
    l->flight[i] = p;
    l->flights++;
}

struct loop_packet flight_take(struct loop *l, uint32_t i)
{
    CHECK(i < l->flights);
    struct loop_packet p = l->flight[i];
    memmove(l->flight + i, l->flight + i + 1, (--l->flights - i) * sizeof *l->flight);
    return p;
}
