/*
 * Endpoints of acknowledged datagrams on a wire that does what a test says: a fixed delay, the n-th
 * datagram lost, copied or late.  Everything sent is a line of text, everything handed over another,
 * so a test compares whole traces.
 *
 *   "5 AB d2 m1.0 L?* a0"   at 5 us A to B: datagram 2, message 1, fragment 0; last, asks, again
 *   "6 BA a1 s3 !"          acknowledgement alone, sack bits in hex, gap; ` x`: the wire lost it
 */
#ifndef TESTS_UNIT_UDBED_H
#define TESTS_UNIT_UDBED_H

#include "models/udack/udack.h"

enum { UDBED_ENDS = 4, UDBED_FLIGHTS = 4096, UDBED_TEXT = 6000 };

struct udbed_flight {
    tm_ps at;
    uint8_t hdr[UDACK_HDR_BYTES];
    uint32_t bytes, order;
    uint8_t from, to;
};

struct udbed {
    struct udack *end[UDBED_ENDS];
    uint32_t ends;
    tm_ps now, delay_ps;
    uint64_t drop;     /* bit n: the n-th datagram sent is lost */
    uint64_t copy;     /* arrives twice */
    uint64_t late;     /* arrives late_ps later */
    tm_ps late_ps;
    uint32_t sent;
    bool silent;       /* no text */
    struct udbed_flight flight[UDBED_FLIGHTS];
    uint32_t flights;
    uint32_t buffers;  /* given to endpoints and not returned */
    char wire[UDBED_TEXT], got[UDBED_TEXT];
    /* A test that decides for each datagram itself: how often it arrives, and how late. */
    uint32_t (*fate)(void *self, uint32_t from, uint32_t to, tm_ps *late_ps);
    void (*piece)(void *self, uint32_t end, const struct udack_piece *p);
    void (*done)(void *self, uint32_t end, const struct udack_done *d);
    void (*peer_reset)(void *self, uint32_t end, uint32_t session); /* before what it brings */
    void *self;
};

/* MTU 1016 (1000 bytes of payload), window 8, reorder 7, ack on each, asking at the last, RTO 100 us,
 * 2 retries, selective after 3, no delay. */
struct udack_cfg udbed_cfg(void);
/* `ends` endpoints; session of end i with end j: j, or j - 1 if j > i.  1 us of delay. */
void udbed_init(struct udbed *b, uint32_t ends, const struct udack_cfg *cfg);
void udbed_fini(struct udbed *b);
uint32_t udbed_session(uint32_t from, uint32_t to);
/* Posts at b->now; ids count up by themselves: 1000 * from + number is the id. */
int udbed_post(struct udbed *b, uint32_t from, uint32_t to, uint32_t bytes);
/* The session starts anew at `from`. */
void udbed_reset(struct udbed *b, uint32_t from, uint32_t to);
/* Everything that happens up to and at `until`. */
void udbed_run(struct udbed *b, tm_ps until);
/* Until nothing is under way and no timer runs (at most 10 s). */
void udbed_settle(struct udbed *b);
/* A datagram from outside arrives. */
struct udack_rx udbed_arrive(struct udbed *b, uint32_t from, uint32_t to, struct udack_hdr h,
                             uint32_t bytes);

#endif
