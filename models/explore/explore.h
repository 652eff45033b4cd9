/*
 * Every placement of up to K faults over one small exchange.
 *
 * Placements with no fault come first, then those with one, and so on: the first breach found has
 * the shortest list of faults.  A schedule is one placement; two schedules that come to the same
 * state (stage_digest) with as many faults still to place have the same future, which is run once.
 *
 * From every state the search also goes on without further faults until all is quiet: that each
 * request completes then is among the rules of the ledger.
 */
#ifndef EXPLORE_EXPLORE_H
#define EXPLORE_EXPLORE_H

#include "models/explore/stage.h"

enum { EXPLORE_FAULTS_MAX = 6 };

struct explore_cfg {
    struct stage_spec stage;
    struct task_spec task;
    uint32_t max_faults; /* 0 .. EXPLORE_FAULTS_MAX */
    uint32_t kinds;      /* enum fate_kind bits */
    bool forgetful;      /* every schedule is played, known state or not: for tests */
};

struct explore_result {
    uint32_t faults;    /* the last number placed */
    uint64_t schedules; /* placements of up to that many */
    uint64_t states;    /* distinct ones at which a packet got its fate */
    uint64_t runs;      /* played to the end */
    uint64_t events;    /* after which the ledger looked */
    enum ledger_rule breach; /* LEDGER_SOUND: none */
    char what[160];
    struct fault fault[EXPLORE_FAULTS_MAX]; /* that led to it */
};

/*
 * Are there retries enough for so many faults?  One of them costs two at most: the loss, and a
 * repetition of what came late; and an answer must be able to come before the timer fires.
 */
bool explore_is_steadfast(const struct explore_cfg *cfg);

/* Called after each number of faults; false stops the search. */
typedef bool explore_told(void *who, const struct explore_result *so_far);

/* false with *why: the exchange cannot be set up.  told: may be NULL. */
bool explore(const struct explore_cfg *cfg, explore_told *told, void *who,
             struct explore_result *out, const char **why);

struct explore_list {
    const struct fault *fault;
    uint32_t faults; /* below 32 */
};

struct explore_replayed {
    struct story story; /* story_clear */
    enum ledger_rule breach;
    char what[160];
    uint32_t met;       /* faults of the list that found their packet, up to the first that did not */
};

/* Plays one placement to its end or its breach.  false with *why: the exchange cannot be set up. */
bool explore_replay(const struct explore_cfg *cfg, const struct explore_list *list,
                    struct explore_replayed *out, const char **why);

#endif
