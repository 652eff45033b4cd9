/*
 * Tori and dragonflies.
 *
 * A torus of two or three sides: switch (x, y, z) has number x + X * (y + Y * z) and a cable to the
 * next one along each side, around the end; along a side of two there is one cable, not two.
 *
 * A dragonfly (Kim et al., ISCA 2008) in its balanced form: a switches to a group, joined each with
 * each; h links of every switch to other groups; a * h + 1 groups, so that there is one cable between
 * any two groups: group g's i-th goes to the group i + 1 behind it.
 */
#include "models/fabric/topo_grid.h"

#include <stdio.h>

static uint32_t side(const struct topo_plan *p, uint32_t i) { return p->dim[i] ? p->dim[i] : 1; }

static bool fits_equally(const struct topo_plan *p, uint64_t switches, char *why, size_t size)
{
    if (switches <= p->hosts && p->hosts % switches == 0)
        return true;
    snprintf(why, size, "%u hosts do not fit %llu switches; give a multiple of %llu", p->hosts,
             (unsigned long long)switches, (unsigned long long)switches);
    return false;
}

/* ---- torus --------------------------------------------------------------------------------------- */

uint64_t grid_switches(const struct topo_plan *p)
{
    return (uint64_t)side(p, 0) * side(p, 1) * side(p, 2);
}

static uint64_t cables_along(const struct topo_plan *p, uint32_t i)
{
    uint64_t n = side(p, i);
    return n == 1 ? 0 : grid_switches(p) / n * (n == 2 ? 1 : n);
}

uint64_t grid_trunks(const struct topo_plan *p)
{
    return cables_along(p, 0) + cables_along(p, 1) + cables_along(p, 2);
}

bool grid_fits(const struct topo_plan *p, char *why, size_t size)
{
    if (p->dim[0] >= 2 && p->dim[1] >= 2 && (p->dim[2] == 0 || p->dim[2] >= 2))
        return fits_equally(p, grid_switches(p), why, size);
    snprintf(why, size, "a side of a torus has at least 2 switches");
    return false;
}

void grid_build(const struct topo_plan *p, struct topo *t)
{
    uint32_t switches = (uint32_t)grid_switches(p), stride = 1;
    topo_put_hosts(p, t, switches);
    for (uint32_t i = 0; i < TOPO_DIMS; i++) {
        uint32_t n = side(p, i);
        for (uint32_t s = 0; s < switches && n > 1; s++) {
            uint32_t at = s / stride % n;
            if (n > 2 || at == 0)
                topo_put(t, &p->trunk_edge, p->hosts + s,
                         p->hosts + s - at * stride + (at + 1) % n * stride);
        }
        stride *= n;
    }
}

/* ---- dragonfly ------------------------------------------------------------------------------------- */

static uint64_t groups(const struct topo_plan *p) { return (uint64_t)p->dim[0] * p->dim[1] + 1; }

uint64_t dragonfly_switches(const struct topo_plan *p) { return groups(p) * p->dim[0]; }

uint64_t dragonfly_trunks(const struct topo_plan *p)
{
    uint64_t a = p->dim[0], g = groups(p);
    return g * (a * (a - 1) / 2) + g * (g - 1) / 2;
}

bool dragonfly_fits(const struct topo_plan *p, char *why, size_t size)
{
    return fits_equally(p, dragonfly_switches(p), why, size);
}

void dragonfly_build(const struct topo_plan *p, struct topo *t)
{
    uint32_t a = p->dim[0], h = p->dim[1], g = (uint32_t)groups(p), base = p->hosts;
    topo_put_hosts(p, t, g * a);
    for (uint32_t group = 0; group < g; group++)
        for (uint32_t i = 0; i < a; i++)
            for (uint32_t k = i + 1; k < a; k++)
                topo_put(t, &p->trunk_edge, base + group * a + i, base + group * a + k);
    for (uint32_t group = 0; group < g; group++) {
        for (uint32_t other = group + 1; other < g; other++) {
            uint32_t out = other - group - 1, back = g - 2 - out;
            topo_put(t, &p->trunk_edge, base + group * a + out / h, base + other * a + back / h);
        }
    }
}
