/*
 * Events of [inject] that befall hosts, QPs and work requests: the words behind stall, nopoll, stop, kill,
 * destroy, error, rights and spoil.
 *
 * Events that last leave their times in the rule, as links do: words that say how often follow.  The others
 * take all their words here, each at most once.
 */
#include <string.h>

#include "models/transport/xp.h"
#include "scenarios/reader/inject_words.h"

#include <glib.h>

#define GAP_DEFAULT_PS TM_MS /* from a killed process's first loss to the rest; a choice */

static struct load_act act_of(enum load_act_kind kind)
{
    return (struct load_act){
        .kind = kind, .when = {0, TM_NEVER, 0, 0}, .gap_ps = GAP_DEFAULT_PS, .wr = LOAD_WR_BY_TIME};
}

/* "0:2" */
static bool read_qp(const struct inject_env *env, char *text, struct load_act *act,
                    struct sc_error *err)
{
    char *colon = strchr(text, ':');
    if (!colon)
        return sc_fail(err, "'%s' is not a QP of a host; write 0:2 for the third QP of host 0",
                       text);
    *colon = 0;
    return word_host(env, text, &act->host, err) &&
           word_u32(colon + 1, 0, (1u << 24) - 1, "a QP", &act->qp, err);
}

/* ---- words that follow ------------------------------------------------------------------------------ */

typedef bool take_fn(const char *value, struct load_act *act, struct sc_error *err);
struct act_word {
    const char *key;
    take_fn *take;
};

static bool take_order(const char *v, struct load_act *act, struct sc_error *err)
{
    bool qp = strcmp(v, "qp") == 0;
    if (!qp && strcmp(v, "mr") != 0)
        return sc_fail(err,
                       "the order '%s' is unknown; give qp (the QPs go first) or mr (the memory "
                       "region does)",
                       v);
    act->order = qp ? LOAD_ORDER_QP : LOAD_ORDER_MR;
    return true;
}

static bool take_gap(const char *v, struct load_act *act, struct sc_error *err)
{
    return word_time(v, &act->gap_ps, err);
}

static bool take_at(const char *v, struct load_act *act, struct sc_error *err)
{
    return word_time(v, &act->when.from_ps, err);
}

static bool take_wr(const char *v, struct load_act *act, struct sc_error *err)
{
    uint32_t n;
    if (!word_u32(v, 0, UINT32_MAX - 1, "a message's number", &n, err))
        return false;
    act->wr = n;
    return true;
}

static bool take_inside(const char *v, struct load_act *act, struct sc_error *err)
{
    uint32_t n;
    if (!word_u32(v, 0, UINT32_MAX, "a number of bytes", &n, err))
        return false;
    act->inside_bytes = n;
    return true;
}

static const struct act_word kill_words[] = {
    {"order", take_order}, {"gap", take_gap}, {NULL, NULL}};
static const struct act_word spoil_words[] = {
    {"at", take_at}, {"wr", take_wr}, {"inside", take_inside}, {NULL, NULL}};

static int find(const struct act_word *table, const char *text, size_t length)
{
    for (int i = 0; table[i].key; i++)
        if (strlen(table[i].key) == length && strncmp(table[i].key, text, length) == 0)
            return i;
    return -1;
}

/* *seen: bit by place in the table. */
static bool take_rest(struct words *w, const struct act_word *table, const char *usage,
                      uint32_t *seen, struct load_act *act, struct sc_error *err)
{
    *seen = 0;
    for (char *text = words_next(w); text; text = words_next(w)) {
        char *eq = strchr(text, '=');
        int i = eq ? find(table, text, (size_t)(eq - text)) : -1;
        if (i < 0)
            return sc_fail(err, "'%s' is not understood here; write %s", text, usage);
        if (*seen & 1u << i)
            return sc_fail(err, "%s stands twice; give it once", table[i].key);
        *seen |= 1u << i;
        if (!table[i].take(eq + 1, act, err))
            return false;
    }
    return true;
}

/* ---- by action -------------------------------------------------------------------------------------- */

static bool lasts(struct words *w, const char *name, enum load_act_kind kind,
                  struct inject_line *out, struct sc_error *err)
{
    const char *host = words_next(w), *span = words_next(w);
    if (!span)
        return sc_fail(err, "a %s is incomplete; write %s 0 1ms..2ms", name, name);
    out->act = act_of(kind);
    return word_host(w->env, host, &out->act.host, err) && word_span(span, &out->rule.when, err);
}

bool inject_stall(struct words *w, struct inject_line *out, struct sc_error *err)
{
    return lasts(w, "stall", LOAD_ACT_STALL, out, err);
}

bool inject_nopoll(struct words *w, struct inject_line *out, struct sc_error *err)
{
    return lasts(w, "nopoll", LOAD_ACT_NOPOLL, out, err);
}

bool inject_stop(struct words *w, struct inject_line *out, struct sc_error *err)
{
    return lasts(w, "stop", LOAD_ACT_STOP, out, err);
}

bool inject_kill(struct words *w, struct inject_line *out, struct sc_error *err)
{
    const char *host = words_next(w), *at = words_next(w);
    uint32_t seen;
    if (!at)
        return sc_fail(err, "a kill is incomplete; write kill 0 1ms");
    out->act = act_of(LOAD_ACT_KILL);
    if (!word_host(w->env, host, &out->act.host, err) ||
        !word_time(at, &out->act.when.from_ps, err) ||
        !take_rest(w, kill_words, "kill 0 1ms order=qp gap=1ms", &seen, &out->act, err))
        return false;
    if ((seen & 2u) && !(seen & 1u))
        return sc_fail(err, "gap stands without order; write order=qp gap=1ms");
    return true;
}

/* HOST:QP T */
static bool at_qp(struct words *w, const char *name, enum load_act_kind kind,
                  struct inject_line *out, struct sc_error *err)
{
    char *qp = words_next(w), *at = words_next(w);
    if (!at)
        return sc_fail(err,
                       "%s lacks its QP or its time; write %s 0:2 1ms for the third QP of "
                       "host 0",
                       name, name);
    out->act = act_of(kind);
    return read_qp(w->env, qp, &out->act, err) && word_time(at, &out->act.when.from_ps, err);
}

bool inject_destroy(struct words *w, struct inject_line *out, struct sc_error *err)
{
    return at_qp(w, "destroy", LOAD_ACT_DESTROY, out, err);
}

bool inject_error(struct words *w, struct inject_line *out, struct sc_error *err)
{
    return at_qp(w, "error", LOAD_ACT_ERROR, out, err);
}

static bool add_right(const char *name, uint32_t *rights, struct sc_error *err)
{
    static const struct {
        const char *name;
        uint32_t bit;
    } known[] = {
        {"write", XP_REMOTE_WRITE}, {"read", XP_REMOTE_READ}, {"atomic", XP_REMOTE_ATOMIC}};
    for (size_t i = 0; i < G_N_ELEMENTS(known); i++)
        if (strcmp(known[i].name, name) == 0) {
            *rights |= known[i].bit;
            return true;
        }
    return sc_fail(err,
                   "'%s' is not a right; give none, or any of write, read, atomic with commas "
                   "between",
                   name);
}

bool inject_rights(struct words *w, struct inject_line *out, struct sc_error *err)
{
    if (!at_qp(w, "rights", LOAD_ACT_RIGHTS, out, err))
        return false;
    const char *rights = words_next(w);
    if (!rights)
        return sc_fail(err, "rights lacks what is left; write rights 0:2 1ms none");
    if (strcmp(rights, "none") == 0)
        return true;
    char **part = g_strsplit(rights, ",", -1);
    bool ok = true;
    for (uint32_t i = 0; part[i] && ok; i++)
        ok = add_right(part[i], &out->act.rights, err);
    g_strfreev(part);
    return ok;
}

bool inject_spoil(struct words *w, struct inject_line *out, struct sc_error *err)
{
    static const char *const kinds[LOAD_SPOILS] = {
        [LOAD_SPOIL_LKEY] = "lkey",
        [LOAD_SPOIL_SGE] = "sge",
        [LOAD_SPOIL_LOCAL_WRITE] = "local_write",
        [LOAD_SPOIL_RKEY] = "rkey",
        [LOAD_SPOIL_RANGE] = "range",
        [LOAD_SPOIL_REMOTE_ACCESS] = "remote_access",
    };
    char *qp = words_next(w), *what = words_next(w);
    uint32_t seen, i = 0;
    if (!what)
        return sc_fail(err, "a spoil is incomplete; write spoil 0:0 rkey wr=3");
    out->act = act_of(LOAD_ACT_SPOIL);
    if (!read_qp(w->env, qp, &out->act, err))
        return false;
    while (i < LOAD_SPOILS && strcmp(kinds[i], what) != 0)
        i++;
    if (i == LOAD_SPOILS)
        return sc_fail(err,
                       "'%s' cannot be spoiled; give lkey, sge, local_write, rkey, range or "
                       "remote_access",
                       what);
    out->act.spoil = (enum load_spoil)i;
    if (!take_rest(w, spoil_words, "spoil 0:0 range wr=3 inside=2048", &seen, &out->act, err))
        return false;
    if ((seen & 3u) != 1 && (seen & 3u) != 2)
        return sc_fail(err, "a spoil needs either at=T or wr=N");
    if ((seen & 4u) && i != LOAD_SPOIL_SGE && i != LOAD_SPOIL_RANGE)
        return sc_fail(err, "inside has a meaning only with sge and range");
    return true;
}
