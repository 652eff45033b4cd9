/*
 * Topologies: shape and file become numbers and edges, and what does not fit is told before anything
 * else looks at the hosts.
 */
#include <glib.h>
#include <string.h>

#include "scenarios/reader/resolve.h"
#include "scenarios/reader/topo_file.h"
#include "scenarios/reader/traffic.h"

#define WHY_MAX 200

static const char *const topo_endings[] = {"", ".csv", ".topo", ".txt", ".net", NULL};
static const struct lookup topologies = {"topologies", "topology", topo_endings};

static bool is_given(const char *text) { return strcmp(text, "none") != 0; }

/* "8x4" */
static bool read_shape(struct resolving *r)
{
    const char *text = r->s.given.shape;
    char **part = g_strsplit(text, "x", -1);
    uint32_t n = g_strv_length(part);
    bool ok = n >= 1 && n <= TOPO_DIMS;
    for (uint32_t i = 0; ok && i < n; i++) {
        uint64_t v;
        ok = value_whole(part[i], &v) == VALUE_OK && v >= 1 && v <= UINT16_MAX;
        r->s.fabric.dim[i] = ok ? (uint32_t)v : 0;
    }
    g_strfreev(part);
    const char *want = topo_dims_text(r->s.fabric.topology);
    return ok || resolve_fail(r, "fabric.shape", "'%s' is no shape; give %s", text,
                              want ? want : "numbers from 1 to 65535 with x between");
}

static bool take_file(struct resolving *r)
{
    const struct topo_defaults def = {r->s.fabric.rate_bps, r->s.fabric.delay_ps};
    char seen[TRAFFIC_SEEN_MAX], why[WHY_MAX];
    char *path = lookup_find(r->f, &topologies, r->s.given.file, r->err);
    struct topo t;
    bool ok = path && topo_file_read(path, &def, &t, seen, sizeof seen, r->err);
    if (ok) {
        r->s.given.topo = g_new(struct topo, 1);
        *r->s.given.topo = t;
        r->s.fabric.given = r->s.given.topo;
        if (resolve_cell(r, "fabric.hosts")->given && r->s.fabric.hosts != t.hosts)
            ok = sc_fail(r->err, "%s has %u hosts, fabric.hosts says %u; leave that out", path,
                         t.hosts, r->s.fabric.hosts);
        r->s.fabric.hosts = t.hosts;
        ok = ok && (topo_is_whole(&t, why, sizeof why) || sc_fail(r->err, "%s: %s", path, why));
    }
    if (ok)
        resolve_seen(r, path, seen);
    g_free(path);
    return ok || sc_fail_at(r->err, "%s: ", resolve_cell(r, "fabric.file")->place);
}

/* Which key the user wants to look at: the shape where there is one. */
static bool check_plan(struct resolving *r)
{
    struct topo_plan plan = fab_plan(&r->s.fabric);
    char why[WHY_MAX];
    if (topo_fits(&plan, why, sizeof why))
        return true;
    return resolve_fail(r,
                        is_given(r->s.given.shape)      ? "fabric.shape"
                        : topo_dims_text(plan.topology) ? "fabric.topology"
                                                        : "fabric.hosts",
                        "%s", why);
}

static bool check_file(struct resolving *r)
{
    bool wanted = r->s.fabric.topology == FAB_FILE;
    if (wanted && is_given(r->s.given.shape))
        return resolve_fail(r, "fabric.shape", "a file has its own shape; leave it out");
    if (wanted && is_given(r->s.given.file))
        return take_file(r);
    if (wanted)
        return resolve_fail(r, "fabric.topology", "give fabric.file, the file's name");
    if (is_given(r->s.given.file))
        return resolve_fail(r, "fabric.file", "only topology = file reads one; leave it out");
    return true;
}

static bool check_trunk(struct resolving *r)
{
    static const char *const key[] = {"fabric.trunk_rate", "fabric.trunk_delay"};
    const bool set[] = {r->s.fabric.trunk_rate_bps != 0, r->s.fabric.trunk_delay_ps != TM_NEVER};
    enum fab_topology t = r->s.fabric.topology;
    for (int i = 0; i < 2; i++) {
        if (set[i] && t == FAB_FILE)
            return resolve_fail(r, key[i],
                                "the file has rates and delays of its own; leave it out");
        if (set[i] && (t == FAB_PAIR || t == FAB_STAR))
            return resolve_fail(r, key[i],
                                "there are no links between switches; leave it out or give "
                                "another topology");
    }
    return true;
}

/* Routes are kept for each switch and host. */
#define ROUTES_MAX ((uint64_t)1 << 28)
#define REACH_MAX 125u /* half of what a packet counts */

static bool check_ways(struct resolving *r)
{
    char why[WHY_MAX];
    struct topo t;
    struct paths p;
    uint32_t from, host;
    fab_topo(&r->s.fabric, &t);
    bool fits = (uint64_t)t.switches * t.hosts <= ROUTES_MAX,
         ok = fits && paths_reach(&t) <= REACH_MAX;
    g_snprintf(why, sizeof why,
               "%u switches and %u hosts are more than this program has routes for", t.switches,
               t.hosts);
    if (fits && !ok)
        g_snprintf(why, sizeof why, "some hosts may be more than %u links apart", 2 * REACH_MAX);
    if (ok && r->s.fabric.paths == PATHS_UP_DOWN) {
        paths_find(&t, PATHS_UP_DOWN, &p);
        ok = !paths_missing(&t, &p, &from, &host);
        paths_clear(&p);
        if (!ok)
            g_snprintf(why, sizeof why, "up-down leaves no way from s%u to h%u; give shortest",
                       from - t.hosts, host);
    }
    topo_clear(&t);
    return ok ||
           resolve_fail(r, r->s.fabric.paths == PATHS_UP_DOWN ? "fabric.paths" : "fabric.topology",
                        "%s", why);
}

bool check_fabric(struct resolving *r)
{
    if (is_given(r->s.given.shape) && !read_shape(r))
        return false;
    if (!check_file(r) || !check_trunk(r))
        return false;
    return (r->s.fabric.topology == FAB_FILE || check_plan(r)) && check_ways(r);
}
