/*
 * The ledger's view of memory, for ledger.c alone.
 */
#ifndef EXPLORE_LEDGER_MEMORY_H
#define EXPLORE_LEDGER_MEMORY_H

#include "models/explore/ledger.h"

/* Does receive `recv` hold message i (a WRITE with immediate: is the message in its place)? */
bool ledger_holds(const struct ledger *l, uint32_t i, uint32_t recv,
                  uint8_t *const memory[TASK_ENDS]);

/* WRITE: the bytes are at the target; READ: at the requester. */
bool ledger_is_placed(const struct ledger *l, uint32_t i, uint8_t *const memory[TASK_ENDS]);

/* The atomic's result is at the requester. */
bool ledger_is_fetched(const struct ledger *l, uint32_t i, uint8_t *const memory[TASK_ENDS]);

/* An atomic that succeeded: executed, and its result is what it found. */
void ledger_check_atomic(struct ledger *l, uint32_t i, uint8_t *const memory[TASK_ENDS]);

/* The consumer uses memory anew: of a receive, of a request. */
void ledger_received(struct ledger *l, uint32_t i, uint32_t recv,
                     uint8_t *const memory[TASK_ENDS]);
/* A receive whose message broke off. */
void ledger_broken_off(struct ledger *l, uint32_t recv, uint8_t *const memory[TASK_ENDS]);
void ledger_sent(struct ledger *l, uint32_t i, uint8_t *const memory[TASK_ENDS]);

#endif
