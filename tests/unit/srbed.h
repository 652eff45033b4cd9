/* What tests of selective repeat share: a rig with that policy, losses by number, requests. */
#ifndef TESTS_SRBED_H
#define TESTS_SRBED_H

#include "tests/unit/rig.h"

/* rig_spec and rig_new with selective repeat: a cap of 110, and 100 us for up to three packets. */
struct rig_spec srbed_spec(void);
struct rig *srbed_new(void);
/* One whose B has `len` bytes of A's pattern at 4096, so that a misplaced response shows; PSN 100 is next. */
struct rig *srbed_to_read(uint32_t len, uint8_t retry_cnt);

/* Packet `nth` of an end, from 0, is lost. */
void srbed_drop(struct rig *r, int from, uint64_t nth);
/* Answer `nth` after srbed_to_read of up to 15 packets is lost: B has sent one ACK. */
void srbed_lose_response(struct rig *r, uint64_t nth);

/* A WRITE of A's first bytes to 4096. */
void srbed_write(struct rig *r, uint64_t id, uint32_t len);
/* A READ of 4096 + at to 16384 + at. */
void srbed_read(struct rig *r, uint64_t id, uint32_t len, uint32_t at);
/* 2 is added to 64000; what it held goes to 32768 + at. */
void srbed_fetch_add(struct rig *r, uint64_t id, uint32_t at);

#endif
