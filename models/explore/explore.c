/*
 * The search, depth first within one number of faults; explore.h.
 *
 * A line of play is followed on one stage; each fault is tried on a copy, so the search holds no
 * more than one stage for each fault placed.  What a line has passed is entered as known when its
 * end is reached, since only then the number of its schedules is.
 */
#include "models/explore/explore.h"

#include <stdlib.h>
#include <string.h>

#include "models/explore/seen.h"
#include "sim/base/check.h"

/* A state on the line of play, and the schedules counted before it. */
struct passed {
    uint64_t state, before;
};

struct search {
    const struct explore_cfg *cfg;
    struct explore_result *out;
    struct seen seen;
    struct passed *passed;
    uint32_t passed_count, passed_cap;
    struct fault path[EXPLORE_FAULTS_MAX];
    uint32_t placed;
};

static uint64_t follow(struct search *s, struct stage *st, uint32_t left);

static bool is_over(const struct search *s) { return s->out->breach != LEDGER_SOUND; }

static void take_breach(struct search *s, const struct stage *st)
{
    struct explore_result *r = s->out;
    if (st->ledger.breach == LEDGER_SOUND || is_over(s))
        return;
    r->breach = st->ledger.breach;
    memcpy(r->what, st->ledger.what, sizeof r->what);
    memcpy(r->fault, s->path, sizeof s->path);
    r->faults = s->placed;
}

/* ---- what is known --------------------------------------------------------------------------- */

static void pass(struct search *s, uint64_t state, uint64_t before)
{
    if (s->passed_count == s->passed_cap) {
        s->passed_cap = s->passed_cap ? s->passed_cap * 2 : 256;
        s->passed = realloc(s->passed, s->passed_cap * sizeof *s->passed);
        CHECK(s->passed != NULL);
    }
    s->passed[s->passed_count++] = (struct passed){state, before};
}

static bool is_new_state(const struct search *s, uint64_t state)
{
    for (uint32_t left = 0; left <= s->cfg->max_faults; left++)
        if (seen_find(&s->seen, state, left))
            return false;
    return true;
}

/* The line's end: what was passed since `base` is known now. */
static void enter_passed(struct search *s, uint32_t base, uint32_t left, uint64_t total)
{
    while (s->passed_count > base) {
        const struct passed *p = &s->passed[--s->passed_count];
        if (is_over(s) || seen_find(&s->seen, p->state, left))
            continue; /* a line that came by the same state twice */
        s->out->states += is_new_state(s, p->state);
        seen_put(&s->seen, p->state, left, total - p->before);
    }
}

/* ---- the search ------------------------------------------------------------------------------ */

/* How many of the kinds asked for this fate stands for. */
static uint32_t weight_of(const struct search *s, enum fate f)
{
    uint32_t both = FAULT_DROP | FAULT_CORRUPT, kinds = s->cfg->kinds;
    if (f == FATE_CORRUPT)
        return (kinds & both) == FAULT_CORRUPT;
    if (f == FATE_DROP)
        return (kinds & both) == both ? 2 : (kinds & both) == FAULT_DROP;
    return (kinds & fate_kind(f)) != 0;
}

static uint64_t try_fate(struct search *s, const struct stage *st, struct fault which,
                         uint32_t left)
{
    uint32_t weight = weight_of(s, (enum fate)which.fate);
    if (weight == 0 || is_over(s))
        return 0;
    struct stage *c = stage_clone(st);
    s->path[s->placed++] = which;
    stage_decide(c, (enum fate)which.fate);
    c->events = 0;
    uint64_t n = follow(s, c, left - 1);
    s->placed--;
    stage_free(c);
    return n * weight;
}

static uint64_t try_fates(struct search *s, const struct stage *st, struct fault which,
                          uint32_t left)
{
    uint64_t n = 0;
    for (int f = FATE_DROP; f < FATES && left > 0; f++) {
        which.fate = (uint8_t)f;
        n += try_fate(s, st, which, left);
    }
    return n;
}

/* All schedules from here on with up to `left` faults; the stage is played to its end. */
static uint64_t follow(struct search *s, struct stage *st, uint32_t left)
{
    uint32_t base = s->passed_count;
    struct fault which;
    uint64_t n = 0, known = 0;
    bool fresh = true;
    do {
        while (st->ledger.breach == LEDGER_SOUND && stage_pending(st, &which)) {
            uint64_t state = fresh ? stage_digest(st) : 0;
            known = fresh && !s->cfg->forgetful ? seen_find(&s->seen, state, left) : 0;
            if (known)
                goto end;
            if (fresh)
                pass(s, state, n);
            n += try_fates(s, st, which, left);
            if (is_over(s))
                goto end;
            stage_decide(st, FATE_NONE);
            fresh = false;
        }
        fresh = true;
    } while (st->ledger.breach == LEDGER_SOUND && stage_instant(st));
    known = 1; /* this one */
    s->out->runs++;
end:
    s->out->events += st->events;
    take_breach(s, st);
    enter_passed(s, base, left, n + known);
    return n + known;
}

bool explore_is_steadfast(const struct explore_cfg *cfg)
{
    const struct stage_spec *s = &cfg->stage;
    return cfg->task.acked && s->timeout > 0 &&
           xp_timer_least(&s->profile, s->timeout) > 4 * s->delay_ps &&
           2 * cfg->max_faults <= s->retry_cnt;
}

static bool search_with(struct search *s, const struct task *task, uint32_t faults,
                        const char **why)
{
    struct stage *st = stage_new(&s->cfg->stage, task, NULL, why);
    if (!st)
        return false;
    s->out->faults = faults;
    s->out->schedules = follow(s, st, faults);
    stage_free(st);
    return true;
}

bool explore(const struct explore_cfg *cfg, explore_told *told, void *who,
             struct explore_result *out, const char **why)
{
    struct search s = {.cfg = cfg, .out = out};
    struct task *task = malloc(sizeof *task);
    CHECK(task != NULL && cfg->max_faults <= EXPLORE_FAULTS_MAX);
    memset(out, 0, sizeof *out);
    *why = task_make(&cfg->task, task);
    seen_init(&s.seen);
    for (uint32_t k = 0; !*why && k <= cfg->max_faults && !is_over(&s); k++)
        if (!search_with(&s, task, k, why) || (told && !told(who, out)))
            break;
    seen_fini(&s.seen);
    free(s.passed);
    free(task);
    return *why == NULL;
}

/* ---- one schedule ---------------------------------------------------------------------------- */

static enum fate fate_in(const struct fault *list, uint32_t n, const struct fault *which,
                         uint32_t *met)
{
    for (uint32_t i = 0; i < n; i++)
        if (list[i].from == which->from && list[i].to == which->to && list[i].nth == which->nth) {
            *met |= 1u << i;
            return (enum fate)list[i].fate;
        }
    return FATE_NONE;
}

static void play(struct stage *st, const struct fault *list, uint32_t n, uint32_t *met)
{
    struct fault which;
    do {
        while (st->ledger.breach == LEDGER_SOUND && stage_pending(st, &which))
            stage_decide(st, fate_in(list, n, &which, met));
    } while (st->ledger.breach == LEDGER_SOUND && stage_instant(st));
}

bool explore_replay(const struct explore_cfg *cfg, const struct explore_list *list,
                    struct explore_replayed *out, const char **why)
{
    struct task *task = malloc(sizeof *task);
    uint32_t met = 0;
    CHECK(task != NULL && list->faults < 32);
    memset(out, 0, sizeof *out);
    *why = task_make(&cfg->task, task);
    struct stage *st = *why ? NULL : stage_new(&cfg->stage, task, &out->story, why);
    if (st) {
        play(st, list->fault, list->faults, &met);
        out->breach = st->ledger.breach;
        memcpy(out->what, st->ledger.what, sizeof out->what);
        while (out->met < list->faults && (met >> out->met & 1))
            out->met++;
    }
    bool played = st != NULL;
    stage_free(st);
    free(task);
    return played;
}
