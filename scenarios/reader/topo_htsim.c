/*
 * htsim's topology files: trees of two or three tiers, described tier by tier.
 *
 * A tier's switches have Radix_Down ports down and Radix_Up up, Bundle cables between the same two.  With
 * three tiers, Podsize hosts make a pod; the i-th switch of a pod's middle tier is joined with the i-th
 * group of top switches.
 *
 * Left out: switch latencies (fabric.switch_delay has them), queue sizes (fabric.buffer).
 */
#include <glib.h>
#include <string.h>

#include "scenarios/reader/topo_file.h"

#define TIERS_MAX 3u
#define NODES_MAX (1u << 17)

enum word { NODES, TIERS, PODSIZE, SPEED, RADIX_DOWN, RADIX_UP, LATENCY, BUNDLE, WORDS };

static const struct {
    const char *name;
    bool of_tier;
} words[WORDS] = {
    [NODES] = {"Nodes", false},
    [TIERS] = {"Tiers", false},
    [PODSIZE] = {"Podsize", false},
    [SPEED] = {"Downlink_speed_Gbps", true},
    [RADIX_DOWN] = {"Radix_Down", true},
    [RADIX_UP] = {"Radix_Up", true},
    [LATENCY] = {"Downlink_Latency_ns", true},
    [BUNDLE] = {"Bundle", true},
};

struct htsim {
    uint64_t head[WORDS];
    uint64_t tier[TIERS_MAX][WORDS];
    int at; /* the tier that is being read; -1: the head */
};

static bool put(struct topo_reading *r, struct htsim *h, const char *name, const char *value)
{
    uint64_t n;
    if (!text_u64(&r->text, name, value, NODES_MAX, &n, r->err))
        return false;
    if (g_ascii_strcasecmp(name, "Tier") == 0) {
        if (n >= TIERS_MAX)
            return text_fail(&r->text, r->err, "tier %s is too much; there are at most %u", value,
                             TIERS_MAX);
        h->at = (int)n;
        return true;
    }
    for (uint32_t w = 0; w < WORDS; w++) {
        if (g_ascii_strcasecmp(name, words[w].name) != 0)
            continue;
        if (words[w].of_tier != (h->at >= 0))
            return text_fail(&r->text, r->err, "%s belongs %s", name,
                             words[w].of_tier ? "behind a Tier" : "before the first Tier");
        (h->at >= 0 ? h->tier[h->at] : h->head)[w] = n;
        return true;
    }
    if (g_ascii_strcasecmp(name, "Switch_Latency_ns") == 0 && n > 0)
        return text_fail(&r->text, r->err,
                         "Switch_Latency_ns is not taken from the file; give 0 there, and "
                         "fabric.switch_delay");
    static const char *const idle[] = {"Switch_Latency_ns", "Oversubscribed", "Queue_Down_Packets",
                                       "Queue_Up_Packets"};
    for (size_t i = 0; i < G_N_ELEMENTS(idle); i++)
        if (g_ascii_strcasecmp(name, idle[i]) == 0)
            return true;
    return text_fail(&r->text, r->err, "'%s' is not a word of htsim's topologies", name);
}

static bool read_words(struct topo_reading *r, struct htsim *h, char *line)
{
    bool bad = false;
    for (; line; line = text_next(&r->text, &bad, r->err)) {
        char *field[TEXT_FIELDS_MAX];
        if (text_split(line, field) != 2)
            return text_fail(&r->text, r->err, "a line has 2 fields, a word and a number");
        if (!put(r, h, field[0], field[1]))
            return false;
    }
    return !bad;
}

/* `count` / `by`, where that is whole and positive. */
static bool part(struct topo_reading *r, const char *what, uint64_t count, uint64_t by,
                 uint32_t *out)
{
    if (by == 0 || count == 0 || count % by != 0)
        return text_fail(&r->text, r->err, "%s: %llu do not divide by %llu", what,
                         (unsigned long long)count, (unsigned long long)by);
    *out = (uint32_t)(count / by);
    return true;
}

static struct topo_edge like(const struct htsim *h, uint32_t tier)
{
    return (struct topo_edge){.rate_bps = h->tier[tier][SPEED] * 1000000000u,
                              .delay_ps = (tm_ps)h->tier[tier][LATENCY] * TM_NS};
}

struct sizes {
    uint32_t tors, pods, tors_pod, mids_pod, tops, tops_mid;
};

static uint64_t bundle_of(const struct htsim *h, uint32_t tier)
{
    return h->tier[tier][BUNDLE] ? h->tier[tier][BUNDLE] : 1;
}

/* A switch's ports up are all used: as many cables to each switch above as Bundle says. */
static bool ports_fit(struct topo_reading *r, const struct htsim *h, uint32_t tier, uint32_t above)
{
    uint64_t up = h->tier[tier][RADIX_UP], cables = above * bundle_of(h, tier + 1);
    if (up == cables)
        return true;
    return text_fail(
        &r->text, r->err,
        "Radix_Up %llu of tier %u does not fit: %u switches above, %llu cables to each",
        (unsigned long long)up, tier, above, (unsigned long long)bundle_of(h, tier + 1));
}

static bool speeds_fit(struct topo_reading *r, const struct htsim *h)
{
    if (h->head[TIERS] != 2 && h->head[TIERS] != 3)
        return text_fail(&r->text, r->err, "Tiers is 2 or 3, not %llu",
                         (unsigned long long)h->head[TIERS]);
    for (uint32_t i = 0; i < h->head[TIERS]; i++)
        if (h->tier[i][SPEED] == 0 || h->tier[i][SPEED] > 10000)
            return text_fail(&r->text, r->err, "Downlink_speed_Gbps of tier %u is not 1 to 10000",
                             i);
    return true;
}

static bool measure(struct topo_reading *r, const struct htsim *h, struct sizes *z)
{
    const uint64_t *t0 = h->tier[0], *t1 = h->tier[1], *t2 = h->tier[2];
    uint64_t pod = h->head[TIERS] == 3 ? h->head[PODSIZE] : h->head[NODES];
    if (!speeds_fit(r, h) || !part(r, "hosts over pods", h->head[NODES], pod, &z->pods) ||
        !part(r, "hosts of a pod over Radix_Down of tier 0", pod, t0[RADIX_DOWN], &z->tors_pod) ||
        !part(r, "ports up of tier 0 over Radix_Down of tier 1", z->tors_pod * t0[RADIX_UP],
              t1[RADIX_DOWN], &z->mids_pod) ||
        !ports_fit(r, h, 0, z->mids_pod))
        return false;
    z->tors = z->pods * z->tors_pod;
    if (h->head[TIERS] == 2)
        return true;
    return part(r, "ports up of tier 1 over Radix_Down of tier 2",
                (uint64_t)z->pods * z->mids_pod * t1[RADIX_UP], t2[RADIX_DOWN], &z->tops) &&
           part(r, "switches of tier 2 over those of tier 1 in a pod", z->tops, z->mids_pod,
                &z->tops_mid) &&
           ports_fit(r, h, 1, z->tops_mid);
}

static bool join(struct topo_reading *r, const struct htsim *h, uint32_t tier, uint32_t a,
                 uint32_t b)
{
    struct topo_edge e = like(h, tier);
    e.a = a;
    e.b = b;
    for (uint64_t i = 0; i < bundle_of(h, tier); i++)
        if (!topo_edge_add(r, &e))
            return false;
    return true;
}

static bool build(struct topo_reading *r, const struct htsim *h, const struct sizes *z)
{
    uint32_t hosts = (uint32_t)h->head[NODES], down = (uint32_t)h->tier[0][RADIX_DOWN];
    uint32_t tor = hosts, mid = tor + z->tors, top = mid + z->pods * z->mids_pod;
    struct topo_edge e = like(h, 0);
    bool ok = true;
    r->hosts = hosts;
    r->switches = z->tors + z->pods * z->mids_pod + z->tops;
    for (uint32_t n = 0; n < hosts && ok; n++) {
        e.a = n;
        e.b = tor + n / down;
        ok = topo_edge_add(r, &e);
    }
    for (uint32_t n = 0; n < z->tors && ok; n++)
        for (uint32_t m = 0; m < z->mids_pod && ok; m++)
            ok = join(r, h, 1, tor + n, mid + n / z->tors_pod * z->mids_pod + m);
    for (uint32_t m = 0; m < z->pods * z->mids_pod && ok; m++)
        for (uint32_t c = 0; c < z->tops_mid && ok; c++)
            ok = join(r, h, 2, mid + m, top + m % z->mids_pod * z->tops_mid + c);
    return ok;
}

bool topo_read_htsim(struct topo_reading *r, char *line)
{
    struct htsim h = {.at = -1};
    struct sizes z = {0};
    return read_words(r, &h, line) && measure(r, &h, &z) && build(r, &h, &z);
}
