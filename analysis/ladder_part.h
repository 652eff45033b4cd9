/* What the text and the SVG of a ladder share: which rows, and what counts as a long silence. */
#ifndef ANALYSIS_LADDER_PART_H
#define ANALYSIS_LADDER_PART_H

#include "analysis/ladder.h"

/* Rows first .. end - 1 of the ladder are drawn. */
struct ladder_span {
    uint32_t first, end;
};
struct ladder_span ladder_span(const struct ladder *l);

/* Does the row have an arrival of its own? */
bool ladder_arrives(const struct ladder_row *r);

/* The usual flight time of the rows drawn: the median; 0 if nothing arrives, or at once. */
tm_ps ladder_flight_ps(const struct ladder *l, struct ladder_span s);

/* A time without any event that is longer than this is cut short; TM_NEVER: none is. */
tm_ps ladder_silence_ps(const struct ladder *l, struct ladder_span s);

/* "0.256 us", "67.109 ms", "1.500 s". */
void ladder_length_text(tm_ps t, char out[32]);

/* "12 earlier rows left out", "1 later row left out"; false: none. */
bool ladder_left_out(uint32_t rows, const char *which, char out[64]);

/* What became of a packet: "lost: inject", "a copy"; false: it arrived and there is no more to say. */
bool ladder_fate_words(const struct ladder_row *r, char out[LADDER_WORDS_MAX]);

/* The row in words; with_fate: of a packet its fate, in brackets behind. */
void ladder_row_words(const struct ladder_row *r, char out[2 * LADDER_WORDS_MAX], bool with_fate);

#endif
