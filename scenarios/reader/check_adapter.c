/* What of an adapter's inside does not fit together; see resolve.h. */
#include "scenarios/reader/resolve.h"

#define PACKET_HEADERS_MAX 150u /* of a packet on the wire, payload apart */

static bool check_ways(struct resolving *r, const char *key, const struct cache_cfg *c,
                       const char *entries)
{
    if (c->ways == 0 || (c->entries > 0 && c->entries % c->ways == 0))
        return true;
    if (c->entries == 0)
        return resolve_fail(r, key, "a cache with room for all has no ways; give %s, or all",
                            entries);
    return resolve_fail(r, key, "%u entries (%s) are no sets of %u; give a divisor of them, or all",
                        c->entries, entries, c->ways);
}

static bool check_moderation(struct resolving *r)
{
    const struct hca_cq_moderation *m = &r->s.hca.moderation;
    if (m->count == 1 || m->time_ps > 0)
        return true;
    return resolve_fail(r, "hca.cq_moderation",
                        "the last completions would wait for %u that never come; give "
                        "hca.cq_moderation_time, too",
                        m->count);
}

static bool check_buffer(struct resolving *r)
{
    uint64_t packet = r->s.qp.mtu + PACKET_HEADERS_MAX, room = r->s.hca.cost.rx_buffer_bytes;
    if (room == 0 || room >= packet)
        return true;
    return resolve_fail(r, "hca.rx_buffer",
                        "%u bytes hold no packet of qp.mtu = %u and its headers; give at least %uB",
                        (unsigned)room, r->s.qp.mtu, (unsigned)packet);
}

static bool check_host_depth(struct resolving *r)
{
    const struct load_cfg *l = &r->s.load;
    if (l->host_depth == 0)
        return true;
    if (l->load_ppm > 0 || l->pattern == LOAD_TRACE || l->pattern == LOAD_RPC)
        return resolve_fail(r, "workload.host_depth",
                            "it is for closed loops of single messages; leave out workload.load, "
                            "and pattern = trace or rpc");
    if (l->signal_every > 1)
        return resolve_fail(r, "workload.host_depth",
                            "messages on flows drawn at random imply nothing of each other; leave "
                            "workload.signal_every at 1");
    return true;
}

static bool check_region(struct resolving *r)
{
    const struct load_cfg *l = &r->s.load;
    if (l->region_bytes == 0)
        return true;
    if (l->payload == LOAD_PAYLOAD_VERIFY || l->pattern == LOAD_RPC)
        return resolve_fail(r, "workload.region",
                            "messages lie where payload = verify or pattern = rpc puts them; give "
                            "none");
    if (l->pattern != LOAD_TRACE && load_size_max(&l->size) > l->region_bytes)
        return resolve_fail(r, "workload.region",
                            "it is smaller than a message of workload.size; give more");
    return true;
}

bool check_adapter(struct resolving *r)
{
    const struct hca_cost_cfg *c = &r->s.hca.cost;
    return check_ways(r, "hca.ctx_ways", &c->ctx, "hca.ctx_entries") &&
           check_ways(r, "hca.read_ways", &c->read, "hca.read_entries") &&
           check_ways(r, "hca.mtt_ways", &c->mtt, "hca.mtt_entries") && check_moderation(r) &&
           check_buffer(r) && check_host_depth(r) && check_region(r);
}
