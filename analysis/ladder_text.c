/*
 * A ladder in characters: one line a row, the times at the outer edges.
 *
 *      0.088 |-- SEND_ONLY 1, 1024 B, AckReq ------------X  (lost: inject)      |
 *      2.272 |<------------------------ NAK 1 PSN sequence error, MSN 1 --------| 1.265
 *      2.272 |== SEND_ONLY 1, 1024 B, AckReq, again ===========================>| 3.361
 *
 * Packets stand where they leave, so every line's cause is above it.
 */
#include <glib.h>
#include <string.h>

#include "analysis/ladder_part.h"

enum { MIDDLE = 72, EDGE = 12 };

static void put_line(FILE *out, const char *left, char lifeline[2], const char *middle,
                     const char *right)
{
    char *line = g_strdup_printf("%*s %c%-*s%c %s", EDGE, left, lifeline[0], MIDDLE, middle,
                                 lifeline[1], right);
    fprintf(out, "%s\n", g_strchomp(line));
    g_free(line);
}

/* The arrow's words begin at its tail; those of a lost packet leave room for the cross. */
static void draw_arrow(const struct ladder_row *r, char middle[MIDDLE + 1])
{
    char words[2 * LADDER_WORDS_MAX];
    bool stops = !ladder_arrives(r);
    size_t most = MIDDLE - 10, len, at;

    ladder_row_words(r, words, true);
    len = MIN(strlen(words), most);
    at = r->end == 0 ? 3 : MIDDLE - 3 - len;
    memset(middle, r->again ? '=' : '-', MIDDLE);
    middle[MIDDLE] = 0;
    if (stops) { /* its line ends a few characters behind the words */
        size_t x = r->end == 0 ? MIN(at + len + 4, MIDDLE - 3) : at - MIN(5, at - 2);
        size_t from = r->end == 0 ? x : 0, to = r->end == 0 ? MIDDLE : x + 1;
        memset(middle + from, ' ', to - from);
        middle[x] = r->fate == LADDER_LOST ? 'X' : r->end == 0 ? '>' : '<';
    } else {
        bool spoiled = r->fate == LADDER_SPOILED;
        middle[r->end == 0 ? MIDDLE - 1 : 0] = spoiled ? 'X' : r->end == 0 ? '>' : '<';
    }
    middle[at - 1] = middle[at + len] = ' ';
    memcpy(middle + at, words, len);
}

static void packet_line(const struct ladder_row *r, FILE *out)
{
    char middle[MIDDLE + 1], left[32] = "", right[32] = "", bars[] = "||";

    draw_arrow(r, middle);
    ladder_time_text(r->at, r->end == 0 ? left : right);
    if (ladder_arrives(r) && r->until != r->at)
        ladder_time_text(r->until, r->end == 0 ? right : left);
    put_line(out, left, bars, middle, right);
}

/* A mark on the lifeline of the end where it happens. */
static void local_line(const struct ladder_row *r, FILE *out)
{
    static const char mark[] = {
        [LADDER_PACKET] = '?', [LADDER_TIMER_SET] = 'o', [LADDER_TIMER_FIRED] = '@',
        [LADDER_STATE] = '#',  [LADDER_DONE] = '*',      [LADDER_NOTE] = '+'};
    char words[2 * LADDER_WORDS_MAX], middle[MIDDLE + 1], at[32], bars[] = "||";

    ladder_row_words(r, words, true);
    words[MIDDLE - 2] = 0;
    if (r->end == 0)
        g_snprintf(middle, sizeof middle, " %s", words);
    else
        g_snprintf(middle, sizeof middle, "%*s ", MIDDLE - 1, words);
    bars[r->end] = r->kind == LADDER_DONE && r->bad ? '!' : mark[r->kind];
    ladder_time_text(r->at, at);
    put_line(out, r->end == 0 ? at : "", bars, middle, r->end == 0 ? "" : at);
}

static void put_centred(FILE *out, const char *text, char bar)
{
    char middle[MIDDLE + 1], bars[] = {bar, bar};
    int len = (int)MIN(strlen(text), MIDDLE), left = (MIDDLE - len) / 2;

    g_snprintf(middle, sizeof middle, "%*s%.*s", left, "", len, text);
    put_line(out, "", bars, middle, "");
}

static void silence_line(tm_ps length, FILE *out)
{
    char text[64], how_long[32];

    ladder_length_text(length, how_long);
    g_snprintf(text, sizeof text, "%s pass", how_long);
    put_centred(out, text, ':');
}

/* The latest event of the rows drawn so far: arrivals count, so that a long flight is no silence. */
static tm_ps last_event(const struct ladder_row *r, tm_ps before)
{
    return MAX(before, ladder_arrives(r) ? r->until : r->at);
}

void ladder_text(const struct ladder *l, FILE *out)
{
    struct ladder_span s = ladder_span(l);
    tm_ps silence = ladder_silence_ps(l, s), seen = s.first < s.end ? l->row[s.first].at : 0;
    char text[64];

    if (l->title)
        fprintf(out, "%s\n", l->title);
    fprintf(out, "%*s %-*s%s\n", EDGE, "us", MIDDLE + 3 - (int)strlen(l->end[1]), l->end[0],
            l->end[1]);
    if (ladder_left_out(s.first, "earlier", text))
        put_centred(out, text, ':');
    for (uint32_t i = s.first; i < s.end; i++) {
        const struct ladder_row *r = &l->row[i];
        if (r->at > seen && r->at - seen > silence)
            silence_line(r->at - seen, out);
        if (r->kind == LADDER_PACKET)
            packet_line(r, out);
        else
            local_line(r, out);
        seen = last_event(r, seen);
    }
    if (ladder_left_out(l->rows - s.end, "later", text))
        put_centred(out, text, ':');
}
