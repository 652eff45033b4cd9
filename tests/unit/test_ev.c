/* The engine's order on literals, what it refuses, and a toy network cut in different ways. */
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sim/base/check.h"
#include "sim/base/rng.h"
#include "sim/engine/ev.h"
#include "tests/suite.h"

/* ---- a diary: entities that write down when they ran ----------------------------------------- */

struct diary {
    char text[400];
    size_t len;
};

struct scribe {
    struct diary *diary;
    const char *name;
    tm_ps again_ps; /* runs again after this, 0 = not */
    int left;       /* times it may run again */
    struct ev *ev;  /* what it arms or disarms when it runs, if anything */
    ev_id arm, disarm;
    tm_ps arm_at;
};

static tm_ps scribe_fire(void *self, tm_ps now)
{
    struct scribe *s = self;
    struct diary *d = s->diary;
    d->len += (size_t)snprintf(d->text + d->len, sizeof d->text - d->len, "%s@%lld ", s->name,
                               (long long)now);
    if (s->ev && s->arm_at)
        ev_arm(s->ev, s->arm, s->arm_at);
    if (s->ev && !s->arm_at)
        ev_disarm(s->ev, s->disarm);
    return s->left-- > 0 ? now + s->again_ps : TM_NEVER;
}

static void ev_order_is_time_rank_entity(void)
{
    struct diary d = {.len = 0};
    struct scribe s[] = {{&d, "load", 0, 0, NULL, 0, 0, 0},   {&d, "timerA", 0, 0, NULL, 0, 0, 0},
                         {&d, "timerB", 0, 0, NULL, 0, 0, 0}, {&d, "arrive", 0, 0, NULL, 0, 0, 0},
                         {&d, "depart", 0, 0, NULL, 0, 0, 0}, {&d, "first", 0, 0, NULL, 0, 0, 0}};
    static const enum ev_rank rank[] = {EV_LOAD, EV_TIMER, EV_TIMER, EV_ARRIVE, EV_DEPART, EV_LOAD};
    struct ev *ev = ev_new(6, 1);
    ev_id id[6];
    for (int i = 0; i < 6; i++)
        id[i] = ev_add(ev, 0, rank[i], scribe_fire, &s[i]);
    static const int armed[] = {2, 4, 0, 3, 1};
    for (int i = 0; i < 5; i++)
        ev_arm(ev, id[armed[i]], 100);
    ev_arm(ev, id[5], 99);
    CU_ASSERT_TRUE(ev_run(ev, TM_NEVER, NULL));
    CU_ASSERT_STRING_EQUAL(d.text,
                           "first@99 depart@100 arrive@100 timerA@100 timerB@100 load@100 ");
    CU_ASSERT_EQUAL(ev_now(ev), 100);
    CU_ASSERT_EQUAL(ev_count(ev), 6);
    ev_free(ev);
}

static void ev_earliest_arm_wins(void)
{
    struct diary d = {.len = 0};
    struct scribe s = {&d, "t", 0, 0, NULL, 0, 0, 0};
    struct ev *ev = ev_new(1, 1);
    ev_id id = ev_add(ev, 0, EV_TIMER, scribe_fire, &s);
    ev_arm(ev, id, 50);
    ev_arm(ev, id, 30);
    ev_arm(ev, id, 70);
    ev_arm(ev, id, TM_NEVER);
    CU_ASSERT_TRUE(ev_run(ev, TM_NEVER, NULL));
    CU_ASSERT_STRING_EQUAL(d.text, "t@30 ");
    ev_arm(ev, id, 80);
    ev_disarm(ev, id);
    ev_disarm(ev, id);
    CU_ASSERT_TRUE(ev_run(ev, TM_NEVER, NULL));
    CU_ASSERT_STRING_EQUAL(d.text, "t@30 ");
    ev_free(ev);
}

static void ev_returned_time_runs_between_others(void)
{
    struct diary d = {.len = 0};
    struct scribe tick = {&d, "tick", 10, 3, NULL, 0, 0, 0},
                  once = {&d, "once", 0, 0, NULL, 0, 0, 0};
    struct ev *ev = ev_new(2, 1);
    ev_arm(ev, ev_add(ev, 0, EV_TIMER, scribe_fire, &tick), 5);
    ev_arm(ev, ev_add(ev, 0, EV_ARRIVE, scribe_fire, &once), 25);
    CU_ASSERT_TRUE(ev_run(ev, TM_NEVER, NULL));
    CU_ASSERT_STRING_EQUAL(d.text, "tick@5 tick@15 once@25 tick@25 tick@35 ");
    ev_free(ev);
}

static void ev_until_is_included_and_the_rest_waits(void)
{
    struct diary d = {.len = 0};
    struct scribe tick = {&d, "tick", 10, 9, NULL, 0, 0, 0};
    struct ev *ev = ev_new(1, 1);
    ev_arm(ev, ev_add(ev, 0, EV_TIMER, scribe_fire, &tick), 10);
    CU_ASSERT_TRUE(ev_run(ev, 20, NULL));
    CU_ASSERT_STRING_EQUAL(d.text, "tick@10 tick@20 ");
    CU_ASSERT_TRUE(ev_run(ev, 29, NULL));
    CU_ASSERT_STRING_EQUAL(d.text, "tick@10 tick@20 ");
    CU_ASSERT_TRUE(ev_run(ev, 30, NULL));
    CU_ASSERT_STRING_EQUAL(d.text, "tick@10 tick@20 tick@30 ");
    ev_free(ev);
}

static void ev_next_is_the_least_of_all_domains(void)
{
    struct diary d = {.len = 0};
    struct scribe s[] = {{&d, "a", 30, 1, NULL, 0, 0, 0}, {&d, "b", 0, 0, NULL, 0, 0, 0}};
    struct ev *ev = ev_new(2, 2);
    CU_ASSERT_EQUAL(ev_next(ev), TM_NEVER);
    for (uint32_t i = 0; i < 2; i++)
        ev_arm(ev, ev_add(ev, i, EV_TIMER, scribe_fire, &s[i]), i ? 50 : 40);
    CU_ASSERT_EQUAL(ev_next(ev), 40);
    CU_ASSERT_TRUE(ev_run(ev, 45, NULL));
    CU_ASSERT_EQUAL(ev_next(ev), 50);
    CU_ASSERT_TRUE(ev_run(ev, 50, NULL));
    CU_ASSERT_EQUAL(ev_next(ev), 70);
    CU_ASSERT_TRUE(ev_run(ev, 70, NULL));
    CU_ASSERT_EQUAL(ev_next(ev), TM_NEVER);
    ev_free(ev);
}

static void ev_running_entity_arms_and_disarms_others(void)
{
    struct diary d = {.len = 0};
    struct ev *ev = ev_new(4, 1);
    struct scribe a = {&d, "a", 0, 0, ev, 2, 0, 10}, b = {&d, "b", 0, 0, ev, 0, 3, 0},
                  c = {&d, "c", 0, 0, NULL, 0, 0, 0}, gone = {&d, "gone", 0, 0, NULL, 0, 0, 0};
    ev_arm(ev, ev_add(ev, 0, EV_ARRIVE, scribe_fire, &a),
           10); /* arms c at its own time, later rank */
    ev_arm(ev, ev_add(ev, 0, EV_ARRIVE, scribe_fire, &b), 11); /* disarms gone */
    ev_add(ev, 0, EV_TIMER, scribe_fire, &c);
    ev_arm(ev, ev_add(ev, 0, EV_TIMER, scribe_fire, &gone), 12);
    CU_ASSERT_TRUE(ev_run(ev, TM_NEVER, NULL));
    CU_ASSERT_STRING_EQUAL(d.text, "a@10 c@10 b@11 ");
    ev_free(ev);
}

/* ---- stopping -------------------------------------------------------------------------------- */

struct stopper {
    volatile sig_atomic_t stop;
    uint64_t runs;
};

static tm_ps stopper_fire(void *self, tm_ps now)
{
    struct stopper *s = self;
    s->stop = ++s->runs >= 5000;
    return now + 1;
}

static void ev_stop_flag_ends_within_4096_events(void)
{
    struct stopper s = {0, 0};
    struct ev *ev = ev_new(1, 1);
    ev_arm(ev, ev_add(ev, 0, EV_TIMER, stopper_fire, &s), 0);
    CU_ASSERT_FALSE(ev_run(ev, TM_NEVER, &s.stop));
    CU_ASSERT_EQUAL(s.runs, 8192);
    CU_ASSERT_TRUE(ev_run(ev, 9000, NULL));
    CU_ASSERT_EQUAL(ev_now(ev), 9000);
    ev_free(ev);
}

/* ---- refusals: a CHECK aborts, so each runs in a child --------------------------------------- */

enum mistake { ARM_ITSELF, ARM_THE_PAST, ARM_AN_EARLIER_RANK, RETURN_NOW, ARM_ACROSS, NO_MISTAKE };

struct culprit {
    struct ev *ev;
    ev_id self, other, across;
    enum mistake mistake;
};

static tm_ps nothing_fire(void *self, tm_ps now) { return TM_NEVER; }

static tm_ps culprit_fire(void *self, tm_ps now)
{
    struct culprit *c = self;
    switch (c->mistake) {
    case ARM_ITSELF:
        ev_arm(c->ev, c->self, now + 5);
        break;
    case ARM_THE_PAST:
        ev_arm(c->ev, c->other, now - 1);
        break;
    case ARM_AN_EARLIER_RANK:
        ev_arm(c->ev, c->other, now);
        break;
    case RETURN_NOW:
        return now;
    case ARM_ACROSS:
        ev_arm(c->ev, c->across, now + 5);
        break;
    case NO_MISTAKE:
        ev_arm(c->ev, c->other, now + 1);
        break;
    }
    return TM_NEVER;
}

static bool dies(enum mistake m)
{
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        struct culprit c = {.ev = ev_new(3, 2), .mistake = m};
        if (!freopen("/dev/null", "w", stderr))
            _exit(2);
        c.other = ev_add(c.ev, 0, EV_DEPART, nothing_fire, NULL);
        c.self = ev_add(c.ev, 0, EV_TIMER, culprit_fire, &c);
        c.across = ev_add(c.ev, 1, EV_TIMER, nothing_fire, NULL);
        ev_arm(c.ev, c.self, 10);
        ev_run(c.ev, 100, NULL);
        _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT;
}

static void ev_keys_that_would_disturb_the_order_abort(void)
{
    CU_ASSERT_TRUE(dies(ARM_ITSELF));
    CU_ASSERT_TRUE(dies(ARM_THE_PAST));
    CU_ASSERT_TRUE(dies(ARM_AN_EARLIER_RANK));
    CU_ASSERT_TRUE(dies(RETURN_NOW));
    CU_ASSERT_TRUE(dies(ARM_ACROSS));
    CU_ASSERT_FALSE(dies(NO_MISTAKE));
}

/* ---- a toy network: nodes in a ring, each with wires to the next and to the third next ------- */

#define NODES 10
#define WIRES (2 * NODES)
#define DEPTH 256 /* tokens on a wire at most */

struct wire {
    tm_ps at[DEPTH];
    uint64_t token[DEPTH];
    uint32_t head, tail, known; /* tail - known: sent, not yet taken in by the other domain */
    uint32_t to;
    bool crosses;
    ev_id entity;
    struct toy *toy;
};

struct node {
    uint64_t state; /* hash of all that arrived, and when */
    uint64_t tokens;
};

struct toy {
    struct ev *ev;
    struct node node[NODES];
    struct wire wire[WIRES];
};

static void wire_send(struct toy *t, uint32_t w, uint64_t token, tm_ps now)
{
    struct wire *wire = &t->wire[w];
    CHECK(wire->tail - wire->head < DEPTH);
    tm_ps at = now + 100 + (tm_ps)(token % 50);
    if (wire->tail > 0)
        at = tm_max(at, wire->at[(wire->tail - 1) % DEPTH] + 1);
    wire->at[wire->tail % DEPTH] = at;
    wire->token[wire->tail % DEPTH] = token;
    wire->tail++;
    if (wire->crosses)
        return;
    wire->known = wire->tail;
    ev_arm(t->ev, wire->entity, wire->at[wire->head % DEPTH]);
}

static void wire_drain(void *self)
{
    struct wire *w = self;
    w->known = w->tail;
    if (w->head != w->tail)
        ev_arm(w->toy->ev, w->entity, w->at[w->head % DEPTH]);
}

static tm_ps wire_fire(void *self, tm_ps now)
{
    struct wire *w = self;
    struct toy *t = w->toy;
    struct node *n = &t->node[w->to];
    uint64_t token = w->token[w->head++ % DEPTH];
    n->state = rng_mix(n->state ^ rng_mix(token + (uint64_t)now));
    n->tokens++;
    uint64_t next = n->state >> 1;
    if (next % 97 != 1) /* some tokens get lost, as many others double */
        wire_send(t, 2 * w->to + (uint32_t)(next & 1), next, now);
    if (next % 97 == 0)
        wire_send(t, 2 * w->to + (uint32_t)(~next & 1), next ^ 12345, now);
    return w->head == w->known ? TM_NEVER : w->at[w->head % DEPTH];
}

static void toy_run(struct toy *t, uint32_t domains, bool stops)
{
    memset(t, 0, sizeof *t);
    t->ev = ev_new(WIRES, domains);
    for (uint32_t w = 0; w < WIRES; w++) {
        uint32_t from = w / 2, to = (from + (w % 2 ? 3 : 1)) % NODES;
        uint32_t here = from * domains / NODES, there = to * domains / NODES;
        t->wire[w].to = to;
        t->wire[w].toy = t;
        t->wire[w].crosses = here != there;
        t->wire[w].entity = ev_add(t->ev, there, EV_ARRIVE, wire_fire, &t->wire[w]);
        if (here != there)
            ev_add_crossing(t->ev, there, 100, wire_drain, &t->wire[w]);
    }
    for (uint32_t w = 0; w < WIRES; w++)
        wire_send(t, w, w, 0);
    volatile sig_atomic_t stop = 1;
    while (stops && !ev_run(t->ev, 100000, &stop))
        ;
    ev_run(t->ev, 100000, NULL);
    ev_free(t->ev);
}

static struct toy one, many;

static void ev_toy_network_is_the_same_however_it_is_cut(void)
{
    toy_run(&one, 1, false);
    CU_ASSERT_TRUE(one.node[0].tokens > 500);
    static const uint32_t domains[] = {2, 5, 10};
    for (int i = 0; i < 3; i++) {
        toy_run(&many, domains[i], false);
        CU_ASSERT_EQUAL(memcmp(one.node, many.node, sizeof one.node), 0);
    }
}

static void ev_toy_network_is_the_same_when_stopped_and_resumed(void)
{
    toy_run(&one, 1, false);
    toy_run(&many, 5, true);
    CU_ASSERT_EQUAL(memcmp(one.node, many.node, sizeof one.node), 0);
}

static const struct test tests[] = {TEST(ev_order_is_time_rank_entity),
                                    TEST(ev_earliest_arm_wins),
                                    TEST(ev_returned_time_runs_between_others),
                                    TEST(ev_until_is_included_and_the_rest_waits),
                                    TEST(ev_next_is_the_least_of_all_domains),
                                    TEST(ev_running_entity_arms_and_disarms_others),
                                    TEST(ev_stop_flag_ends_within_4096_events),
                                    TEST(ev_keys_that_would_disturb_the_order_abort),
                                    TEST(ev_toy_network_is_the_same_however_it_is_cut),
                                    TEST(ev_toy_network_is_the_same_when_stopped_and_resumed),
                                    TESTS_END};
const struct suite suite_ev = {"ev", tests};
