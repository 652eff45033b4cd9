/*
 * A message alone on the empty fabric, by the recurrence of store and forward.
 *
 * Packet i leaves hop j at dep[j] = max(arrival, dep[j]) + serialisation: exactly what link_send
 * does, so the result equals the simulation's to the picosecond.  Of several ways the first counts: they
 * have the same number of links.
 *
 * Equal packets in a row move every hop by a fixed step for a while: a hop that packets wait for
 * by its own serialisation, one that waits for packets by the step of the hop before it.  How
 * long that holds follows from the waiting times, so the loop jumps over such stretches; it
 * steps only where a queue runs empty or starts to form.  A message costs a few dozen steps
 * whatever its length.
 */
#include "models/fabric/link.h"
#include "sim/base/check.h"

#define HOPS_MAX 256

struct path {
    const struct link *hop[HOPS_MAX];
    uint32_t hops;
    tm_ps dep[HOPS_MAX];  /* when the hop's last packet had left */
    tm_ps wait[HOPS_MAX]; /* of the last packet for the wire; negative: the wire had waited */
};

static void path_init(struct path *w, const struct fab *f, uint32_t src, uint32_t dst)
{
    const struct link *l = f->uplink[src];
    *w = (struct path){.hops = 0};
    w->hop[w->hops++] = l;
    while (l->route) {
        CHECK(w->hops < HOPS_MAX);
        const struct link *next = l->route[dst];
        l = next ? next : route_first(l, dst);
        w->hop[w->hops++] = l;
    }
}

/* Sends one packet; when it arrives. */
static tm_ps path_step(struct path *w, uint32_t bytes)
{
    tm_ps at = 0;
    for (uint32_t j = 0; j < w->hops; j++) {
        w->wait[j] = w->dep[j] - at;
        w->dep[j] = tm_max(at, w->dep[j]) + link_serialise(w->hop[j], bytes);
        at = w->dep[j] + w->hop[j]->extra_ps;
    }
    return at;
}

/*
 * How many packets like the last one, at most n, move every hop by a fixed step, which goes to
 * step[].  wait[j] grows by serialisation - step of the hop before with each of them.
 */
static uint64_t path_steady(const struct path *w, uint32_t bytes, uint64_t n, tm_ps *step)
{
    tm_ps before = 0; /* all packets are ready at 0 */
    for (uint32_t j = 0; j < w->hops; j++) {
        tm_ps ser = link_serialise(w->hop[j], bytes);
        bool waited_for = w->wait[j] >= 0;
        if (!waited_for && before < ser)
            return 0;
        if (waited_for && before > ser) {
            uint64_t until_empty = (uint64_t)(w->wait[j] / (before - ser));
            n = until_empty < n ? until_empty : n;
        }
        step[j] = waited_for ? ser : before;
        before = step[j];
    }
    return n;
}

static void path_repeat(struct path *w, uint32_t bytes, uint64_t n)
{
    tm_ps step[HOPS_MAX];
    while (n > 0) {
        path_step(w, bytes);
        n--;
        uint64_t jump = path_steady(w, bytes, n, step);
        for (uint32_t j = 0; j < w->hops && jump > 0; j++)
            w->dep[j] += (tm_ps)jump * step[j];
        n -= jump;
    }
}

static uint32_t bytes_on_wire(const struct fab *f, uint32_t headers, uint64_t payload)
{
    return wire_overhead_bytes(f->cfg.encap) + headers + (uint32_t)((payload + 3) / 4 * 4);
}

tm_ps fab_alone_ps(const struct fab *f, uint32_t src, uint32_t dst, uint64_t bytes, uint32_t mtu,
                   uint32_t first_headers, uint32_t other_headers)
{
    struct path w;
    CHECK(src < f->cfg.hosts && dst < f->cfg.hosts && mtu > 0);
    path_init(&w, f, src, dst);
    if (bytes <= mtu)
        return path_step(&w, bytes_on_wire(f, first_headers, bytes));
    uint64_t packets = (bytes + mtu - 1) / mtu;
    path_step(&w, bytes_on_wire(f, first_headers, mtu));
    path_repeat(&w, bytes_on_wire(f, other_headers, mtu), packets - 2);
    return path_step(&w, bytes_on_wire(f, other_headers, bytes - (packets - 1) * mtu));
}
