/*
 * The grammar of [inject]: `NAME = ACTION ARGS MATCH...` (formats.md "Inject").
 *
 * Words are read from left to right.  The action's row says what follows it and which key=value words
 * it takes; each such word has one row too, so that nothing is accepted and then ignored.
 */
#include "scenarios/reader/inject_parse.h"

#include <string.h>

#include "scenarios/reader/inject_words.h"
#include "scenarios/reader/nearest.h"

#include <glib.h>

/* ---- actions ---------------------------------------------------------------------------------------- */

struct action {
    const char *name;
    enum inject_action action;
    bool (*args)(struct words *w, struct inject_line *out, struct sc_error *err);
    uint32_t takes; /* enum word_use bits of the words that may follow */
    const char *usage;
};

static bool args_none(struct words *w, struct inject_line *out, struct sc_error *err)
{
    return true;
}

static bool args_delay(struct words *w, struct inject_line *out, struct sc_error *err)
{
    const char *t = words_next(w);
    if (!t)
        return sc_fail(err, "'delay' lacks its time; write delay 10us");
    return word_time(t, &out->rule.delay_ps, err);
}

/* dup [delay T] */
static bool args_dup(struct words *w, struct inject_line *out, struct sc_error *err)
{
    const char *next = words_peek(w);
    if (!next || strcmp(next, "delay") != 0)
        return true;
    words_next(w);
    return args_delay(w, out, err);
}

/* link A-B down T1..T2 */
static bool args_link(struct words *w, struct inject_line *out, struct sc_error *err)
{
    const char *ends = words_next(w), *down = words_next(w), *span = words_next(w);
    if (!span || strcmp(down, "down") != 0)
        return sc_fail(err, "a link event is incomplete; write link 0-1 down 1ms..2ms");
    return word_link(w->env, ends, &out->rule.match, err) &&
           word_span(span, &out->rule.when, err);
}

#define PLAIN (USE_MATCH | USE_PICK)
static const struct action actions[] = {
    {"drop", INJ_DROP, args_none, PLAIN, "drop MATCH..."},
    {"dup", INJ_DUP, args_dup, PLAIN, "dup delay 10us MATCH..."},
    {"delay", INJ_DELAY, args_delay, PLAIN, "delay 10us MATCH..."},
    {"corrupt", INJ_CORRUPT, args_none, PLAIN | USE_BYTE, "corrupt at=20 MATCH..."},
    {"mark", INJ_MARK, args_none, PLAIN, "mark MATCH..."},
    {"rewrite", INJ_REWRITE, args_none, PLAIN | USE_FIELD, "rewrite psn_add=5 MATCH..."},
    {"forge", INJ_FORGE, args_none, USE_FIELD | USE_ENDS | USE_WHEN,
     "forge at=1ms from=0 to=1 opcode=RC_ACKNOWLEDGE dest_qp=2 psn=+0"},
    {"link", INJ_LINK_DOWN, args_link, USE_AGAIN, "link 0-1 down 1ms..2ms every=10ms count=5"},
    {"stall", INJ_ACT, inject_stall, USE_AGAIN, "stall 0 1ms..2ms"},
    {"nopoll", INJ_ACT, inject_nopoll, USE_AGAIN, "nopoll 0 1ms..2ms"},
    {"stop", INJ_ACT, inject_stop, USE_AGAIN, "stop 0 1ms..2ms"},
    {"kill", INJ_ACT, inject_kill, 0, "kill 0 1ms order=qp"},
    {"destroy", INJ_ACT, inject_destroy, 0, "destroy 0:2 1ms"},
    {"error", INJ_ACT, inject_error, 0, "error 0:2 1ms"},
    {"rights", INJ_ACT, inject_rights, 0, "rights 0:2 1ms none"},
    {"spoil", INJ_ACT, inject_spoil, 0, "spoil 0:0 rkey wr=3"},
};

static const struct action *find_action(const char *name, struct sc_error *err)
{
    struct nearest n = nearest_to(name);
    for (size_t i = 0; i < G_N_ELEMENTS(actions); i++) {
        if (strcmp(actions[i].name, name) == 0)
            return &actions[i];
        nearest_try(&n, actions[i].name);
    }
    if (n.best)
        sc_fail(err, "'%s' is not an action; did you mean '%s'?", name, n.best);
    else
        sc_fail(err,
                "'%s' is not an action; give drop, dup, delay, corrupt, mark, rewrite, forge, "
                "link, stall, nopoll, stop, kill, destroy, error, rights or spoil",
                name);
    return NULL;
}

/* ---- the whole line --------------------------------------------------------------------------------- */

static bool take_words(struct words *w, const struct action *a, struct inject_line *out,
                       struct sc_error *err)
{
    for (char *text = words_next(w); text; text = words_next(w)) {
        char *eq = strchr(text, '=');
        if (!eq)
            return sc_fail(err, "'%s' is not understood here; write %s", text, a->usage);
        *eq = 0;
        if (!word_take(w, a->takes, text, eq + 1, &out->rule, err)) {
            *eq = '=';
            return false;
        }
    }
    return true;
}

static bool sets_field(const struct inject_rule *r, enum inject_field field)
{
    for (uint32_t i = 0; i < r->sets; i++)
        if (r->set[i].field == field)
            return true;
    return false;
}

/* What the words leave open: n-th counts, completeness. */
static bool finish_rule(const struct words *w, const struct action *a, struct inject_rule *r,
                        struct sc_error *err)
{
    bool is_forge = a->action == INJ_FORGE;
    bool has_address = sets_field(r, INJF_OPCODE) && sets_field(r, INJF_DEST_QP);
    if (a->action == INJ_REWRITE && r->sets == 0)
        return sc_fail(err, "a rewrite sets no field; write %s", a->usage);
    if (is_forge && (r->match.from == INJECT_ANY || r->match.to == INJECT_ANY || !has_address ||
                     !words_seen(w, "at")))
        return sc_fail(err, "a forged packet needs at, from, to, opcode and dest_qp; write %s",
                       a->usage);
    if (is_forge && r->match.from == r->match.to)
        return sc_fail(err, "a forged packet goes from host %d to itself; give two hosts",
                       (int)r->match.from);
    /* once by default; a rule that says how often goes on */
    bool goes_on = words_seen(w, "every") || words_seen(w, "p") || words_seen(w, "ber") ||
                   words_seen(w, "ip_id") || words_seen(w, "during");
    if (!words_seen(w, "count"))
        r->pick.count = goes_on ? UINT64_MAX : 1;
    return words_agree(w, r, err);
}

static struct inject_rule empty_rule(const char *name, enum inject_action action)
{
    struct inject_rule r = {.action = action, .host = INJECT_ANY, .destroy_qp = INJECT_ANY};
    g_strlcpy(r.name, name, sizeof r.name);
    r.match = (struct inject_match){.from = INJECT_ANY,
                                    .to = INJECT_ANY,
                                    .opcode = INJECT_ANY,
                                    .op = INJECT_ANY,
                                    .qp = INJECT_ANY,
                                    .link_a = INJECT_ANY,
                                    .link_b = INJECT_ANY};
    r.pick = (struct inject_pick){.count = 1, .every = 1, .p_threshold = UINT64_MAX};
    r.pick.loss.in_bad = UINT64_MAX;
    return r;
}

static bool parse_line(struct words *w, const char *name, struct inject_line *out,
                       struct sc_error *err)
{
    const char *first = words_next(w);
    if (!first)
        return sc_fail(err, "a rule is empty; write drop, or another action");
    const struct action *a = find_action(first, err);
    if (!a)
        return false;
    *out = (struct inject_line){.rule = empty_rule(name, a->action)};
    out->is_act = a->action == INJ_ACT;
    if (!a->args(w, out, err) || !take_words(w, a, out, err) || !finish_rule(w, a, &out->rule, err))
        return false;
    if (a->takes & USE_AGAIN)
        out->act.when = out->rule.when;
    g_strlcpy(out->act.name, name, sizeof out->act.name);
    return true;
}

bool inject_parse(const char *name, const char *text, const struct inject_env *env,
                  struct inject_line *out, struct sc_error *err)
{
    struct inject_line line;
    if (strlen(name) >= INJECT_NAME_MAX)
        return sc_fail(err, "the name has more than %d characters", INJECT_NAME_MAX - 1);
    struct words w = words_split(text, env);
    bool ok = parse_line(&w, name, &line, err);
    if (ok)
        *out = line;
    words_clear(&w);
    return ok;
}
