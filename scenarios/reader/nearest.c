/*
 * "Did you mean": edit distance over short words.
 *
 * A suggestion is made only when at most a third of the word would change, else it
 * misleads; a word that begins with the other also counts as near.  Of equals, the first wins.
 */
#include "scenarios/reader/nearest.h"

#include <ctype.h>
#include <string.h>

#define WORD_MAX 48u

static uint32_t least(uint32_t a, uint32_t b) { return a < b ? a : b; }

static char low(char c) { return (char)tolower((unsigned char)c); }

/* One cell of the table; row[0] is the row in work, row[1] and row[2] the two before it. */
static uint32_t cell(uint32_t row[3][WORD_MAX + 1], const char *a, const char *b, size_t i,
                     size_t j)
{
    uint32_t same = low(a[i - 1]) == low(b[j - 1]) ? 0 : 1;
    uint32_t best = least(row[1][j - 1] + same, least(row[1][j] + 1, row[0][j - 1] + 1));
    if (i > 1 && j > 1 && low(a[i - 1]) == low(b[j - 2]) && low(a[i - 2]) == low(b[j - 1]))
        best = least(best, row[2][j - 2] + 1);
    return best;
}

uint32_t nearest_distance(const char *a, const char *b)
{
    size_t la = strlen(a), lb = strlen(b);
    uint32_t row[3][WORD_MAX + 1] = {0};
    if (la > WORD_MAX || lb > WORD_MAX)
        return UINT32_MAX;
    for (size_t j = 0; j <= lb; j++)
        row[1][j] = (uint32_t)j;
    for (size_t i = 1; i <= la; i++) {
        row[0][0] = (uint32_t)i;
        for (size_t j = 1; j <= lb; j++)
            row[0][j] = cell(row, a, b, i, j);
        memcpy(row[2], row[1], sizeof row[1]);
        memcpy(row[1], row[0], sizeof row[0]);
    }
    return row[1][lb];
}

struct nearest nearest_to(const char *word) { return (struct nearest){word, NULL, UINT32_MAX}; }

/* Changes that still leave a word recognisable. */
static uint32_t tolerance(const char *word)
{
    uint32_t third = (uint32_t)strlen(word) / 3;
    return third < 1 ? 1 : third;
}

void nearest_try(struct nearest *n, const char *candidate)
{
    uint32_t d = nearest_distance(n->word, candidate);
    size_t len = strlen(n->word);
    if (len >= 3 && strncmp(n->word, candidate, len) == 0)
        d = least(d, 1);
    if (d > tolerance(n->word) || d >= n->distance)
        return;
    n->distance = d;
    n->best = candidate;
}
