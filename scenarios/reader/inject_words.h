/*
 * The words of an [inject] line: hosts, links, times, and every key=value that may follow an action.
 */
#ifndef READER_INJECT_WORDS_H
#define READER_INJECT_WORDS_H

#include "scenarios/reader/inject_parse.h"

/* Which rules a key=value word has a meaning in. */
enum word_use {
    USE_MATCH = 1, /* selects packets */
    USE_PICK = 2,  /* which of those selected */
    USE_BYTE = 4,  /* corrupt at=BYTE */
    USE_FIELD = 8, /* sets a header field */
    USE_ENDS = 16, /* forge: from, to */
    USE_WHEN = 32, /* forge at=T */
    USE_AGAIN = 64 /* events that last: how often */
};

struct words {
    char **part;
    uint32_t count, at;
    const struct inject_env *env;
    uint64_t seen; /* 1 << row of word_table: no word twice */
};
struct words words_split(const char *text, const struct inject_env *env);
void words_clear(struct words *w);
/* The next word, NULL at the end. */
char *words_next(struct words *w);
const char *words_peek(const struct words *w);
/* Was this key=value word taken? */
bool words_seen(const struct words *w, const char *key);

/* Takes key=value into the rule, if one of `uses` allows it. */
bool word_take(struct words *w, uint32_t uses, const char *key, const char *value,
               struct inject_rule *r, struct sc_error *err);
/* Do the words that were taken go together? */
bool words_agree(const struct words *w, const struct inject_rule *r, struct sc_error *err);

bool word_u32(const char *text, uint32_t min, uint32_t max, const char *noun, uint32_t *out,
              struct sc_error *err);
bool word_time(const char *text, tm_ps *out, struct sc_error *err);
/* "T1..T2"; without T2: for ever. */
bool word_span(const char *text, struct window *out, struct sc_error *err);
bool word_host(const struct inject_env *env, const char *text, uint32_t *out,
               struct sc_error *err);
/* "0-2" or "h0-s0": two nodes that a link joins. */
bool word_link(const struct inject_env *env, const char *text, struct inject_match *m,
               struct sc_error *err);

/* inject_acts.c: what follows the name of an event that befalls hosts, QPs and work requests. */
bool inject_stall(struct words *w, struct inject_line *out, struct sc_error *err);
bool inject_nopoll(struct words *w, struct inject_line *out, struct sc_error *err);
bool inject_stop(struct words *w, struct inject_line *out, struct sc_error *err);
bool inject_kill(struct words *w, struct inject_line *out, struct sc_error *err);
bool inject_destroy(struct words *w, struct inject_line *out, struct sc_error *err);
bool inject_error(struct words *w, struct inject_line *out, struct sc_error *err);
bool inject_rights(struct words *w, struct inject_line *out, struct sc_error *err);
bool inject_spoil(struct words *w, struct inject_line *out, struct sc_error *err);

#endif
