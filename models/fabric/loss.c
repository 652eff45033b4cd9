/* See loss.h. */
#include "models/fabric/loss.h"

#include <stdlib.h>

#include "sim/base/check.h"

typedef unsigned __int128 u128;

#define ONE ((u128)1 << 64) /* certainty; as a threshold it is UINT64_MAX */

enum { PURPOSE_DRAW = 1, PURPOSE_STEP = 2 };

static u128 chance_of(uint64_t threshold) { return threshold == UINT64_MAX ? ONE : threshold; }

static uint64_t threshold_of(u128 chance)
{
    return chance >= UINT64_MAX ? UINT64_MAX : (uint64_t)chance;
}

/* ---- two states ------------------------------------------------------------------------------ */

static u128 leaving(uint64_t burst_milli) { return (ONE * 1000 + burst_milli / 2) / burst_milli; }

/* p = r * (rate - good) / (bad - rate).  r is cut to 63 bits: the product fits. */
static u128 entering(const struct loss_cfg *c, uint64_t rate, u128 r)
{
    u128 above = chance_of(rate) - chance_of(c->in_good);
    u128 below = chance_of(c->in_bad) - chance_of(rate);
    return (r >> 1) * (above >> 1) / (below >> 1 ? below >> 1 : 1) << 1;
}

const char *loss_refuse(const struct loss_cfg *cfg, uint64_t rate)
{
    if (cfg->model != LOSS_GILBERT_ELLIOTT)
        return NULL;
    if (cfg->burst_milli == 0)
        return cfg->p && !cfg->r ? "nothing ends the bad state" : NULL;
    if (rate < cfg->in_good)
        return "less is lost on the whole than in the good state";
    if (rate >= cfg->in_bad)
        return "not less is lost on the whole than in the bad state";
    if (entering(cfg, rate, leaving(cfg->burst_milli)) > ONE)
        return "so much loss leaves no room between bursts that are so short";
    return NULL;
}

static void plan_chain(struct loss_plan *plan, const struct loss_cfg *cfg, uint64_t rate)
{
    u128 r = chance_of(cfg->r), p = chance_of(cfg->p);
    if (cfg->burst_milli) {
        r = leaving(cfg->burst_milli);
        p = entering(cfg, rate, r);
    }
    plan->p = threshold_of(p);
    plan->r = threshold_of(r);
    plan->in[0] = cfg->in_good;
    plan->in[1] = cfg->in_bad;
    p = plan->p; /* below 2^64 */
    plan->share_bad = p ? threshold_of((p << 64) / (p + r)) : 0;
}

/* ---- bit errors ------------------------------------------------------------------------------ */

/* 1 - (1 - a)(1 - b), rounded; b is below ONE */
static u128 either(u128 a, u128 b) { return a + (((ONE - a) * b + (ONE >> 1)) >> 64); }

static void plan_bits(struct loss_plan *plan, uint64_t ber)
{
    u128 byte = 0, all = 0;
    for (int i = 0; i < 8; i++)
        byte = either(byte, ber);
    byte = threshold_of(byte);
    plan->by_bytes = malloc((LOSS_BYTES_MAX + 1) * sizeof *plan->by_bytes);
    CHECK(plan->by_bytes);
    for (uint32_t n = 0; n <= LOSS_BYTES_MAX; n++) {
        plan->by_bytes[n] = threshold_of(all);
        all = either(all, byte);
    }
}

/* ---- at work --------------------------------------------------------------------------------- */

void loss_plan_init(struct loss_plan *plan, const struct loss_cfg *cfg, uint64_t rate)
{
    CHECK(!loss_refuse(cfg, rate));
    *plan = (struct loss_plan){.model = cfg->model, .rate = rate};
    if (cfg->model == LOSS_GILBERT_ELLIOTT)
        plan_chain(plan, cfg, rate);
    if (cfg->model == LOSS_BER)
        plan_bits(plan, cfg->ber);
}

void loss_plan_fini(struct loss_plan *plan) { free(plan->by_bytes); }

bool loss_may_hit(const struct loss_plan *plan)
{
    switch (plan->model) {
    case LOSS_BERNOULLI:
        return plan->rate > 0;
    case LOSS_GILBERT_ELLIOTT:
        return plan->in[0] > 0 || (plan->in[1] > 0 && plan->p > 0);
    case LOSS_BER:
        return plan->by_bytes[LOSS_BYTES_MAX] > 0;
    }
    return false;
}

struct loss_state loss_state(uint64_t seed, enum rng_kind kind, uint64_t id)
{
    return (struct loss_state){.draw = rng_stream(seed, kind, id, PURPOSE_DRAW),
                               .step = rng_stream(seed, kind, id, PURPOSE_STEP)};
}

static bool chain_hits(const struct loss_plan *plan, struct loss_state *s)
{
    if (!s->begun)
        s->bad = rng_hits(&s->step, plan->share_bad);
    else if (rng_hits(&s->step, s->bad ? plan->r : plan->p))
        s->bad = !s->bad;
    s->begun = true;
    return rng_hits(&s->draw, plan->in[s->bad]);
}

bool loss_hits(const struct loss_plan *plan, struct loss_state *s, uint32_t wire_bytes)
{
    switch (plan->model) {
    case LOSS_BERNOULLI:
        return rng_hits(&s->draw, plan->rate);
    case LOSS_GILBERT_ELLIOTT:
        return chain_hits(plan, s);
    case LOSS_BER:
        return rng_hits(&s->draw, plan->by_bytes[wire_bytes]);
    }
    return false;
}
