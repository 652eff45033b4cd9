/*
 * What links have counted: one by one, and all together.
 *
 * The hop counts packets and the bytes put on the wire; all else follows here from what the slow
 * paths counted and from what is still in flight.  The bytes that reached the far end are those
 * put on the wire, less the lost, the refused and the flying.
 */
#include <stdlib.h>
#include <string.h>

#include "models/fabric/fab.h"
#include "models/fabric/link.h"
#include "sim/base/check.h"

static uint64_t in_flight(const struct link *l)
{
    const struct link_cold *c = l->cold;
    return (uint64_t)(l->ring.tail - l->ring.head) + (c->staged.tail - c->staged.head) +
           (c->staged_late.tail - c->staged_late.head) + c->late.count;
}

static uint64_t ring_bytes(const struct ring *r)
{
    uint64_t bytes = 0;
    for (uint32_t i = r->head; i != r->tail; i++)
        bytes += r->pkt[i & (r->cap - 1)].wire_bytes;
    return bytes;
}

static uint64_t flying_bytes(const struct link *l)
{
    const struct link_cold *c = l->cold;
    uint64_t bytes = ring_bytes(&l->ring) + ring_bytes(&c->staged) + ring_bytes(&c->staged_late);
    for (uint32_t i = 0; i < c->late.count; i++)
        bytes += c->late.pkt[i].wire_bytes;
    return bytes;
}

/* What the link sends in the time, rounded up to a byte. */
static uint64_t bytes_in(const struct link *l, tm_ps time)
{
    unsigned __int128 bit_ps = (unsigned __int128)time * l->cold->rate_bps;
    uint64_t byte_ps = 8 * (uint64_t)TM_S;
    return (uint64_t)((bit_ps + byte_ps - 1) / byte_ps);
}

static uint64_t dropped(const struct link *l, uint64_t by_reason[FAB_DROPS])
{
    uint64_t sum = 0;
    memcpy(by_reason, l->cold->dropped, sizeof l->cold->dropped);
    by_reason[FAB_DROP_CORRUPT] += l->corrupt;
    by_reason[FAB_DROP_DOWN] += l->dead;
    for (int i = 0; i < FAB_DROPS; i++)
        sum += by_reason[i];
    return sum;
}

static bool at_switch(const struct fab *f, const struct link *l)
{
    return l->cold->from >= f->cfg.hosts;
}

/* ---- one link -------------------------------------------------------------------------------- */

uint32_t fab_links(const struct fab *f) { return f->links; }


const struct link *fab_link(const struct fab *f, uint32_t i)
{
    CHECK(i < f->links);
    return &f->link[i];
}

/* The link's name is "NODE-PEER". */
static void name_ends(const char *name, struct link_counts *out)
{
    const char *dash = strchr(name, '-');
    CHECK(dash && (size_t)(dash - name) < sizeof out->node && strlen(dash) <= sizeof out->peer);
    memcpy(out->node, name, (size_t)(dash - name));
    memcpy(out->peer, dash + 1, strlen(dash));
}

void link_count_drop(struct link *l, const struct pkt *p, enum fab_drop why)
{
    struct link_cold *c = l->cold;
    c->dropped[why]++;
    if (!c->lost_of)
        c->lost_of = calloc(l->fab->cfg.hosts, sizeof *c->lost_of);
    CHECK(c->lost_of && p->src_host < l->fab->cfg.hosts);
    c->lost_of[p->src_host]++;
}

uint64_t fab_lost_of(const struct fab *f, uint32_t host)
{
    uint64_t n = 0;
    for (uint32_t i = 0; i < f->links; i++)
        if (f->link[i].cold->lost_of)
            n += f->link[i].cold->lost_of[host];
    return n;
}

void fab_link_counts(const struct fab *f, uint32_t i, struct link_counts *out)
{
    const struct link *l = fab_link(f, i);
    const struct link_cold *c = l->cold;
    memset(out, 0, sizeof *out);
    name_ends(c->name, out);
    dropped(l, out->dropped);
    out->is_switch_port = at_switch(f, l);
    out->rate_bps = c->rate_bps;
    out->sent = l->sent - c->dropped[FAB_DROP_BUFFER] - c->copies;
    out->sent_bytes = l->sent_bytes;
    out->copies = c->copies;
    out->arrived = l->arrived + l->corrupt;
    out->arrived_bytes = l->sent_bytes - (uint64_t)c->lost_bytes - c->dead_bytes - flying_bytes(l);
    out->in_flight = in_flight(l);
    out->queue_bytes_max = out->is_switch_port ? bytes_in(l, l->backlog_max_ps) : 0;
}

void fab_link_moment(const struct fab *f, uint32_t i, tm_ps now, struct link_moment *out)
{
    const struct link *l = fab_link(f, i);
    uint64_t by_reason[FAB_DROPS];
    uint64_t queue = l->busy_until > now ? bytes_in(l, l->busy_until - now) : 0;
    out->queue_bytes = queue < l->sent_bytes ? queue : l->sent_bytes;
    out->gone_bytes = l->sent_bytes - out->queue_bytes;
    out->dropped = dropped(l, by_reason);
}

tm_ps fab_busy_until(const struct fab *f)
{
    tm_ps at = 0;
    for (uint32_t i = 0; i < f->links; i++)
        at = tm_max(at, f->link[i].busy_until);
    return at;
}

/* ---- all links ------------------------------------------------------------------------------- */

static void count_link(const struct fab *f, const struct link *l, struct fab_counts *out)
{
    uint64_t flying = in_flight(l), by_reason[FAB_DROPS];
    uint64_t gone = dropped(l, by_reason);
    CHECK(l->sent == l->arrived + gone + flying);
    for (int i = 0; i < FAB_DROPS; i++)
        out->dropped[i] += by_reason[i];
    out->sent += l->sent;
    out->arrived += l->arrived;
    out->in_flight += flying;
    out->injected += l->cold->injected;
    if (!at_switch(f, l))
        return;
    uint64_t queue_bytes = bytes_in(l, l->backlog_max_ps);
    if (queue_bytes > out->queue_bytes_max)
        out->queue_bytes_max = queue_bytes;
}

void fab_counts(const struct fab *f, struct fab_counts *out)
{
    memset(out, 0, sizeof *out);
    for (uint32_t i = 0; i < f->links; i++)
        count_link(f, &f->link[i], out);
}
