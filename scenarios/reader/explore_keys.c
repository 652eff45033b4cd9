/*
 * [explore]: operations, faults, and the configuration that follows.
 */
#include "scenarios/reader/explore_keys.h"

#include <string.h>

#include "scenarios/reader/nearest.h"
#include "scenarios/reader/value.h"

/* Without a duration: longer than any exchange of a few messages takes with all its retries. */
#define LIMIT_PS (1000 * TM_S)

static const struct {
    const char *name;
    uint8_t op;
    bool sized;
} words[] = {
    {"send", XP_WR_SEND, true},
    {"send_imm", XP_WR_SEND_IMM, true},
    {"write", XP_WR_WRITE, true},
    {"write_imm", XP_WR_WRITE_IMM, true},
    {"read", XP_WR_READ, true},
    {"cmp_swap", XP_WR_CMP_SWAP, false},
    {"fetch_add", XP_WR_FETCH_ADD, false},
};

static bool refuse_word(const char *word, struct sc_error *err)
{
    struct nearest n = nearest_to(word);
    for (size_t i = 0; i < G_N_ELEMENTS(words); i++)
        nearest_try(&n, words[i].name);
    if (n.best)
        return sc_fail(err, "there is no operation '%s'; did you mean '%s'?", word, n.best);
    return sc_fail(err,
                   "there is no operation '%s'; give send, send_imm, write, write_imm, read, "
                   "cmp_swap or fetch_add",
                   word);
}

static bool take_size(const char *op, const char *text, uint32_t *out, struct sc_error *err)
{
    uint64_t n = 0;
    enum value_fault f = text ? value_with_unit(text, &unit_size, &n) : VALUE_EMPTY;
    if (f != VALUE_OK)
        return sc_fail(err, "'%s' needs a size: '%s' %s; write %s 100B", op, text ? text : "",
                       value_fault_text(f), op);
    if (n >= TASK_ARENA)
        return sc_fail(err,
                       "'%s' of %s is too long; all messages together must fit 32 KiB at "
                       "each end",
                       op, text);
    *out = (uint32_t)n;
    return true;
}

/* "read 400B of 2": behind the size; the number counts the operations of its key from 1. */
static bool take_of(char **rest, uint32_t first, struct task_op *op, struct sc_error *err)
{
    uint64_t n;
    if (op->op != XP_WR_READ || !rest[0] || strcmp(rest[0], "of") != 0)
        return true;
    if (!rest[1] || value_whole(rest[1], &n) != VALUE_OK || n == 0 || first + n > TASK_MESSAGES)
        return sc_fail(err, "'of' needs the number of a write before it; write read 100B of 1");
    op->of = (uint8_t)(first + n);
    return true;
}

static bool take_flags(char **rest, struct task_op *op, struct sc_error *err)
{
    for (; *rest; rest++) {
        if (strcmp(*rest, "silent") == 0)
            op->silent = true;
        else if (strcmp(*rest, "fence") == 0)
            op->fence = true;
        else
            return sc_fail(err, "'%s' is not understood behind an operation; silent and fence are",
                           *rest);
    }
    return true;
}

/* One operation: its words, NULL-ended. */
static bool take_operation(char **word, uint32_t first, uint8_t flow, struct task_spec *to,
                           struct sc_error *err)
{
    struct task_op op = {.flow = flow, .len = 8};
    size_t i = 0;
    while (i < G_N_ELEMENTS(words) && strcmp(words[i].name, word[0]) != 0)
        i++;
    if (i == G_N_ELEMENTS(words))
        return refuse_word(word[0], err);
    op.op = words[i].op;
    if (words[i].sized && !take_size(words[i].name, word[1], &op.len, err))
        return false;
    char **rest = words[i].sized ? word + 2 : word + 1;
    if (!take_of(rest, first, &op, err))
        return false;
    rest += op.of ? 2 : 0;
    if (!take_flags(rest, &op, err))
        return false;
    if (to->ops == TASK_MESSAGES)
        return sc_fail(err, "more than %d operations", TASK_MESSAGES);
    to->op[to->ops++] = op;
    return true;
}

/* "a  b" gives an empty word between two blanks: squeezed out. */
static char **split_words(const char *text)
{
    char **part = g_strsplit_set(text, " \t", -1), **to = part;
    for (char **p = part; *p; p++) {
        if (**p)
            *to++ = *p;
        else
            g_free(*p);
    }
    *to = NULL;
    return part;
}

bool explore_operations(const char *text, uint8_t flow, struct task_spec *to, struct sc_error *err)
{
    char **part = g_strsplit(text, ",", -1);
    uint32_t first = to->ops;
    bool ok = true;
    for (char **p = part; *p && ok; p++) {
        char **word = split_words(*p);
        ok = word[0] ? take_operation(word, first, flow, to, err)
                     : sc_fail(err, "an operation is missing beside a comma");
        g_strfreev(word);
    }
    g_strfreev(part);
    return ok;
}

bool explore_faults(const char *text, struct sc_explore *to, struct sc_error *err)
{
    to->is_fixed = strcmp(text, "any") != 0;
    if (!to->is_fixed || strcmp(text, "none") == 0)
        return true;
    char **part = g_strsplit(text, ",", -1);
    bool ok = true;
    for (char **p = part; *p && ok; p++) {
        char *one = g_strstrip(*p);
        if (to->faults == SC_EXPLORE_FAULTS)
            ok = sc_fail(err, "more than %d faults", SC_EXPLORE_FAULTS);
        else if (!fault_parse(one, &to->fault[to->faults++]))
            ok = sc_fail(err,
                         "'%s' is not a fault; write a2b or b2a, which packet of that "
                         "direction (from 1), and drop, corrupt, dup, dup-late, reorder, "
                         "delay or delay-late: a2b 3 drop",
                         one);
    }
    g_strfreev(part);
    return ok;
}

static bool take_service(struct resolving *r)
{
    struct sc_explore *x = &r->s.explore;
    x->service = r->s.qp.service;
    if (strcmp(x->service_text, "same") == 0 || (xp_service_parse(x->service_text, &x->service) &&
                                                 xp_service_offers(x->service, XP_WR_SEND)))
        return true;
    GString *all = g_string_new(NULL);
    for (int i = 0; i < XP_SERVICES; i++)
        if (xp_service_offers((enum xp_service_id)i, XP_WR_SEND))
            g_string_append_printf(all, ", %s", xp_service_name((enum xp_service_id)i));
    resolve_fail(r, "explore.service", "'%s' is not a service that sends; give same%s",
                 x->service_text, all->str);
    g_string_free(all, TRUE);
    return false;
}

bool take_explore(struct resolving *r)
{
    struct sc_explore *x = &r->s.explore;
    struct task_spec *task = &x->task;
    const struct {
        const char *key, *text;
        uint8_t from;
    } flow[] = {{"explore.operations", x->operations, 0},
                {"explore.operations_back", x->operations_back, 1},
                {"explore.operations_beside", x->operations_beside, 0}};
    for (uint8_t f = 0; f < sizeof flow / sizeof *flow; f++) {
        if (f > 0 && strcmp(flow[f].text, "none") == 0)
            continue;
        task->flow[task->flows].from = flow[f].from;
        task->flow[task->flows].to = !flow[f].from;
        if (!explore_operations(flow[f].text, (uint8_t)task->flows++, task, r->err))
            return sc_fail_at(r->err, "%s: ", resolve_cell(r, flow[f].key)->place);
    }
    if (!explore_faults(x->faults_text, x, r->err))
        return sc_fail_at(r->err, "%s: ", resolve_cell(r, "explore.faults")->place);
    if (!take_service(r))
        return false;
    if (x->srq && stage_is_joined(x->service))
        return resolve_fail(r, "explore.srq",
                            "QPs of %s take no receives from a shared queue; leave it off",
                            xp_service_name(x->service));
    return true;
}

/* Where the reader has no key, the specification's. */
static struct xp_profile whole_profile(struct xp_profile p)
{
    const struct xp_profile spec = xp_profile_spec();
    if (p.port_mtu == 0)
        p.port_mtu = spec.port_mtu;
    if (p.max.srq_wr == 0)
        p.max.srq_wr = spec.max.srq_wr;
    return p;
}

void explore_config(const struct scenario *s, struct explore_cfg *out)
{
    *out = (struct explore_cfg){
        .stage = {.service = s->explore.service,
                  .profile = whole_profile(s->hca.xp),
                  .mtu = s->qp.mtu,
                  .timeout = s->qp.timeout,
                  .retry_cnt = s->qp.retry_cnt,
                  .rnr_retry = s->qp.rnr_retry,
                  .min_rnr_timer = s->qp.min_rnr_timer,
                  .max_rd_atomic = s->qp.max_rd_atomic,
                  .max_dest_rd_atomic = s->qp.max_dest_rd_atomic,
                  .srq = s->explore.srq,
                  .first_psn = psn(s->qp.sq_psn),
                  .delay_ps = tm_max(s->fabric.delay_ps, 2),
                  .recv_late_ps = s->load.receiver.late_ps,
                  .limit_ps = s->duration_ps == TM_NEVER ? LIMIT_PS : s->duration_ps},
        .task = s->explore.task,
        .max_faults = s->explore.max_faults,
        .kinds = (uint32_t)s->explore.kinds};
    out->task.mtu = s->qp.mtu;
    out->task.acked = stage_is_acked(s->explore.service);
    out->task.joined = stage_is_joined(s->explore.service);
    if (out->task.joined)
        out->task.spare =
            s->explore.is_fixed ? MIN(s->explore.faults, TASK_SPARE) : s->explore.max_faults;
    out->task.head = stage_head(s->explore.service);
    out->task.shared = stage_is_shared(&out->stage);
    out->task.restarts = s->hca.xp.recovery == XP_GO_BACK_0;
    out->task.steadfast = explore_is_steadfast(out);
}
