/* ports.csv (`--ports`): what every port sent, received and dropped, under Linux's counter names. */
#ifndef RUN_PORTS_H
#define RUN_PORTS_H

#include "scenarios/run/collect.h"

/* Writes DIR/ports.csv from a finished run, whole; false with err. */
bool ports_write(const struct world *w, const struct scenario *s, const char *dir,
                 struct sc_error *err);

#endif
