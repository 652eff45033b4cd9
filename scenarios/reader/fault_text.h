/*
 * hca.faults as text: what an adapter says of sends that fail, and how long it takes over them.
 */
#ifndef READER_FAULT_TEXT_H
#define READER_FAULT_TEXT_H

#include "models/transport/fault.h"
#include "scenarios/reader/fail.h"

#include <glib.h>

/* "lkey 0x52 320us; retry 0x81"; false with *err, without the place. */
bool fault_text_parse(const char *text, struct xp_faults *out, struct sc_error *err);
/* Appends the same, causes in the order of the table; "none" where all are 0. */
void fault_text_print(const struct xp_faults *f, GString *out);
/* The causes' names, with commas between. */
const char *fault_text_causes(void);

#endif
