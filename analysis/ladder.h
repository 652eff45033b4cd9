/*
 * Ladder diagrams: the packets between two ends, time down, as text and as SVG.
 *
 * The caller fills rows; both pictures are functions of them alone.  A packet is one row with the
 * time it left and the time it arrived: the text gives it one line, the SVG a slanted arrow.  Long
 * silences are shortened and say how long they were.
 *
 * Left out: where rows come from (a trace, a capture, an exploration), and which packets belong to
 * the two ends; that is the caller's to sort out.
 */
#ifndef ANALYSIS_LADDER_H
#define ANALYSIS_LADDER_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "models/wire/hdr.h"
#include "sim/base/tm.h"

enum ladder_kind { LADDER_PACKET, LADDER_TIMER_SET, LADDER_TIMER_FIRED, LADDER_STATE, LADDER_DONE,
                   LADDER_NOTE };

enum ladder_fate { LADDER_ARRIVED, LADDER_LOST /* on the way */,
                   LADDER_SPOILED /* arrived and thrown away: wrong ICRC */,
                   LADDER_ON_THE_WAY /* when the record ended */ };

struct ladder_row {
    tm_ps at;             /* when a packet left, or when the rest happened */
    tm_ps until;          /* packet: arrival (LADDER_ARRIVED, LADDER_SPOILED; = at where a capture
                             knows one time only); LADDER_TIMER_SET: when it will fire */
    struct wire_hdr h;    /* of a packet */
    const char *text;     /* packet: why it was lost, or a remark; else what happens; may be NULL.  Borrowed */
    uint8_t kind;         /* enum ladder_kind */
    uint8_t end;          /* 0 left, 1 right: who sent the packet, where the rest happened */
    uint8_t fate;         /* enum ladder_fate, of a packet */
    bool again;           /* a retransmission */
    bool bad;             /* LADDER_DONE: an error status */
};

/* Which rows are drawn: those whose `at` is in from .. to and, of these, `count` from `first` on. */
struct ladder_cut {
    tm_ps from, to;       /* to: 0 for no end */
    uint32_t first, count; /* count: 0 for all */
};

struct ladder {
    const char *title;    /* may be NULL */
    const char *end[2];   /* "h0 QP 17" */
    const struct ladder_row *row; /* in the order of `at` */
    uint32_t rows;
    struct ladder_cut cut;
};

/* Up to 100 columns wide.  Lines before and behind tell of rows that the cut leaves out. */
void ladder_text(const struct ladder *l, FILE *out);

/* One self-contained SVG document.  Fit for greyscale: kinds differ in dash, width and mark too. */
void ladder_svg(const struct ladder *l, FILE *out);

#define LADDER_WORDS_MAX 160

/*
 * "SEND_ONLY 1003, 1024 B, AckReq", "ACK 1003, MSN 4", "RNR NAK 7, wait 0.64 ms, MSN 2",
 * "NAK 8 PSN sequence error, MSN 8", "READ_REQUEST 9 of 4096 B": as both pictures name a packet.
 */
void ladder_words(const struct wire_hdr *h, char out[LADDER_WORDS_MAX]);

/* "ACK", "ACK, credits 5", "RNR NAK 0.64 ms", "NAK PSN sequence error", "NAK reserved 9". */
void ladder_aeth_words(uint8_t syndrome, char out[LADDER_WORDS_MAX]);

/* Microseconds with three decimals, cut off. */
void ladder_time_text(tm_ps t, char out[32]);

/* Is it an RNR NAK? */
bool ladder_is_rnr(const struct wire_hdr *h);

/* The wait that an RNR NAK's timer code asks for (IBA table 45), code 0 .. 31. */
tm_ps ladder_rnr_wait_ps(unsigned code);

#endif
