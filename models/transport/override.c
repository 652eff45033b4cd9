/*
 * What an adapter does otherwise than its service's tables say: rows of a profile, as text and in
 * the core's own copy of the tables.
 *
 * A row names everything that it wants: what it does not name, it does not do.
 */
#include "models/transport/service.h"

struct word {
    const char *name;
    uint8_t deed, nak;
};

static const struct word request_deeds[] = {
    {"drop", DEED_DROP, 0},
    {"mute", DEED_MUTE, 0},
    {"drop_message", DEED_DROP_MESSAGE, 0},
    {"execute", DEED_EXECUTE, 0},
    {"ack", DEED_ACK, 0},
    {"ack_again", DEED_ACK_AGAIN, 0},
    {"replay", DEED_REPLAY, 0},
    {"nak_psn_seq", DEED_NAK, NAK_PSN_SEQ},
    {"nak_inv_req", DEED_NAK, NAK_INV_REQ},
    {"nak_rem_access", DEED_NAK, NAK_REM_ACCESS},
    {"nak_rem_op", DEED_NAK, NAK_REM_OP},
    {"nak_inv_rd", DEED_NAK, NAK_INV_RD},
    {"rnr_nak", DEED_RNR_NAK, 0},
    {"hold", DEED_HOLD, 0},
    {"resync", DEED_RESYNC, 0},
    {0, 0, 0},
};

static const struct word answer_deeds[] = {
    {"ignore", ANSWER_IGNORE, 0},   {"complete", ANSWER_COMPLETE, 0},
    {"take", ANSWER_TAKE, 0},       {"retry", ANSWER_RETRY, 0},
    {"imply", ANSWER_IMPLY, 0},     {"wait", ANSWER_WAIT, 0},
    {"fail", ANSWER_FAIL, 0},       {"wait_message", ANSWER_WAIT_MESSAGE, 0},
    {"suspend", ANSWER_SUSPEND, 0}, {0, 0, 0},
};

static const char *const answer_names[ANSWER_KINDS] = {
    [ANSWER_ACK] = "ack",
    [ANSWER_RNR_NAK] = "rnr_nak",
    [ANSWER_NAK_PSN_SEQ] = "nak_psn_seq",
    [ANSWER_NAK_INV_REQ] = "nak_inv_req",
    [ANSWER_NAK_REM_ACCESS] = "nak_rem_access",
    [ANSWER_NAK_REM_OP] = "nak_rem_op",
    [ANSWER_NAK_INV_RD] = "nak_inv_rd",
    [ANSWER_NAK_RESERVED] = "nak_reserved",
    [ANSWER_RESERVED] = "reserved",
    [ANSWER_UNSENT] = "unsent",
    [ANSWER_DATA] = "data",
    [ANSWER_UNEXPECTED] = "unexpected",
    [ANSWER_WRONG_LENGTH] = "wrong_length",
    [ANSWER_NO_ROOM] = "no_room",
    [ANSWER_HOLE] = "hole",
    [ANSWER_HOLE_WITHIN] = "hole_within",
    [ANSWER_ACK_OF_ATOMIC] = "ack_of_atomic",
    [ANSWER_LOCAL_KEY] = "local_key",
    [ANSWER_LOCAL_LENGTH] = "local_length",
};

static const char *const event_names[] = {"qp_req_err", "qp_access_err", "qp_fatal"};
#define EVENT_FIRST XP_EV_QP_REQ_ERR
static const char *const count_names[] = {"none",    "duplicate", "ahead",   "no_recv",
                                          "dropped", "bad_qkey",  "bad_pkey"};

/* ---- reading ------------------------------------------------------------------------------- */

static bool is_part(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

static void skip_blanks(const char **at)
{
    while (**at == ' ' || **at == '\t')
        ++*at;
}

/* The word at *at is `name`: *at moves behind it. */
static bool eat(const char **at, const char *name)
{
    const char *p = *at;

    while (*name && *p == *name) {
        p++;
        name++;
    }
    if (*name || is_part(*p))
        return false;
    *at = p;
    return true;
}

static bool eat_char(const char **at, char c)
{
    if (**at != c)
        return false;
    ++*at;
    return true;
}

/* The index of the word at *at among `count` names from the first on; `count`: none of them. */
static unsigned eat_one_of(const char **at, const char *const *names, unsigned count)
{
    unsigned i = 0;
    while (i < count && !(names[i] && eat(at, names[i])))
        i++;
    return i;
}

static bool eat_service(const char **at, struct xp_override *o)
{
    for (unsigned i = 0; i < XP_SERVICES; i++) {
        if (!eat(at, xp__services[i]->name))
            continue;
        o->service = (uint8_t)i;
        return eat_char(at, '.');
    }
    return false;
}

static bool eat_row(const char **at, struct xp_override *o)
{
    unsigned v = 0, kind = eat_one_of(at, answer_names, ANSWER_KINDS);

    o->is_answer = kind < ANSWER_KINDS;
    while (!o->is_answer && v < V_COUNT && !eat(at, xp_verdict_name((enum xp_verdict)v)))
        v++;
    o->row = (uint8_t)(o->is_answer ? kind : v);
    return (o->is_answer || v < V_COUNT) && eat_char(at, ':');
}

static bool eat_deed(const char **at, struct xp_override *o)
{
    for (const struct word *w = o->is_answer ? answer_deeds : request_deeds; w->name; w++) {
        if (!eat(at, w->name))
            continue;
        o->deed = w->deed;
        o->nak = w->nak;
        return true;
    }
    return false;
}

static bool eat_status(const char **at, struct xp_override *o)
{
    for (unsigned i = 0; i < XP_WC_STATUSES; i++) {
        if (!eat(at, xp_status_name((enum xp_status)i)))
            continue;
        o->status = (uint8_t)i;
        return true;
    }
    return false;
}

static bool eat_event(const char **at, struct xp_override *o)
{
    unsigned n = sizeof event_names / sizeof event_names[0], i = eat_one_of(at, event_names, n);
    o->event = (uint8_t)(EVENT_FIRST + i);
    return i < n;
}

static bool eat_count(const char **at, struct xp_override *o)
{
    unsigned n = sizeof count_names / sizeof count_names[0], i = eat_one_of(at, count_names, n);
    o->count = (uint8_t)i;
    return i < n;
}

static const struct {
    const char *name, *wanted;
    bool (*value)(const char **at, struct xp_override *o);
} options[] = {
    {"receive", "a completion status (LOC_QP_OP_ERR …) was expected", eat_status},
    {"status", "a completion status (REM_OP_ERR …) was expected", eat_status},
    {"event", "qp_req_err, qp_access_err or qp_fatal was expected", eat_event},
    {"count", "none, duplicate, ahead, no_recv, dropped, bad_qkey or bad_pkey was expected",
     eat_count},
};

/* One word after the deed: NULL, or what is wrong with it. */
static const char *eat_option(const char **at, struct xp_override *o)
{
    if (eat(at, "error")) {
        o->fatal = true;
        return 0;
    }
    for (unsigned i = 0; i < sizeof options / sizeof options[0]; i++) {
        if (!eat(at, options[i].name))
            continue;
        return eat_char(at, '=') && options[i].value(at, o) ? 0 : options[i].wanted;
    }
    return "error, receive=, status=, event= or count= was expected";
}

bool xp_override_parse(const char **text, struct xp_override *out, const char **why)
{
    struct xp_override o = {.event = NO_EVENT};

    *why = 0;
    skip_blanks(text);
    if (!eat_service(text, &o))
        *why = "a service and a dot (\"rc.\") were expected";
    else if (!eat_row(text, &o))
        *why = "a verdict or a kind of answer, and a colon, were expected";
    skip_blanks(text);
    if (!*why && !eat_deed(text, &o))
        *why = o.is_answer
                   ? "ignore, complete, take, retry, imply, wait, wait_message or fail was "
                     "expected"
                   : "drop, mute, drop_message, execute, ack, ack_again, replay, nak_… or rnr_nak "
                     "was expected";
    skip_blanks(text);
    while (!*why && **text && **text != ';') {
        *why = eat_option(text, &o);
        skip_blanks(text);
    }
    if (*why)
        return false;
    eat_char(text, ';');
    skip_blanks(text);
    *out = o;
    return true;
}

/* ---- writing ------------------------------------------------------------------------------- */

static char *put(char *at, const char *text)
{
    while (*text)
        *at++ = *text++;
    return at;
}

static const char *deed_name(const struct xp_override *o)
{
    const struct word *w = o->is_answer ? answer_deeds : request_deeds;
    while (w->deed != o->deed || w->nak != o->nak)
        w++;
    return w->name;
}

size_t xp_override_print(const struct xp_override *o, char out[XP_OVERRIDE_TEXT_MAX])
{
    char *at = put(out, xp__services[o->service]->name);

    at = put(at, ".");
    at = put(at, o->is_answer ? answer_names[o->row] : xp_verdict_name((enum xp_verdict)o->row));
    at = put(put(at, ": "), deed_name(o));
    if (o->status) {
        at = put(at, o->is_answer ? " status=" : " receive=");
        at = put(at, xp_status_name((enum xp_status)o->status));
    }
    if (o->fatal)
        at = put(at, " error");
    if (o->event != NO_EVENT)
        at = put(put(at, " event="), event_names[o->event - EVENT_FIRST]);
    if (o->count)
        at = put(put(at, " count="), count_names[o->count]);
    *at = 0;
    return (size_t)(at - out);
}

/* ---- the core's tables ---------------------------------------------------------------------- */

static void lay_over(struct xp *x, const struct xp_override *o)
{
    if (o->is_answer)
        x->answers[o->service][o->row] =
            (struct answer_remedy){.deed = o->deed, .status = o->status, .fatal = o->fatal};
    else
        x->remedy[o->service][o->row] = (struct remedy){
            .deed = o->deed,
            .nak = o->nak,
            .recv_status = o->status,
            .fatal = o->fatal,
            .event = o->event,
            .count = o->count,
        };
}

void xp__tables_init(struct xp *x)
{
    for (unsigned s = 0; s < XP_SERVICES; s++) {
        for (unsigned v = 0; v < V_COUNT; v++)
            x->remedy[s][v] = xp__services[s]->remedy[v];
        for (unsigned k = 0; k < ANSWER_KINDS; k++)
            x->answers[s][k] = xp__services[s]->answers[k];
    }
    for (unsigned i = 0; i < x->profile.overrides; i++)
        lay_over(x, &x->profile.override[i]);
}
