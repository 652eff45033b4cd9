/*
 * What may happen to one packet on its way, as the exploration places it.
 *
 * A kind is what a user asks for; each stands for one or two fates.  A corrupted packet is dropped
 * by its receiver for its wrong ICRC: the same outcome as a lost one, so it is counted and not run.
 */
#ifndef EXPLORE_FATE_H
#define EXPLORE_FATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum fate {
    FATE_NONE,
    FATE_DROP,
    FATE_CORRUPT,
    FATE_DUP,        /* the copy right behind it */
    FATE_DUP_LATE,   /* the copy when what followed has been answered */
    FATE_REORDER,    /* behind the next packet of its direction */
    FATE_DELAY,      /* arrives when the ACK timer has fired, before the repetition */
    FATE_DELAY_LATE, /* arrives when the repetition has been answered */
    FATES
};

enum fate_kind { FAULT_DROP = 1, FAULT_CORRUPT = 2, FAULT_DUP = 4, FAULT_REORDER = 8, FAULT_DELAY = 16,
                 FAULT_ALL = 31 };

const char *fate_name(enum fate f);  /* "dup-late" */
bool fate_parse(const char *name, enum fate *out);
enum fate_kind fate_kind(enum fate f); /* of FATE_NONE: 0 */

/* The n-th packet of a direction (0: the first) meets this fate. */
struct fault {
    uint8_t from, to;
    uint8_t fate;
    uint32_t nth;
};

/* "a2b 3 drop": the third packet from end a to end b. */
size_t fault_text(const struct fault *f, char *out, size_t size);
bool fault_parse(const char *text, struct fault *out);

#endif
