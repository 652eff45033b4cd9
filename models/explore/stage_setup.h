/*
 * How a stage comes to be, for stage.c alone.
 */
#ifndef EXPLORE_STAGE_SETUP_H
#define EXPLORE_STAGE_SETUP_H

#include "models/explore/stage.h"

/* Two ends, nothing on them.  NULL: no memory. */
struct loop *stage_loop(const struct stage_spec *spec, const struct task *task);

/* QPs up to RTS and regions over all memory; fills s->flow and s->key.  false: refused. */
bool stage_connect(struct stage *s);

void stage_post_recvs(struct stage *s);

/* NULL, or why one was refused. */
const char *stage_post_sends(struct stage *s);

/* Receives of a flow that still wait. */
uint32_t stage_recvs_left(const struct stage *s, uint32_t flow);

/* Everything that was made is destroyed. */
void stage_tear_down(struct stage *s);

#endif
