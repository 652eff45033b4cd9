/* See pcie.h. */
#include "models/hca/pcie.h"

#include <stdlib.h>

#include "sim/base/check.h"

void pcie_init(struct pcie *p, const struct pcie_cfg *cfg)
{
    *p = (struct pcie){.cfg = *cfg};
    if (cfg->reads == 0)
        return;
    p->done = calloc(cfg->reads, sizeof *p->done);
    CHECK(p->done != NULL);
}

void pcie_fini(struct pcie *p) { free(p->done); }

static tm_ps time_of(const struct pcie *p, uint32_t bytes)
{
    return p->cfg.rate_bps ? tm_serialise(bytes, p->cfg.rate_bps) : 0;
}

/* The bytes are through when those before are, and not before they are asked for. */
static tm_ps through(const struct pcie *p, tm_ps *busy, uint32_t bytes, tm_ps now, tm_ps at)
{
    tm_ps takes = time_of(p, bytes);
    *busy = tm_max(*busy, now) + takes;
    return tm_max(*busy, at + takes);
}

tm_ps pcie_read(struct pcie *p, uint32_t bytes, tm_ps now, tm_ps at)
{
    tm_ps *slot = p->done ? &p->done[p->asked++ % p->cfg.reads] : NULL;
    tm_ps start = slot ? tm_max(at, *slot) : at;
    tm_ps there = tm_add(through(p, &p->read_busy, bytes, now, start), p->cfg.latency_ps);
    p->read_bytes += bytes;
    if (slot)
        *slot = there;
    return there;
}

tm_ps pcie_write(struct pcie *p, uint32_t bytes, tm_ps now, tm_ps at)
{
    p->written_bytes += bytes;
    return through(p, &p->write_busy, bytes, now, at);
}
