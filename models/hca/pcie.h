/*
 * What an adapter reads from its host and writes there: latency, bandwidth each way, reads under way.
 *
 * A read waits while as many as there may be are under way, and bytes wait for those of the calls before.  Only
 * times are kept: each call says when what it asks for is there.  `now` never falls from call to call; `at`, from
 * when on it is asked for, may lie ahead of it, and then takes nothing from calls that ask for less far ahead.
 */
#ifndef HCA_PCIE_H
#define HCA_PCIE_H

#include <stdint.h>

#include "sim/base/tm.h"

struct pcie_cfg {
    tm_ps latency_ps;  /* of a read: from asking to its first byte */
    uint64_t rate_bps; /* of the bytes, each way; 0: they take no time */
    uint32_t reads;    /* under way at most; 0: any number */
};

struct pcie {
    struct pcie_cfg cfg;
    tm_ps *done; /* of the last `reads` reads, in a ring */
    uint64_t asked;
    tm_ps read_busy, write_busy;
    uint64_t read_bytes, written_bytes;
};

void pcie_init(struct pcie *p, const struct pcie_cfg *cfg);
void pcie_fini(struct pcie *p);

/* When the last byte of a read is there. */
tm_ps pcie_read(struct pcie *p, uint32_t bytes, tm_ps now, tm_ps at);
/* When the last byte of a write has left. */
tm_ps pcie_write(struct pcie *p, uint32_t bytes, tm_ps now, tm_ps at);

#endif
