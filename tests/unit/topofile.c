/* See topofile.h. */
#include "tests/unit/topofile.h"

#include <stdio.h>
#include <string.h>

#include "tests/unit/sctest.h"

static const char *edges_text(const char *path, char *seen, size_t size)
{
    static char out[8000];
    static struct sc_error err;
    static const struct topo_defaults def = {40000000000, 250000};
    char format[160];
    struct topo t;
    if (!topo_file_read(path, &def, &t, format, sizeof format, &err))
        return sctest_said(&err);
    size_t n = (size_t)snprintf(out, sizeof out, "%u hosts, %u switches:", t.hosts, t.switches);
    for (uint32_t e = 0; e < t.edges; e++) {
        const struct topo_edge *c = &t.edge[e];
        n += (size_t)snprintf(out + n, sizeof out - n, "%s %u-%u %llu %lld %llu", e ? "," : "",
                              c->a, c->b, (unsigned long long)c->rate_bps / 1000000,
                              (long long)c->delay_ps, (unsigned long long)c->loss_threshold);
    }
    topo_clear(&t);
    if (seen)
        snprintf(seen, size, "%s", format);
    return out;
}

const char *topofile_text(const char *text, char *seen, size_t size)
{
    return edges_text(sctest_write("x.topo", text, strlen(text)), seen, size);
}

const char *topofile_shipped(const char *name)
{
    char path[200];
    snprintf(path, sizeof path, "scenarios/topologies/%s", name);
    return edges_text(path, NULL, 0);
}
