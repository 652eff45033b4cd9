/*
 * Progress of many runs on a terminal, with an estimate; nothing at all when stderr is no terminal.
 */
#ifndef RUN_PROGRESS_H
#define RUN_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

struct progress {
    uint32_t total, done, failed;
    double begun_s, shown_s;
    bool on, line_open;
};

/* silent: not even on a terminal. */
void progress_init(struct progress *p, uint32_t total, bool silent);
/* One more run has ended. */
void progress_step(struct progress *p, bool failed);
/* Shows the line if it has aged. */
void progress_show(struct progress *p);
/* Removes the line, so that a message can be printed. */
void progress_clear(struct progress *p);

#endif
