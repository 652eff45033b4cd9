/* Topology files for tests: a text in, its edges or the refusal out. */
#ifndef UNIT_TOPOFILE_H
#define UNIT_TOPOFILE_H

#include "scenarios/reader/topo_file.h"
#include "tests/suite.h"

/* "2 hosts, 1 switches: A-B MBPS DELAY_PS LOSS, ..."; a refusal without its folder. */
const char *topofile_text(const char *text, char *seen, size_t size);
/* The same of a file that is shipped. */
const char *topofile_shipped(const char *name);

#define TOPO_READS(text, edges, format)                                                            \
    do {                                                                                           \
        char seen_[160];                                                                           \
        CU_ASSERT_STRING_EQUAL(topofile_text(text, seen_, sizeof seen_), edges);                   \
        CU_ASSERT_STRING_EQUAL(seen_, format);                                                     \
    } while (0)
#define TOPO_REFUSED(text, message) CU_ASSERT_STRING_EQUAL(topofile_text(text, NULL, 0), message)

#endif
